package compare

import (
	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// summarize counts the verdicts and takes the statistics of the differences of all rows that were judged.
func (r *Result) summarize() Summary {
	var s Summary
	of := map[Verdict]*int{NotAKernel: &s.NotKernels, Match: &s.Matched, Idle: &s.Idle, Below: &s.Below, Above: &s.Above,
		PeaksAgree: &s.PeaksAgree, Unmeasurable: &s.Unmeasurable, NoPrediction: &s.NoPrediction, NoMeasurement: &s.NoMeasurement}
	var differences, predicted, seen []float64
	kernels := unit.Seconds(0)
	for i := range r.Rows {
		row := &r.Rows[i]
		if t, ok := row.Total.Value(); ok {
			s.GPUTime = unit.Some(r.taskTime)
			if row.Verdict != NotAKernel {
				kernels += t
				s.KernelTime = unit.Some(kernels)
			}
		}
		*of[row.Verdict]++
		if row.Verdict.Compared() && row.Basis != BasisPeak { // which is a prediction itself
			s.Judged++
		}
		if agrees, ok := row.ModelAgrees(); ok {
			s.ModelCompared++
			if agrees {
				s.ModelMatched++
			}
		}
		if row.Cause != nil && row.Cause.Name == CauseUnexplained {
			s.Unexplained++
		}
		d, ok := row.Difference.Value()
		if !ok || !row.Verdict.Compared() && row.Verdict != PeaksAgree {
			continue
		}
		a, b := judged(row)
		differences = append(differences, float64(d))
		predicted, seen = append(predicted, a.Percent()), append(seen, b.Percent())
	}
	s.Kernels = len(r.Rows) - s.NotKernels
	s.NotJudged = s.Kernels - s.Judged
	s.Bias = points(stat.Mean(differences))
	s.MeanAbsolute = points(stat.MeanAbsolute(differences))
	s.MaxAbsolute = points(stat.MaxAbsolute(differences))
	s.RMSE = points(stat.RMSE(differences))
	s.Pearson = unit.Maybe(stat.Pearson(predicted, seen))
	s.Spearman = unit.Maybe(stat.Spearman(predicted, seen))
	return s
}

// judged gives the two numbers that the row's difference is of: what was predicted and what was seen.
func judged(row *Row) (predicted, seen unit.Ratio) {
	switch row.Basis {
	case BasisPeak:
		return row.Predicted.Peak, row.Peak.Or(0)
	case BasisMeasuredPeak:
		return row.Peak.Or(0), row.Measured.Or(0)
	}
	return row.reference(), row.Measured.Or(0)
}

// Compared says whether a row of this verdict was held against a prediction.
func (v Verdict) Compared() bool { return v == Match || v == Idle || v == Below || v == Above }

// Compared is how many rows were, and Mismatched how many of them are no match.
func (s *Summary) Compared() int { return s.Matched + s.Idle + s.Mismatched() }

// Mismatched is how many rows the prediction does not hold for. Idle time around launches is no fault of it.
func (s *Summary) Mismatched() int { return s.Below + s.Above }

func points(v float64, ok bool) unit.Opt[unit.Points] {
	return unit.Maybe(unit.Points(v), ok)
}

// ModelAgrees says whether the profiler's peak and the predicted peak agree within ModelTolerance, and whether there are
// both.
func (r *Row) ModelAgrees() (agrees, compared bool) {
	d, ok := r.PeakDifference.Value()
	return ok && abs(d) <= ModelTolerance+digit, ok
}
