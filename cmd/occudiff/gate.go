package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/ingest/note"
	"occudiff/internal/bug"
	"occudiff/report"
	"occudiff/report/machine"
	"occudiff/report/text"
)

// annotationsShown is how many annotations of a level GitHub shows of a step.
const annotationsShown = 10

// conclude ends a command that judges, when its answer is delivered: with
// annotations, and with the error of a gate that was asked for and failed, or
// else of what it has not seen and was not told to accept. failure and unseen
// are texts for people, empty where there is nothing to say. failure may be
// there without a gate: the documents say what would fail, and --fail-on
// decides.
func (a *app) conclude(marks []report.Annotation, failure string, unseen []string) error {
	if err := a.printAnnotations(marks); err != nil {
		return err
	}
	if n := len(unseen); n > report.MaxListedTasks {
		unseen = append(unseen[:report.MaxListedTasks:report.MaxListedTasks],
			fmt.Sprintf("%d more of these", n-report.MaxListedTasks))
	}
	switch {
	// A gate that failed and a gate that did not see all are one exit status:
	// the failure is the stronger statement, and what was not seen is only
	// said.
	case failure != "" && a.FailOn != "never":
		for _, text := range unseen {
			a.printMessage("occudiff: warning: %s", text)
		}
		return &verdictError{exitGate, failure}
	case len(unseen) > 0:
		return cli.Errorf("%s", strings.Join(unseen, "\n"))
	}
	return nil
}

// checkUnseen returns what a command has not seen and was not told to accept:
// what of the input was lost, as its notes say, and kernels that a gate could
// not judge, if any. What is accepted becomes a note, so that every output says
// it. A gate must not pass on kernels that it has not seen: a quote that is
// never closed can swallow five rows of six, and a column of another name
// leaves nothing measured. The two are accepted by a flag each.
func (a *app) checkUnseen(notes *[]note.Note, u report.Unjudged) (unseen []string, err error) {
	accepted := func(code, flag, text string) {
		*notes = append(*notes, note.Note{Severity: note.Warning, Code: code, Text: flag + " was given: " + text})
	}
	if lost := report.LostRows(*notes); lost != "" && a.AllowUnreadable {
		// Accepting is safe because every output carries the warning, so CSV,
		// which holds rows alone, is refused.
		if a.writes(".csv") {
			return nil, cli.Errorf("--allow-unreadable: .csv has no place for the warning that kernels may be missing; " +
				"use another format")
		}
		accepted(report.CodeAllowedUnreadable, "--allow-unreadable", lost)
	} else if lost != "" {
		unseen = append(unseen, lost+"; --allow-unreadable accepts that")
	}
	refused, passed := u.Sort(a.AllowUnjudged)
	if passed != "" {
		accepted(report.CodeAllowedUnjudged, "--allow-unjudged", passed)
	}
	if refused != "" {
		unseen = append(unseen, refused)
	}
	return unseen, nil
}

// allowUnreadable finds what of the input was lost, for a command that must not
// go on without it.
func (a *app) allowUnreadable(notes *[]note.Note) error {
	unseen, err := a.checkUnseen(notes, report.Unjudged{})
	if err == nil && len(unseen) > 0 {
		err = cli.Errorf("%s", unseen[0])
	}
	return err
}

// printAnnotations prints GitHub annotations when --annotations asks for them.
// They go to standard error, from which a runner reads them as well, because
// standard output carries results only; -q does not silence what was asked for.
func (a *app) printAnnotations(list []report.Annotation) error {
	if !a.Annotate {
		return nil
	}
	list = report.CapAnnotations(list, annotationsShown)
	for i := range list {
		list[i].File = cli.RelativePath(list[i].File)
	}
	return machine.Annotations(text.Annotations(a.raw), list)
}

// The exit statuses; see README.md.
const (
	exitDone         = 0 // also with mismatches, bad rows, a run that is stored already
	exitGate         = 1 // a gate that was asked for failed
	exitMeasureAgain = 4 // kernels are worth measuring again
	exitUsage        = 2 // bad usage, no usable input, or kernels that a gate did not see
	exitBug          = 3 // the program panicked
)

// verdictError means that everything worked, and what was asked for came out
// with another status than exitDone. The recipes of docs/ci tell a regression
// from a job that is broken by the status alone.
type verdictError struct {
	status int
	text   string
}

func (e *verdictError) Error() string { return e.text }

// run runs a command line and gives the exit status. The whole state of a run
// is in a: occudiff mcp calls run once for each call of an agent, each with an
// app of its own.
func run(ctx context.Context, a *app, args []string) int {
	err := bug.Call(func() error { return a.perform(ctx, args) })
	var verdict *verdictError
	var panicked *bug.Panic
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &panicked):
		fmt.Fprintf(a.stderr, "occudiff: bug at %s: %v\n", panicked.Calls[0], panicked.Value)
		fmt.Fprintln(a.stderr, "occudiff: called from", strings.Join(panicked.Calls[1:], ", "))
		fmt.Fprintln(a.stderr, "occudiff: this is a bug of occudiff; please report these lines, "+
			"'occudiff --version', the command line, and if possible its input")
		return exitBug
	case errors.As(err, &verdict):
		fmt.Fprintln(a.stderr, "occudiff:", verdict.text)
		return verdict.status
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(a.stderr, "occudiff: interrupted; nothing was written")
		return exitUsage
	}
	// Several errors are a line each, and each says who speaks: in a log of CI
	// lines of others stand between.
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintln(a.stderr, "occudiff:", line)
	}
	return exitUsage
}

// perform parses a command line and runs its command.
func (a *app) perform(ctx context.Context, args []string) error {
	root := a.rootCommand()
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		a.completeFlags(root)
	}
	a.args = args
	// Before anything can fail: the message of any error may quote the command
	// line.
	a.maskSecrets()
	// raw is masked as well. It is not cleaned: Safe would replace the escape
	// sequences of a progress bar and break the commands that annotations are.
	a.raw, a.stderr = a.stderr, text.Safe(a.stderr)
	// Cobra takes the word after a flag that it does not know for its value, as
	// in --help validate.
	root.InitDefaultVersionFlag()
	for _, c := range cli.All(root) {
		c.InitDefaultHelpFlag()
	}
	root.SetArgs(args)
	root.SetIn(a.stdin)
	var help bytes.Buffer // and versions: cobra would not notice that they cannot be written
	root.SetOut(&help)
	root.SetErr(a.stderr)
	// Before cobra runs: where a help flag follows it prints the help of the
	// command above, and succeeds.
	err := cli.UnknownCommand(root, args, instead)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if _, unwritten := help.WriteTo(a.stdout); unwritten != nil && err == nil {
		err = fmt.Errorf("standard output: %w", unwritten)
	}
	return err
}
