package main

import (
	"occudiff/cmd/cli"
	"occudiff/compare"
	"occudiff/predict/arch"
	"occudiff/predict/computeunit"
	"occudiff/report"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// sharedFlags are those that mean the same in every command that has them. Each command takes what it uses, see share.
func (a *app) sharedFlags() []cli.Flag {
	return []cli.Flag{
		{Name: "device", Value: &a.device, Arg: "NAME",
			Usage: "GPU: a key, name, alias or PCI id; see 'occudiff devices'; without it what the inputs say"},
		{Name: "xve", Value: &a.xve, Arg: "N", Usage: "number of XVEs (EUs) of a binned part"},
		{Name: "device-file", Value: &a.deviceFile, Arg: "FILE", Files: "csv",
			Usage: "CSV of further devices, see docs/devices.md"},
		{Name: "tolerance", Value: &a.tolerance, Arg: "POINTS",
			Usage: "difference that still matches; between seen and predicted occupancy, in percentage points"},
		{Name: "model-tolerance", Value: &a.modelTol, Arg: "POINTS",
			Usage: "the same of the profiler's and the predicted peak; where they differ by more, the model is wrong"},
		{Name: "sampling-interval", Value: &a.sampling, Arg: "DURATION",
			Usage: "the collection's gpu-sampling-interval; what runs for less than it cannot be measured"},
		{Name: "driver", Value: &a.driver, Arg: "VERSION", Usage: "GPU driver of the run; no export has it"},
		{Name: "vtune-version", Value: &a.vtune, Arg: "VERSION",
			Usage: "VTune version of the run; only HTML summaries have it"},
		{Name: "label", Value: &a.label, Arg: "NAME", Usage: "a name for the run in reports and history"},
		{Name: "annotations", Value: &a.annotate,
			Usage: "print GitHub annotations too; to standard error, also with -q: errors for what fails the " +
				"command, else warnings"},
		{Name: "output,o", Value: &a.outputs, Arg: "FILE", Files: "xlsx md html json csv xml svg",
			Usage: "write .xlsx .md .html .json or .csv too; the ending picks the format; .xml is JUnit and .svg a " +
				"chart, " +
				"where the command has one; repeatable"},
		{Name: "format", Value: &a.format, Arg: "FORMAT", Words: "table markdown json csv",
			Usage: "of standard output: table, markdown, json, csv"},
		{Name: "kernel", Value: &a.kernel, Arg: "REGEXP",
			Usage: "show the kernels whose name matches; counts, gates, JSON and JUnit are of all"},
		{Name: "top", Value: &a.top, Arg: "N",
			Usage: "show the first N kernels; counts, gates, JSON and JUnit are of all"},
		{Name: "columns", Value: &a.columns, Arg: "LIST",
			Usage: "show these columns, by their keys or headings with commas between; a wrong one lists those that " +
				"there" +
				" are; workbooks and JSON have all"},
		{Name: "color", Value: &a.color, Arg: "WHEN", Words: "auto always never",
			Usage: "auto, always or never; auto is on a terminal, unless NO_COLOR is set"},
		{Name: "progress", Value: &a.progress, Arg: "WHEN", Words: "auto always never",
			Usage: "progress bar: auto, always or never; on standard error"},
		{Name: "quiet,q", Value: &a.quiet, Usage: "errors only; no notes, other warnings or progress on standard " +
			"error, except what was asked for: " +
			"annotations, and a --fail-on that had nothing to judge"},
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
		Usage: "sort the kernels by this, the most first: " + strings.Join(report.Words(words), ", ")})
}

// shareGate gives a command --fail-on with what it can fail on, and --annotations.
func (a *app) shareGate(c *cobra.Command, words ...string) {
	words = append([]string{"never"}, words...)
	cli.Share(c.Flags(), cli.Flag{Name: "fail-on", Value: &a.failOn, Arg: "WHAT", Words: strings.Join(words, " "),
		Usage: "exit 1 on this: " + strings.Join(words, ", ")})
	a.share(c, "annotations")
}

// setDefaults gives the shared flags their defaults, for commands that do not have them.
func (a *app) setDefaults() {
	d := compare.DefaultOptions()
	a.tolerance, a.modelTol, a.sampling = float64(d.Tolerance), float64(d.ModelTolerance), time.Millisecond
	a.failOn, a.format, a.color, a.progress = "never", "table", "auto", "auto"
}

// checkFlags finds wrong values before any work is done.
func (a *app) checkFlags(f *pflag.FlagSet) error {
	switch err := cli.Check(f); {
	case err != nil:
		return err
	case !(a.tolerance >= 0) || a.tolerance > 100:
		return usageErrorf("--tolerance %v: expected percentage points from 0 to 100", a.tolerance)
	case !(a.modelTol >= 0) || a.modelTol > 100:
		return usageErrorf("--model-tolerance %v: expected percentage points from 0 to 100", a.modelTol)
	case a.sampling <= 0:
		return usageErrorf("--sampling-interval %v: expected a duration above 0 as in 1ms", a.sampling)
	case a.xve < 0:
		return usageErrorf("--xve %d: expected a number of XVEs above 0", a.xve)
	case a.top < 0:
		return usageErrorf("--top %d: expected a number of kernels above 0", a.top)
	}
	a.show = report.Selection{Top: a.top, Sort: report.SortKey(a.sortBy)}
	if a.kernel != "" {
		var err error
		if a.show.Kernel, err = regexp.Compile(a.kernel); err != nil {
			return usageErrorf("--kernel %q: expected a regular expression: %v", a.kernel, err)
		}
	}
	return nil
}

// completion adds the command that prints completion scripts, and tells the shells what flags may hold. It runs over
// the whole tree, so that a flag completes alike wherever it is.
func (a *app) completion(root *cobra.Command) {
	root.SetOut(a.stdout) // its commands keep the stream that they find now
	root.InitDefaultCompletionCmd()
	for c := range cli.All(root) {
		// fails only where there is one
		register := func(f *pflag.Flag) { _ = c.RegisterFlagCompletionFunc(f.Name, a.completer(f)) }
		c.LocalNonPersistentFlags().VisitAll(register)
		c.PersistentFlags().VisitAll(register)
		switch c.Name() {
		case "completion":
			c.Use = "completion SHELL"
			c.Short = "Print the completion script of a shell"
			c.Long = "Print the completion script of a shell: bash, zsh, fish or powershell. The help of each says " +
				"how to load it."
			c.Example = `  # For this shell, and for all that follow
  source <(occudiff completion bash)
  occudiff completion zsh > "${fpath[1]}/_occudiff"

  # How to load it
  occudiff completion fish --help`
			c.RunE = func(*cobra.Command, []string) error {
				return usageErrorf("completion needs a shell: bash, zsh, fish or powershell")
			}
		case "demo", "version":
			c.ValidArgsFunction = cobra.NoFileCompletions
		case "devices":
			c.ValidArgsFunction = a.completeDevices
		}
	}
}

// completer gives what completes a flag.
func (a *app) completer(f *pflag.Flag) cobra.CompletionFunc {
	switch f.Name {
	case "device":
		return a.completeDevices
	case "platform":
		return completePlatforms
	case "db":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	}
	return cli.Complete(f)
}

// completeDevices completes the keys of the device table, those of --device-file included, with the devices' names. The
// last of a list is completed.
func (a *app) completeDevices(c *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	t, err := a.table()
	if err != nil {
		if t, err = arch.Builtin(); err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	var keys []string
	for _, d := range t.Devices() {
		if key := before + d.Key; strings.HasPrefix(strings.ToLower(key), strings.ToLower(typed)) {
			keys = append(keys, cobra.CompletionWithDesc(key, d.Name))
		}
	}
	if c.Name() == "predict" && strings.HasPrefix("all", typed) {
		keys = append(keys, cobra.CompletionWithDesc("all", "every device of the table"))
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}

func completePlatforms(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	t, err := computeunit.Builtin()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var keys []string
	for _, p := range t.Platforms() {
		keys = append(keys, p.Key)
	}
	return keys, cobra.ShellCompDirectiveNoFileComp
}
