package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/zebin"
	"occudiff/predict/arch"
)

// Read reads binaries, compiles sources, and predicts what is in them.
func Read(ctx context.Context, paths []string, t *arch.Table, opt Options) (kernels []Kernel, notes []note.Note, err error) {
	for _, path := range paths {
		of := readBinary
		if zebin.IsSource(path) {
			of = compileFor
		}
		got, said, err := of(ctx, path, t, opt)
		if err != nil {
			return nil, nil, err
		}
		kernels, notes = append(kernels, got...), append(notes, said...)
	}
	return kernels, notes, nil
}

func readBinary(ctx context.Context, path string, t *arch.Table, opt Options) ([]Kernel, []note.Note, error) {
	images, err := zebin.ReadPath(ctx, path)
	if err != nil {
		return nil, nil, cmp.Or(ptxas(path), err)
	}
	return predictImages(images, t, opt)
}

// usedRegisters is a kernel in the output of `ptxas -v`, with its static shared memory.
var usedRegisters = regexp.MustCompile(`Compiling entry function '([^']+)'[^@]*?Used (\d+) registers(?:[^\n]*?(\d+)(?:\+\d+)? bytes smem)?`)

// ptxas says what to type for the output of `ptxas -v`, whose registers another model takes; nil for other files. A
// register has four bytes per work-item.
func ptxas(path string) error {
	data, err := os.ReadFile(path)
	kernel := usedRegisters.FindSubmatch(data[:min(len(data), 1<<20)])
	if err != nil || kernel == nil {
		return nil
	}
	registers, _ := strconv.Atoi(string(kernel[2]))
	slm := ""
	if len(kernel[3]) > 0 {
		slm = " --slm " + string(kernel[3])
	}
	return note.Faultf("ptxas", note.Pos{File: path}, fmt.Sprintf("occudiff predict --model compute-unit --platform rtx2080ti "+
		"--simd 32 --local N --registers %d%s", 4*registers, slm),
		"this is what ptxas -v says: %s uses %d registers of 4 bytes per work-item; a model of its own takes them",
		names.Display(string(kernel[1])), registers)
}

// compileFor compiles a source for the devices that were asked for, or for all that the installed compiler knows, and
// predicts the kernels of each.
func compileFor(ctx context.Context, source string, t *arch.Table, opt Options) (kernels []Kernel, notes []note.Note, err error) {
	compiler, err := zebin.FindCompiler()
	if err != nil {
		return nil, nil, err
	}
	targets := arch.CompilerTargets(t, opt.Devices)
	if len(targets) == 0 {
		return nil, nil, note.Faultf("usage", note.Pos{}, "",
			"ocloc has no name for %s; compile for it yourself and give the binary", opt.Devices[0].Key)
	}
	dir, err := os.MkdirTemp("", "occudiff-ocloc-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	// A place for each, so that the order is that of the targets and not that in which compilations end.
	results := make([]compiled, len(targets))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2) // a compilation takes a core and a few hundred MB
	for i, target := range targets {
		group.Go(func() error {
			c, of := &results[i], opt
			of.Devices = target.Devices
			c.images, c.warnings, c.err = compileOne(ctx, compiler, source, target.Name, opt.Compiler, filepath.Join(dir, target.Name))
			if c.err == nil {
				c.kernels, c.notes, c.err = predictImages(c.images, t, of)
			}
			return ctx.Err() // what does not compile for one device does for others, which are an answer
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	var failed error
	warned := false
	for i, r := range results {
		if r.err != nil {
			// An older compiler knows fewer devices, which is worth a word where they were asked for.
			fault, _ := errors.AsType[*note.Fault](r.err)
			unknown := fault != nil && fault.Code == zebin.UnknownDevice
			if failed == nil || !unknown {
				failed = r.err
			}
			if !unknown || len(opt.Devices) > 0 {
				notes = append(notes, notCompiled(source, targets[i].Devices, r.err, unknown))
			}
			continue
		}
		// The compiler says the same for each device.
		if r.warnings != "" && !warned {
			warned = true
			notes = append(notes, note.Note{Severity: note.Warning, Code: "compiler", Pos: note.Pos{File: source},
				Text: "the compiler says for " + targets[i].Name + ": " + r.warnings})
		}
		kernels, notes = append(kernels, r.kernels...), append(notes, r.notes...)
	}
	switch {
	case len(kernels) == 0 && failed != nil:
		return nil, nil, failed
	case len(kernels) == 0:
		return nil, nil, note.Faultf("no-kernels", note.Pos{File: source}, "", "ocloc compiled no kernel of it for any device")
	}
	for _, d := range opt.Devices { // one of several that the compiler has no name for
		if !slices.ContainsFunc(targets, func(c arch.CompilerTarget) bool { return slices.Contains(c.Devices, d) }) {
			notes = append(notes, notCompiled(source, []*arch.Device{d}, nil, true))
		}
	}
	return kernels, notes, nil
}

// compiled is what became of a source for one device.
type compiled struct {
	images   []zebin.Image
	warnings string
	kernels  []Kernel
	notes    []note.Note
	err      error
}

// NotCompiled is the code of the note that a source did not compile for a device.
const NotCompiled = "not-compiled"

// notCompiled says for which devices a source did not compile, and why in the compiler's first words.
func notCompiled(source string, devices []*arch.Device, err error, unknown bool) note.Note {
	n := note.Note{Severity: note.Warning, Code: NotCompiled, Pos: note.Pos{File: source},
		Text: fmt.Sprintf("not compiled for %s: this ocloc does not know it", keys(devices)),
		Hint: "'ocloc compile --help' lists what it knows; a newer one knows more"}
	if fault, ok := errors.AsType[*note.Fault](err); ok && !unknown {
		_, why, _ := strings.Cut(fault.Text, ":\n")
		why, _, _ = strings.Cut(why, "\n")
		n.Severity, n.Text = note.Error, fmt.Sprintf("not compiled for %s: %s", keys(devices), strings.TrimPrefix(why, "error: "))
		n.Hint = "name it alone with --device to see all that the compiler says"
	}
	return n
}

func compileOne(ctx context.Context, compiler, source, target, options, dir string) (images []zebin.Image, warnings string, err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, "", err
	}
	path, warnings, err := zebin.Compile(ctx, compiler, source, target, options, dir)
	if err != nil {
		return nil, warnings, err
	}
	images, err = zebin.ReadPath(ctx, path)
	for i := range images {
		images[i].Pos.File = source
	}
	return images, warnings, err
}

// HoldsKernels says whether a path is a kernel binary, a source for the compiler, or a folder that holds binaries and no
// profiler output: then diff compares compilations instead of runs.
func HoldsKernels(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	if info.IsDir() {
		if exports, _ := filepath.Glob(filepath.Join(path, "*.[ch][st][vm]*")); len(exports) > 0 {
			return false // .csv and .html: profiler output that happens to have binaries beside it
		}
		images, err := zebin.ReadPath(context.Background(), path)
		return err == nil && len(images) > 0
	}
	return zebin.IsSource(path) || zebin.IsFile(path)
}
