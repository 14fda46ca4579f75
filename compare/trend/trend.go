// Package trend judges how a number moves over time: the gate says whether the newest point is worse than the ones
// before it, change points say where a series settled on a new level, and a backtest says how often the gate would have
// alarmed. It works on plain points. It does not know kernels, occupancy, drivers or databases: a series that must not
// be mixed with another (another device, another driver) has to arrive as a series of its own.
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
