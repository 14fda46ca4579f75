package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"occudiff/cmd/cli"
	"occudiff/report/text"
)

// The exit statuses; see README.md.
const (
	exitDone  = 0 // also with mismatches, bad rows, a run that is stored already
	exitGate  = 1 // a gate that was asked for failed
	exitAgain = 4 // kernels are worth measuring again
	exitUsage = 2 // bad usage, no usable input, or kernels that a gate did not see
)

// verdictError means that everything worked, and what was asked for came out with another status than exitDone. The
// recipes of docs/ci tell a regression from a job that is broken by the status alone.
type verdictError struct {
	status int
	text   string
}

func (e *verdictError) Error() string { return e.text }

// run runs a command line and gives the exit status.
// The whole state of a run is in a: occudiff mcp calls run once for each call of an agent, each with an app of its own.
func run(ctx context.Context, a *app, args []string) int {
	root := a.rootCommand()
	a.args = args
	// Before anything can fail: the message of any error may quote the command line.
	a.maskSecrets()
	// raw is masked as well. It is not cleaned: Safe would replace the escape sequences of a progress bar and break the
	// commands that annotations are.
	a.raw, a.stderr = a.stderr, text.Safe(a.stderr)
	root.SetArgs(args)
	root.SetIn(a.stdin)
	var help bytes.Buffer // and versions: cobra would not notice that they cannot be written
	root.SetOut(&help)
	root.SetErr(a.stderr)
	// Before cobra runs: where a help flag follows it prints the help of the command above, and succeeds.
	err := cli.UnknownCommand(root, args, instead)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if _, unwritten := help.WriteTo(a.stdout); unwritten != nil && err == nil {
		err = fmt.Errorf("standard output: %w", unwritten)
	}
	var verdict *verdictError
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &verdict):
		fmt.Fprintln(a.stderr, "occudiff:", verdict.text)
		return verdict.status
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(a.stderr, "occudiff: interrupted; nothing was written")
		return exitUsage
	}
	// Several errors are a line each, and each says who speaks: in a log of CI lines of others stand between.
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintln(a.stderr, "occudiff:", line)
	}
	return exitUsage
}
