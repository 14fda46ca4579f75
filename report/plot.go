package report

import (
	"slices"
	"time"

	"occudiff/ingest/unit"
)

// Plot is a chart as data. Exactly one of its chart types is set.
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
// The horizontal distance between runs is constant, regardless of the time
// between them, because a series is judged by runs and not by dates.
type TimeSeries struct {
	Points   []TimePoint // oldest first
	Segments []Segment
	// Threshold is the value that the newest point was compared with, if any.
	Threshold unit.Opt[float64]
	Least     float64 // smallest height of the vertical axis, 0 to use only the values
	Large     bool    // the first chart of a page
	Y         string  // name of the quantity
}

// TimePoint is one run.
type TimePoint struct {
	Time  time.Time
	Value float64
	Name  string // description in the tooltip
	Bad   bool   // the run is the first bad run of an open regression, or comes after it
}

// Segment is a part of the series: the points from From to To (excluding To),
// and their mean.
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
	XStep  float64   // distance between the axis numbers; doubled until they fit, 0 for round numbers
	XAlone []float64 // the only axis numbers, if no values between them exist; otherwise nil
	Series []LineSeries
}

// LineSeries is a list of points in the order of the horizontal axis. A point
// with a NaN as Y is a gap.
type LineSeries struct {
	Name   string
	Style  LineStyle
	Points []Point
}

// LineStyle determines how a series is drawn.
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

// Marks returns the number of values that a mark needs: 0 if no row has a mark,
// 1 if all marks are single values, and 2 if any mark is a range.
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

// leastShown is the smallest value at which a part of a bar is visible.
const leastShown = 0.5

// Shows reports whether the part is visible in any bar. A legend with a part
// that is in no bar would make people search for it.
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

// Each returns each bar of a row as a row with only that bar.
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

// Share is the size of one part of a bar. A part with an unknown size has no
// Share. A negative Value is drawn without width.
type Share struct {
	Part  int // index in Parts
	Value float64
}

// Charts returns the charts that are visible when a page opens: all charts of
// the open sections, the bars of the summary, or the first chart of a section.
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
