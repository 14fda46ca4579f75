package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/ingest/collect"
	"occudiff/report"
	"occudiff/report/deliver"
	"occudiff/report/lookdoc"
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
		Long: `Run an application under the profilers with the settings that a comparison needs, export the
results, and validate them.

A short first run measures how long a launch takes and sets the sampling interval: with nine samples
per launch, at most a tenth of a value comes from outside the launch. Then VTune's gpu-hotspots
analysis runs, and its computing tasks and summary are exported. If unitrace is installed, it adds
registers, SLM and spills of each kernel. The application runs two or three times.

--print shows the commands without running them. --job slurm or pbs prints a job script that does
the same on a node.`,
		Example: `  # Collect and validate, and keep the report
  occudiff collect -- ./app --size 4096
  occudiff collect --dir run1 -o run1.xlsx -- ./app

  # Show the commands
  occudiff collect --print -- ./app

  # On a node of a cluster
  occudiff collect --job slurm -- ./app >job.sh`,
		Args: cli.Args(1, cli.Many, "nothing to run: give the application behind --, as in 'occudiff collect -- "+
			"./app'"),
		RunE: func(c *cobra.Command, args []string) error {
			f.App = args
			return a.collect(c.Context(), f)
		},
	}
	cli.Define(c.Flags(), []cli.Flag{
		{Name: "dir", Value: &f.Dir, Arg: "FOLDER", Usage: "new folder for results and exports"},
		{Name: "interval", Value: &f.Interval, Arg: "DURATION",
			Usage: "between samples, as in 100us (default: found by a first short run)"},
		{Name: "target-gpu", Value: &f.GPU, Arg: "ADAPTER", Usage: "adapter to profile, as VTune writes it: 0:58:0.0 " +
			"(default: all of them)"},
		{Name: "unitrace", Value: &f.unitrace, Arg: "WHEN", Words: "auto always never",
			Usage: "also run unitrace: auto (where it is installed), always, never"},
		{Name: "print", Value: &f.print, Usage: "print the commands and run nothing"},
		{Name: "job", Value: &f.job, Arg: "SYSTEM", Words: "slurm pbs",
			Usage: "print a job script instead: slurm or pbs"},
	}...)
	a.share(c, deviceFlags, "tolerance model-tolerance driver vtune-version label progress",
		answerFlags)
	a.shareGate(c, "mismatch", "model")
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
			_, err = fmt.Fprint(a.stdout, script)
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
	interval, err := a.interval(ctx, f.Options)
	if err != nil {
		return err
	}
	steps := collect.Steps(f.Options, interval)
	if err := collect.Run(ctx, steps, a.raw); err != nil {
		return err
	}
	a.setSampling(interval)
	var files []string
	for _, s := range steps {
		files = append(files, collect.Written(s)...)
	}
	return a.validatePaths(ctx, files, runOptions{digest: "auto"})
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
		if _, err := fmt.Fprintf(a.stdout, "# %s\n%s\n", s.Why, s); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(a.stdout, strings.Join(a.validateWords(o), " "))
	return err
}

// validateWords is the command that reads what a collection wrote.
func (a *app) validateWords(o collect.Options) []string {
	interval := cmp.Or(o.Interval, collect.Finest)
	words := []string{"occudiff", "validate", "--sampling-interval", strings.ReplaceAll(interval.String(), "µ", "u")}
	if a.device != "" {
		words = append(words, "--device", a.device)
	}
	for _, out := range a.outputs {
		words = append(words, "-o", out)
	}
	for _, s := range collect.Steps(o, interval) {
		if s.File != "" {
			words = append(words, s.File)
		}
	}
	return words
}

// interval finds the sampling interval by a first short run, unless it was given.
func (a *app) interval(ctx context.Context, o collect.Options) (time.Duration, error) {
	if o.Interval > 0 {
		return o.Interval, nil
	}
	launch, task, err := collect.RunProbe(ctx, o, a.raw)
	if err != nil {
		return 0, err
	}
	interval, enough := collect.IntervalFor(launch)
	a.say("a launch of %s takes %s: sampling every %s", report.CutMiddle(report.OneLine(task), 40),
		report.Duration(launch.Seconds()), report.Duration(interval.Seconds()))
	if !enough {
		a.say("that is fewer than nine samples per launch: the values contain time between launches")
	}
	return interval, nil
}

// doctorCommand says what is installed for collecting.
func (a *app) doctorCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check what is installed for collecting, and say what to install",
		Long: `Look for everything that collecting needs: the profilers, the offline compiler, the GPU's driver and
device node, permissions, and the metrics library. For each thing that is missing, doctor says what
you lose without it and how to get it. It also lists the common mistakes in collecting. Predictions
and reports need none of this.`,
		Example: "  occudiff doctor\n  occudiff doctor --format json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.answer(deliver.Endings(), func() (*report.Answer, error) {
				return lookdoc.Doctor(collect.Doctor("/"), collect.Traps(), version()), nil
			})
		},
	}
	a.share(c, answerFlags)
	return c
}
