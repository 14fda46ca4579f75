package diffdoc

import (
	"fmt"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// Answer answers what changed between two sides, or between the first of several and each other one.
// Document, card and test suite are made when an output asks for them: CSV and JSON of a million kernels do without.
func Answer(s *diff.Sides, prov report.Provenance) *report.Answer {
	if len(s.Against) > 1 {
		return several(s, prov)
	}
	d := s.Against[0]
	return &report.Answer{Make: func() *report.Document { return document(d, prov) },
		Card:  func() *report.Card { return card(d) },
		Value: newOutput(d), Table: csvTable(d, prov.Show),
		Tests: func() *report.TestSuite { return suite(d, prov) }}
}

// Failure says which kernels regressed, for the gate that --fail-on asks for; empty when none did.
// All of them were told from noise: a gate that is red for noise is soon switched off.
func Failure(s *diff.Sides) string {
	var failed []string
	for _, d := range s.Against {
		if text := regressions(d); text != "" && len(s.Against) > 1 {
			failed = append(failed, d.New.Name+": "+text)
		} else if text != "" {
			failed = append(failed, text)
		}
	}
	if len(failed) == 0 {
		return ""
	}
	return "--fail-on regression: " + strings.Join(failed, "; ")
}

// CannotTell says what a gate let pass since too few runs tell it from noise; empty when that is nothing.
// It is no failure, and said all the same, so that nobody takes a green job for a proof.
func CannotTell(s *diff.Sides) string {
	n := 0
	for _, d := range s.Against {
		n += d.Summary.CannotTell
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("--fail-on regression: single runs tell changes above %g points only; %s may have changed by less "+
		"(%s)", float64(singles(s.Against[0])), unit.Plural(int64(n), "kernel"), moreRuns)
}

// moreRuns is what tells smaller changes.
const moreRuns = "give each side a folder of 4 repeats or more, or --noise HISTORY"

// singles is the change above which single runs tell something.
func singles(d *diff.Result) unit.Points { return max(diff.SingleRuns, 2*d.Options.Threshold) }

// Unjudged says what a gate could not judge of what any of the sides has. What was unmeasurable before is nothing that a
// change hides.
func Unjudged(s *diff.Sides) report.Unjudged {
	u := report.Unjudged{Gate: "--fail-on regression", Nothing: ": no kernel can be compared"}
	missing, uncompared, unexplained := 0, 0, 0
	name := ""
	for _, d := range s.Against {
		for i := range d.Rows {
			r := &d.Rows[i]
			switch {
			case !r.IsKernel:
			case r.Missing():
				if missing++; missing == 1 {
					name = report.ShortName(r.Task, 40)
				}
			case r.Old == nil || r.New == nil:
			case r.Unexplained():
				unexplained++
			case r.Verdict != diff.NotComparable:
				u.Judged++
			case r.Old.Unmeasurable < r.Old.Runs || r.New.Unmeasurable < r.New.Runs:
				uncompared++
			}
		}
	}
	u.Kernels = u.Judged + missing + uncompared + unexplained
	u.Of = []report.UnjudgedKernels{
		{Reason: report.ReasonMissing, N: missing, Text: unit.Counted(missing, "is", "are") + " on one side alone (" + name + ")"},
		{Reason: report.ReasonUnmeasurable, N: uncompared, Text: report.Thousands(int64(uncompared)) + " not comparable"},
		{Reason: report.ReasonNoPrediction, N: unexplained, Text: report.Thousands(int64(unexplained)) + " with another launch or device and without a prediction"},
	}
	return u
}

// regressions says which kernels regressed on a side; empty when none did.
func regressions(d *diff.Result) string {
	if d.Summary.Regressions == 0 {
		return ""
	}
	const most = 3
	var names []string
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Verdict != diff.Regression {
			continue
		}
		// The sentence stands on one line of a CI log; the table has all of them.
		if len(names) == most {
			names = append(names, fmt.Sprintf("%d more", d.Summary.Regressions-most))
			break
		}
		names = append(names, fmt.Sprintf("%s (%s)", report.ShortName(r.Task, 40), fell(r)))
	}
	than := d.Options.Threshold
	if d.Summary.Tested == 0 && d.Options.Noise == nil {
		than = max(than, diff.SingleRuns)
	}
	return fmt.Sprintf("%d of %d kernels lost more than %g points of occupancy: %s", d.Summary.Regressions,
		d.Summary.Kernels, float64(than), strings.Join(names, ", "))
}

// fell names the figure that a regression stands on, and by how much it fell.
func fell(r *diff.Row) string {
	// The figure over the XVEs that ran is preferred where it is what was proven, for time between launches does not
	// count in it.
	ran, measured := r.Delta(compare.MetricLoaded), r.Measured()
	c, known := ran.Change.Value()
	if known && c < 0 && (ran.Significant.Or(!measured.Significant.Or(false)) || c < measured.Change.Or(0)) {
		return fmt.Sprintf("XVEs that ran %+.1f", c)
	}
	return fmt.Sprintf("measured %+.1f", measured.Change.Or(0))
}
