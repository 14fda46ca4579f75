package main

import (
	"context"

	"github.com/spf13/cobra"

	"occudiff/cmd/cli"
	"occudiff/cmd/launchcmd"
	"occudiff/cmd/program"
	"occudiff/cmd/trackcmd"
)

// app is what the commands of this package share.
type app struct{ *program.Env }

// run executes the command line and gives the exit status.
func run(ctx context.Context, e *program.Env, args []string) int {
	a := &app{e}
	return e.Execute(ctx, a.rootCommand(), args)
}

// rootCommand builds the command tree, a file per command.
func (a *app) rootCommand() *cobra.Command {
	a.SetDefaults()
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
		Version:           program.Version() + program.BuiltFrom(),
		SilenceUsage:      true,
		SilenceErrors:     true,
		RunE:              func(c *cobra.Command, _ []string) error { return c.Help() },
		PersistentPreRunE: a.Prepare,
	}
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return cli.FlagError(c, err, a.SharedFlags()) })
	root.SetHelpFunc(cli.Help)
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Measured runs", []*cobra.Command{
			a.demoCommand(), a.collectCommand(), a.doctorCommand(), a.validateCommand(), a.diffCommand(),
			trackcmd.Command(a.Env), a.pageCommand()}},
		{"Predictions", []*cobra.Command{launchcmd.Predict(a.Env), launchcmd.Advise(a.Env)}},
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
	a.Completion(root)
	return root
}
