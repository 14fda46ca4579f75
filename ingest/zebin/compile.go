package zebin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"occudiff/ingest/note"
)

// compileLimit is a compilation's maximum duration.
const compileLimit = 2 * time.Minute

// maxMessages is the maximum length for returned compiler messages, in bytes.
const maxMessages = 8 << 10

// FindCompiler returns the path of Intel's offline compiler, which needs no
// GPU. The error contains how to install it.
func FindCompiler() (string, error) {
	path, err := exec.LookPath("ocloc")
	if err != nil {
		return "", note.Errorf("no-ocloc", note.Pos{}, "install it: package intel-opencl-icd or intel-ocloc of the "+
			"distribution",
			"compiling a source needs Intel's offline compiler ocloc, which is not on PATH")
	}
	return path, nil
}

// IsSource reports whether the file extension is OpenCL C (.cl) or SPIR-V
// (.spv).
func IsSource(path string) bool {
	ending := strings.ToLower(filepath.Ext(path))
	return ending == ".cl" || ending == ".spv"
}

// Compile returns the path of a new file in dir, compiled from a source, and
// the compiler's warnings. device is a name that the compiler knows (pvc,
// acm-g10, 0x7d55). options are OpenCL compiler options, for example
// -cl-intel-256-GRF-per-thread, or empty. If the compilation fails, the error
// contains the compiler's messages. No shell is involved.
func Compile(ctx context.Context, compiler, source, device, options, dir string) (binary, warnings string, err error) {
	ctx, cancel := context.WithTimeout(ctx, compileLimit)
	defer cancel()
	full, err := filepath.Abs(source)
	if err != nil {
		return "", "", note.Errorf("unreadable", note.InFile(source), "", "%v", err)
	}
	// -output_no_suffix requires an existing folder. Without -out_dir, several
	// versions write nothing and exit with 0.
	args := []string{"compile", "-file", full, "-device", device, "-output", "kernel", "-output_no_suffix", "-out_dir",
		dir, "-internal_options", "-cl-intel-allow-zebin"}
	if options != "" {
		args = append(args, "-options", options)
	}
	if strings.EqualFold(filepath.Ext(source), ".spv") {
		args = append(args, "-spirv_input")
	}
	cmd := exec.CommandContext(ctx, compiler, args...)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	text := messages(string(out[:min(len(out), maxMessages)]))
	said := ""
	if text != "" {
		said = ":\n" + text
	}
	binary = filepath.Join(dir, "kernel")
	_, missing := os.Stat(binary)
	exit, exited := errors.AsType[*exec.ExitError](err)
	pos := note.InFile(source)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		err = note.Errorf("compiler-slow", pos, "", "ocloc did not finish within %v for %s", compileLimit, device)
	case ctx.Err() != nil:
		err = ctx.Err()
	case exited && exit.ExitCode() == unknownDevice:
		hint := fmt.Sprintf("this ocloc may be too old for %s; 'ocloc compile --help' lists the devices that it "+
			"supports", device)
		err = note.Errorf(UnknownDevice, pos, hint, "ocloc does not compile it for %s%s", device, said)
	case exited:
		err = note.Errorf("compiler-error", pos, "", "ocloc does not compile it for %s%s", device, said)
	case err != nil:
		err = note.Errorf("no-ocloc", note.Pos{}, "", "ocloc cannot be started: %v", err)
	case missing != nil:
		err = note.Errorf("compiler-error", pos, "", "ocloc wrote no binary for %s%s", device, said)
	default:
		return binary, text, nil
	}
	return "", "", err
}

// unknownDevice is ocloc's exit status for an unknown device
// (OCLOC_INVALID_DEVICE is -33, which a shell sees as 223).
const unknownDevice = 223

// UnknownDevice is the error's code for a device that this version of the
// compiler does not know.
const UnknownDevice = "compiler-unknown-device"

// messages returns the compiler's output without uninformative lines.
func messages(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, " \r\n")
		if line == "" || line == "Build succeeded." || line == "Compilation from IR - skipping loading of FCL" ||
			strings.HasPrefix(line, "Command was:") {
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
