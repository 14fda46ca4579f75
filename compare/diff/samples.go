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

// byKey gives the rows of one run by their keys. Ingest has one of each; a key that comes back all the same, as a timing of
// a log does, is no sample of its own.
func byKey(r *compare.Result) iter.Seq2[ingest.Key, *compare.Row] {
	return func(yield func(ingest.Key, *compare.Row) bool) {
		seen := make(map[ingest.Key]bool, len(r.Rows))
		for i := range r.Rows {
			row := &r.Rows[i]
			key := row.Kernel.Key().Trim()
			if seen[key] {
				continue
			}
			seen[key] = true
			if !yield(key, row) {
				return
			}
		}
	}
}
