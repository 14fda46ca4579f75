package main

import (
	"context"
	"fmt"

	"occudiff/report"
	"occudiff/report/trackdoc"

	"github.com/spf13/cobra"

	"occudiff/compare/history"
	"occudiff/compare/trend"
)

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
		RunE: func(c *cobra.Command, _ []string) error {
			t.note(c)
			t.windowSet = false // of the change points here; the gate keeps its own
			return a.trackReport(c.Context(), t, p)
		},
	}
	t.addGateFlags(c, false)
	fs := c.Flags()
	fs.IntVar(&p.Window, "window", p.Window, "runs that are looked at together for change points")
	fs.Float64Var(&p.P, "p", p.P, "a change point has a p below this")
	fs.Float64Var(&p.Magnitude, "magnitude", p.Magnitude, "a change point changes the mean by more than this share (0.05 is 5 %)")
	fs.IntVar(&p.MinSegment, "min-segment", p.MinSegment, "runs between change points at least; 3 leaves short spikes out")
	return c
}

func (a *app) trackReport(ctx context.Context, t *trackFlags, p trend.Params) error {
	m, metric, err := t.trackMetric()
	if err != nil {
		return err
	}
	if err := p.Validate(); err != nil {
		return usageErrorf("%v", err)
	}
	out, db, done, err := a.openReading(ctx, t, a.outputs, reportEndings...)
	if err != nil {
		return err
	}
	defer done()
	r, err := readReport(ctx, db, m, metric, p)
	if err != nil {
		return err
	}
	if err := a.emitTrack(r, out); err != nil || a.failOn != "regression" {
		return err
	}
	return gateRegressions(r.Regressions(), len(r.Series), "")
}

// readReport reads the whole history of a metric, finds the change points and judges the newest values.
func readReport(ctx context.Context, db *history.DB, m history.Metric, metric trackdoc.TrackMetric, p trend.Params) (*trackdoc.TrackReport, error) {
	all, err := readSeries(ctx, db, m, func(t *tracked) error {
		var err error
		if t.Changes, err = trend.ChangePoints(t.judged(), p); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		return t.judge(metric.Gate)
	})
	if err != nil {
		return nil, err
	}
	if err := addFindings(ctx, db, all); err != nil {
		return nil, err
	}
	findBegins(all)
	runs, err := db.List(ctx)
	if err != nil {
		return nil, err
	}
	markStopped(all, runs, metric.Gate.Learning)
	return &trackdoc.TrackReport{Metric: metric, Params: p, Where: db.Where(), Series: plainSeries(all)}, nil
}

// emitTrack writes a report of a history to standard output and to the files.
func (a *app) emitTrack(r *trackdoc.TrackReport, out *outputs) error {
	doc := trackdoc.FromTrack(r, a.provenance())
	return a.deliver(&report.Answer{Doc: doc, Value: trackdoc.TrackJSON(r), Table: doc.Table("series")}, out)
}
