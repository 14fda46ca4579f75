package main

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/report"
)

// sharedFlags are those that mean the same in every command that has them. Each command takes what it uses, see share.
func (a *app) sharedFlags() []cli.Flag {
	return []cli.Flag{
		{Name: "device", Value: &a.device, Arg: "NAME",
			Usage: "GPU: a key, name, alias or PCI id; see 'occudiff devices'; default: the one that the inputs name"},
		{Name: "xve", Value: &a.xve, Arg: "N", Usage: "number of XVEs (EUs) of a binned part"},
		{Name: "device-file", Value: &a.deviceFile, Arg: "FILE", Files: "csv",
			Usage: "CSV of more devices, see docs/devices.md"},
		{Name: "tolerance", Value: &a.tolerance, Arg: "POINTS",
			Usage: "largest difference that matches; between measured and predicted occupancy, in percentage points"},
		{Name: "model-tolerance", Value: &a.modelTolerance, Arg: "POINTS",
			Usage: "largest difference between VTune's peak and the predicted one; if they differ by more, the model " +
				"is wrong"},
		{Name: "sampling-interval", Value: &a.sampling, Arg: "DURATION",
			Usage: "gpu-sampling-interval of the collection; launches shorter than it cannot be measured"},
		{Name: "driver", Value: &a.driver, Arg: "VERSION", Usage: "GPU driver of the run; no export records it"},
		{Name: "vtune-version", Value: &a.vtune, Arg: "VERSION",
			Usage: "VTune version of the run; only HTML summaries have it"},
		{Name: "label", Value: &a.label, Arg: "NAME", Usage: "name of the run in reports and history"},
		{Name: "annotations", Value: &a.annotate,
			Usage: "print GitHub annotations, too; to standard error, also with -q: errors for what fails the " +
				"command, else warnings"},
		{Name: "output,o", Value: &a.outputs, Arg: "FILE", Files: "xlsx md html json csv xml svg",
			Usage: "also write this file: .xlsx .md .html .json .csv, .xml or .svg where there is one; the ending " +
				"picks the format; .xml is JUnit and .svg a chart; repeatable"},
		{Name: "format", Value: &a.format, Arg: "FORMAT", Words: "table markdown json csv",
			Usage: "of standard output: table, markdown, json, csv"},
		{Name: "kernel", Value: &a.kernel, Arg: "REGEXP",
			Usage: "show the kernels whose name matches; counts, gates, JSON and JUnit cover all"},
		{Name: "top", Value: &a.top, Arg: "N",
			Usage: "show the first N kernels; counts, gates, JSON and JUnit cover all"},
		{Name: "columns", Value: &a.columns, Arg: "LIST",
			Usage: "show these columns: keys or headings with commas between; a wrong one lists those that there " +
				"are; workbooks and JSON have all"},
		{Name: "color", Value: &a.color, Arg: "WHEN", Words: "auto always never",
			Usage: "auto, always or never; auto is on a terminal, unless NO_COLOR is set"},
		{Name: "progress", Value: &a.progress, Arg: "WHEN", Words: "auto always never",
			Usage: "progress bar: auto, always or never; on standard error"},
		{Name: "quiet,q", Value: &a.quiet, Usage: "errors only; no notes, other warnings or progress on standard " +
			"error, except what was asked for: annotations, and a --fail-on that had nothing to judge"},
	}
}

// Sets of shared flags, for share.
const (
	deviceFlags = "device xve device-file"
	runFlags    = deviceFlags + " tolerance model-tolerance sampling-interval driver vtune-version label progress"
	answerFlags = "output format color quiet"
)

// share gives a command those of the shared flags that it uses: a flag that does nothing for a command must not look as
// if it did.
func (a *app) share(c *cobra.Command, names ...string) {
	wanted := strings.Fields(strings.Join(names, " "))
	for _, d := range a.sharedFlags() {
		if slices.Contains(wanted, d.Long()) {
			cli.Share(c.Flags(), d)
		}
	}
}

// shareTable gives a command what chooses rows and columns of its table of kernels; words are the orders of rows.
func (a *app) shareTable(c *cobra.Command, words ...report.SortKey) {
	a.share(c, "kernel top columns")
	cli.Share(c.Flags(), cli.Flag{Name: "sort", Value: &a.sortBy, Arg: "KEY",
		Words: strings.Join(report.Words(words), " "),
		Usage: "sort the kernels by this, largest first: " + strings.Join(report.Words(words), ", ")})
}

// shareGate gives a command --fail-on with what it can fail on, and --annotations.
func (a *app) shareGate(c *cobra.Command, words ...string) {
	a.shareFailOn(c, words...)
	a.share(c, "annotations")
}

// shareFailOn gives a command --fail-on with what it can fail on.
func (a *app) shareFailOn(c *cobra.Command, words ...string) {
	words = append([]string{"never"}, words...)
	cli.Share(c.Flags(), cli.Flag{Name: "fail-on", Value: &a.failOn, Arg: "WHAT", Words: strings.Join(words, " "),
		Usage: "exit 1 on this: " + strings.Join(words, ", ")})
}

// setDefaults gives the shared flags their defaults, for commands that do not have them.
func (a *app) setDefaults() {
	d := compare.DefaultOptions()
	a.tolerance, a.modelTolerance, a.sampling = float64(d.Tolerance), float64(d.ModelTolerance), time.Millisecond
	a.failOn, a.format, a.color, a.progress = "never", "table", "auto", "auto"
}

// setSampling sets what --sampling-interval would say.
func (a *app) setSampling(interval time.Duration) { a.sampling, a.samplingSet = interval, true }

// checkFlags finds wrong values before any work is done.
func (a *app) checkFlags(f *pflag.FlagSet) error {
	switch err := cli.Check(f); {
	case err != nil:
		return err
	case !(a.tolerance >= 0) || a.tolerance > 100:
		return cli.Errorf("--tolerance %v: expected percentage points from 0 to 100", a.tolerance)
	case !(a.modelTolerance >= 0) || a.modelTolerance > 100:
		return cli.Errorf("--model-tolerance %v: expected percentage points from 0 to 100", a.modelTolerance)
	case a.sampling <= 0:
		return cli.Errorf("--sampling-interval %v: expected a duration above 0 as in 1ms", a.sampling)
	case a.xve < 0:
		return cli.Errorf("--xve %d: expected a number of XVEs above 0", a.xve)
	case a.top < 0:
		return cli.Errorf("--top %d: expected a number of kernels above 0", a.top)
	}
	a.show = report.Selection{Top: a.top, Sort: report.SortKey(a.sortBy)}
	if a.kernel != "" {
		var err error
		if a.show.Kernel, err = regexp.Compile(a.kernel); err != nil {
			return cli.Errorf("--kernel %q: expected a regular expression: %v", a.kernel, err)
		}
	}
	return nil
}
