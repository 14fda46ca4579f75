package diffdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/rundoc"
)

// suite returns a test case for each kernel. A regression fails. A kernel that
// only one side has or that cannot be compared is skipped, because it neither
// passed nor failed.
func (c *comparison) suite(prov report.Provenance) *report.TestSuite {
	if len(c.sides) == 1 {
		return suiteOf(c.sides[0], prov)
	}
	return joined("diff", c.names, prov, func(i int, prov report.Provenance) *report.TestSuite {
		return suiteOf(c.sides[i], prov)
	})
}

func suiteOf(d *diff.Result, prov report.Provenance) *report.TestSuite {
	s := report.NewTestSuite("diff", prov)
	s.Collected = rundoc.Collected(d.New.Runs...)
	s.Add("occudiff.version", prov.Version)
	s.Add("command", note.CommandLine(prov.CommandLine...))
	s.Add("threshold_points", report.Shortest(d.Options.Threshold))
	class := ""
	for _, side := range []struct {
		name string
		*diff.Side
	}{{"old", &d.Old}, {"new", &d.New}} {
		text := unit.Plural(len(side.Runs), "run") + " on " + strings.Join(devicesOf(side.Runs), ", ")
		if side.Name != "" {
			text = report.OneLine(side.Name) + ", " + text
		}
		s.Add(side.name, text)
		var inputs []string
		for _, r := range side.Runs {
			inputs = append(inputs, rundoc.InputLines(r)...)
			if r.Device != nil {
				class = r.Device.Key
			}
			s.Host = report.OneLine(r.Platform.Host)
		}
		s.AddEach(side.name+".input", inputs)
	}
	s.Add("kernels.not_comparable", strconv.Itoa(d.Summary.NotComparable))
	s.Add("changed", cmp.Or(changedText(d.Changes), "nothing that the inputs contain"))
	s.AddEach("not_whole", report.IncompleteNotes(d.Notes))
	// CI systems group cases by class. The class is the device, and the label,
	// because one job may have several diffs.
	class = strings.TrimSuffix(cmp.Or(class, "unknown device")+"/"+report.OneLine(prov.Label), "/")
	var cases []report.Case
	for r := range kernelsOf(d) {
		cases = append(cases, caseOf(class, r))
	}
	s.SetCases(cases)
	return s
}

func caseOf(class string, r *diff.Row) report.Case {
	c := report.Case{
		Class:  class,
		Name:   report.OneLine(r.Task),
		Text:   because(r),
		Values: "\n",
	}
	if shape := shapeText(r); shape != "" {
		c.Name += " (" + shape + ")"
	}
	// The new side comes last and replaces the values of the old side, because
	// the user can change the new code.
	for _, l := range []*diff.Launch{r.Old, r.New} {
		if l != nil {
			c.File, c.Line, c.Seconds = report.OneLine(l.File.Or("")), l.Line.Or(0), l.Total
		}
	}
	switch r.Verdict {
	case diff.Regression:
		c.Outcome = report.Failed
	case diff.Unchanged, diff.Improvement, diff.Faster, diff.Slower, diff.FasterSame, diff.SlowerSame:
		return c
	default:
		c.Outcome = report.Skipped
	}
	c.Type, c.Message, c.Reason = string(r.Verdict), string(r.Verdict), string(r.Verdict)
	if c.Outcome == report.Failed {
		c.Reason = strings.Join(reasons(r), ", ")
		c.Message = c.Type + ": " + c.Reason
	}
	return c
}

// Annotations returns an annotation for each failed case, at its row in the
// file of the new side.
func Annotations(s *report.TestSuite, level report.AnnotationLevel) (list []report.Annotation) {
	for _, c := range s.Cases {
		if c.Outcome == report.Failed {
			text := c.Text
			if text != c.Message {
				text = report.UpperFirst(c.Message) + ". " + text
			}
			list = append(list, report.Annotation{
				Level:   level,
				File:    c.File,
				Line:    c.Line,
				Title:   c.Name + " on " + c.Class,
				Message: text,
			})
		}
	}
	return list
}

// Failure returns the regressed kernels for the gate of --fail-on, or "" if
// there are none. The change of each of these kernels is unlikely to be noise,
// because users would soon disable a gate that fails because of noise. The
// sentence is one line, for a CI log.
func Failure(s *report.TestSuite) string {
	var failed []string
	for _, c := range s.Cases {
		if c.Outcome == report.Failed {
			failed = append(failed, report.CutMiddle(c.Name, 80)+" on "+c.Class+" ("+c.Reason+")")
		}
	}
	if len(failed) == 0 {
		return ""
	}
	return fmt.Sprintf("--fail-on regression: %d of %d kernels regressed: %s", len(failed), len(s.Cases),
		strings.Join(report.FirstFew(failed, report.MaxListedTasks), ", "))
}

// Inconclusive returns a sentence about kernels that passed only because the
// runs are too few to exclude noise, or "" if there are none. Such kernels are
// not a failure, but users must not read a passed check as proof that nothing
// changed.
func Inconclusive(sides []*diff.Result) string {
	n := inconclusive(sides)
	if n == 0 {
		return ""
	}
	opt, remedy := sides[0].Options, "give each side a folder of 4 repeats or more"
	if opt.Noise == nil {
		remedy += ", or --noise HISTORY"
	}
	return fmt.Sprintf("--fail-on regression: single runs show only changes above %g points; %s may have changed by "+
		"less (%s)", float64(max(diff.SingleRuns, opt.Threshold)), unit.Plural(n, "kernel"), remedy)
}

// SlowerSame returns a sentence about kernels that became slower at the same
// occupancy, or "" if there are none. The gate passes, because it judges
// occupancy, but users must not overlook the longer time.
func SlowerSame(sides []*diff.Result) string {
	var list []string
	for _, d := range sides {
		for i := range d.Rows {
			if r := &d.Rows[i]; r.Verdict == diff.SlowerSame {
				list = append(list, nameOf(r)+" takes "+timesText(r)+" times as long")
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "--fail-on regression judges occupancy, which is as before, but " +
		strings.Join(report.FirstFew(list, report.MaxListedTasks), ", ")
}

// Disjoint returns a sentence if the sides have kernels, but no kernel in
// common. It returns "" if any two sides have a common kernel.
func Disjoint(sides []*diff.Result) string {
	var names [2][]string
	for _, d := range sides {
		for r := range kernelsOf(d) {
			switch {
			case r.Old != nil && r.New != nil:
				return ""
			case r.Old != nil:
				names[0] = append(names[0], report.ShortName(r.Task, 32))
			default:
				names[1] = append(names[1], report.ShortName(r.Task, 32))
			}
		}
	}
	if len(names[0]) == 0 || len(names[1]) == 0 {
		return ""
	}
	few := func(side int) string { return strings.Join(report.FirstFew(names[side], 3), ", ") }
	return fmt.Sprintf("the runs have no kernel in common, so nothing was compared: one has %s; the other has %s",
		few(0), few(1))
}

// inconclusive returns the number of kernels that may have changed.
func inconclusive(sides []*diff.Result) (n int) {
	for _, d := range sides {
		n += d.Summary.Inconclusive
	}
	return n
}

// Unjudged returns the kernels that a gate could not judge on any side. A
// kernel that was already unmeasurable on the old side does not count, because
// no change can be hidden.
func Unjudged(sides []*diff.Result) report.Unjudged {
	u := report.Unjudged{Gate: "--fail-on regression", Nothing: ": no kernel can be compared"}
	missing, uncompared, unexplained, unfollowed := 0, 0, 0, 0
	name := ""
	for _, d := range sides {
		for r := range kernelsOf(d) {
			switch {
			case r.Missing():
				if missing++; missing == 1 {
					name = nameOf(r)
				}
			case r.Old == nil || r.New == nil:
			case r.Unexplained():
				unexplained++
			case r.Unfollowed():
				unfollowed++
			case r.Verdict != diff.NotComparable:
				u.Judged++
			case r.Old.Unmeasurable < r.Old.Runs || r.New.Unmeasurable < r.New.Runs:
				uncompared++
			}
		}
	}
	if unfollowed > 0 {
		u.Nothing = ": launches or devices changed, and measured occupancy fell by more than predicted"
	}
	u.Kernels = u.Judged + missing + uncompared + unexplained + unfollowed
	u.Of = []report.UnjudgedKernels{
		{Reason: report.ReasonMissing, N: missing, Text: "on one side only (" + name + ")"},
		{Reason: report.ReasonUnmeasurable, N: uncompared, Text: "not comparable"},
		{Reason: report.ReasonNoPrediction, N: unexplained,
			Text: "with another launch or device and without a prediction"},
		{Reason: report.ReasonUnmeasurable, N: unfollowed,
			Text: "with another launch or device, and with a measured occupancy that fell by more than predicted"},
	}
	return u
}

// newAgentSummary returns a summary of runs, to which findings can be added. If
// any input was lost, the summary is unusable, because an agent must not act on
// a part of a run. Otherwise, unusable is the reason why it is.
func newAgentSummary(runs []*compare.Result, notes []note.Note, unusable string,
	judged, notJudged int) *report.AgentSummary {
	lost := report.IncompleteNotes(notes)
	device := unit.Opt[string]{}
	for _, r := range runs {
		if r.Device != nil {
			device = unit.Some(r.Device.Key)
		}
		if r.Fit.Contradiction != "" {
			lost = append(lost, "the device cannot be the GPU that ran: "+r.Fit.Contradiction)
		}
	}
	c := report.NewAgentSummary(cmp.Or(strings.Join(lost, "; "), unusable), judged, notJudged)
	if c.Usable {
		c.Device = device
	}
	return c
}

// agentSummary returns a short summary of the changes, for agents and comments.
// The potential speedup of a kernel comes from the new side. If it is
// undetermined there, but the kernel became faster at a lower occupancy, the
// kernel is limited by something else.
func (c *comparison) agentSummary() *report.AgentSummary {
	var runs []*compare.Result
	judged, not, undecided := 0, 0, 0 // undecided kernels have a finding, but no gate judges them
	for _, d := range c.sides {
		s := &d.Summary
		n := s.NotComparable + s.OnlyOld + s.OnlyNew + s.ChangedDevice
		for r := range kernelsOf(d) {
			if r.Verdict == diff.ChangedLaunch && (r.Unexplained() || r.Unfollowed()) {
				undecided++
			}
		}
		judged, not, runs = judged+s.Kernels-n, not+n, slices.Concat(runs, d.Old.Runs, d.New.Runs)
	}
	none := ""
	if judged == 0 {
		none = "no kernel can be compared"
	}
	summary := newAgentSummary(runs, Notes(c.sides), none, judged-undecided, not+undecided)
	if !summary.Usable {
		return summary
	}
	for i := range c.rows {
		r := &c.rows[i]
		isJudged := r.IsKernel && r.Verdict != diff.NotComparable && r.Verdict != diff.ChangedDevice
		// The rows that need attention come first, so the rows that do not fit
		// into the summary matter least.
		if isJudged && !summary.Add(findingOf(r)) {
			break
		}
	}
	return summary
}

func findingOf(r *row) report.Finding {
	share := func(median number) percent {
		v, known := median.Value()
		return unit.Maybe(unit.FromPercent(v), known)
	}
	w := r.Speedup
	if r.Verdict == diff.Faster && w.Verdict() == compare.SpeedupUndetermined {
		w = compare.PotentialSpeedup{Verdicts: []compare.SpeedupVerdict{compare.LimitedByOther}, Evidence: w.Evidence}
	}
	f := report.Finding{
		Run:              r.side,
		Kernel:           r.Task,
		Verdict:          string(r.Verdict),
		PotentialSpeedup: w.Words(),
		Bound:            w.Bound(),
		Predicted:        share(r.Delta(compare.MetricPredicted).New.Median),
		Measured:         share(r.Measured().New.Median),
	}
	if x, ok := r.Measured().Change.Value(); ok {
		f.Points = unit.Some(unit.Points(x))
	}
	if r.Verdict != diff.Unchanged {
		f.Next = unit.Some(note.CommandLine("occudiff", "explain", string(r.Verdict)))
	}
	if r.Verdict == diff.Regression {
		confidence := compare.Medium // an untested occupancy, however large the change is
		if r.Measured().Significant.Or(false) || r.Delta(compare.MetricBusy).Significant.Or(false) ||
			memory(r.Row) != "" {
			confidence = compare.High
		}
		f.Confidence = unit.Some(confidence.String())
	}
	return f
}
