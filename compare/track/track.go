// Package track judges what a history holds. It reads series, holds the newest
// run of each against the ones before it (trend's gate, over all series of a
// check together), finds change points, replays the gate over what is stored,
// and says what a number alone cannot: that the device, the driver or the
// launch size changed, that a series is over, that a kernel is missing, that a
// clock was wrong. It also says what of a compared run is stored (FromResult).
//
// A Series is one kernel of one program with one launch size on one device with
// one driver, as the history keeps it. Values that are not the kernel's own,
// since a launch is too short for the sampling interval, are read and left out:
// they are neither judged nor part of a baseline. Of the newest run such a
// value is shown, and not judged either.
//
// When a kernel goes on under another key, the series before it is its
// predecessor; begin.go has the one rule for that, for a run that is checked
// and for a report over everything. A changed driver or launch size is no
// excuse: the series goes on, and is judged by the runs before, with times for
// as many work-items. Another device begins a new one.
//
// What was added last is judged, whatever its date; judge.go has the rule for
// the order of a series.
//
// It does not know how verdicts of a comparison come about, nor layout, nor how
// a history is stored.
package track

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// Metric is what is followed over time, and how its newest value is judged.
type Metric struct {
	history.Metric
	Gate trend.Gate
	// From is the file that the threshold is from; "" when it is from none.
	From string
	// Times is set if a longer time per launch fails, too.
	Times bool
}

// Settings change how a metric is judged. The zero value changes nothing.
type Settings struct {
	Direction string            // which way is worse
	Threshold unit.Opt[float64] // points, or for times percent of the median
	Window    unit.Opt[int]
	// Thresholds are those of a file by metric. They hold where Threshold is
	// absent.
	Thresholds map[string]float64
	File       string
}

// NewMetric reads a metric's name and gives it the gate of its unit: absolute
// for percentages and points, relative to the median for times.
func NewMetric(name string, s Settings) (Metric, error) {
	name, times := strings.CutSuffix(name, ",seconds")
	id, err := history.ParseMetric(name)
	if err != nil {
		return Metric{}, fmt.Errorf("--metric: %w", err)
	}
	if times && (id.Exact() || id.Unit() == "s") {
		return Metric{}, fmt.Errorf("--metric %s,seconds: two metrics are an occupancy and seconds, as in measured,seconds",
			name)
	}
	g := trend.PointsGate()
	switch {
	case id.Unit() == "s":
		g = trend.RelativeGate()
	case id.Exact():
		g = trend.ExactGate()
	}
	if id.IsWaste() {
		g.Direction = trend.Up
	}
	if s.Direction != "" {
		g.Direction = trend.Direction(s.Direction)
	}
	m := Metric{Metric: id, Times: times}
	if times { // one budget for both
		g.Budget /= 2
	}
	floor, given := s.Threshold.Value()
	configured, ok := s.Thresholds[name]
	if !ok && id == history.Occupancy {
		configured, ok = s.Thresholds[string(history.Measured)]
	}
	if ok && !given {
		floor, given, m.From = configured, true, s.File
	}
	if given {
		g.Floor = floor
		if g.Relative {
			g.Floor /= 100
		}
	}
	g.Window = s.Window.Or(g.Window)
	m.Gate = g
	return m, g.Validate()
}

// Threshold turns a floor of the gate into what Settings.Threshold takes,
// rounded up to four digits: a run has to exceed it.
func (m Metric) Threshold(floor float64) float64 {
	if m.Gate.Relative {
		floor *= 100
	}
	if !(floor > 0) {
		return 0
	}
	step := math.Pow(10, math.Floor(math.Log10(floor))-3)
	up := math.Ceil(floor/step-1e-9) * step
	short, _ := strconv.ParseFloat(strconv.FormatFloat(up, 'g', 4, 64), 64) // as it was printed, without its last bits
	return short
}

// Unmeasurable is the outcome of a series whose newest value is not the
// kernel's own.
const Unmeasurable trend.Outcome = "unmeasurable"

// Faster is the outcome of a series that would be an alarm or a regression, but
// for launches that take less time than before by more than a tenth. Fewer
// threads that hold more are a way to be fast.
const Faster trend.Outcome = "faster at lower occupancy"

// OpenOnBase is the outcome of a series of a branch's run whose open findings
// all began on the base branch: they are not the branch's.
const OpenOnBase trend.Outcome = "open on the base branch"

// Slower is the outcome of a series whose launches take longer although the
// metric is as before.
const Slower trend.Outcome = "slower at the same occupancy"

// Ref names a run.
type Ref struct {
	Run           int64
	Time          time.Time
	Commit, Label string
	Branch        string
}

// Series is one kernel of one program, with its launch size, on one device with
// one driver, over time.
type Series struct {
	Key history.Key
	// On is the metric that is judged: of Occupancy Loaded or Measured, and the
	// other one stands next to it.
	On     history.Metric
	Points []history.Point // all but LeftOut, in the order in which they are judged
	// LeftOut are earlier values that are not the kernel's own.
	LeftOut []history.Point
	// ByAdding is set when the runs are in the order in which they were added
	// and not in that of their dates.
	ByAdding bool
	Found    []trend.ChangePoint // for tools that read them

	Gate     trend.Verdict    // of the newest point
	Accepted []history.Accept // levels from which on a baseline begins
	Findings []trend.Finding  // all that the gate found in the runs that it looked at
	Open     []Open           // of these, what is open
	// FirstBad is the first bad run of what is open, LastGood the one before
	// it; nil when there is none.
	FirstBad, LastGood *Ref
	AlsoChanged        []MetricChange
	// Restart describes what changed where the series begins; nil when nothing
	// is known to have.
	Restart *Restart
	// Ended is set when the kernel went on under another key, or when none of
	// the last runs on its device has it: its verdict is of the past.
	Ended bool
	// Unmeasurable is set when the newest value is not the kernel's own. It is
	// shown and not judged.
	Unmeasurable bool
	// Absent is set when the run that is checked has no value of it. Its
	// verdict is that of its last run.
	Absent bool
	// OnBase is set when the checked run is of a branch and what is open began
	// on the base branch.
	OnBase bool
	Shared *Shared // the finding that all of it is part of; nil if it has findings of its own
	// Timing is the same kernel, judged by its time per launch; nil without times.
	Timing *Series
	// Age is how many runs came after the first one under its key.
	Age int

	own    map[int64]bool // the runs under its key
	times  bool           // a longer time per launch fails
	ids    []int64        // in the history: its own, and those of what is joined to it
	faster bool           // see Faster
}

// Judgment is what the gate says of the newest values of the series of a
// metric, in a check or a report.
type Judgment struct {
	Metric     Metric
	Where      string    // the history
	Series     []*Series // in the order in which they were first stored
	Shared     []Shared
	Renumbered []Renumbered
	Clock      Clock
	Refs       map[int64]Ref // the runs by their numbers
	Checked    []Ref         // the runs of a check, in the order in which they were added; none of a report
	Alarms     bool          // fail the gate, not only regressions
	NeverFails bool          // the gate fails on nothing
	// MissingKernels are kernels that the runs before a check had, FailMissing
	// fails the gate on those that mattered.
	MissingKernels []MissingKernel
	FailMissing    bool
}

// Open is a finding that is open, with its runs: LastGood is nil where the
// finding begins the series.
type Open struct {
	trend.Finding
	FirstBad Ref
	LastGood *Ref
	Shared   bool     // part of a finding of many series
	Changed  []Change // with the first bad run
}

// take takes the points of a series, and leaves out those that are not the
// kernel's own, but for the newest.
func (t *Series) take(points []history.Point, m Metric) {
	// A counter that is read once per interval shows other kernels where a
	// kernel is too short for it.
	counter := m.Unit() != "s" && !m.Exact()
	for i := range points {
		t.Unmeasurable = counter && points[i].Verdict == string(compare.Unmeasurable)
		if t.Unmeasurable && i < len(points)-1 {
			t.LeftOut = append(t.LeftOut, points[i])
		} else {
			t.Points = append(t.Points, points[i])
		}
	}
	t.choose(m)
}

// choose describes which occupancy counts: Loaded where all of the last runs
// have it. It does not change from run to run: a run without it makes Measured
// count until that is out of the window.
func (t *Series) choose(m Metric) {
	if m.Metric != history.Occupancy {
		return
	}
	t.On = history.Measured
	recent := t.Points[max(0, len(t.Points)-m.Gate.Window):]
	if slices.ContainsFunc(recent, func(p history.Point) bool { return !p.Companion.Present() }) {
		return
	}
	t.On = history.Busy
	t.Points = slices.DeleteFunc(t.Points, func(p history.Point) bool { return !p.Companion.Present() })
	for i := range t.Points {
		p := &t.Points[i]
		p.Value, p.Companion = p.Companion.Or(0), unit.Some(p.Value)
	}
}

// judged takes the verdict of the gate.
func (t *Series) judged(j trend.Judged, runs map[int64]Ref) {
	t.Gate, t.Findings = j.Verdict, j.Findings
	for _, f := range t.Gate.Open {
		o := Open{Finding: f, FirstBad: *t.Ref(f.First, runs)}
		if f.First > 0 {
			o.LastGood = t.Ref(f.First-1, runs)
		}
		t.Open = append(t.Open, o)
	}
	newest := len(t.Points) - 1
	if t.Unmeasurable && len(t.Gate.Open) == 0 {
		t.Gate.Index, t.Gate.Value = newest, t.Points[newest].Value
		t.Gate.N, t.Gate.Consecutive = min(t.Gate.N+1, t.Gate.Window), 0
		return
	}
	if t.Gate.Outcome == trend.Alarm {
		t.Gate.Consecutive = 1
	}
	if first := t.Gate.Index - t.Gate.Consecutive + 1; t.Gate.Consecutive > 0 {
		t.FirstBad = t.Ref(first, runs)
		if first > 0 {
			t.LastGood = t.Ref(first-1, runs)
		}
	}
}

// Ref names the run of a point. A run that was added after the runs were read
// is known by its number and date.
func (t *Series) Ref(i int, runs map[int64]Ref) *Ref {
	p := t.Points[i]
	if known, ok := runs[p.Run]; ok {
		return &known
	}
	return &Ref{Run: p.Run, Time: p.Time}
}

// Outcome is the verdict of the newest point.
func (t *Series) Outcome() trend.Outcome {
	switch {
	case t.Unmeasurable && len(t.Gate.Open) == 0: // what is open stays so
		return Unmeasurable
	case t.OnBase:
		return OpenOnBase
	case t.faster && t.Gate.Consecutive > 0:
		return Faster
	case t.IsSlower() && t.times:
		return trend.Regression
	case t.IsSlower():
		return Slower
	}
	return t.Gate.Outcome
}

// IsSlower reports whether the launches take longer although the metric is as
// before.
func (t *Series) IsSlower() bool {
	return t.Gate.Outcome == trend.OK && t.Timing != nil && t.Timing.Outcome() == trend.Regression
}

// Severity orders series by how much they need somebody to look. Those before SeverityOK do.
type Severity int

// The severities, in the order in which people want to see them.
const (
	SeverityRegression Severity = iota
	SeverityAlarm
	SeverityFaster
	SeveritySlower
	SeverityOnBase
	SeverityRestarted
	SeverityOK
	SeverityLearning
	SeverityEnded
	SeverityUnmeasurable
)

// Severity describes how much the series needs somebody to look.
func (t *Series) Severity() Severity {
	switch o := t.Outcome(); {
	case o == Unmeasurable:
		return SeverityUnmeasurable
	case t.Ended:
		return SeverityEnded
	case (o == trend.OK || o == trend.Learning) && t.Restarted():
		return SeverityRestarted
	default:
		return map[trend.Outcome]Severity{trend.Regression: SeverityRegression, trend.Alarm: SeverityAlarm, Faster: SeverityFaster,
			Slower: SeveritySlower, OpenOnBase: SeverityOnBase, trend.OK: SeverityOK, trend.Learning: SeverityLearning}[o]
	}
}

// NeedsAttention reports whether somebody should look.
func (t *Series) NeedsAttention() bool { return t.Severity() < SeverityOK }

// Restarted reports whether something changed where the series begins, and few
// runs or none tell yet what that did: it learns, or goes on from before.
func (t *Series) Restarted() bool {
	return t.Restart != nil && !t.Unmeasurable &&
		(t.Gate.Outcome == trend.Learning || t.Continues() && t.Age < RecentRuns && t.Gate.Outcome == trend.OK)
}

// RecentRuns is for how many runs a change is worth a word.
const RecentRuns = 8

// Continues reports whether what was before the change is part of the series.
func (t *Series) Continues() bool { return t.Age+1 < len(t.Points) }

// Since is how far the runs since the change lie off those before, in the
// median.
func (t *Series) Since() float64 {
	before, after := t.sides(t.Gate.Window)
	return median(after) - median(before)
}

// median is that of the values of points, 0 for none.
func median(points []history.Point) float64 {
	m, _ := stat.Median(valuesOf(points))
	return m
}

func valuesOf(points []history.Point) (values []float64) {
	for i := range points {
		values = append(values, points[i].Value)
	}
	return values
}

// Off is how far the newest value lies from the median.
func (t *Series) Off() float64 { return t.Gate.Value - t.Gate.Median.Or(t.Gate.Value) }

// Bad reports whether the newest point is beyond its threshold, confirmed or
// not.
func (t *Series) Bad() bool {
	o := t.Outcome()
	return o == trend.Regression || o == trend.Alarm
}

// Newest returns the last point.
func (t *Series) Newest() history.Point { return t.Points[len(t.Points)-1] }

// Own returns the points that statistics may look at: not a newest one that is
// only shown.
func (t *Series) Own() []history.Point {
	if t.Unmeasurable {
		return t.Points[:len(t.Points)-1]
	}
	return t.Points
}
