package compare

import (
	"fmt"

	"occudiff/ingest/unit"
)

// averaged says over how many stacks of all adapters the profiler averaged a row's counters, and how many of those worked,
// where a summary counts them. A row that names its adapter, or whose counters were read around each launch, is of one adapter.
func (r *Result) averaged(row *Row) (stacks int, worked unit.Opt[int]) {
	stacks = r.Platform.Stacks.Or(1)
	if row.Device != "" || row.PerLaunch {
		return stacks, worked
	}
	return stacks * r.Platform.Adapters.Or(1), r.Platform.BusyStacks
}

// AveragedGPUs is how many of the device the profiler averaged over; where nothing says how many stacks an adapter has, it
// is one of the device.
func (r *Result) AveragedGPUs(row *Row) int {
	tiles := max(r.Device.Tiles, 1)
	stacks, _ := r.averaged(row)
	if !r.Platform.Stacks.Present() {
		stacks *= tiles
	}
	return max(stacks/tiles, 1)
}

// WorkedGPUs is how many of those worked at once, as far as anything says so: all of them where nothing does.
func (r *Result) WorkedGPUs(row *Row) int {
	if r.workedShare(row) == 1 {
		return r.AveragedGPUs(row)
	}
	_, worked := r.averaged(row)
	tiles := max(r.Device.Tiles, 1)
	return (worked.Or(0) + tiles - 1) / tiles
}

// workedShare is the part of the averaged stacks that worked, where a summary counts them and the row's own figures do not
// contradict that; else 1. What the others add to a row is nothing but idle time.
func (r *Result) workedShare(row *Row) unit.Ratio {
	stacks, counted := r.averaged(row)
	worked, ok := counted.Value()
	if !ok || worked < 1 || worked >= stacks {
		return 1
	}
	share := unit.Ratio(worked) / unit.Ratio(stacks)
	if row.Measured.Or(0)/share > atMost || (1-row.Idle.Or(1))/share > atMost {
		return 1
	}
	return share
}

// own gives the measured occupancy and the idle share of the stacks that worked. Occupancy while loaded is the same with
// and without the others.
func (r *Result) own(row *Row) (measured unit.Ratio, idle unit.Opt[unit.Ratio]) {
	share := r.workedShare(row)
	measured, idle = min(row.Measured.Or(0)/share, 1), row.Idle
	if i, ok := idle.Value(); ok {
		idle = unit.Some(max(1-(1-i)/share, 0))
	}
	return measured, idle
}

// ownText says what own gives, empty where it is the row's.
func (r *Result) ownText(row *Row) string {
	if r.workedShare(row) == 1 {
		return ""
	}
	stacks, worked := r.averaged(row)
	m, idle := r.own(row)
	text := fmt.Sprintf("The profiler averages over %d adapters or stacks, and %d of them worked: %.1f %% is %.1f %% of those",
		stacks, worked.Or(0), row.Measured.Or(0).Percent(), m.Percent())
	if i, ok := idle.Value(); ok {
		text += fmt.Sprintf(", which were idle %.1f %% of the time", i.Percent())
	}
	return text + ". "
}

// ofBusy turns an average over n stacks into one over those that worked, and says whether that is possible: beyond 100 % by
// more than printing and sampling it is not.
func ofBusy(average unit.Ratio, busy, n int) (own unit.Ratio, possible bool) {
	own = average * unit.Ratio(n) / unit.Ratio(busy)
	return min(own, 1), own <= atMost
}

func (r *Result) adapters(row *Row) *Cause {
	n, counted := r.averaged(row)
	ref, name, ok := reference(row)
	if row.Predicted != nil {
		ref, name = row.Predicted.Average, "predicted average"
	}
	m, measured := row.Measured.Value()
	if n < 2 || !ok || !measured {
		return nil
	}
	first, last := 1, n-1
	worked, known := counted.Value()
	if known {
		first, last = max(worked, 1), min(worked, n-1)
	}
	for busy := first; busy <= last; busy++ {
		v, possible := ofBusy(m, busy, n)
		if !possible || abs(v.Minus(ref)) > r.Options.Tolerance+digit {
			continue
		}
		c, which := &Cause{Name: CauseAdapters, Confidence: "medium"}, "; if %d of them worked,"
		if known {
			c.Confidence, which = "high", ", and %d of them worked:"
		}
		c.Because = fmt.Sprintf("The profiler averages over %d adapters or stacks"+which+" %.1f %% is %.1f %% of those, which fits the %s of %.1f %%. Collect with -knob target-gpu.",
			n, busy, m.Percent(), v.Percent(), name, ref.Percent())
		return c
	}
	return nil
}

// idleAdapters explains a measured value that has nothing to be held against, when the summary says itself that some of
// the adapters it is the average of did not work.
func (r *Result) idleAdapters(row *Row) *Cause {
	n, counted := r.averaged(row)
	worked, known := counted.Value()
	m, measured := row.Measured.Value()
	if !measured || !known || worked < 1 || worked >= n {
		return nil
	}
	v, possible := ofBusy(m, worked, n)
	if !possible {
		return nil
	}
	return &Cause{Name: CauseAdapters, Confidence: "high", Because: fmt.Sprintf(
		"The profiler averages over %d adapters or stacks, and %d of them worked: %.1f %% is %.1f %% of those. Collect with -knob target-gpu.",
		n, worked, m.Percent(), v.Percent())}
}
