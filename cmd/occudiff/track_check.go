package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"occudiff/report"
	"occudiff/report/trackdoc"

	"github.com/spf13/cobra"

	"occudiff/compare/history"
	"occudiff/compare/trend"
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
Earlier runs that were too short for the sampling interval are left out; of seconds none is.`,
		Example: `  occudiff track check
  occudiff track check --metric residual -o check.xml --annotations
  occudiff track check --metric seconds --threshold 5`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			t.note(c)
			return a.trackCheck(c.Context(), t, run)
		},
	}
	t.addGateFlags(c, true)
	c.Flags().Int64Var(&run, "run", 0, "check this run instead of the newest")
	return c
}

func (a *app) trackCheck(ctx context.Context, t *trackFlags, run int64) error {
	m, metric, err := t.trackMetric()
	if err != nil {
		return err
	}
	out, db, done, err := a.openReading(ctx, t, a.outputs, validateEndings()...)
	if err != nil {
		return err
	}
	defer done()
	if run == 0 {
		id, ok, err := db.Newest(ctx)
		if err != nil {
			return err
		}
		if !ok {
			return usageErrorf("%s has no run to check; add one with 'occudiff track add PATH'", db.Where())
		}
		run = id
	}
	check, err := readCheck(ctx, db, run, m, metric)
	if err != nil {
		return err
	}
	if err := a.emitCheck(check, out); err != nil {
		return err
	}
	return gateCheck(check)
}

// readCheck reads the series of a run and judges them.
func readCheck(ctx context.Context, db *history.DB, id int64, m history.Metric, metric trackdoc.TrackMetric) (*trackdoc.TrackCheck, error) {
	run, err := db.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	all, err := readLatest(ctx, db, id, m, metric.Gate)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, nothingToCheck(&run, m)
	}
	check := &trackdoc.TrackCheck{Metric: metric, Where: db.Where(), Run: trackedRun(run), NotMeasured: len(run.Rows) - len(all)}
	spans, err := db.Spans(ctx, id)
	if err != nil {
		return nil, err
	}
	wentOn := addBegins(check, all, spans)
	markFindings(run.Rows, all)
	if err := missing(ctx, db, &run, m, check, wentOn); err != nil {
		return nil, err
	}
	check.Series = plainSeries(all)
	return check, nil
}

// readLatest reads the last points of the series that have a value in a run, and judges it.
func readLatest(ctx context.Context, db *history.DB, id int64, m history.Metric, g trend.Gate) ([]*tracked, error) {
	// Enough for a streak of some length. A longer one needs more: each of its runs is held against what came before it.
	for n := 3*g.Memory() + 1; ; n *= 4 {
		series, err := db.Latest(ctx, id, m, n, passedOver(m))
		if err != nil {
			return nil, err
		}
		var all []*tracked
		whole := true
		for _, s := range series {
			if s.Points[len(s.Points)-1].Run != id {
				continue
			}
			t := newTracked(s, passedOver(m))
			if err := t.judge(g); err != nil {
				return nil, err
			}
			t.LeftOut = leftOutOf(t, g.Memory())
			whole = whole && (len(t.Points) < n || t.Gate.InARow == 0 || t.Gate.Index-t.Gate.InARow >= g.Memory())
			all = append(all, t)
		}
		if whole {
			return all, nil
		}
	}
}

// leftOutOf gives the runs that were left out between the last n judged ones, all when there are no more than these.
func leftOutOf(t *tracked, n int) []trackdoc.TrackedPoint {
	earlier := t.Points[:len(t.Points)-1]
	if len(earlier) <= n {
		return t.LeftOut
	}
	since := earlier[len(earlier)-n]
	return slices.DeleteFunc(t.LeftOut, func(p trackdoc.TrackedPoint) bool { return before(p, since) })
}

// addBegins says what changed where the series begin, and counts those of which nobody can tell. It gives the keys that went
// on in another launch shape.
func addBegins(check *trackdoc.TrackCheck, all []*tracked, spans []history.Span) map[history.Key]bool {
	same := map[history.Key][]history.Span{}
	at := make(map[history.Key]int, len(spans))
	for i, s := range spans {
		same[kernelOf(s.Key)] = append(same[kernelOf(s.Key)], s)
		at[s.Key] = i
	}
	shapes, wentOn := reshaped(spans), map[history.Key]bool{}
	for _, t := range all {
		own := spans[at[t.key]]
		earlier := slices.DeleteFunc(slices.Clone(same[kernelOf(t.key)]), func(s history.Span) bool { return !s.Last.Before(own.First) })
		if i := closest(t.key, earlier); i >= 0 {
			t.Begins = beginOf(t.key, earlier[i])
			if t.Begins == nil && own.First.Equal(own.Last) {
				check.Unnamed++
				check.UnnamedBefore = &trackdoc.TrackedBegin{Device: earlier[i].Key.Device, Driver: earlier[i].Key.Driver, Run: earlier[i].Run, Time: earlier[i].Last}
			}
		}
		if i, ok := shapes[at[t.key]]; ok {
			t.fromShape(spans[i])
			wentOn[spans[i].Key] = true
		}
	}
	return wentOn
}

// nothingToCheck is the error of a run without any value of the metric: a gate that can never fail helps nobody.
func nothingToCheck(run *history.Run, m history.Metric) error {
	var has []string
	for _, other := range history.Metrics() {
		if slices.ContainsFunc(run.Rows, func(r history.Row) bool { return hasMetric(&r, other) }) {
			has = append(has, string(other))
		}
	}
	if len(has) == 0 {
		return usageErrorf("run %d has no value of any metric, so nothing can be checked; add exports with measured occupancy or times", run.ID)
	}
	return usageErrorf("no kernel of run %d has a %s value, so nothing can be checked; --metric %s has values", run.ID, m, strings.Join(has, " or "))
}

func hasMetric(r *history.Row, m history.Metric) bool {
	switch m {
	case history.Residual:
		return r.Residual.Present()
	case history.Loaded:
		return r.Loaded.Present()
	case history.Seconds:
		return r.Average.Present()
	}
	return r.Measured.Present()
}

// missing finds the kernels that the run before on the same device and driver had and this one has not. Those that it has in
// another launch shape are not missing.
func missing(ctx context.Context, db *history.DB, run *history.Run, m history.Metric, check *trackdoc.TrackCheck, wentOn map[history.Key]bool) error {
	runs, err := db.List(ctx)
	if err != nil {
		return err
	}
	var before *history.Run
	for i := range runs { // oldest first
		if runs[i].ID == run.ID {
			break
		}
		if runs[i].Device == run.Device && runs[i].Driver == run.Driver {
			before = &runs[i]
		}
	}
	if before == nil {
		return nil
	}
	old, err := db.Get(ctx, before.ID)
	if err != nil {
		return err
	}
	now := make(map[history.Key]bool, len(run.Rows))
	for i := range run.Rows {
		now[run.Rows[i].Key] = true
	}
	check.MissingBefore = before.ID
	for i := range old.Rows {
		r := &old.Rows[i]
		if !now[r.Key] && !wentOn[r.Key] && hasMetric(r, m) {
			check.Missing = append(check.Missing, r.Name())
		}
	}
	return nil
}

// emitCheck writes a check to standard output and to the files.
func (a *app) emitCheck(check *trackdoc.TrackCheck, out *outputs) error {
	prov := a.provenance()
	doc := trackdoc.FromTrackCheck(check, prov)
	err := a.deliver(&report.Answer{
		Doc: doc, Value: trackdoc.TrackCheckJSON(check), Table: doc.Table("series"),
		Tests: func() *report.TestSuite { return trackdoc.TrackCheckSuite(check, prov) },
	}, out)
	if err != nil {
		return err
	}
	return a.printAnnotations(trackdoc.TrackCheckAnnotations(check))
}

// gateCheck turns confirmed regressions into the exit status.
func gateCheck(check *trackdoc.TrackCheck) error {
	return gateRegressions(check.Regressions(), len(check.Series), fmt.Sprintf(" in run %d", check.Run.ID))
}

// gateRegressions is the error of series that regressed, nil when there are none.
func gateRegressions(names []string, series int, where string) error {
	if len(names) == 0 {
		return nil
	}
	const most = 3
	n := len(names)
	if n > most {
		names = append(names[:most:most], fmt.Sprintf("%d more", n-most))
	}
	return &gateError{fmt.Sprintf("%d of %d series regressed%s, confirmed by two runs or more in a row: %s", n, series, where, strings.Join(names, ", "))}
}
