// Package cli declares flags and prints help. A flag is declared once: how it
// is registered, checked, completed and explained. Help comes in groups and
// fits 80 columns; a command or flag that is not there gets the nearest one.
//
// The package knows cobra and pflag; it knows no command of the program and
// nothing of occupancy.
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

// Errorf is an error of usage, with what to do in its text.
func Errorf(format string, args ...any) error {
	return note.Errorf("usage", note.Pos{}, "", format, args...)
}

// What the annotations of a flag hold: the tags of the same name, whether other
// commands have it, too, and whether only the list of all flags shows it.
const (
	keyWords  = "words"
	keyHints  = "hints"
	keyFiles  = "files"
	keyArg    = "arg"
	keyShared = "shared"
	keyExpert = "expert"
)

// Declare registers the fields of a struct, or of those embedded in it, whose
// tags say that they are flags:
//
//	flag     the name; "output,o" where it has a letter
//	default  the default; without it, that is what is in the field
//	arg      what help texts call the value; none for a switch
//	help     what it is for; of a flag that commands share, their help shows it up to the first semicolon
//	words    the only values that it takes, with a blank between them; of a list with commas all, when none is given
//	hints    some that it takes, for completion
//	files    the endings of the files that it names; * is any
//	expert   "true" keeps it out of the command's help; the list of all flags has it
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
		for _, key := range []string{keyWords, keyHints, keyFiles, keyArg, keyExpert} {
			flag.Annotations[key] = strings.Fields(field.Tag.Get(key))
		}
		if text, ok := field.Tag.Lookup("default"); ok {
			_ = flag.Value.Set(text) // the tests of the command see a default that it does not take
			flag.DefValue = flag.Value.String()
		}
	}
}

// number is the value of a flag as people write it: Go also reads 5_0 as 50 and
// 0x10 as 16.
type number struct{ pflag.Value }

// Set implements pflag.Value.
func (n number) Set(text string) error {
	if strings.ContainsAny(text, "_xXoObB") {
		return strconv.ErrSyntax
	}
	return n.Value.Set(text)
}

// Share adds flags to a command that mean the same in others, but for those
// that it has of its own; help shows them in short. Names have a blank between
// them; "fail-on:never,mismatch" takes these words there, and "-local" is left
// out of the command's help.
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

// Check finds a flag that holds another word than those that it takes.
func Check(f *pflag.FlagSet) (err error) {
	f.Visit(func(f *pflag.Flag) {
		given, words := []string{f.Value.String()}, f.Annotations[keyWords]
		if list, ok := f.Value.(pflag.SliceValue); ok {
			given = list.GetSlice()
		}
		for _, word := range given {
			if err == nil && len(words) > 0 && !slices.Contains(words, word) {
				err = Errorf("--%s %q: expected one of %s%s", f.Name, word, strings.Join(words, ", "), DidYouMean(word, Choices(words)))
			}
		}
	})
	return err
}

// RejectFlags finds a flag that was given and does not go with something else
// that was asked for. Flags have a blank between them.
func RejectFlags(f *pflag.FlagSet, what, flags string) error {
	for _, name := range strings.Fields(flags) {
		if f.Changed(name) {
			return Errorf("--%s does not work with %s", name, what)
		}
	}
	return nil
}

// Unlimited is no bound of the number of arguments.
const Unlimited = math.MaxInt

// Args checks the number of a command's arguments; what says what is expected,
// with %d for how many there are.
func Args(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if n := len(args); n < least || n > most {
			return Errorf("%s", strings.ReplaceAll(what, "%d", strconv.Itoa(n)))
		}
		return nil
	}
}

// Complete returns what completes a flag: its words, files, or nothing where a
// value is the user's own.
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

// CompleteWords completes one of a list. A shell leaves out those that do not
// begin with what was typed.
func CompleteWords(list []string) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

// Size is the value of a flag that takes a launch size. Counts may have a unit,
// 1M for 1,048,576.
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

// Sizes is the value of a flag that takes a launch size for all kernels, and
// others for kernels that it names: 256, and 'VectorAdd3<8>=320'. A name may be
// a pattern, as in 'VectorAdd3<*>=224'.
type Sizes struct {
	Size
	Named []string // names, each with its size behind the last =
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

// ByName reads the sizes of --local.
func (s *Sizes) ByName() (names.ByName[unit.Size3], error) {
	return byName("local", string(s.Size), s.Named, "a size", func(text string) (unit.Size3, error) {
		return unit.ParseSize(unit.ExpandCounts(text))
	})
}

// Count is the value of a flag that takes a number as Sizes takes sizes.
type Count struct {
	N     int // 0 when there is none for all kernels
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

// ByName reads the numbers of --simd.
func (c *Count) ByName() (names.ByName[int], error) {
	return byName("simd", strings.TrimPrefix(strconv.Itoa(c.N), "0"), c.Named, "a number above 0", func(text string) (int, error) {
		n, err := strconv.Atoi(text)
		if n < 1 {
			return n, cmp.Or(err, strconv.ErrRange)
		}
		return n, err
	})
}

func byName[T any](flag, all string, named []string, what string, parse func(string) (T, error)) (b names.ByName[T], err error) {
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
			return b, Errorf("--%s %q: expected %s, or the name of a kernel before it as in 'VectorAdd3<8>=320'", flag, text, what)
		}
		b.Set(text[:at], v)
	}
	return b, nil
}
