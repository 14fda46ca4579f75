package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// commands lists the commands, each from a file of its own.
func (a *app) commands() []*cobra.Command {
	return append([]*cobra.Command{
		a.demoCommand(), a.validateCommand(), a.predictCommand(), a.adviseCommand(), a.diffCommand(), a.devicesCommand(), a.explainCommand(), a.schemaCommand(), a.versionCommand(),
		a.trackCommand(), a.collectCommand(), a.doctorCommand(),
	}, a.extraCommands()...)
}

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
