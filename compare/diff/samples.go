package diff

import (
	"iter"

	"occudiff/compare"
	"occudiff/compare/stat"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// samples are those of one launch on one side, at most one of each metric per run.
type samples struct {
	key        ingest.Key // with sizes trimmed
	launch     Launch
	notAKernel bool
	share      unit.Opt[unit.Ratio] // of the time, the most of the runs
	values     [][]float64          // of each metric
	points     []point
	worth      []compare.Worth
}

// finish gives what the side knows of the launch, without the samples.
func (s *samples) finish() *Launch {
	l := s.launch
	if t, ok := stat.Median(s.values[compare.MetricNamed(compare.MetricTotal)]); ok {
		l.Total = unit.Some(unit.Seconds(t))
	}
	return &l
}

// collect gives the launches of the runs of one side, in the order in which they are met.
func collect(runs []*compare.Result) (list []*samples) {
	at := map[ingest.Key]*samples{}
	for _, run := range runs {
		for key, row := range byKey(run) {
			s := at[key]
			if s == nil {
				s = &samples{key: key, notAKernel: row.Verdict == compare.NotAKernel,
					values: make([][]float64, len(compare.Metrics())),
					launch: Launch{Global: row.Global, Local: row.Local, SIMD: row.SIMD, Adapter: unit.NonZero(row.Device),
						File: unit.NonZero(row.Pos.File), Line: unit.NonZero(row.Pos.Line)}}
				at[key] = s
				list = append(list, s)
			}
			s.add(row)
		}
	}
	return list
}

// add takes a run's row as a sample.
func (s *samples) add(row *compare.Row) {
	l := &s.launch
	l.Runs++
	l.addCertainty(row.Certainty)
	if !l.Registers.Present() {
		l.Registers = row.Registers
	}
	if !l.SLM.Present() {
		l.SLM = row.SLM
	}
	if t, ok := row.TimeShare.Value(); ok {
		s.share = unit.Some(max(t, s.share.Or(0)))
	}
	unmeasurable := row.Verdict == compare.Unmeasurable && row.Measured.Present()
	if unmeasurable {
		l.Unmeasurable++
	}
	for i, m := range compare.Metrics() {
		if x, ok := m.Of(row).Value(); ok && !(m.Sampled && (unmeasurable || !row.Measured.Present())) {
			s.values[i] = append(s.values[i], x)
		}
	}
	m, measured := row.Measured.Value()
	if t, ok := row.Average().Value(); ok && t > 0 && m > 0 && measured && !unmeasurable {
		items, _ := row.Global.Items()
		s.points = append(s.points, point{m.Percent(), row.BusyOccupancy, float64(t) / float64(max(items, 1))})
	}
	s.worth = append(s.worth, row.Worth)
}

// addCertainty keeps what is least sure of the runs' counters.
func (l *Launch) addCertainty(c compare.Certainty) {
	if n, ok := c.Intervals.Value(); ok {
		l.Intervals = unit.Some(min(n, l.Intervals.Or(n)))
	}
	if x, ok := c.Crosstalk.Value(); ok {
		l.Crosstalk = unit.Some(max(x, l.Crosstalk.Or(0)))
	}
	l.Exact = c.Exact
}

// byKey gives the rows of one run, those of one key merged: launches that were kept apart are no samples of their own,
// because they share whatever made this run differ from others.
func byKey(r *compare.Result) iter.Seq2[ingest.Key, *compare.Row] {
	return func(yield func(ingest.Key, *compare.Row) bool) {
		var order []ingest.Key
		same := map[ingest.Key][]*compare.Row{}
		for i := range r.Rows {
			row := &r.Rows[i]
			key := row.Kernel.Key().Trim()
			if same[key] == nil {
				order = append(order, key)
			}
			same[key] = append(same[key], row)
		}
		for _, key := range order {
			row := same[key][0]
			if len(same[key]) > 1 {
				row = mergeRows(r, same[key])
			}
			if !yield(key, row) {
				return
			}
		}
	}
}

// mergeRows adds up rows of one key: times and counts are sums, occupancies are weighted by time.
func mergeRows(run *compare.Result, parts []*compare.Row) *compare.Row {
	r := *parts[0]
	r.Total, r.Instances = sumOf(parts, func(p *compare.Row) unit.Opt[unit.Seconds] { return p.Total }),
		sumOf(parts, func(p *compare.Row) unit.Opt[int64] { return p.Instances })
	r.Mean, r.Uneven = meanOf(parts)
	r.Measured = byTime(parts, func(p *compare.Row) unit.Opt[unit.Ratio] { return p.Measured })
	r.Idle = byTime(parts, func(p *compare.Row) unit.Opt[unit.Ratio] { return p.Idle })
	r.BusyOccupancy = unit.Opt[unit.Ratio]{}
	if m, ok := r.Measured.Value(); ok {
		if idle, ok := r.Idle.Value(); ok && idle < 1 {
			r.BusyOccupancy = unit.Some(min(m/(1-idle), 1))
		}
	}
	for _, p := range parts {
		if p.Verdict != compare.Unmeasurable {
			r.Verdict = p.Verdict
		}
	}
	if r.Account = nil; run.Accounted(&r) {
		a := run.Parts(&r)
		r.Account = &a
	}
	return &r
}

// meanOf gives the mean time of a launch over the rows that tell it, when some do not.
func meanOf(parts []*compare.Row) (mean unit.Opt[unit.Seconds], uneven bool) {
	var time unit.Seconds
	var launches int64
	for _, p := range parts {
		t, timed := p.Average().Value()
		n, counted := p.Instances.Value()
		if timed && counted {
			time += t * unit.Seconds(n)
			launches += n
		}
		uneven = uneven || !timed || !counted || p.Mean.Present()
	}
	if uneven && launches > 0 {
		mean = unit.Some(time / unit.Seconds(launches))
	}
	return mean, uneven
}

// sumOf is absent when one of the parts is.
func sumOf[T ~int64 | ~float64](parts []*compare.Row, get func(*compare.Row) unit.Opt[T]) unit.Opt[T] {
	var sum T
	for _, p := range parts {
		v, ok := get(p).Value()
		if !ok {
			return unit.Opt[T]{}
		}
		sum += v
	}
	return unit.Some(sum)
}

// byTime is the mean weighted by total time, over the parts that have both.
func byTime(parts []*compare.Row, get func(*compare.Row) unit.Opt[unit.Ratio]) unit.Opt[unit.Ratio] {
	var values, weights []float64
	for _, p := range parts {
		v, ok := get(p).Value()
		if t, timed := p.Total.Value(); ok && timed {
			values, weights = append(values, float64(v)), append(weights, float64(t))
		}
	}
	if m, ok := stat.WeightedMean(values, weights); ok {
		return unit.Some(unit.Ratio(m))
	}
	return get(parts[0])
}
