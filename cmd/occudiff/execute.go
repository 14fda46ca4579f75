package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/report/terminal"
)

// The exit statuses; see README.md.
const (
	exitDone  = 0 // also with mismatches, bad rows, a run that is stored already
	exitGate  = 1 // a gate that was asked for failed
	exitUsage = 2 // bad usage, no usable input, or kernels that a gate did not see
)

// gateError means that everything worked and a gate that was asked for failed.
type gateError struct{ text string }

func (e *gateError) Error() string { return e.text }

// run runs a command line and gives the exit status.
func run(ctx context.Context, a *app, args []string) int {
	root := a.rootCommand()
	a.args = args
	a.maskSecrets()
	a.raw, a.stderr = a.stderr, terminal.Safe(a.stderr)
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	err := cli.UnknownCommand(root, args)
	if err == nil {
		err = finish(ctx, root)
	}
	var gate *gateError
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errStuck):
		fmt.Fprintln(a.stderr, "occudiff: interrupted;", err)
		return exitUsage
	case errors.As(err, &gate):
		fmt.Fprintln(a.stderr, "occudiff:", gate.text)
		return exitGate
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(a.stderr, "occudiff: interrupted; nothing was written")
		return exitUsage
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintln(a.stderr, "occudiff:", line)
	}
	return exitUsage
}

// patience is how long a command that was called off may take to come to an end: a few files are read without looking
// at the context, and one of them may be a pipe that nobody writes to.
const patience = 3 * time.Second

var errStuck = errors.New("the work in progress did not stop in time and was abandoned")

// finish runs the command, and gives up on it when it is called off and does not come to an end.
func finish(ctx context.Context, root *cobra.Command) error {
	done := make(chan error, 1)
	go func() { done <- root.ExecuteContext(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return errStuck
	}
}
