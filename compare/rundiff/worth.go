package rundiff

import (
	"fmt"
	"slices"

	"occudiff/compare"
)

// Worth says what more occupancy is worth to the kernel of row i on the new side. Runs that disagree tell nothing.
func (d *Result) Worth(i int) (w compare.Worth) {
	k := d.rows[i].newer
	if !d.rows[i].isKernel || k < 0 {
		return compare.Worth{Verdicts: []compare.WorthVerdict{compare.WorthUntold}}
	}
	for n, p := range append([]place{d.newer.first[k]}, d.newer.more[k]...) {
		run := d.newer.runs[p.run]
		switch x := run.Rows[int(p.row)].Worth; {
		case n == 0:
			w = x
		case !slices.Equal(x.Verdicts, w.Verdicts):
			return compare.Worth{Verdicts: []compare.WorthVerdict{compare.WorthUntold}, Because: "its runs differ in it"}
		}
	}
	return w
}

// worthText says it of kernels that hold less than before.
func (d *Result) worthText(i int, v Verdict) string {
	if v != Regression && v != Faster {
		return ""
	}
	w := d.Worth(i)
	if w.Verdict() == compare.WorthUntold {
		return ""
	}
	return fmt.Sprintf(" On the new side, %s: %s.", w.Words(), w.Because)
}
