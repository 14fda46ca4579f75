package collect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"occudiff/ingest/note"
)

// Run runs steps one after the other. What the programs print goes to out: none of it is a result. The application sees
// the environment and the standard input of a command of its own. The first step that fails ends it.
func Run(ctx context.Context, steps []Step, out io.Writer) error {
	for _, s := range steps {
		path, err := exec.LookPath(s.Args[0])
		if err != nil {
			return note.Faultf("not-installed", note.Pos{}, hintFor(s.Args[0]), "%s is not on PATH", s.Args[0])
		}
		fmt.Fprintf(out, "%s: %s\n", s.Why, s)
		cmd := exec.CommandContext(ctx, path, s.Args[1:]...)
		cmd.Stdout, cmd.Stderr = out, out
		cmd.WaitDelay = 10 * time.Second
		if err := cmd.Run(); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return failed(s, err)
		}
		if s.File == "" {
			continue
		}
		if len(Written(s)) == 0 {
			return note.Faultf("no-export", note.Pos{File: s.File}, "look at what it printed above",
				"%s succeeded but wrote nothing", s.Args[0])
		}
	}
	return nil
}

// Written gives the files that a step wrote, empty ones left out.
func Written(s Step) []string {
	files, err := filepath.Glob(s.File)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(files, func(f string) bool {
		info, err := os.Stat(f)
		return err != nil || info.Size() == 0
	})
}

func failed(s Step, err error) error {
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return note.Faultf("collector-failed", note.Pos{}, "'occudiff doctor' looks for what is missing",
			"%s exited with status %d: %s", s.Args[0], exit.ExitCode(), s)
	}
	return note.Faultf("collector-failed", note.Pos{}, "", "%s cannot be started: %v", s.Args[0], err)
}

func hintFor(program string) string {
	for _, p := range programs() {
		if p.name == program {
			return p.get
		}
	}
	return ""
}

// program is something that collecting may need.
type program struct {
	name, costs, get string
}

// programs lists them, the most important first.
func programs() []program {
	return []program{
		{"vtune", "no counters: nothing is measured", "install Intel VTune Profiler (oneAPI base toolkit) and source " +
			"its vars.sh"},
		{"unitrace", "registers, SLM and spills of kernels are unknown, and no launch is measured on its own",
			"build it from intel/pti-gpu, tools/unitrace"},
		{"ocloc", "kernels cannot be predicted from source files",
			"install intel-ocloc or intel-opencl-icd of the distribution"},
	}
}

// Found says whether a program is on PATH.
func Found(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// Check is one thing that doctor looked at.
type Check struct {
	Name  string
	OK    bool
	Found string // what is there
	Costs string // what the lack costs; empty when it is there
	Get   string // how to get it; empty when it is there
}

// Doctor looks for everything that collecting needs. root is the root of the file system, "/" but in tests.
func Doctor(root string) []Check {
	var list []Check
	for _, p := range programs() {
		c := Check{Name: p.name}
		if path, err := exec.LookPath(p.name); err == nil {
			c.OK, c.Found = true, path
		} else {
			c.Costs, c.Get = p.costs, p.get
		}
		list = append(list, c)
	}
	at := func(path string) string { return strings.TrimSuffix(root, "/") + path }
	list = append(list, driver(at), render(at), number(at, "/proc/sys/kernel/yama/ptrace_scope", "ptrace scope", "0",
		"VTune cannot attach to a process that is already running", "sysctl kernel.yama.ptrace_scope=0"))
	for _, module := range []string{"i915", "xe"} {
		path := "/proc/sys/dev/" + module + "/perf_stream_paranoid"
		if module == "xe" {
			path = "/proc/sys/dev/xe/observation_paranoid"
		}
		if _, err := os.Stat(at(path)); err == nil {
			list = append(list, number(at, path, module+" counters for users", "0",
				"only root sees GPU counters", "sysctl "+strings.ReplaceAll(strings.TrimPrefix(path, "/proc/sys/"), "/",
					".")+"=0"))
		}
	}
	return append(list, library(at))
}

func driver(at func(string) string) Check {
	c := Check{Name: "GPU driver"}
	for _, module := range []string{"xe", "i915"} {
		if _, err := os.Stat(at("/sys/module/" + module)); err == nil {
			c.OK, c.Found = true, module
			return c
		}
	}
	c.Costs = "there is no Intel GPU to measure; predictions do not need one"
	c.Get = "load the kernel module xe or i915"
	return c
}

func render(at func(string) string) Check {
	c := Check{Name: "render node"}
	for n := 128; n < 144; n++ {
		path := fmt.Sprintf("/dev/dri/renderD%d", n)
		if f, err := os.OpenFile(at(path), os.O_RDWR, 0); err == nil {
			f.Close()
			c.OK, c.Found = true, path
			return c
		} else if errors.Is(err, os.ErrPermission) {
			c.Costs, c.Get = "this user may not use the GPU ("+path+")", "add the user to the groups render and video"
			return c
		}
	}
	c.Costs, c.Get = "no GPU is visible here", "run on a node with a GPU, or pass /dev/dri into the container"
	return c
}

func number(at func(string) string, path, name, want, costs, get string) Check {
	c := Check{Name: name}
	text, err := os.ReadFile(at(path))
	got := strings.TrimSpace(string(text))
	switch {
	case err != nil:
		c.OK, c.Found = true, "not limited here"
	case got == want:
		c.OK, c.Found = true, path+" is "+got
	default:
		c.Costs, c.Get = costs+" ("+path+" is "+got+")", get
	}
	return c
}

// library looks for Intel's metrics library, without which neither profiler sees a counter.
func library(at func(string) string) Check {
	c := Check{Name: "libigdmd"}
	for _, dir := range []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib",
		"/usr/local/lib64"} {
		for _, name := range []string{"libigdmd.so.1", "libigdmd.so"} {
			if _, err := os.Stat(at(dir + "/" + name)); err == nil {
				c.OK, c.Found = true, dir+"/"+name
				return c
			}
		}
	}
	c.Costs, c.Get = "the profilers see no GPU counters", "install intel-metrics-discovery (package libigdmd or "+
		"metrics-discovery of the distribution)"
	return c
}

// Traps are what makes a collection say less than it could, for people who write their own commands.
func Traps() []string {
	return []string{
		"gpu-sampling-interval: at the default of 1 ms, one sample covers many short launches. With nine samples per " +
			"launch, at most a tenth of a value comes from between launches; 'occudiff collect' finds the interval " +
			"with a short first run.",
		"Wrappers: VTune follows child processes, so mpirun or a shell script in front of the application is " +
			"profiled, too. If the application starts others, -no-follow-child limits the collection to it.",
		"Several stacks: with ZE_FLAT_DEVICE_HIERARCHY=FLAT, the default of newer drivers, each stack is a device " +
			"and the counters are of one stack; with COMPOSITE they are of the whole GPU. Predict for the one that " +
			"you used (max1550 or max1550-1t).",
		"Several GPUs: without -knob target-gpu the occupancy is the mean over all of them, including idle ones.",
		"Times: with -q, unitrace reads the counters around each launch, which makes every launch longer; take times " +
			"from another run.",
	}
}
