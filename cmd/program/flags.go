package program

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/report"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// SharedFlags are those that mean the same in every command that has them. Each command takes what it uses, see Share.
func (e *Env) SharedFlags() []cli.Flag {
	return []cli.Flag{
		{Name: "device", Value: &e.Device, Arg: "NAME",
			Usage: "GPU: a key, name, alias or PCI id; see 'occudiff devices'; default: the one that the inputs name"},
		{Name: "xve", Value: &e.XVE, Arg: "N", Usage: "number of XVEs (EUs) of a binned part"},
		{Name: "device-file", Value: &e.deviceFile, Arg: "FILE", Files: "csv",
			Usage: "CSV of more devices, see docs/devices.md"},
		{Name: "tolerance", Value: &e.Tolerance, Arg: "POINTS",
			Usage: "largest difference that matches; between measured and predicted occupancy, in percentage points"},
		{Name: "model-tolerance", Value: &e.ModelTolerance, Arg: "POINTS",
			Usage: "largest difference between VTune's peak and the predicted one; if they differ by more, the model " +
				"is wrong"},
		{Name: "sampling-interval", Value: &e.sampling, Arg: "DURATION",
			Usage: "gpu-sampling-interval of the collection; launches shorter than it cannot be measured"},
		{Name: "driver", Value: &e.Driver, Arg: "VERSION", Usage: "GPU driver of the run; no export records it"},
		{Name: "vtune-version", Value: &e.VTune, Arg: "VERSION",
			Usage: "VTune version of the run; only HTML summaries have it"},
		{Name: "label", Value: &e.Label, Arg: "NAME", Usage: "name of the run in reports and history"},
		{Name: "annotations", Value: &e.Annotate,
			Usage: "print GitHub annotations, too; to standard error, also with -q: errors for what fails the " +
				"command, else warnings"},
		{Name: "output,o", Value: &e.Outputs, Arg: "FILE", Files: "xlsx md html json csv xml svg",
			Usage: "also write this file: .xlsx .md .html .json .csv, .xml or .svg where there is one; the ending " +
				"picks the format; .xml is JUnit and .svg a chart; repeatable"},
		{Name: "format", Value: &e.Format, Arg: "FORMAT", Words: "table markdown json csv",
			Usage: "of standard output: table, markdown, json, csv"},
		{Name: "kernel", Value: &e.kernel, Arg: "REGEXP",
			Usage: "show the kernels whose name matches; counts, gates, JSON and JUnit cover all"},
		{Name: "top", Value: &e.top, Arg: "N",
			Usage: "show the first N kernels; counts, gates, JSON and JUnit cover all"},
		{Name: "columns", Value: &e.columns, Arg: "LIST",
			Usage: "show these columns: keys or headings with commas between; a wrong one lists those that there " +
				"are; workbooks and JSON have all"},
		{Name: "color", Value: &e.color, Arg: "WHEN", Words: "auto always never",
			Usage: "auto, always or never; auto is on a terminal, unless NO_COLOR is set"},
		{Name: "progress", Value: &e.progress, Arg: "WHEN", Words: "auto always never",
			Usage: "progress bar: auto, always or never; on standard error"},
		{Name: "quiet,q", Value: &e.quiet, Usage: "errors only; no notes, other warnings or progress on standard " +
			"error, except what was asked for: annotations, and a --fail-on that had nothing to judge"},
	}
}

// Sets of shared flags, for Share.
const (
	DeviceFlags = "device xve device-file"
	RunFlags    = DeviceFlags + " tolerance model-tolerance sampling-interval driver vtune-version label progress"
	AnswerFlags = "output format color quiet"
)

// Share gives a command those of the shared flags that it uses: a flag that does nothing for a command must not look as
// if it did.
func (e *Env) Share(c *cobra.Command, names ...string) {
	wanted := strings.Fields(strings.Join(names, " "))
	for _, d := range e.SharedFlags() {
		if slices.Contains(wanted, d.Long()) {
			cli.Share(c.Flags(), d)
		}
	}
}

// ShareTable gives a command what chooses rows and columns of its table of kernels; words are the orders of rows.
func (e *Env) ShareTable(c *cobra.Command, words ...report.SortKey) {
	e.Share(c, "kernel top columns")
	cli.Share(c.Flags(), cli.Flag{Name: "sort", Value: &e.sortBy, Arg: "KEY",
		Words: strings.Join(report.Words(words), " "),
		Usage: "sort the kernels by this, largest first: " + strings.Join(report.Words(words), ", ")})
}

// ShareGate gives a command --fail-on with what it can fail on, and --annotations.
func (e *Env) ShareGate(c *cobra.Command, words ...string) {
	e.ShareFailOn(c, words...)
	e.Share(c, "annotations")
}

// ShareFailOn gives a command --fail-on with what it can fail on.
func (e *Env) ShareFailOn(c *cobra.Command, words ...string) {
	words = append([]string{"never"}, words...)
	cli.Share(c.Flags(), cli.Flag{Name: "fail-on", Value: &e.FailOn, Arg: "WHAT", Words: strings.Join(words, " "),
		Usage: "exit 1 on this: " + strings.Join(words, ", ")})
}

// SetDefaults gives the shared flags their defaults, for commands that do not have them.
func (e *Env) SetDefaults() {
	d := compare.DefaultOptions()
	e.Tolerance, e.ModelTolerance, e.sampling = float64(d.Tolerance), float64(d.ModelTolerance), time.Millisecond
	e.FailOn, e.Format, e.color, e.progress = "never", "table", "auto", "auto"
}

// SetSampling sets what --sampling-interval would say.
func (e *Env) SetSampling(interval time.Duration) { e.sampling, e.samplingSet = interval, true }

// checkFlags finds wrong values before any work is done.
func (e *Env) checkFlags(f *pflag.FlagSet) error {
	switch err := cli.Check(f); {
	case err != nil:
		return err
	case !(e.Tolerance >= 0) || e.Tolerance > 100:
		return cli.Errorf("--tolerance %v: expected percentage points from 0 to 100", e.Tolerance)
	case !(e.ModelTolerance >= 0) || e.ModelTolerance > 100:
		return cli.Errorf("--model-tolerance %v: expected percentage points from 0 to 100", e.ModelTolerance)
	case e.sampling <= 0:
		return cli.Errorf("--sampling-interval %v: expected a duration above 0 as in 1ms", e.sampling)
	case e.XVE < 0:
		return cli.Errorf("--xve %d: expected a number of XVEs above 0", e.XVE)
	case e.top < 0:
		return cli.Errorf("--top %d: expected a number of kernels above 0", e.top)
	}
	e.Show = report.Selection{Top: e.top, Sort: report.SortKey(e.sortBy)}
	if e.kernel != "" {
		var err error
		if e.Show.Kernel, err = regexp.Compile(e.kernel); err != nil {
			return cli.Errorf("--kernel %q: expected a regular expression: %v", e.kernel, err)
		}
	}
	return nil
}
