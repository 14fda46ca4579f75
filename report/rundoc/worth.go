package rundoc

import (
	"occudiff/compare"
	"occudiff/report"
)

// worthText says what more threads are worth to a kernel, and how much faster it can become at most. Nothing is said
// where it cannot be told.
func worthText(of *compare.Result, r *compare.Row) string {
	w := r.Worth
	if w.Verdict == compare.WorthUntold {
		return ""
	}
	text := " Worth: " + string(w.Verdict) + ": " + w.Because
	if b, ok := w.Bound.Value(); ok && b > 1 {
		text += "; without any stall it would be " + report.Decimal(b, 1) +
			" times as fast, and no faster than that (" + w.Formula + ")"
	}
	return text + "."
}
