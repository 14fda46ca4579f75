package program

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
	ExitDone  = 0 // also with mismatches, bad rows, a run that is stored already
	ExitGate  = 1 // a gate that was asked for failed
	ExitUsage = 2 // bad usage or no usable input
)

// gateError means that everything worked and a gate that was asked for failed.
type gateError struct{ text string }

func (e *gateError) Error() string { return e.text }

// Execute runs a command line and gives the exit status. root is the tree of commands, whose PersistentPreRunE is
// Prepare.
func (e *Env) Execute(ctx context.Context, root *cobra.Command, args []string) int {
	e.args = args
	e.maskSecrets()
	e.Raw, e.Stderr = e.Stderr, terminal.Safe(e.Stderr)
	root.SetArgs(args)
	root.SetIn(e.Stdin)
	root.SetOut(e.Stdout)
	root.SetErr(e.Stderr)
	err := cli.UnknownCommand(root, args)
	if err == nil {
		err = execute(ctx, root)
	}
	var gate *gateError
	switch {
	case err == nil:
		return ExitDone
	case errors.Is(err, errStuck):
		fmt.Fprintln(e.Stderr, "occudiff: interrupted;", err)
		return ExitUsage
	case errors.As(err, &gate):
		fmt.Fprintln(e.Stderr, "occudiff:", gate.text)
		return ExitGate
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(e.Stderr, "occudiff: interrupted; nothing was written")
		return ExitUsage
	}
	for _, line := range strings.Split(err.Error(), "\n") {
		fmt.Fprintln(e.Stderr, "occudiff:", line)
	}
	return ExitUsage
}

// patience is how long a command that was called off may take to come to an end: a few files are read without looking
// at the context, and one of them may be a pipe that nobody writes to.
const patience = 3 * time.Second

var errStuck = errors.New("the work in progress did not stop in time and was abandoned")

// execute runs the command, and gives up on it when it is called off and does not come to an end.
func execute(ctx context.Context, root *cobra.Command) error {
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

// Prepare is what every command does first: it takes the settings, and finds wrong flags before any work is done.
func (e *Env) Prepare(c *cobra.Command, args []string) error {
	if err := e.applySettings(c); err != nil {
		return err
	}
	_, e.samplingSet = e.given["sampling-interval"]
	e.samplingSet = e.samplingSet || c.Flags().Changed("sampling-interval")
	e.reads, e.stopped = e.inputs(c, args), c.Context().Err
	return e.checkFlags(c.Flags())
}
