package trackdoc

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// finding is the verdict with what stands in its way: "learning: driver changed here".
func findingText(s *track.Series) string {
	switch {
	case s.Ended:
		return string(s.Outcome()) + ", ended"
	case !s.Anew() && !(s.FirstBad != nil && s.Begins != nil && s.GoesOn() && s.Age() < track.Fresh):
		return string(s.Outcome())
	}
	return string(s.Outcome()) + ": " + strings.Join(s.Begins.What, " and ") + " changed " + ago(s)
}

// ago says how long ago the series began.
func ago(s *track.Series) string {
	if n := s.Age(); n > 0 {
		return unit.Counted(n, "run", "runs") + " ago"
	}
	return "here"
}

// changed says from what to what: "driver 24.1 -> 25.2".
func changed(s *track.Series) string {
	var words []string
	for _, what := range s.Begins.What {
		old, now := s.Begins.From, s.Key
		from, to := old.Driver, now.Driver
		switch what {
		case "device":
			from, to = old.Device, now.Device
		case track.LaunchShape:
			from, to = old.Shape(), now.Shape()
		}
		words = append(words, what+" "+report.OneLine(from)+" -> "+report.OneLine(to))
	}
	return strings.Join(words, ", ")
}

// status is the color of the verdict; what is of the past has none.
func statusOf(s *track.Series) report.Status {
	if s.Ended {
		return report.Muted
	}
	return outcomeStatus(s.Outcome())
}

func outcomeStatus(o trend.Outcome) report.Status {
	switch o {
	case trend.Regression:
		return report.Bad
	case trend.Alarm, track.Unmeasurable:
		return report.Unsure
	case trend.OK, track.Faster:
		return report.Good
	}
	return report.Muted
}

// outcomes are the verdicts in the order in which they need attention.
var outcomes = []trend.Outcome{trend.Regression, trend.Alarm, track.Faster, track.OpenOnBase, trend.OK, trend.Learning,
	track.Unmeasurable}

// place tells series of one kernel apart: device, driver, program.
// Names of kernels repeat between them, so a title without it would stand for several series.
func place(s *track.Series) string {
	text := report.OneLine(s.Key.Device)
	for _, part := range [][2]string{{"driver ", s.Key.Driver}, {"program ", s.Key.Program}} {
		if part[1] != "" {
			text += ", " + part[0] + report.OneLine(part[1])
		}
	}
	return strings.TrimPrefix(text, ", ")
}

// item is a message about a series.
func (m metric) item(s *track.Series, text string, status report.Status) report.Item {
	detail := strings.Trim(report.OneLine(s.Key.Shape())+"; "+place(s), "; ")
	return report.Item{Lead: report.KernelName(s.Key.Task), Detail: detail, Text: text, Links: m.links(s),
		Status: status}
}

// attention puts series with a finding of their own first, then those that are part of one, then those without.
func attention(s *track.Series) int {
	switch {
	case !s.NeedsAttention():
		return 2
	case s.Shared != nil:
		return 1
	}
	return 0
}

// inOrder puts the series that need attention first, of one kind the one farthest off towards worse.
func (m metric) inOrder(all []*track.Series) []*track.Series {
	list := slices.Clone(all)
	slices.SortStableFunc(list, func(a, b *track.Series) int {
		return cmp.Or(cmp.Compare(attention(a), attention(b)), cmp.Compare(a.Severity(), b.Severity()),
			cmp.Compare(m.worse(b.Off()), m.worse(a.Off())))
	})
	return list
}

// newest is the newest value, and of occupancy which one it is.
func (m metric) newest(s *track.Series) string {
	if s.On != m.Metric.Metric {
		return report.UpperFirst(string(s.On)) + " " + m.print(s.Gate.Value)
	}
	return m.print(s.Gate.Value)
}

// runName names a run with its commit and label.
func runName(r *track.Ref) string {
	text := fmt.Sprintf("run %d of %s", r.Run, when(r.Time))
	var words []string
	if r.Commit != "" {
		words = append(words, "commit "+report.OneLine(shortCommit(r.Commit)))
	}
	if r.Label != "" {
		words = append(words, report.OneLine(r.Label))
	}
	if len(words) > 0 {
		text += " (" + strings.Join(words, ", ") + ")"
	}
	return text
}

// since says which run was the first bad one, and which the last good one.
func since(s *track.Series) string {
	if s.FirstBad == nil {
		return ""
	}
	text := " The first bad run is " + runName(s.FirstBad)
	if s.LastGood != nil {
		text += ", the last good one " + runName(s.LastGood)
	}
	return text + "."
}

// links lead to the commits of the first bad run and of the last good one.
func (m metric) links(s *track.Series) (list []report.Link) {
	if !s.Bad() {
		return nil
	}
	return m.refLinks(s.FirstBad, s.LastGood)
}

func (m metric) refLinks(refs ...*track.Ref) (list []report.Link) {
	if m.commitURL == "" {
		return nil
	}
	for _, r := range refs {
		if r != nil && r.Commit != "" {
			list = append(list, report.Link{Text: report.OneLine(shortCommit(r.Commit)),
				URL: strings.ReplaceAll(m.commitURL, "%s", url.PathEscape(r.Commit))})
		}
	}
	return list
}

// moved says what moved with the occupancy.
func moved(s *track.Series) string {
	var parts []string
	for _, move := range s.Moved {
		m := metric{Metric: track.Metric{Metric: move.Metric}}
		by := m.difference(move.After - move.Before)
		if strings.HasPrefix(by, "0.0 ") { // as printed, it did not
			continue
		}
		value := func(x float64) string { return strings.TrimPrefix(m.print(x), "+") } // a share, no difference
		parts = append(parts, fmt.Sprintf("%s %s -> %s (%s)", report.StartLower(m.Title()), value(move.Before),
			value(move.After), by))
	}
	if len(parts) == 0 {
		return ""
	}
	return " With it moved " + strings.Join(parts, ", ") + "."
}

// explain says of a series that needs attention what happened, from which figures; nothing of the others.
// A changed device comes first, for then there is no verdict. A changed driver or launch shape is said and no excuse:
// the series is judged by the runs before it, see track/begin.go.
func (m metric) explain(s *track.Series) string {
	if !s.NeedsAttention() {
		return ""
	}
	text := ""
	if s.Begins != nil && s.Age() < track.Fresh {
		text = fmt.Sprintf("%s changed %s: %s", strings.Join(s.Begins.What, " and "), ago(s), changed(s))
		switch {
		case !s.GoesOn():
			return text + fmt.Sprintf(". Run %d of %s was the last before; the series starts anew, and %s needed for "+
				"a verdict.", s.Begins.Last.Run, when(s.Begins.Last.Time),
				unit.Counted(m.Gate.Learning-s.Gate.Index, "more run is", "more runs are"))
		case s.FirstBad == nil:
			text += ". The runs since are " + m.side(s.Since()) + " those before, by which they are judged."
			if s.Outcome() == trend.Learning {
				text += " " + unit.Counted(m.Gate.Learning-s.Gate.Index, "more run is", "more runs are") +
					" needed for a verdict."
			}
			return text + moved(s)
		}
		text += "; judged against the runs before. "
	}
	g := &s.Gate
	text = fmt.Sprintf("%s. %s%s is %s the level of %s, from %s (MAD %s)", s.Outcome(), text, m.newest(s),
		m.side(s.Off()), m.print(g.Median.Or(0)), unit.Counted(g.N, "run", "runs"), m.distance(g.MAD.Or(0)))
	if len(g.Open) > 0 {
		text += fmt.Sprintf("; %s %s in the median.", unit.Counted(g.InARow, "bad run is",
			"bad runs are"), m.side(g.Open[0].Shift))
		for _, f := range g.Open[1:] {
			p := s.Points[f.First]
			text += fmt.Sprintf(" From run %d of %s on it is another %s.", p.Run, when(p.Time), m.side(f.Shift))
		}
	} else {
		text += ", farther than one run goes by chance. It may be an outlier; if the next one is like it, that is a " +
			"regression."
	}
	text += since(s) + moved(s)
	if s.Absent {
		text += " The newest run has no value of it on this driver in this launch shape, which mends nothing: " +
			"'occudiff track accept' closes what is open."
	}
	if s.Against != "" {
		text += " Against the prediction this run is " + report.OneLine(s.Against) + "."
	}
	return text
}

// nameWidth is how much of a series' name a message shows.
const nameWidth = 72

// failure says which series fail a gate, the worst first, each with its distance from the median; nothing when none
// does. With alarms those fail it, too.
func (m metric) failure(all []*track.Series, where string, alarms bool) string {
	const most = 3
	var names, causes []string
	n, named, confirmed := 0, 0, true
	together := map[*track.Shared]int{}
	var groups []*track.Shared
	for _, s := range m.inOrder(all) {
		if s.Severity() != track.SeverityRegression && (s.Severity() != track.SeverityAlarm || !alarms) {
			continue
		}
		confirmed = confirmed && s.Severity() == track.SeverityRegression
		n++
		if s.Shared != nil {
			if together[s.Shared]++; together[s.Shared] == 1 {
				groups = append(groups, s.Shared)
			}
			continue
		}
		if named++; named <= most {
			name := report.ShortName(s.Key.Name(), nameWidth)
			names = append(names, fmt.Sprintf("%s (%s)", name, m.difference(s.Off())))
		}
	}
	if n == 0 {
		return ""
	}
	if named > most {
		names = append(names, fmt.Sprintf("%d more", named-most))
	}
	// Series that moved at once count as one cause: fifty names would hide that they have one.
	for _, s := range groups {
		causes = append(causes, strings.TrimSuffix(fmt.Sprintf("%d of %s at once by %s, %s", together[s],
			report.OneLine(s.Device), m.difference(s.Median), changedText(s)), ", "))
	}
	what := "regressed" + where
	if !m.Gate.Exact {
		what += ", confirmed by two runs or more in a row"
	}
	if !confirmed {
		what = number(n, "is", "are") + " worse" + where
	}
	return fmt.Sprintf("%d of %d series %s: %s", n, len(all), what, strings.Join(append(causes, names...), ", "))
}

// leftOutOf says how many values of some series are in no verdict.
func leftOutOf(all []*track.Series) string {
	n, of := 0, 0
	for _, s := range all {
		n += len(s.LeftOut)
		of += min(len(s.LeftOut), 1)
	}
	return leftOut(n, of)
}

// sharedTitle is a shared finding in a few words.
// It gives both counts: 150 of 300 series of a device say more of the machine than two of three.
func sharedTitle(s *track.Shared) string {
	if s.Anew && s.GoesOn {
		return fmt.Sprintf("%s: %d of %d series go on with a change", report.OneLine(s.Device), len(s.Series), s.Of)
	}
	if s.Anew {
		return fmt.Sprintf("%s: %d of %d series begin anew", report.OneLine(s.Device), len(s.Series), s.Of)
	}
	return fmt.Sprintf("%s: %d of %d series moved at once", report.OneLine(s.Device), len(s.Series), s.Of)
}

// sharedText says what many series have in common.
func (m metric) sharedText(s *track.Shared) string {
	text := "With " + runName(&s.First) + ". "
	if len(s.Changed) > 0 {
		text = report.UpperFirst(changedText(s)) + " w" + text[1:]
	}
	if s.Anew && s.GoesOn {
		return text + fmt.Sprintf("%d of %s of %s go on with it, %s the runs before in the median, by which "+
			"they are judged.", len(s.Series), unit.Counted(s.Of, "series", "series"), report.OneLine(s.Device),
			m.side(s.Median))
	}
	if s.Anew {
		return text + fmt.Sprintf("%d of %s of %s begin anew, and %s needed for a verdict.", len(s.Series),
			unit.Counted(s.Of, "series", "series"), report.OneLine(s.Device),
			unit.Counted(m.Gate.Learning-s.Series[0].Gate.Index, "more run is", "more runs are"))
	}
	alarms := 0
	for _, t := range s.Series {
		if t.Severity() == track.SeverityAlarm {
			alarms++
		}
	}
	text += fmt.Sprintf("%d of %s of %s moved at once, by %s in the median", len(s.Series),
		unit.Counted(s.Of, "series", "series"), report.OneLine(s.Device), m.difference(s.Median))
	// Alarms are of the newest run alone, and one run that is off in many kernels may be one bad run.
	switch alarms {
	case 0:
	case len(s.Series):
		text += "; the next run confirms that or not"
	default:
		text += fmt.Sprintf("; of %d the next run confirms that or not", alarms)
	}
	return text + ". One cause is more likely than as many."
}

// changedText says what changed: host node7 -> node9.
func changedText(s *track.Shared) string {
	var words []string
	for _, c := range s.Changed {
		words = append(words, c.What+" "+report.OneLine(c.From)+" -> "+report.OneLine(c.To))
	}
	return strings.Join(words, ", ")
}

// shown gives the series that people want to see, and says what is left out.
func shown(list []*track.Series, show report.Selection) (some []*track.Series, left []string) {
	some, notes := report.Select(show, list, "series", func(s **track.Series) report.Candidate {
		return report.Candidate{Task: (*s).Key.Task, Value: math.Abs((*s).Off())}
	})
	return some, report.NotWhole(notes)
}
