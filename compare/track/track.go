// Package track judges what a history holds. It reads series, holds the newest run of each against the ones before it
// (trend's gate), finds change points, replays the gate over what is stored, and says what a number alone cannot:
// that a series begins because the device, the driver or the launch shape changed, that it is over, that a kernel is
// missing. It also says what of a compared run is stored (FromResult).
//
// A Series is one kernel with one launch shape on one device with one driver, as the history keeps it. Values that are
// not the kernel's own, since a launch is too short for the sampling interval, are read and left out: they are neither
// judged nor part of a baseline. Of the newest run such a value is shown, and not judged either.
//
// When a kernel goes on under another key, the series before it is its predecessor; begin.go has the one rule for that,
// for a single run that is checked and for a report over everything.
//
// It does not know how verdicts of a comparison come about, nor layout, nor how a history is stored.
package track

import (
	"fmt"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// Metric is what is followed over time, and how its newest value is judged.
type Metric struct {
	history.Metric
	Gate trend.Gate
}

// Settings change how a metric is judged. The zero value changes nothing.
type Settings struct {
	Direction string // which way is worse
	Threshold unit.Opt[float64]
	Window    unit.Opt[int]
}

// NewMetric reads a metric's name and gives it the gate of its unit: absolute for percentages and points, relative to
// the median for times, where Settings.Threshold is in percent of the median.
func NewMetric(name string, s Settings) (Metric, error) {
	id, err := history.ParseMetric(name)
	if err != nil {
		return Metric{}, fmt.Errorf("--metric: %w", err)
	}
	g := trend.PointsGate()
	if id == history.Seconds {
		g = trend.RelativeGate()
	}
	if s.Direction != "" {
		g.Direction = trend.Direction(s.Direction)
	}
	if floor, given := s.Threshold.Value(); given {
		g.Floor = floor
		if g.Relative {
			g.Floor /= 100
		}
	}
	g.Window = s.Window.Or(g.Window)
	return Metric{id, g}, g.Validate()
}

// sampled says whether the metric comes from a counter that is read once per interval. A value of a kernel that is too
// short for the interval shows other kernels then, and is left out. Time is no such counter.
func (m Metric) sampled() bool { return m.Metric != history.Seconds }

// leaveOut is the verdict of values that are left out, "" when none is.
func (m Metric) leaveOut() string {
	if m.sampled() {
		return string(compare.Unmeasurable)
	}
	return ""
}

// Unmeasurable is the outcome of a series whose newest value is not the kernel's own.
const Unmeasurable trend.Outcome = "unmeasurable"

// Series is one kernel, with its launch shape, on one device with one driver, over time.
type Series struct {
	Key    history.Key
	Points []history.Point // oldest first; all but LeftOut
	// LeftOut are earlier values that are not the kernel's own, oldest first. In a check they are those among the runs
	// that it looks at.
	LeftOut []history.Point
	Changes []trend.ChangePoint
	Gate    trend.Verdict // of the newest point
	// Begins says what changed where the series begins; nil when nothing is known to have.
	Begins *Begin
	// Ended is set when the kernel went on under another key, or when none of the last runs on its device has it: its
	// verdict is of the past.
	Ended bool
	// Unmeasurable is set when the newest value is not the kernel's own. It is shown and not judged.
	Unmeasurable bool
	// Against is what the comparison says of the newest run: "below: dispatch"; empty when it matches or is not known.
	Against string
}

// newSeries takes the points of a series and leaves out those with a verdict.
func newSeries(s history.Series, leaveOut string) *Series {
	t := &Series{Key: s.Key, Points: s.Points[:0]}
	for i, p := range s.Points {
		switch {
		case leaveOut == "" || p.Verdict != leaveOut:
			t.Points = append(t.Points, p)
		case i == len(s.Points)-1:
			t.Points = append(t.Points, p)
			t.Unmeasurable = true
		default:
			t.LeftOut = append(t.LeftOut, p)
		}
	}
	return t
}

// judge holds the newest point against the ones before it.
func (t *Series) judge(g trend.Gate) error {
	var err error
	if t.Gate, err = g.Check(trendPoints(t.Points)); err != nil {
		return fmt.Errorf("%s: %w", t.Key.Name(), err)
	}
	if t.Unmeasurable {
		t.Gate.InARow = 0
	}
	return nil
}

// Outcome is the verdict of the newest point.
func (t *Series) Outcome() trend.Outcome {
	if t.Unmeasurable {
		return Unmeasurable
	}
	return t.Gate.Outcome
}

// Newest gives the last point, false when there is none.
func (t *Series) Newest() (history.Point, bool) {
	if len(t.Points) == 0 {
		return history.Point{}, false
	}
	return t.Points[len(t.Points)-1], true
}

// Age is how many runs came after the first one of the series.
func (t *Series) Age() int { return t.Gate.Index + len(t.LeftOut) }

// Own gives the points that statistics may look at: not a newest one that is only shown.
func (t *Series) Own() []history.Point {
	if t.Unmeasurable {
		return t.Points[:len(t.Points)-1]
	}
	return t.Points
}

// trendPoints gives points as statistics want them.
func trendPoints(points []history.Point) []trend.Point {
	list := make([]trend.Point, len(points))
	for i, p := range points {
		list[i] = trend.Point{Time: p.Time, Value: p.Value}
	}
	return list
}

// addFindings says of series what the comparison found in the rows of their newest run.
func addFindings(rows []history.Row, list []*Series) {
	at := make(map[history.Key]*history.Row, len(rows))
	for i := range rows {
		at[rows[i].Key] = &rows[i]
	}
	for _, t := range list {
		row := at[t.Key]
		if row == nil || row.Verdict != string(compare.Below) && row.Verdict != string(compare.Above) {
			continue
		}
		t.Against = row.Verdict
		if row.Cause != "" {
			t.Against += ": " + row.Cause
		}
	}
}
