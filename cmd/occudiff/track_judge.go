package main

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/trackdoc"
)

// checkFlags say which runs are checked.
type checkFlags struct {
	Run      int64  `flag:"run" arg:"RUN" help:"check this run instead of the one that was added last"`
	Last     int    `flag:"last" arg:"RUNS" default:"1" help:"check the last N runs that were added"`
	Suspects bool   `flag:"suspects" help:"print the kernels that are worth measuring again as a REGEXP for --kernel, and exit 4 when there are any; what is open comes first and exits 1"`
	Since    string `flag:"since" arg:"COMMIT" help:"check the runs that were added after the last run of this commit"`
	FailOn   string `flag:"fail-on" arg:"WHAT" default:"regression" words:"never regression alarm missing" help:"exit 1 on this: regression (it got worse and stayed so), alarm (also one run farther off than any before), missing (also a kernel that held more than 1% of the time and is gone), never"`
}

func (t *tracking) checkCommand() *cobra.Command {
	f := &checkFlags{}
	c := t.command(command{text: "track-check", share: tableFlags + "sort:difference,name annotations" + answerFlags,
		flags:   []any{f, &t.metricFlag, &t.gateFlags, &t.windowFlag, &t.verifyFlag},
		endings: fileEndings(".xml"),
		answer: func(ctx context.Context, _ []string) (*report.Answer, error) {
			t.FailOn = f.FailOn
			return t.check(ctx, f)
		}})
	c.MarkFlagsMutuallyExclusive("run", "last", "since")
	return c
}

// check judges runs by those before them. Several runs are judged one after the other, each by what was known at its
// time, and the worst verdict of a series counts (docs/ci.md).
func (t *tracking) check(ctx context.Context, f *checkFlags) (*report.Answer, error) {
	return t.judging(ctx, func(db *history.DB, m track.Metric) (*report.Answer, error) {
		runs, err := checkedRuns(ctx, db, f)
		if err != nil {
			return nil, err
		}
		check, err := track.CheckRuns(ctx, db, runs, m, time.Now())
		if err != nil {
			return nil, err
		}
		check.Alarms, check.FailGone = t.FailOn == "alarm", t.FailOn == "missing"
		failure := trackdoc.Failure(&check.Judgment)
		if f.Suspects && failure == "" {
			pattern := trackdoc.SuspectPattern(check)
			if pattern == "" {
				return nil, nil
			}
			if _, err := fmt.Fprintln(t.stdout, pattern); err != nil {
				return nil, err
			}
			return nil, &verdictError{exitAgain, unit.Counted(len(check.Suspects()), "kernel is", "kernels are") + " worth measuring again"}
		}
		t.after = func() error { return t.conclude(trackdoc.CheckAnnotations(check), failure, nil) }
		return trackdoc.FromCheck(check, t.provenance()), nil
	})
}

// checkedRuns gives the runs that are to be checked, in the order in which they were added.
func checkedRuns(ctx context.Context, db *history.DB, f *checkFlags) ([]int64, error) {
	switch {
	// cobra lets only one of the three flags through, so the order is of no meaning.
	case f.Run != 0:
		return []int64{f.Run}, nil
	case f.Last < 1:
		return nil, cli.Errorf("--last %d: expected a number of runs above 0", f.Last)
	}
	commit := ""
	if f.Since != "" {
		// The commit that the name stands for in the repository that holds the working folder, else the name itself: it
		// may be the begin of a commit.
		commit = cmp.Or(gitCommit(ctx, f.Since+"^{commit}"), f.Since)
	}
	return track.Newest(ctx, db, f.Last, commit, f.Since)
}

// reportFlags are those of trend.Params.
type reportFlags struct {
	Window     int     `flag:"window" expert:"true" arg:"RUNS" help:"number of runs that are searched together for change points"`
	P          float64 `flag:"p" expert:"true" arg:"P" help:"a change point has a p below this"`
	Magnitude  float64 `flag:"magnitude" expert:"true" arg:"SHARE" help:"a change point changes the mean by more than this (0.05 is 5%)"`
	MinSegment int     `flag:"min-segment" expert:"true" arg:"RUNS" help:"fewest runs between change points; without it 3 in reports and any in JSON; 1 shows single outliers, too"`
}

// reportCommand shows the whole history and its change points. It asks the same gate as check, so that both have one
// answer to what is open.
func (t *tracking) reportCommand() *cobra.Command {
	f := reportFlags(trend.DefaultParams())
	return t.command(command{text: "track-report",
		share: tableFlags + "sort:difference,name fail-on:never,regression,alarm" + answerFlags,
		flags: []any{&f, &t.metricFlag, &t.gateFlags, &t.verifyFlag},
		check: func([]string) error { return trend.Params(f).Validate() },
		answer: func(ctx context.Context, _ []string) (*report.Answer, error) {
			return t.judging(ctx, func(db *history.DB, m track.Metric) (*report.Answer, error) {
				r, err := track.ReadReport(ctx, db, m, trend.Params(f), time.Now())
				if err != nil {
					return nil, err
				}
				r.Alarms = t.FailOn == "alarm"
				t.after = func() error { return t.conclude(nil, trackdoc.Failure(&r.Judgment), nil) }
				return trackdoc.FromReport(r, t.provenance()), nil
			})
		}})
}
