package rundoc

import (
	"fmt"

	"occudiff/compare"
	"occudiff/ingest/unit"
)

// Gate is what a gate says of a run.
type Gate struct {
	Failure  string // why the run fails; empty when it does not
	Unjudged string // how many kernels it could not judge, and why; empty when it judged all
}

// GateOf asks a gate, mismatch or model, of a run.
// Failing and not having judged are two answers: the exit status tells a job that got worse from one that saw nothing.
func GateOf(r *compare.Result, gate string) (g Gate) {
	s := &r.Summary
	judged, why := s.Judged, uncompared(s)
	switch gate {
	case "mismatch":
		if n := s.Mismatched(); n > 0 {
			const many = "kernels"
			g.Failure = fmt.Sprintf("%d of %d %s do not match within %g points", n, s.Kernels, many,
				float64(r.Options.Tolerance))
		}
	case "model":
		if n := s.ModelCompared - s.ModelMatched; n > 0 {
			g.Failure = fmt.Sprintf("the prediction differs from the profiler's peak on %d of %d kernels by more than "+
				"%g points", n, s.ModelCompared, float64(compare.ModelTolerance))
		}
		judged, why = s.ModelCompared, "without both a predicted peak and one of the profiler"
	default:
		return g
	}
	switch {
	// Passing would be a claim about kernels that nobody looked at.
	case judged == 0:
		g.Unjudged = fmt.Sprintf("--fail-on %s had nothing to judge: none of %s could be compared", gate,
			unit.Plural(int64(s.Kernels), "kernel"))
		if s.PeaksAgree > 0 && gate == "mismatch" {
			g.Unjudged += " with a measurement; --fail-on model judges VTune's peaks"
		}
	case judged < s.Kernels:
		g.Unjudged = "--fail-on " + gate + ": " + judgedText(r, judged, why)
	}
	return g
}

// judgedText counts the kernels that were judged and those that were not.
func judgedText(r *compare.Result, judged int, why string) string {
	const one, many = "kernel", "kernels"
	all := r.Summary.Kernels
	return fmt.Sprintf("%d of %s judged; %d not: %s", judged, unit.Counted(all, one, many), all-judged, why)
}
