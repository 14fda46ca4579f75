// Package track judges the runs in a history. It compares the newest run of
// each series with the earlier runs, finds change points, and replays the gate
// over the stored runs. The comparison uses trend's gate, for all series of a
// check together. The package also reports facts beyond the numbers: a changed
// device, driver, or launch size, an ended series, a missing kernel, or a wrong
// clock. FromResult selects which values of a compared run are stored.
//
// A Series is one kernel of a program, with one launch size, on one device with
// one driver. If a launch is shorter than the sampling interval, its value
// includes other kernels. Such values are left out: they are not judged and not
// part of a baseline. If the newest run has such a value, it is shown, but not
// judged.
//
// If the driver or launch size of a kernel changes, its series continues and is
// judged by the earlier runs, with times scaled to the same number of
// work-items. The previous series is its predecessor. The rule is in
// restart.go, and applies to checks and reports. On another device, a new
// series begins.
//
// The run that was added last is judged, whatever its date is. The rule for the
// order of a series is in judge.go.
//
// The package does not depend on the verdicts of a comparison, on layout, or on
// how a history is stored.
package track

import (
	"fmt"
	"math"
	"strings"
	"time"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// Metric is a tracked quantity and the gate that judges its newest value.
type Metric struct {
	history.Metric
	Gate trend.Gate
	// From is the file that sets the threshold, or "".
	From string
	// Times is set if the gate also fails for a longer time per launch.
	Times bool
}

// Settings changes how a metric is judged. The zero value changes nothing.
type Settings struct {
	Direction string            // direction in which the metric becomes worse
	Threshold unit.Opt[float64] // smallest drop to report, in points, or in percent of the median for times
	Window    unit.Opt[int]
	// Thresholds contains thresholds from a file, by metric. They apply if
	// Threshold is absent.
	Thresholds map[string]float64
	File       string
}

// NewMetric returns the metric with a name, and a gate that fits its unit:
// absolute for percentages and points, relative for times. For example,
// "measured,seconds" judges both metrics under one budget.
func NewMetric(name string, s Settings) (Metric, error) {
	if of, first := strings.CutPrefix(name, "seconds,"); first {
		name = of + ",seconds"
	}
	name, times := strings.CutSuffix(name, ",seconds")
	id, err := history.ParseMetric(name)
	if err != nil {
		return Metric{}, err
	}
	if times && (id.Exact() || id.Unit() == "s") {
		return Metric{}, fmt.Errorf("metric %q: two metrics are an occupancy and seconds, as in measured,seconds",
			name+",seconds")
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
	if times { // the metric and the times share one budget
		g.Budget /= 2
	}
	floor, given := s.Threshold.Value()
	configured, ok := s.Thresholds[name]
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

// Threshold returns the value for Settings.Threshold that results in a gate
// with this floor. It is rounded up to four decimals, because a run has to
// exceed it.
func (m Metric) Threshold(floor float64) float64 {
	if m.Gate.Relative {
		floor *= 100
	}
	return math.Ceil(floor*1e4-1e-6) / 1e4
}

// Unmeasurable is the outcome if the newest value of a series includes other
// kernels.
const Unmeasurable trend.Outcome = "unmeasurable"

// Faster is the outcome for a series that would be an alarm or a regression,
// but whose launches take at least 10% less time than before.
const Faster trend.Outcome = "faster at lower occupancy"

// OpenOnBase is the outcome for a series in a run of a branch if all of its
// open findings began on the base branch.
const OpenOnBase trend.Outcome = "open on the base branch"

// Slower is the outcome for a series whose launches take longer while the
// metric has not changed.
const Slower trend.Outcome = "slower at the same occupancy"

// Ref identifies a run.
type Ref struct {
	Run           int64
	Time          time.Time
	Commit, Label string
	Branch        string
}

// Series is one kernel of a program over time, with one launch size, on one
// device with one driver.
type Series struct {
	Key    history.Key
	Points []history.Point // points except LeftOut, in judging order
	// LeftOut contains earlier values that include other kernels.
	LeftOut []history.Point
	// ByAdding is set if the runs are in the order of adding, instead of the
	// order of their dates.
	ByAdding bool
	Found    []trend.ChangePoint // change points, for JSON

	Gate     trend.Verdict    // verdict on the newest point
	Accepted []history.Accept // accepted levels, at which a new baseline begins
	Findings []trend.Finding  // all findings in the judged runs, open or closed
	Open     []Open           // open findings
	// FirstBad is the first bad run of the open findings, and LastGood is the
	// run before it. Both are nil without a finding.
	FirstBad, LastGood *Ref
	AlsoChanged        []MetricChange
	Changed            []Change // changes in the first bad run
	// Restart is the change of the launch size with which the series continues
	// another one, or nil if there was none in the last runs.
	Restart *Change
	// Ended is set if the last runs on its device all lack the series.
	Ended bool
	// Unmeasurable is set if the newest value includes other kernels. It is
	// shown, but not judged.
	Unmeasurable bool
	// Absent is set if the checked run has no value for the series. The verdict
	// then belongs to the last run that has a value.
	Absent bool
	// Branch is the branch of the checked run, or "" for the base branch.
	Branch string
	// OnBase is set if the checked run belongs to a branch and all open
	// findings began on the base branch.
	OnBase bool
	Shared *Shared // shared finding that covers all open findings of the series, or nil
	// Timing is the same kernel judged by its time per launch, or nil without
	// times.
	Timing *Series
	// Age is the number of runs after the first run under the series' own key.
	Age int

	times  bool    // the gate fails for a longer time per launch
	ids    []int64 // numbers in the history: the series itself, then its predecessors
	faster bool    // see the outcome Faster
}

// Judgment is the gate's result for the newest values of all series of a
// metric, in a check or a report.
type Judgment struct {
	Metric     Metric
	Where      string    // name of the history
	Series     []*Series // sorted in the order in which they were first stored
	Shared     []Shared
	Renumbered []Renumbered
	Clock      Clock
	Refs       map[int64]Ref // runs by number
	Checked    []Ref         // the checked runs in the order of adding; empty in a report
	Alarms     bool          // the gate fails for alarms, too
	NeverFails bool          // the gate never fails
	// MissingKernels are kernels that earlier runs have and the checked run
	// lacks. If FailMissing is set, the gate fails if they are significant.
	MissingKernels []MissingKernel
	FailMissing    bool
}

// Open is an open finding with its runs. LastGood is nil if the series starts
// with the finding.
type Open struct {
	trend.Finding
	FirstBad Ref
	LastGood *Ref
	Shared   bool     // the finding is part of a finding that many series share
	Changed  []Change // changes in the first bad run
}

// take sets the points of a series. It leaves out values that include other
// kernels, except the newest value.
func (t *Series) take(points []history.Point, m Metric) {
	// A sampled counter includes other kernels if the kernel is shorter than
	// the sampling interval.
	counter := m.Unit() != "s" && !m.Exact()
	for i := range points {
		t.Unmeasurable = counter && points[i].Verdict == string(compare.Unmeasurable)
		if t.Unmeasurable && i < len(points)-1 {
			t.LeftOut = append(t.LeftOut, points[i])
		} else {
			t.Points = append(t.Points, points[i])
		}
	}
}

// judged sets the gate's verdict and the findings.
func (t *Series) judged(j trend.Judged, runs map[int64]Ref) {
	t.Gate, t.Findings = j.Verdict, j.Findings
	for _, f := range t.Gate.Open {
		t.Open = append(t.Open, Open{Finding: f, FirstBad: *t.Ref(f.First, runs), LastGood: t.before(f.First, runs)})
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
		t.FirstBad, t.LastGood = t.Ref(first, runs), t.before(first, runs)
	}
}

// before returns the last run before a point, or nil. The points of a branch
// follow those of its base, and the base may have later runs.
func (t *Series) before(first int, runs map[int64]Ref) *Ref {
	bad := t.Points[first]
	for i := first - 1; i >= 0; i-- {
		if p := t.Points[i]; p.Run < bad.Run || p.Time.Before(bad.Time) {
			return t.Ref(i, runs)
		}
	}
	return nil
}

// Ref returns the run of a point. If the run was added after the runs were
// read, only its number and date are known.
func (t *Series) Ref(i int, runs map[int64]Ref) *Ref {
	p := t.Points[i]
	if known, ok := runs[p.Run]; ok {
		return &known
	}
	return &Ref{Run: p.Run, Time: p.Time}
}

// Outcome returns the verdict on the newest point.
func (t *Series) Outcome() trend.Outcome {
	switch {
	case t.Unmeasurable && len(t.Gate.Open) == 0: // open findings stay open, even if the newest value cannot be judged
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

// IsSlower reports whether the launches take longer while the metric has not
// changed.
func (t *Series) IsSlower() bool {
	return t.Gate.Outcome == trend.OK && t.Timing != nil && t.Timing.Outcome() == trend.Regression
}

// Severity is the urgency with which a series needs attention. All severities
// before SeverityOK need it.
type Severity int

// The severities, the most urgent first.
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

// Severity returns the urgency with which the series needs attention.
func (t *Series) Severity() Severity {
	switch o := t.Outcome(); {
	case o == Unmeasurable:
		return SeverityUnmeasurable
	case t.Ended:
		return SeverityEnded
	case (o == trend.OK || o == trend.Learning) && t.Restarted():
		return SeverityRestarted
	default:
		return map[trend.Outcome]Severity{trend.Regression: SeverityRegression, trend.Alarm: SeverityAlarm,
			Faster: SeverityFaster, Slower: SeveritySlower, OpenOnBase: SeverityOnBase, trend.OK: SeverityOK,
			trend.Learning: SeverityLearning}[o]
	}
}

// NeedsAttention reports whether a user should look at the series.
func (t *Series) NeedsAttention() bool { return t.Severity() < SeverityOK }

// Restarted reports whether the launch size changed in the last runs, without a
// finding.
func (t *Series) Restarted() bool {
	return t.Restart != nil && !t.Unmeasurable && (t.Gate.Outcome == trend.Learning || t.Gate.Outcome == trend.OK)
}

// recentRuns is the number of runs during which a change is reported.
const recentRuns = 8

// Since returns the effect of another launch size: the median of the runs with
// it minus the median of the earlier runs.
func (t *Series) Since() float64 {
	before, after := t.sides(t.Gate.Window)
	return median(after) - median(before)
}

// median returns the median of the points' values, or 0 if there are none.
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

// Off returns the distance of the newest value from the median.
func (t *Series) Off() float64 { return t.Gate.Value - t.Gate.Median.Or(t.Gate.Value) }

// Bad reports whether the newest point is beyond its threshold, confirmed or
// not.
func (t *Series) Bad() bool {
	o := t.Outcome()
	return o == trend.Regression || o == trend.Alarm
}

// Newest returns the last point.
func (t *Series) Newest() history.Point { return t.Points[len(t.Points)-1] }

// Own returns the points for statistics: all points except a newest point that
// is shown but not judged.
func (t *Series) Own() []history.Point {
	if t.Unmeasurable {
		return t.Points[:len(t.Points)-1]
	}
	return t.Points
}
