package diff

import (
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
	worth      []compare.Worth
	last       *compare.Result // the run that was added last
}

// collect gives the launches of the runs of one side, in the order in which they are met.
func collect(runs []*compare.Result) (list []*samples) {
	at := map[ingest.Key]*samples{}
	for _, run := range runs {
		for i := range run.Rows {
			row := &run.Rows[i]
			key := row.Kernel.Key().Trim()
			s := at[key]
			if s == nil {
				s = &samples{key: key, notAKernel: row.Verdict == compare.NotAKernel,
					values: make([][]float64, len(compare.Metrics())),
					launch: Launch{Global: row.Global, Local: row.Local, SIMD: row.SIMD, Adapter: unit.NonZero(row.Device),
						File: unit.NonZero(row.Pos.File), Line: unit.NonZero(row.Pos.Line)}}
				at[key] = s
				list = append(list, s)
			}
			// Ingest has one row of each key; one that comes back all the same, as a timing of a log does, is no sample of its own.
			if s.last != run {
				s.last = run
				s.add(row)
			}
		}
	}
	for _, s := range list {
		if t, ok := stat.Median(s.values[compare.MetricNamed(compare.MetricTotal)]); ok {
			s.launch.Total = unit.Some(unit.Seconds(t))
		}
	}
	return list
}

// add takes a run's row as a sample.
func (s *samples) add(row *compare.Row) {
	l := &s.launch
	l.Runs++
	// Of how sure the counters are, the least of the runs.
	if n, ok := row.Certainty.Intervals.Value(); ok {
		l.Intervals = unit.Some(min(n, l.Intervals.Or(n)))
	}
	if x, ok := row.Certainty.Crosstalk.Value(); ok {
		l.Crosstalk = unit.Some(max(x, l.Crosstalk.Or(0)))
	}
	l.Exact = row.Certainty.Exact
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
	s.worth = append(s.worth, row.Worth)
}
