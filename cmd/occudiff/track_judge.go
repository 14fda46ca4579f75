package main

import (
	"context"

	"github.com/spf13/cobra"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report/trackdoc"
)

func (a *app) trackCheckCommand(t *trackFlags) *cobra.Command {
	var run int64
	c := &cobra.Command{
		Use:   "check",
		Short: "Fail when the newest run regressed",
		Long: `Compare the newest run with the runs before it, series by series, and exit 1 on a confirmed regression.

A run is beyond its threshold when it is off the median of the last 20 runs (--window) by more than 4 median absolute
deviations and by more than 2 points (--threshold; for seconds 2 % of the median). The first such run is an alarm, which
may be an outlier; the second in a row is a regression. With fewer than 8 earlier runs a series is learning and never
alarms. Another device, driver or launch shape is another series for every metric, which is said instead of an alarm.
Earlier runs in which a kernel was unmeasurable are left out; of seconds none is.`,
		Example: `  occudiff track check
  occudiff track check --metric residual -o check.xml --annotations
  occudiff track check --metric seconds --threshold 5`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.trackCheck(c, t, run) },
	}
	t.addGateFlags(c, true)
	t.addNoVerify(c)
	define(c.Flags(), flagDef{name: "run", value: &run, arg: "RUN", usage: "check this run instead of the newest"})
	a.share(c, answerFlags, "annotations")
	return c
}

func (a *app) trackCheck(c *cobra.Command, t *trackFlags, run int64) error {
	ctx := c.Context()
	m, err := t.gate(c)
	if err != nil {
		return err
	}
	out, db, done, err := a.openReading(ctx, t, a.outputs, validateEndings()...)
	if err != nil {
		return err
	}
	defer done()
	if run == 0 {
		if run, err = newestRun(ctx, db); err != nil {
			return err
		}
	}
	check, err := track.CheckRun(ctx, db, run, m)
	if err != nil {
		return err
	}
	if err := a.deliver(trackdoc.FromCheck(check, a.provenance()), out); err != nil {
		return err
	}
	if err := a.printAnnotations(trackdoc.CheckAnnotations(check)); err != nil {
		return err
	}
	return gateFailed(trackdoc.CheckFailure(check))
}

// newestRun gives the number of the newest run, which must be there.
func newestRun(ctx context.Context, db *history.DB) (int64, error) {
	id, ok, err := db.Newest(ctx)
	if err == nil && !ok {
		err = usageErrorf("%s has no run to check; add one with 'occudiff track add PATH'", db.Where())
	}
	return id, err
}

// gateFailed turns what fails a gate into the exit status.
func gateFailed(text string) error {
	if text == "" {
		return nil
	}
	return &gateError{text}
}

func (a *app) trackReportCommand(t *trackFlags) *cobra.Command {
	p := trend.DefaultParams()
	c := &cobra.Command{
		Use:   "report",
		Short: "Show every series with its change points",
		Long: `Show every series of the history with its change points: the runs at which its level changed, the means before and
after, and p. They are found as Hunter and Apache Otava do it (E-divisive means with a t-test). What needs attention comes first.
--fail-on regression exits 1 when the newest runs of a series that goes on are a confirmed regression.

The files are whole: -o trend.html draws every series, -o trend.xlsx has a sheet with a chart for each of the worst.`,
		Example: `  occudiff track report
  occudiff track report -o trend.html -o trend.xlsx
  occudiff track report --metric residual --magnitude 0.05 --format json`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.trackReport(c, t, p) },
	}
	t.addGateFlags(c, false)
	t.addNoVerify(c)
	define(c.Flags(), []flagDef{
		{name: "window", value: &p.Window, arg: "RUNS", usage: "runs that are looked at together for change points"},
		{name: "p", value: &p.P, arg: "P", usage: "a change point has a p below this"},
		{name: "magnitude", value: &p.Magnitude, arg: "SHARE", usage: "a change point changes the mean by more than this (0.05 is 5 %)"},
		{name: "min-segment", value: &p.MinSegment, arg: "RUNS", usage: "least runs between change points; 3 leaves short spikes out"},
	}...)
	a.share(c, answerFlags)
	a.shareGate(c, "regression")
	return c
}

func (a *app) trackReport(c *cobra.Command, t *trackFlags, p trend.Params) error {
	m, err := t.gate(c)
	if err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return err
	}
	out, db, done, err := a.openReading(c.Context(), t, a.outputs, reportEndings...)
	if err != nil {
		return err
	}
	defer done()
	r, err := track.ReadReport(c.Context(), db, m, p)
	if err != nil {
		return err
	}
	if err := a.deliver(trackdoc.FromReport(r, a.provenance()), out); err != nil || a.failOn != "regression" {
		return err
	}
	return gateFailed(trackdoc.ReportFailure(r))
}

func (a *app) trackBacktestCommand(t *trackFlags) *cobra.Command {
	var target float64
	c := &cobra.Command{
		Use:   "backtest",
		Short: "Replay the check over the stored history",
		Long: `Replay the check over the stored history, each run against only what was known then: how many alarms it would have raised,
when, and which later run confirmed them. --target proposes the --threshold for a wanted rate of confirmed alarms.`,
		Example: "  occudiff track backtest\n  occudiff track backtest --target 0.5\n" +
			"  occudiff track backtest --metric seconds --threshold 5",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.trackBacktest(c, t, target) },
	}
	t.addGateFlags(c, true)
	t.addNoVerify(c)
	define(c.Flags(), flagDef{name: "target", value: &target, arg: "RATE", usage: "propose the threshold for this many confirmed alarms per 100 runs, as in 0.5"})
	a.share(c, answerFlags)
	return c
}

func (a *app) trackBacktest(c *cobra.Command, t *trackFlags, rate float64) error {
	m, err := t.gate(c)
	if err != nil {
		return err
	}
	var target unit.Opt[float64]
	if c.Flags().Changed("target") {
		target = unit.Some(rate)
		if !(rate >= 0 && rate <= 100) {
			return usageErrorf("--target %v: expected confirmed alarms per 100 runs, from 0 to 100", rate)
		}
	}
	out, db, done, err := a.openReading(c.Context(), t, a.outputs, reportEndings...)
	if err != nil {
		return err
	}
	defer done()
	b, err := track.ReadBacktest(c.Context(), db, m, target)
	if err != nil {
		return err
	}
	return a.deliver(trackdoc.FromBacktest(b, a.provenance()), out)
}
