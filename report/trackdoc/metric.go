package trackdoc

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// ruleText says how series are judged, a paragraph a line.
//
//go:embed rule.txt
var ruleText string

// metric prints the values of what is followed. People read microseconds, and points for differences of percentages.
type metric struct {
	track.Metric
	commitURL string // of the page of a commit, which stands for %s in it; may be empty
}

func (m metric) name() string { return string(m.Metric.Metric) }

// unit is the one that people read, distanceUnit that of differences: 5 % of 60 % would be 3.
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

// scale turns a value into the unit that people read.
func (m metric) scale() float64 {
	if m.Unit() == "s" {
		return 1e6
	}
	return 1
}

// as makes a column one of values of the metric, whose cells are value's.
func (m metric) as(c column) column {
	c.Kind = map[string]report.Kind{"%": report.Percent, "points": report.Points, "s": report.Duration}[m.Unit()]
	if c.Unit, c.Decimals = m.unit(), 1; c.Kind == report.Absent {
		c.Kind, c.Decimals = report.Number, 0 // bytes
	}
	return c
}

func (m metric) value(x unit.Opt[float64]) cell {
	v, ok := x.Value()
	if !ok {
		return cell{}
	}
	return report.NumCell(m.as(column{}).Kind, v)
}

// asSpread makes a column one of distances without a sign, which are often below a tenth; spread makes its cells.
func (m metric) asSpread(c column) column {
	c.Unit, c.Kind, c.Decimals = m.distanceUnit(), report.Number, 2
	if m.Unit() == "s" {
		c.Kind = report.Duration
	}
	return c
}

func (m metric) spread(x unit.Opt[float64]) cell {
	return report.OptNum(m.asSpread(column{}).Kind, x, 1)
}

// asDifference makes a column one of distances with a sign, in the unit that people read.
func (m metric) asDifference(c column) column {
	c.Unit, c.Kind = m.distanceUnit(), report.Points
	return c
}

func (m metric) scaled(x float64) cell {
	return report.NumCell(report.Points, x*m.scale())
}

// print is a value with its unit, number without.
func (m metric) print(x float64) string { return m.number(x) + " " + m.unit() }

func (m metric) number(x float64) string {
	c := m.as(column{})
	if c.Kind == report.Duration {
		c.Kind = report.Number
	}
	return c.Print(report.NumCell(c.Kind, report.Round(x*m.scale())))
}

// distance is a distance without a sign and unit, with two decimals; difference has both.
func (m metric) distance(d float64) string { return report.Decimal(d*m.scale(), 2) }

func (m metric) difference(d float64) string {
	return report.Signed(d*m.scale(), 1) + " " + m.distanceUnit()
}

// side says on which side of something a value is, and how far from it: "8.0 points below".
func (m metric) side(d float64) string {
	if d < 0 {
		return strings.TrimPrefix(m.difference(d), "-") + " below"
	}
	return strings.TrimPrefix(m.difference(d), "+") + " above"
}

// worse turns a difference so that what is worse is above zero: drops where lower is worse, rises for times and spills.
func (m metric) worse(d float64) float64 {
	switch m.Gate.Direction {
	case trend.Down:
		return -d
	case trend.Both:
		return math.Abs(d)
	}
	return d
}

// changeStatus is the color of a change: it may be for the better.
func (m metric) changeStatus(c *trend.ChangePoint) report.Status {
	switch {
	case m.Gate.Direction == trend.Both:
		return report.Unsure
	case m.worse(c.MeanAfter-c.MeanBefore) > 0:
		return report.Bad
	}
	return report.Good
}

// rule says how the gate judges, with every figure that a verdict depends on.
func (m metric) rule() string {
	g := &m.Gate
	floor := report.Shortest(g.Floor) + " " + m.distanceUnit()
	switch {
	case g.Relative:
		floor = report.Shortest(g.Floor*100) + " %"
	case g.Floor == 1: // 1 point, not 1 points
		floor = strings.TrimSuffix(floor, "s")
	}
	if m.From != "" {
		floor += " (as " + report.OneLine(m.From) + " says)"
	}
	text := m.Title() + " [" + m.unit() + "], " + map[trend.Direction]string{trend.Down: "lower is worse",
		trend.Up: "higher is worse", trend.Both: "either way is worth a word"}[g.Direction] + ". "
	runs := unit.Counted(g.Window, "run", "runs")
	if m.Metric.Metric == history.Occupancy {
		text += "That over the XVEs that ran (loaded) counts where all of the last " + runs +
			" have it, else the measured one. "
	}
	if g.Exact { // the same binary gives the same number
		return text + "There is no noise: more than " + floor + " off the last good run is a regression."
	}
	return text + "A regression is a shift of more than " + floor + " that lasts, against the last " + runs + ", from " +
		unit.Counted(g.Learning, "earlier run", "earlier runs") + " on, so unlikely by chance that at most " +
		report.Shortest(100*g.Budget) + " of 100 checks find one for nothing, over all series together. It is open until it " +
		"is mended or accepted."
}

// leftOut says how many values are in no verdict, of how many series; nothing of none.
func leftOut(n, of int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " 1 value was left out: unmeasurable."
	}
	return " " + report.Thousands(int64(n)) + " values of " + unit.Counted(of, "series", "series") +
		" were left out: unmeasurable."
}

// when prints a time for people, to the minute and in UTC: runs of one history come from several time zones.
func when(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }

// finish gives a document what a check, a report and a replay have in common: how series are judged, and what it was
// made from.
func (m metric) finish(d *report.Document, where string, prov report.Provenance, sections ...report.Section) *report.Document {
	rows := prov.Pairs()
	rows.Text("History", where)
	rule := strings.Split(strings.TrimSpace(ruleText), "\n")
	rule[0] = m.rule() + " " + rule[0]
	d.Version = prov.Version
	d.Sections = slices.Concat(sections, []report.Section{
		{Key: report.SectionRule, Title: "How this is judged", Sheet: "Sources", In: report.Files, Text: rule},
		{Key: report.SectionProvenance, Title: "Provenance", Sheet: "Sources", In: report.Files,
			Tables: []*report.Table{report.NameValue("provenance", "", rows)}}})
	return d
}

// summary is the section that begins a document: its first and last lines again.
func summary(d *report.Document) report.Section {
	text := append(slices.Clone(d.Headline), d.Closing)
	return report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary",
		Text: slices.DeleteFunc(text, func(s string) bool { return s == "" })}
}

// attentionSection holds what somebody should look at.
func attentionSection(title string, items []report.Item) report.Section {
	s := report.Section{Key: report.SectionAttention, Title: title, Sheet: "Summary", ItemsIn: report.Everywhere, Items: items}
	if len(items) == 0 {
		s.Text = []string{"Nothing."}
	}
	return s
}

// tableSection holds a table, on a sheet of its own.
func tableSection(t *report.Table) report.Section {
	s := report.Section{Key: t.Key, Title: t.Title, Sheet: t.Title, In: t.In, Tables: []*report.Table{t}}
	t.Title = ""
	return s
}
