package rundoc

import (
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/ahead"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// TestSuiteFrom turns a compared run into test cases. Tasks that are no kernels are left out.
// A CI system that reads JUnit shows kernels as it shows tests, so a name must be the same from run to run: shape and
// adapter are in it, figures are not.
func TestSuiteFrom(r *compare.Result, prov report.Provenance) *report.TestSuite {
	s, class := report.NewTestSuite("validate", prov), "unknown device"
	if r.Device != nil {
		class = report.OneLine(r.Device.Key)
	}
	if prov.Label != "" {
		class += "/" + report.OneLine(prov.Label)
	}
	s.Collected, s.Host = r.Platform.Collected, report.OneLine(r.Platform.Host)
	addProperties(s, r, prov)
	// Two passes over the rows: the head of a suite has counts, which brief cases give, and holding a million cases in
	// between would take more than making them twice.
	s.SetCases(testCases(r, func(row *compare.Row) report.TestCase {
		r.Tell(row)
		return testCase(class, row)
	}), testCases(r, func(row *compare.Row) report.TestCase { return briefCase(class, row) }))
	return s
}

// testCases gives the cases that kernels make, from their bare rows.
func testCases(r *compare.Result, of func(*compare.Row) report.TestCase) iter.Seq[report.TestCase] {
	type row struct {
		compare.Row
		kernel bool
		test   report.TestCase
	}
	return func(yield func(report.TestCase) bool) {
		for _, c := range ahead.Items(r.Len(), func(i int, into *row) {
			row := r.Bare(i, &into.Row)
			if into.kernel = row.Verdict != compare.NotAKernel; into.kernel {
				into.test = of(row)
			}
		}) {
			if c.kernel && !yield(c.test) {
				return
			}
		}
	}
}

// testName is a kernel with all that makes it another row than others of its task.
func testName(r *compare.Row) string {
	name, detail := report.OneLine(r.Task), Shape(&r.Kernel)
	if r.Device != "" {
		detail = strings.TrimPrefix(detail+", "+report.OneLine(r.Device), ", ")
	}
	// A case has to have a name.
	if name == "" {
		name = "(no name)"
	}
	if detail != "" {
		name += " (" + detail + ")"
	}
	return name
}

// briefCase is the case of a row without what it has to say.
func briefCase(class string, r *compare.Row) report.TestCase {
	c := report.TestCase{Class: class, Name: testName(r), File: report.OneLine(r.Pos.File), Line: r.Pos.Line,
		Seconds: report.Finite(r.Total)}
	switch r.Verdict {
	case compare.Match:
	// Above fails, too: a kernel cannot hold more than the prediction, so the model or the input is wrong.
	case compare.Below, compare.Above:
		c.Outcome = report.TestFailed
	default:
		c.Outcome = report.TestSkipped
	}
	return c
}

func testCase(class string, r *compare.Row) report.TestCase {
	c := briefCase(class, r)
	if c.Outcome == report.TestPassed {
		return c
	}
	c.Type, c.Message = string(r.Verdict), string(r.Verdict)
	if p, ok := r.Difference.Value(); ok && c.Outcome == report.TestFailed {
		c.Message += " by " + report.Decimal(math.Abs(float64(p)), 1) + " points"
	}
	if r.Cause != nil {
		// CI systems group failures by type.
		c.Type = report.OneLine(r.Cause.Name)
		c.Message += ": " + c.Type
	}
	c.Text = report.UpperFirst(sentence(r)) + "\n" + testFigures(r)
	return c
}

// testFigures lists what the verdict was taken from, a line each.
// CI systems show the text of a failed case alone, far from the report.
func testFigures(r *compare.Row) string {
	var b strings.Builder
	line := func(name string, value unit.Opt[unit.Ratio]) {
		if x, ok := value.Value(); ok {
			fmt.Fprintf(&b, "%s: %s %%\n", name, report.Decimal(x.Percent(), 1))
		}
	}
	if p := r.Predicted; p != nil && p.Groups > 0 {
		line("predicted peak", unit.Some(p.Peak))
		line("predicted average", unit.Some(p.Average))
	} else if p != nil {
		line("predicted for one Xe-core", unit.Some(p.XeCore))
	}
	if p := r.Predicted; p != nil && p.Limits != 0 {
		b.WriteString("limited by: " + strings.Join(p.Limits.Names(), ", ") + "\n")
	}
	line("VTune's peak", r.Peak)
	line("measured", r.Measured)
	line("occupancy of XVEs that ran", r.BusyOccupancy)
	if p, ok := r.Difference.Value(); ok {
		fmt.Fprintf(&b, "difference: %s points (%s)\n", report.Signed(float64(p), 1), report.BasisText(r.Basis))
	}
	if p := r.Pos.String(); p != "" {
		b.WriteString("row: " + report.OneLine(p) + "\n")
	}
	return b.String()
}

func addProperties(s *report.TestSuite, r *compare.Result, prov report.Provenance) {
	s.Add("occudiff.version", prov.Version)
	s.Add("command", report.CommandLine(prov.CommandLine))
	s.Add("label", prov.Label)
	if d := r.Device; d != nil {
		s.Add("device", d.Key)
		s.Add("device.name", d.Name)
		s.Add("device.architecture", d.Architecture)
		s.Add("device.thread_slots", strconv.Itoa(d.Slots()))
		s.Add("device.chosen_by", r.ChosenBy)
	}
	p := &r.Platform
	s.Add("driver", p.Driver)
	s.Add("vtune.version", p.VTune)
	s.Add("os", p.OS)
	s.Add("job", p.JobID)
	s.Add("tolerance_points", report.Shortest(float64(r.Options.Tolerance)))
	s.Add("model_tolerance_points", report.Shortest(float64(r.Options.ModelTolerance)))
	s.Add("sampling_interval_seconds", report.Shortest(float64(r.Options.SamplingInterval)))
	s.Add("sampling_interval_assumed", strconv.FormatBool(r.Options.SamplingAssumed))
	s.Add("kernels.judged", strconv.Itoa(r.Summary.Judged))
	s.Add("kernels.not_judged", strconv.Itoa(r.Summary.NotJudged))
	s.AddEach("not_whole", report.NotWhole(r.Notes))
	s.AddEach("input", report.InputLines(r))
}
