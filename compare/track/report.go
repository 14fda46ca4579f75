package track

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// Report is the whole history of a metric.
type Report struct {
	Judgment
	Params       trend.Params
	Newest       history.Run // last run of the history, without its rows
	Calibrations []Calibration
}

// ReadReport returns the whole history of a metric, with its change points and
// the gate's result for the newest values. Dates are compared with now.
func ReadReport(ctx context.Context, db *history.DB, m Metric, p trend.Params, now time.Time) (*Report, error) {
	j, err := read(ctx, db, nil, 0, m, now)
	if err != nil {
		return nil, err
	}
	r := &Report{Judgment: Judgment{Metric: m, Where: db.Where(), Renumbered: renumbered(j.panel), Refs: j.runs},
		Params: p, Calibrations: calibrations(j.panel)}
	if n := len(j.panel.Runs); n > 0 {
		r.Newest = j.panel.Runs[n-1]
	}
	for i := range j.panel.Runs {
		if Future(j.panel.Runs[i].Time, now) {
			r.Clock.Future = append(r.Clock.Future, refOf(&j.panel.Runs[i]))
		}
	}
	if r.Series, _, _, err = j.whole(); err != nil {
		return nil, err
	}
	err = each(len(r.Series), func(i int) (err error) {
		t := r.Series[i]
		t.Found, err = trend.ChangePoints(valuesOf(t.Own()), p)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := j.judgeTimes(r.Series); err != nil {
		return nil, err
	}
	// A report has the same explanations as a check of the newest run.
	addAlsoChanged(j.kernels, m, r.Series)
	j.nameCauses(r.Series)
	r.Shared = findShared(r.Series, j.panel.Runs)
	return r, nil
}

// Backtest is a replay of the gate over a history, check by check. Each run is
// judged from the runs up to it.
type Backtest struct {
	Metric Metric
	Where  string
	Series []*Series // in the order in which they were first stored, with their findings
	Total  trend.Backtest
	Power  []trend.Power // share of injected drops that the gate finds
	// Kept is the gate with the smallest floor that keeps the budget, and
	// KeptTotal is its backtest. Hides is set if this floor hides a drop. Open
	// is the number of open findings. If Hides is set or findings are open, no
	// threshold is proposed.
	Kept      trend.Gate
	KeptTotal trend.Backtest
	Hides     bool
	Open      int
	Target    float64 // budget of Kept, as a share of checks
}

// ReadBacktest replays the gate over a history: with the configured gate, with
// injected drops, and with the smallest floor that keeps the budget. target
// replaces the budget, in checks per 100.
func ReadBacktest(ctx context.Context, db *history.DB, m Metric, target unit.Opt[float64], drops []float64,
	now time.Time) (*Backtest, error) {
	j, err := read(ctx, db, nil, 0, m, now)
	if err != nil {
		return nil, err
	}
	all, replays, groups, err := j.whole()
	if err != nil {
		return nil, err
	}
	b := &Backtest{Metric: m, Where: db.Where(), Series: all, Kept: m.Gate, Target: target.Or(100*m.Gate.Budget) / 100}
	var points [][][]trend.Point
	for i, series := range groups {
		b.Total = b.Total.Plus(replays[i].Tally())
		points = append(points, j.points(series))
	}
	for _, drop := range drops {
		p := trend.Power{Drop: drop}
		for _, series := range points {
			more, err := m.Gate.Power(ctx, series, drop)
			if err != nil {
				return nil, err
			}
			p = p.Plus(more)
		}
		b.Power = append(b.Power, p)
	}
	for _, t := range all {
		if _, accepted := t.AcceptedAfter(); !accepted && !t.Ended {
			b.Open += len(t.Open)
		}
	}
	kept, total, ok, err := m.Gate.Keep(ctx, points, b.Target)
	b.Kept, b.KeptTotal, b.Hides = kept, total, !ok
	return b, err
}

// A noise estimate uses at least leastNoise and at most mostNoise runs. Older
// runs may belong to another version of the program.
const leastNoise, mostNoise = 8, 40

// normalMAD converts a MAD to a standard deviation, for normally distributed
// values.
const normalMAD = 1.4826

// Noise returns the variance of a metric by kernel and device, in squared
// points, for any driver and program. It uses the series with the most runs. If
// the level changes inside the series, the change counts as noise, so the
// variance may be too large, but not too small. The variances are shrunk toward
// each other, as in the gate (docs/design/gate-rule.md).
func Noise(ctx context.Context, db *history.DB, m history.Metric) (map[history.Key]stat.Variance, error) {
	runs := map[history.Key]int{}
	noise := map[history.Key]stat.Variance{}
	panel, err := db.Panel(ctx, 0, 0, m)
	if err != nil {
		return nil, err
	}
	for i := range panel.Kernels {
		k := &panel.Kernels[i]
		points := slices.DeleteFunc(k.Points(m),
			func(p history.Point) bool { return p.Verdict == string(compare.Unmeasurable) })
		key := k.Key.OnDevice()
		if n := len(points); n < leastNoise || n <= runs[key] {
			continue
		}
		runs[key] = len(points)
		noise[key] = trend.VarianceOf(valuesOf(points[max(0, len(points)-mostNoise):]))
	}
	// The variances are sorted, because the order of the summands changes the
	// last digits of a sum, and the order of a map is random.
	prior := stat.NewPrior(slices.SortedFunc(maps.Values(noise), func(a, b stat.Variance) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Freedom, b.Freedom))
	}))
	for key, v := range noise {
		value, freedom := prior.Shrink(v)
		noise[key] = stat.Variance{Value: value, Freedom: freedom}
	}
	return noise, nil
}
