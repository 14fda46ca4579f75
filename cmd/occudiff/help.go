package main

import (
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"occudiff/report"
	"occudiff/report/terminal"
)

// helpWidth is what help texts fit into.
const helpWidth = 80

// release is the version of the program; a build from a module proxy carries its own.
const release = "0.1.0"

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" && info.Main.Sum != "" {
		return info.Main.Version
	}
	return release
}

// builtFrom names the commit that the program was built from and its time, as far as the build knows them.
func builtFrom() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var commit, date, changed string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.time":
			date = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				changed = ", with changes"
			}
		}
	}
	if commit == "" {
		return ""
	}
	return fmt.Sprintf(" (commit %s, %s%s)", commit, date, changed)
}

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs, Example: "  occudiff version",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, "occudiff", version()+builtFrom())
			return err
		},
	}
}

// helpCommand prints the help of a command.
func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "Print the help of a command, or of the flags that commands share",
		Example: "  occudiff help validate\n  occudiff help track add\n  occudiff help flags",
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			parent, _, _ := c.Root().Find(args)
			return names(parent), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && args[0] == "flags" {
				return a.helpOfFlags()
			}
			if err := unknownCommand(c.Root(), args); err != nil {
				return err
			}
			of, _, err := c.Root().Find(args)
			if err != nil {
				return usageErrorf("%v", err)
			}
			return of.Help()
		},
	}
}

// unknownCommand is the error for a word in the place of a command that is none: cobra prints the help of the command before
// it where a help flag follows, and succeeds.
func unknownCommand(root *cobra.Command, args []string) error {
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
		if !strings.HasPrefix(word, "-") {
			if near := nearest(word, names(c)); len(near) > 0 {
				return usageErrorf("%s has no command %q; did you mean %s?", c.CommandPath(), word, strings.Join(near, " or "))
			}
			return usageErrorf("%s has no command %q; it has %s", c.CommandPath(), word, strings.Join(names(c), ", "))
		}
	}
	return nil
}

// names lists the commands of a command.
func names(c *cobra.Command) []string {
	var list []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			list = append(list, sub.Name())
		}
	}
	return list
}

// commandsOf goes through a command and all below it.
func commandsOf(c *cobra.Command) iter.Seq[*cobra.Command] {
	return func(yield func(*cobra.Command) bool) {
		if !yield(c) {
			return
		}
		for _, sub := range c.Commands() {
			for below := range commandsOf(sub) {
				if !yield(below) {
					return
				}
			}
		}
	}
}

// printHelp prints what a command is for, examples by task, the commands below it, its own flags, and in short those that it
// shares with others.
func printHelp(c *cobra.Command, _ []string) {
	var b strings.Builder
	text := c.Long
	if text == "" {
		text = c.Short
	}
	b.WriteString(fill(text, helpWidth) + "\n\nUsage:\n  " + c.UseLine() + "\n")
	if c.HasAvailableSubCommands() {
		b.Reset()
		b.WriteString(fill(text, helpWidth) + "\n\nUsage:\n  " + c.CommandPath() + " COMMAND [flags]\n")
	}
	if c.Example != "" {
		b.WriteString("\nExamples:\n" + c.Example + "\n")
	}
	for _, g := range groupsOf(c) {
		b.WriteString("\n" + g.Title + ":\n")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.GroupID == g.ID {
				fmt.Fprintf(&b, "  %-11s %s\n", sub.Name(), sub.Short)
			}
		}
	}
	own, shared := "", ""
	c.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || f.Name == "help" || f.Name == "version":
		case f.Annotations[flagShared] == nil:
			own += flagLine(f, f.Usage)
		default:
			short, _, _ := strings.Cut(f.Usage, ";")
			shared += flagLine(f, short)
		}
	})
	if own != "" {
		b.WriteString("\nFlags:\n" + own)
	}
	if shared != "" {
		b.WriteString("\nShared flags, of which 'occudiff help flags' says more:\n" + shared)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n'" + c.CommandPath() + " COMMAND --help' says more of a command.\n")
	}
	fmt.Fprint(c.OutOrStdout(), b.String())
}

// groupsOf gives the groups of the commands below a command.
func groupsOf(c *cobra.Command) []*cobra.Group {
	switch {
	case !c.HasAvailableSubCommands():
		return nil
	case len(c.Groups()) > 0:
		return c.Groups()
	}
	return []*cobra.Group{{Title: "Commands"}}
}

// flagLine is a flag in a help text: its names, its value, what it is for, and its default.
func flagLine(f *pflag.Flag, usage string) string {
	const indent = 27
	head := "      --" + f.Name
	if f.Shorthand != "" {
		head = "  -" + f.Shorthand + ", --" + f.Name
	}
	if arg := strings.Join(f.Annotations[flagArg], ""); arg != "" {
		head += " " + arg
	}
	if d := f.DefValue; d != "" && d != "0" && d != "false" && d != "[]" && d != "0s" {
		usage += " (default " + d + ")"
	}
	if len(head)+2 > indent {
		return head + "\n" + terminal.Paragraph("", indent, usage, helpWidth)
	}
	return terminal.Paragraph(head, indent, usage, helpWidth)
}

// helpOfFlags prints the flags that commands share, whole.
func (a *app) helpOfFlags() error {
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.SortFlags = false
	define(f, a.sharedFlags()...)
	a.setDefaults()
	text := fill("These flags mean the same in every command that has them. A command has those that do something for it.", helpWidth) + "\n\n"
	f.VisitAll(func(f *pflag.Flag) { text += flagLine(f, f.Usage) })
	_, err := io.WriteString(a.stdout, text)
	return err
}

// fill breaks paragraphs into lines of a width. Lines that begin with a blank stay by themselves.
func fill(text string, width int) string {
	var lines []string
	line := ""
	flush := func() {
		if line != "" {
			lines = append(lines, line)
		}
		line = ""
	}
	for _, l := range strings.Split(text, "\n") {
		if l == "" || strings.HasPrefix(l, " ") {
			flush()
			lines = append(lines, l)
			continue
		}
		for _, word := range strings.Fields(l) {
			if line != "" && report.Width(line)+1+report.Width(word) > width {
				flush()
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
	}
	flush()
	return strings.Join(lines, "\n")
}
