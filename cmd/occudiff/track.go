package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
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

// tracking is what the commands of track share; each has those of its groups of
// flags that it uses. All are of one shape: flags make a question; looking,
// changing or judging opens the history; what is asked is done with it; and an
// answer is delivered, or a line told. compare/history stores and reads,
// compare/track and compare/trend judge, report/trackdoc words the answer.
type tracking struct {
	*app
	metricFlag
	gateFlags
	windowFlag
	verifyFlag
}

// metricFlag describes which number is followed.
type metricFlag struct {
	Metric string `flag:"metric" arg:"METRIC" default:"measured" hints:"measured occupancy busy residual seconds underfilled idle shortfall peak spill" help:"metric to track: measured (occupancy), measured,seconds (fails on either), busy (busy occupancy), occupancy (busy if all runs have it, otherwise measured), residual (measured - predicted average), seconds (time per launch), underfilled, idle, shortfall (points of the breakdown), peak (predicted), spill (bytes per thread)"`
}

// gateFlags steer the gate, and say whose runs others are judged by.
type gateFlags struct {
	Direction  string  `flag:"direction" expert:"true" arg:"WAY" hints:"down up both" help:"direction that is worse: down, up or both (default: up for seconds and spill, otherwise down)"`
	Threshold  float64 `flag:"threshold" arg:"X" help:"a smaller shift is not a finding: percentage points; for seconds percent of the level, for spill bytes"`
	BaseBranch string  `flag:"base-branch" expert:"true" arg:"NAME" help:"branch whose runs are the baseline of others; a run without a branch is one of it (default: main or master)"`
}

// windowFlag is that of the gate; the window of a report is another one.
type windowFlag struct {
	Window int `flag:"window" expert:"true" arg:"RUNS" help:"number of earlier runs that count"`
}

// verifyFlag is for commands whose result damage could change without an error.
type verifyFlag struct {
	NoVerify bool `flag:"no-verify" expert:"true" help:"do not check the history for damage first, which takes about 2 s for a million kernels"`
}

// trackCommand is the parent of what keeps occupancy over time.
func (a *app) trackCommand() *cobra.Command {
	// The defaults of the flags are those of the gate, so help texts cannot
	// differ from it.
	d := trend.PointsGate()
	t := &tracking{app: a, gateFlags: gateFlags{Threshold: d.Floor}, windowFlag: windowFlag{d.Window}}
	c := a.command(command{text: "track"})
	cli.Share(c.PersistentFlags(), a.sharedFlags, "db")
	c.AddCommand(t.addCommand(), t.checkCommand(), t.reportCommand(), t.listCommand(), t.acceptCommand(),
		t.renameCommand(), t.removeCommand(), t.backtestCommand(), t.importCommand(), t.exportCommand())
	return c
}

// opened does something with a history that must be there.
func (t *tracking) opened(ctx context.Context, opt history.Options, do func(*history.DB) (*report.Output, error)) (*report.Output, error) {
	opt.MustExist = true
	db, err := history.Open(ctx, t.DB, opt)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return do(db)
}

// looking makes an answer from a history and changes nothing. The commits of
// the repository, where it is at hand, give the runs their order.
func (t *tracking) looking(ctx context.Context, answer func(*history.DB) (*report.Output, error)) (*report.Output, error) {
	base := []string{"main", "master"}
	if t.BaseBranch != "" {
		base = []string{t.BaseBranch}
	}
	// 100,000 commits are 4 MB of hashes and decades of most projects.
	commits := strings.Fields(git(ctx, "rev-list", "--reverse", "--date-order", "--max-count=100000", "HEAD", "--all"))
	return t.opened(ctx, history.Options{ReadOnly: true, Verify: !t.NoVerify, Base: base, Commits: commits}, answer)
}

// changing changes a history, and tells what it did.
func (t *tracking) changing(ctx context.Context, do func(*history.DB) error) (*report.Output, error) {
	return t.opened(ctx, history.Options{}, func(db *history.DB) (*report.Output, error) { return nil, do(db) })
}

// judging makes an answer from a history and a metric with its gate.
func (t *tracking) judging(ctx context.Context, judge func(db *history.DB, m track.Metric) (*report.Output, error)) (*report.Output, error) {
	m, err := t.gate()
	if err != nil {
		return nil, err
	}
	return t.looking(ctx, func(db *history.DB) (*report.Output, error) { return judge(db, m) })
}

// gate reads the metric and its gate from the flags of a command and the file
// of settings. The flag wins over the file; the file over the default of the
// metric, which is in other units for times and spills.
func (t *tracking) gate() (track.Metric, error) {
	file, err := readSettings()
	if err != nil {
		return track.Metric{}, err
	}
	s := track.Settings{Direction: t.Direction, Window: unit.Some(t.Window), Thresholds: file.thresholds,
		File: file.name()}
	// The flag has a default for its help; one that was not given must leave
	// the setting of the file alone.
	if t.flags.Changed("threshold") {
		s.Threshold = unit.Some(t.Threshold)
	}
	return track.NewMetric(t.Metric, s)
}

// checkFlags say which runs are checked.
type checkFlags struct {
	Run      int64  `flag:"run" arg:"RUN" help:"check this run instead of the one that was added last"`
	Last     int    `flag:"last" arg:"RUNS" default:"1" help:"check the last N runs that were added"`
	Suspects bool   `flag:"suspects" help:"print the kernels that are worth measuring again as a REGEXP for --kernel, and exit 4 when there are any; what is open comes first and exits 1"`
	Since    string `flag:"since" arg:"COMMIT" help:"check the runs that were added after the last run of this commit"`
	FailOn   string `flag:"fail-on" arg:"WHAT" default:"regression" words:"never regression alarm missing" help:"exit 1 on this: regression (a kernel regressed), alarm (also one run farther off than any before), missing (also a kernel that held more than 1% of the time and is gone), never"`
}

func (t *tracking) checkCommand() *cobra.Command {
	f := &checkFlags{}
	c := t.command(command{text: "track-check", share: tableFlags + "sort:difference,name annotations" + outputFlags,
		flags:   []any{f, &t.metricFlag, &t.gateFlags, &t.windowFlag, &t.verifyFlag},
		endings: fileEndings(".xml"),
		run: func(ctx context.Context, _ []string) (*report.Output, error) {
			t.FailOn = f.FailOn
			return t.check(ctx, f)
		}})
	c.MarkFlagsMutuallyExclusive("run", "last", "since")
	return c
}

// check judges runs by those before them. Several runs are judged one after the
// other, each by what was known at its time, and the worst verdict of a series
// counts (docs/ci.md).
func (t *tracking) check(ctx context.Context, f *checkFlags) (*report.Output, error) {
	return t.judging(ctx, func(db *history.DB, m track.Metric) (*report.Output, error) {
		runs, err := checkedRuns(ctx, db, f)
		if err != nil {
			return nil, err
		}
		check, err := track.CheckRuns(ctx, db, runs, m, time.Now())
		if err != nil {
			return nil, err
		}
		check.Alarms, check.FailMissing, check.NeverFails = t.FailOn == "alarm", t.FailOn == "missing", t.FailOn == "never"
		failure := trackdoc.Failure(&check.Judgment)
		if f.Suspects && failure == "" {
			pattern := trackdoc.SuspectPattern(check)
			if pattern == "" {
				return nil, nil
			}
			if _, err := fmt.Fprintln(t.stdout, pattern); err != nil {
				return nil, err
			}
			return nil, &verdictError{exitMeasureAgain, unit.FormatCount(len(check.Suspects()), "kernel is", "kernels are") + " worth measuring again"}
		}
		t.after = func() error { return t.conclude(trackdoc.CheckAnnotations(check), failure, nil) }
		return trackdoc.FromCheck(check, t.provenance()), nil
	})
}

// checkedRuns returns the runs that are to be checked, in the order in which
// they were added.
func checkedRuns(ctx context.Context, db *history.DB, f *checkFlags) ([]int64, error) {
	switch {
	// cobra lets only one of the three flags through, so the order is of no
	// meaning.
	case f.Run != 0:
		return []int64{f.Run}, nil
	case f.Last < 1:
		return nil, cli.Errorf("--last %d: expected a number of runs above 0", f.Last)
	}
	commit := ""
	if f.Since != "" {
		// The commit that the name stands for in the repository that holds the
		// working folder, otherwise the name itself: it may be the begin of a
		// commit.
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

// reportCommand shows the whole history and its change points. It asks the same
// gate as check, so that both have one answer to what is open.
func (t *tracking) reportCommand() *cobra.Command {
	f := reportFlags(trend.DefaultParams())
	return t.command(command{text: "track-report", endings: fileEndings(".svg"),
		share: tableFlags + "sort:difference,name fail-on:never,regression,alarm" + outputFlags,
		flags: []any{&f, &t.metricFlag, &t.gateFlags, &t.verifyFlag},
		check: func([]string) error { return trend.Params(f).Validate() },
		run: func(ctx context.Context, _ []string) (*report.Output, error) {
			return t.judging(ctx, func(db *history.DB, m track.Metric) (*report.Output, error) {
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

// backtestFlags are those of track backtest alone.
type backtestFlags struct {
	Target float64 `flag:"target" arg:"RATE" help:"the budget to propose a threshold for: checks of 100 that may be red for nothing, as in 0.5"`
}

func (t *tracking) backtestCommand() *cobra.Command {
	f := &backtestFlags{}
	return t.command(command{text: "track-backtest", share: outputFlags,
		flags: []any{f, &t.metricFlag, &t.gateFlags, &t.windowFlag, &t.verifyFlag},
		check: func([]string) error {
			if t.flags.Changed("target") && !(f.Target >= 0 && f.Target <= 100) {
				return cli.Errorf("--target %v: expected checks of 100, from 0 to 100", f.Target)
			}
			return nil
		},
		run: func(ctx context.Context, _ []string) (*report.Output, error) { return t.backtest(ctx, f) }})
}

// backtest replays every check of the history, each with what was known at its
// time. docs/design/gate-rule.md has the same table from simulated histories.
func (t *tracking) backtest(ctx context.Context, f *backtestFlags) (*report.Output, error) {
	target := unit.Maybe(f.Target, t.flags.Changed("target"))
	return t.judging(ctx, func(db *history.DB, m track.Metric) (*report.Output, error) {
		// The planted drops are in the metric's unit of change, from what noise
		// hides to what nobody overlooks.
		b, err := track.ReadBacktest(ctx, db, m, target, []float64{2, 5, 10, 20}, time.Now())
		if err != nil {
			return nil, err
		}
		if target.Present() && b.Total.Checks == 0 {
			return nil, fmt.Errorf("--target %v: no series has more than %d runs, so there is nothing to replay the "+
				"gate over; add runs first", f.Target, m.Gate.Learning)
		}
		return trackdoc.FromBacktest(b, t.provenance()), nil
	})
}
