// Command occudiff lines predicted GPU occupancy up with what Intel VTune
// measured, kernel by kernel, says why they differ, writes it as Excel and
// Markdown, and keeps occupancy from regressing. See README.md.
//
// The package holds the commands: their flags, which stage follows which, the
// settings, where a result goes, and the exit status. It holds no formula, no
// rule of a verdict, no file format and no wording of a report. What a library
// can decide is decided there, so that the page (cmd/page) gives the same
// answers.
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

// os.Exit runs no deferred calls, so all work is in runMain.
func main() { os.Exit(runMain()) }

func runMain() int {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup does, for a program that outlives its terminal
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	e := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, environ: os.Environ()}
	return run(ctx, e, os.Args[1:])
}

// rootCommand builds the command tree. Usage and errors are silent in cobra:
// run prints errors itself, without secrets, each line with the program's name.
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

// instead returns the command line for a word that people type in the place of
// a command: one that was a command before, or a file.
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

// release is the version of the program; a build from a module proxy has its
// own.
const release = "0.1.0"

// version is that of the program. Main.Sum is there only for a module that was
// downloaded. Without it Main.Version is what go build made of the state of a
// checkout.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Sum != "" {
		return info.Main.Version
	}
	return release
}

// builtFrom names the commit that the program was built from and its time, as
// far as the build knows them. It is empty for a build without -buildvcs or
// outside of a repository; "with changes" says that the commit alone does not
// make this program again.
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
