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
// It fails on what is proven alone: a gate that is red for noise is soon switched off.
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
// It is no failure either, and said all the same, so that nobody takes a green job for a proof.
func CannotTell(s *diff.Sides) string {
	n := 0
	for _, d := range s.Against {
		n += d.Summary.Regressions - d.Summary.Proven
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("--fail-on regression: cannot be told of %s: more than %g points were lost, but with fewer "+
		"than 4 runs a side that may be noise (give each side a folder of 4 repeats or more)",
		unit.Plural(int64(n), "kernel"), float64(s.Against[0].Options.Threshold))
}

// Unjudged says how many kernels the gate could not judge; empty when it judged all that both sides have and that any
// of them can measure. What was unmeasurable before is nothing that a change hides.
func Unjudged(s *diff.Sides) string {
	unjudged, judged := 0, 0
	for _, d := range s.Against {
		for i := range d.Rows {
			r := &d.Rows[i]
			if r.Verdict == diff.NotAKernel || r.Old == nil || r.New == nil {
				continue
			}
			if r.Verdict != diff.NotComparable {
				judged++
			} else if r.Old.Unmeasurable < r.Old.Runs || r.New.Unmeasurable < r.New.Runs {
				unjudged++
			}
		}
	}
	// Where nothing was judged the gate has seen nothing, and that is said even if nothing is left to judge.
	if unjudged == 0 && judged > 0 {
		return ""
	}
	return fmt.Sprintf("--fail-on regression: %d of %s judged; %d not comparable", judged,
		unit.Plural(int64(judged+unjudged), "kernel"), unjudged)
}

// regressions says which kernels provably regressed on a side; empty when none did.
func regressions(d *diff.Result) string {
	if d.Summary.Proven == 0 {
		return ""
	}
	const most = 3
	var names []string
	for i := range d.Rows {
		r := &d.Rows[i]
		if !r.Proven() {
			continue
		}
		// The sentence stands on one line of a CI log; the table has all of them.
		if len(names) == most {
			names = append(names, fmt.Sprintf("%d more", d.Summary.Proven-most))
			break
		}
		names = append(names, fmt.Sprintf("%s (%s)", report.CutMiddle(report.KernelName(r.Task), 40), fell(r)))
	}
	return fmt.Sprintf("%d of %d kernels lost more than %g points of occupancy: %s", d.Summary.Proven,
		d.Summary.Kernels, float64(d.Options.Threshold), strings.Join(names, ", "))
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
