package main

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/ingest/note"
	"occudiff/internal/bug"
	"occudiff/predict/arch"
	"occudiff/report"
)

// app is one run of the program, as all commands see it. What is set before run
// are the streams and the environment; flags and settings fill in the rest
// before a command answers. An app is for one command line: the flags are
// declared into its fields.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	raw            io.Writer // standard error as it is, for a progress bar and the output of other programs
	getenv         func(string) string
	environ        []string

	shared
	sharedFlags *pflag.FlagSet   // they, as they are declared
	flags       *pflag.FlagSet   // of the command that runs
	show        report.Selection // which kernels of a table are shown, and in which order

	args        []string // as given, for the provenance of reports
	samplingSet bool
	given       map[string]given // settings that are not from the command line
	devices     *arch.Table      // with those of --device-file

	endings []string     // of the files that the command can write
	out     *outputFiles // of -o, open while the command makes its answer
	after   func() error // what the command says and judges when its answer is delivered
}

// shared are the flags that mean the same in every command that has them. Each
// command takes those that it uses: a flag that does nothing for a command must
// not look as if it did. The struct tags are the declaration; cli.Declare reads
// them. The words of --fail-on differ by command, and stand where a command
// shares it: "fail-on:never,regression".
type shared struct {
	Device          string        `flag:"device" arg:"NAME" help:"GPU: a key, name, alias, or PCI id. See 'occudiff devices'. Default: the GPU that the inputs name"`
	ForceDevice     bool          `flag:"force-device" expert:"true" help:"predict for --device even if the inputs identify another GPU"`
	XVE             int           `flag:"xve" arg:"N" help:"number of XVEs (EUs) of a GPU with fewer than its full number"`
	DeviceFile      string        `flag:"device-file" expert:"true" arg:"FILE" files:"csv" help:"CSV file with more devices. See docs/devices.md"`
	Tolerance       float64       `flag:"tolerance" arg:"POINTS" help:"largest difference that counts as a match. Between measured and predicted occupancy, in percentage points"`
	Sampling        time.Duration `flag:"sampling-interval" arg:"DURATION" default:"1ms" help:"gpu-sampling-interval of the collection. A shorter launch cannot be measured"`
	Bandwidth       float64       `flag:"memory-bandwidth" expert:"true" arg:"GB/s" help:"peak bandwidth of the GPU's memory. Default: the value of the device table, see 'occudiff devices NAME'"`
	Driver          string        `flag:"driver" expert:"true" arg:"VERSION" help:"GPU driver of the run. Exports do not contain it"`
	Label           string        `flag:"label" expert:"true" arg:"NAME" help:"name of the run in reports and in the history"`
	Local           cli.Sizes     `flag:"local" arg:"SIZE" help:"work-group size if the input lacks it. For example, 256 or 16x16. Repeatable, also for one kernel by its name or a pattern: 'VectorAdd3<8>=320' 'VectorAdd3<*>=224'"`
	SIMD            cli.Count     `flag:"simd" arg:"N" hints:"8 16 32" help:"sub-group size if the input lacks it. Repeatable, with names as in --local"`
	AllowUnreadable bool          `flag:"allow-unreadable" expert:"true" help:"accept input with unreadable kernels. Every output states it. Without this flag, a gate, diff, track add, and track import exit with status 2"`
	AllowUnjudged   []string      `flag:"allow-unjudged" expert:"true" arg:"REASON,..." words:"unmeasurable no-prediction missing" help:"let a gate pass kernels that it cannot judge. REASON is unmeasurable, no-prediction, or missing, and all of them without a value. Every output states it. Without this flag, a gate exits with status 2. It always does if it judged no kernel"`
	DB              string        `flag:"db" arg:"HISTORY" default:"occudiff.db" files:"*" help:"the history: a file, or a postgres:// URL. $OCCUDIFF_DB and occudiff.yaml can set it, too"`
	FailOn          string        `flag:"fail-on" arg:"WHAT" default:"never" help:"exit with status 1 on this"`
	Annotate        bool          `flag:"annotations" expert:"true" help:"also print GitHub annotations. They go to standard error, even with -q: errors for what fails the command, warnings for the rest"`
	Outputs         []string      `flag:"output,o" arg:"FILE" files:"xlsx md html json csv xml svg" help:"also write this file: .xlsx .md .html .json .csv, for some commands .xml or .svg. The ending selects the format: .xml is JUnit and .svg a chart. Repeatable"`
	Format          string        `flag:"format" arg:"FORMAT" default:"table" words:"table markdown json csv summary" help:"format of standard output: table, markdown, json, csv. For validate and diff also summary: findings for agents and comments, in at most 8 kB of JSON"`
	Kernel          string        `flag:"kernel" arg:"REGEXP" help:"show only kernels whose name matches. Counts, gates, JSON, and JUnit cover all kernels"`
	Top             int           `flag:"top" arg:"N" help:"show only the first N kernels. Counts, gates, JSON, and JUnit cover all kernels"`
	Sort            string        `flag:"sort" arg:"KEY" help:"sort the kernels by this key, largest first"`
	Columns         []string      `flag:"columns" expert:"true" arg:"LIST" help:"show these columns: keys or headings, separated by commas. A wrong one prints the list. Workbooks and JSON have all columns"`
	NoCommand       bool          `flag:"no-command-line" expert:"true" help:"leave command lines out of reports. Secrets and home folders are always left out"`
	Color           string        `flag:"color" expert:"true" arg:"WHEN" default:"auto" words:"auto always never" help:"colors: auto, always, or never. With auto, a terminal has colors unless NO_COLOR is set"`
	Progress        string        `flag:"progress" expert:"true" arg:"WHEN" default:"auto" words:"auto always never" help:"progress bar: auto, always, or never. It goes to standard error"`
	Verbose         bool          `flag:"verbose,v" help:"show the evidence: device, sampling interval, thread-slot breakdown, and causes in full"`
	Quiet           bool          `flag:"quiet,q" help:"print no notes, warnings, or progress. Results, errors, and annotations stay"`
}

// Sets of shared flags. Each begins and ends with a blank, for commands join
// them with + to one list of names.
const (
	deviceFlags = " device xve device-file "
	runFlags    = deviceFlags + "force-device tolerance sampling-interval memory-bandwidth label progress "
	outputFlags = " output format no-command-line color verbose quiet "
	tableFlags  = " kernel top columns "
	unseenFlags = " allow-unreadable allow-unjudged "
)

// setDefaults declares the shared flags, which gives them their defaults in
// commands that do not have them.
func (a *app) setDefaults() {
	a.Tolerance = float64(compare.DefaultOptions().Tolerance)
	a.sharedFlags = pflag.NewFlagSet("", pflag.ContinueOnError)
	a.sharedFlags.SortFlags = false
	cli.Declare(a.sharedFlags, &a.shared)
}

// checkFlags finds wrong values before any work is done. Numbers of settings
// are checked here, too. cli.Check visits the flags of the command line alone:
// the words of settings are checked where they are set.
func (a *app) checkFlags() error {
	switch err := cli.Check(a.flags); {
	case err != nil:
		return err
	// Written as "not at least", for a flag takes NaN as a number and NaN is
	// below nothing.
	case !(a.Tolerance >= 0) || a.Tolerance > 100:
		return cli.Errorf("--tolerance %v: expected percentage points from 0 to 100", a.Tolerance)
	case a.Sampling <= 0:
		return cli.Errorf("--sampling-interval %v: expected a duration above 0 as in 1ms", a.Sampling)
	case a.XVE < 0 || a.XVE == 0 && a.flags.Changed("xve"):
		return cli.Errorf("--xve %d: expected how many XVEs the GPU has, as in 112", a.XVE)
	case a.flags.Changed("memory-bandwidth") && !(a.Bandwidth > 0 && a.Bandwidth <= 1e6):
		return cli.Errorf("--memory-bandwidth %v: expected GB/s above 0 as in 1229", a.Bandwidth)
	case a.Top < 0 || a.Top == 0 && a.flags.Changed("top"):
		return cli.Errorf("--top %d: expected how many kernels to show, as in 10", a.Top)
	}
	// A recipe passes --db "$HISTORY", which may be empty: that is no name of a
	// history.
	a.DB = cmp.Or(a.DB, a.sharedFlags.Lookup("db").DefValue)
	a.show = report.Selection{Top: a.Top, Sort: report.SortKey(a.Sort)}
	if a.Kernel != "" {
		var err error
		if a.show.Kernel, err = regexp.Compile(a.Kernel); err != nil {
			return cli.Errorf("--kernel %q: expected a regular expression: %v", a.Kernel, err)
		}
	}
	return nil
}

// printMessage prints to standard error unless -q.
func (a *app) printMessage(format string, args ...any) {
	if !a.Quiet {
		fmt.Fprintln(a.stderr, report.OneLine(fmt.Sprintf(format, args...)))
	}
}

// printNotes prints notes to standard error.
func (a *app) printNotes(notes []note.Note) {
	for _, n := range notes {
		a.printMessage("%s", n)
	}
}

// printWarnings prints what a person should know of the input to standard
// error: reports carry all notes, this the first that warn.
func (a *app) printWarnings(notes []note.Note) {
	const most = 20
	notes = slices.DeleteFunc(slices.Clone(notes), func(n note.Note) bool { return n.Severity < note.Warning })
	a.printNotes(notes[:min(len(notes), most)])
	if left := len(notes) - most; left > 0 {
		a.printMessage("... and %d more notes; reports have all of them", left)
	}
}

// manual holds the text of each command: how it is called, what it is for in a
// line, the same at length, and examples. The texts are files so that they read
// as they print. The first line is the usage, the second is in lists of
// commands, and the examples begin at a line of their own; see command.
//
//go:embed help
var manual embed.FS

// command is what a command is next to its text.
type command struct {
	text     string               // the name of its file
	flags    []any                // structs of flags of its own, see cli.Declare
	share    string               // the flags that it has in common with others, see cli.Share
	output   string               // what its -o is for, when it does not write the answer
	args     cobra.PositionalArgs // none when it is nil
	names    bool                 // its arguments are names, and not files that it reads
	fixed    bool                 // settings of the environment and the file do not reach it
	complete cobra.CompletionFunc // of its arguments
	endings  []string             // of the files that it can write; those of every answer when it is nil

	// check finds wrong flags before files are opened. execute runs it after
	// the settings and before the outputs are opened, so that it may set
	// Outputs and endings.
	check func(args []string) error
	// run returns what the command has to say; nil when it has said it. A
	// command that groups others has none.
	run func(ctx context.Context, args []string) (*report.Output, error)
}

// command makes a command of the tree. All commands go through execute, in one
// order of steps: a command cannot forget the settings, the check of its flags,
// or that an output must not be one of its inputs.
func (a *app) command(d command) *cobra.Command {
	text, _ := manual.ReadFile("help/" + d.text + ".txt") // the test of help texts finds one that is not there
	head, examples, _ := strings.Cut(string(text), "\nExamples:\n")
	use, head, _ := strings.Cut(head, "\n")
	short, long, _ := strings.Cut(head, "\n")
	c := &cobra.Command{Use: use, Short: short, Long: strings.TrimSpace(long),
		Example: strings.TrimRight(examples, "\n"), Args: d.args, ValidArgsFunction: d.complete}
	if c.Args == nil {
		c.Args = cobra.NoArgs
	}
	for _, f := range d.flags {
		cli.Declare(c.Flags(), f)
	}
	cli.Share(c.Flags(), a.sharedFlags, d.share)
	// Who asks for more everywhere is understood everywhere, also where there
	// is no more.
	if d.text != "occudiff" && c.Flags().Lookup("verbose") == nil {
		cli.Share(c.Flags(), a.sharedFlags, "verbose")
		c.Flags().Lookup("verbose").Hidden = true
	}
	if d.output != "" {
		c.Flags().Lookup("output").Usage = d.output
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if d.run == nil {
			return c.Help()
		}
		return a.execute(c, &d, args)
	}
	return c
}

// execute runs a command: wrong flags are found first, then outputs that cannot
// be written, then the work begins.
func (a *app) execute(c *cobra.Command, d *command, args []string) error {
	a.flags, a.endings = c.Flags(), d.endings
	if !d.fixed {
		if err := a.applySettings(); err != nil {
			return err
		}
	}
	// Whether the interval is known or assumed decides how sure a cause may be.
	_, a.samplingSet = a.given["sampling-interval"]
	a.samplingSet = a.samplingSet || a.flags.Changed("sampling-interval")
	err := a.checkFlags()
	if err == nil && d.check != nil {
		err = d.check(args)
	}
	if err != nil {
		return err
	}
	if a.endings == nil {
		a.endings = fileEndings()
	}
	var reads []string
	if !d.names {
		reads = args
	}
	// What is read is told to the outputs, which refuse to write over it.
	a.flags.VisitAll(func(f *pflag.Flag) {
		if f.Name != "output" && cli.NamesFile(f) {
			reads = append(reads, f.Value.String())
		}
	})
	err = a.openOutputs(reads, c.Context().Err)
	// On an error nothing is left behind: temporary files go away, and the old
	// outputs stay.
	defer a.out.discard()
	if err == nil {
		err = bug.Await(c.Context(), a.readDevices)
	}
	if err != nil {
		return err
	}
	ans, err := d.run(c.Context(), args)
	if err != nil || ans == nil {
		return err
	}
	// A gate speaks last: a job that fails has its reports.
	if err := a.deliver(c.Context(), ans); err != nil || a.after == nil {
		return err
	}
	return a.after()
}
