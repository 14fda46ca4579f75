package main

import (
	"context"
	"embed"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"occudiff/cmd/cli"
	"occudiff/report"
)

// manual holds the text of each command: how it is called, what it is for in a line, the same at length, and examples.
// The texts are files so that they read as they print. The first line is the usage, the second stands in lists of
// commands, and the examples begin at a line of their own; see command.
//
//go:embed help
var manual embed.FS

// command is what a command is beside its text.
type command struct {
	text     string               // the name of its file
	flags    []any                // structs of flags of its own, see cli.Declare
	share    string               // the flags that it has in common with others, see cli.Share
	experts  string               // those of them that its help leaves out, besides those that no help shows
	output   string               // what its -o is for, when it does not write the answer
	args     cobra.PositionalArgs // none when it is nil
	names    bool                 // its arguments are names, and not files that it reads
	fixed    bool                 // settings of the environment and the file do not reach it
	complete cobra.CompletionFunc // of its arguments
	endings  []string             // of the files that it can write; those of every answer when it is nil

	// check finds wrong flags before files are opened.
	// execute runs it after the settings and before the outputs are opened, so that it may set Outputs and endings.
	check func(args []string) error
	// answer gives what the command has to say; nil when it has said it. A command that groups others has none.
	answer func(ctx context.Context, args []string) (*report.Answer, error)
}

// command makes a command of the tree.
// All commands go through execute, in one order of steps: a command cannot forget the settings, the check of its flags,
// or that an output must not be one of its inputs.
func (a *app) command(d command) *cobra.Command {
	text, _ := manual.ReadFile("help/" + d.text + ".txt") // the test of help texts finds one that is not there
	head, examples, _ := strings.Cut(string(text), "\nExamples:\n")
	use, head, _ := strings.Cut(head, "\n")
	short, long, _ := strings.Cut(head, "\n")
	c := &cobra.Command{Use: use, Short: short, Long: strings.TrimSpace(long),
		Example: strings.TrimRight(examples, "\n"), Args: d.args, ValidArgsFunction: d.complete}
	if c.Args == nil {
		c.Args = cobra.NoArgs
	}
	for _, f := range d.flags {
		cli.Declare(c.Flags(), f)
	}
	cli.Share(c.Flags(), a.sharedFlags, d.share)
	cli.Experts(c.Flags(), d.experts)
	// Who asks for more everywhere is understood everywhere, also where there is no more.
	if d.text != "occudiff" && c.Flags().Lookup("verbose") == nil {
		cli.Share(c.Flags(), a.sharedFlags, "verbose")
		c.Flags().Lookup("verbose").Hidden = true
	}
	if d.output != "" {
		c.Flags().Lookup("output").Usage = d.output
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if d.answer == nil {
			return c.Help()
		}
		return a.execute(c, &d, args)
	}
	return c
}

// execute runs a command: wrong flags are found first, then outputs that cannot be written, then the work begins.
func (a *app) execute(c *cobra.Command, d *command, args []string) error {
	a.flags, a.endings = c.Flags(), d.endings
	if !d.fixed {
		if err := a.applySettings(); err != nil {
			return err
		}
	}
	// Whether the interval is known or assumed decides how sure a cause may be.
	_, a.samplingSet = a.given["sampling-interval"]
	a.samplingSet = a.samplingSet || a.flags.Changed("sampling-interval")
	err := a.checkFlags()
	if err == nil && d.check != nil {
		err = d.check(args)
	}
	if err != nil {
		return err
	}
	if a.endings == nil {
		a.endings = fileEndings()
	}
	var reads []string
	if !d.names {
		reads = args
	}
	// What is read is told to the outputs, which refuse to write over it.
	a.flags.VisitAll(func(f *pflag.Flag) {
		if f.Name != "output" && cli.NamesFile(f) {
			reads = append(reads, f.Value.String())
		}
	})
	err = a.openOutputs(reads, c.Context().Err)
	// On an error nothing is left behind: temporary files go away, and the old outputs stay.
	defer a.out.discard()
	if err == nil {
		err = a.readDevices()
	}
	if err != nil {
		return err
	}
	ans, err := d.answer(c.Context(), args)
	if err != nil || ans == nil {
		return err
	}
	// A gate speaks last: a job that fails has its reports.
	if err := a.deliver(ans); err != nil || a.after == nil {
		return err
	}
	return a.after()
}
