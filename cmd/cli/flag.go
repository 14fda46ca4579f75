// Package cli declares flags and prints help. A flag is declared once: how it is registered, checked, completed and
// explained. Help comes in groups and fits 80 columns; a command or flag that is not there gets the nearest one.
//
// The package knows cobra and pflag; it knows no command of the program and nothing of occupancy.
package cli

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Errorf is an error of usage, with what to do in its text.
func Errorf(format string, args ...any) error {
	return note.Faultf("usage", note.Pos{}, "", format, args...)
}

// Flag declares a flag.
type Flag struct {
	Name  string // "output,o" where it has a letter
	Value any    // where it goes; what stands there is the default
	Arg   string // what help texts call the value; none for a switch
	Usage string // what help texts say; of a shared flag, --help shows it up to the first semicolon
	Words string // the only ones that it takes, with a blank between them
	Hints string // some that it takes, for completion
	Files string // the endings of the files that it names, with a blank between them
}

// Long gives the name without the letter.
func (d *Flag) Long() string {
	name, _, _ := strings.Cut(d.Name, ",")
	return name
}

// What the annotations of a flag hold.
const (
	keyWords  = "words"
	keyHints  = "hints"
	keyFiles  = "files"
	keyArg    = "arg"
	keyShared = "shared"
)

// Define registers flags.
func Define(f *pflag.FlagSet, list ...Flag) {
	for _, d := range list {
		name, letter, _ := strings.Cut(d.Name, ",")
		switch v := d.Value.(type) {
		case *string:
			f.StringVarP(v, name, letter, *v, d.Usage)
		case *[]string:
			f.StringArrayVarP(v, name, letter, *v, d.Usage)
		case *int:
			f.IntVarP(v, name, letter, *v, d.Usage)
		case *int64:
			f.Int64VarP(v, name, letter, *v, d.Usage)
		case *bool:
			f.BoolVarP(v, name, letter, *v, d.Usage)
		case *float64:
			f.Float64VarP(v, name, letter, *v, d.Usage)
		case *time.Duration:
			f.DurationVarP(v, name, letter, *v, d.Usage)
		case pflag.Value:
			f.VarP(v, name, letter, d.Usage)
		}
		f.Lookup(name).Annotations = map[string][]string{keyWords: strings.Fields(d.Words),
			keyHints: strings.Fields(d.Hints), keyFiles: strings.Fields(d.Files), keyArg: {d.Arg}}
	}
}

// Share registers a flag that means the same in other commands, which help shows in short.
func Share(f *pflag.FlagSet, d Flag) {
	if f.Lookup(d.Long()) == nil {
		Define(f, d)
		f.Lookup(d.Long()).Annotations[keyShared] = []string{"true"}
	}
}

// NamesFile says whether a flag names a file that is read or written.
func NamesFile(f *pflag.Flag) bool { return len(f.Annotations[keyFiles]) > 0 }

// Check finds a flag that holds none of the words that it takes.
func Check(f *pflag.FlagSet) (err error) {
	f.Visit(func(f *pflag.Flag) {
		if words := f.Annotations[keyWords]; err == nil && len(words) > 0 && !slices.Contains(words, f.Value.String()) {
			err = Errorf("--%s %q: expected one of %s", f.Name, f.Value, strings.Join(words, ", "))
		}
	})
	return err
}

// Refuse finds a flag that was given and does not go with something else that was asked for. Flags have a blank between
// them.
func Refuse(f *pflag.FlagSet, what, flags string) error {
	for _, name := range strings.Fields(flags) {
		if f.Changed(name) {
			return Errorf("--%s does not work with %s", name, what)
		}
	}
	return nil
}

// Many is no bound of the number of arguments.
const Many = math.MaxInt

// Args checks the number of a command's arguments; what says what is expected, with %d for how many there are.
func Args(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if n := len(args); n < least || n > most {
			return Errorf("%s", strings.ReplaceAll(what, "%d", strconv.Itoa(n)))
		}
		return nil
	}
}

// Complete gives what completes a flag: its words, files, or nothing where a value is the user's own.
func Complete(f *pflag.Flag) cobra.CompletionFunc {
	switch words := slices.Concat(f.Annotations[keyWords], f.Annotations[keyHints]); {
	case len(words) > 0:
		return CompleteWords(words)
	case NamesFile(f):
		return cobra.FixedCompletions(f.Annotations[keyFiles], cobra.ShellCompDirectiveFilterFileExt)
	}
	return cobra.NoFileCompletions
}

// CompleteWords completes one of a list.
func CompleteWords(list []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		var fit []string
		for _, w := range list {
			if strings.HasPrefix(w, typed) {
				fit = append(fit, w)
			}
		}
		return fit, cobra.ShellCompDirectiveNoFileComp
	}
}

// Size is the value of a flag that takes a launch size. Counts may have a unit, 1M for 1,048,576.
type Size string

// Set implements pflag.Value.
func (s *Size) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("is empty: expected work-items as in 256 or 16x16")
	}
	*s = Size(unit.ExpandCounts(text))
	return nil
}

// String implements pflag.Value.
func (s *Size) String() string { return string(*s) }

// Type implements pflag.Value.
func (s *Size) Type() string { return "size" }

// Size reads the size; name is that of its flag.
func (s Size) Size(name string) (unit.Size3, error) {
	size, err := unit.ParseSize(strings.TrimSpace(string(s)))
	if err != nil {
		return size, Errorf("--%s: %v", name, err)
	}
	return size, nil
}

// Bytes reads the amount of memory of a flag, 0 when it is empty.
func Bytes(name, text string) (unit.Bytes, error) {
	if strings.TrimSpace(text) == "" {
		return 0, nil
	}
	b, err := unit.ParseBytes(text)
	if err != nil {
		return 0, Errorf("--%s %v", name, err)
	}
	return b, nil
}
