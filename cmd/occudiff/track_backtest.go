package main

import (
	"context"
	"fmt"

	"occudiff/report"
	"occudiff/report/trackdoc"

	"github.com/spf13/cobra"

	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

func (a *app) trackBacktestCommand(t *trackFlags) *cobra.Command {
	var target float64
	c := &cobra.Command{
		Use:   "backtest",
		Short: "Replay the check over the stored history",
		Long: `Replay the check over the stored history, each run against only what was known then: how many alarms it would have raised,
when, and which later run confirmed them. --target proposes the --threshold for a wanted rate of confirmed alarms.`,
		Example: "  occudiff track backtest\n  occudiff track backtest --target 0.5\n  occudiff track backtest --metric seconds --threshold 5",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			t.note(c)
			return a.trackBacktest(c.Context(), t, target, c.Flags().Changed("target"))
		},
	}
	t.addGateFlags(c, true)
	c.Flags().Float64Var(&target, "target", 0, "propose the threshold for this many confirmed alarms per 100 runs, as in 0.5")
	return c
}

func (a *app) trackBacktest(ctx context.Context, t *trackFlags, target float64, wanted bool) error {
	m, metric, err := t.trackMetric()
	if err != nil {
		return err
	}
	if wanted && !(target >= 0 && target <= 100) {
		return usageErrorf("--target %v: expected confirmed alarms per 100 runs, from 0 to 100", target)
	}
	out, db, done, err := a.openReading(ctx, t, a.outputs, reportEndings...)
	if err != nil {
		return err
	}
	defer done()
	all, err := readSeries(ctx, db, m, func(*tracked) error { return nil })
	if err != nil {
		return err
	}
	b := &trackdoc.TrackBacktest{Metric: metric, Where: db.Where(), Target: target}
	var points [][]trend.Point
	for _, s := range all {
		p := s.judged()
		if left := len(s.LeftOut) + len(s.Points) - len(p); left > 0 {
			b.LeftOut += left
			b.LeftOutOf++
		}
		if len(p) == 0 {
			continue
		}
		r, err := metric.Gate.Backtest(p)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		points = append(points, p)
		b.Series = append(b.Series, trackdoc.Backtested{Tracked: s.Tracked, Result: r})
	}
	if wanted {
		p, err := metric.Gate.Propose(ctx, points, target)
		if err != nil {
			return usageErrorf("--target %v: %v", target, err)
		}
		b.Proposal = unit.Some(p)
	}
	doc := trackdoc.FromTrackBacktest(b, a.provenance())
	return a.deliver(&report.Answer{Doc: doc, Value: trackdoc.TrackBacktestJSON(b), Table: doc.Table("alarms")}, out)
}
