//go:build man

package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// extraCommands are those of a build with the tag man: it writes the manual, so that the shipped program does not link
// the generator.
func (a *app) extraCommands() []*cobra.Command {
	return []*cobra.Command{{
		Use: "man DIR", Short: "Write the man pages", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			root := c.Root()
			root.DisableAutoGenTag = true
			return doc.GenManTree(root, &doc.GenManHeader{Title: "OCCUDIFF", Section: "1",
				Source: "occudiff " + version()}, args[0])
		},
	}}
}
