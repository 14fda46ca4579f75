package trackdoc

import (
	"math"
	"strconv"
	"strings"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// metric prints the values of what is followed. People read microseconds, and points for differences of percentages.
type metric struct {
	track.Metric
	commitURL string // of the page of a commit, which stands for %s in it; may be empty
}

// name is the metric's name.
func (m metric) name() string { return string(m.Metric.Metric) }

// unit is the one that people read.
func (m metric) unit() string {
	if u := m.Unit(); u != "s" {
		return u
	}
	return "us"
}

// distanceUnit is that of differences.
func (m metric) distanceUnit() string {
	// A difference of percentages is in points: 5 % of 60 % would be 3.
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

// kind is how values are printed.
func (m metric) kind() report.Kind {
	switch m.Unit() {
	case "%":
		return report.Percent
	case "points":
		return report.Points
	}
	return report.Number
}

// heading is a column of values of the metric: its key, and what report.Rows takes after it.
func (m metric) heading(key, title string) string {
	return key + ": " + title + " [" + m.unit() + "]; decimals=" + strconv.Itoa(m.decimals())
}

// decimals are those of values that are neither percentages nor points.
func (m metric) decimals() int {
	if m.Unit() == "bytes" {
		return 0
	}
	return 1
}

// madColumn is a column of distances without a sign: a MAD is often below a tenth.
func (m metric) madColumn(drop int) string {
	return "mad: MAD [" + m.distanceUnit() + "]; brief=MAD; kind=number; decimals=2; drop=" + strconv.Itoa(drop)
}

// scaled turns a value into the unit that people read.
func (m metric) scaled(x float64) float64 { return report.Round(x * m.scale()) }

// print is a value with its unit.
func (m metric) print(x float64) string { return m.number(x) + " " + m.unit() }

// number is a value without its unit.
func (m metric) number(x float64) string {
	return report.Column{Decimals: m.decimals()}.Print(report.NumCell(m.kind(), m.scaled(x)))
}

// distance is a distance without a sign and unit, with two decimals.
func (m metric) distance(d float64) string { return report.Decimal(d*m.scale(), 2) }

// side says on which side of something a value is, and how far from it: "8.0 points below".
func (m metric) side(d float64) string {
	if d < 0 {
		return strings.TrimPrefix(m.difference(d), "-") + " below"
	}
	return strings.TrimPrefix(m.difference(d), "+") + " above"
}

// difference is a signed distance with its unit.
func (m metric) difference(d float64) string {
	return report.Signed(d*m.scale(), 1) + " " + m.distanceUnit()
}

// worse turns a difference so that what is worse is above zero.
// Sorting by it puts drops first where lower is worse, and rises first for times and spills.
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

// rule says how the gate judges, in a sentence or two.
// It names every figure that a verdict depends on, so that who reads only the report can check one by hand.
func (m metric) rule() string {
	g := &m.Gate
	floor := report.Shortest(g.Floor) + " " + m.distanceUnit()
	switch {
	case g.Relative:
		floor = report.Shortest(g.Floor*100) + " %"
	// 1 point, not 1 points.
	case g.Floor == 1:
		floor = strings.TrimSuffix(floor, "s")
	}
	if m.From != "" {
		floor += " (as " + report.OneLine(m.From) + " says)"
	}
	worse := map[trend.Direction]string{trend.Down: "lower is worse", trend.Up: "higher is worse",
		trend.Both: "either way is worth a word"}[g.Direction]
	text := m.Title() + " [" + m.unit() + "], " + worse + ". "
	if m.Metric.Metric == history.Occupancy {
		text += "That over the XVEs that ran (loaded) counts where all of the last " +
			unit.Counted(g.Window, "run", "runs") + " have it, else the measured one. "
	}
	// Predicted peaks and spills come from the compiler: the same binary gives the same number.
	if g.Exact {
		return text + "There is no noise: more than " + floor + " off the last good run is a regression."
	}
	return text + "A regression is a shift of more than " + floor + " that lasts, against the last " +
		unit.Counted(g.Window, "run", "runs") + ", from " + unit.Counted(g.Learning, "earlier run",
		"earlier runs") + " on, so unlikely by chance that at most " + report.Shortest(100*g.Budget) +
		" of 100 checks find one for nothing, over all series together. It is open until it is mended or accepted."
}

// leftOut says how many values are in no verdict, of how many series; nothing of none.
func leftOut(n, of int) string {
	if n == 0 {
		return ""
	}
	was := "values of " + unit.Counted(of, "series", "series") + " were"
	if n == 1 {
		was = "value was"
	}
	return " " + report.Thousands(int64(n)) + " " + was + " left out: unmeasurable."
}

// when prints a time for people, to the minute.
// It is in UTC: runs of one history come from machines in several time zones.
func when(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
