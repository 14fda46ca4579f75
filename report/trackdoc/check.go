package trackdoc

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// check is a checked run on its way to an answer.
type check struct {
	*track.Check
	metric
	series []*track.Series // what needs attention first
}

func newCheck(c *track.Check, commitURL string) *check {
	m := metric{c.Metric, commitURL}
	return &check{c, m, m.inOrder(c.Series)}
}

// FromCheck answers what the gate says of a run: a report of its last run.
func FromCheck(t *track.Check, prov report.Provenance) *report.Answer {
	c := newCheck(t, prov.CommitURL)
	d := &report.Document{
		Title: "Check of " + judged(c.Check), Subject: "The newest run against the ones before it", Date: c.Run.Time,
		Closing:  c.line() + "." + leftOutOf(c.Series),
		Headline: []string{fmt.Sprintf("Run %d of %s: %s", c.Run.ID, report.OneLine(c.Where), RunText(&c.Run))},
	}
	if len(c.Runs) > 1 {
		d.Headline = append(d.Headline, report.UpperFirst(judged(c.Check))+" are judged, each against what was "+
			"known then; of a series the worst verdict counts.")
	}
	d.Headline = append(d.Headline, c.rule())
	// --kernel and --top choose what people see; closing line, JSON and test cases cover every series.
	show, left := shown(c.series, prov.Show)
	d.Headline = append(d.Headline, left...)
	for i := range c.Shared {
		d.Headline = append(d.Headline, strings.TrimSuffix(sharedTitle(&c.Shared[i])+": "+changedText(&c.Shared[i]), ": ")+".")
	}
	absences := c.absences()
	items := append(c.items(show, c.Shared), absences...)
	table := c.seriesTable(show, nil, nil)
	// Of many series a terminal shows those that somebody should look at; the closing line counts the rest.
	if len(show) > fewSeries && !prov.Show.Chosen() {
		table.Main = len(slices.DeleteFunc(slices.Clone(show), func(s *track.Series) bool { return !s.NeedsAttention() || s.Shared != nil }))
	}
	if !prov.Show.Chosen() {
		d.Closing = strings.TrimSpace(leftOutOf(c.Series))
		d.Screen = c.screen(c.line(), c.lines(c.series, c.Shared), append(c.begun(), texts(absences)...), c.Run.ID, prov)
	}
	d = c.finish(d, c.Where, prov, summary(d), attentionSection("What needs attention", items), tableSection(table))
	return &report.Answer{Doc: d, Value: c.value(), Table: c.rawSeries(show, nil, nil), Tests: func() *report.TestSuite { return c.suite(prov) }}
}

// fewSeries is up to how many series a terminal lists all of them, whatever their verdicts are.
const fewSeries = 20

// message is what is said of a series, or of what many have in common: an item and, in CI, an annotation.
type message struct {
	report.Item
	title string
	level report.AnnotationLevel // as the exit status has it: an error is what makes the job red
}

// messages are those of some series. What many have in common is one; each of them by itself would bury the rest.
func (m metric) messages(list []*track.Series, shared []track.Shared, alarms bool) (all []message) {
	levels := map[track.Severity]report.AnnotationLevel{track.SeverityRegression: report.AnnotateError,
		track.SeverityAlarm: report.AnnotateWarning, track.SeverityFaster: report.AnnotateNotice,
		track.SeverityAnew: report.AnnotateNotice, track.SeverityOnBase: report.AnnotateNotice}
	if alarms {
		levels[track.SeverityAlarm] = report.AnnotateError
	}
	for i := range shared {
		s, status, worst := &shared[i], report.Bad, track.SeverityAnew
		if s.Anew {
			status = report.Muted
		}
		for _, t := range s.Series { // severities count from the worst
			worst = min(worst, t.Severity())
		}
		all = append(all, message{report.Item{Lead: report.OneLine(s.Device), Text: m.sharedText(s), Links: m.refLinks(&s.First, &s.Before),
			Status: status}, sharedTitle(s), levels[worst]})
	}
	for _, s := range list {
		if text := m.explain(s); text != "" && s.Shared == nil {
			all = append(all, message{m.item(s, text, statusOf(s)), report.OneLine(s.Key.Name()) + ": " + findingText(s), levels[s.Severity()]})
		}
	}
	return all
}

func (m metric) items(list []*track.Series, shared []track.Shared) []report.Item {
	return report.ListOf(m.messages(list, shared, false), func(m message) report.Item { return m.Item })
}

// line is the sentence of a check: "ok: run 9 (c8), 5 of 6 kernels as before".
func (c *check) line() string {
	word, where := string(c.worst()), judged(c.Check)
	if len(c.Runs) == 1 {
		where = shortRef(&c.Runs[0])
	}
	if c.FailGone && len(mattering(c.Check)) > 0 && c.worst() != trend.Regression {
		word = "missing"
	}
	return c.sentence(c.Series, word, where+", ")
}

// begun says where series begin anew or go on with a change, for a screen.
func (c *check) begun() (list []string) {
	for i := range c.Shared {
		if c.Shared[i].Anew {
			list = append(list, sharedTitle(&c.Shared[i])+": "+c.sharedText(&c.Shared[i]))
		}
	}
	for _, s := range c.series {
		if s.Severity() == track.SeverityAnew && s.Shared == nil && len(list) < report.MostTasks {
			list = append(list, report.KernelName(s.Key.Task)+": "+c.explain(s))
		}
	}
	return list
}

// CheckFailure says which series of a check fail the gate; nothing when none does.
// It is the text of the exit status, so it says both ways to fail: what got worse, and what is gone.
func CheckFailure(c *track.Check) string {
	text := metric{Metric: c.Metric}.failure(c.Series, " in "+judged(c), c.Alarms)
	if list := mattering(c); c.FailGone && len(list) > 0 {
		if text != "" {
			text += "; "
		}
		text += fmt.Sprintf("%s that held more than 1 %% of the time %s gone: %s", unit.Counted(len(list), "kernel", "kernels"),
			number(len(list), "is", "are"), few(report.ListOf(list, func(g *track.Gone) string { return g.Key.Name() })))
	}
	return text
}

// few names the first of some kernels.
func few(names []string) string {
	return strings.Join(report.Few(report.ListOf(names, func(s string) string {
		return report.ShortName(s, 48)
	}), report.MostTasks), ", ")
}

// SuspectPattern is a regular expression for --kernel that matches the suspect kernels, "" when there is none.
func SuspectPattern(c *track.Check) string {
	return patternOf(report.ListOf(c.Suspects(), func(s *track.Series) string { return s.Key.Task }))
}

// patternOf is a regular expression that matches some names alone, "" for none.
func patternOf(names []string) string {
	names = report.ListOf(names, regexp.QuoteMeta)
	slices.Sort(names)
	if names = slices.Compact(names); len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return "^" + names[0] + "$"
	}
	return "^(" + strings.Join(names, "|") + ")$"
}

// judged names the runs of a check: run 12, runs 12 to 14.
func judged(c *track.Check) string {
	if n := len(c.Runs); n > 1 {
		return fmt.Sprintf("runs %d to %d", c.Runs[0].Run, c.Runs[n-1].Run)
	}
	return fmt.Sprintf("run %d", c.Run.ID)
}

// absences are the items about what the run does not have, and about what nobody can tell.
func (c *check) absences() (items []report.Item) {
	add := func(lead string, status report.Status, format string, args ...any) {
		items = append(items, report.Item{Lead: lead, Status: status, Text: fmt.Sprintf(format, args...)})
	}
	gone := mattering(c.Check)
	for _, g := range gone[:min(len(gone), report.MostTasks)] {
		add(report.OneLine(g.Key.Name()), report.Unsure, "Gone: %s.", goneText(g))
	}
	items = append(items, clockItems(&c.Clock)...)
	items = append(items, renumberedItems(c.Renumbered)...)
	// Kernels that are missing are unsure and not bad: a run of a part of the program has fewer. What matters of them is
	// judged by how much time they held.
	if n := len(c.Missing); n > 0 {
		add("missing", report.Unsure, "%s of run %d, the one before on this device, %s not in this run and cannot be"+
			" judged: %s.", unit.Counted(n, "kernel", "kernels"), c.MissingBefore, number(n, "is", "are"), few(c.Missing))
	}
	if c.Unnamed > 0 {
		old := c.UnnamedBefore
		add("not named", report.Unsure, "%s anew: run %d %s, this one %s. Name both in every run or in none; track "+
			"remove %d and adding it again repairs this one.", unit.Counted(c.Unnamed, "series begins", "series begin"), old.Run,
			names(old.Key.Device, old.Key.Driver), names(c.Run.Device, c.Run.Driver), c.Run.ID)
	}
	if n := c.NotMeasured; n > 0 {
		add("not measured", report.Muted, "%s of this run %s no %s value.", unit.Counted(n, "kernel", "kernels"),
			number(n, "has", "have"), c.name())
	}
	return items
}

// renumberedItems say which numbers moved.
func renumberedItems(list []track.Renumbered) (items []report.Item) {
	for _, r := range list {
		names := report.ListOf(r.Names, func(n [2]string) string {
			return report.KernelName(n[0]) + " was " + report.KernelName(n[1])
		})
		items = append(items, report.Item{Lead: "numbers", Status: report.Muted, Text: fmt.Sprintf("With %s numbers moved, by values "+
			"and launch shapes: %s. Each is judged by what it was before.", runName(&r.Run), strings.Join(report.Few(names, 6), ", "))})
	}
	return items
}

// goneText says of a kernel that is gone what it was. The share is of the last run that had it, for nobody knows what it
// would have held since.
func goneText(g *track.Gone) string {
	text := fmt.Sprintf("run %d was the last that had it", g.Last.Run)
	if s, ok := g.Share.Value(); ok {
		text = fmt.Sprintf("it held %.1f %% of the time of run %d, the last that had it", s.Percent(), g.Last.Run)
	}
	return text + "; track rename says which kernel it is now, track accept that it is to be gone"
}

// mattering are the kernels that are gone and held more than 1 % of the time: others come and go.
func mattering(c *track.Check) (list []*track.Gone) {
	for i := range c.Gone {
		if g := &c.Gone[i]; g.Matters() {
			list = append(list, g)
		}
	}
	return list
}

// clockItems are the items about dates that cannot be right.
func clockItems(clock *track.Clock) []report.Item {
	// Nobody can tell which clock was wrong, so nothing is corrected: the message says what it led to, and how to
	// repair it.
	const order = " Series with it are in the order in which their runs were added."
	var items []report.Item
	if n := len(clock.Future); n > 0 {
		r := &clock.Future[n-1]
		text := fmt.Sprintf("Run %d is dated %s, in the future.", r.Run, when(r.Time))
		if n > 1 {
			text = fmt.Sprintf("%s are dated in the future, the last run %d (%s).", unit.Counted(n, "run", "runs"),
				r.Run,
				when(r.Time))
		}
		items = append(items, report.Item{Lead: "clock", Status: report.Unsure,
			Text: fmt.Sprintf("%s%s track remove %d and adding it again with --time repairs it.", text, order, r.Run)})
	}
	if r := clock.Earlier; r != nil {
		earlier, later := apart(r.Time, clock.Before.Time)
		items = append(items, report.Item{Lead: "clock", Status: report.Unsure,
			Text: fmt.Sprintf("Run %d is dated %s, before run %d"+
				" (%s), which was added earlier.%s", r.Run, earlier, clock.Before.Run, later, order)})
	}
	return items
}

// apart prints two times so that they differ, to the second or finer where they are within a minute.
func apart(a, b time.Time) (string, string) {
	x, y := when(a), when(b)
	// The sentence says that one is before the other, which two equal times would contradict.
	for _, layout := range []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05.000000"} {
		if x == y {
			x, y = a.UTC().Format(layout), b.UTC().Format(layout)
		}
	}
	return x, y
}

// names says which device and driver a run gives.
func names(device, driver string) string {
	return "names " + report.OneLine(cmp.Or(device, "no device")) + ", driver " + report.OneLine(cmp.Or(driver, "none"))
}

// number picks the form of a verb.
func number(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// suite gives a check as test cases: what fails the gate fails, what could not be judged or is not confirmed is
// skipped.
func (c *check) suite(prov report.Provenance) *report.TestSuite {
	// The time is that of the run: two reports of one run are the same bytes, whenever they were made.
	s := &report.TestSuite{Name: "occudiff track check", Collected: c.Run.Time, Host: report.OneLine(c.Run.Host)}
	for _, p := range []report.TestProperty{
		{Name: "occudiff", Value: prov.Version}, {Name: "history", Value: c.Where},
		{Name: "run", Value: RunText(&c.Run)},
		{Name: "commit", Value: c.Run.Commit}, {Name: "metric", Value: c.name()}, {Name: "rule", Value: c.rule()},
	} {
		if p.Value != "" {
			s.Properties = append(s.Properties, report.TestProperty{Name: p.Name, Value: report.OneLine(p.Value)})
		}
	}
	cases := report.ListOf(c.series, c.testCase)
	for _, g := range mattering(c.Check) {
		// It has the class and name that it had while it ran, so that a CI system shows one test that began to fail.
		k := report.Case{Class: caseClass(g.Key), Name: report.OneLine(g.Key.Name()), Outcome: report.Skipped, Type: "missing",
			Message: "the kernel is gone", Text: goneText(g)}
		if c.FailGone {
			k.Outcome = report.Failed
		}
		cases = append(cases, k)
	}
	s.SetCases(cases)
	return s
}

// caseClass is the class of the test case of a series.
func caseClass(k history.Key) string {
	class := strings.TrimRight(strings.Join([]string{report.OneLine(k.Device), report.OneLine(k.Driver),
		report.OneLine(k.Program)}, "/"), "/")
	return cmp.Or(class, "unknown device")
}

func (c *check) testCase(s *track.Series) report.Case {
	k := report.Case{Class: caseClass(s.Key), Name: report.OneLine(s.Key.Name())}
	switch o := s.Outcome(); {
	// Lower occupancy that made launches faster passes; the text says so all the same.
	case o == trend.OK, o == track.Faster, o == track.OpenOnBase:
	case o == trend.Regression, c.Alarms && o == trend.Alarm: // what fails the gate
		k.Outcome = report.Failed
		k.Type = string(s.Outcome())
		k.Message = string(s.Outcome()) + ": " + c.side(s.Off()) + " the level of " +
			unit.Counted(s.Gate.N, "run", "runs")
	// A case that is skipped is seen in a test report without turning it red.
	default:
		k.Outcome = report.Skipped
		k.Type, k.Message = string(s.Outcome()), findingText(s)
	}
	k.Text = c.figures(s)
	if text := c.explain(s); text != "" {
		text = report.UpperFirst(text) + "\n"
		for _, l := range c.links(s) {
			text += l.URL + "\n"
		}
		k.Text = text + k.Text
	}
	return k
}

// figures lists what the verdict was taken from, a line each.
func (m metric) figures(s *track.Series) string {
	g := &s.Gate
	text := fmt.Sprintf("newest: %s\nn: %s of a window of %s\n", m.print(g.Value), report.Thousands(int64(g.N)),
		report.Thousands(int64(g.Window)))
	if x, ok := g.Median.Value(); ok {
		text += "median: " + m.print(x) + "\nMAD: " + m.distance(g.MAD.Or(0)) + "\n"
	}
	if x, ok := g.Threshold.Value(); ok {
		text += "threshold: " + m.print(x) + "\n"
	}
	return text
}

// CheckAnnotations lists regressions as errors, alarms as warnings unless they fail the gate, and changed devices and
// drivers as notices.
func CheckAnnotations(t *track.Check, prov report.Provenance) []report.Annotation {
	c := newCheck(t, prov.CommitURL)
	list := report.ListOf(c.messages(c.series, c.Shared, c.Alarms), func(m message) report.Annotation {
		text := report.UpperFirst(m.Text)
		for _, l := range m.Links {
			text += " " + l.URL
		}
		return report.Annotation{Level: m.level, Title: m.title, Message: text}
	})
	level := report.AnnotateWarning
	if c.FailGone {
		level = report.AnnotateError
	}
	for _, g := range mattering(c.Check) {
		list = append(list, report.Annotation{Level: level, Title: report.OneLine(g.Key.Name()) + ": gone",
			Message: report.UpperFirst(goneText(g)) + "."})
	}
	return list
}
