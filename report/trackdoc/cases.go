package trackdoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// message is a text about a series, or about a shift that many series share.
type message struct {
	report.Item        // the part that a document's summary and table lack; no item if its text is empty
	title, text string // for an annotation, which must be readable alone
	level       report.AnnotationLevel
}

// messages returns the messages of some series. A shift that many series share
// is only one message, because one message per series would hide the other
// messages. A message has the level error if it fails the check.
func (v *view) messages(list []*track.Series) (all []message) {
	level := func(s track.Severity) report.AnnotationLevel {
		switch {
		case v.fails(s) && !v.NeverFails:
			return report.AnnotateError
		case s <= track.SeverityAlarm || s == track.SeveritySlower:
			return report.AnnotateWarning
		}
		return report.AnnotateNotice
	}
	for i := range v.Shared {
		s := &v.Shared[i]
		item := report.Item{
			Lead:   report.OneLine(s.Device),
			Text:   v.sharedText(s),
			Status: report.Bad,
		}
		all = append(all, message{
			Item:  item,
			title: sharedTitle(s),
			text:  item.Text,
			level: level(worstOf(s)),
		})
	}
	for _, s := range list {
		text := v.whole(s)
		if s.Shared != nil || text == "" {
			continue
		}
		item := report.Item{
			Lead:   report.KernelName(s.Key.Task),
			Text:   v.evidence(s),
			Status: statusOf(s),
			Detail: strings.Trim(report.OneLine(s.Key.Shape())+"; "+place(s), "; "),
		}
		all = append(all, message{
			Item:  item,
			title: report.OneLine(s.Key.Name()) + ": " + findingText(s),
			text:  text,
			level: level(s.Severity()),
		})
	}
	return all
}

// fails reports whether a series with this severity fails the gate, unless the
// gate never fails.
func (v *view) fails(s track.Severity) bool {
	return s == track.SeverityRegression || v.Alarms && s == track.SeverityAlarm
}

// worstOf returns the worst severity among the series of a shared finding,
// which is the minimum, because severities are ordered from worst to best.
func worstOf(s *track.Shared) track.Severity {
	return slices.Min(report.ListOf(s.Series, (*track.Series).Severity))
}

// CheckAnnotations returns regressions as errors, alarms as warnings unless
// they fail the gate, and changed launch sizes as notices.
func CheckAnnotations(c *track.Check) (list []report.Annotation) {
	v := newView(&c.Judgment)
	for _, m := range v.messages(v.series) {
		list = append(list, report.Annotation{
			Level:   m.level,
			Title:   m.title,
			Message: m.text,
		})
	}
	level := report.AnnotateWarning
	if v.FailMissing {
		level = report.AnnotateError
	}
	for _, g := range v.missingKernels() {
		list = append(list, report.Annotation{
			Level:   level,
			Title:   report.OneLine(g.Key.Name()) + ": missing",
			Message: report.UpperFirst(missingText(g)) + ".",
		})
	}
	return list
}

// missingKernels returns the missing kernels that took more than 1% of the
// time.
func (v *view) missingKernels() (list []track.MissingKernel) {
	for _, g := range v.MissingKernels {
		if g.IsSignificant() {
			list = append(list, g)
		}
	}
	return list
}

// Failure returns the reasons why the gate fails, worst first, or "" if the
// gate passes. This text is the only explanation of the exit status, so it
// names both regressed and missing kernels.
func Failure(j *track.Judgment) string {
	v := newView(j)
	n, what := 0, " regressed: "
	for _, s := range j.Series {
		if v.fails(s.Severity()) {
			if n++; s.Severity() == track.SeverityAlarm {
				what = verb(n, " is", " are") + " worse: "
			}
		}
	}
	var names, parts []string
	for _, l := range v.lines() {
		if v.fails(l.severity) {
			names = append(names, report.ShortName(l.name, nameWidth)+" ("+cmp.Or(l.level, l.change)+")")
		}
	}
	if n > 0 {
		parts = append(parts, report.Thousands(n)+" of "+unit.Plural(len(j.Series), "kernel")+
			what+strings.Join(report.FirstFew(names, report.MaxListedTasks), ", "))
	}
	if list := v.missingKernels(); v.FailMissing && len(list) > 0 {
		gone := report.ListOf(list, func(g track.MissingKernel) string { return g.Key.Name() })
		parts = append(parts, fmt.Sprintf("%s that took more than 1%% of the time %s missing: %s",
			unit.Plural(len(list), "kernel"), verb(len(list), "is", "are"), few(gone)))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.TrimPrefix(v.checked()+": ", ": ") + strings.Join(parts, "; ")
}

// SuspectPattern returns a regular expression for --kernel that matches the
// suspect kernels, or "" for none.
func SuspectPattern(c *track.Check) string {
	return report.NamePattern(report.ListOf(c.Suspects(), func(s *track.Series) string { return s.Key.Task }))
}

// suite returns a check as test cases. A case fails if it fails the gate. It is
// skipped if the series could not be judged or an alarm is not confirmed.
func (v *view) suite(c *track.Check, prov report.Provenance) *report.TestSuite {
	// The suite has the time of the run instead of the current time, so that
	// two reports of one run are identical.
	s := report.NewTestSuite("track check", report.Provenance{})
	s.Collected, s.Host = c.Run.Time, report.OneLine(c.Run.Host)
	s.Add("occudiff", prov.Version)
	s.Add("history", c.Where)
	s.Add("run", RunText(&c.Run))
	s.Add("commit", c.Run.Commit)
	s.Add("metric", v.name())
	s.Add("rule", v.rule())
	cases := report.ListOf(v.series, v.testCase)
	for _, g := range v.missingKernels() {
		// The case keeps the class and name of the kernel, so that a CI system
		// shows one test that began to fail.
		k := report.Case{
			Class:   caseClass(g.Key),
			Name:    report.OneLine(g.Key.Name()),
			Outcome: report.Skipped,
			Type:    "missing",
			Message: "the kernel is missing",
			Text:    missingText(g),
		}
		if c.FailMissing {
			k.Outcome = report.Failed
		}
		cases = append(cases, k)
	}
	s.SetCases(cases)
	return s
}

// caseClass returns the class of a series' test case.
func caseClass(k history.Key) string {
	class := strings.TrimRight(report.OneLine(k.Device)+"/"+report.OneLine(k.Driver)+"/"+report.OneLine(k.Program), "/")
	return cmp.Or(class, "unknown device")
}

// testCase returns a series' test case with the numbers behind its verdict.
func (v *view) testCase(s *track.Series) report.Case {
	k := report.Case{Class: caseClass(s.Key), Name: report.OneLine(s.Key.Name())}
	g := &s.Gate
	switch o := s.Outcome(); {
	// A series with lower occupancy but faster launches passes. The text of its
	// case still mentions the lower occupancy.
	case o == trend.OK, o == track.Faster, o == track.Slower, o == track.OpenOnBase:
	case !v.NeverFails && o == trend.Regression, v.Alarms && o == trend.Alarm: // the outcome fails the gate
		k.Outcome, k.Type = report.Failed, string(o)
		k.Message = string(o) + ": launches take longer"
		if !s.IsSlower() {
			k.Message = string(o) + ": " + v.side(s.Off()) + " the level of " + unit.Plural(g.N, "run")
		}
	default: // visible in a test report without failing it
		k.Outcome, k.Type, k.Message = report.Skipped, string(o), findingText(s)
	}
	if text := v.whole(s); text != "" {
		k.Text = text + "\n"
	}
	k.Text += fmt.Sprintf("newest: %s\nn: %s of a window of %s\n", v.print(g.Value),
		report.Thousands(g.N), report.Thousands(g.Window))
	if x, ok := g.Median.Value(); ok {
		k.Text += "median: " + v.print(x) + "\nMAD: " + report.Decimal(g.MAD.Or(0)*v.scale(), 2) + "\n"
	}
	if x, ok := g.Threshold.Value(); ok {
		k.Text += "threshold: " + v.print(x) + "\n"
	}
	return k
}
