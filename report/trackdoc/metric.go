package trackdoc

import (
	"cmp"
	"math"
	"strings"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// metric prints the values of what is followed. People read microseconds, and points for differences of percentages.
type metric struct{ track.Metric }

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

// figure makes a column of values of the metric: a number in its unit, for people in the one that they read.
func figure[R any](m metric, c column, of func(*R) unit.Opt[float64]) report.Col[R] {
	c.Kind, c.Unit = report.Number, cmp.Or(c.Unit, m.unit())
	if m.Unit() == "s" {
		c.Kind = report.Duration
	}
	if c.Decimals == 0 && m.Unit() != "bytes" {
		c.Decimals = 1
	}
	return define(c, func(r *R) cell { return report.OptNum(c.Kind, of(r), 1) })
}

// number is a value as people read it, print has its unit.
func (m metric) number(x float64) string {
	decimals := 1
	if m.Unit() == "bytes" {
		decimals = 0
	}
	return report.Decimal(report.Round(x*m.scale()), decimals)
}

func (m metric) print(x float64) string { return report.WithUnit(m.number(x), m.unit()) }

// difference is a distance with its sign.
func (m metric) difference(d float64) string {
	return report.Signed(d*m.scale(), 1) + " " + m.distanceUnit()
}

// change is a difference, in points without the word.
func (m metric) change(d float64) string { return strings.TrimSuffix(m.difference(d), " points") }

func (m metric) between(a, b float64) string { return m.number(a) + " -> " + m.print(b) }

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

// rule says how the gate judges, with every figure that a verdict depends on.
func (m metric) rule() string {
	g := &m.Gate
	floor := report.Shortest(g.Floor) + " " + m.distanceUnit()
	switch {
	case g.Relative:
		floor = report.Shortest(g.Floor*100) + "%"
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

// when prints a time for people, to the minute and in UTC: runs of one history come from several time zones.
func when(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
