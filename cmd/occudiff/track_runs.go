package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/report"
	"occudiff/report/trackdoc"
)

func (t *tracking) listCommand() *cobra.Command {
	return t.command(command{text: "track-list", share: answerFlags,
		answer: func(ctx context.Context, _ []string) (*report.Answer, error) {
			t.NoVerify = true // it is what one looks at a damaged history with
			return t.looking(ctx, func(db *history.DB) (*report.Answer, error) {
				runs, err := db.List(ctx)
				if err != nil {
					return nil, err
				}
				accepted, err := db.Accepts(ctx)
				if err != nil {
					return nil, err
				}
				renamed, err := db.Renames(ctx)
				return trackdoc.FromRuns(runs, accepted, renamed, db.Where(), t.provenance()), err
			})
		}})
}

func (t *tracking) removeCommand() *cobra.Command {
	var f struct {
		Yes bool `flag:"yes" help:"do not ask"`
	}
	return t.command(command{text: "track-remove", flags: []any{&f}, share: "quiet", names: true,
		args: cli.Args(1, cli.Many, "nothing to remove: give the number of a run; 'occudiff track list' shows them"),
		answer: func(ctx context.Context, args []string) (*report.Answer, error) {
			return t.remove(ctx, args, f.Yes)
		}})
}

// remove takes runs out for good, each in a transaction of its own: an interrupt between two leaves the one removed and
// the other kept.
func (t *tracking) remove(ctx context.Context, args []string, yes bool) (*report.Answer, error) {
	var ids []int64
	for _, text := range args {
		// Numbers are printed with separators for thousands, and people paste what they see.
		id, err := strconv.ParseInt(strings.ReplaceAll(text, ",", ""), 10, 64)
		if err != nil || id < 1 {
			return nil, cli.Errorf("%q is not a run: expected a number from 'occudiff track list'", text)
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if !yes && !isTerminal(t.stdin) {
		return nil, cli.Errorf("cannot ask whether to remove run %s without a terminal; pass --yes",
			strings.Join(args, ", "))
	}
	return t.changing(ctx, func(db *history.DB) error {
		runs := make([]history.Run, len(ids))
		var texts []string
		for i, id := range ids { // all are looked up before the first is removed
			var err error
			if runs[i], err = db.Get(ctx, id); err != nil {
				return err
			}
			texts = append(texts, fmt.Sprintf("run %d: %s", id, trackdoc.RunText(&runs[i])))
		}
		if !yes {
			if sure, err := t.confirm(ctx, fmt.Sprintf("Remove from %s %s?", db.Where(), strings.Join(texts, "; "))); err != nil || !sure {
				return err
			}
		}
		for i := range runs {
			if err := db.Remove(ctx, runs[i].ID); err != nil {
				return err
			}
			if err := t.tell("run %d removed: %s", runs[i].ID, trackdoc.RunText(&runs[i])); err != nil {
				return err
			}
		}
		return nil
	})
}

// confirm asks a question. It goes to standard error: it is no result. An interrupt ends the waiting.
func (t *tracking) confirm(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(t.stderr, "%s [y/N] ", question)
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(t.stdin).ReadString('\n') // nothing, at the end of input, is a no
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case line := <-answer:
		return line == "y" || line == "yes", nil
	case <-ctx.Done():
		fmt.Fprintln(t.stderr)
		return false, errors.New("interrupted; nothing was removed")
	}
}
