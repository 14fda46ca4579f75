package rundoc

import (
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// card answers in few words for agents and comments, with the kernels that need attention first.
// Kernels that match are findings as well: an agent that asks about one must not take silence for a fault.
func card(r *compare.Result) *report.Card {
	s := &r.Summary
	// A card fails closed: whoever acts on it reads nothing else.
	if why := unusable(r); why != "" {
		return report.Unusable(why, s.Judged, s.NotJudged)
	}
	c := report.Card{Schema: report.CardSchema, Usable: true, Device: unit.Some(r.Device.Key),
		Findings: []report.Finding{}, Judged: s.Judged, NotJudged: s.NotJudged}
	for _, l := range linesOf(r, report.Selection{}) { // in the order of the screen
		// Without a measurement a finding would be about two predictions.
		if l.Verdict.Compared() && l.Measured.Present() && !c.Add(findingOf(r, &l)) {
			break
		}
	}
	return &c
}

// unusable says why a run carries no conclusion; "" where it does.
func unusable(r *compare.Result) string {
	switch s := &r.Summary; {
	case r.Device == nil:
		return "the device is not known, so nothing is predicted: give --device, or the VTune summary along with the " +
			"export"
	case r.Fit.Contradiction != "":
		return "the device cannot be the GPU that ran: " + r.Fit.Contradiction
	case s.Judged == 0:
		return "no kernel could be judged: " +
			strings.Join(report.ListOf(uncomparedKernels(s), report.UnjudgedKernels.String), ", ")
	}
	return strings.Join(report.NotWhole(r.Notes), "; ")
}

func findingOf(r *compare.Result, l *line) report.Finding {
	row := l.Row
	f := report.Finding{Kernel: row.Task, Verdict: string(row.Verdict), Measured: row.Measured, Worth: row.Worth.Words()}
	if !row.Worth.Has(compare.WorthUntold) {
		f.Bound = row.Worth.Bound()
	}
	if p := row.Predicted; p != nil {
		f.Predicted = unit.Some(p.Average)
	}
	if row.Verdict == compare.Below && row.Total.Present() {
		f.Lost = unit.Some(row.Lost())
	}
	if row.Cause != nil {
		f.Cause, f.Confidence = unit.Some(row.Cause.Name), unit.NonZero(row.Cause.Confidence)
	}
	f.Next = unit.NonZero(commandOf(r, row, r.NextOf(row)))
	return f
}
