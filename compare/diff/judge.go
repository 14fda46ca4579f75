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

	// SingleRuns is how far single runs of one program lie apart at most, over days: with fewer runs than a test takes,
	// and without a history that knows the noise, a smaller change cannot be told from none.
	SingleRuns unit.Points = 9
	// mattering is the share of a side's time from which a kernel that the other side lacks is no trifle.
	mattering = 0.01
)

// Missing says whether one side alone has a kernel that takes a hundredth of its time or more, or nobody knows how much.
func (r *Row) Missing() bool {
	return r.IsKernel && (r.Old == nil || r.New == nil) && r.Share.Or(1) >= mattering
}

// Unexplained says whether a kernel's launch or device changed, and no prediction tells what that may change.
func (r *Row) Unexplained() bool {
	return (r.Verdict == ChangedLaunch || r.Verdict == ChangedDevice) && !r.Delta(compare.MetricResidual).Change.Present()
}

// limit is the change that counts: the floor where the delta was tested, and beyond what single runs differ by where it
// was not.
func (d *Delta) limit(floor unit.Points) unit.Points {
	if d.Significant.Present() {
		return floor
	}
	return max(floor, SingleRuns)
}

// judge gives the verdict by the rules that stand with the verdicts.
func (d *Result) judge(row *Row) Verdict {
	switch {
	case row.New == nil:
		return OnlyOld
	case row.Old == nil:
		return OnlyNew
	case !row.IsKernel:
		return NotAKernel
	case !row.Measured().Change.Present():
		return NotComparable
	}
	other := launchChanged(row.Changes) || d.otherDevice
	floor, tested := d.measuredFloor(row), row.Measured().Significant.Present() || row.loaded().Significant.Present()
	switch {
	case d.moved(row, other, (*Delta).fell, (*Delta).rose):
		if !other && row.quicker() && row.time().Significant.Or(false) {
			return Faster
		}
		return Regression
	case d.moved(row, other, (*Delta).rose, (*Delta).fell), !other && row.quicker() &&
		row.Measured().rose(floor):
		return Improvement
	case launchChanged(row.Changes):
		return ChangedLaunch
	case d.otherDevice:
		return ChangedDevice
	case row.faster() && (tested || row.Measured().fell(floor)):
		return Faster
	case !tested && row.quicker():
		return CannotTell
	case !row.comparable():
		return NotComparable
	case !tested:
		return CannotTell
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
			return row.loaded().limit(shortLaunchTimes * d.Options.Threshold)
		}
	}
	return row.loaded().limit(d.Options.Threshold)
}

// measuredFloor is the change of measured occupancy that counts where it is comparable.
func (d *Result) measuredFloor(row *Row) unit.Points {
	if row.Measured().P.Present() || row.Old.Exact && row.New.Exact {
		return row.Measured().limit(d.Options.Threshold)
	}
	return row.Measured().limit(untestedTimes * d.Options.Threshold)
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
