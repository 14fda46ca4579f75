package rundoc

import (
	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// WorthValue says whether more threads would make a kernel faster.
type WorthValue struct {
	Verdict string            `json:"verdict" csv:"worth" col:"Worth; in=page+sheet; role=named" jsonschema:"never a promise"`
	Bound   unit.Opt[float64] `json:"bound" csv:"worth_bound" col:"Bound; decimals=2; in=sheet" jsonschema:"times as fast at most by hiding latency; 1 where something binds already"`
	Because string            `json:"because" csv:"worth_because" col:"Why that worth; in=sheet; role=named"`
	Formula text              `json:"formula" csv:"worth_formula" jsonschema:"of bound, with its figures"`
}

func (v *WorthValue) set(w compare.Worth) {
	*v = WorthValue{string(w.Verdict), w.Bound, w.Because, unit.NonZero(w.Formula)}
}

// worthText says what more threads are worth to a kernel, and how much faster it can become at most. Nothing is said
// where it cannot be told.
func worthText(of *compare.Result, r *compare.Row) string {
	w := of.Worth(r)
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
