package rundoc

import (
	"fmt"

	"occudiff/compare"
)

// Failure says why a run fails a gate, mismatch or model; empty when it does not. judged is false when there was
// nothing to judge by.
func Failure(r *compare.Result, gate string) (failure string, judged bool) {
	s := r.Summary
	switch gate {
	case "mismatch":
		if n := s.Mismatched(); n > 0 {
			failure = fmt.Sprintf("%d of %d kernels do not match within %g points", n, s.Kernels,
				float64(r.Options.Tolerance))
		}
		return failure, s.Compared() > 0
	case "model":
		if n := s.ModelCompared - s.ModelMatched; n > 0 {
			failure = fmt.Sprintf("the prediction differs from the profiler's peak on %d of %d kernels by more than "+
				"%g points", n, s.ModelCompared, float64(r.Options.ModelTolerance))
		}
		return failure, s.ModelCompared > 0
	}
	return "", true
}
