package diffdoc

import (
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// card answers what changed in few words, for agents and comments. What more threads are worth is of the new side;
// where that does not tell it, a kernel that became faster at less occupancy is bound by something else.
func card(d *diff.Result) *report.Card {
	s := &d.Summary
	c := report.Card{Schema: report.CardSchema, Usable: true, Findings: []report.Finding{}}
	c.NotJudged = s.NotComparable + s.OnlyOld + s.OnlyNew + s.ChangedDevice
	c.Judged = s.Kernels - c.NotJudged
	// What an agent is told must not rest on a part of a run: any loss, on either side, makes the card unusable.
	lost := report.NotWhole(d.Notes)
	for _, side := range []diff.Side{d.Old, d.New} {
		for _, r := range side.Runs {
			lost = append(lost, report.NotWhole(r.Notes)...)
			if r.Device != nil {
				c.Device = unit.Some(r.Device.Key)
			}
			if r.Fit.Contradiction != "" {
				lost = append(lost, "the device cannot be the GPU that ran: "+r.Fit.Contradiction)
			}
		}
	}
	switch {
	case len(lost) > 0:
		return report.Unusable(strings.Join(lost, "; "), c.Judged, c.NotJudged)
	case c.Judged == 0:
		return report.Unusable("no kernel can be compared", c.Judged, c.NotJudged)
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		// Those are counted as not judged.
		if !r.IsKernel || r.Verdict == diff.NotComparable || r.Verdict == diff.ChangedDevice {
			continue
		}
		w := r.Worth
		if r.Verdict == diff.Faster && w.Verdict() == compare.WorthUntold {
			w = compare.Worth{Verdicts: []compare.WorthVerdict{compare.ElseBinds}, Because: w.Because}
		}
		f := report.Finding{Kernel: r.Task, Verdict: string(r.Verdict), Predicted: share(r.Delta(compare.MetricPredicted).New.Median),
			Measured: share(r.Measured().New.Median), Worth: w.Words(),
			Bound: w.Bound()}
		if r.Verdict != diff.Unchanged {
			f.Next = unit.Some(report.CommandLine([]string{"occudiff", "explain", string(r.Verdict)}))
		}
		if r.Verdict == diff.Regression {
			f.Confidence = unit.Some("medium") // one run a side, however far it moved
			if r.Measured().Significant.Or(false) || r.Delta(compare.MetricLoaded).Significant.Or(false) {
				f.Confidence = unit.Some("high")
			}
		}
		// Rows stand in the order of attention, so what does not fit into 20 findings and 8 kB is the least.
		if !c.Add(f) {
			break
		}
	}
	return &c
}

// share is an occupancy in percent as a card has it.
func share(percent unit.Opt[float64]) unit.Opt[unit.Ratio] {
	v, ok := percent.Value()
	if !ok {
		return unit.Opt[unit.Ratio]{}
	}
	return unit.Some(unit.FromPercent(v))
}
