package trackdoc

import (
	"fmt"
	"math"
	"strings"
	"time"

	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// statusOf returns the color of a series' verdict. An ended series has no
// color.
func statusOf(s *track.Series) report.Status {
	switch o := s.Outcome(); {
	case s.Ended:
	case o == trend.Regression:
		return report.Bad
	case o == trend.Alarm || o == track.Unmeasurable:
		return report.Unsure
	case o == trend.OK || o == track.Faster:
		return report.Good
	}
	return report.Muted
}

// findingText returns the verdict with its reason: "learning: launch size
// changed here".
func findingText(s *track.Series) string {
	switch {
	case s.Ended:
		return string(s.Outcome()) + ", ended"
	case s.Absent && s.Outcome() == trend.OK:
		return string(s.Outcome()) + ", not in the newest run"
	case s.Restart == nil || s.Unmeasurable:
		return string(s.Outcome())
	}
	return string(s.Outcome()) + ": " + restartText(s)
}

// restartText returns when the launch size changed: "launch size changed here".
func restartText(s *track.Series) string {
	ago := "here"
	if n := s.Age; n > 0 {
		ago = unit.Plural(n, "run") + " ago"
	}
	return s.Restart.What + " changed " + ago
}

// place returns the properties that distinguish series of one kernel: device,
// driver, and program.
func place(s *track.Series) string {
	return strings.Trim(report.OneLine(s.Key.Device)+", "+
		report.Known("driver", s.Key.Driver, "program", s.Key.Program), ", ")
}

// runName returns a run's number with its commit and label.
func runName(r *track.Ref) string {
	text := fmt.Sprintf("run %d of %s", r.Run, when(r.Time))
	said := report.OneLine(r.Label)
	if r.Commit != "" {
		said = strings.TrimSuffix("commit "+report.OneLine(shortCommit(r.Commit))+", "+said, ", ")
	}
	if said != "" {
		text += " (" + said + ")"
	}
	return text
}

// whole returns all facts about a series, for outputs that do not contain its
// summary row.
func (v *view) whole(s *track.Series) string {
	var text []string
	for _, l := range v.linesOf(s) {
		text = append(text, l.level+", "+l.change+", "+l.since+".")
	}
	return strings.TrimSpace(strings.Join(text, " ") + " " + v.evidence(s))
}

// evidence returns the facts about a series that its summary row does not
// contain. They are a change of the launch size, the metrics that changed
// together with its finding, and the consequence for the user.
func (v *view) evidence(s *track.Series) string {
	var text, moved []string
	for _, move := range s.AlsoChanged {
		m, by := metric{track.Metric{Metric: move.Metric}}, move.After-move.Before
		if math.Abs(by*m.scale()) >= 0.05 { // otherwise 0.0 would be printed
			name := report.LowerFirst(m.Title())
			if move.Scaled {
				name += ", scaled to the new launch size,"
			}
			moved = append(moved, fmt.Sprintf("%s %s (%s)", name, m.between(move.Before, move.After), m.difference(by)))
		}
	}
	if s.NeedsAttention() {
		if s.Restart != nil && s.FirstBad == nil {
			text = append(text, v.restarts(s))
		} else if s.Outcome() == trend.Alarm {
			text = append(text, "It may be an outlier; if the next run is as low, it is a regression.")
		}
		if len(moved) > 0 {
			text = append(text, "Also changed: "+strings.Join(moved, ", ")+".")
		}
		if s.Absent {
			text = append(text,
				"It closes with a good run on this driver in this launch size, or with 'occudiff track accept'.")
		}
	}
	return strings.Join(text, " ")
}

// restarts returns sentences about a change of the launch size, and about the
// runs with which the series is compared.
func (v *view) restarts(s *track.Series) string {
	text := report.UpperFirst(restartText(s)) + ": " + changedText([]track.Change{*s.Restart}) +
		". The runs since are " + v.side(s.Since()) + " the earlier runs, and are compared with them."
	if s.Outcome() == trend.Learning {
		text += " " + unit.FormatCount(v.Gate.Learning-s.Gate.Index, "more run is", "more runs are") +
			" needed for a verdict."
	}
	return text
}

// sharedTitle returns the title of a shared finding. It has the number of
// series that changed and the number of all series on the device. For example,
// if 150 of 300 series changed, the machine is a more likely reason than if two
// of three changed.
func sharedTitle(s *track.Shared) string {
	return fmt.Sprintf("%s: %d of %d series changed at once", report.OneLine(s.Device), len(s.Series), s.Of)
}

// sharedText returns a description of the shift that many series share.
func (m metric) sharedText(s *track.Shared) string {
	text := "With " + runName(&s.First) + ". "
	if len(s.Changed) > 0 {
		text = report.UpperFirst(changedText(s.Changed)) + " w" + text[1:]
	}
	return text + fmt.Sprintf("%d of %s of %s changed at once, by %s in the median. "+
		"One common cause is more likely than a separate cause for each.",
		len(s.Series), unit.FormatCount(s.Of, "series", "series"), report.OneLine(s.Device), m.difference(s.Median))
}

// changedText returns the changes in words: host node7 -> node9.
func changedText(list []track.Change) string {
	return strings.Join(report.ListOf(list, func(c track.Change) string {
		return fmt.Sprintf("%s %s -> %s", c.What, report.OneLine(c.From), report.OneLine(c.To))
	}), ", ")
}

// missingText returns the facts about a missing kernel. Its share of the time
// comes from the last run that has the kernel.
func missingText(g track.MissingKernel) string {
	text := fmt.Sprintf("run %d was the last one with it", g.Last.Run)
	if s, ok := g.Share.Value(); ok {
		text = fmt.Sprintf("it took %s of the time of run %d, the last one with it", s, g.Last.Run)
	}
	return text + "; if it has another name now, use track rename; if it was removed, use track accept"
}

// verb returns the form of a verb for a count: one if n is 1, otherwise many.
func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// metric formats a metric's values. People read times in microseconds, and
// differences of percentages in points.
type metric struct{ track.Metric }

func (m metric) name() string {
	return string(m.Metric.Metric)
}

// unit returns the unit of values for people. distanceUnit returns the unit of
// differences. For percentages, this is points, because a difference of "5%"
// could also mean 5% of a value.
func (m metric) unit() string {
	if u := m.Unit(); u != "s" {
		return u
	}
	return "us"
}

func (m metric) distanceUnit() string {
	if u := m.unit(); u != "%" {
		return u
	}
	return "points"
}

// scale returns the factor that converts a value to the unit for people.
func (m metric) scale() float64 {
	if m.Unit() == "s" {
		return 1e6
	}
	return 1
}

// figure returns a column of metric values. Programs read numbers in the
// metric's own unit, and people read texts in the unit for people.
func figure[R any, V float64 | number](m metric, key, title string, of func(*R) V,
	o ...report.Option) report.Col[R] {
	kind, decimals := report.Number, report.Decimals(1)
	switch m.Unit() {
	case "s":
		kind = report.Duration
	case "bytes":
		decimals = 0
	}
	return report.Define(key, title, of, append([]report.Option{kind, report.Unit(m.unit()), decimals}, o...)...)
}

// number returns a value as text for people, without its unit. print adds the
// unit.
func (m metric) number(x float64) string {
	decimals := 1
	if m.Unit() == "bytes" {
		decimals = 0
	}
	return report.Decimal(report.Round(x*m.scale()), decimals)
}

func (m metric) print(x float64) string {
	return report.WithUnit(m.number(x), m.unit())
}

// difference returns a difference with its sign.
func (m metric) difference(d float64) string {
	return report.Signed(d*m.scale()) + " " + m.distanceUnit()
}

// change returns a difference without the unit "points".
func (m metric) change(d float64) string {
	if m.distanceUnit() != "points" {
		return m.difference(d)
	}
	return report.Signed(d * m.scale())
}

func (m metric) between(a, b float64) string {
	return m.number(a) + " -> " + m.print(b)
}

// side returns a distance in words, for example "8.0 points below".
func (m metric) side(d float64) string {
	text := report.Decimal(math.Abs(d)*m.scale(), 1) + " " + m.distanceUnit()
	if d < 0 {
		return text + " below"
	}
	return text + " above"
}

// worse returns a difference with a sign that is positive if the change is for
// the worse.
func (m metric) worse(d float64) float64 {
	if m.Gate.Direction == trend.Down {
		return -d
	}
	return d
}

// rule returns the rule of the gate in words, with every number that affects a
// verdict.
func (m metric) rule() string {
	g := &m.Gate
	floor := report.Shortest(g.Floor) + " " + m.distanceUnit()
	switch {
	case g.Relative:
		floor = report.Shortest(g.Floor*100) + "%"
	case g.Floor == 1: // "1 point" instead of "1 points"
		floor = strings.TrimSuffix(floor, "s")
	}
	if m.From != "" {
		floor += " (from " + report.OneLine(m.From) + ")"
	}
	text := m.Title() + " [" + m.unit() + "], " +
		map[trend.Direction]string{trend.Down: "lower", trend.Up: "higher"}[g.Direction] + " is worse. "
	runs := unit.Plural(g.Window, "run")
	if g.Exact { // no noise, because the same binary always has the same value
		return text + "There is no noise: more than " + floor + " off the last good run is a regression."
	}
	return text + "A regression is a lasting shift of more than " + floor + " from the last " + runs +
		" that is very unlikely to be noise. It needs " + unit.Plural(g.Learning, "earlier run") +
		", and is open until the kernel recovers or the level is accepted."
}

// when returns a time for people, to the minute and in UTC, because the runs of
// a history come from several time zones.
func when(t time.Time) string {
	return t.UTC().Format("2006-01-02 15:04")
}
