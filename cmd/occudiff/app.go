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

// app is the state for one command line. The caller sets the streams and the
// environment before it calls run. The flags are declared as fields, so parsing
// the flags and settings sets the other fields before a command runs.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	raw            io.Writer // standard error without cleaning, for a progress bar and other programs' output
	getenv         func(string) string
	environ        []string

	shared
	sharedFlags *pflag.FlagSet   // declarations of the flags in shared
	flags       *pflag.FlagSet   // flags of the running command
	show        report.Selection // which kernels a table shows, and in what order

	args        []string // command line, for the provenance of reports
	samplingSet bool
	given       map[string]given // settings from the environment or the settings file
	devices     *arch.Table      // device table, including --device-file
	also        []*arch.Device   // devices of --also

	endings []string     // endings of writable files
	out     *outputFiles // files of -o, which are open while the command runs
	after   func() error // prints messages and applies the gate, after the output was delivered
}

// shared contains the flags that have the same meaning in every command. A
// command has only those of them that it uses, because a flag without an effect
// is misleading. cli.Declare reads the struct tags. Commands accept different
// values of --fail-on, so a command lists its values:
// "fail-on:never,regression".
type shared struct {
	Device          string        `flag:"device" arg:"NAME" help:"GPU: a key, name, alias, or PCI id. See 'occudiff devices'. Default: the GPU that the inputs name"`
	ForceDevice     bool          `flag:"force-device" expert:"true" help:"predict for --device even if the inputs identify another GPU"`
	XVE             int           `flag:"xve" arg:"N" range:"1 Inf the number of XVEs of the GPU, for example 112" help:"number of enabled XVEs (EUs), if the GPU has fewer than the full number"`
	DeviceFile      string        `flag:"device-file" expert:"true" arg:"FILE" files:"csv" help:"CSV file with more devices. See docs/devices.md"`
	Tolerance       float64       `flag:"tolerance" arg:"POINTS" range:"0 100 percentage points from 0 to 100" help:"largest difference that counts as a match. Between measured and predicted occupancy, in percentage points"`
	Sampling        time.Duration `flag:"sampling-interval" arg:"DURATION" default:"1ms" range:"1e-9 Inf a duration above 0, for example 1ms" help:"gpu-sampling-interval of the collection. A shorter launch cannot be measured"`
	Bandwidth       float64       `flag:"memory-bandwidth" expert:"true" arg:"GB/s" range:"1e-9 1e6 GB/s above 0, for example 1229" help:"peak bandwidth of the GPU's memory. Default: the value of the device table, see 'occudiff devices NAME'"`
	Driver          string        `flag:"driver" expert:"true" arg:"VERSION" help:"GPU driver of the run. Exports do not contain it"`
	Label           string        `flag:"label" expert:"true" arg:"NAME" help:"name of the run in reports and in the history"`
	Local           cli.Sizes     `flag:"local" arg:"SIZE" help:"work-group size if the input lacks it. For example, 256 or 16x16. Repeatable: NAME=SIZE applies to the kernels with this name or pattern, as in 'VectorAdd3<8>=320' 'VectorAdd3<*>=224'"`
	SIMD            cli.Count     `flag:"simd" arg:"N" hints:"8 16 32" help:"sub-group size if the input lacks it. Repeatable, with names as in --local"`
	AllowUnreadable bool          `flag:"allow-unreadable" expert:"true" help:"accept input with unreadable kernels. Every output states it. Without this flag, a gate, diff, track add, and track import exit with status 2"`
	AllowUnjudged   []string      `flag:"allow-unjudged" expert:"true" arg:"REASON,..." words:"unmeasurable no-prediction missing" help:"let a gate pass kernels that it cannot judge. REASON is unmeasurable, no-prediction, or missing; without a value, all of them. Every output states it. Without this flag, or if no kernel could be judged, a gate exits with status 2"`
	DB              string        `flag:"db" arg:"HISTORY" default:"occudiff.db" files:"*" help:"the history: a file, or a postgres:// URL. $OCCUDIFF_DB and occudiff.yaml can set it, too"`
	FailOn          string        `flag:"fail-on" arg:"WHAT" default:"never" help:"exit with status 1 on this"`
	Annotate        bool          `flag:"annotations" expert:"true" help:"also print GitHub annotations. They go to standard error, even with -q: errors for what fails the command, warnings for the rest"`
	Outputs         []string      `flag:"output,o" arg:"FILE" files:"xlsx md html json csv xml svg" help:"also write this file: .xlsx .md .html .json .csv, for some commands .xml or .svg. The ending selects the format: .xml is JUnit and .svg a chart. Repeatable"`
	Format          string        `flag:"format" arg:"FORMAT" default:"table" words:"table markdown json csv summary" help:"format of standard output: table, markdown, json, csv. For validate and diff also summary: findings for agents and comments, in at most 8 kB of JSON"`
	Kernel          string        `flag:"kernel" arg:"REGEXP" help:"show only kernels whose name matches. Counts, gates, JSON, and JUnit cover all kernels"`
	Top             int           `flag:"top" arg:"N" range:"1 Inf the number of kernels to show, for example 10" help:"show only the first N kernels. Counts, gates, JSON, and JUnit cover all kernels"`
	Sort            string        `flag:"sort" arg:"KEY" help:"sort the kernels by this key, largest first"`
	Columns         []string      `flag:"columns" expert:"true" arg:"LIST" help:"show these columns: keys or headings, separated by commas. A wrong one prints the list. Workbooks and JSON have all columns"`
	NoCommand       bool          `flag:"no-command-line" expert:"true" help:"leave command lines out of reports. Secrets and home folders are always left out"`
	Color           string        `flag:"color" expert:"true" arg:"WHEN" default:"auto" words:"auto always never" help:"colors: auto, always, or never. With auto, a terminal has colors unless NO_COLOR is set"`
	Progress        string        `flag:"progress" expert:"true" arg:"WHEN" default:"auto" words:"auto always never" help:"progress bar: auto, always, or never. It goes to standard error"`
	Verbose         bool          `flag:"verbose,v" help:"show the evidence: device, sampling interval, thread-slot breakdown, and causes in full"`
	Quiet           bool          `flag:"quiet,q" help:"print no notes, warnings, or progress. Results, errors, and annotations stay"`
}

// The sets of shared flags. Each string begins and ends with a blank, because
// commands concatenate the sets to one list.
const (
	deviceFlags = " device xve device-file "
	runFlags    = deviceFlags + "force-device tolerance sampling-interval memory-bandwidth label progress "
	outputFlags = " output format no-command-line color verbose quiet "
	tableFlags  = " kernel top columns "
	unseenFlags = " allow-unreadable allow-unjudged "
)

// setDefaults declares the shared flags. The declaration sets the fields to
// their defaults, even for commands that do not have these flags.
func (a *app) setDefaults() {
	a.Tolerance = float64(compare.DefaultOptions().Tolerance)
	a.sharedFlags = pflag.NewFlagSet("", pflag.ContinueOnError)
	a.sharedFlags.SortFlags = false
	cli.Declare(a.sharedFlags, &a.shared)
}

// checkFlags returns an error for a wrong value of a flag before any work is
// done. Values from settings are checked by applySettings, because cli.Check
// visits only the flags on the command line.
func (a *app) checkFlags() error {
	if err := cli.Check(a.flags); err != nil {
		return err
	}
	// A CI recipe passes --db "$HISTORY". If the variable is empty, the default
	// applies.
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

// printMessage prints to standard error, unless -q is given.
func (a *app) printMessage(format string, args ...any) {
	if !a.Quiet {
		fmt.Fprintln(a.stderr, report.OneLine(fmt.Sprintf(format, args...)))
	}
}

// printNotes prints notes to standard error.
func (a *app) printNotes(notes []note.Note) {
	for _, n := range notes {
		a.printMessage("%s%s", n, flagHints[n.Code])
	}
}

// flagHints lists the flags for the hints of other packages, which know no
// flags, by the code of the note.
var flagHints = map[string]string{
	"no-device":         "; --device NAME chooses it, and 'occudiff devices' lists the names",
	"unknown-device":    "; 'occudiff devices' lists the keys, and --device-file FILE adds a device",
	"ambiguous-device":  "; --device KEY or --xve N decides",
	"device-differs":    "; see --device, --xve, and --force-device",
	"two-devices":       "; --device KEY chooses it",
	"device-same-shape": "; --device KEY or --barrier-slots decides",
	"device-full-part":  "; --xve N chooses it",
	"xe-cores-unknown":  "; --xve N sets it",
	"xve-count":         "; --device, --xve, or a --device-file",
	"timing-without-row": "; --local and --simd give the sizes: 256 and 32 in the thread-mapping notebook, " +
		"512 and 32 in the optimization guide",
	"no-such-kernel": "; see --local and --simd",
}

// printWarnings prints the first warnings of the input to standard error.
// Reports contain all notes.
func (a *app) printWarnings(notes []note.Note) {
	const most = 20
	notes = slices.DeleteFunc(slices.Clone(notes), func(n note.Note) bool { return n.Severity < note.Warning })
	a.printNotes(notes[:min(len(notes), most)])
	if left := len(notes) - most; left > 0 {
		a.printMessage("... and %d more notes; reports have all of them", left)
	}
}

// manual contains the help of each command. The texts are in files, so that
// they look in the source as they are printed. The first line of a file is the
// usage. The second line is the summary for lists of commands. The description
// follows, and then the line "Examples:" and the examples.
//
//go:embed help
var manual embed.FS

// command describes a command in addition to its help.
type command struct {
	text     string               // name of its help file
	flags    []any                // structs with the command's own flags, see cli.Declare
	share    string               // names of the shared flags that it has, see cli.Share
	output   string               // help text of -o, if -o does not write the output of the command
	args     cobra.PositionalArgs // check of the arguments; nil if the command accepts none
	oneOf    string               // flags that exclude each other
	names    bool                 // the arguments are names and not files
	fixed    bool                 // ignores settings from the environment and the settings file
	complete cobra.CompletionFunc // completion of the arguments
	endings  []string             // endings of the files that the command can write; nil for the usual endings

	// check returns an error for wrong flags. execute calls it after the
	// settings and before the outputs are opened, so check may set Outputs and
	// endings.
	check func(args []string) error
	// run returns the command's output, or nil if the command has already
	// printed its result. A command that only groups subcommands has no run.
	run func(ctx context.Context, args []string) (*report.Output, error)
}

// command returns a command of the tree. All commands are run by execute with
// the same steps. Therefore, no command can skip the settings, the check of its
// flags, or the check that an output is not one of its inputs.
func (a *app) command(d command) *cobra.Command {
	text, _ := manual.ReadFile("help/" + d.text + ".txt") // a test detects a missing file
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
	// Every command accepts -v, even if the command has no additional output.
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

// execute runs a command. Before the work begins, it detects wrong flags first,
// and then outputs that cannot be written.
func (a *app) execute(c *cobra.Command, d *command, args []string) error {
	a.flags, a.endings = c.Flags(), d.endings
	var given []string
	for _, name := range strings.Fields(d.oneOf) {
		if a.flags.Changed(name) {
			given = append(given, "--"+name)
		}
	}
	if len(given) > 1 {
		return cli.Errorf("%s exclude each other; give only one of them", strings.Join(given, " and "))
	}
	if !d.fixed {
		if err := a.applySettings(); err != nil {
			return err
		}
	}
	// If the sampling interval was not given, it is assumed, which limits the
	// confidence in causes.
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
	// The outputs must not overwrite an input.
	a.flags.VisitAll(func(f *pflag.Flag) {
		if f.Name != "output" && cli.NamesFile(f) {
			reads = append(reads, f.Value.String())
		}
	})
	err = a.openOutputs(reads, c.Context().Err)
	// After an error, temporary files are removed, and existing output files
	// stay unchanged.
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
	// The gate is applied last, so that the reports exist even if the gate
	// fails.
	if err := a.deliver(c.Context(), ans); err != nil || a.after == nil {
		return err
	}
	return a.after()
}
