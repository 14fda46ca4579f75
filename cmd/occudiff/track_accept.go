package main

import (
	"context"
	"regexp"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/report"
	"occudiff/report/trackdoc"
)

// acceptFlags are those of track accept.
type acceptFlags struct {
	Run    int64  `flag:"run" arg:"RUN" help:"run with which the baseline begins (default: the one that was added last)"`
	Kernel string `flag:"kernel" arg:"REGEXP" help:"only kernels whose name matches, with its launch shape or without"`
	Note   string `flag:"note" arg:"TEXT" help:"why, for those who read it later"`
	Undo   bool   `flag:"undo" help:"take back what was accepted"`
}

func (t *tracking) acceptCommand() *cobra.Command {
	f := &acceptFlags{}
	return t.command(command{text: "track-accept", flags: []any{f}, share: "quiet",
		answer: func(ctx context.Context, _ []string) (*report.Answer, error) { return t.acceptRun(ctx, f) }})
}

// acceptRun makes a run the first of a new baseline, for all kernels or for those that match, or takes that back. Nothing
// that was measured is changed by it, so it can be undone.
func (t *tracking) acceptRun(ctx context.Context, f *acceptFlags) (*report.Answer, error) {
	pattern, err := regexp.Compile(f.Kernel)
	if err != nil {
		return nil, cli.Errorf("--kernel %q: %v", f.Kernel, err)
	}
	var matches func(history.Key) bool
	if f.Kernel != "" {
		// By the name that rename takes, or with the launch shape that tables show behind it.
		matches = func(k history.Key) bool { return pattern.MatchString(k.Task) || pattern.MatchString(k.Name()) }
	}
	return t.changing(ctx, func(db *history.DB) (err error) {
		var done []history.Accept
		if f.Undo {
			done, err = withdraw(ctx, db, f, matches)
		} else {
			run := []int64{f.Run}
			if f.Run == 0 {
				if run, err = track.Newest(ctx, db, 1, "", ""); err != nil {
					return err
				}
			}
			done, err = db.Accept(ctx, run[0], matches, f.Note, time.Now())
		}
		for i := range done {
			if err == nil {
				err = t.tell("%s", trackdoc.AcceptText(&done[i], f.Undo))
			}
		}
		return err
	})
}

// withdraw takes back what was accepted last, or of a run or of kernels.
func withdraw(ctx context.Context, db *history.DB, f *acceptFlags, matches func(history.Key) bool) (
	[]history.Accept, error) {
	all, err := db.Accepts(ctx)
	if err != nil {
		return nil, err
	}
	// --kernel selects what was accepted of single kernels; an acceptance of the whole run has no series and stays.
	of := slices.DeleteFunc(slices.Clone(all), func(a history.Accept) bool {
		return f.Run != 0 && a.Run != f.Run || matches != nil && (a.Series == 0 || !matches(a.Key))
	})
	if len(of) == 0 {
		return nil, cli.Errorf("nothing of this was accepted in %s; 'occudiff track list' shows what was", db.Where())
	}
	// Without a choice it is the last command that is taken back: one command stores all of its acceptances with one
	// time.
	if last := of[len(of)-1]; f.Run == 0 && matches == nil {
		of = slices.DeleteFunc(of, func(a history.Accept) bool { return a.Run != last.Run || !a.Time.Equal(last.Time) })
	}
	return of, db.Withdraw(ctx, of)
}

// renameCommand says that one kernel has two names. It holds for the runs before as well as for those to come.
func (t *tracking) renameCommand() *cobra.Command {
	return t.command(command{text: "track-rename", share: "quiet", names: true,
		args: cli.Args(2, 2, "track rename takes the old name and the new one, not %d"),
		answer: func(ctx context.Context, args []string) (*report.Answer, error) {
			return t.changing(ctx, func(db *history.DB) error {
				if err := db.Rename(ctx, args[0], args[1], time.Now()); err != nil {
					return err
				}
				return t.tell("%s is %s from now on, and was in all runs", report.OneLine(args[0]), report.OneLine(args[1]))
			})
		}})
}
