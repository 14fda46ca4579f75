package main

import (
	"context"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
)

// run executes the command line and gives the exit status.
func run(ctx context.Context, a *app, args []string) int { return a.run(ctx, a.rootCommand(), args) }

// rootCommand builds the command tree, a file per command.
func (a *app) rootCommand() *cobra.Command {
	a.setDefaults()
	root := &cobra.Command{
		Use:   "occudiff",
		Short: "Compare predicted GPU occupancy with what VTune measured, and explain the difference",
		Long: `occudiff compares predicted GPU occupancy with what Intel VTune measured, kernel by kernel, explains
why they differ, writes reports in Excel, Markdown and HTML, and keeps occupancy from regressing.`,
		Example: `  # See what it does, with a built-in run
  occudiff demo

  # Compare a profiler run with the prediction
  occudiff validate run.hotspots.csv run.summary.txt -o report.xlsx

  # Predict a launch without a measurement
  occudiff predict --device tgl --global 1M --local 256 --simd 16`,
		Version:           version() + builtFrom(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: a.prepare,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return cli.FlagError(c, err, a.sharedFlags()) })
	root.SetHelpFunc(cli.Help)
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Measured runs", []*cobra.Command{
			a.demoCommand(), a.collectCommand(), a.doctorCommand(), a.validateCommand(), a.diffCommand(),
			newTrack(a), a.pageCommand()}},
		{"Predictions", []*cobra.Command{newPredict(a), newAdvise(a)}},
		{"Looking things up", []*cobra.Command{a.devicesCommand(), a.explainCommand(), a.schemaCommand(),
			a.configCommand()}},
		{"Other", []*cobra.Command{a.versionCommand()}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.commands {
			c.GroupID = g.title
			root.AddCommand(c)
		}
	}
	root.AddCommand(a.extraCommands()...)
	root.SetHelpCommand(a.helpCommand())
	root.SetHelpCommandGroupID("Other")
	root.InitDefaultHelpCmd()
	root.SetCompletionCommandGroupID("Other")
	a.completion(root)
	return root
}
