package compare

import (
	"context"
	"fmt"
	"math"

	"occudiff/ingest/unit"
	"occudiff/predict/timeline"
)

// placement fits a launch that does not fill the GPU once and whose work-groups sit on few of the Xe-cores: policy
// partial gives occupancy and idle share together, which the prediction does not. It is how a Tiger Lake that ran 8
// work-groups of 40 threads, on 2 of 6 Xe-cores or on 3 with a barrier, is read.
func (f *finder) placement(p Part) bool {
	row, q := f.row, f.row.Predicted
	idle, known := f.row.ran()
	c := &row.Certainty
	n, timed := c.Intervals.Value()
	if !known || q == nil || q.Waves >= 1 || q.Groups < 2 || !c.Exact && (!timed || n < 1) {
		return false
	}
	within := &f.r.Options
	m, of := f.r.perBusyStack(row)
	idle = of.Or(idle)
	if within.within(q.Average.Minus(m)) || within.within(idle.Minus(row.XVEs.Low.Idle)) {
		return false
	}
	best, off := placed{}, unit.Points(math.Inf(1))
	for _, x := range f.placements() {
		// Which Xe-core ends last hangs on the times of its threads.
		x.idle = min(max(idle, x.least), x.idle)
		if d := max(abs(x.average.Minus(m)), abs(x.idle.Minus(idle))); within.within(d) && d < off {
			best, off = x, d
		}
	}
	if best.ports == 0 {
		return false
	}
	sure := medium
	if !c.Exact && n < refitIntervals || within.within((idle - c.Edges.Or(1)).Minus(row.XVEs.Low.Idle)) {
		sure = low // what lies between launches may be as much
	}
	holds := q.GroupsPerXeCore * int64(f.r.Device.XeCores)
	f.add(p, CausePlacement, sure, fmt.Sprintf("%d work-groups are fewer than the %d that the GPU holds at once, and placed unevenly "+
		"(policy partial, %s) they hold %.1f%% and leave %.1f%% of the XVEs idle: %.1f and %.1f%% were measured.", q.Groups, holds,
		unit.Plural(int64(best.ports), "port"), best.average.Percent(), best.idle.Percent(), m.Percent(), idle.Percent()), f.aTrace())
	return true
}

// placed is a launch under policy partial.
type placed struct {
	ports                int
	average, least, idle unit.Ratio // idle at least, and with threads that all live alike
}

// placements gives the launch of a row for each number of ports, with a barrier where it may have one. XVEs are idle where
// their Xe-core holds no thread.
func (f *finder) placements() (list []placed) {
	l := f.r.LaunchOf(f.row)
	for ; l.Barriers < 2; l.Barriers++ {
		for ports := 1; ports <= f.r.Device.XeCores; ports++ {
			r, err := timeline.Simulate(context.Background(), f.r.Device, &l, f.row.Predicted, ports)
			if err == nil && r.MostXeCores < 1 {
				list = append(list, placed{ports, r.Average, 1 - r.MostXeCores, 1 - r.XeCores})
			}
		}
	}
	return list
}
