// Package cli declares flags and prints help. One declaration of a flag
// determines how it is registered, checked, completed, and explained. Help
// texts have groups of flags and fit into 80 columns. The error for an unknown
// command or flag names the nearest one.
//
// The package depends on cobra and pflag. It must not contain anything about
// the commands of the program or about occupancy.
package cli

import (
	"cmp"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Errorf returns an error about wrong usage. Its text must state what the user
// should do.
func Errorf(format string, args ...any) error {
	return note.Errorf("usage", note.Pos{}, "", format, args...)
}

// The keys of a flag's annotations. They contain the values of the tags with
// the same names, whether other commands also have the flag, and whether only
// the list of all flags shows it.
const (
	keyWords  = "words"
	keyHints  = "hints"
	keyFiles  = "files"
	keyArg    = "arg"
	keyShared = "shared"
	keyExpert = "expert"
	keyRange  = "range"
)

// Declare registers the fields of a struct, or of embedded structs, that have
// the tag flag:
//
//	flag     name; "output,o" for a flag with a letter
//	default  default value; without this tag, the value of the field
//	arg      name of the value in help texts; none for a switch
//	help     usage; the help of a command shows the first sentence of a flag that commands share
//	words    allowed values, separated by blanks; a list flag without a value has all of them
//	hints    examples of values, for completion
//	files    endings of the files that the flag names; * is any
//	range    smallest and largest number, and the text for an error; seconds for a duration
//	expert   "true" leaves the flag out of the command's help; the list of all flags has it
func Declare(f *pflag.FlagSet, flags any) { declare(f, reflect.ValueOf(flags).Elem()) }

func declare(f *pflag.FlagSet, v reflect.Value) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if field.Anonymous && field.Type.Kind() == reflect.Struct {
			declare(f, v.Field(i))
			continue
		}
		name, letter, _ := strings.Cut(field.Tag.Get("flag"), ",")
		if name == "" {
			continue
		}
		help := field.Tag.Get("help")
		switch v := v.Field(i).Addr().Interface().(type) {
		case *string:
			f.StringVarP(v, name, letter, *v, help)
		case *[]string:
			if words, ok := field.Tag.Lookup(keyWords); ok {
				f.StringSliceVarP(v, name, letter, *v, help)
				f.Lookup(name).NoOptDefVal = strings.ReplaceAll(words, " ", ",")
				break
			}
			f.StringArrayVarP(v, name, letter, *v, help)
		case *int:
			f.IntVarP(v, name, letter, *v, help)
		case *int64:
			f.Int64VarP(v, name, letter, *v, help)
		case *bool:
			f.BoolVarP(v, name, letter, *v, help)
		case *float64:
			f.Float64VarP(v, name, letter, *v, help)
		case *time.Duration:
			f.DurationVarP(v, name, letter, *v, help)
		case pflag.Value:
			f.VarP(v, name, letter, help)
		}
		flag := f.Lookup(name)
		switch flag.Value.Type() {
		case "int", "int64", "float64":
			flag.Value = number{flag.Value}
		}
		flag.Annotations = map[string][]string{}
		for _, key := range []string{keyWords, keyHints, keyFiles, keyArg, keyExpert, keyRange} {
			flag.Annotations[key] = strings.Fields(field.Tag.Get(key))
		}
		if text, ok := field.Tag.Lookup("default"); ok {
			_ = flag.Value.Set(text) // no error, because the tests of the commands detect an invalid default
			flag.DefValue = flag.Value.String()
		}
	}
}

// number is the value of a numeric flag in decimal notation. It rejects other
// notations that Go accepts, such as 5_0 for 50 and 0x10 for 16.
type number struct{ pflag.Value }

// Set implements pflag.Value.
func (n number) Set(text string) error {
	if strings.ContainsAny(text, "_xXoObB") {
		return strconv.ErrSyntax
	}
	return n.Value.Set(text)
}

// Share adds shared flags to a command. A shared flag has the same meaning in
// several commands. It is not added if the command has its own flag with that
// name. Help shows shared flags in a short form. names are separated by blanks.
// For example, "fail-on:never,mismatch" adds --fail-on with only these values,
// and "-local" adds --local but leaves it out of the command's help.
func Share(f, shared *pflag.FlagSet, names string) {
	for _, name := range strings.Fields(names) {
		name, words, _ := strings.Cut(name, ":")
		name, expert := strings.CutPrefix(name, "-")
		if f.Lookup(name) != nil {
			continue
		}
		flag := *shared.Lookup(name)
		flag.Annotations = maps.Clone(flag.Annotations)
		flag.Annotations[keyShared] = []string{"true"}
		if expert {
			flag.Annotations[keyExpert] = []string{"true"}
		}
		if words != "" {
			flag.Annotations[keyWords] = strings.Split(words, ",")
			flag.Usage += ": " + strings.ReplaceAll(words, ",", ", ")
		}
		f.AddFlag(&flag)
	}
}

// NamesFile reports whether a flag names a file that is read or written.
func NamesFile(f *pflag.Flag) bool { return len(f.Annotations[keyFiles]) > 0 }

// Check returns an error for the first flag on the command line whose value is
// not allowed.
func Check(f *pflag.FlagSet) (err error) {
	f.Visit(func(f *pflag.Flag) { err = cmp.Or(err, CheckFlag(f)) })
	return err
}

// CheckFlag returns an error if the value of a flag is not allowed.
func CheckFlag(f *pflag.Flag) error {
	given, words := []string{f.Value.String()}, f.Annotations[keyWords]
	if limits := f.Annotations[keyRange]; len(limits) > 2 && !within(given[0], limits) {
		return Errorf("--%s %s: expected %s", f.Name, given[0], strings.Join(limits[2:], " "))
	}
	if list, ok := f.Value.(pflag.SliceValue); ok {
		given = list.GetSlice()
	}
	for _, word := range given {
		if len(words) > 0 && !slices.Contains(words, word) {
			return Errorf("--%s %q: expected one of %s%s", f.Name, word, strings.Join(words, ", "),
				DidYouMean(word, Choices(words)))
		}
	}
	return nil
}

// within reports whether a number, or a duration in seconds, is in a range.
func within(value string, limits []string) bool {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil {
		d, _ := time.ParseDuration(value)
		x = d.Seconds()
	}
	least, _ := strconv.ParseFloat(limits[0], 64)
	most, _ := strconv.ParseFloat(limits[1], 64)
	return least <= x && x <= most
}

// RejectFlags returns an error if one of the flags was given. The error states
// that the flag does not work with what. flags are separated by blanks.
func RejectFlags(f *pflag.FlagSet, what, flags string) error {
	for _, name := range strings.Fields(flags) {
		if f.Changed(name) {
			return Errorf("--%s does not work with %s", name, what)
		}
	}
	return nil
}

// Unlimited allows any number of arguments.
const Unlimited = math.MaxInt

// Args returns a function that checks the number of arguments of a command.
// what is the error message, in which %d is the number of arguments.
func Args(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if n := len(args); n < least || n > most {
			return Errorf("%s", strings.ReplaceAll(what, "%d", strconv.Itoa(n)))
		}
		return nil
	}
}

// Complete returns a function that completes a flag's value: with its allowed
// values, with files, or with nothing if any value is possible.
func Complete(f *pflag.Flag) cobra.CompletionFunc {
	switch words := slices.Concat(f.Annotations[keyWords], f.Annotations[keyHints]); {
	case len(words) > 0:
		return CompleteWords(words)
	case slices.Contains(f.Annotations[keyFiles], "*"):
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault)
	case NamesFile(f):
		return cobra.FixedCompletions(f.Annotations[keyFiles], cobra.ShellCompDirectiveFilterFileExt)
	}
	return cobra.NoFileCompletions
}

// CompleteWords returns a function that completes with the words of a list. The
// shell leaves out words that do not begin with the typed text.
func CompleteWords(list []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

// Size is a flag value for a launch size. A number in it may have a unit. For
// example, 1M is 1,048,576.
type Size string

// Set implements pflag.Value.
func (s *Size) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("is empty: expected work-items, for example 256 or 16x16")
	}
	*s = Size(unit.ExpandCounts(text))
	return nil
}

// String implements pflag.Value.
func (s *Size) String() string { return string(*s) }

// Type implements pflag.Value.
func (s *Size) Type() string { return "size" }

// Size returns the size. name is the name of the flag, for errors.
func (s Size) Size(name string) (unit.Size3, error) {
	size, err := unit.ParseSize(strings.TrimSpace(string(s)))
	if err != nil {
		return size, Errorf("--%s: %v", name, err)
	}
	return size, nil
}

// Bytes returns the amount of memory that a flag's text contains, or 0 if the
// text is empty.
func Bytes(name, text string) (b unit.Bytes, err error) {
	if err = b.UnmarshalCSV(text); err != nil {
		err = Errorf("--%s %v", name, err)
	}
	return b, err
}

// Sizes is a flag value for launch sizes: a size for all kernels, such as 256,
// and sizes for named kernels, such as 'VectorAdd3<8>=320'. A name may be a
// pattern: 'VectorAdd3<*>=224'.
type Sizes struct {
	Size
	Named []string // each is name=size, separated by the last =
}

// Set implements pflag.Value.
func (s *Sizes) Set(text string) error {
	if !strings.Contains(text, "=") {
		return s.Size.Set(text)
	}
	s.Named = append(s.Named, text)
	_, err := s.ByName()
	return err
}

// ByName returns the sizes of --local.
func (s *Sizes) ByName() (names.ByName[unit.Size3], error) {
	return byName("local", string(s.Size), s.Named, "a size", func(text string) (unit.Size3, error) {
		return unit.ParseSize(unit.ExpandCounts(text))
	})
}

// Count is a flag value for numbers: a number for all kernels, and numbers for
// named kernels, as in Sizes.
type Count struct {
	N     int // number for all kernels; 0 if it was not given
	Named []string
}

// String implements pflag.Value.
func (c *Count) String() string { return strconv.Itoa(c.N) }

// Type implements pflag.Value.
func (c *Count) Type() string { return "count" }

// Set implements pflag.Value.
func (c *Count) Set(text string) (err error) {
	if !strings.Contains(text, "=") {
		c.N, err = strconv.Atoi(text)
		return err
	}
	c.Named = append(c.Named, text)
	_, err = c.ByName()
	return err
}

// ByName returns the numbers of --simd.
func (c *Count) ByName() (names.ByName[int], error) {
	return byName("simd", strings.TrimPrefix(strconv.Itoa(c.N), "0"), c.Named, "a number above 0",
		func(text string) (int, error) {
			n, err := strconv.Atoi(text)
			if n < 1 {
				return n, cmp.Or(err, strconv.ErrRange)
			}
			return n, err
		})
}

func byName[T any](flag, all string, named []string, what string,
	parse func(string) (T, error)) (b names.ByName[T], err error) {
	if all = strings.TrimSpace(all); all != "" {
		v, err := parse(all)
		if err != nil {
			return b, Errorf("--%s %q: expected %s", flag, all, what)
		}
		b.Set("", v)
	}
	for _, text := range named {
		at := strings.LastIndexByte(text, '=')
		v, err := parse(strings.TrimSpace(text[at+1:]))
		if err != nil || at == 0 {
			return b, Errorf("--%s %q: expected %s, or a kernel name before it, for example 'VectorAdd3<8>=320'", flag,
				text, what)
		}
		b.Set(text[:at], v)
	}
	return b, nil
}
