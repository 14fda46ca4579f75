package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"occudiff/cmd/cli"
	"occudiff/ingest/collect"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/deliver"
	"occudiff/report/lookdoc"
)

// collectFlags are those of collect alone.
type collectFlags struct {
	Dir      string        `flag:"dir" arg:"FOLDER" default:"occudiff-run" help:"new folder for results and exports"`
	Interval time.Duration `flag:"interval" arg:"DURATION" help:"between samples, as in 100us (default: found by a first short run)"`
	GPU      string        `flag:"target-gpu" arg:"ADAPTER" help:"adapter to profile, as VTune writes it: 0:58:0.0 (default: all of them)"`
	Unitrace string        `flag:"unitrace" arg:"WHEN" default:"auto" words:"auto always never" help:"also run unitrace: auto (where it is installed), always, never"`
	Print    bool          `flag:"print" help:"print the commands and run nothing"`
	Job      string        `flag:"job" arg:"SYSTEM" words:"slurm pbs" help:"print a job script instead: slurm or pbs"`

	kept []string // flags for the command that validates
}

// collectCommand goes from the application to the answer.
func (a *app) collectCommand() *cobra.Command {
	f := &collectFlags{}
	return a.command(command{text: "collect", flags: []any{f},
		share: deviceFlags + "tolerance model-tolerance driver vtune-version label progress " +
			"fail-on:never,mismatch,model annotations" + unseenFlags + answerFlags,
		args: cli.Args(1, cli.Many, "nothing to run: give the application behind --, as in 'occudiff collect -- "+
			"./app'"),
		endings: deliver.Endings(".xml"),
		check: func([]string) error {
			if f.Interval < 0 || f.Interval > time.Second {
				return cli.Errorf("--interval %v: expected a time up to a second, as in 100us", f.Interval)
			}
			if f.kept = a.keptFlags(); f.Print || f.Job != "" {
				a.Outputs = nil // they are for another day
			}
			return nil
		},
		answer: func(ctx context.Context, args []string) (*report.Answer, error) {
			o := collect.Options{App: args, Dir: f.Dir, Interval: f.Interval, GPU: f.GPU}
			o.Unitrace = f.Unitrace == "always" ||
				f.Unitrace == "auto" && (f.Print || collect.Found("unitrace") && f.Job == "")
			switch {
			case f.Job != "":
				script, err := collect.Job(o, f.Job, a.validateWords(o, f.kept))
				if err == nil {
					_, err = fmt.Fprint(a.stdout, script)
				}
				return nil, err
			case f.Print:
				return nil, a.printSteps(o, f.kept)
			}
			return a.collect(ctx, o)
		}})
}

func (a *app) collect(ctx context.Context, o collect.Options) (*report.Answer, error) {
	if _, err := os.Stat(o.Dir); err == nil {
		return nil, cli.Errorf("--dir %s exists; give the name of a new folder", o.Dir)
	}
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return nil, cli.Errorf("--dir %s cannot be made: %v", o.Dir, err)
	}
	interval, err := a.interval(ctx, o)
	if err != nil {
		return nil, err
	}
	steps := collect.Steps(o, interval)
	if err := collect.Run(ctx, steps, a.raw); err != nil {
		return nil, err
	}
	a.Sampling, a.samplingSet = interval, true
	var files []string
	for _, s := range steps {
		files = append(files, collect.Written(s)...)
	}
	return a.validatePaths(ctx, files, &validateFlags{})
}

// printSteps prints what collect would run.
func (a *app) printSteps(o collect.Options, kept []string) error {
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
	_, err := fmt.Fprintln(a.stdout, collect.Line(a.validateWords(o, kept)))
	return err
}

// validateWords is the command that reads what a collection wrote.
func (a *app) validateWords(o collect.Options, kept []string) []string {
	interval := cmp.Or(o.Interval, collect.Finest)
	words := []string{"occudiff", "validate", "--sampling-interval", strings.ReplaceAll(interval.String(), "µ", "u")}
	words = append(words, kept...)
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
		unit.Span(unit.Seconds(launch.Seconds())), unit.Span(unit.Seconds(interval.Seconds())))
	if !enough {
		a.say("that is fewer than nine samples per launch: the values contain time between launches")
	}
	return interval, nil
}

// doctorCommand says what is installed for collecting.
func (a *app) doctorCommand() *cobra.Command {
	return a.command(command{text: "doctor", share: answerFlags,
		answer: func(context.Context, []string) (*report.Answer, error) {
			return lookdoc.Doctor(collect.Doctor("/"), collect.Traps(), version()), nil
		}})
}

// keptFlags gives the flags of the command line that are those of validate, too.
func (a *app) keptFlags() (words []string) {
	a.flags.Visit(func(f *pflag.Flag) {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand
		}
		list, several := f.Value.(pflag.SliceValue)
		switch {
		case slices.Contains([]string{"dir", "interval", "target-gpu", "unitrace", "print", "job"}, f.Name):
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name+"="+f.Value.String())
		case several:
			for _, v := range list.GetSlice() {
				words = append(words, name, v)
			}
		default:
			words = append(words, name, f.Value.String())
		}
	})
	return words
}
