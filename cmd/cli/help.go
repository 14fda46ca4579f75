package cli

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"occudiff/report/text"
)

// width is what help texts fit into.
const width = 80

// Help prints what a command is for, examples by task, the commands below it, its own flags, and in short those that it
// shares with others.
func Help(c *cobra.Command, _ []string) {
	var b strings.Builder
	text, usage := cmp.Or(c.Long, c.Short), c.UseLine()
	if c.HasAvailableSubCommands() {
		usage = c.CommandPath() + " COMMAND [flags]"
	}
	b.WriteString(text + "\n\nUsage:\n  " + usage + "\n")
	if c.Example != "" {
		b.WriteString("\nExamples:\n" + c.Example + "\n")
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
		fmt.Fprintf(&b, "\n'%s help flags' has the details, and %d more flags of this command.\n", c.Root().Name(), experts)
	} else if shared != "" {
		fmt.Fprintf(&b, "\n'%s help flags' has the details.\n", c.Root().Name())
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n'" + c.CommandPath() + " COMMAND --help' describes a command.\n")
	}
	fmt.Fprint(c.OutOrStdout(), b.String())
}

// flagLines are the flags of a command, a line or more each: its own, and those that it shares. Those of experts are only
// counted.
func flagLines(f *pflag.FlagSet) (own, shared string, experts int) {
	f.VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Hidden || f.Name == "help" || f.Name == "version":
		case len(f.Annotations[keyExpert]) > 0:
			experts++
		case f.Annotations[keyShared] == nil:
			own += flagLine(f, f.Usage)
		default:
			short, _, _ := strings.Cut(f.Usage, ";")
			shared += flagLine(f, short)
		}
	})
	return own, shared, experts
}

// flagLine is a flag in a help text: its names, its value, what it is for, and its default.
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

// PrintFlags prints all flags below a text, whole: those that commands share, then those of experts that one command has.
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
