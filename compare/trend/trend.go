// Package trend judges how a number changes over time. The gate reports whether
// the newest point is worse than the earlier points. Change points mark where a
// series moved to a new level. A backtest counts how often the gate would have
// failed. The package works on plain points. It does not depend on kernels,
// occupancy, drivers, or databases. Points that must not be mixed, for example
// points of two devices, have to be in separate series.
//
// The gate has one budget for a whole check and not one for each series,
// because a team reads checks. docs/design/gate-rule.md has the derivation, the
// simulations, and the rejected designs.
package trend

import (
	"fmt"
	"math"
	"slices"

	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// Point is one run in a series. Series are in time order. A run without the
// value has no point, because a missing value is not zero.
type Point struct {
	Value float64
	// Run is the place of the run among the runs of all series that are judged
	// together. It increases along a series.
	Run int
	// Restart is set if a new baseline begins with this run, because the run's
	// level was accepted.
	Restart bool
	// Noise is set if the bad runs up to this run were accepted as noise of the
	// series. The previous level then continues.
	Noise bool
	// Closed is the place of a later run with which the open findings were
	// accepted. It is set in the last point of a series. 0 means that they were
	// not accepted.
	Closed int
}

// checkValues returns an error for values that are not finite.
func checkValues(values []float64) error {
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("point %d of the series is %v, which is not a measurement; leave runs without a value "+
				"out", i, v)
		}
	}
	return nil
}

func valuesOf(points []Point) []float64 {
	values := make([]float64, len(points))
	for i, p := range points {
		values[i] = p.Value
	}
	return values
}

// Direction is the direction that is worse.
type Direction string

// The directions.
const (
	Down Direction = "down" // lower is worse: occupancy, residual
	Up   Direction = "up"   // higher is worse: seconds
)

// Gate is the rule that decides which series regressed in a check.
// docs/design/gate-rule.md derives the rule. Use PointsGate, RelativeGate, or
// ExactGate, because the zero value is rejected.
type Gate struct {
	Budget   float64 // share of checks that may open a finding without a cause; one budget for all series
	Window   int     // number of earlier runs in a baseline
	Learning int     // smallest number of earlier runs needed to judge a series
	Floor    float64 // largest shift that is not a finding, in the unit of the values
	// Relative makes Floor a share of the baseline, and compares ratios. It is
	// not set for percentages, which are compared in points: a drop from 40% to
	// 38% is 2 points, not 5%.
	Relative bool
	// Exact is set for values without noise. Each value is compared with the
	// best value of the baseline.
	Exact     bool
	Direction Direction
}

// PointsGate returns the gate for percentages and their differences, in points;
// lower is worse.
func PointsGate() Gate {
	return Gate{Budget: 0.01, Window: 40, Learning: 3, Floor: 1, Direction: Down}
}

// ExactGate returns the gate for values that are known without a measurement.
func ExactGate() Gate {
	return Gate{Budget: 0.01, Window: 40, Learning: 1, Floor: 0.1, Exact: true, Direction: Down}
}

// RelativeGate returns the gate for times; higher is worse.
func RelativeGate() Gate {
	return Gate{Budget: 0.01, Window: 40, Learning: 3, Floor: 0.02, Relative: true, Direction: Up}
}

// Validate returns an error that states which setting is wrong and which values
// are possible.
func (g Gate) Validate() error {
	switch {
	case g.Window < leastWindow || g.Window > mostWindow:
		return fmt.Errorf("a gate over the last %d runs is not possible; use %d to %d (40 is the default)", g.Window,
			leastWindow, mostWindow)
	case !(g.Floor >= 0) || math.IsInf(g.Floor, 0):
		return fmt.Errorf("a gate with a floor of %v is not possible; use 0 or more (1 point or 0.02 of the baseline "+
			"are the defaults)", g.Floor)
	case !slices.Contains([]Direction{Down, Up}, g.Direction):
		return fmt.Errorf("direction %q is not known; use down (lower is worse) or up (higher is worse)", g.Direction)
	}
	return nil
}

// Limits of Gate.Window.
const leastWindow, mostWindow = 8, 1000

// Outcome is the result of the gate for a series.
type Outcome string

// The outcomes.
const (
	Learning   Outcome = "learning"   // too few earlier runs to judge
	OK         Outcome = "ok"         // no finding is open
	Alarm      Outcome = "alarm"      // one run is farther off than noise explains, but it may be an outlier
	Regression Outcome = "regression" // a drop that persists until the kernel recovers or its level is accepted
)

// Finding is a drop that persists. Its indices refer to the points of the
// series.
type Finding struct {
	First  int // the first bad run
	Opened int // the run that opened the finding
	Closed int // the run that recovered, or the first run of an accepted baseline; -1 if the finding is open
	Level  float64
	Spread float64 // standard deviation of the earlier runs; for times, a share of the level
	Shift  float64 // change from Level, in the unit of the values; negative if they fell
	P      float64 // probability of such a window in one series without a real change
}

// Verdict is the gate's result for the newest run of a series, with the numbers
// that led to it.
type Verdict struct {
	Outcome Outcome
	Index   int // index of the run in the series
	Value   float64
	N       int // number of runs in the baseline
	Window  int // largest possible N
	// Baseline statistics. They are absent while learning and while the
	// baseline has no run. Median is the level of the baseline. MAD is the MAD
	// of a normal distribution with the gate's spread, which is shrunk toward
	// the spreads of the other series. Threshold is the value beyond which the
	// runs of the shortest window are a finding.
	Median, MAD, Threshold unit.Opt[float64]
	Consecutive            int       // number of runs since the first bad run; 0 if no finding is open
	Open                   []Finding // oldest first; each is a drop from the level of the finding before it
	// Suspect is set if noise causes such a newest run in at most 5 of 100
	// checks, so that the run is worth measuring again.
	Suspect bool
}

// rounding is the tolerance when a shift is compared with a limit. In binary,
// 62.7 - 60.7 is slightly more than 2, but a shift of 2 points does not exceed
// a limit of 2.
const rounding = 1e-9

// worse returns a value on the scale on which it is judged. On this scale,
// larger is worse, and for relative gates, differences are logarithms of
// ratios.
func (g Gate) worse(value float64) float64 {
	if g.Relative {
		value = math.Log(max(value, math.SmallestNonzeroFloat64))
	}
	if g.Direction == Up {
		return value
	}
	return -value
}

// value converts a number on the scale that worse returns back to the original
// value.
func (g Gate) value(worse float64) float64 {
	if g.Direction != Up {
		worse = -worse
	}
	if g.Relative {
		return math.Exp(worse)
	}
	return worse
}

// floor returns the smallest shift to report, on the scale of worse.
func (g Gate) floor() float64 {
	if g.Relative {
		return math.Log1p(g.Floor)
	}
	return g.Floor
}

// finest returns the smallest spread that printed values can show, which
// follows from their one decimal.
func (g Gate) finest() float64 {
	if g.Relative {
		return 0.0005
	}
	return 0.05
}

// leastSpread returns the smallest spread that the gate uses. It is not 0,
// because values that were equal for weeks still differ on another host or day.
func (g Gate) leastSpread() float64 {
	if g.Relative {
		return 0.003
	}
	return 0.3
}

// firstPrior returns the assumed spread for kernels with few runs. It has the
// weight of 6 runs.
func (g Gate) firstPrior() stat.Prior {
	spread := 1.5
	if g.Relative {
		spread = 0.03
	}
	return stat.PriorOf(stat.Variance{Value: spread * spread, Freedom: 6})
}
