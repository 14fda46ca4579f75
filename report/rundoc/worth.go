package rundoc

import (
	"slices"

	"occudiff/compare"
	"occudiff/report"
)

// worthText says what more threads are worth to a kernel, and how much faster it can become at most. Nothing is said
// where it cannot be told.
func worthText(of *compare.Result, r *compare.Row) string {
	w := r.Worth
	if w.Verdict() == compare.WorthUntold {
		return ""
	}
	text := " Worth: " + w.Words() + ": " + w.Because
	if b, ok := w.Spread.Most.Value(); ok && slices.Contains(w.Verdicts, compare.SpreadTheWork) {
		text += "; with work for them at most " + report.Decimal(b, 1) + " times as fast (" + w.Spread.Formula + ")"
	}
	return text + "."
}
