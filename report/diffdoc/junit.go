package diffdoc

import (
	"cmp"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/report"
)

// suite turns a diff into test cases, a kernel each: a regression fails; what only one side has and what could not be
// compared is skipped, since neither success nor failure may be claimed of it.
func suite(d *diff.Result, prov report.Provenance) *report.TestSuite {
	s := report.NewTestSuite("diff", prov)
	s.Collected = dateOf(d)
	s.Add("occudiff.version", prov.Version)
	s.Add("command", report.CommandLine(prov.CommandLine))
	s.Add("threshold_points", report.Shortest(float64(d.Options.Threshold)))
	class := ""
	for _, side := range sides(d) {
		s.Add(side.name, sideText(side.Side))
		var inputs []string
		for _, r := range side.Runs {
			inputs = append(inputs, report.InputLines(r)...)
			if r.Device != nil {
				class = r.Device.Key
			}
			s.Host = report.OneLine(r.Platform.Host)
		}
		s.AddEach(side.name+".input", inputs)
	}
	s.Add("changed", changedText(d.Changes))
	s.Add("kernels.not_comparable", strconv.Itoa(d.Summary.NotComparable))
	s.AddEach("not_whole", report.NotWhole(d.Notes))
	// CI systems group cases by class: by device, and by label where one job has several diffs.
	class = strings.TrimSuffix(cmp.Or(class, "unknown device")+"/"+report.OneLine(prov.Label), "/")
	var cases []report.Case
	for i := range d.Rows {
		if r := &d.Rows[i]; r.IsKernel {
			cases = append(cases, testCase(class, r))
		}
	}
	s.SetCases(cases)
	return s
}

// side is one side of a diff with its word.
type side struct {
	name string
	*diff.Side
}

func sides(d *diff.Result) []side { return []side{{"old", &d.Old}, {"new", &d.New}} }

func testCase(class string, r *diff.Row) report.Case {
	c := report.Case{Class: class, Name: report.OneLine(r.Task),
		Text: report.UpperFirst(report.OneLine(r.Because.Or(""))) + "\n"}
	if shape := shapeText(r); shape != "" {
		c.Name += " (" + shape + ")"
	}
	// The new side last: it is the code that one can mend.
	for _, l := range []*diff.Launch{r.Old, r.New} {
		if l != nil {
			c.File, c.Line, c.Seconds = report.OneLine(l.File.Or("")), l.Line.Or(0), report.Finite(l.Total)
		}
	}
	switch r.Verdict {
	case diff.Regression:
		c.Outcome = report.Failed
	case diff.Unchanged, diff.Improvement, diff.Faster:
		return c
	default:
		c.Outcome = report.Skipped
	}
	c.Type, c.Message = string(r.Verdict), string(r.Verdict)
	if x, ok := r.Measured().Change.Value(); ok && c.Outcome == report.Failed {
		c.Message += ": measured " + report.Signed(x, 1) + " points"
		if l, ok := r.Delta(compare.MetricLoaded).Change.Value(); ok {
			c.Message += ", XVEs that ran " + report.Signed(l, 1) + " points"
		}
	}
	return c
}
