package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"occudiff/cmd/cli"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/report"
	"occudiff/report/deliver"
	"occudiff/report/trackdoc"
)

// checkFlags say which runs are checked.
type checkFlags struct {
	run    int64
	last   int
	since  string
	failOn string
}

func (t *trackCommand) checkCommand() *cobra.Command {
	f := checkFlags{last: 1, failOn: "regression"}
	c := &cobra.Command{
		Use:   "check",
		Short: "Fail when the newest run regressed",
		Long: `Compare the run that was added last with the runs before it, series by series, and exit 1 on a
confirmed regression. --last N and --since COMMIT judge several runs, for example all that a pull
request added, each against what was known at the time.

A run is beyond its threshold when it differs from the median of the last 20 runs (--window) by more
than 4 median absolute deviations and by more than 2 points (--threshold; for seconds 2 % of the
median). The first such run is an alarm, which may be an outlier; the second in a row is a
regression. --fail-on alarm exits 1 at the first one. With fewer than 8 earlier runs, a series is
still learning and never alarms.

Each device and driver has its own series, so a change of either is reported instead of an alarm. A
new launch shape also starts a new series. While it is learning, the residual (measured - predicted)
is judged across both. Earlier runs in which a kernel was unmeasurable are left out, except for
seconds.`,
		Example: `  # The run that was added last
  occudiff track check

  # In CI: test cases, and all runs since the main branch
  occudiff track check --metric residual -o check.xml --annotations
  occudiff track check --since origin/main --fail-on alarm

  # Time per launch instead of occupancy, by 5 %
  occudiff track check --metric seconds --threshold 5`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return t.check(c, f) },
	}
	t.addGateFlags(c, true)
	t.addNoVerify(c)
	t.addCommitURL(c)
	cli.Define(c.Flags(),
		cli.Flag{Name: "run", Value: &f.run, Arg: "RUN", Usage: "check this run instead of the one that was added " +
			"last"},
		cli.Flag{Name: "last", Value: &f.last, Arg: "RUNS", Usage: "check the last N runs that were added"},
		cli.Flag{Name: "since", Value: &f.since, Arg: "COMMIT",
			Usage: "check the runs that were added after the last run of this commit"},
		cli.Flag{Name: "fail-on", Value: &f.failOn, Arg: "WHAT", Words: "never regression alarm",
			Usage: "exit 1 on this: regression (confirmed), alarm (the first run beyond its threshold), never"})
	c.MarkFlagsMutuallyExclusive("run", "last", "since")
	t.share(c, answerFlags, "annotations")
	t.shareTable(c, report.SortDifference, report.SortName)
	return c
}

func (t *trackCommand) check(c *cobra.Command, f checkFlags) error {
	ctx := c.Context()
	m, err := t.gate(c)
	if err != nil {
		return err
	}
	prov, err := t.origin()
	if err != nil {
		return err
	}
	var check *track.Check
	err = t.answerFrom(ctx, deliver.Endings(".xml"), func(db *history.DB) (*report.Answer, error) {
		runs, err := checkedRuns(ctx, db, f)
		if err != nil {
			return nil, err
		}
		if check, err = track.CheckRuns(ctx, db, runs, m, time.Now()); err != nil {
			return nil, err
		}
		check.Alarms = f.failOn == "alarm"
		return trackdoc.FromCheck(check, prov), nil
	})
	if err != nil {
		return err
	}
	failure := ""
	if f.failOn != "never" {
		failure = trackdoc.CheckFailure(check)
	}
	return t.conclude(trackdoc.CheckAnnotations(check, prov), failure)
}

// checkedRuns gives the runs that are to be checked, in the order in which they were added.
func checkedRuns(ctx context.Context, db *history.DB, f checkFlags) ([]int64, error) {
	switch {
	case f.run != 0:
		return []int64{f.run}, nil
	case f.last < 1:
		return nil, cli.Errorf("--last %d: expected a number of runs above 0", f.last)
	case f.since != "":
		return track.Since(ctx, db, commitOf(ctx, f.since), f.since)
	}
	return track.Last(ctx, db, f.last)
}

func (t *trackCommand) reportCommand() *cobra.Command {
	p := trend.DefaultParams()
	c := &cobra.Command{
		Use:   "report",
		Short: "Show every series with its change points",
		Long: `Show every series of the history with its change points: the runs at which its level changed, the
means before and after, and p. The method is that of Hunter and Apache Otava (E-divisive means with
a t-test). Series that need attention come first. --fail-on regression exits 1 when the newest runs
of a current series are a confirmed regression, --fail-on alarm at the first run beyond its
threshold.

Files are complete: -o trend.html plots every series, and -o trend.xlsx has a sheet with a chart for
each of the worst.`,
		Example: `  # What changed, and when
  occudiff track report
  occudiff track report -o trend.html -o trend.xlsx

  # The residual, for a script
  occudiff track report --metric residual --magnitude 0.05 --format json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return t.report(c, p) },
	}
	t.addGateFlags(c, false)
	t.addNoVerify(c)
	t.addCommitURL(c)
	cli.Define(c.Flags(),
		cli.Flag{Name: "window", Value: &p.Window, Arg: "RUNS",
			Usage: "number of runs that are searched together for change points"},
		cli.Flag{Name: "p", Value: &p.P, Arg: "P", Usage: "a change point has a p below this"},
		cli.Flag{Name: "magnitude", Value: &p.Magnitude, Arg: "SHARE",
			Usage: "a change point changes the mean by more than this (0.05 is 5 %)"},
		cli.Flag{Name: "min-segment", Value: &p.MinSegment, Arg: "RUNS",
			Usage: "fewest runs between change points; 3 ignores short spikes"})
	t.share(c, answerFlags)
	t.shareTable(c, report.SortDifference, report.SortName)
	t.shareFailOn(c, "regression", "alarm")
	return c
}

func (t *trackCommand) report(c *cobra.Command, p trend.Params) error {
	m, err := t.gate(c)
	if err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return err
	}
	prov, err := t.origin()
	if err != nil {
		return err
	}
	var r *track.Report
	err = t.answerFrom(c.Context(), deliver.Endings(), func(db *history.DB) (*report.Answer, error) {
		if r, err = track.ReadReport(c.Context(), db, m, p, time.Now()); err != nil {
			return nil, err
		}
		return trackdoc.FromReport(r, prov), nil
	})
	if err != nil || t.failOn == "never" {
		return err
	}
	return t.conclude(nil, trackdoc.ReportFailure(r, t.failOn == "alarm"))
}
