package rundoc

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// cases returns the kernels of a run as test cases for CI, in row order. Other
// tasks are left out. A CI system shows kernels as tests, so the name of a case
// must be the same in every run. The name includes the launch size and the
// adapter, but no measured values.
func cases(r *compare.Result, class string) (list []report.Case) {
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Verdict != compare.NotAKernel {
			list = append(list, caseOf(r, class, row))
		}
	}
	return list
}

func caseOf(r *compare.Result, class string, row *compare.Row) report.Case {
	c := report.Case{
		Class:   class,
		Name:    testName(row),
		File:    report.OneLine(row.Pos.File),
		Line:    row.Pos.Line,
		Seconds: row.Total,
		Outcome: report.Skipped,
	}
	if agrees, compared := row.ModelAgrees(); compared && !agrees {
		c.Model = "VTune's peak differs from the predicted peak by " +
			report.Signed(row.PeakDifference.Or(0)) + " points, more than " +
			report.Shortest(compare.ModelTolerance) + ". Check --device, --xve and the launch size."
	}
	switch row.Verdict {
	case compare.Match, compare.PeaksAgree:
		c.Outcome = report.Passed
		return c
	// The verdict Above fails, too. A kernel cannot have more occupancy than
	// predicted, so either the model or the input is wrong.
	case compare.Below, compare.Above:
		c.Outcome = report.Failed
	}
	c.Type, c.Message = string(row.Verdict), verdictText(row, (*compare.Cause).Short)
	if row.Cause != nil { // the cause is the type, because CI systems group failures by type
		c.Type = report.OneLine(row.Cause.Name)
	}
	c.Text, c.Values = report.UpperFirst(evidence(row)), "\n"+figures(row)
	return c
}

// testName returns a kernel's name with all properties that distinguish its row
// from others of the same task.
func testName(r *compare.Row) string {
	name := cmp.Or(report.OneLine(r.Task), "(no name)") // a test case must have a name
	if detail := LaunchSize(r.Kernel); detail != "" {
		name += " (" + detail + ")"
	}
	return name
}

// caseColumns lists the keys of the columns that determine the verdict.
var caseColumns = []string{
	"global", "local", "simd", "total_seconds", "instances",
	"predicted_peak_percent", "predicted_average_percent", "predicted_average_high_percent", "limits",
	"profiler_peak_percent", "measured_percent", "busy_occupancy_percent", "difference_points", "basis",
}

// figures returns the values of caseColumns for a kernel, one per line. They
// are in the text of a failed case, because CI systems show this text without
// the report.
func figures(r *compare.Row) string {
	var b strings.Builder
	t := report.NewTable("", "", []kernel{{Row: r}}, kernelColumns).Show(caseColumns...).Shown(report.Sheet)
	for k, c := range t.Columns {
		if slices.Contains(caseColumns, c.Key) {
			fmt.Fprintf(&b, "%s: %s\n", c.Heading(), c.Print(t.Cell(0, k)))
		}
	}
	if p := r.Pos.String(); p != "" {
		b.WriteString("row: " + report.OneLine(p) + "\n")
	}
	return b.String()
}

// addProperties adds properties that describe how the suite was made. CI
// systems compare the properties of two runs, so names and formats must not
// change.
func addProperties(s *report.TestSuite, r *compare.Result, prov report.Provenance) {
	s.Add("occudiff.version", prov.Version)
	s.Add("command", note.CommandLine(prov.CommandLine...))
	s.Add("label", prov.Label)
	if d := r.Device; d != nil {
		s.Add("device", d.Key)
		s.Add("device.name", d.Name)
		s.Add("device.architecture", d.Architecture)
		s.Add("device.thread_slots", strconv.Itoa(d.Slots()))
		s.Add("device.chosen_by", r.ChosenBy.String())
	}
	p := &r.Platform
	s.Add("driver", p.Driver)
	s.Add("vtune.version", p.VTune)
	s.Add("os", p.OS)
	s.Add("job", p.JobID)
	s.Add("tolerance_points", report.Shortest(r.Options.Tolerance))
	s.Add("model_tolerance_points", report.Shortest(compare.ModelTolerance))
	s.Add("sampling_interval_seconds", report.Shortest(r.Options.SamplingInterval))
	s.Add("sampling_interval_assumed", strconv.FormatBool(r.Options.SamplingAssumed))
	s.Add("kernels.judged", strconv.Itoa(r.Summary.Judged))
	s.Add("kernels.not_judged", strconv.Itoa(r.Summary.NotJudged))
	s.AddEach("not_whole", report.IncompleteNotes(r.Notes))
	s.AddEach("input", InputLines(r))
}

// TestSuiteFrom returns a compared run as test cases.
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
	s.SetCases(cases(r, class))
	return s
}

// Annotations returns one annotation for each kernel that does not match, in
// row order. The annotation is an error if the gate covers mismatches,
// otherwise a warning. Kernels that could not be judged are not mismatches.
// Under the gate "model", a kernel also has an annotation if only its predicted
// peak differs from the profiler's peak.
func Annotations(r *compare.Result, gate string) (list []report.Annotation) {
	for _, c := range cases(r, "") {
		failed, model := c.Outcome == report.Failed, gate == "model" && c.Model != ""
		if !failed && !model {
			continue
		}
		a := report.Annotation{
			File:    c.File,
			Line:    c.Line,
			Title:   c.Name,
			Message: c.Model,
		}
		a.Level = report.AnnotateWarning
		if model || gate == "mismatch" {
			a.Level = report.AnnotateError
		}
		if failed {
			a.Message = c.Text
		}
		list = append(list, a)
	}
	return list
}

// Gate is the result of a gate for a run.
type Gate struct {
	Failure  string // reason why the run fails; empty if it passes
	Unjudged report.Unjudged
}

// JudgeGate applies a gate (mismatch or model) to a run. A failure and kernels
// that were not judged are separate results, because the exit status must
// distinguish a job that regressed from a job without measurements. If the
// device cannot be the GPU that ran, the gate mismatch judges no kernel. The
// gate model fails, because VTune's peaks are the evidence.
func JudgeGate(r *compare.Result, gate string) (g Gate) {
	s := &r.Summary
	u := &g.Unjudged
	switch gate {
	case "mismatch":
		if n := s.Mismatched(); n > 0 {
			g.Failure = fmt.Sprintf("%d of %d kernels do not match within %g points", n, s.Kernels,
				float64(r.Options.Tolerance))
		}
		u.Judged, u.Of = s.Judged, uncomparedKernels(s)
		if s.ModelCompared > 0 {
			u.Nothing = " with a measurement; --fail-on model judges VTune's peaks"
		}
	case "model":
		if n := s.ModelCompared - s.ModelMatched; n > 0 {
			g.Failure = fmt.Sprintf("the prediction differs from the profiler's peak on %d of %d kernels by more than "+
				"%g points", n, s.Kernels, float64(compare.ModelTolerance))
		}
		u.Judged, u.Of = s.ModelCompared, []report.UnjudgedKernels{
			{Reason: report.ReasonNoPrediction, N: s.NoPrediction, Text: "without a prediction"},
			{Reason: report.ReasonUnmeasurable, N: max(0, s.Kernels-s.ModelCompared-s.NoPrediction),
				Text: "without a peak of the profiler"}}
	default:
		return g
	}
	u.Gate, u.Kernels = "--fail-on "+gate, s.Kernels
	switch against := r.Fit.Against(); {
	case r.Fit.Contradiction == "":
	case gate == "model":
		return Gate{Failure: report.LowerFirst(against)}
	default:
		return Gate{Unjudged: report.Unjudged{Gate: u.Gate, Nothing: ": " + against +
			"; choose the GPU that ran, or give --force-device"}}
	}
	u.Nothing = ": none of " + unit.Plural(s.Kernels, "kernel") + " could be compared" + u.Nothing
	return g
}

// uncomparedKernels counts the kernels that were not compared, by reason.
// Without these counts, the gate would pass a run without measurements, and
// users would not notice.
func uncomparedKernels(s *compare.Summary) []report.UnjudgedKernels {
	return slices.DeleteFunc([]report.UnjudgedKernels{
		{Reason: report.ReasonUnmeasurable, N: s.Unmeasurable, Text: "unmeasurable"},
		{Reason: report.ReasonNoPrediction, N: s.NoPrediction, Text: "without a prediction"},
		{Reason: report.ReasonUnmeasurable, N: s.NoMeasurement, Text: "without a measurement"},
		{Reason: report.ReasonUnmeasurable, N: s.Possible, Text: "possible within the bounds, without a measurement"},
		{Reason: report.ReasonUnmeasurable, N: s.Compared() + s.PeaksAgree - s.Judged,
			Text: "compared with VTune's peak alone"},
	}, func(k report.UnjudgedKernels) bool { return k.N <= 0 })
}

// agentSummary returns a short summary for agents and comments, with the
// kernels that need attention first. Matching kernels are findings as well,
// because an agent that looks for a kernel must not mistake a missing entry for
// an error.
func agentSummary(r *compare.Result) *report.AgentSummary {
	// If there is any doubt, the summary is unusable, because an agent may read
	// nothing else.
	c := report.NewAgentSummary(unusable(r), r.Summary.Judged, r.Summary.NotJudged)
	if !c.Usable {
		return c
	}
	c.Device = unit.Some(r.Device.Key)
	// The findings have the order of the summary: first one kernel of each
	// group, then the others.
	var first, others []int
	for _, l := range linesOf(r, report.Selection{}) {
		first, others = append(first, l.group.Rows[0]), append(others, l.group.Rows[1:]...)
	}
	for _, i := range append(first, others...) {
		row := &r.Rows[i]
		// Without a measurement, a finding would compare two predictions.
		if row.Verdict.Compared() && row.Measured.Present() && !c.Add(findingOf(r, row)) {
			break
		}
	}
	return c
}

// unusable returns the reason why a run supports no conclusion, or "" if it
// supports one.
func unusable(r *compare.Result) string {
	switch s := &r.Summary; {
	case r.Device == nil:
		return "the device is unknown, so nothing is predicted: give --device, or the VTune summary along with the " +
			"export"
	case r.Fit.Contradiction != "":
		return "the device cannot be the GPU that ran: " + r.Fit.Contradiction
	case s.Judged == 0:
		return "no kernel could be judged: " +
			strings.Join(report.ListOf(uncomparedKernels(s), report.UnjudgedKernels.String), ", ")
	}
	return strings.Join(report.IncompleteNotes(r.Notes), "; ")
}

func findingOf(r *compare.Result, row *compare.Row) report.Finding {
	f := report.Finding{
		Kernel:           distinct(r, row, report.KernelName(row.Task)),
		Verdict:          string(row.Verdict),
		Measured:         row.Measured,
		PotentialSpeedup: row.Speedup.Words(),
	}
	if !row.Speedup.Has(compare.SpeedupUndetermined) {
		f.Bound = row.Speedup.Bound()
	}
	if p := row.Predicted; p != nil {
		f.Predicted = unit.Some(p.Average)
	}
	if row.Verdict == compare.Below && row.Total.Present() {
		f.Lost = unit.Some(row.Lost())
	}
	if row.Cause != nil {
		f.Cause, f.Confidence = unit.Some(row.Cause.Name), unit.NonZero(row.Cause.Confidence.String())
	}
	f.Next = unit.NonZero(commandOf(r, row, r.NextStep(row)))
	return f
}

// InputLines returns the inputs of a run for programs, one per line.
func InputLines(r *compare.Result) (lines []string) {
	for _, in := range r.Inputs {
		lines = append(lines, strings.TrimSpace(in.Path+" "+in.Digest))
	}
	return lines
}
