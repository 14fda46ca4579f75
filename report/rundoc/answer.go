package rundoc

import (
	"math"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// Answer gives a compared run in every form.
func Answer(r *compare.Result, prov report.Provenance) *report.Answer {
	v := Value(r)
	a := &report.Answer{
		Make:  func() *report.Document { return FromResult(r, prov) },
		Value: v,
		Card:  func() *report.Card { return card(r) },
		Table: Rows(prov.Show, r),
		Tests: func() *report.TestSuite { return TestSuiteFrom(r, prov) },
		Trace: func() any { return traceOf(r) },
	}
	if len(v.Over) > 0 {
		p := v.Over[0].plot(0)
		a.Chart = &p
	}
	return a
}

// shown gives the result with the rows that people want to see.
func shown(r *compare.Result, show report.Selection) *compare.Result {
	if !show.Chosen() {
		return r
	}
	nan := math.NaN()
	v := r.View(show.Choose(len(r.Rows), func(i int) report.Candidate {
		row := &r.Rows[i]
		c := report.Candidate{Task: row.Task, Other: row.Verdict == compare.NotAKernel, Value: show.Value(float64(row.Lost()),
			float64(row.Total.Or(unit.Seconds(nan))), float64(row.Difference.Or(unit.Points(nan))))}
		if show.Sort == report.SortWorth {
			c.Value = row.Worth.Stake(row)
		}
		return c
	}))
	v.Notes = append(show.LeftOut(len(v.Rows), len(r.Rows), "rows", func(i int) string { return r.Rows[i].Task }), r.Notes...)
	return v
}
