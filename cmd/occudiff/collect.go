package main

import (
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
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// collectFlags are the flags of collect.
type collectFlags struct {
	Dir      string        `flag:"dir" arg:"FOLDER" default:"occudiff-run" help:"new folder for results and exports"`
	Interval time.Duration `flag:"interval" arg:"DURATION" range:"0 1 a time up to a second, for example 100us" help:"time between samples, for example 100us (default: from a short first run)"`
	GPU      string        `flag:"target-gpu" arg:"ADAPTER" help:"adapter to profile, in VTune's form: 0:58:0.0 (default: all of them)"`
	Unitrace string        `flag:"unitrace" arg:"WHEN" default:"auto" words:"auto always never" help:"also run unitrace: auto (if it is installed), always, never"`
	Print    bool          `flag:"print" help:"print the commands without running them"`
	Check    bool          `flag:"check" help:"check what is installed for collecting, without running anything"`
	Job      string        `flag:"job" arg:"SYSTEM" words:"slurm pbs" help:"print a job script instead: slurm or pbs"`

	kept, outputs []string // flags and outputs that the printed validate command has
}

// collectCommand returns the command that runs an application and validates its
// profile. The command has no flag --sampling-interval, because it sets the
// sampling interval itself.
func (a *app) collectCommand() *cobra.Command {
	f := &collectFlags{}
	return a.command(command{text: "collect", flags: []any{f},
		share: deviceFlags + "tolerance driver label progress -kernel " +
			"fail-on:never,mismatch,model annotations" + unseenFlags + outputFlags,
		args: func(c *cobra.Command, args []string) error {
			if f.Check {
				return cli.Args(0, 0, "--check runs no application: leave it out")(c, args)
			}
			return cli.Args(1, cli.Unlimited,
				"nothing to run: give the application after --, for example 'occudiff collect -- ./app'")(c, args)
		},
		endings: fileEndings(".xml"),
		check: func(args []string) error {
			if f.Check {
				a.endings = fileEndings()
				return cli.RejectFlags(a.flags, "--check, which runs nothing",
					"dir interval target-gpu unitrace print job "+
						"device xve device-file tolerance driver label fail-on annotations allow-unreadable allow-unjudged")
			}
			// unitrace reads options up to the first word that is not an option.
			if strings.HasPrefix(args[0], "-") {
				return cli.Errorf("unitrace would read the application %s as an option: write ./%[1]s", args[0])
			}
			// A job script runs collect again, with the job number in the names
			// of the folder and the outputs, so it keeps the flags for
			// collecting. Printed commands end with validate, which does not
			// have these flags.
			if f.Job != "" {
				f.kept = a.keptFlags("dir", "output", "print", "job")
			} else {
				f.kept = a.keptFlags("dir", "interval", "target-gpu", "unitrace", "print")
			}
			if f.Print || f.Job != "" {
				f.outputs, a.Outputs = a.Outputs, nil // not written now, because the printed commands run later
			}
			return nil
		},
		run: func(ctx context.Context, args []string) (*report.Output, error) {
			if f.Check {
				return predictdoc.ToolChecks(collect.CheckTools("/"), collect.CommonMistakes()), nil
			}
			device, err := a.namedDevice()
			if err != nil {
				return nil, err
			}
			o := collect.Options{App: args, Dir: f.Dir, Interval: f.Interval, GPU: f.GPU}
			o.FullCompute = len(device) == 0 || device[0].IsBeforeXe()
			// Printed commands may run on another machine, so it does not
			// matter whether unitrace is installed on this machine.
			o.Unitrace = f.Unitrace == "always" || f.Unitrace == "auto" && (f.Print || collect.IsInstalled("unitrace"))
			switch {
			case f.Job != "":
				_, err := fmt.Fprint(a.stdout, collect.Job(f.Job, o, f.outputs, f.kept))
				return nil, err
			case f.Print:
				return nil, a.printSteps(o, f.kept)
			}
			return a.collect(ctx, o)
		}})
}

// collect profiles the application into a new folder and validates the
// resulting files. execute has already opened the outputs, so an output that
// cannot be written is detected before the application runs.
func (a *app) collect(ctx context.Context, o collect.Options) (*report.Output, error) {
	// A folder contains one run, so existing files would belong to a different
	// run.
	if _, err := os.Stat(o.Dir); err == nil {
		return nil, cli.Errorf("--dir %s exists already; give the name of a new folder", o.Dir)
	}
	if err := os.MkdirAll(o.Dir, 0o777); err != nil {
		return nil, cli.Errorf("--dir %s cannot be created: %v", o.Dir, err)
	}
	interval, err := a.interval(ctx, o)
	if err != nil {
		return nil, err
	}
	steps := collect.Steps(o, interval)
	if err := collect.Run(ctx, steps, a.raw); err != nil {
		return nil, err
	}
	// The sampling interval is known, because the collection used it.
	a.Sampling, a.samplingSet = interval, true
	var files []string
	for _, s := range steps {
		files = append(files, collect.OutputFiles(s)...)
	}
	// Only the files that the profilers wrote are validated, because the
	// application may write other files into the folder.
	return a.validatePaths(ctx, files, &validateFlags{})
}

// printSteps prints the commands that collect would run.
func (a *app) printSteps(o collect.Options, kept []string) error {
	// Without --interval, collect would determine the interval in a short run.
	// When commands are only printed, nothing runs, so they contain the finest
	// interval and a note about it.
	interval := o.Interval
	var steps []collect.Step
	if interval == 0 {
		interval = collect.ShortestInterval
		steps = collect.Probe(o)
	}
	collection := collect.Steps(o, interval)
	if o.Interval == 0 {
		collection[0].Why += "\n# For gpu-sampling-interval, use a ninth of the time of a launch, " +
			"between 0.1 and 1 ms. Without --print, occudiff collect measures it."
	}
	for _, s := range append(steps, collection...) {
		if _, err := fmt.Fprintf(a.stdout, "# %s\n%s\n", s.Why, s); err != nil {
			return err
		}
	}
	words := []string{"occudiff", "validate", "--sampling-interval", strings.ReplaceAll(interval.String(), "µ", "u")}
	words = append(words, kept...)
	_, err := fmt.Fprintln(a.stdout, note.CommandLine(words...), strings.Join(collect.Files(collection), " "))
	return err
}

// interval returns the given sampling interval. If none was given, it
// determines the interval in a short first run.
func (a *app) interval(ctx context.Context, o collect.Options) (time.Duration, error) {
	if o.Interval > 0 {
		return o.Interval, nil
	}
	launch, task, err := collect.RunProbe(ctx, o, a.raw)
	if err != nil {
		return 0, err
	}
	interval, enough := collect.IntervalFor(launch)
	a.printMessage("a launch of %s takes %s: sampling every %s", report.CutMiddle(report.OneLine(task), 40),
		unit.FormatDuration(unit.Seconds(launch.Seconds())), unit.FormatDuration(unit.Seconds(interval.Seconds())))
	if !enough {
		a.printMessage("that is fewer than nine samples per launch: the values contain time between launches")
	}
	return interval, nil
}

// keptFlags returns the flags of the command line except the flags in but, in a
// form that a shell and pflag can read. A bool needs =, because otherwise its
// value would be read as an argument. For a list, the flag is repeated, because
// values may contain commas. Durations have us instead of µs, which is not
// ASCII. Values from settings are not included.
func (a *app) keptFlags(but ...string) (words []string) {
	a.flags.Visit(func(f *pflag.Flag) {
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand
		}
		list, several := f.Value.(pflag.SliceValue)
		switch {
		case slices.Contains(but, f.Name):
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name+"="+f.Value.String())
		case f.Value.Type() == "duration":
			words = append(words, name, strings.ReplaceAll(f.Value.String(), "µ", "u"))
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
