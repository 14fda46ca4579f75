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

// annotationsShown is the maximum number of annotations that GitHub shows per
// level and step.
const annotationsShown = 10

// conclude ends a command with a gate, after the output was delivered. It
// prints the annotations. If a gate was requested and failed, it returns an
// error with the reason in failure. Otherwise, it returns an error if unseen
// contains lost input or unjudged kernels that were not allowed. failure may be
// set even if no gate was requested, because documents state what would fail.
// Therefore, conclude checks --fail-on.
func (a *app) conclude(marks []report.Annotation, failure string, unseen []string) error {
	if err := a.printAnnotations(marks); err != nil {
		return err
	}
	if n := len(unseen); n > report.MaxListedTasks {
		unseen = append(unseen[:report.MaxListedTasks:report.MaxListedTasks],
			fmt.Sprintf("%d more of these", n-report.MaxListedTasks))
	}
	switch {
	// A gate can fail and also not see all kernels. In this case, the failure
	// determines the exit status, because a failure is the stronger statement.
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

// checkUnseen returns texts about input that a command did not see, unless a
// flag allows it: input that was lost, according to the notes, and kernels that
// a gate could not judge. If a flag allows it, every output contains a note
// instead. A gate must not pass without having seen all kernels. For example,
// an unclosed quote can hide five of six rows, and if a column was renamed, no
// kernel has a measurement.
func (a *app) checkUnseen(notes *[]note.Note, u report.Unjudged) (unseen []string, err error) {
	accepted := func(code, flag, text string) {
		*notes = append(*notes, note.Warningf(code, note.Pos{}, "", "%s was given: %s", flag, text))
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

// allowUnreadable returns an error if input was lost and no flag allows it. It
// is for commands that must not continue with incomplete input.
func (a *app) allowUnreadable(notes *[]note.Note) error {
	unseen, err := a.checkUnseen(notes, report.Unjudged{})
	if err == nil && len(unseen) > 0 {
		err = cli.Errorf("%s", unseen[0])
	}
	return err
}

// printAnnotations prints GitHub annotations if --annotations is given. They
// are written to standard error, because standard output contains only results.
// A CI runner reads both streams. They are printed even with -q.
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
	exitDone         = 0 // success, even with mismatches, bad rows, or an already stored run
	exitGate         = 1 // a requested gate failed
	exitMeasureAgain = 4 // kernels are worth measuring again
	exitUsage        = 2 // wrong usage, no usable input, or kernels that a gate did not see
	exitBug          = 3 // the program panicked
)

// verdictError is a result that needs another exit status than exitDone,
// although the command worked. The recipes in docs/ci use only the exit status
// to distinguish a regression from a broken job.
type verdictError struct {
	status int
	text   string
}

func (e *verdictError) Error() string { return e.text }

// run runs a command line and returns the exit status. a contains the complete
// state of the command line. For example, occudiff mcp calls run for each call
// by an agent, each time with a new app.
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
	text := err.Error()
	if f, ok := errors.AsType[*note.InputError](err); ok {
		text += flagHints[f.Code]
	}
	for _, line := range strings.Split(text, "\n") {
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
	// Secrets are masked first, because any error message may quote the command
	// line.
	a.maskSecrets()
	// raw is masked as well, but it is not cleaned by text.Safe, which would
	// replace the escape sequences of a progress bar and break annotations.
	a.raw, a.stderr = a.stderr, text.Safe(a.stderr)
	// Cobra reads the word after an unknown flag as the flag's value, for
	// example in --help validate. So the flags for help and version are added
	// before cobra parses the command line.
	root.InitDefaultVersionFlag()
	for _, c := range cli.All(root) {
		c.InitDefaultHelpFlag()
	}
	root.SetArgs(args)
	root.SetIn(a.stdin)
	var help bytes.Buffer // buffer for help and version, because cobra ignores write errors
	root.SetOut(&help)
	root.SetErr(a.stderr)
	// Unknown commands are detected before cobra runs. With a help flag, cobra
	// would print the help of the parent command and succeed.
	err := cli.UnknownCommand(root, args, instead)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if _, unwritten := help.WriteTo(a.stdout); unwritten != nil && err == nil {
		err = fmt.Errorf("standard output: %w", unwritten)
	}
	return err
}
