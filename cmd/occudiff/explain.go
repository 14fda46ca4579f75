package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"occudiff/compare"
	"occudiff/report/terminal"
)

// explainCommand documents the causes.
func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:       "explain [CAUSE]",
		Short:     "Say what a cause means, what to do, and where it is from",
		Long:      "Say what a cause means, how it is told, what to do, and where that is from. Without a name: all of them in the order in which they are looked for.",
		Example:   "  occudiff explain\n  occudiff explain dispatch",
		Args:      cobra.MaximumNArgs(1),
		ValidArgs: compare.Causes(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				c, ok := compare.Explain(strings.ToLower(args[0]))
				if !ok {
					return usageErrorf("no cause is named %q; the causes are %s", args[0], strings.Join(compare.Causes(), ", "))
				}
				return a.printCause(c)
			}
			var b strings.Builder
			for i, name := range compare.Causes() {
				c, _ := compare.Explain(name)
				b.WriteString(terminal.Paragraph(fmt.Sprintf("%2d  %s", i+1, name), 17, c.Means, a.width()))
			}
			_, err := io.WriteString(a.stdout, b.String())
			return err
		},
	}
}

func (a *app) printCause(c compare.CauseText) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (stands with: %s)\n", c.Name, c.Applies)
	for _, p := range [][2]string{{"What it means", c.Means}, {"How it is told", c.Sign}, {"What to do", c.Do}, {"From", c.From}} {
		b.WriteString(terminal.Paragraph(p[0], 16, p[1], a.width()))
	}
	_, err := io.WriteString(a.stdout, b.String())
	return err
}
