package diff

import (
	"occudiff/compare"
	"occudiff/ingest/unit"
)

const (
	// timeDiffers is how far launch times may be apart before measured occupancies are of different launches.
	// shortLaunchTimes and untestedTimes multiply the threshold of a diff: where a launch is below a sampling interval
	// the occupancy of XVEs that ran moved by 5.6 to 6.2 points between runs of one program, and measured occupancy by
	// up to 2.6 between two of one day.
	timeDiffers                  = 0.1
	shortLaunchTimes unit.Points = 3
	untestedTimes    unit.Points = 2
)

// Proven says whether a regression was told from noise. A gate fails on no other.
func (r *Row) Proven() bool {
	return r.Verdict == Regression && (r.loaded().Significant.Or(false) || r.Measured().Significant.Or(false))
}

// judge gives the verdict by the rules that stand with the verdicts.
func (d *Result) judge(row *Row) Verdict {
	other := launchChanged(row.Changes) || d.otherDevice
	switch {
	case row.New == nil:
		return OnlyOld
	case row.Old == nil:
		return OnlyNew
	case !row.IsKernel:
		return NotAKernel
	case !row.Measured().Change.Present():
		return NotComparable
	case d.moved(row, other, (*Delta).fell, (*Delta).rose):
		if !other && row.quicker() && row.time().Significant.Or(false) {
			return Faster
		}
		return Regression
	case d.moved(row, other, (*Delta).rose, (*Delta).fell), !other && row.quicker() &&
		row.Measured().rose(d.measuredFloor(row)):
		return Improvement
	case launchChanged(row.Changes):
		return ChangedLaunch
	case d.otherDevice:
		return ChangedDevice
	case row.faster():
		return Faster
	case !row.comparable():
		return NotComparable
	}
	return Unchanged
}

// moved says whether occupancy moved one way: that of XVEs that ran where both sides tell it and the measured one does
// not move the other way, and the measured one where it is comparable. With another launch the residual has to have
// moved as well.
func (d *Result) moved(row *Row, other bool, way, back func(*Delta, unit.Points) bool) bool {
	limit, floor := d.loadedLimit(row), d.measuredFloor(row)
	// Two figures that move opposite ways say that something else changed.
	if way(row.loaded(), limit) && !back(row.Measured(), floor) && (!other || way(row.Delta(compare.MetricLoadedResidual), limit)) {
		return true
	}
	// Where the figure of XVEs that ran is there and did not move, the measured one of another launch proves nothing.
	if !other && (row.faster() || !row.comparable()) || other && row.loaded().Change.Present() {
		return false
	}
	return way(row.Measured(), floor) && (!other || way(row.Delta(compare.MetricResidual), floor))
}

// loadedLimit is the change of occupancy of XVEs that ran that counts.
func (d *Result) loadedLimit(row *Row) unit.Points {
	for _, l := range []*Launch{row.Old, row.New} {
		// How long launches were is not known: then they are taken for short, which is the careful choice.
		if n, ok := l.Intervals.Value(); !l.Exact && (!ok || n < 1) {
			return shortLaunchTimes * d.Options.Threshold
		}
	}
	return d.Options.Threshold
}

// measuredFloor is the change of measured occupancy that counts where it is comparable.
func (d *Result) measuredFloor(row *Row) unit.Points {
	if row.Measured().P.Present() || row.Old.Exact && row.New.Exact {
		return d.Options.Threshold
	}
	return untestedTimes * d.Options.Threshold
}

// quicker says whether launches became faster.
func (r *Row) quicker() bool {
	x, ok := r.time().Ratio.Value()
	return ok && x < 1-timeDiffers && !r.time().Insignificant()
}

// faster says whether launches became faster while less was measured.
func (r *Row) faster() bool { return r.quicker() && r.Measured().fell(0) }

// comparable says whether nothing speaks against comparing measured occupancies.
func (r *Row) comparable() bool {
	if r.Old.Exact && r.New.Exact {
		return true
	}
	if x, ok := r.time().Ratio.Value(); ok && (x > 1+timeDiffers || x < 1-timeDiffers) {
		return false
	}
	return r.Old.Crosstalk.Or(0) <= compare.CrosstalkMedium && r.New.Crosstalk.Or(0) <= compare.CrosstalkMedium
}
