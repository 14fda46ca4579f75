package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"occudiff/cmd/cli"
	"occudiff/cmd/program"
	"occudiff/ingest"
	"occudiff/ingest/collect"
	"occudiff/ingest/note"
	"occudiff/ingest/vtune"
	"occudiff/report"
	"occudiff/report/deliver"
	"occudiff/report/setupdoc"
)

// collectFlags are those of collect alone.
type collectFlags struct {
	collect.Options
	print    bool
	job      string
	unitrace string
}

// collectCommand goes from the application to the answer.
func (a *app) collectCommand() *cobra.Command {
	f := collectFlags{Options: collect.Options{Dir: "occudiff-run"}, unitrace: "auto"}
	c := &cobra.Command{
		Use:   "collect [flags] -- APP [ARG...]",
		Short: "Run the profilers with the right settings, export, and validate",
		Long: `Run an application under the profilers with the settings that a comparison needs, export what they
saw, and validate it.

A first short run finds how long a launch takes, and so the sampling interval: with nine samples a
launch, at most a tenth of a value lies outside it. Then VTune's gpu-hotspots collects, its
computing tasks and its summary are exported, and unitrace, where it is installed, tells registers,
SLM and spills of each kernel. The application runs two or three times.

--print shows the commands and runs nothing; --job slurm or pbs prints a job script that does all of
it on a node.`,
		Example: `  # Run, and see what matches; or keep the report
  occudiff collect -- ./app --size 4096
  occudiff collect --dir run1 -o run1.xlsx -- ./app

  # What would be run
  occudiff collect --print -- ./app

  # On a node of a cluster
  occudiff collect --job slurm -- ./app >job.sh`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Errorf("nothing to run: give the application behind --, as in 'occudiff collect -- ./app'")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			f.App = args
			return a.collect(c.Context(), f)
		},
	}
	cli.Define(c.Flags(), []cli.Flag{
		{Name: "dir", Value: &f.Dir, Arg: "FOLDER", Usage: "a new folder for results and exports"},
		{Name: "interval", Value: &f.Interval, Arg: "DURATION",
			Usage: "between samples, as in 100us (default: found by a first short run)"},
		{Name: "target-gpu", Value: &f.GPU, Arg: "ADAPTER", Usage: "the adapter to look at, as VTune writes it: " +
			"0:58:0.0 (default: all of them)"},
		{Name: "unitrace", Value: &f.unitrace, Arg: "WHEN", Words: "auto always never",
			Usage: "also run unitrace: auto (where it is installed), always, never"},
		{Name: "print", Value: &f.print, Usage: "print the commands and run nothing"},
		{Name: "job", Value: &f.job, Arg: "SYSTEM", Words: "slurm pbs",
			Usage: "print a job script instead: slurm or pbs"},
	}...)
	a.Share(c, program.DeviceFlags, "tolerance model-tolerance driver vtune-version label progress",
		program.AnswerFlags)
	a.ShareGate(c, "mismatch", "model")
	return c
}

func (a *app) collect(ctx context.Context, f collectFlags) error {
	f.Unitrace = f.unitrace == "always" || f.unitrace == "auto" && (f.print || collect.Found("unitrace") && f.job == "")
	if f.Interval < 0 || f.Interval > time.Second {
		return cli.Errorf("--interval %v: expected a time up to a second, as in 100us", f.Interval)
	}
	if f.job != "" {
		script, err := collect.Job(f.Options, f.job, a.validateWords(f.Options))
		if err == nil {
			_, err = fmt.Fprint(a.Stdout, script)
		}
		return err
	}
	if f.print {
		return a.printSteps(f.Options)
	}
	if _, err := os.Stat(f.Dir); err == nil {
		return cli.Errorf("--dir %s exists; give the name of a new folder", f.Dir)
	}
	if err := os.MkdirAll(f.Dir, 0o777); err != nil {
		return cli.Errorf("--dir %s cannot be made: %v", f.Dir, err)
	}
	interval, err := a.probe(ctx, f.Options)
	if err != nil {
		return err
	}
	steps := collect.Steps(f.Options, interval)
	if err := collect.Run(ctx, steps, a.Raw); err != nil {
		return err
	}
	a.SetSampling(interval)
	var files []string
	for _, s := range steps {
		files = append(files, collect.Written(s)...)
	}
	return a.validatePaths(ctx, files, program.RunOptions{Digest: "auto"})
}

// printSteps prints what collect would run.
func (a *app) printSteps(o collect.Options) error {
	interval := o.Interval
	var steps []collect.Step
	if interval == 0 {
		interval = collect.Finest
		steps = collect.Probe(o)
	}
	steps = append(steps, collect.Steps(o, interval)...)
	for _, s := range steps {
		if _, err := fmt.Fprintf(a.Stdout, "# %s\n%s\n", s.Why, s); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(a.Stdout, strings.Join(a.validateWords(o), " "))
	return err
}

// validateWords is the command that reads what a collection wrote.
func (a *app) validateWords(o collect.Options) []string {
	interval := o.Interval
	if interval == 0 {
		interval = collect.Finest
	}
	words := []string{"occudiff", "validate", "--sampling-interval", strings.ReplaceAll(interval.String(), "µ", "u")}
	if a.Device != "" {
		words = append(words, "--device", a.Device)
	}
	for _, out := range a.Outputs {
		words = append(words, "-o", out)
	}
	return append(words, stepFiles(collect.Steps(o, interval))...)
}

func stepFiles(steps []collect.Step) []string {
	var files []string
	for _, s := range steps {
		if s.File != "" {
			files = append(files, s.File)
		}
	}
	return files
}

// probe finds the sampling interval by a first short run, unless it was given.
func (a *app) probe(ctx context.Context, o collect.Options) (time.Duration, error) {
	if o.Interval > 0 {
		return o.Interval, nil
	}
	if err := collect.Run(ctx, collect.Probe(o), a.Raw); err != nil {
		return 0, err
	}
	run, err := ingest.Read(ctx, []string{o.ProbeFile()}, ingest.Options{Formats: []ingest.Format{vtune.Format{}}})
	if err != nil {
		return 0, fmt.Errorf("the first short run cannot be read: %w", err)
	}
	launch, task := longestTask(run)
	if launch == 0 {
		return 0, note.Faultf("no-kernel", note.Pos{File: o.ProbeFile()},
			"does the application use the GPU? 'occudiff doctor' looks for what is missing",
			"the first short run saw no kernel")
	}
	interval, enough := collect.IntervalFor(launch)
	a.Say("a launch of %s takes %s: sampling every %s", report.CutMiddle(report.OneLine(task), 40),
		report.Duration(launch.Seconds()), report.Duration(interval.Seconds()))
	if !enough {
		a.Say("that is less than nine samples a launch: what stands between launches stays in the values")
	}
	return interval, nil
}

// exportResults exports the VTune result folders among the paths, and gives the paths with the exports instead. done
// removes them.
func (a *app) exportResults(ctx context.Context, paths []string) (list []string, done func(), err error) {
	done = func() {}
	for _, p := range paths {
		if !isResult(p) {
			list = append(list, p)
			continue
		}
		steps := collect.ExportSteps(p, p)
		if !collect.Found("vtune") {
			return nil, done, note.Faultf("vtune-result", note.Pos{File: p}, "run: "+steps[0].String(),
				"this is a VTune result folder, and vtune is not on PATH to export it")
		}
		temp, err := os.MkdirTemp("", "occudiff-export-")
		if err != nil {
			return nil, done, err
		}
		before := done
		done = func() { before(); os.RemoveAll(temp) }
		dir := filepath.Join(temp, filepath.Base(filepath.Clean(p))) // a run of several is called by its folder
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, done, err
		}
		if err := collect.Run(ctx, collect.ExportSteps(p, dir), a.Raw); err != nil {
			return nil, done, err
		}
		list = append(list, dir)
	}
	return list, done, nil
}

// isResult says whether a folder is a result of VTune: it holds a file with that ending, and no export.
func isResult(path string) bool {
	marks, err := filepath.Glob(filepath.Join(path, "*.vtune"))
	if err != nil || len(marks) == 0 {
		return false
	}
	_, err = os.Stat(filepath.Join(path, "run.hotspots.csv"))
	return errors.Is(err, fs.ErrNotExist)
}

// doctorCommand says what is installed for collecting.
func (a *app) doctorCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Say what is installed for collecting, and what each lack costs",
		Long: `Look for what collecting needs: the profilers, the offline compiler, the GPU's driver and node,
permissions, the metrics library. For each lack: what it costs, and how to get it. Then the traps of
collecting. Predictions and reports need none of it.`,
		Example: "  occudiff doctor\n  occudiff doctor --format json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			out, err := a.OpenOutputs(a.Outputs, deliver.Endings()...)
			if err != nil {
				return err
			}
			defer out.Discard()
			return a.Deliver(setupdoc.Doctor(collect.Doctor("/"), collect.Traps(), program.Version()), out)
		},
	}
	a.Share(c, program.AnswerFlags)
	return c
}

// longestTask gives the mean launch time of the kernel with the most time, and its name.
func longestTask(run *ingest.Run) (launch time.Duration, task string) {
	most := 0.0
	for _, k := range run.Kernels.All() {
		total, timed := k.Total.Value()
		count, counted := k.Instances.Value()
		if !timed || !counted || count < 1 || !k.Global.Present() || float64(total) <= most {
			continue
		}
		most, task = float64(total), k.Task
		launch = time.Duration(float64(total) / float64(count) * float64(time.Second))
	}
	return launch, task
}
