package diffdoc

import (
	"fmt"
	"strings"

	"occudiff/compare/rundiff"
	"occudiff/report"
)

// Answer answers what changed between two sides, or between the first of several and each other one.
func Answer(s *rundiff.Sides, prov report.Provenance) *report.Answer {
	if len(s.Against) > 1 {
		return several(s, prov)
	}
	d := s.Against[0]
	return &report.Answer{Doc: document(d, prov), Value: newOutput(d), Table: csvTable(d, prov.Show),
		Tests: func() *report.TestSuite { return suite(d, prov) }}
}

// Failure says which kernels regressed, for the gate that --fail-on asks for; empty when none did.
func Failure(s *rundiff.Sides) string {
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

// regressions says which kernels regressed on a side; empty when none did.
func regressions(d *rundiff.Result) string {
	if d.Summary.Regressions == 0 {
		return ""
	}
	const most = 3
	var names []string
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Verdict != rundiff.Regression {
			continue
		}
		if len(names) == most {
			names = append(names, fmt.Sprintf("%d more", d.Summary.Regressions-most))
			break
		}
		names = append(names, fmt.Sprintf("%s (%+.1f)", report.CutMiddle(report.KernelName(r.Task), 40),
			r.Measured.Change.Or(0)))
	}
	return fmt.Sprintf("%d of %d kernels lost more than %g points of measured occupancy: %s", d.Summary.Regressions,
		d.Summary.Kernels, float64(d.Options.Threshold), strings.Join(names, ", "))
}
