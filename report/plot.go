package report

import (
	"slices"
	"time"

	"occudiff/ingest/unit"
)

// Plot is a chart as data. Exactly one of the kinds is set.
type Plot struct {
	Key, Title string
	Unit       string
	Max        float64 // top of the axis; 0 if the renderer chooses
	Text       string  // the chart's content in a sentence

	LineChart  *LineChart
	TimeSeries *TimeSeries
	Bars       *StackedBars
}

// Point is a pair of coordinates.
type Point struct{ X, Y float64 }

// TimeSeries is a value over time, split into segments at its change points.
// Runs are next to each other in their order, regardless of the time between
// them, because series are judged by runs.
type TimeSeries struct {
	Points   []TimePoint // oldest first
	Segments []Segment
	// Threshold is the value that the newest point was compared with, if any.
	Threshold unit.Opt[float64]
	Least     float64 // smallest height of the vertical axis, 0 to use only the values
	Large     bool    // the first chart of a page
}

// TimePoint is one run.
type TimePoint struct {
	Time  time.Time
	Value float64
	Name  string // description in the tooltip
	Bad   bool   // at or after the first bad run of an open regression
}

// Segment is the points From to To, without To, and their mean.
type Segment struct {
	From, To int
	Mean     float64
	Name     string // name of the change at its start; empty for the first
	Status   Status // status of that change; Plain for the first
}

// LineChart is a list of series over one horizontal axis: the points of a
// sweep, or values over time.
type LineChart struct {
	X, Y   string    // axis titles; Y without its unit
	XStep  float64   // distance between the numbers of the horizontal axis; doubled until they fit, 0 for round numbers
	XAlone []float64 // the only numbers of the horizontal axis, if no values are between them; otherwise nil
	Series []LineSeries
}

// LineSeries is a list of points in the order of the horizontal axis. A point
// with a NaN as Y is a gap.
type LineSeries struct {
	Name   string
	Style  LineStyle
	Points []Point
}

// LineStyle is the way to draw a series.
type LineStyle uint8

// The styles.
const (
	Straight LineStyle = iota // lines between points
	Steps                     // each value remains until the next point
	Marks                     // points without lines
)

// StackedBars is a bar for each row. The parts of a bar follow one another on an
// axis from 0 to 100%.
type StackedBars struct {
	Parts []string // in the order of the bar; no other element of a chart has their colors
	Mark  string   // name of the marks; empty without any
	Rows  []StackedRow
}

// Marks returns the number of ends of the marks: 0 without marks, 1 for values,
// 2 for ranges.
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

// HasOld reports whether any row has bars of two runs.
func (b *StackedBars) HasOld() bool {
	return slices.ContainsFunc(b.Rows, func(r StackedRow) bool { return len(r.Before) > 0 })
}

// leastShown is the smallest value of a visible part of a bar.
const leastShown = 0.5

// Shows reports whether any bar shows a part. A legend entry that no bar has
// would make people search for it.
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
	Before []Share           // bar of the old run, drawn above; nil without one
	Mark   unit.Opt[float64] // value to compare the bar with
	MarkTo unit.Opt[float64] // other end of a range that begins at Mark
}

// Each returns the bars of a row, each as its own row.
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

// Share is the part of a row that a category takes. An unknown part has no
// share. A negative share takes no room.
type Share struct {
	Part  int // index in Parts
	Value float64
}

// Charts returns the charts that a page opens with: all charts of an open
// section, the bars of the summary, or the first chart of a section.
func (d *Document) Charts() []*Plot {
	open := Document{Sections: slices.Clone(d.Sections)}
	open.Sections = slices.DeleteFunc(open.Sections, func(s Section) bool { return !s.Open })
	if list := open.Plots(Page); len(list) > 0 {
		return list
	}
	if s := d.Summary; s != nil && s.Bars != nil {
		return []*Plot{{Key: "bars", Title: "Thread-slot breakdown", Text: s.Headline, Unit: "%", Max: 100,
			Bars: s.Bars}}
	}
	list := d.Plots(Page)
	return list[:min(len(list), 1)]
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
