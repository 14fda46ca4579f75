package compare

import (
	"fmt"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// averaged says over how many stacks of all adapters the profiler averaged a row's counters, and how many of those
// worked, where a summary counts them. A row that names its adapter, or whose counters were read around each launch, is
// of one adapter.
func (r *Result) averaged(row *Row) (stacks int, worked unit.Opt[int]) {
	stacks = r.Platform.Stacks.Or(1)
	if row.Device != "" || row.Reading != ingest.Sampled {
		return stacks, worked
	}
	return stacks * r.Platform.Adapters.Or(1), r.Platform.BusyStacks
}

// averagedGPUs is how many of the device the profiler averaged over; where nothing says how many stacks an adapter has,
// it is one of the device.
func (r *Result) averagedGPUs(row *Row) int {
	tiles := max(r.Device.Tiles, 1)
	stacks, _ := r.averaged(row)
	if !r.Platform.Stacks.Present() {
		stacks *= tiles
	}
	return max(stacks/tiles, 1)
}

// workedGPUs is how many of those worked at once, as far as anything says so: all of them where nothing does.
func (r *Result) workedGPUs(row *Row) int {
	if r.workedShare(row) == 1 {
		return r.averagedGPUs(row)
	}
	_, worked := r.averaged(row)
	tiles := max(r.Device.Tiles, 1)
	return (worked.Or(0) + tiles - 1) / tiles
}

// workedShare is the part of the averaged stacks that worked, where a summary counts them and the row's own figures do
// not contradict that; else 1. What the others add to a row is nothing but idle time.
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

// perBusyStack gives the measured occupancy and the idle share of the stacks that worked. Occupancy while loaded is the same
// with and without the others.
func (r *Result) perBusyStack(row *Row) (measured unit.Ratio, idle unit.Opt[unit.Ratio]) {
	share := r.workedShare(row)
	measured, idle = min(row.Measured.Or(0)/share, 1), row.Idle
	if i, ok := idle.Value(); ok {
		idle = unit.Some(max(1-(1-i)/share, 0))
	}
	return measured, idle
}

// ownText says what perBusyStack gives, empty where it is the row's.
func (r *Result) ownText(row *Row) string {
	if r.workedShare(row) == 1 {
		return ""
	}
	stacks, worked := r.averaged(row)
	m, idle := r.perBusyStack(row)
	text := fmt.Sprintf("The profiler averages over %d adapters or stacks, and %d worked: %.1f%% of all is %.1f%% of what worked",
		stacks, worked.Or(0), row.Measured.Or(0).Percent(), m.Percent())
	if i, ok := idle.Value(); ok {
		text += fmt.Sprintf(", idle %.1f%% of the time", i.Percent())
	}
	return text + ". "
}

// adapters explains a measured value by adapters or stacks that did not work: as the summary's own table counts them,
// else as a number of them fits the prediction or the idle share.
func (r *Result) adapters(row *Row) *Cause {
	n, counted := r.averaged(row)
	m, measured := row.Measured.Value()
	own := strings.TrimSpace(r.ownText(row))
	switch {
	case n < 2 || !measured || counted.Present() && own == "":
		return nil
	case counted.Present():
		return &Cause{Name: CauseAdapters, Confidence: high.String(), Because: own, Decide: targetGPU}
	}
	c := &Cause{Name: CauseAdapters, Confidence: min(medium, row.Certainty.limit()).String(), Decide: targetGPU}
	name := "profiler's peak"
	if row.Predicted != nil {
		name = "predicted average"
	}
	idle, known := row.Idle.Value()
	for busy := 1; busy < n && row.nearest(0) > 0; busy++ {
		all := fmt.Sprintf("The profiler averages over %d adapters or stacks; if %d worked, ", n, busy)
		read := m * unit.Ratio(n) / unit.Ratio(busy)
		v := min(read, 1)
		switch ref := row.nearest(v); {
		case read > atMost:
		case r.Options.within(v.Minus(ref)):
			c.Because = all + fmt.Sprintf("%.1f%% of all is %.1f%% of what worked, which fits the %s of %.1f%%.",
				m.Percent(), v.Percent(), name, ref.Percent())
			return c
		case known && abs(idle.Minus(1-unit.Ratio(busy)/unit.Ratio(n))) <= engineShare:
			c.Because = all + fmt.Sprintf("that leaves %.1f%% of the XVEs idle, and %.1f%% were.",
				100*float64(n-busy)/float64(n), idle.Percent())
			return c
		}
	}
	return nil
}

const targetGPU = "a collection with -knob target-gpu"
