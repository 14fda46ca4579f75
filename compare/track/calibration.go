package track

import (
	"maps"
	"math"
	"slices"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/stat"
	"occudiff/ingest/unit"
)

// Calibration compares a group of runs with their predictions. The runs of a
// group have the same device, driver, and VTune version. An empty string means
// unknown. A difference is the measured value minus the nearest end of the
// predicted range, in percentage points.
type Calibration struct {
	Device, Driver, VTune string
	Runs, Kernels         int // numbers of runs and kernels with a difference
	Rows                  int // number of differences: one per run and kernel

	Median, P10, P90 unit.Points
	// KernelLow and KernelHigh are the 95% interval of the median over the
	// medians of the kernels. The sample consists of kernels and not of rows,
	// because the runs of a kernel only repeat its difference. Both are absent
	// with fewer than six kernels.
	KernelLow, KernelHigh unit.Opt[unit.Points]
	// Drift is the difference between the later and the earlier half of the
	// runs. Drift is absent if it does not exceed its noise. DriftP is absent
	// if there are too few runs for a test.
	Drift     unit.Opt[unit.Points]
	DriftP    unit.Opt[float64]
	Within    unit.Points           // largest difference among the nearest 90% of the rows
	Tolerance unit.Opt[unit.Points] // the suggested --tolerance

	LeftOut map[string]int // numbers of rows that are left out, by reason
}

const (
	// LeastCalibrated is the smallest number of rows for a suggested tolerance.
	// With 30 differences, the largest is above the 90th percentile in 95% of
	// all samples.
	LeastCalibrated = 30
	// LeastCalibratedKernels is the smallest number of kernels for a suggested
	// tolerance and for a bias. With six values, their median has a 95%
	// interval.
	LeastCalibratedKernels = 6
	// MostTolerance is the largest suggested tolerance, which is three times
	// the default. With a larger tolerance, a kernel that loses that much would
	// match.
	MostTolerance = 15
	// mostDriftP is the largest p at which a drift is reported. Two halves need
	// at least five runs each to reach it.
	mostDriftP = 0.01
	// LeastDriftRuns is the smallest number of runs for a drift.
	LeastDriftRuns = 10
)

// The values that Bias returns.
const (
	BiasUndetermined = "undetermined"
	BiasWithinNoise  = "within noise"
	BiasBelow        = "below"
	BiasAbove        = "above"
)

// Bias returns whether most kernels measure above or below their prediction. It
// is empty unless the interval excludes zero.
func (c *Calibration) Bias() string {
	low, known := c.KernelLow.Value()
	switch high := c.KernelHigh.Or(0); {
	case !known:
		return BiasUndetermined
	case high < 0:
		return BiasBelow
	case low > 0:
		return BiasAbove
	}
	return BiasWithinNoise
}

// group contains a calibration's differences.
type group struct {
	Calibration
	rows    []float64
	kernels [][]difference
}

// difference is the difference of a row. run is the place of its run in the
// panel.
type difference struct {
	place int
	value float64
}

// calibrations returns the groups of a panel that have a difference, sorted by
// their first kernel and run.
func calibrations(p *history.Panel) []Calibration {
	var groups []*group
	at := map[[3]string]*group{}
	for i := range p.Kernels {
		k := &p.Kernels[i]
		own := map[*group][]difference{}
		for in, o := range k.In {
			key := [3]string{k.Key.Device, k.Key.Driver, p.Runs[o.Place].VTune}
			g := at[key]
			if g == nil {
				g = &group{Calibration: Calibration{Device: key[0], Driver: key[1], VTune: key[2],
					LeftOut: map[string]int{}}}
				at[key], groups = g, append(groups, g)
			}
			d, ok := k.Value(in, history.Difference).Value()
			switch compare.Verdict(o.Verdict) {
			case compare.Unmeasurable, compare.Possible, compare.NoMeasurement, compare.NoPrediction:
				g.LeftOut[o.Verdict]++
				continue
			}
			if !ok {
				g.LeftOut["without a difference"]++
				continue
			}
			own[g] = append(own[g], difference{o.Place, d})
			g.rows = append(g.rows, d)
		}
		for g, list := range own {
			g.kernels = append(g.kernels, list)
		}
	}
	var list []Calibration
	for _, g := range groups {
		if len(g.rows) > 0 {
			g.summarize()
			list = append(list, g.Calibration)
		}
	}
	return list
}

// summarize sets the statistics of a group.
func (g *group) summarize() {
	var medians []float64
	byRun := map[int][]float64{} // without each kernel's level, so that another mix of kernels is not a drift
	for _, k := range g.kernels {
		values := make([]float64, len(k))
		for i, d := range k {
			values[i] = d.value
		}
		level, _ := stat.Median(values)
		medians = append(medians, level)
		for _, d := range k {
			byRun[d.place] = append(byRun[d.place], d.value-level)
		}
	}
	slices.Sort(g.rows)
	absolute := make([]float64, len(g.rows))
	for i, d := range g.rows {
		absolute[i] = math.Abs(d)
	}
	slices.Sort(absolute)
	g.Runs, g.Kernels, g.Rows = len(byRun), len(g.kernels), len(g.rows)
	middle, _ := stat.Median(g.rows)
	g.Median, g.P10, g.P90 = unit.Points(middle), quantile(g.rows, 0.1), quantile(g.rows, 0.9)
	g.Within = quantile(absolute, 0.9)
	if interval, ok := stat.MedianInterval(medians, 0.95); ok {
		g.KernelLow, g.KernelHigh = unit.Some(unit.Points(interval.Low)), unit.Some(unit.Points(interval.High))
	}
	up := unit.Points(math.Ceil(float64(g.Within)*10-1e-9) / 10) // rounded up as it is printed
	g.Tolerance = unit.Maybe(up,
		g.Rows >= LeastCalibrated && g.Kernels >= LeastCalibratedKernels && up <= MostTolerance)
	g.drift(byRun)
}

// quantile returns the smallest of the sorted values that at least the given
// share of all values does not exceed.
func quantile(sorted []float64, share float64) unit.Points {
	return unit.Points(sorted[max(0, int(math.Ceil(share*float64(len(sorted))-1e-9))-1)])
}

// drift compares the run medians in the later half with the run medians in the
// earlier half.
func (g *group) drift(byRun map[int][]float64) {
	if len(byRun) < LeastDriftRuns {
		return
	}
	var runs []float64
	for _, place := range slices.Sorted(maps.Keys(byRun)) {
		median, _ := stat.Median(byRun[place])
		runs = append(runs, median)
	}
	earlier, later := runs[:len(runs)/2], runs[len(runs)/2:]
	test, ok := stat.MannWhitney(earlier, later)
	before, _ := stat.Median(earlier)
	after, _ := stat.Median(later)
	g.DriftP = unit.Maybe(test.P, ok)
	g.Drift = unit.Maybe(unit.Points(after-before), ok && test.P <= mostDriftP)
}
