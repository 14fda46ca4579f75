package trackdoc

import (
	"math"
	"strings"
	"time"

	"occudiff/report"

	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// TrackMetric is what is followed over time. Its name is one of measured, residual, loaded and seconds.
type TrackMetric struct {
	Name string
	Unit string // of the values: "%", "points" or "s"
	Gate trend.Gate
}

// TrackedRun is a stored run with its provenance; empty texts are not known.
type TrackedRun struct {
	ID                        int64
	Time                      time.Time
	Label, Device, Driver     string
	Host, Job, VTune, Commit  string
	Kernels                   int
	Inputs                    []report.InputValue
	Stored                    bool   // false when the content was stored before
	TimeFrom                  string // what the time was taken from, when it is not the collection's
	Unmeasurable, NotMeasured int    // kernels without a value of their own; only of a run that was just added
}

// TrackedPoint is one run of a series.
type TrackedPoint struct {
	Run   int64
	Time  time.Time
	Value float64 // in the metric's unit
}

// Tracked is one kernel, with its launch shape, on one device with one driver, over time.
type Tracked struct {
	Name, Device, Driver string
	Task, Shape          string         // the name in its parts: Fan2, 2048x2048 / 1024x1, SIMD32
	Points               []TrackedPoint // oldest first
	// LeftOut are earlier runs that are not judged, since the kernel was too short for the sampling interval, oldest first: of
	// a check those among the runs that it looks at.
	LeftOut []TrackedPoint
	Changes []trend.ChangePoint
	Gate    trend.Verdict // of the newest point
	// Begins says what changed where the series begins, when an earlier series of the kernel ends there; nil otherwise.
	Begins *TrackedBegin
	// Ended is set when the kernel went on, on another device or driver or in another launch shape, and this series did not, or
	// when none of the last runs on its device has it: its verdict is of the past.
	Ended bool
	// Unmeasurable is set when the newest value is not the kernel's own: it is too short for the sampling interval. Such
	// values are shown and not judged.
	Unmeasurable bool
	Against      string // what validate says of the newest run: "below: dispatch"; empty when it matches or is not known
}

// TrackedBegin is a series' predecessor on another device or driver, or with another launch shape.
type TrackedBegin struct {
	What           []string // "device", "driver", LaunchShape
	Device, Driver string   // of the predecessor
	Shape          string   // its launch shape, when that is what changed
	Run            int64    // its last run before the series begins
	Time           time.Time
}

// LaunchShape is what changed when a kernel runs on in another shape.
const LaunchShape = "launch shape"

// age is how many runs came after the first one of the series.
func (t *Tracked) age() int { return t.Gate.Index + len(t.LeftOut) }

// newest gives the last point, false when there is none.
func (t *Tracked) newest() (TrackedPoint, bool) {
	if len(t.Points) == 0 {
		return TrackedPoint{}, false
	}
	return t.Points[len(t.Points)-1], true
}

// The words of a verdict beside those of the gate.
const wordUnmeasurable = "unmeasurable"

// word is the verdict of a series in one word.
func (t *Tracked) word() string {
	if t.Unmeasurable {
		return wordUnmeasurable
	}
	return string(t.Gate.Outcome)
}

// finding is the verdict with what stands in its way: "learning: driver changed here".
func (t *Tracked) finding() string {
	switch {
	case t.Ended:
		return t.word() + ", ended"
	case t.Begins == nil || t.Unmeasurable || t.Gate.Outcome != trend.Learning:
		return t.word()
	}
	where := " changed here"
	if n := t.age(); n > 0 {
		where = " changed " + report.Counted(n, "run", "runs") + " ago"
	}
	return t.word() + ": " + strings.Join(t.Begins.What, " and ") + where
}

// text says from what to what: "driver 24.1 -> 25.2".
func (b *TrackedBegin) text(t *Tracked) string {
	var words []string
	for _, what := range b.What {
		old, now := b.Driver, t.Driver
		switch what {
		case "device":
			old, now = b.Device, t.Device
		case LaunchShape:
			old, now = b.Shape, t.Shape
		}
		words = append(words, what+" "+report.OneLine(old)+" -> "+report.OneLine(now))
	}
	return strings.Join(words, ", ")
}

// status is the colour of the verdict; what is of the past has none.
func (t *Tracked) status() report.Status {
	if t.Ended {
		return report.Muted
	}
	return outcomeStatus(t.word())
}

func outcomeStatus(word string) report.Status {
	switch word {
	case string(trend.Regression):
		return report.Bad
	case string(trend.Alarm), wordUnmeasurable:
		return report.Unsure
	case string(trend.OK):
		return report.Good
	}
	return report.Muted
}

func outcomeWords() []report.Word {
	var words []report.Word
	for _, w := range []string{string(trend.Regression), string(trend.Alarm), string(trend.OK), string(trend.Learning), wordUnmeasurable} {
		words = append(words, report.Word{Text: w, Status: outcomeStatus(w)})
	}
	return words
}

// severity orders verdicts for people: what needs attention first.
func (t *Tracked) severity() int {
	switch {
	case t.Unmeasurable:
		return 6
	case t.Ended:
		return 5
	case t.Gate.Outcome == trend.Regression:
		return 0
	case t.Gate.Outcome == trend.Alarm:
		return 1
	case t.Begins != nil && t.Gate.Outcome == trend.Learning:
		return 2
	case t.Gate.Outcome == trend.OK:
		return 3
	}
	return 4
}

// off is how far the newest point lies from the median towards worse, in the metric's unit.
func (m *TrackMetric) off(t *Tracked) float64 {
	median, ok := t.Gate.Median.Value()
	if !ok {
		return 0
	}
	return m.worse(t.Gate.Value - median)
}

// worse turns a difference so that what is worse is above zero.
func (m *TrackMetric) worse(d float64) float64 {
	switch m.Gate.Direction {
	case trend.Down:
		return -d
	case trend.Both:
		return math.Abs(d)
	}
	return d
}

// title is the metric in words.
func (m *TrackMetric) title() string {
	switch m.Name {
	case "residual":
		return "Residual (measured - predicted average)"
	case "loaded":
		return "Occupancy while loaded"
	case "seconds":
		return "Time per launch"
	}
	return "Measured occupancy"
}

// paper is the unit that people read: times of launches are microseconds.
func (m *TrackMetric) paper() string {
	if m.Unit == "s" {
		return "us"
	}
	return m.Unit
}

// scale turns a value into the unit that people read.
func (m *TrackMetric) scale() float64 {
	if m.Unit == "s" {
		return 1e6
	}
	return 1
}

// column is one of the metric's values.
func (m *TrackMetric) column(key, group, title string) report.Column {
	c := report.Column{Key: key, Group: group, Title: title, Unit: m.paper(), Kind: report.Number, Decimals: 1, In: report.Terminal | report.Page | report.Sheet}
	switch m.Unit {
	case "%":
		c.Kind = report.Percent
	case "points":
		c.Kind = report.Points
	}
	return c
}

// cell is a value in the unit that people read.
func (m *TrackMetric) cell(x float64) report.Cell {
	return report.NumCell(m.column("", "", "").Kind, x*m.scale())
}

func (m *TrackMetric) optCell(o unit.Opt[float64]) report.Cell {
	if x, ok := o.Value(); ok {
		return m.cell(x)
	}
	return report.Cell{}
}

// print is a value with its unit.
func (m *TrackMetric) print(x float64) string {
	c := m.column("", "", "")
	return c.Print(m.cell(x)) + " " + m.paper()
}

// difference is a signed distance with its unit: differences of percentages are points.
func (m *TrackMetric) difference(d float64) string {
	paper := m.paper()
	if paper == "%" {
		paper = "points"
	}
	return report.Signed(d*m.scale(), 1) + " " + paper
}

// rule says how the gate judges, in a sentence.
func (m *TrackMetric) rule() string {
	g := &m.Gate
	floor := report.Shortest(g.Floor) + " points"
	if g.Relative {
		floor = report.Shortest(g.Floor*100) + " % of the median"
	}
	sign, worse := "median - max", "lower is worse"
	switch g.Direction {
	case trend.Up:
		sign, worse = "median + max", "higher is worse"
	case trend.Both:
		sign, worse = "median +- max", "either way is worth a word"
	}
	return m.title() + " [" + m.paper() + "], " + worse + ". Threshold: " + sign + "(" + report.Shortest(g.MADs) + " MAD, " + floor + ") of the last " +
		report.Counted(g.Window, "run", "runs") + ", from " + report.Shortest(float64(g.Learning)) + " earlier runs on; two runs in a row beyond it are a regression."
}

// leftOutText says how many values were left out, nothing of none.
func leftOutText(n, series int) string {
	if n == 0 {
		return ""
	}
	was := "values of " + report.Counted(series, "series", "series") + " were"
	if n == 1 {
		was = "value was"
	}
	return " " + report.Thousands(int64(n)) + " " + was + " left out: too short for the sampling interval."
}

// when prints a time for people, to the minute.
func when(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") }
