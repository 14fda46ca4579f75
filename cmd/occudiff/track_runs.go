package main

import (
	"bufio"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/report/deliver"
	"occudiff/report/trackdoc"
)

func (a *app) trackListCommand(t *trackFlags) *cobra.Command {
	c := &cobra.Command{
		Use:     "list",
		Short:   "List the stored runs",
		Long:    "List the stored runs with their provenance, oldest first.",
		Example: "  occudiff track list\n  occudiff track list --format json",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return a.trackList(c.Context(), t) },
	}
	a.share(c, answerFlags)
	return c
}

func (a *app) trackList(ctx context.Context, t *trackFlags) error {
	t.noVerify = true // it is what one looks at a damaged history with
	out, db, done, err := a.openReading(ctx, t, a.outputs, deliver.Endings()...)
	if err != nil {
		return err
	}
	defer done()
	runs, err := db.List(ctx)
	if err != nil {
		return err
	}
	return a.deliver(trackdoc.FromRuns(runs, db.Where(), a.provenance()), out)
}

func (a *app) trackRemoveCommand(t *trackFlags) *cobra.Command {
	var yes bool
	c := &cobra.Command{
		Use: "remove [flags] RUN...", Short: "Remove runs from the history",
		Long: "Remove runs from the history, by the numbers that track list shows. It asks on a terminal; scripts " +
			"say --yes.",
		Example: "  occudiff track remove 12\n  occudiff track remove 12 13 --yes",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usageErrorf("nothing to remove: give the number of a run; 'occudiff track list' shows them")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return a.trackRemove(c.Context(), args, t, yes) },
	}
	cli.Define(c.Flags(), cli.Flag{Name: "yes", Value: &yes, Usage: "do not ask"})
	a.share(c, "quiet")
	return c
}

func (a *app) trackRemove(ctx context.Context, args []string, t *trackFlags, yes bool) error {
	var ids []int64
	for _, text := range args {
		id, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
		if err != nil || id < 1 {
			return usageErrorf("%q is no run: expected a number as 'occudiff track list' shows it", text)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if !yes && !isTerminal(a.stdin) {
		return usageErrorf("nobody is there to ask whether to remove run %s; say --yes", strings.Join(args, ", "))
	}
	db, err := history.OpenWith(ctx, a.dsn(t.db), history.Options{MustExist: true})
	if err != nil {
		return err
	}
	defer db.Close()
	runs := make([]history.Run, len(ids))
	for i, id := range ids { // all are looked up before the first is removed
		if runs[i], err = db.Get(ctx, id); err != nil {
			return err
		}
	}
	answers := bufio.NewReader(a.stdin)
	for i := range runs {
		if !yes {
			sure, err := a.confirmRemove(ctx, &runs[i], db.Where(), answers)
			if err != nil {
				return err
			}
			if !sure {
				a.say("run %d was kept", runs[i].ID)
				continue
			}
		}
		if err := db.Remove(ctx, runs[i].ID); err != nil {
			return err
		}
		if err := a.tell("run %d removed: %s", runs[i].ID, trackdoc.RunText(&runs[i])); err != nil {
			return err
		}
	}
	return nil
}

// confirmRemove asks about one run. The question goes to standard error: it is no result. An interrupt ends the
// waiting.
func (a *app) confirmRemove(ctx context.Context, r *history.Run, where string, answers *bufio.Reader) (bool, error) {
	fmt.Fprintf(a.stderr, "Remove run %d from %s: %s? [y/N] ", r.ID, where, trackdoc.RunText(r))
	answer := make(chan string, 1)
	go func() {
		line, _ := answers.ReadString('\n') // nothing, at the end of input, is a no
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case line := <-answer:
		return line == "y" || line == "yes", nil
	case <-ctx.Done():
		fmt.Fprintln(a.stderr)
		return false, fmt.Errorf("interrupted; run %d was kept", r.ID)
	}
}
