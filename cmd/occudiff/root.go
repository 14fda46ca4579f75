package main

import (
	"os"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/predict/batch"
)

// rootCommand builds the command tree, a file per command.
// Usage and errors are silent in cobra: run prints errors itself, without secrets, each line with the program's name.
func (a *app) rootCommand() *cobra.Command {
	a.setDefaults()
	root := a.command(command{text: "occudiff"})
	root.Version, root.SilenceUsage, root.SilenceErrors = version()+builtFrom(), true, true
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return cli.FlagError(c, err, a.sharedFlags) })
	root.SetHelpFunc(cli.Help)
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Measured runs", []*cobra.Command{
			a.demoCommand(), a.collectCommand(), a.validateCommand(), a.diffCommand(), a.trackCommand(),
			a.pageCommand()}},
		{"Predictions", []*cobra.Command{a.predictCommand(), a.adviseCommand()}},
		{"Looking things up", []*cobra.Command{a.devicesCommand(), a.explainCommand(), a.configCommand()}},
		{"Other", []*cobra.Command{a.mcpCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.SetHelpCommand(a.helpCommand(root))
	root.SetHelpCommandGroupID("Other")
	root.InitDefaultHelpCmd()
	root.SetCompletionCommandGroupID("Other")
	a.completion(root)
	return root
}

// instead gives the command line for a word that people type in the place of a command: one that was a command before, or
// a file.
func instead(word string) string {
	now := map[string]string{"doctor": "collect --check", "schema": "help schema", "skill": "mcp --skill", "version": "--version"}
	_, err := os.Stat(word)
	switch {
	case now[word] != "":
		return "occudiff " + now[word]
	case err != nil && endingOf(word) == "":
		return ""
	case endingOf(word) == ".db":
		return "occudiff track check --db " + word
	case batch.HoldsKernels(word):
		return "occudiff predict " + word
	}
	return "occudiff validate " + word
}
