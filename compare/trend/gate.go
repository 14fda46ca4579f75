package trend

import (
	"fmt"
	"math"
	"slices"
	"time"

	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// Direction says which way is worse.
type Direction string

// The directions.
const (
	Down Direction = "down" // lower is worse: occupancy, residual
	Up   Direction = "up"   // higher is worse: seconds
	Both Direction = "both" // any move is worth a word
)

// Gate compares the newest run with the ones before it. Use PointsGate or RelativeGate: the zero value is refused.
type Gate struct {
	Window   int     // earlier runs that are looked at
	Learning int     // with fewer earlier runs than this there is no alarm, however few of them the window looks at
	MADs     float64 // an alarm is this many median absolute deviations off the median
	Floor    float64 // and at least this much, so that a series without noise does not alarm at the last digit
	// Relative makes Floor a share of the median. Without it Floor is in the unit of the values: percentage points
	// for percentages. A drop from 40 % to 38 % is 2 points, not 5 %.
	Relative  bool
	Direction Direction
}

// PointsGate is for percentages and differences of them, in points: median - max(4 MAD, 2 points) of the last 20 runs,
// from 8 runs on, and lower is worse. One run is no baseline: against the previous run and a fixed 2 % there are 7 to
// 23 false alarms per 100 runs, with this rule at most one.
func PointsGate() Gate {
	return Gate{Window: 20, Learning: 8, MADs: 4, Floor: 2, Direction: Down}
}

// ExactGate is for what is known without a measurement and has no noise: one earlier run is a baseline, and a tenth is
// a change.
func ExactGate() Gate {
	return Gate{Window: 20, Learning: 1, MADs: 4, Floor: 0.1, Direction: Down}
}

// RelativeGate is for times: median + max(4 MAD, 2 % of the median), and higher is worse.
func RelativeGate() Gate {
	return Gate{Window: 20, Learning: 8, MADs: 4, Floor: 0.02, Relative: true, Direction: Up}
}

// Validate says what is wrong with the gate and what would be right.
func (g Gate) Validate() error {
	switch {
	case g.Window < 2:
		return fmt.Errorf("a gate over the last %d runs is not possible; use at least 2 (20 is the default)", g.Window)
	case g.Learning < 1:
		return fmt.Errorf("a gate that learns from %d runs is not possible; use at least 1 (8 is the default)",
			g.Learning)
	case !(g.MADs >= 0) || math.IsInf(g.MADs, 0):
		return fmt.Errorf("a gate at %v median absolute deviations is not possible; use 0 or more (4 is the default)",
			g.MADs)
	case !(g.Floor >= 0) || math.IsInf(g.Floor, 0):
		return fmt.Errorf("a gate with a floor of %v is not possible; use 0 or more (2 points or 0.02 of the median "+
			"are the defaults)", g.Floor)
	case g.Direction != Down && g.Direction != Up && g.Direction != Both:
		return fmt.Errorf("direction %q is not known; use down (lower is worse), up (higher is worse) or both",
			g.Direction)
	}
	return nil
}

// Memory is how many earlier runs decide what is said of one.
func (g Gate) Memory() int { return max(g.Window, g.Learning) }

// Outcome is the word of a verdict.
type Outcome string

// The outcomes.
const (
	Learning   Outcome = "learning"   // too few earlier runs to judge
	OK         Outcome = "ok"         // not beyond the threshold
	Alarm      Outcome = "alarm"      // beyond it, for the first time: one run may be an outlier
	Regression Outcome = "regression" // beyond it, as was the run before: confirmed
)

// Verdict is what the gate says of a run, with the figures that it came from.
type Verdict struct {
	Outcome Outcome
	Index   int // of the run in the series
	Time    time.Time
	Value   float64
	N       int // earlier runs that were looked at
	Window  int // the most that would have been
	// Of the earlier runs; absent without any. The threshold is also absent while learning.
	Median, MAD, Threshold unit.Opt[float64]
	InARow                 int // runs beyond their thresholds up to this one, 0 when this one is not
}

// Check judges the newest run. A series without any run is learning.
func (g Gate) Check(points []Point) (Verdict, error) {
	return g.Judge(points, len(points)-1)
}

// Judge judges run i as the gate would have done when it was the newest: it does not look at later runs.
func (g Gate) Judge(points []Point, i int) (Verdict, error) {
	if err := g.Validate(); err != nil {
		return Verdict{}, err
	}
	if len(points) == 0 {
		return Verdict{Outcome: Learning, Index: -1, Window: g.Window}, nil
	}
	if i < 0 || i >= len(points) {
		return Verdict{}, fmt.Errorf("there is no run %d in a series of %d; runs count from 0", i, len(points))
	}
	if err := checkPoints(points[:i+1]); err != nil {
		return Verdict{}, err
	}
	l := g.look(points, i)
	v := l.verdict(g)
	for k := i - 1; l.beyond != 0 && k >= 0 && g.look(points, k).beyond == l.beyond; k-- {
		v.InARow++
	}
	if v.InARow > 1 {
		v.Outcome = Regression
	}
	return v, nil
}

// look is one run against the ones before it, without regard to whether the run before was beyond its threshold too.
type look struct {
	index       int
	point       Point
	n           int
	median, mad float64
	limit       float64 // distance from the median that is tolerated
	off         float64 // signed distance towards worse; for Both from the median, whichever side
	side        float64 // -1 when the run lies below its median, else 1
	beyond      float64 // side, when off is beyond the limit; else 0
	learning    bool
}

// rounding is tolerated on top of a limit: 62.7 - 60.7 is a little more than 2 in binary, and 2 points are not more
// than 2.
const rounding = 1e-9

// look compares run i with the ones before it.
func (g Gate) look(points []Point, i int) look {
	var b baseline
	for _, p := range points[max(0, i-g.Window):i] {
		b = append(b, p.Value)
	}
	slices.Sort(b)
	return g.against(b, points, i)
}

// baseline holds the values of the earlier runs, sorted.
type baseline []float64

// step moves the baseline of run i on to that of run i+1.
func (b *baseline) step(g Gate, points []Point, i int) {
	if old := i - g.Window; old >= 0 {
		at, _ := slices.BinarySearch(*b, points[old].Value)
		*b = slices.Delete(*b, at, at+1)
	}
	at, _ := slices.BinarySearch(*b, points[i].Value)
	*b = slices.Insert(*b, at, points[i].Value)
}

// against compares run i with its baseline.
func (g Gate) against(b baseline, points []Point, i int) look {
	l := look{index: i, point: points[i], n: len(b), learning: i < g.Learning}
	var ok bool
	if l.median, l.mad, ok = stat.MedianMADSorted(b); !ok {
		l.learning = true
		return l
	}
	l.limit = max(g.MADs*l.mad, g.floor(l.median))
	d := l.point.Value - l.median
	l.side = math.Copysign(1, d)
	switch {
	case g.Direction == Both:
		l.off = math.Abs(d)
	case g.Direction == Down:
		l.off, l.side = -d, -1
	default:
		l.off, l.side = d, 1
	}
	if !l.learning && l.off-l.limit > rounding*max(math.Abs(l.median), l.limit) {
		l.beyond = l.side
	}
	return l
}

// floor gives the floor in the unit of the values.
func (g Gate) floor(median float64) float64 {
	if g.Relative {
		return g.Floor * math.Abs(median)
	}
	return g.Floor
}

// verdict puts a look into words.
func (l look) verdict(g Gate) Verdict {
	v := Verdict{Outcome: OK, Index: l.index, Time: l.point.Time, Value: l.point.Value, N: l.n, Window: g.Window}
	if l.n > 0 {
		v.Median, v.MAD = unit.Some(l.median), unit.Some(l.mad)
	}
	switch {
	case l.learning:
		v.Outcome = Learning
		return v
	case l.beyond != 0:
		v.Outcome, v.InARow = Alarm, 1
	}
	v.Threshold = unit.Some(l.median + l.side*l.limit)
	return v
}
