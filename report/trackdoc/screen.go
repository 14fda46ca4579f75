package trackdoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// sentence says in one line what the gate says of some series: its word, where, how many are as before and what the
// others are.
func (m metric) sentence(all []*track.Series, word, where string) string {
	n, anew, ended := map[trend.Outcome]int{}, 0, 0
	var most *track.Series
	for _, s := range all {
		switch o := s.Outcome(); {
		case s.Ended:
			ended++
			continue
		case o == trend.OK && s.Gate.Median.Present() && (most == nil || math.Abs(s.Off()) > math.Abs(most.Off())):
			most = s
		}
		if n[s.Outcome()]++; s.Anew() {
			anew++
		}
	}
	var parts []string
	add := func(n int, format string, args ...any) {
		if n == 0 {
			return
		}
		count := report.Thousands(int64(n))
		if len(parts) == 0 {
			count += " of " + unit.Counted(len(all), "kernel", "kernels")
		}
		parts = append(parts, count+fmt.Sprintf(format, args...))
	}
	add(n[trend.Regression], " got worse and stayed so")
	add(n[trend.Alarm], " farther off than one run goes by chance, which the next run confirms or not")
	add(n[track.Faster], " faster at lower occupancy")
	add(n[track.OpenOnBase], " open on the base branch")
	add(n[trend.OK], " as before")
	add(n[trend.Learning], " with fewer than %d earlier runs", m.Gate.Learning)
	add(n[track.Unmeasurable], " too short to measure")
	add(ended, " of the past")
	text := word + ": " + where + strings.Join(parts, ", ")
	if anew > 0 {
		text += fmt.Sprintf(" (%d after a change of device, driver or launch shape)", anew)
	}
	if most != nil && n[trend.Regression]+n[trend.Alarm]+n[track.Faster]+n[track.OpenOnBase] == 0 {
		text += "; largest change " + report.ShortName(most.Key.Task, nameWidth) + " " + m.change(most.Off())
	}
	return text
}

// change is a difference, in points without the word.
func (m metric) change(d float64) string { return strings.TrimSuffix(m.difference(d), " points") }

// line is a row of a screen: a finding, or what many series have in common.
type line struct {
	number, name, level, change, since string
	status                             report.Status
	series                             *track.Series // nil for many
}

// lines lists all that is open, and alarms, what needs attention first. What many series have in common is one.
func (m metric) lines(all []*track.Series, shared []track.Shared) (list []line) {
	for i := range shared {
		if s := &shared[i]; !s.Anew {
			since := "since " + shortRef(&s.First) + ", last good " + shortRef(&s.Before)
			if len(s.Changed) > 0 {
				since += "; " + changedText(s)
			}
			list = append(list, line{name: fmt.Sprintf("%d of %d on %s at once", len(s.Series), s.Of, report.OneLine(s.Device)),
				change: m.change(s.Median), since: since, status: statusOf(s.Series[0])})
		}
	}
	for _, s := range all {
		if s.FirstBad == nil || s.Shared != nil && !s.Shared.Anew || s.Severity() >= track.SeverityAnew {
			continue
		}
		one := line{name: report.KernelName(s.Key.Task), status: statusOf(s), series: s}
		if shape := s.Key.Shape(); slices.ContainsFunc(all, func(o *track.Series) bool { return o != s && o.Key.Task == s.Key.Task }) {
			one.name += " [" + report.OneLine(shape) + "]"
		}
		if len(s.Open) == 0 { // one run alone
			one.level, one.change = m.between(s.Gate.Median.Or(0), s.Gate.Value), m.change(s.Off())
			one.since = string(s.Outcome()) + ": run " + strconv.FormatInt(s.FirstBad.Run, 10) + " alone" + aside(s)
			list = append(list, one)
		}
		for i, f := range s.Open {
			one.level, one.change = m.between(f.Level, f.Level+f.Shift), m.change(f.Shift)
			one.since = "since " + shortRef(&f.FirstBad)
			if f.LastGood != nil {
				one.since += ", last good " + shortRef(f.LastGood)
			}
			if i == 0 {
				one.since += aside(s)
			}
			list = append(list, one)
		}
	}
	return list
}

func (m metric) between(a, b float64) string { return m.number(a) + " -> " + m.print(b) }

// shortRef names a run by its number and commit, or else its label: run 10 (c10).
func shortRef(r *track.Ref) string {
	text := "run " + strconv.FormatInt(r.Run, 10)
	if r.Commit == "" && r.Label == "" {
		return text
	}
	return text + " (" + report.ShortName(cmp.Or(shortCommit(r.Commit), r.Label), 24) + ")"
}

// sameTime is up to which share launches take as long as before.
const sameTime = 0.02

// aside says what else is known of a finding: its time, what changed with it, whether the run has it at all.
func aside(s *track.Series) (text string) {
	for _, move := range s.Moved {
		ratio := move.After / move.Before
		switch {
		case move.Metric != history.Seconds || !(ratio > 0) || math.IsInf(ratio, 1):
		case math.Abs(ratio-1) <= sameTime:
			text += "; time as before"
		default:
			text += "; time " + report.Decimal(ratio, 2) + "x"
		}
	}
	if o := s.Outcome(); o == track.Faster || o == track.OpenOnBase {
		text += "; " + string(o)
	}
	if s.Begins != nil && s.Age() < track.Fresh {
		text += "; " + changed(s)
	}
	if s.Absent {
		text += "; not in the run"
	}
	return text
}

// screen is what a check or a report begins with: the sentence, a row for each finding, and how to look at it or accept it.
// A row is numbered where several are.
func (m metric) screen(sentence string, list []line, do []string, run int64, prov report.Provenance) *report.Screen {
	s := &report.Screen{Line: sentence, Do: do}
	if len(list) == 0 {
		return s
	}
	s.Rows = report.NewTable("screen", "", list[:min(len(list), report.ScreenRows)], []report.Col[line]{
		define(column{Key: "n", Title: " "}, func(l *line) cell { return cell{Kind: report.Text, Text: l.number} }),
		define(column{Key: "kernel", Title: "Kernel", Cut: true, Role: report.Code}, func(l *line) cell { return report.StatusCell(l.name, l.status) }),
		define(column{Key: "level", Title: "Level, now"}, func(l *line) cell { return report.TextCell(l.level) }),
		define(column{Key: "change", Title: "Change"}, func(l *line) cell { return report.TextCell(l.change) }),
		define(column{Key: "since", Title: "Since", Fold: true}, func(l *line) cell { return report.TextCell(l.since) }),
	})
	if n := len(list) - s.Rows.Len; n > 0 {
		s.More = fmt.Sprintf("and %d more", n)
	}
	for i := range list {
		if len(list) > 1 {
			list[i].number = strconv.Itoa(i + 1)
		}
	}
	only, db := "", ""
	var tasks []string
	for _, l := range list {
		if l.series == nil {
			tasks = nil
			break
		}
		tasks = append(tasks, l.series.Key.Task)
	}
	if tasks = slices.Compact(tasks); len(tasks) == 1 || len(tasks) <= report.MostTasks && len(patternOf(tasks)) < nameWidth {
		only = " --kernel " + report.CommandLine([]string{patternOf(tasks)})
	}
	if i := slices.Index(prov.CommandLine, "--db"); i >= 0 && i+1 < len(prov.CommandLine) {
		db = " " + report.CommandLine(prov.CommandLine[i:i+2])
	}
	if first := list[0].series; first != nil && first.LastGood != nil && first.FirstBad.Commit != "" && first.LastGood.Commit != "" {
		s.Sure = append(s.Sure, report.Check{Rows: "Look:", Command: "git log --oneline " +
			report.CommandLine([]string{shortCommit(first.LastGood.Commit) + ".." + shortCommit(first.FirstBad.Commit)})})
	}
	s.Sure = append(s.Sure, report.Check{Rows: "Look:", Command: "occudiff track report" + db + only + " -o trend.html"},
		report.Check{Rows: "Meant:", Command: fmt.Sprintf("occudiff track accept%s --run %d%s --note WHY", db, run, only)})
	return s
}

// texts are what items say, for a screen.
func texts(items []report.Item) []string {
	return report.ListOf(items, func(i report.Item) string { return i.Lead + ": " + i.Text })
}
