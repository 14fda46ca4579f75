// Package trend judges how a number moves over time: the gate says whether the newest point is worse than the ones
// before it, change points say where a series settled on a new level, and a backtest says how often the gate would
// have alarmed. It works on plain points. It does not know kernels, occupancy, drivers or databases: a series that
// must not be mixed with another (another device, another driver) has to arrive as a series of its own.
//
// The gate keeps a budget for a whole check, not for a series, since a team reads checks. What was tried and left:
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
// docs/gate.md has the derivation and the figures.
package trend

import (
	"fmt"
	"math"
	"time"
)

// Point is one run of a series. Series are in the order of time; a run without the value is left out, not zero.
type Point struct {
	Time  time.Time
	Value float64
	// Run is the place of the run among those of all series that are judged together; it rises along a series.
	Run int
	// Begin is set where a new baseline begins, since the level from here on was accepted.
	Begin bool
	// Closed is, of the last point of a series, the place of a later run with which what was open of it was accepted; 0 for
	// none.
	Closed int
	// Earlier is set for a run of the series that this one goes on from, where that is among those that are judged
	// together: it counts as one run there, and as what this series is held against here.
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
