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

// annotationsShown is the number of annotations per level that GitHub shows for
// a step.
const annotationsShown = 10

// conclude ends a command with a gate, after its output was delivered. It prints
// the annotations. It returns the error of a gate that was requested and failed,
// or otherwise of input that is lost or unjudged and was not allowed. failure and
// unseen are empty without a reason. failure may be set without a gate, because
// the documents state what would fail. --fail-on decides.
func (a *app) conclude(marks []report.Annotation, failure string, unseen []string) error {
	if err := a.printAnnotations(marks); err != nil {
		return err
	}
	if n := len(unseen); n > report.MaxListedTasks {
		unseen = append(unseen[:report.MaxListedTasks:report.MaxListedTasks],
			fmt.Sprintf("%d more of these", n-report.MaxListedTasks))
	}
	switch {
	// If a gate failed and also did not see all kernels, the failure determines
	// the exit status, because it is the stronger statement.
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

// checkUnseen returns what a command did not see and was not allowed to ignore:
// lost input according to the notes, and kernels that a gate could not judge.
// Ignored kernels become a note in every output. A gate must not pass without
// having seen all kernels. For example, an unclosed quote can hide five of six
// rows, and a renamed column leaves nothing measured. A flag allows each.
func (a *app) checkUnseen(notes *[]note.Note, u report.Unjudged) (unseen []string, err error) {
	accepted := func(code, flag, text string) {
		*notes = append(*notes, note.Note{Severity: note.Warning, Code: code, Text: flag + " was given: " + text})
	}
	if lost := report.LostRows(*notes); lost != "" && a.AllowUnreadable {
		// The flag is safe because every output contains the warning. CSV contains
		// only rows, so it is rejected.
		if a.writes(".csv") {
			return nil, cli.Errorf("--allow-unreadable: .csv cannot contain the warning that kernels may be missing; " +
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

// allowUnreadable returns an error for lost input, for a command that must not
// continue without it.
func (a *app) allowUnreadable(notes *[]note.Note) error {
	unseen, err := a.checkUnseen(notes, report.Unjudged{})
	if err == nil && len(unseen) > 0 {
		err = cli.Errorf("%s", unseen[0])
	}
	return err
}

// printAnnotations prints GitHub annotations if --annotations is given. They go to
// standard error, which a runner also reads, because standard output contains
// only results. They are printed even with -q.
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

// Exit statuses, see README.md.
const (
	exitDone         = 0 // also with mismatches, bad rows, or a run that was already stored
	exitGate         = 1 // a requested gate failed
	exitMeasureAgain = 4 // kernels are worth measuring again
	exitUsage        = 2 // wrong usage, no usable input, or kernels that a gate did not see
	exitBug          = 3 // the program panicked
)

// verdictError is a result with another status than exitDone, although
// everything worked. The recipes in docs/ci distinguish a regression from a
// broken job only by the status.
type verdictError struct {
	status int
	text   string
}

func (e *verdictError) Error() string { return e.text }

// run runs a command line and returns the exit status. a contains the complete
// state of the run: occudiff mcp calls run for each call by an agent, each with
// its own app.
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
	// Each error is a line with the program's name, because a CI log mixes the
	// lines of several programs.
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
	// First, because any error may quote the command line.
	a.maskSecrets()
	// raw is masked as well. It is not cleaned, because Safe would replace the
	// escape sequences of a progress bar and break annotations.
	a.raw, a.stderr = a.stderr, text.Safe(a.stderr)
	// Cobra treats the word after an unknown flag as its value. For example, in
	// --help validate.
	root.InitDefaultVersionFlag()
	for _, c := range cli.All(root) {
		c.InitDefaultHelpFlag()
	}
	root.SetArgs(args)
	root.SetIn(a.stdin)
	var help bytes.Buffer // also for the version, because cobra ignores write errors
	root.SetOut(&help)
	root.SetErr(a.stderr)
	// Before cobra runs, because with a help flag it would print the help of the
	// parent command and succeed.
	err := cli.UnknownCommand(root, args, instead)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if _, unwritten := help.WriteTo(a.stdout); unwritten != nil && err == nil {
		err = fmt.Errorf("standard output: %w", unwritten)
	}
	return err
}
