package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"occudiff/ingest/unit"
	"occudiff/report/text"
)

// width is the maximum number of columns in a help text.
const width = 80

// Help prints the help of a command: its purpose, examples by task, a
// description, its subcommands, its own flags, and a short form of the flags
// that it shares with other commands.
func Help(c *cobra.Command, _ []string) {
	var b strings.Builder
	usage := c.UseLine()
	if c.HasAvailableSubCommands() {
		usage = c.CommandPath() + " COMMAND [flags]"
	}
	b.WriteString(strings.TrimSuffix(c.Short, ".") + ".\n\nUsage:\n  " + usage + "\n")
	if c.Example != "" {
		b.WriteString("\nExamples:\n" + c.Example + "\n")
	}
	if c.Long != "" {
		b.WriteString("\n" + strings.TrimSpace(c.Long) + "\n")
	}
	groups := c.Groups()
	if len(groups) == 0 && c.HasAvailableSubCommands() {
		groups = []*cobra.Group{{Title: "Commands"}}
	}
	for _, g := range groups {
		b.WriteString("\n" + g.Title + ":\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.GroupID == g.ID {
				fmt.Fprintf(&b, "  %-11s %s\n", sub.Name(), sub.Short)
			}
		}
	}
	own, shared, experts := flagLines(c.Flags())
	if own != "" {
		b.WriteString("\nFlags:\n" + own)
	}
	if shared != "" {
		b.WriteString("\nFlags that other commands have, too:\n" + shared)
	}
	if experts > 0 {
		fmt.Fprintf(&b, "\n'%s help flags' has the details, and %s of this command.\n", c.Root().Name(),
			unit.FormatCount(experts, "more flag", "more flags"))
	} else if shared != "" {
		fmt.Fprintf(&b, "\n'%s help flags' has the details.\n", c.Root().Name())
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n'" + c.CommandPath() + " COMMAND --help' describes a command.\n")
	}
	fmt.Fprint(c.OutOrStdout(), b.String())
}

// flagLines returns the help texts of a command's own flags and of its shared
// flags. For the flags for experts, it returns only their number.
func flagLines(f *pflag.FlagSet) (own, shared string, experts int) {
	f.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || f.Name == "help" || f.Name == "version":
		case len(f.Annotations[keyExpert]) > 0:
			experts++
		case f.Annotations[keyShared] == nil:
			own += flagLine(f, f.Usage)
		default:
			short, _, _ := strings.Cut(f.Usage, ". ")
			shared += flagLine(f, short)
		}
	})
	return own, shared, experts
}

// flagLine returns the help of a flag: its names, value, usage, and default.
func flagLine(f *pflag.Flag, usage string) string {
	const indent = 27
	head := "      --" + f.Name
	if f.Shorthand != "" {
		head = "  -" + f.Shorthand + ", --" + f.Name
	}
	if arg := strings.Join(f.Annotations[keyArg], ""); arg != "" {
		head += " " + arg
	}
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	if len(head)+2 > indent {
		return head + "\n" + text.Paragraph("", indent, usage, width)
	}
	return text.Paragraph(head, indent, usage, width)
}

// PrintFlags prints a text and the full help of all flags: first the shared
// flags, then each command's flags for experts.
func PrintFlags(w io.Writer, text string, root *cobra.Command, shared *pflag.FlagSet) error {
	var b strings.Builder
	b.WriteString(text + "\n\n")
	shared.VisitAll(func(f *pflag.Flag) { b.WriteString(flagLine(f, f.Usage)) })
	for _, c := range All(root) {
		title := "\nMore of '" + c.CommandPath() + "':\n"
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if len(f.Annotations[keyExpert]) > 0 && f.Annotations[keyShared] == nil {
				b.WriteString(title + flagLine(f, f.Usage))
				title = ""
			}
		})
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Names returns the names of a command's subcommands.
func Names(c *cobra.Command) []string {
	var list []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			list = append(list, sub.Name())
		}
	}
	return list
}

// All returns a command and all commands below it.
func All(c *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{c}
	for _, sub := range c.Commands() {
		list = append(list, All(sub)...)
	}
	return list
}

// UnknownCommand returns an error if an argument is in the place of a command
// but is not a command. cobra does not detect this if a help flag follows: it
// prints the help of the parent command and succeeds. instead returns what to
// type for a word, or "".
func UnknownCommand(root *cobra.Command, args []string, instead func(word string) string) error {
	c, rest, _ := root.Find(args)
	// Cobra adds its own commands, such as __complete, later.
	if !c.HasAvailableSubCommands() || len(rest) > 0 && strings.HasPrefix(rest[0], "__") {
		return nil
	}
	for i := 0; i < len(rest); i++ {
		word := rest[i]
		if name, isFlag := strings.CutPrefix(word, "--"); isFlag {
			if f := c.Flag(name); f != nil && f.NoOptDefVal == "" {
				i++ // skip the flag's value
			}
			continue
		}
		if strings.HasPrefix(word, "-") {
			continue
		}
		if other := instead(word); other != "" && c == root {
			return Errorf("%q is not a command of %s; type '%s'", word, c.CommandPath(), other)
		}
		if near := DidYouMean(word, Choices(Names(c))); near != "" {
			return Errorf("%q is not a command of %s%s", word, c.CommandPath(), near)
		}
		for _, other := range All(root) { // another command's subcommand, as in `occudiff backtest`
			if other.Name() == word && other.IsAvailableCommand() {
				return Errorf("%q is not a command of %s; did you mean '%s'?", word, c.CommandPath(),
					other.CommandPath())
			}
		}
		return Errorf("%q is not a command of %s; expected %s", word, c.CommandPath(), strings.Join(Names(c), ", "))
	}
	return nil
}

// FlagError returns a better error for an error in a command's flags. It
// contains the values that a flag accepts, the flag with the most similar name,
// or the commands that have the flag. shared contains the flags that several
// commands have.
func FlagError(c *cobra.Command, err error, shared *pflag.FlagSet) error {
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		f, value := wrong.GetFlag(), wrong.GetValue()
		if want := Expected(f, value); want != "" {
			return Errorf("--%s %q: expected %s", f.Name, value, want)
		}
		flag := "--" + f.Name + " " // the message of a list of sizes already begins with it
		return Errorf("%s%s", flag, strings.TrimPrefix(errors.Unwrap(wrong).Error(), flag))
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return Errorf("%v; see '%s --help'", err, c.CommandPath())
	}
	name := unknown.GetSpecifiedName()
	if len(name) == 1 && shared.ShorthandLookup(name) != nil {
		name = shared.ShorthandLookup(name).Name
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
	var own []Choice
	c.Flags().VisitAll(func(f *pflag.Flag) { own = append(own, Choice{"--" + f.Name, f.Usage}) })
	if near := DidYouMean(name, own); near != "" {
		return Errorf("%v%s See '%s --help'", err, near, c.CommandPath())
	}
	return Errorf("%v; see '%s --help'", err, c.CommandPath())
}

// Expected returns a description of the values that a flag's type accepts, or
// "" if the type accepts any string.
func Expected(f *pflag.Flag, value string) string {
	if _, err := strconv.ParseFloat(value, 64); err == nil && f.Value.Type() == "duration" {
		return "a unit: " + value + "us or " + value + "ms?"
	}
	return map[string]string{"int": "a whole number", "int64": "a whole number", "count": "a whole number",
		"float64":  "a number",
		"duration": "a duration, for example 100us or 1ms"}[f.Value.Type()]
}

// RelativePath returns a path in the form that GitHub requires: with slashes,
// and relative to the working folder, where a CI job has its checkout. A path
// outside of the working folder is unchanged. RelativePath returns "" for
// standard input.
func RelativePath(path string) string {
	if path == "" || path == "-" {
		return ""
	}
	here, _ := os.Getwd()
	full, _ := filepath.Abs(path)
	if rel, err := filepath.Rel(here, full); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return filepath.ToSlash(path)
}
