package report

import "time"

// Cloud is points in groups of one colour each, around the diagonal on which both axes agree.
type Cloud struct {
	X, Y   string  // what the axes show, without the unit
	Band   float64 // how far from the diagonal still agrees
	Groups []Group
}

// Group is the points that have something in common.
type Group struct {
	Name   string
	Status Status
	Hue    int // the same number is the same colour in every report
	Points []Point
}

// Point is one thing with two values.
type Point struct {
	X, Y float64
	Name string
}

// Profile is a level that changes over time.
type Profile struct {
	X, Y   string
	Levels []Level
	Lines  []Line
}

// Level is a height that lasts for a width.
type Level struct {
	Width, Height float64
	Name          string
}

// Line is a height to hold the levels against.
type Line struct {
	Name   string
	Height float64
}

// PlotRows is how many kernels a plot shows: more bars than this cannot be told apart.
const PlotRows = 40

// Course is a value over time, with the levels that it settled on. Runs stand side by side in their order, whatever time lies
// between them: series are judged by runs.
type Course struct {
	Points []CoursePoint // oldest first
	Levels []CourseLevel
	// Threshold is what the newest point was held against, nil when there is none.
	Threshold *float64
	Large     bool // the one that a page begins with
}

// CoursePoint is one run.
type CoursePoint struct {
	Time  time.Time
	Value float64
	Name  string // what it is, for those who point at it
}

// CourseLevel is the mean of the points From to To, the last one excluded.
type CourseLevel struct {
	From, To int
	Mean     float64
	Name     string // what it is
	Status   Status // of the change that it begins with; Plain for the first
}

// Panel is a small picture of one course among others.
type Panel struct {
	Title, Detail string // what it is, and what tells it apart from others of the name
	Note          string // the newest value and the verdict
	Status        Status
	Link          string // key of the plot that shows it large; empty when there is none
	Course        *Course
}

// LineChart is series over one horizontal axis: the points of a sweep, or what changes over time.
type LineChart struct {
	X, Y   string  // titles of the axes; that of Y without its unit
	XStep  float64 // between the numbers of the horizontal axis; doubled until they fit, 0 for round numbers
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
