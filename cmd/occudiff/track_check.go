package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"occudiff/compare/history"
	"occudiff/report"
	"occudiff/report/machine"
	"occudiff/report/terminal"
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
alarms. Another device or driver is another series, which is said instead of an alarm.

The metric that an intended change of the work-group size does not touch is residual, measured - predicted average.`,
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
	if a.failOn == "mismatch" || a.failOn == "model" {
		return usageErrorf("--fail-on %s: track check fails on confirmed regressions; use validate for %s", a.failOn, a.failOn)
	}
	m, metric, err := t.trackMetric()
	if err != nil {
		return err
	}
	out, err := openOutputs(a.outputs, validateEndings()...)
	if err != nil {
		return err
	}
	defer out.discard()
	db, err := a.readHistory(ctx, t)
	if err != nil {
		return err
	}
	defer db.Close()
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
func readCheck(ctx context.Context, db *history.DB, id int64, m history.Metric, metric report.TrackMetric) (*report.TrackCheck, error) {
	run, err := db.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	// Three windows: enough to say how many runs in a row are beyond their thresholds, each against its own window.
	series, err := db.Latest(ctx, id, m, 3*metric.Gate.Window+1)
	if err != nil {
		return nil, err
	}
	earlier, err := db.Predecessors(ctx, id)
	if err != nil {
		return nil, err
	}
	check := &report.TrackCheck{Metric: metric, Where: db.Where(), Run: trackedRun(run)}
	var all []*tracked
	for _, s := range series {
		if n := len(s.Points); n == 0 || s.Points[n-1].Run != id {
			check.NotMeasured++
			continue
		}
		one := newTracked(s)
		if one.Gate, err = metric.Gate.Check(one.trendPoints()); err != nil {
			return nil, fmt.Errorf("%s: %w", one.Name, err)
		}
		if e, ok := earlier[s.ID]; ok {
			one.Begins = beginOf(s.Key, e)
			if one.Begins == nil && len(one.Points) == 1 {
				check.Unnamed++
				check.UnnamedBefore = &report.TrackedBegin{Device: e.Key.Device, Driver: e.Key.Driver, Run: e.Run, Time: e.Last}
			}
		}
		all = append(all, one)
	}
	check.NotMeasured = len(run.Rows) - len(all)
	if len(all) == 0 {
		return nil, nothingToCheck(&run, m)
	}
	markVerdicts(run.Rows, all)
	if err := missing(ctx, db, &run, m, check, all); err != nil {
		return nil, err
	}
	check.Series = plainSeries(all)
	return check, nil
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

// missing finds the kernels that the run before on the same device and driver had and this one has not, and those that it has
// in another launch shape.
func missing(ctx context.Context, db *history.DB, run *history.Run, m history.Metric, check *report.TrackCheck, all []*tracked) error {
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
		if now[r.Key] || !hasMetric(r, m) {
			continue
		}
		if t := reshaped(r.Key, &old, all); t != nil {
			t.Begins = &report.TrackedBegin{What: []string{report.LaunchShape}, Device: r.Device, Driver: r.Driver, Shape: shapeOf(r.Key), Run: before.ID, Time: before.Time}
			continue
		}
		check.Missing = append(check.Missing, r.Name())
	}
	return nil
}

// reshaped gives the one new series of a task on the same device and driver, nil when there are several or none: then nobody
// can tell which one took the place of the old one. The same holds when the task had several shapes before.
func reshaped(key history.Key, old *history.Run, all []*tracked) *tracked {
	sameTask := func(k history.Key) bool {
		return k.Task == key.Task && k.Direction == key.Direction && k.Device == key.Device && k.Driver == key.Driver
	}
	before := 0
	for i := range old.Rows {
		if sameTask(old.Rows[i].Key) {
			before++
		}
	}
	var found *tracked
	for _, t := range all {
		if !sameTask(t.key) {
			continue
		}
		if found != nil {
			return nil
		}
		found = t
	}
	if before != 1 || found == nil || len(found.Points) != 1 {
		return nil
	}
	return found
}

// emitCheck writes a check to standard output and to the files.
func (a *app) emitCheck(check *report.TrackCheck, out *outputs) error {
	prov := a.provenance()
	doc := report.FromTrackCheck(check, prov)
	err := a.deliverWriters(doc, map[string]writer{
		".json": func(w io.Writer) error { return machine.JSON(w, report.TrackCheckJSON(check)) },
		".csv":  func(w io.Writer) error { return machine.Table(w, doc.Table("series")) },
		".xml":  func(w io.Writer) error { return machine.JUnit(w, report.TrackCheckSuite(check, prov)) },
	}, out, terminal.Options{})
	if err != nil {
		return err
	}
	return a.printAnnotations(report.TrackCheckAnnotations(check))
}

// gateCheck turns confirmed regressions into the exit status.
func gateCheck(check *report.TrackCheck) error {
	names := check.Regressions()
	if len(names) == 0 {
		return nil
	}
	const most = 3
	n := len(names)
	if n > most {
		names = append(names[:most:most], fmt.Sprintf("%d more", n-most))
	}
	return &gateError{fmt.Sprintf("%d of %d series regressed in run %d, confirmed by two runs or more in a row: %s", n, len(check.Series), check.Run.ID, strings.Join(names, ", "))}
}
