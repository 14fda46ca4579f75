package report

import (
	"iter"
	"slices"
	"time"
)

// Plot is a picture as data: one of the kinds is set. With a table, a workbook draws bars of its first Rows rows from its
// own cells.
type Plot struct {
	Key, Title string
	Table      string   // key of the table
	Label      string   // key of the column that names the rows
	Series     []string // keys of the columns that are drawn
	Rows       int
	Unit       string
	Max        float64 // top of the axis, 0 to leave it to the renderer
	Text       string  // what it shows, in a sentence
	Stacked    []Part  // what the series of a row are, where they follow one another in one bar

	LineChart   *LineChart
	TimeSeries  *TimeSeries
	StackedBars *StackedBars
	HeatMap     *HeatMap
}

// Point is one thing with two values.
type Point struct{ X, Y float64 }

// PlotRows is how many kernels a plot shows: more bars than this cannot be told apart.
const PlotRows = 40

// TimeSeries is a value over time, cut into segments at its change points. Runs stand side by side in their order,
// whatever time lies between them: series are judged by runs.
type TimeSeries struct {
	Points   []TimePoint // oldest first
	Segments []Segment
	// Threshold is what the newest point was held against, nil when there is none.
	Threshold *float64
	Large     bool // the one that a page begins with
}

// TimePoint is one run.
type TimePoint struct {
	Time  time.Time
	Value float64
	Name  string // what it is, for those who point at it
}

// Segment is the points From to To, the last one excluded, and their mean.
type Segment struct {
	From, To int
	Mean     float64
	Name     string // of the change that it begins with; empty for the first
	Status   Status // of that change; Plain for the first
}

// LineChart is series over one horizontal axis: the points of a sweep, or what changes over time.
type LineChart struct {
	X, Y   string    // titles of the axes; that of Y without its unit
	XStep  float64   // between the numbers of the horizontal axis; doubled until they fit, 0 for round numbers
	XAlone []float64 // the only numbers of the horizontal axis, where there is nothing between them; else nil
	Series []LineSeries
}

// LineSeries is points in the order of the horizontal axis. A point whose Y is NaN is a gap.
type LineSeries struct {
	Name   string
	Style  LineStyle
	Points []Point
}

// LineStyle says how a series is drawn.
type LineStyle uint8

// The styles.
const (
	Straight LineStyle = iota // from point to point
	Steps                     // each value holds until the next point
	Marks                     // points alone
)

// StackedBars is a bar for each row, made of parts of a whole that follow one another. Plot.Max is the whole.
type StackedBars struct {
	X     string // title of the axis, without the unit
	Parts []Part // in the order in which they stand
	Rows  []StackedRow
}

// leastShown is the value below which a part of a bar is not seen.
const leastShown = 0.5

// Shows says whether any bar shows a part: an entry of a legend that no bar has makes people search for it.
func (b *StackedBars) Shows(part int) bool {
	return slices.ContainsFunc(b.Rows, func(r StackedRow) bool {
		return slices.ContainsFunc(r.Shares, func(s Share) bool { return s.Part == part && s.Value >= leastShown })
	})
}

// Part is a kind of part: an entry of the legend. Its status gives its color, or its hue, from 1 on, one that nothing
// else has in any picture.
type Part struct {
	Name   string
	Status Status
	Hue    int
}

// StackedRow is one bar.
type StackedRow struct {
	Name, Detail string // what it is, and what tells it apart from others of the name
	Shares       []Share
}

// Share is how much of a row a part takes. A part that is not known has no share; a negative share takes no room.
type Share struct {
	Part  int // index of the part
	Value float64
}

// HeatMap is a value for each pair of a row and a column, shown as a color between that of 0 and that of Plot.Max.
type HeatMap struct {
	Columns []string
	Rows    []HeatRow
}

// HeatRow is the values of a row, one per column; NaN is no value.
type HeatRow struct {
	Name   string
	Values []float64
}

// Pictured says whether there is a picture; else a workbook alone has bars.
func (p Plot) Pictured() bool {
	return p.LineChart != nil || p.TimeSeries != nil || p.StackedBars != nil || p.HeatMap != nil
}

// Plots gives the pictures of the sections that a view shows, in reading order.
func (d *Document) Plots(in View) iter.Seq[*Plot] {
	return func(yield func(*Plot) bool) {
		for i := range d.Sections {
			s := &d.Sections[i]
			if !s.Shown(in) {
				continue
			}
			for k := range s.Plots {
				if s.Plots[k].Pictured() && !yield(&s.Plots[k]) {
					return
				}
			}
		}
	}
}

// CutNames makes names as short as labels in plots are, so that different ones stay different.
func CutNames(n int, name func(i int) *string) {
	names := make([]string, n)
	for i := range n {
		names[i] = *name(i)
	}
	for i, s := range CutApart(names, LabelWidth) {
		*name(i) = s
	}
}
