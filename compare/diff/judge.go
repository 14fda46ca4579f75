package diff

import (
	"slices"

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

// setLimits says how far occupancies have to move to count: beyond the threshold where they were tested, and beyond what
// single runs differ by where they were not.
func (d *Result) setLimits(row *Row) {
	if row.Old == nil || row.New == nil {
		return
	}
	loaded, measured := d.Options.Threshold, untestedTimes*d.Options.Threshold
	for _, l := range []*Launch{row.Old, row.New} {
		// How long launches were is not known: then they are taken for short, which is the careful choice.
		if n, ok := l.Intervals.Value(); !l.Exact && (!ok || n < 1) {
			loaded = shortLaunchTimes * d.Options.Threshold
		}
	}
	if row.Measured().P.Present() || row.Old.Exact && row.New.Exact {
		measured = d.Options.Threshold
	}
	if !row.loaded().Significant.Present() {
		loaded = max(loaded, SingleRuns)
	}
	if !row.Measured().Significant.Present() {
		measured = max(measured, SingleRuns)
	}
	for i := range row.Deltas {
		switch x := &row.Deltas[i]; x.Metric {
		case compare.MetricLoaded, compare.MetricLoadedResidual:
			x.Limit = loaded
		case compare.MetricMeasured, compare.MetricResidual:
			x.Limit = measured
		}
	}
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
	tested := row.Measured().Significant.Present() || row.loaded().Significant.Present()
	way := row.Measured().Moved()
	switch {
	case row.moved(-1, other):
		if !other && row.quicker() && row.time().Significant.Or(false) {
			return Faster
		}
		return Regression
	case row.moved(1, other), !other && row.quicker() && way > 0:
		return Improvement
	case launchChanged(row.Changes):
		return ChangedLaunch
	case d.otherDevice:
		return ChangedDevice
	case row.faster() && (tested || way < 0):
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

// moved says whether occupancy moved one way, -1 for down: that of XVEs that ran where both sides tell it and the measured
// one does not move the other way, and the measured one where it is comparable. With another launch the residual has to
// have moved as well.
func (r *Row) moved(way int, other bool) bool {
	loaded, measured := r.loaded(), r.Measured()
	// Two figures that move opposite ways say that something else changed.
	if loaded.Moved() == way && measured.Moved() != -way && (!other || r.Delta(compare.MetricLoadedResidual).Moved() == way) {
		return true
	}
	// Where the figure of XVEs that ran is there and did not move, the measured one of another launch proves nothing.
	if !other && (r.faster() || !r.comparable()) || other && loaded.Change.Present() {
		return false
	}
	return measured.Moved() == way && (!other || r.Delta(compare.MetricResidual).Moved() == way)
}

// quicker says whether launches became faster.
func (r *Row) quicker() bool {
	x, ok := r.time().Ratio.Value()
	return ok && x < 1-timeDiffers && !r.time().Insignificant()
}

// faster says whether launches became faster while less was measured.
func (r *Row) faster() bool {
	m := r.Measured()
	return r.quicker() && m.Change.Or(0) < -float64(digit) && !m.Insignificant()
}

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

// worth says what more occupancy is worth to a kernel on the new side. Runs that disagree tell nothing.
func worth(r *Row) compare.Worth {
	untold := compare.Worth{Verdicts: []compare.WorthVerdict{compare.WorthUntold}}
	if !r.IsKernel || r.New == nil {
		return untold
	}
	list := r.samples[1].worth
	for _, x := range list {
		if !slices.Equal(x.Verdicts, list[0].Verdicts) {
			untold.Because = "its runs differ in it"
			return untold
		}
	}
	return list[0]
}
