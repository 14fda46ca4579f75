package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"occudiff/compare"
	"occudiff/report/terminal"
)

// explainCommand documents the words of the answers.
func (a *app) explainCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "explain [WORD]",
		Short: "Say what a cause or a part of the account means, what to do, and where it is from",
		Long: "Say what a cause, or another word of the account, means, how it is told, what to do, and where that is from. Without a name: all causes in the " +
			"order in which they are looked for, then the parts of the account and what says how sure it is.",
		Example:   "  occudiff explain\n  occudiff explain dispatch\n  occudiff explain foreign",
		Args:      cobra.ArbitraryArgs,
		ValidArgs: explained(),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 { // several arguments are one word with blanks
				word := strings.Join(args, " ")
				c, ok := compare.Explain(strings.ToLower(word))
				if !ok {
					return usageErrorf("no cause is named %q; the causes are %s; other words are %s", word, strings.Join(compare.Causes(), ", "),
						strings.Join(explained()[len(compare.Causes()):], ", "))
				}
				return a.printCause(c)
			}
			var b strings.Builder
			for i, c := range compare.CauseTexts() {
				b.WriteString(terminal.Paragraph(fmt.Sprintf("%2d  %s", i+1, c.Name), 17, c.Means, a.width()))
			}
			b.WriteByte('\n')
			for _, c := range compare.AccountTexts() {
				b.WriteString(terminal.Paragraph("    "+c.Name, 17, c.Means, a.width()))
			}
			_, err := io.WriteString(a.stdout, b.String())
			return err
		},
	}
	a.share(c, answerFlags)
	return c
}

// explained lists the words that have a page: the causes, then the others.
func explained() []string {
	words := compare.Causes()
	for _, c := range compare.AccountTexts() {
		words = append(words, c.Name)
	}
	return words
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
