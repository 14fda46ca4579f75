// Command occudiff compares the predicted GPU occupancy of each kernel with the
// occupancy that Intel VTune measured. It explains the difference, writes
// reports, and detects regressions. See README.md.
//
// The package contains the commands: their flags and settings, the order of the
// phases, the destination of each result, and the exit status. It must not
// contain formulas, rules of verdicts, file formats, or texts of reports.
// Everything that can be in a library package is there, so that the page
// (cmd/page) has the same results.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/predict/batch"
)

// All work is in runMain, because os.Exit skips deferred calls.
func main() { os.Exit(runMain()) }

func runMain() int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores SIGHUP, so that the program outlives its terminal
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	e := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, environ: os.Environ()}
	return run(ctx, e, os.Args[1:])
}

// rootCommand returns the command tree. Cobra prints neither usage nor errors.
// Errors are printed by run, without secrets and with the program's name in
// each line.
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

// instead returns what the user should type instead of a word in the place of a
// command. It is the new form of a removed command, or the command that reads a
// file with this name. It returns "" if neither exists.
func instead(word string) string {
	now := map[string]string{"doctor": "collect --check", "schema": "help schema", "skill": "mcp --skill",
		"version": "--version"}
	_, err := os.Stat(word)
	switch {
	case now[word] != "":
		return "occudiff " + now[word]
	case err != nil && endingOf(word) == "":
		return ""
	case endingOf(word) == ".db":
		return "occudiff track check --db " + word
	case batch.ContainsKernels(word):
		return "occudiff predict " + word
	}
	return "occudiff validate " + word
}

// release is the version of the program. A program that was built from a module
// proxy has the version of the module instead.
const release = "0.1.0"

// version returns the version of the program. Main.Version is used only if
// Main.Sum is set, which means that the module was downloaded. In a checkout,
// go build derives Main.Version from the repository.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Sum != "" {
		return info.Main.Version
	}
	return release
}

// builtFrom returns the commit from which the program was built, and the time
// of the commit. It returns "" if the program was built without -buildvcs or
// outside of a repository. "with changes" means that the checkout differed from
// the commit.
func builtFrom() string {
	info, _ := debug.ReadBuildInfo()
	known := map[string]string{}
	for i := 0; info != nil && i < len(info.Settings); i++ {
		known[info.Settings[i].Key] = info.Settings[i].Value
	}
	if known["vcs.revision"] == "" {
		return ""
	}
	changed := map[string]string{"true": ", with changes"}[known["vcs.modified"]]
	return fmt.Sprintf(" (commit %s, %s%s)", known["vcs.revision"], known["vcs.time"], changed)
}
