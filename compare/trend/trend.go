// Package trend judges how a number moves over time: the gate says whether the
// newest point is worse than the ones before it, change points say where a
// series settled on a new level, and a backtest says how often the gate would
// have alarmed. It works on plain points. It does not know kernels, occupancy,
// drivers or databases: a series that must not be mixed with another (another
// device, another driver) has to arrive as a series of its own.
//
// The gate keeps a budget for a whole check, not for a series, since a team
// reads checks. What was tried and left:
//
//   - A threshold of so many MADs from the median, and two runs beyond it in a row. With 200 kernels and a noise of
//     2 points 17 of 100 checks were red for nothing, with outliers 40, and a drop of 5 points was found in 4 of 10
//     cases.
//   - E-divisive with a t-test as the gate (MongoDB's and Otava's method). It finds what lasts, but it needs runs on
//     both sides of a change, so it is right for a report and late for a check: ChangePoints is for reports.
//   - Sums of distances, whose exact distribution the history's own tails gave. It held the budget, but what most
//     kernels shared was taken off all of them, so that the untouched ones were red, and nobody could explain it.
//   - Leaving out one or two runs of the longer windows: no more power, and more for nothing.
//   - Autocorrelation from the pairs that are there. With a dozen of them it comes out anywhere, and a drop that is
//     among them excuses itself.
//
// docs/design/gate-rule.md has the derivation and the simulations.
package trend

import (
	"fmt"
	"math"
	"time"

	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// Point is one run of a series. Series are in the order of time; a run without
// the value is left out, not zero.
type Point struct {
	Time  time.Time
	Value float64
	Host  string // empty if it is not known
	// Run is the place of the run among those of all series that are judged
	// together; it rises along a series.
	Run int
	// Restart is set where a new baseline begins, since the level from here on
	// was accepted.
	Restart bool
	// Noise is set if the bad runs up to this one were accepted as noise of the
	// series: the level before them stays.
	Noise bool
	// Closed is, of the last point of a series, the place of a later run with
	// which what was open of it was accepted; 0 for none.
	Closed int
	// Earlier is set for a run of the series that this one goes on from, where
	// that is among those that are judged together: it counts as one run there,
	// and as what this series is compared with here.
	Earlier bool
}

// checkPoints refuses what no statistic is defined for.
func checkPoints(points []Point) error {
	for i, p := range points {
		if math.IsNaN(p.Value) || math.IsInf(p.Value, 0) {
			return fmt.Errorf("point %d of the series is %v, which is not a measurement; leave runs without a value "+
				"out", i, p.Value)
		}
	}
	return nil
}

// Direction describes which way is worse.
type Direction string

// The directions.
const (
	Down Direction = "down" // lower is worse: occupancy, residual
	Up   Direction = "up"   // higher is worse: seconds
	Both Direction = "both" // any move is worth a word
)

// Gate describes for the series of a check which of them fell and stayed down.
// docs/design/gate-rule.md derives it. Use PointsGate, RelativeGate or ExactGate: the zero
// value is refused.
type Gate struct {
	Budget   float64 // share of checks that may open a finding for nothing, over all series together
	Window   int     // earlier runs that make a baseline
	Learning int     // with fewer runs than this nothing is judged
	Floor    float64 // a shift is a finding when it is larger than this, in the unit of the values
	// Relative makes Floor a share of the baseline, and judges ratios. Without
	// it percentages are in points: a drop from 40 % to 38 % is 2 points, not 5
	// %.
	Relative bool
	// Exact values have no noise: each is compared with the last good one.
	Exact     bool
	Direction Direction
}

// PointsGate is for percentages and differences of them, in points; lower is
// worse.
func PointsGate() Gate {
	return Gate{Budget: 0.01, Window: 40, Learning: 3, Floor: 1, Direction: Down}
}

// ExactGate is for what is known without a measurement.
func ExactGate() Gate {
	return Gate{Budget: 0.01, Window: 40, Learning: 1, Floor: 0.1, Exact: true, Direction: Down}
}

// RelativeGate is for times; higher is worse.
func RelativeGate() Gate {
	return Gate{Budget: 0.01, Window: 40, Learning: 3, Floor: 0.02, Relative: true, Direction: Up}
}

// Validate describes what is wrong with the gate and what would be right.
func (g Gate) Validate() error {
	switch {
	case g.Window < leastWindow || g.Window > mostWindow:
		return fmt.Errorf("a gate over the last %d runs is not possible; use %d to %d (40 is the default)", g.Window,
			leastWindow, mostWindow)
	case !(g.Floor >= 0) || math.IsInf(g.Floor, 0):
		return fmt.Errorf("a gate with a floor of %v is not possible; use 0 or more (1 point or 0.02 of the baseline "+
			"are the defaults)", g.Floor)
	case g.Direction != Down && g.Direction != Up && g.Direction != Both:
		return fmt.Errorf("direction %q is not known; use down (lower is worse), up (higher is worse) or both",
			g.Direction)
	}
	return nil
}

// Bounds of Gate.Window.
const leastWindow, mostWindow = 8, 1000

// Outcome is the word of a verdict.
type Outcome string

// The outcomes.
const (
	Learning   Outcome = "learning"   // too few earlier runs to judge
	OK         Outcome = "ok"         // nothing is open
	Alarm      Outcome = "alarm"      // one run farther off than any before: it may be an outlier
	Regression Outcome = "regression" // a drop that lasts, until it is recovered or accepted
)

// Finding is a drop that lasts. Indices are those of the series' points.
type Finding struct {
	First  int // the first bad run
	Opened int // the run that proved it
	Closed int // the run that proved that it is recovered, or with which another baseline was accepted; -1 while open
	Level  float64
	Spread float64 // standard deviation of the runs before; for times in shares of the level
	Shift  float64 // from Level, in the unit of the values; negative when they fell
	P      float64 // chance of it, for one window of one series
}

// Verdict is what the gate says of the newest run of a series, with the figures
// that it came from.
type Verdict struct {
	Outcome Outcome
	Index   int // of the run in the series
	Value   float64
	N       int // runs of the baseline
	Window  int // the most that would have been
	// Of the baseline; absent while learning and while it has no run, as of an
	// accepted one. Median is its level, MAD that of a normal distribution with
	// the spread that is judged by, which the other series had a say in.
	// Threshold is where the runs of the shortest window that can be a finding
	// would have to lie.
	Median, MAD, Threshold unit.Opt[float64]
	Consecutive            int       // runs since the first bad one, 0 when nothing is open
	Open                   []Finding // from the first one on, each a drop from the level of the one before
	// Suspect is set when the newest run is one that 5 checks in 100 have due
	// to noise: worth measuring again.
	Suspect bool
}

// rounding is tolerated on top of a limit: 62.7 - 60.7 is a little more than 2
// in binary, and 2 points are not more than 2.
const rounding = 1e-9

// worse turns a value into the scale on which it is judged: larger is worse,
// and for relative gates differences are logarithms of ratios.
func (g Gate) worse(value float64) float64 {
	if g.Relative {
		value = math.Log(max(value, math.SmallestNonzeroFloat64))
	}
	if g.Direction == Up {
		return value
	}
	return -value
}

// value turns it back.
func (g Gate) value(worse float64) float64 {
	if g.Direction != Up {
		worse = -worse
	}
	if g.Relative {
		return math.Exp(worse)
	}
	return worse
}

// floor returns the least shift on the scale of worse.
func (g Gate) floor() float64 {
	if g.Relative {
		return math.Log1p(g.Floor)
	}
	return g.Floor
}

// finest is the least spread that is believed: figures are printed with one
// digit.
func (g Gate) finest() float64 {
	if g.Relative {
		return 0.0005
	}
	return 0.05
}

// leastSpread is the least spread that the gate judges by: values that were the
// same for weeks differ on another host or day.
func (g Gate) leastSpread() float64 {
	if g.Relative {
		return 0.003
	}
	return 0.3
}

// firstPrior is the spread that is assumed of kernels with few runs. It counts
// as 6 runs.
func (g Gate) firstPrior() stat.Prior {
	spread := 1.5
	if g.Relative {
		spread = 0.03
	}
	return stat.PriorOf(stat.Variance{Value: spread * spread, Freedom: 6})
}
