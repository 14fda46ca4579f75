package report

import (
	"slices"
	"time"

	"occudiff/ingest/unit"
)

// Plot is a chart as data: one of the kinds is set.
type Plot struct {
	Key, Title string
	Unit       string
	Max        float64 // top of the axis, 0 to leave it to the renderer
	Text       string  // what it shows, in a sentence

	LineChart  *LineChart
	TimeSeries *TimeSeries
	Bars       *StackedBars
}

// Point is one thing with two values.
type Point struct{ X, Y float64 }

// TimeSeries is a value over time, cut into segments at its change points. Runs
// stand side by side in their order, whatever time lies between them: series
// are judged by runs.
type TimeSeries struct {
	Points   []TimePoint // oldest first
	Segments []Segment
	// Threshold is what the newest point was compared with, if anything.
	Threshold unit.Opt[float64]
	Least     float64 // smallest height of the vertical axis, 0 for the values alone
	Large     bool    // the one that a page begins with
}

// TimePoint is one run.
type TimePoint struct {
	Time  time.Time
	Value float64
	Name  string // what it is, for those who point at it
	Bad   bool   // since the first bad run of an open regression
}

// Segment is the points Source to To, the last one excluded, and their mean.
type Segment struct {
	From, To int
	Mean     float64
	Name     string // of the change that it begins with; empty for the first
	Status   Status // of that change; Plain for the first
}

// LineChart is series over one horizontal axis: the points of a sweep, or what
// changes over time.
type LineChart struct {
	X, Y   string    // titles of the axes; that of Y without its unit
	XStep  float64   // between the numbers of the horizontal axis; doubled until they fit, 0 for round numbers
	XAlone []float64 // the only numbers of the horizontal axis, where there is nothing between them; else nil
	Series []LineSeries
}

// LineSeries is points in the order of the horizontal axis. A point whose Y is
// NaN is a gap.
type LineSeries struct {
	Name   string
	Style  LineStyle
	Points []Point
}

// LineStyle describes how a series is drawn.
type LineStyle uint8

// The styles.
const (
	Straight LineStyle = iota // from point to point
	Steps                     // each value holds until the next point
	Marks                     // points alone
)

// StackedBars is a bar for each row. The parts of a bar follow one another on an
// axis from 0 to 100%.
type StackedBars struct {
	Parts []string // in the order of the bar; each has a color that nothing else has in any chart
	Mark  string   // name of the marks; empty without any
	Rows  []StackedRow
}

// Marks returns the number of ends that the marks have: 0 without any, 1 for
// values, and 2 for ranges.
func (b *StackedBars) Marks() (n int) {
	for _, r := range b.Rows {
		if r.Mark.Present() {
			n = max(n, 1)
		}
		if r.MarkTo.Present() {
			n = 2
		}
	}
	return n
}

// HasOld reports whether any row has the bars of two runs.
func (b *StackedBars) HasOld() bool {
	return slices.ContainsFunc(b.Rows, func(r StackedRow) bool { return len(r.Before) > 0 })
}

// leastShown is the value below which a part of a bar is not seen.
const leastShown = 0.5

// Shows reports whether any bar shows a part: an entry of a legend that no bar
// has makes people search for it.
func (b *StackedBars) Shows(part int) bool {
	return slices.ContainsFunc(b.Rows, func(r StackedRow) bool {
		shares := slices.Concat(r.Before, r.Shares)
		return slices.ContainsFunc(shares, func(s Share) bool { return s.Part == part && s.Value >= leastShown })
	})
}

// StackedRow is one bar, or the bars of two runs.
type StackedRow struct {
	Name   string
	Shares []Share
	Before []Share           // of the old run, above the bar; nil without one
	Mark   unit.Opt[float64] // value to compare the bar with
	MarkTo unit.Opt[float64] // other end of a range that begins at Mark
}

// Each returns the bars of a row, each as a row of its own.
func (r StackedRow) Each() []StackedRow {
	before, after := r, r
	before.Shares, before.Before, after.Before = r.Before, nil, nil
	switch {
	case len(r.Before) == 0 && len(r.Shares) == 0:
		return nil
	case len(r.Before) == 0:
		return []StackedRow{after}
	}
	before.Name, after.Name = r.Name+" (old)", r.Name+" (new)"
	return []StackedRow{before, after}
}

// Share is how much of a row a part takes. A part that is not known has no
// share; a negative share takes no room.
type Share struct {
	Part  int // index of the part
	Value float64
}

// Chart returns the chart that a page begins with: the bars of the summary,
// otherwise the first chart of a section. It is nil without any.
func (d *Document) Chart() *Plot {
	if s := d.Summary; s != nil && s.Bars != nil {
		return &Plot{Key: "bars", Title: "Thread-slot breakdown", Text: s.Headline, Unit: "%", Max: 100, Bars: s.Bars}
	}
	if list := d.Plots(Page); len(list) > 0 {
		return list[0]
	}
	return nil
}

// Plots returns the charts of the sections that a view shows, in reading order.
func (d *Document) Plots(in View) (list []*Plot) {
	for i := range d.Sections {
		for k := range d.Sections[i].Plots {
			if d.Sections[i].Shown(in) {
				list = append(list, &d.Sections[i].Plots[k])
			}
		}
	}
	return list
}
