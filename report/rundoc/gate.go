package rundoc

import (
	"fmt"
	"slices"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// Gate is what a gate says of a run.
type Gate struct {
	Failure  string // why the run fails; empty when it does not
	Unjudged report.Unjudged
}

// GateOf asks a gate, mismatch or model, of a run.
// Failing and not having judged are two answers: the exit status tells a job that got worse from one that saw nothing.
func GateOf(r *compare.Result, gate string) (g Gate) {
	s := &r.Summary
	u := &g.Unjudged
	switch gate {
	case "mismatch":
		if n := s.Mismatched(); n > 0 {
			g.Failure = fmt.Sprintf("%d of %d kernels do not match within %g points", n, s.Kernels,
				float64(r.Options.Tolerance))
		}
		u.Judged, u.Of = s.Judged, uncomparedKernels(s)
		if s.PeaksAgree > 0 {
			u.Nothing = " with a measurement; --fail-on model judges VTune's peaks"
		}
	case "model":
		if n := s.ModelCompared - s.ModelMatched; n > 0 {
			g.Failure = fmt.Sprintf("the prediction differs from the profiler's peak on %d of %d kernels by more than "+
				"%g points", n, s.Kernels, float64(compare.ModelTolerance))
		}
		u.Judged, u.Of = s.ModelCompared, []report.UnjudgedKernels{
			{Reason: report.ReasonNoPrediction, N: s.NoPrediction, Text: "without a prediction"},
			{Reason: report.ReasonUnmeasurable, N: max(0, s.Kernels-s.ModelCompared-s.NoPrediction),
				Text: "without a peak of the profiler"}}
	default:
		return g
	}
	u.Gate, u.Kernels = "--fail-on "+gate, s.Kernels
	u.Nothing = ": none of " + unit.Plural(int64(s.Kernels), "kernel") + " could be compared" + u.Nothing
	return g
}

// uncomparedKernels counts what no verdict is about, by the reason: a closing line that hides it would let a run pass
// that saw nothing.
func uncomparedKernels(s *compare.Summary) []report.UnjudgedKernels {
	return slices.DeleteFunc([]report.UnjudgedKernels{
		{Reason: report.ReasonUnmeasurable, N: s.Unmeasurable, Text: "unmeasurable"},
		{Reason: report.ReasonNoPrediction, N: s.NoPrediction, Text: "without a prediction"},
		{Reason: report.ReasonUnmeasurable, N: s.NoMeasurement, Text: "without a measurement"},
		{Reason: report.ReasonUnmeasurable, N: s.Compared() + s.PeaksAgree - s.Judged, Text: "compared with VTune's peak alone"},
	}, func(k report.UnjudgedKernels) bool { return k.N <= 0 })
}
