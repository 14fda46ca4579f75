package collect

import (
	"cmp"
	"context"
	_ "embed" // for common_mistakes.txt
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/vtune"
)

// Run runs the steps one after the other. It writes what the programs print to
// out, because it is not a result. The application gets this process's
// environment and standard input. Run stops at the first step that fails and
// returns its error.
func Run(ctx context.Context, steps []Step, out io.Writer) error {
	for _, s := range steps {
		path, err := exec.LookPath(s.Args[0])
		if err != nil {
			hint := ""
			for _, p := range programs() {
				if p.Name == s.Args[0] {
					hint = p.Install
				}
			}
			return note.Errorf("not-installed", note.Pos{}, hint, "%s is not on PATH", s.Args[0])
		}
		fmt.Fprintf(out, "%s: %s\n", s.Why, ingest.HideSecrets(s.String()))
		cmd := exec.CommandContext(ctx, path, s.Args[1:]...)
		cmd.Stdout, cmd.Stderr = out, out
		cmd.WaitDelay = 10 * time.Second
		err = cmd.Run()
		exit, exited := errors.AsType[*exec.ExitError](err)
		switch {
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case exited:
			return note.Errorf("collector-failed", note.Pos{}, "'occudiff collect --check' lists what is missing",
				"%s exited with status %d: %s", s.Args[0], exit.ExitCode(), ingest.HideSecrets(s.String()))
		case err != nil:
			return note.Errorf("collector-failed", note.Pos{}, "", "%s cannot be started: %v", s.Args[0], err)
		case s.File != "" && len(OutputFiles(s)) == 0:
			return note.Errorf("no-export", note.InFile(s.File), "look at what it printed above",
				"%s succeeded but wrote nothing", s.Args[0])
		}
	}
	return nil
}

// OutputFiles returns the files that a step wrote, without empty files.
func OutputFiles(s Step) []string {
	dir := filepath.Dir(s.File) // not part of the pattern, even if it contains special characters
	files, _ := fs.Glob(os.DirFS(dir), filepath.Base(s.File))
	for i := range files {
		files[i] = below(dir, files[i])
	}
	return slices.DeleteFunc(files, func(f string) bool {
		info, err := os.Stat(f)
		return err != nil || info.Size() == 0
	})
}

// programs returns the programs that a collection may need, the most important
// first.
func programs() []Check {
	look := func(name, costs, get string) Check {
		path, _ := exec.LookPath(name) // empty if there is an error
		return check(name, path, costs, get)
	}
	return []Check{
		look("vtune", "no counters: nothing is measured",
			"install Intel VTune Profiler (oneAPI base toolkit) and source its vars.sh"),
		look("unitrace", "registers, SLM, and spills of kernels are unknown, and single launches are not measured",
			"build it from intel/pti-gpu, tools/unitrace"),
		look("ocloc", "kernels cannot be predicted from source files",
			"install the distribution's package intel-ocloc or intel-opencl-icd"),
	}
}

// IsInstalled reports whether a program is on PATH.
func IsInstalled(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// A Check is one requirement for a collection.
type Check struct {
	Name    string
	OK      bool
	Found   string // path or setting that was found
	Impact  string // effect if it is missing; otherwise empty
	Install string // how to install it; empty if it was found
}

// check returns a passed check if something was found. Otherwise it returns the
// effect and how to install what is missing.
func check(name, found, costs, get string) Check {
	if found != "" {
		return Check{Name: name, OK: true, Found: found}
	}
	return Check{Name: name, Impact: costs, Install: get}
}

// CheckTools returns the state of each requirement of a collection. root is the
// root of the file system: "/" except in tests.
func CheckTools(root string) []Check {
	root = strings.TrimSuffix(root, "/")
	list := append(programs(), check("GPU driver", strings.TrimPrefix(first(root, "/sys/module/xe", "/sys/module/i915"),
		"/sys/module/"), "there is no Intel GPU to measure; predictions do not need one",
		"load the kernel module xe or i915"), render(root), setting(root, "kernel/yama/ptrace_scope", "ptrace scope",
		"VTune cannot attach to a process that is already running"))
	for _, path := range []string{"dev/i915/perf_stream_paranoid", "dev/xe/observation_paranoid"} {
		if first(root, "/proc/sys/"+path) != "" {
			module := strings.Split(path, "/")[1]
			list = append(list, setting(root, path, module+" counters for users", "only root sees GPU counters"))
		}
	}
	return append(list, library(root))
}

// first returns the first path that exists, or an empty string.
func first(root string, paths ...string) string {
	for _, p := range paths {
		if _, err := os.Stat(root + p); err == nil {
			return p
		}
	}
	return ""
}

// render returns the check whether the user may open a GPU's device node.
func render(root string) Check {
	for n := 128; n < 144; n++ {
		path := fmt.Sprintf("/dev/dri/renderD%d", n)
		f, err := os.OpenFile(root+path, os.O_RDWR, 0)
		switch {
		case err == nil:
			f.Close()
			return check("render node", path, "", "")
		case errors.Is(err, os.ErrPermission):
			return check("render node", "", "this user may not use the GPU ("+path+")",
				"add the user to the groups render and video")
		}
	}
	return check("render node", "", "no GPU is visible here",
		"run on a node with a GPU, or pass /dev/dri into the container")
}

// setting returns the check that a kernel setting is 0. A setting that does not
// exist restricts nothing.
func setting(root, name, what, costs string) Check {
	path := "/proc/sys/" + name
	text, err := os.ReadFile(root + path)
	switch got := strings.TrimSpace(string(text)); {
	case err != nil:
		return check(what, "not limited here", "", "")
	case got == "0":
		return check(what, path+" is 0", "", "")
	default:
		return check(what, "", costs+" ("+path+" is "+got+")", "sysctl "+strings.ReplaceAll(name, "/", ".")+"=0")
	}
}

// library returns the check for Intel's metrics library. Without it, no
// profiler sees any counter.
func library(root string) Check {
	found := ""
	for _, dir := range []string{"/usr/lib/x86_64-linux-gnu/", "/usr/lib64/", "/usr/lib/", "/usr/local/lib/",
		"/usr/local/lib64/"} {
		found = cmp.Or(found, first(root, dir+"libigdmd.so.1", dir+"libigdmd.so"))
	}
	return check("libigdmd", found, "the profilers see no GPU counters",
		"install intel-metrics-discovery (package libigdmd or metrics-discovery of the distribution)")
}

//go:embed common_mistakes.txt
var commonMistakes string

// CommonMistakes returns mistakes that make a collection less useful, for
// people who write their own commands.
func CommonMistakes() []string { return strings.Split(strings.TrimSpace(commonMistakes), "\n") }

// ExportResults exports the VTune result folders among the paths if vtune is on
// PATH. It replaces each by a temporary folder with the exports and a link to
// the result, so that the tables come from VTune and the result adds the rest.
// The function done removes these folders.
//
// The output of the programs goes to out. A result that cannot be exported
// keeps its own path.
func ExportResults(ctx context.Context, paths []string, out io.Writer) (list []string, done func(), err error) {
	done = func() {}
	for _, p := range paths {
		if !needsExport(p) || !IsInstalled("vtune") {
			list = append(list, p)
			continue
		}
		temp, err := os.MkdirTemp("", "occudiff-export-")
		if err != nil {
			return nil, done, err
		}
		before := done
		done = func() { before(); os.RemoveAll(temp) }
		// a run is named after its folder if there are several
		dir := filepath.Join(temp, filepath.Base(filepath.Clean(p)))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, done, err
		}
		if err := Run(ctx, exportSteps(p, dir), out); err != nil {
			if ctx.Err() != nil {
				return nil, done, err
			}
			fmt.Fprintf(out, "occudiff: %v; the result folder is read without this export\n", err)
			dir = p
		} else if whole, err := filepath.Abs(p); err == nil {
			// on systems without links, only the exports are read
			_ = os.Symlink(whole, filepath.Join(dir, filepath.Base(dir)))
		}
		list = append(list, dir)
	}
	return list, done, nil
}

// needsExport reports whether a folder is a VTune result without an export.
func needsExport(path string) bool {
	_, err := os.Stat(filepath.Join(path, "run.hotspots.csv"))
	return errors.Is(err, fs.ErrNotExist) && ingest.IsResult(path)
}

// RunProbe returns the kernel with the largest total time in the short first
// run, and its mean launch duration.
func RunProbe(ctx context.Context, o Options, out io.Writer) (launch time.Duration, task string, err error) {
	if err := Run(ctx, Probe(o), out); err != nil {
		return 0, "", err
	}
	run, err := ingest.Read(ctx, []string{o.probeFile()}, ingest.Options{Formats: []ingest.Format{vtune.Format}})
	if err != nil {
		return 0, "", fmt.Errorf("the first short run cannot be read: %w", err)
	}
	most := 0.0
	for _, k := range run.Kernels {
		n := k.Instances.Or(0)
		if total := float64(k.Total.Or(0)); n >= 1 && k.Global.Present() && total > most {
			most, task = total, k.Task
			launch = time.Duration(total / float64(n) * float64(time.Second))
		}
	}
	if launch == 0 {
		return 0, "", note.Errorf("no-kernel", note.InFile(o.probeFile()),
			"make sure that the application uses the GPU; 'occudiff collect --check' lists what is missing",
			"the first short run saw no kernel")
	}
	return launch, task, nil
}
