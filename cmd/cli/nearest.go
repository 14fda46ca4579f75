package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// nearest gives the words that are nearly spelled as the one that was typed: cobra knows how to, of commands.
func nearest(typed string, words []string) []string {
	all := &cobra.Command{SuggestionsMinimumDistance: min(2, len(typed)/3)}
	for _, w := range words {
		all.AddCommand(&cobra.Command{Use: w, Run: func(*cobra.Command, []string) {}})
	}
	return all.SuggestionsFor(typed)
}

// DidYouMean asks for the nearest words, empty when none is near.
func DidYouMean(typed string, words []string) string {
	if near := nearest(typed, words); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// Names lists the commands of a command.
func Names(c *cobra.Command) []string {
	var list []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			list = append(list, sub.Name())
		}
	}
	return list
}

// All lists a command and all below it.
func All(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		list = append(list, All(sub)...)
	}
	return list
}

// UnknownCommand is the error for a word in the place of a command that is none: cobra prints the help of the command
// before it where a help flag follows, and succeeds. instead gives what to type for a word, empty where it knows nothing.
func UnknownCommand(root *cobra.Command, args []string, instead func(word string) string) error {
	c, rest, _ := root.Find(args)
	if !c.HasAvailableSubCommands() || len(rest) > 0 && strings.HasPrefix(rest[0], "__") { // cobra adds its own later
		return nil
	}
	for i := 0; i < len(rest); i++ {
		word := rest[i]
		if name, isFlag := strings.CutPrefix(word, "--"); isFlag {
			if f := c.Flag(name); f != nil && f.NoOptDefVal == "" {
				i++ // its value
			}
			continue
		}
		if strings.HasPrefix(word, "-") {
			continue
		}
		if other := instead(word); other != "" && c == root {
			return Errorf("%s has no command %q; type '%s'", c.CommandPath(), word, other)
		}
		if near := nearest(word, Names(c)); len(near) > 0 {
			return Errorf("%s has no command %q; did you mean %s?", c.CommandPath(), word, strings.Join(near, " or "))
		}
		for _, other := range All(root) { // of another command, as in `occudiff backtest`
			if other.Name() == word && other.IsAvailableCommand() {
				return Errorf("%s has no command %q; did you mean '%s'?", c.CommandPath(), word, other.CommandPath())
			}
		}
		return Errorf("%s has no command %q; it has %s", c.CommandPath(), word, strings.Join(Names(c), ", "))
	}
	return nil
}

// FlagError explains an error in the flags of a command: what a flag takes, which one is nearly called so, or which
// commands have it. shared are the flags that several commands have.
func FlagError(c *cobra.Command, err error, shared *pflag.FlagSet) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f, value := wrong.GetFlag(), wrong.GetValue()
		if want := Expected(f, value); want != "" {
			return Errorf("--%s %q: expected %s", f.Name, value, want)
		}
		return Errorf("--%s %v", f.Name, errors.Unwrap(wrong))
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return Errorf("%v; see '%s --help'", err, c.CommandPath())
	}
	name := unknown.GetSpecifiedName()
	if len(name) == 1 && shared.ShorthandLookup(name) != nil {
		name = shared.ShorthandLookup(name).Name
	}
	var own []string
	c.Flags().VisitAll(func(f *pflag.Flag) { own = append(own, f.Name) })
	if near := nearest(name, own); len(near) > 0 {
		return Errorf("%v; did you mean --%s? See '%s --help'", err, strings.Join(near, " or --"), c.CommandPath())
	}
	var others []string
	for _, other := range All(c.Root()) {
		if other.Flags().Lookup(name) != nil && other.IsAvailableCommand() {
			others = append(others, strings.TrimPrefix(other.CommandPath(), c.Root().Name()+" "))
		}
	}
	if len(others) > 0 {
		return Errorf("--%s has no effect on '%s'; it belongs to %s", name, c.CommandPath(), strings.Join(others, ", "))
	}
	return Errorf("%v; see '%s --help'", err, c.CommandPath())
}

// Expected says what a flag takes instead of a value, where its type says it.
func Expected(f *pflag.Flag, value string) string {
	if _, err := strconv.ParseFloat(value, 64); err == nil && f.Value.Type() == "duration" {
		return "a unit: " + value + "us or " + value + "ms?"
	}
	return map[string]string{"int": "a whole number", "int64": "a whole number", "count": "a whole number", "float64": "a number",
		"duration": "a duration as in 100us or 1ms"}[f.Value.Type()]
}
