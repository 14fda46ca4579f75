package main

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"occudiff/compare"
	"occudiff/ingest/unit"
)

// flagDef declares a flag once: how it is registered, checked, completed and explained.
type flagDef struct {
	name  string // "output,o" where it has a letter
	value any    // where it goes; what stands there is the default
	arg   string // what help texts call the value; none for a switch
	usage string // what help texts say; of a flag that commands share, --help shows it up to the first semicolon
	words string // the only ones that it takes, with a blank between them
	hints string // some that it takes, for completion
	files string // the endings of the files that it names, with a blank between them
}

// What a flag's annotations hold.
const (
	flagWords  = "words"  // the words that it takes
	flagHints  = "hints"  // some of the words that it takes
	flagFiles  = "files"  // the endings of the files that it names
	flagArg    = "arg"    // what help texts call the value
	flagShared = "shared" // set where other commands have the flag too
)

// define registers flags.
func define(f *pflag.FlagSet, list ...flagDef) {
	for _, d := range list {
		name, letter, _ := strings.Cut(d.name, ",")
		switch v := d.value.(type) {
		case *string:
			f.StringVarP(v, name, letter, *v, d.usage)
		case *[]string:
			f.StringArrayVarP(v, name, letter, *v, d.usage)
		case *int:
			f.IntVarP(v, name, letter, *v, d.usage)
		case *int64:
			f.Int64VarP(v, name, letter, *v, d.usage)
		case *bool:
			f.BoolVarP(v, name, letter, *v, d.usage)
		case *float64:
			f.Float64VarP(v, name, letter, *v, d.usage)
		case *time.Duration:
			f.DurationVarP(v, name, letter, *v, d.usage)
		case pflag.Value:
			f.VarP(v, name, letter, d.usage)
		}
		f.Lookup(name).Annotations = map[string][]string{
			flagWords: strings.Fields(d.words), flagHints: strings.Fields(d.hints), flagFiles: strings.Fields(d.files), flagArg: {d.arg}}
	}
}

// sharedFlags are those that mean the same in every command that has them. Each command takes what it uses, see share.
func (a *app) sharedFlags() []flagDef {
	return []flagDef{
		{name: "device", value: &a.device, arg: "NAME",
			usage: "GPU: a key, name, alias or PCI id; see 'occudiff devices'; without it what the inputs say"},
		{name: "xve", value: &a.xve, arg: "N", usage: "number of XVEs (EUs) of a binned part"},
		{name: "device-file", value: &a.deviceFile, arg: "FILE", files: "csv", usage: "CSV of further devices, see docs/devices.md"},
		{name: "tolerance", value: &a.tolerance, arg: "POINTS",
			usage: "difference that still matches; between seen and predicted occupancy, in percentage points"},
		{name: "model-tolerance", value: &a.modelTol, arg: "POINTS",
			usage: "the same of the profiler's and the predicted peak; where they differ by more, the model is wrong"},
		{name: "sampling-interval", value: &a.sampling, arg: "DURATION",
			usage: "the collection's gpu-sampling-interval; what runs for less than it cannot be measured"},
		{name: "driver", value: &a.driver, arg: "VERSION", usage: "GPU driver of the run; no export has it"},
		{name: "vtune-version", value: &a.vtune, arg: "VERSION", usage: "VTune version of the run; only HTML summaries have it"},
		{name: "label", value: &a.label, arg: "NAME", usage: "a name for the run in reports and history"},
		{name: "annotations", value: &a.annotate,
			usage: "print GitHub annotations too; to standard error, also with -q: errors for what fails the command, else warnings"},
		{name: "output,o", value: &a.outputs, arg: "FILE", files: "xlsx md html json csv xml svg",
			usage: "write .xlsx .md .html .json or .csv too; the ending picks the format; .xml is JUnit and .svg a chart, " +
				"where the command has one; repeatable"},
		{name: "format", value: &a.format, arg: "FORMAT", words: "table markdown json csv",
			usage: "of standard output: table, markdown, json, csv"},
		{name: "color", value: &a.color, arg: "WHEN", words: "auto always never",
			usage: "auto, always or never; auto is on a terminal, unless NO_COLOR is set"},
		{name: "progress", value: &a.progress, arg: "WHEN", words: "auto always never",
			usage: "progress bar: auto, always or never; on standard error"},
		{name: "quiet,q", value: &a.quiet, usage: "errors only; no notes, other warnings or progress on standard error, except what was asked for: " +
			"annotations, and a --fail-on that had nothing to judge"},
	}
}

// Sets of shared flags, for share.
const (
	deviceFlags = "device xve device-file"
	runFlags    = deviceFlags + " tolerance model-tolerance sampling-interval driver vtune-version label progress"
	answerFlags = "output format color quiet"
)

// share gives a command those of the shared flags that it uses: a flag that does nothing for a command must not look as if
// it did.
func (a *app) share(c *cobra.Command, names ...string) {
	wanted := strings.Fields(strings.Join(names, " "))
	for _, d := range a.sharedFlags() {
		name, _, _ := strings.Cut(d.name, ",")
		if slices.Contains(wanted, name) && c.Flags().Lookup(name) == nil {
			define(c.Flags(), d)
			c.Flags().Lookup(name).Annotations[flagShared] = []string{"true"}
		}
	}
}

// shareGate gives a command --fail-on with what it can fail on, and --annotations.
func (a *app) shareGate(c *cobra.Command, words ...string) {
	words = append([]string{"never"}, words...)
	define(c.Flags(), flagDef{name: "fail-on", value: &a.failOn, arg: "WHAT", words: strings.Join(words, " "),
		usage: "exit 1 on this: " + strings.Join(words, ", ")})
	c.Flags().Lookup("fail-on").Annotations[flagShared] = []string{"true"}
	a.share(c, "annotations")
}

// setDefaults gives the shared flags their defaults, for commands that do not have them.
func (a *app) setDefaults() {
	d := compare.DefaultOptions()
	a.tolerance, a.modelTol, a.sampling = float64(d.Tolerance), float64(d.ModelTolerance), time.Millisecond
	a.failOn, a.format, a.color, a.progress = "never", "table", "auto", "auto"
}

// checkFlags finds wrong values before any work is done.
func (a *app) checkFlags(f *pflag.FlagSet) (err error) {
	f.Visit(func(f *pflag.Flag) {
		if words := f.Annotations[flagWords]; err == nil && len(words) > 0 && !slices.Contains(words, f.Value.String()) {
			err = usageErrorf("--%s %q: expected one of %s", f.Name, f.Value, strings.Join(words, ", "))
		}
	})
	switch {
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
	}
	return nil
}

// flagError explains a flag that a command does not have: which command has it, or which one is nearly called so.
func (a *app) flagError(c *cobra.Command, err error) error {
	var wrong *pflag.InvalidValueError
	if errors.As(err, &wrong) {
		return wrongValue(wrong.GetFlag(), wrong.GetValue(), errors.Unwrap(wrong))
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usageErrorf("%v; see '%s --help'", err, c.CommandPath())
	}
	name := unknown.GetSpecifiedName()
	for _, d := range a.sharedFlags() {
		if long, letter, _ := strings.Cut(d.name, ","); letter == name {
			name = long
		}
	}
	var own []string
	c.Flags().VisitAll(func(f *pflag.Flag) { own = append(own, f.Name) })
	if near := nearest(name, own); len(near) > 0 {
		return usageErrorf("%v; did you mean --%s? See '%s --help'", err, strings.Join(near, " or --"), c.CommandPath())
	}
	var others []string
	for other := range commandsOf(c.Root()) {
		if other.Flags().Lookup(name) != nil && other.IsAvailableCommand() {
			others = append(others, strings.TrimPrefix(other.CommandPath(), c.Root().Name()+" "))
		}
	}
	if len(others) > 0 {
		return usageErrorf("--%s does nothing for '%s'; it belongs to %s", name, c.CommandPath(), strings.Join(others, ", "))
	}
	return usageErrorf("%v; see '%s --help'", err, c.CommandPath())
}

// wrongValue says what a flag takes instead of what was given.
func wrongValue(f *pflag.Flag, value string, why error) error {
	switch f.Value.Type() {
	case "int", "int64":
		return usageErrorf("--%s %q: expected a whole number", f.Name, value)
	case "float64":
		return usageErrorf("--%s %q: expected a number", f.Name, value)
	case "duration":
		return usageErrorf("--%s %q: expected a duration as in 1ms", f.Name, value)
	}
	return usageErrorf("--%s %v", f.Name, why)
}

// nearest gives the words that are nearly spelled as the one that was typed.
func nearest(typed string, words []string) []string {
	all := &cobra.Command{SuggestionsMinimumDistance: min(2, len(typed)/3)}
	for _, w := range words {
		all.AddCommand(&cobra.Command{Use: w, Run: func(*cobra.Command, []string) {}})
	}
	return all.SuggestionsFor(typed)
}

// sizeFlag is a launch size as text. Counts may have a unit, 1M for 1,048,576.
type sizeFlag string

// countWithUnit is a count, its unit, and what ends the word.
var countWithUnit = regexp.MustCompile(`(?i)(\d+)([KMG])(x|\W|$)`)

func (s *sizeFlag) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("is empty: expected work-items as in 256 or 16x16")
	}
	*s = sizeFlag(countWithUnit.ReplaceAllStringFunc(text, func(match string) string {
		m := countWithUnit.FindStringSubmatch(match)
		n, err := strconv.ParseInt(m[1], 10, 64)
		shift := 10 * (1 + strings.Index("KMG", strings.ToUpper(m[2])))
		if err != nil || n > math.MaxInt64>>shift {
			return match // one that is too large is refused where the size is read
		}
		return strconv.FormatInt(n<<shift, 10) + m[3]
	}))
	return nil
}

func (s *sizeFlag) String() string { return string(*s) }

// Type names the value in help texts.
func (s *sizeFlag) Type() string { return "SIZE" }

// size reads a launch size; name is that of its flag.
func (s sizeFlag) size(name string) (unit.Size3, error) {
	size, err := unit.ParseSize(strings.TrimSpace(string(s)))
	if err != nil {
		return size, usageErrorf("--%s: %v", name, err)
	}
	return size, nil
}

// bytesOf reads the amount of memory of a flag, 0 when it is empty.
func bytesOf(flag, text string) (unit.Bytes, error) {
	if strings.TrimSpace(text) == "" {
		return 0, nil
	}
	b, err := unit.ParseBytes(text)
	if err != nil {
		return 0, usageErrorf("--%s %v", flag, err)
	}
	return b, nil
}

// refuse finds a flag that does not go with something else that was asked for.
func refuse(f *pflag.FlagSet, what, flags string) error {
	for _, name := range strings.Fields(flags) {
		if f.Changed(name) {
			return usageErrorf("--%s does not go with %s", name, what)
		}
	}
	return nil
}
