package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"occudiff/compare"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// The exit statuses; see README.md.
const (
	exitDone  = 0 // also with mismatches, bad rows, a run that is stored already
	exitGate  = 1 // a gate that was asked for failed
	exitUsage = 2 // bad usage or no usable input
)

// app is one run of the program: its streams and the flags that all commands share.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	args           []string // as given, for the provenance of reports

	device     string
	xve        int
	deviceFile string
	outputs    []string
	format     string
	tolerance  float64
	modelTol   float64
	sampling   time.Duration
	driver     string
	vtune      string
	label      string
	failOn     string
	annotate   bool
	progress   string
	color      string
	quiet      bool

	samplingSet bool
	reads       []string     // the paths that the command reads
	stopped     func() error // whether the work was called off
	devices     *arch.Table  // once it was asked for
}

// gateError means that everything worked and a gate that was asked for failed.
type gateError struct{ text string }

func (e *gateError) Error() string { return e.text }

// usageErrorf is an error of usage, with what to do in its text.
func usageErrorf(format string, args ...any) error {
	return note.Faultf("usage", note.Pos{}, "", format, args...)
}

// run executes the command line and gives the exit status.
func (a *app) run(ctx context.Context, args []string) int {
	a.args = args
	a.maskSecrets()
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := execute(ctx, root)
	var gate *gateError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errStuck):
		fmt.Fprintln(a.stderr, "occudiff: interrupted;", err)
		return exitUsage
	case errors.As(err, &gate):
		fmt.Fprintln(a.stderr, "occudiff:", gate.text)
		return exitGate
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(a.stderr, "occudiff: interrupted; nothing was written")
		return exitUsage
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintln(a.stderr, "occudiff:", line)
	}
	return exitUsage
}

// patience is how long a command that was called off may take to come to an end: a few files are read without looking at the
// context, and one of them may be a pipe that nobody writes to.
const patience = 3 * time.Second

var errStuck = errors.New("what was under way did not come to an end and was given up")

// execute runs the command, and gives up on it when it is called off and does not come to an end.
func execute(ctx context.Context, root *cobra.Command) error {
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return errStuck
	}
}

// rootCommand builds the command tree, a file per command.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "occudiff",
		Short: "Line predicted GPU occupancy up with what VTune measured, and say why they differ",
		Long: `occudiff lines predicted GPU occupancy up with what Intel VTune measured, kernel by kernel, says why they
differ, writes it as Excel and Markdown, and keeps occupancy from regressing.`,
		Example:       "  occudiff demo\n  occudiff validate --device mtl --xve 112 run.hotspots.csv -o report.xlsx -o report.md",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			a.samplingSet = c.Flags().Changed("sampling-interval")
			a.reads, a.stopped = a.inputs(c, args), c.Context().Err
			return a.checkFlags()
		},
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageErrorf("%v; see '%s --help'", err, c.CommandPath())
	})
	a.addFlags(root)
	root.AddCommand(a.commands()...)
	a.completion(root)
	return root
}

func (a *app) addFlags(root *cobra.Command) {
	d := compare.DefaultOptions()
	f := root.PersistentFlags()
	f.StringVar(&a.device, "device", "", "GPU: a key, name, alias or PCI id (see 'occudiff devices'); default: what the inputs say")
	f.IntVar(&a.xve, "xve", 0, "number of XVEs (EUs) of a binned part")
	f.StringVar(&a.deviceFile, "device-file", "", "CSV of further devices (see docs/devices.md)")
	f.StringArrayVarP(&a.outputs, "output", "o", nil, "write this file too; the ending picks the format: .xlsx .md .html .json .csv .xml (repeatable)")
	f.StringVar(&a.format, "format", "table", "standard output as table, markdown, json or csv")
	f.Float64Var(&a.tolerance, "tolerance", float64(d.Tolerance), "percentage points between seen and predicted occupancy that still match")
	f.Float64Var(&a.modelTol, "model-tolerance", float64(d.ModelTolerance), "percentage points between the profiler's peak and the predicted peak that still agree")
	f.DurationVar(&a.sampling, "sampling-interval", time.Millisecond, "the collection's gpu-sampling-interval")
	f.StringVar(&a.driver, "driver", "", "GPU driver version of the run (no export has it)")
	f.StringVar(&a.vtune, "vtune-version", "", "VTune version of the run (only HTML summaries have it)")
	f.StringVar(&a.label, "label", "", "a name for the run in reports and history")
	f.StringVar(&a.failOn, "fail-on", "never", "exit 1 on: never, mismatch, model, regression")
	f.BoolVar(&a.annotate, "annotations", false, "print GitHub annotations for what does not match to standard error, also with -q; errors for what --fail-on asks for, else warnings")
	f.StringVar(&a.progress, "progress", "auto", "progress bar on standard error: auto, always, never")
	f.StringVar(&a.color, "color", "auto", "colours: auto, always, never")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "nothing on standard error but errors")
}

// choice is a flag that holds one of several words.
type choice struct {
	flag, value string
	words       []string
}

func (a *app) choices() []choice {
	return []choice{
		{"format", a.format, []string{"table", "markdown", "json", "csv"}},
		{"fail-on", a.failOn, []string{"never", "mismatch", "model", "regression"}},
		{"progress", a.progress, []string{"auto", "always", "never"}},
		{"color", a.color, []string{"auto", "always", "never"}},
	}
}

// checkFlags finds wrong values before any work is done.
func (a *app) checkFlags() error {
	for _, c := range a.choices() {
		if !slices.Contains(c.words, c.value) {
			return usageErrorf("--%s %q: expected one of %s", c.flag, c.value, strings.Join(c.words, ", "))
		}
	}
	switch {
	case !(a.tolerance >= 0) || a.tolerance > 100:
		return usageErrorf("--tolerance %v: expected percentage points from 0 to 100", a.tolerance)
	case !(a.modelTol >= 0) || a.modelTol > 100:
		return usageErrorf("--model-tolerance %v: expected percentage points from 0 to 100", a.modelTol)
	case a.sampling <= 0:
		return usageErrorf("--sampling-interval %v: expected a duration above 0 as in 1ms", a.sampling)
	case a.xve < 0:
		return usageErrorf("--xve %d: expected a number of XVEs above 0", a.xve)
	}
	return nil
}

// noGate refuses --fail-on for a command that holds nothing against anything: a gate that never fails must not look like one.
func (a *app) noGate(command string) error {
	with := "'occudiff validate'"
	switch a.failOn {
	case "never":
		return nil
	case "regression":
		with = "'occudiff diff' or 'occudiff track check'"
	}
	return usageErrorf("--fail-on %s: %s has no gate and would never fail; use %s", a.failOn, command, with)
}

// options gives the comparison's options from the flags.
func (a *app) options() compare.Options {
	o := compare.DefaultOptions()
	o.Tolerance, o.ModelTolerance = unit.Points(a.tolerance), unit.Points(a.modelTol)
	o.SamplingInterval = unit.Seconds(a.sampling.Seconds())
	o.SamplingAssumed = !a.samplingSet
	return o
}

// say prints to standard error unless -q.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.stderr, format+"\n", args...)
	}
}

// sayNotes prints what a person should know of the input to standard error: reports carry all notes, this the first that warn.
func (a *app) sayNotes(notes []note.Note) {
	const most = 20
	said, left := 0, 0
	for _, n := range notes {
		switch {
		case n.Severity < note.Warning:
		case said < most:
			a.say("%s", n)
			said++
		default:
			left++
		}
	}
	if left > 0 {
		a.say("... and %d more notes; reports hold all of them", left)
	}
}
