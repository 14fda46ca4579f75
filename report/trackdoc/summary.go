package trackdoc

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// sentence returns one line with the overall verdict, the run, and the number
// of series per outcome.
func (v *view) sentence(word, where string) string {
	n, anew, ended, absent := map[trend.Outcome]int{}, 0, 0, 0
	var most *track.Series
	for _, s := range v.Series {
		o := s.Outcome()
		switch {
		case s.Ended:
			ended++
			continue
		case s.Absent && o == trend.OK: // only in a report: a check leaves such a series out
			absent++
			continue
		}
		if o == trend.OK && s.Gate.Median.Present() && (most == nil || math.Abs(s.Off()) > math.Abs(most.Off())) {
			most = s
		}
		if n[o]++; s.Restarted() {
			anew++
		}
	}
	var parts []string
	add := func(n int, text string) {
		if n == 0 {
			return
		}
		count := report.Thousands(n)
		if len(parts) == 0 {
			count += " of " + unit.Plural(len(v.Series), "kernel")
		}
		parts = append(parts, count+text)
	}
	add(n[trend.Regression], " regressed")
	add(n[trend.Alarm], " farther off in one run than noise explains")
	add(n[track.Faster], " faster at lower occupancy")
	add(n[track.Slower], " slower at the same occupancy")
	add(n[track.OpenOnBase], " open on the base branch")
	open := len(parts) > 0
	add(n[trend.OK], " as before")
	add(n[trend.Learning], " with fewer than "+strconv.Itoa(v.Gate.Learning)+" earlier runs")
	add(n[track.Unmeasurable], " too short to measure")
	add(absent, " not in the newest run")
	add(ended, " ended")
	text := word + ": " + where + strings.Join(parts, ", ")
	if anew > 0 {
		text += fmt.Sprintf(" (%d after a change of the launch size)", anew)
	}
	var slower []string
	for _, s := range v.series {
		if s.IsSlower() && !s.Ended {
			slower = append(slower, fmt.Sprintf("%s takes %s times as long", report.ShortName(s.Key.Task, nameWidth),
				report.Decimal(s.Timing.Gate.Value/s.Timing.Open[0].Level, 1)))
		}
	}
	if len(slower) > 0 {
		text += "; " + strings.Join(report.FirstFew(slower, report.MaxListedTasks), ", ")
	}
	if most != nil && !open {
		text += "; largest change " + report.ShortName(most.Key.Task, nameWidth) + " " + v.change(most.Off())
	}
	return text
}

// nameWidth is the largest width of a series' name in a sentence.
const nameWidth = 72

// line is a row of a summary: a finding, or a shift that many series share.
type line struct {
	number, name, level, change, since string
	from, to                           number // levels as numbers, if the metric of the report was judged
	severity                           track.Severity
	status                             report.Status
	series                             []*track.Series
	first, good                        *track.Ref // the first bad run and the last good run; good may be nil
}

// lines returns the open findings and alarms, most urgent first. A shift that
// many series share is one line.
func (v *view) lines() (list []line) {
	for i := range v.Shared {
		s := &v.Shared[i]
		list = append(list, line{
			name:     fmt.Sprintf("%d of %d on %s at once", len(s.Series), s.Of, report.OneLine(s.Device)),
			change:   v.change(s.Median),
			since:    strings.TrimSuffix(since(&s.First, &s.Before)+"; "+changedText(s.Changed), "; "),
			status:   statusOf(s.Series[0]),
			severity: worstOf(s),
			series:   s.Series,
			first:    &s.First,
			good:     &s.Before,
		})
	}
	for _, s := range v.series {
		if s.Shared == nil {
			list = append(list, v.linesOf(s)...)
		}
	}
	return list
}

// linesOf returns the lines of a series: an alarm, or each open finding.
func (v *view) linesOf(s *track.Series) (list []line) {
	if s.FirstBad == nil && !s.IsSlower() || s.Severity() >= track.SeverityRestarted {
		return nil
	}
	one := line{
		name:     report.KernelName(s.Key.Task),
		status:   statusOf(s),
		severity: s.Severity(),
		series:   []*track.Series{s},
		first:    s.FirstBad,
		good:     s.LastGood,
	}
	if v.fullName(s) != s.Key.Task {
		one.name += " [" + report.OneLine(s.Key.Shape()) + "]"
	}
	if v.namesake(s, func(o *history.Key) bool { return o.Device != s.Key.Device }) {
		one.name += " on " + report.OneLine(s.Key.Device)
	}
	if s.IsSlower() {
		f, now := s.Timing.Open[0], s.Timing.Gate.Value
		one.first, one.good = &f.FirstBad, f.LastGood
		one.level = metric{track.Metric{Metric: history.Seconds}}.between(f.Level, now)
		one.change = report.Decimal(now/f.Level, 2) + "x"
		one.since = since(one.first, one.good) + "; time per launch, occupancy as before"
		return []line{one}
	}
	if len(s.Open) == 0 { // no open finding: an alarm about a single run
		one.level, one.change = v.between(s.Gate.Median.Or(0), s.Gate.Value), v.change(s.Off())
		one.from, one.to = s.Gate.Median, unit.Some(s.Gate.Value)
		one.since = string(s.Outcome()) + ": run " + strconv.FormatInt(s.FirstBad.Run, 10) + " alone" +
			companionText(s) + withIt(s.Changed)
		return []line{one}
	}
	for i, f := range s.Open {
		if f.Shared && s.Shared == nil { // the shared shift has its own row
			continue
		}
		one.level, one.change = v.between(f.Level, f.Level+f.Shift), v.change(f.Shift)
		one.from, one.to = unit.Some(f.Level), unit.Some(f.Level+f.Shift)
		one.first, one.good = &f.FirstBad, f.LastGood
		if one.since = since(&f.FirstBad, f.LastGood); i == 0 {
			one.since += companionText(s)
		}
		one.since += withIt(f.Changed)
		moved := math.Abs(s.Gate.Value-f.Level-f.Shift) > math.Abs(f.Shift)/movedShare
		if i == len(s.Open)-1 && moved && !s.Absent {
			one.since += "; now " + v.print(s.Gate.Value)
		}
		list = append(list, one)
	}
	return list
}

// withIt returns the changes in a first bad run in words.
func withIt(list []track.Change) string {
	if len(list) == 0 {
		return ""
	}
	return "; with it: " + changedText(list)
}

// since returns the first bad run and the last good run in words. good may be
// nil.
func since(first, good *track.Ref) string {
	text := "since " + shortRef(first)
	if good != nil {
		text += ", last good " + shortRef(good)
	}
	return text
}

// shortRef returns a run's number with its commit, or with its label if the
// commit is unknown: run 10 (c10).
func shortRef(r *track.Ref) string {
	text := "run " + strconv.FormatInt(r.Run, 10)
	if r.Commit == "" && r.Label == "" {
		return text
	}
	return text + " (" + report.ShortName(cmp.Or(shortCommit(r.Commit), r.Label), 24) + ")"
}

// sameTime is the largest relative change of a launch time that still counts as
// unchanged.
const sameTime = 0.02

// movedShare is the part of a shift (a quarter) by which the newest value must
// differ from the level after the shift to be printed with the finding.
const movedShare = 4

// places contains the names of the breakdown parts in which occupancy is lost,
// by metric.
var places = map[history.Metric]string{
	history.IdleXVEs:    "idle XVEs",
	history.Underfilled: "underfilled XVEs",
	history.Shortfall:   "idle or underfilled XVEs",
	history.Peak:        "the launch limit",
}

// companionText returns other facts about a finding: how the launch time
// changed, the breakdown parts that lost occupancy, and whether the kernel is
// missing in the run.
func companionText(s *track.Series) (text string) {
	for _, move := range s.AlsoChanged {
		ratio := move.After / move.Before
		switch {
		case move.Metric != history.Seconds || !(ratio > 0) || math.IsInf(ratio, 1):
			continue
		case move.Scaled:
			text += "; time per work-item "
		default:
			text += "; time "
		}
		if math.Abs(ratio-1) <= sameTime {
			text += "as before"
		} else {
			text += report.Decimal(ratio, 2) + "x"
		}
	}
	// With several findings, the loss since the first bad run is not the loss of
	// one finding.
	if lost := s.Lost(); len(lost) > 0 && len(s.Open) <= 1 {
		text += "; lost " + strings.Join(report.ListOf(lost, func(m track.MetricChange) string {
			return report.Decimal(m.After, 1) + " points to " + places[m.Metric]
		}), ", ")
	}
	if o := s.Outcome(); o == track.Faster || o == track.OpenOnBase {
		text += "; " + string(o)
	}
	if s.Absent {
		text += "; not in the run"
	}
	return text
}

// lineColumns are the columns of a summary.
func (v *view) lineColumns() []report.Col[line] {
	return []report.Col[line]{
		report.Shown("n", " ",
			func(l *line) string { return l.number },
			report.WithUnits),
		report.Shown("kernel", "Kernel",
			func(l *line) report.Word { return l.status.Word(l.name) },
			report.Cut,
			report.Code),
		report.Shown("level", "Before, after",
			func(l *line) string { return l.level },
			report.NonZero, report.WithUnits),
		figure(v.metric, "before", "Before",
			func(l *line) number { return l.from },
			report.Sheet, report.Bar),
		figure(v.metric, "after", "After",
			func(l *line) number { return l.to },
			report.Sheet, report.Bar),
		report.Shown("change", "Change",
			func(l *line) string { return l.change },
			report.NonZero, report.WithUnits),
		figure(v.metric, "change", "Change", func(l *line) number {
			from, known := l.from.Value()
			return unit.Maybe(l.to.Or(0)-from, known)
		}, report.Sheet, report.Unit(v.distanceUnit())),
		report.Shown("since", "Since",
			func(l *line) string { return l.since },
			report.Fold, report.NonZero),
	}
}

// fill adds a row for each finding to a summary, and the commands to inspect or
// accept it. Rows are numbered if there are several.
func (v *view) fill(s *report.Summary, prov report.Provenance) {
	list := v.lines()
	if len(list) == 0 {
		return
	}
	var own []line // the run's own findings, without the findings of the base branch
	for i := range list {
		if len(list) > 1 {
			list[i].number = strconv.Itoa(i + 1)
		}
		if list[i].severity != track.SeverityOnBase {
			own = append(own, list[i])
		}
	}
	s.Rows = report.NewTable("screen", "", list[:min(len(list), report.SummaryRows)], v.lineColumns())
	if n := len(list) - s.Rows.Len; n > 0 {
		s.More = fmt.Sprintf("and %d more", n)
	}
	if len(own) == 0 {
		return
	}
	gate := []string{"--db", "--metric", "--direction", "--threshold", "--base-branch"}
	command := func(name string, flags ...string) string {
		return strings.Join(append([]string{"occudiff track " + name}, flagsOf(prov.CommandLine, flags)...), " ")
	}
	found := seriesOf(own)
	inspect := command("report", append(gate, "--branch")...)
	if branch := found[0].Branch; branch != "" {
		inspect += " --branch " + note.CommandLine(branch)
	}
	if pattern := kernelsOf(found, nameOf); len(pattern) < nameWidth || len(found) == 1 {
		inspect += " --kernel " + note.CommandLine(pattern)
	}
	if v.alarmsOnly(own) {
		s.Advice = append([]string{"One run is not enough to fail: exit 0. Measure again."}, s.Advice...)
		s.Confirm = []report.NextCommand{{
			Rows:    "Kernels to measure again:",
			Command: command("check", gate...) + " --suspects",
		}}
	}
	s.Confirm = append(s.Confirm, gitLogs(own)...)
	s.Confirm = append(s.Confirm, report.NextCommand{
		Rows:    "Inspect:",
		Command: inspect + " -o trend.html",
	})
	// One run is not enough for a new level, so alarms that do not fail the gate
	// are left out.
	own = slices.DeleteFunc(own, func(l line) bool { return l.severity == track.SeverityAlarm && !v.Alarms })
	accepted := map[int64][]*track.Series{} // by the first run of the new level
	for _, t := range seriesOf(own) {
		at := t.Newest().Run
		for _, o := range v.series {
			if t.Absent && o.Key.Device == t.Key.Device {
				at = max(at, o.Newest().Run)
			}
		}
		accepted[at] = append(accepted[at], t)
	}
	for _, at := range slices.Sorted(maps.Keys(accepted)) {
		pattern := kernelsOf(accepted[at], v.fullName)
		which := "--kernel " + note.CommandLine(pattern)
		switch {
		case len(pattern) <= longestPattern:
		case len(v.MissingKernels) == 0 && pattern == kernelsOf(v.series, v.fullName):
			which = "--all"
		default:
			which = "--kernel REGEXP"
		}
		s.Confirm = append(s.Confirm, report.NextCommand{
			Rows:    "If intended:",
			Command: fmt.Sprintf("%s --run %d %s --note WHY", command("accept", "--db"), at, which),
		})
	}
}

// flagsOf returns the given flags of a command line with their values.
func flagsOf(words, flags []string) (list []string) {
	for i, w := range words {
		name, _, joined := strings.Cut(w, "=")
		switch {
		case !slices.Contains(flags, name):
		case joined:
			list = append(list, note.CommandLine(words[i:i+1]...))
		case i+1 < len(words):
			list = append(list, note.CommandLine(words[i:i+2]...))
		}
	}
	return list
}

// longestPattern is the largest length of a regular expression that a command
// contains. A longer one is for the user to choose.
const longestPattern = 5 * nameWidth

// namesake reports whether another series has the same name and a key that
// differs.
func (v *view) namesake(s *track.Series, differs func(*history.Key) bool) bool {
	return slices.ContainsFunc(v.series, func(o *track.Series) bool {
		return o.Key.Task == s.Key.Task && differs(&o.Key)
	})
}

// alarmsOnly reports whether the worst findings are alarms that do not fail the
// gate.
func (v *view) alarmsOnly(list []line) bool {
	worst := slices.MinFunc(list, func(a, b line) int { return cmp.Compare(a.severity, b.severity) })
	return !v.Alarms && worst.severity == track.SeverityAlarm
}

// seriesOf returns the series of findings, each once.
func seriesOf(list []line) (all []*track.Series) {
	for _, l := range list {
		for _, s := range l.series {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	return all
}

// kernelsOf returns a regular expression for the kernels of series.
func kernelsOf(list []*track.Series, name func(*track.Series) string) string {
	return report.NamePattern(report.ListOf(list, name))
}

func nameOf(s *track.Series) string { return s.Key.Task }

// fullName returns the name of a series, with its launch size if its kernel
// also has others.
func (v *view) fullName(s *track.Series) string {
	if v.namesake(s, func(o *history.Key) bool { return o.Shape() != s.Key.Shape() }) {
		return s.Key.Name()
	}
	return s.Key.Task
}

// gitLogs returns, for each finding, the git command that lists the commits
// between the last good run and the first bad run.
func gitLogs(list []line) (checks []report.NextCommand) {
	for _, l := range list {
		if l.good == nil || l.first.Commit == "" || l.good.Commit == "" {
			continue
		}
		check := report.NextCommand{Rows: "Inspect:", Command: "git log --oneline " +
			note.CommandLine(shortCommit(l.good.Commit)+".."+shortCommit(l.first.Commit))}
		if !slices.Contains(checks, check) && len(checks) < report.MaxListedTasks {
			checks = append(checks, check)
		}
	}
	return checks
}

// notices returns sentences about wrong dates, lambdas whose numbers may have
// changed, changes of the machine, and missing kernels. c is nil for a report.
func (v *view) notices(c *track.Check) (list []string) {
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	// It is unknown which clock is wrong, so the dates are not corrected. The
	// message states the effect and how to repair the dates.
	const order = "Series with it are in the order in which their runs were added."
	if n := len(v.Clock.Future); n > 0 {
		r, more := &v.Clock.Future[n-1], ""
		if n > 1 {
			more = fmt.Sprintf(" (and %d before it)", n-1)
		}
		add("clock: Run %d is dated %s, in the future%s. %s "+
			"track remove %d and adding it again with --time repairs it.", r.Run, when(r.Time), more, order, r.Run)
	}
	if r, before := v.Clock.Earlier, v.Clock.Before; r != nil {
		const toTheSecond = "2006-01-02 15:04:05"
		add("clock: Run %d is dated %s, before run %d (%s), which was added earlier. %s",
			r.Run, r.Time.UTC().Format(toTheSecond), before.Run, before.Time.UTC().Format(toTheSecond), order)
	}
	for _, r := range v.Renumbered {
		add("numbers: %s has %d of %s, and the run before it has %d. Their numbers may belong to other lambdas; "+
			"if a finding compares two lambdas, accept it with track accept.", runName(&r.Run), r.After,
			report.KernelName(r.Scope), r.Before)
	}
	if c == nil {
		return list
	}
	if text := "changed: " + changedText(c.Changed) + "."; len(c.Changed) > 0 {
		if shift, ok := c.Shift.Value(); ok {
			text += " The kernels are " + v.side(shift) + " their levels (median)."
		}
		list = append(list, text)
	}
	gone := v.missingKernels()
	for _, g := range gone[:min(len(gone), report.MaxListedTasks)] {
		add("%s: missing: %s.", report.OneLine(g.Key.Name()), missingText(g))
	}
	if n := c.NotMeasured; n > 0 {
		add("not measured: %s of this run %s no %s value.", unit.Plural(n, "kernel"),
			verb(n, "has", "have"), v.name())
	}
	return list
}

// apart returns a sentence that lists the series without a verdict, by reason.
func (v *view) apart() []string {
	words := map[trend.Outcome]string{trend.Learning: "Learning", track.Unmeasurable: "Too short to measure"}
	tasks := map[string][]string{}
	for _, s := range v.series {
		word := words[s.Outcome()]
		if s.Ended {
			word = "Ended"
		}
		tasks[word] = append(tasks[word], s.Key.Task)
	}
	text := ""
	for _, word := range []string{"Too short to measure", "Learning", "Ended"} {
		if of := tasks[word]; len(of) > 0 {
			slices.Sort(of)
			text += " " + word + ": " + few(slices.Compact(of)) + "."
		}
	}
	if text == "" {
		return nil
	}
	return []string{text[1:]}
}

// leftOut returns a sentence about the earlier values that were left out of all
// verdicts.
func leftOut(series []*track.Series) (list []string) {
	n, of := 0, 0
	for _, s := range series {
		n, of = n+len(s.LeftOut), of+min(len(s.LeftOut), 1)
	}
	if n > 0 {
		list = append(list, unit.Plural(n, "value")+" of "+unit.FormatCount(of, "series", "series")+
			" left out: unmeasurable.")
	}
	return list
}

// few returns the names of the first kernels and the number of the others.
func few(tasks []string) string {
	names := report.ListOf(tasks, func(task string) string { return report.ShortName(task, 48) })
	return strings.Join(report.FirstFew(names, report.MaxListedTasks), ", ")
}
