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

// tracking is the common state of the track commands. Each command uses some of
// its groups of flags. A command reads the flags, opens the history with one of
// the functions looking, changing, and judging, and delivers an output or
// prints a line. Runs are stored and read by compare/history, verdicts come
// from compare/track and compare/trend, and outputs from report/trackdoc.
type tracking struct {
	*app
	metricFlag
	gateFlags
	windowFlag
	verifyFlag
	shownBranch
}

// metricFlag contains the flag that selects the metric.
type metricFlag struct {
	Metric string `flag:"metric" arg:"METRIC" default:"measured" hints:"measured busy residual seconds underfilled idle shortfall peak spill" help:"metric to track: measured (occupancy), measured,seconds (fails on either), busy (busy occupancy), residual (measured - predicted average), seconds (time per launch), underfilled, idle, shortfall (points of the breakdown), peak (predicted), spill (bytes per thread)"`
}

// gateFlags are the flags of the gate.
type gateFlags struct {
	Direction string  `flag:"direction" expert:"true" arg:"WAY" hints:"down up" help:"direction that is worse: down or up (default: up for seconds and spill, otherwise down)"`
	Threshold float64 `flag:"threshold" arg:"X" range:"0 Inf a number from 0" help:"smallest shift to report: percentage points, percent for seconds, bytes for spill"`
	branchFlag
}

// branchFlag contains the flag that selects the base branch.
type branchFlag struct {
	BaseBranch string `flag:"base-branch" expert:"true" arg:"NAME" help:"branch whose runs are the baseline; a run without a branch belongs to it (default: main or master)"`
}

// base returns the branches whose runs are the baseline.
func (f branchFlag) base() []string {
	if f.BaseBranch != "" {
		return []string{f.BaseBranch}
	}
	return []string{"main", "master"}
}

// windowFlag contains the flag for the window of the gate. A report has a
// different flag with this name.
type windowFlag struct {
	Window int `flag:"window" expert:"true" arg:"RUNS" help:"number of earlier runs in the baseline"`
}

// shownBranch contains the flag that shows a branch in a report.
type shownBranch struct {
	Branch string `flag:"branch" arg:"NAME" help:"show the last runs of this branch, too, after the runs of the base branch"`
}

// verifyFlag contains the flag that skips the search for damage. Commands that
// have it search the history for damage first, because a damaged history could
// cause wrong results without an error.
type verifyFlag struct {
	NoVerify bool `flag:"no-verify" expert:"true" help:"do not search the history for damage first, which takes about 2 s for a million kernels"`
}

// trackCommand returns the parent of the commands for a history.
func (a *app) trackCommand() *cobra.Command {
	// The defaults of the flags come from the gate, so that help texts cannot
	// differ from it.
	d := trend.PointsGate()
	t := &tracking{app: a, gateFlags: gateFlags{Threshold: d.Floor}, windowFlag: windowFlag{d.Window}}
	c := a.command(command{text: "track"})
	cli.Share(c.PersistentFlags(), a.sharedFlags, "db")
	c.AddCommand(t.addCommand(), t.checkCommand(), t.reportCommand(), t.listCommand(), t.acceptCommand(),
		t.renameCommand(), t.removeCommand(), t.backtestCommand(), t.importCommand(), t.exportCommand())
	return c
}

// opened opens an existing history, calls do with it, and closes it.
func (t *tracking) opened(ctx context.Context, opt history.Options,
	do func(*history.DB) (*report.Output, error)) (*report.Output, error) {
	opt.MustExist = true
	db, err := history.Open(ctx, t.DB, opt)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	return do(db)
}

// looking opens a history for reading and returns an output from it. If a git
// repository is available, its commits determine the order of the runs.
func (t *tracking) looking(ctx context.Context, answer func(*history.DB) (*report.Output, error)) (*report.Output,
	error) {
	// 100,000 commits have 4 MB of hashes, and cover decades of the history of
	// most projects.
	commits := strings.Fields(git(ctx, "rev-list", "--reverse", "--date-order", "--max-count=100000", "HEAD", "--all"))
	return t.opened(ctx, history.Options{ReadOnly: true, Verify: !t.NoVerify, Base: t.base(), Commits: commits,
		Branch: t.Branch}, answer)
}

// changing opens a history and calls do, which changes the history and prints
// the result.
func (t *tracking) changing(ctx context.Context, do func(*history.DB) error) (*report.Output, error) {
	return t.opened(ctx, history.Options{}, func(db *history.DB) (*report.Output, error) { return nil, do(db) })
}

// judging opens a history for reading and returns an output from it, for the
// metric and the gate that the flags select.
func (t *tracking) judging(ctx context.Context,
	judge func(db *history.DB, m track.Metric) (*report.Output, error)) (*report.Output, error) {
	m, err := t.gate()
	if err != nil {
		return nil, err
	}
	return t.looking(ctx, func(db *history.DB) (*report.Output, error) {
		defer t.showStep("judging")()
		return judge(db, m)
	})
}

// gate returns the metric and its gate from the flags and the settings file. A
// flag overrides the file, and the file overrides the default of the metric.
// The unit of a threshold depends on the metric: times and spills have other
// units than occupancy.
func (t *tracking) gate() (track.Metric, error) {
	file, err := readSettings()
	if err != nil {
		return track.Metric{}, err
	}
	s := track.Settings{Direction: t.Direction, Window: unit.Some(t.Window), Thresholds: file.thresholds,
		File: file.name()}
	// The flag has a default, which is only for its help. If the flag was not
	// given, the default must not override the file.
	if t.flags.Changed("threshold") {
		s.Threshold = unit.Some(t.Threshold)
	}
	return track.NewMetric(t.Metric, s)
}

// checkFlags select the runs to check.
type checkFlags struct {
	Run      int64  `flag:"run" arg:"RUN" range:"1 Inf a run number of 'occudiff track list'" help:"check this run instead of the one that was added last"`
	Last     int    `flag:"last" arg:"RUNS" default:"1" range:"1 Inf a number of runs above 0" help:"check the last N runs that were added"`
	Suspects bool   `flag:"suspects" help:"print the kernels to measure again as a REGEXP for --kernel, and exit 4 if there are any; with an open regression, exit 1"`
	Since    string `flag:"since" arg:"COMMIT" help:"check the runs that were added after the last run of this commit"`
	FailOn   string `flag:"fail-on" arg:"WHAT" default:"regression" words:"never regression alarm missing" help:"exit 1 for: regression (a kernel regressed), alarm (also one run farther off than noise explains), missing (also a missing kernel that took more than 1% of the time), never"`
}

func (t *tracking) checkCommand() *cobra.Command {
	f := &checkFlags{}
	return t.command(command{text: "track-check", oneOf: "run last since",
		share:   tableFlags + "sort:difference,name annotations" + outputFlags,
		flags:   []any{f, &t.metricFlag, &t.gateFlags, &t.windowFlag, &t.verifyFlag},
		endings: fileEndings(".xml"),
		run: func(ctx context.Context, _ []string) (*report.Output, error) {
			t.FailOn = f.FailOn
			return t.check(ctx, f)
		}})
}

// check judges runs by comparing them with earlier runs. It judges several runs
// one after the other, each with only the runs up to it. If the runs have
// different verdicts for a series, the worst verdict is used (docs/ci.md).
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
		check.Alarms, check.FailMissing, check.NeverFails = t.FailOn == "alarm", t.FailOn == "missing",
			t.FailOn == "never"
		failure := trackdoc.Failure(&check.Judgment)
		if f.Suspects && failure == "" {
			pattern := trackdoc.SuspectPattern(check)
			if pattern == "" {
				return nil, nil
			}
			if _, err := fmt.Fprintln(t.stdout, pattern); err != nil {
				return nil, err
			}
			return nil, &verdictError{exitMeasureAgain,
				unit.FormatCount(len(check.Suspects()), "kernel is", "kernels are") + " worth measuring again"}
		}
		t.after = func() error { return t.conclude(trackdoc.CheckAnnotations(check), failure, nil) }
		return trackdoc.FromCheck(check, t.provenance()), nil
	})
}

// checkedRuns returns the runs to check, in the order in which they were added.
func checkedRuns(ctx context.Context, db *history.DB, f *checkFlags) ([]int64, error) {
	if f.Run != 0 { // only one of the three flags is given
		return []int64{f.Run}, nil
	}
	commit := ""
	if f.Since != "" {
		// Use the commit that has this name in the repository of the working
		// folder. If there is none, use the name itself, which may be a
		// shortened commit.
		commit = cmp.Or(gitCommit(ctx, f.Since+"^{commit}"), f.Since)
	}
	ids, err := track.Newest(ctx, db, f.Last, commit)
	if err != nil && commit != "" {
		err = fmt.Errorf("--since %q: %w", f.Since, err)
	}
	return ids, err
}

// reportFlags are the flags that set trend.Params. The fields of both types are
// the same.
type reportFlags struct {
	Window     int     `flag:"window" expert:"true" arg:"RUNS" help:"number of runs in each search for change points"`
	P          float64 `flag:"p" expert:"true" arg:"P" help:"largest p of a change point"`
	Magnitude  float64 `flag:"magnitude" expert:"true" arg:"SHARE" help:"smallest change of the mean at a change point (0.05 is 5%)"`
	MinSegment int     `flag:"min-segment" expert:"true" arg:"RUNS" help:"smallest number of runs between change points (default: 3 in reports, any in JSON); 1 shows single outliers, too"`
}

// reportCommand returns the command that shows the whole history. The command
// uses the same gate as check, so that both list the same open findings.
func (t *tracking) reportCommand() *cobra.Command {
	f := reportFlags(trend.DefaultParams())
	return t.command(command{text: "track-report", endings: fileEndings(".svg"),
		share: tableFlags + "sort:difference,name fail-on:never,regression,alarm" + outputFlags,
		flags: []any{&f, &t.metricFlag, &t.gateFlags, &t.shownBranch, &t.verifyFlag},
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

// backtestFlags are the flags of track backtest.
type backtestFlags struct {
	Target float64 `flag:"target" arg:"RATE" help:"budget of the proposed threshold: false alarms per 100 checks, for example 0.5"`
}

func (t *tracking) backtestCommand() *cobra.Command {
	f := &backtestFlags{}
	return t.command(command{text: "track-backtest", share: outputFlags,
		flags: []any{f, &t.metricFlag, &t.gateFlags, &t.windowFlag, &t.verifyFlag},
		check: func([]string) error {
			if t.flags.Changed("target") && !(f.Target >= 0 && f.Target <= 100) {
				return cli.Errorf("--target %v: expected false alarms per 100 checks, from 0 to 100", f.Target)
			}
			return nil
		},
		run: func(ctx context.Context, _ []string) (*report.Output, error) { return t.backtest(ctx, f) }})
}

// backtest replays the check of every run in the history, each with only the
// runs up to it. docs/design/gate-rule.md has the same table for simulated
// histories.
func (t *tracking) backtest(ctx context.Context, f *backtestFlags) (*report.Output, error) {
	target := unit.Maybe(f.Target, t.flags.Changed("target"))
	return t.judging(ctx, func(db *history.DB, m track.Metric) (*report.Output, error) {
		if m.Times {
			return nil, cli.Errorf("track backtest replays one metric: give --metric %s or --metric seconds", m.Metric)
		}
		// The sizes of the injected drops are in the unit of a change. They
		// range from drops that noise nearly hides to obvious drops.
		b, err := track.ReadBacktest(ctx, db, m, target, []float64{2, 5, 10, 20}, time.Now())
		if err != nil {
			return nil, err
		}
		if target.Present() && b.Total.Checks == 0 {
			return nil, fmt.Errorf("--target %v: no series has more than %d runs, so the gate cannot be replayed; "+
				"add runs first", f.Target, m.Gate.Learning)
		}
		return trackdoc.FromBacktest(b, t.provenance()), nil
	})
}
