package diff

import (
	"fmt"
	"slices"

	"occudiff/compare"
)

// worth says what more occupancy is worth to a kernel on the new side. Runs that disagree tell nothing.
func worth(r *Row) (w compare.Worth) {
	if !r.IsKernel || r.New == nil {
		return compare.Worth{Verdicts: []compare.WorthVerdict{compare.WorthUntold}}
	}
	for n, x := range r.samples[1].worth {
		switch {
		case n == 0:
			w = x
		case !slices.Equal(x.Verdicts, w.Verdicts):
			return compare.Worth{Verdicts: []compare.WorthVerdict{compare.WorthUntold}, Because: "its runs differ in it"}
		}
	}
	return w
}

// worthText says it of kernels that hold less than before.
func worthText(r *Row) string {
	if r.Verdict != Regression && r.Verdict != Faster || r.Worth.Verdict() == compare.WorthUntold {
		return ""
	}
	return fmt.Sprintf(" On the new side, %s: %s.", r.Worth.Words(), r.Worth.Because)
}
