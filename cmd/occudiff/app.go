package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/terminal"
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
	raw            io.Writer // standard error as it is, for a progress bar and the output of other programs
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
	kernel     string
	top        int
	sortBy     string
	columns    []string
	color      string
	quiet      bool

	show        report.Selection // what kernel, top and sortBy say
	samplingSet bool
	given       map[string]given // settings that are not from the command line
	reads       []string         // the paths that the command reads
	stopped     func() error     // whether the work was called off
	devices     *arch.Table      // once it was asked for
}

// gateError means that everything worked and a gate that was asked for failed.
type gateError struct{ text string }

func (e *gateError) Error() string { return e.text }

// usageErrorf is an error of usage, with what to do in its text.
func usageErrorf(format string, args ...any) error { return cli.Errorf(format, args...) }

// run executes the command line and gives the exit status.
func (a *app) run(ctx context.Context, args []string) int {
	a.args = args
	a.maskSecrets()
	a.raw, a.stderr = a.stderr, terminal.Safe(a.stderr)
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := cli.UnknownCommand(root, args)
	if err == nil {
		err = execute(ctx, root)
	}
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

// patience is how long a command that was called off may take to come to an end: a few files are read without looking
// at the context, and one of them may be a pipe that nobody writes to.
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
	a.setDefaults()
	root := &cobra.Command{
		Use:   "occudiff",
		Short: "Line predicted GPU occupancy up with what VTune measured, and say why they differ",
		Long: `occudiff lines predicted GPU occupancy up with what Intel VTune measured, kernel by kernel, says why
they differ, writes it as Excel and Markdown, and keeps occupancy from regressing.`,
		Example: `  # See what it does, on a built-in run
  occudiff demo

  # Compare a profiler run with the prediction
  occudiff validate run.hotspots.csv run.summary.txt -o report.xlsx

  # Predict a launch, without any measurement
  occudiff predict --device tgl --global 1M --local 256 --simd 16`,
		Version:       version() + builtFrom(),
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: func(c *cobra.Command, args []string) error {
			if err := a.applySettings(c); err != nil {
				return err
			}
			_, a.samplingSet = a.given["sampling-interval"]
			a.samplingSet = a.samplingSet || c.Flags().Changed("sampling-interval")
			a.reads, a.stopped = a.inputs(c, args), c.Context().Err
			return a.checkFlags(c.Flags())
		},
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return cli.FlagError(c, err, a.sharedFlags()) })
	root.SetHelpFunc(cli.Help)
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Measured runs", []*cobra.Command{
			a.demoCommand(), a.collectCommand(), a.doctorCommand(), a.validateCommand(), a.diffCommand(),
			a.trackCommand(), a.pageCommand()}},
		{"Predictions", []*cobra.Command{a.predictCommand(), a.adviseCommand()}},
		{"Looking things up", []*cobra.Command{a.devicesCommand(), a.explainCommand(), a.schemaCommand(),
			a.configCommand()}},
		{"Other", []*cobra.Command{a.versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(a.extraCommands()...)
	root.SetHelpCommand(a.helpCommand())
	root.SetHelpCommandGroupID("Other")
	root.InitDefaultHelpCmd()
	root.SetCompletionCommandGroupID("Other")
	a.completion(root)
	return root
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
		fmt.Fprintln(a.stderr, report.OneLine(fmt.Sprintf(format, args...)))
	}
}

// sayNotes prints what a person should know of the input to standard error: reports carry all notes, this the first
// that warn.
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
