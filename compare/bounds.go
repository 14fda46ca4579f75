package compare

import (
	"fmt"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// kernelTimes is the time of the kernels that were measured: in all, and times what is told of each.
type kernelTimes struct {
	all, idle, measured, reach unit.Seconds
	pipe, memory               unit.Seconds // of the busiest pipe; GB of memory, as far as kernels have them
	unsampled                  bool         // there are kernels of which no sample is: what they held is in those of others
}

// add takes a kernel with the most that it reaches.
func (t *kernelTimes) add(k *ingest.Kernel, reach unit.Ratio) {
	total, idle := k.Total.Or(0), k.Idle.Or(0)
	t.unsampled = t.unsampled || unsampled(k)
	t.all += total
	t.idle += total * unit.Seconds(idle)
	t.measured += total * unit.Seconds(k.Measured.Or(0))
	t.reach += total * unit.Seconds(reach)
	busiest, _ := k.Counters.BusiestPipe()
	t.pipe += total * unit.Seconds(busiest.Or(0))
	t.memory += total * unit.Seconds(k.Counters.Memory().Or(0))
}

// unsampled says whether no thread was seen in an array that was not idle.
func unsampled(k *ingest.Kernel) bool {
	m, measured := k.Measured.Value()
	idle, known := k.Idle.Value()
	return measured && known && m.Percent() < float64(printedHalf) && (1-idle).Percent() > float64(arraySum)
}

// apart is the least idle share of a row that the other kernels' idle shares leave for it.
func (r *Result) apart(row *Row, c *Certainty, idle unit.Ratio) unit.Ratio {
	f := c.Foreign.Or(0)
	others, known := r.others(row)
	if !known || f >= 1 {
		return idle
	}
	return min(idle, max((idle-f*others.idle)/(1-f), 0))
}

// others is what the other kernels of a run measure, how idle XVEs were, and what they can reach, weighted by time.
type others struct {
	measured, idle, reach, pipe unit.Ratio
	memory                      float64 // GB/s
}

func (r *Result) others(row *Row) (o others, known bool) {
	t, of := row.Total.Or(0), &r.kernelTime
	rest := of.all - t
	if rest <= t*1e-9 || !row.Idle.Present() || !row.Measured.Present() || of.unsampled {
		return o, false
	}
	less := func(all unit.Seconds, own unit.Ratio) unit.Ratio {
		return unit.Ratio((all - t*unit.Seconds(own)) / rest)
	}
	busiest, _ := row.Counters.BusiestPipe()
	return others{less(of.measured, row.Measured.Or(0)), less(of.idle, row.Idle.Or(0)),
		less(of.reach, reach(row.Predicted, &row.Kernel)), less(of.pipe, busiest.Or(0)),
		float64(less(of.memory, unit.Ratio(row.Counters.Memory().Or(0))))}, true
}

// ownRange bounds what a row's launches held: time outside holds nothing, and what can be of the other kernels is
// between nothing and what they can reach.
func (r *Result) ownRange(row *Row, c *Certainty) (least, most unit.Ratio, known bool) {
	m, idle, top := row.Measured.Or(0), row.Idle.Or(1), reach(row.Predicted, &row.Kernel)
	outside, bounded := c.Edges.Value()
	if !bounded || !row.Idle.Present() || r.kernelTime.unsampled || m > top {
		return 0, 0, false
	}
	least, most = m, m
	if o, several := r.others(row); several {
		a := min(c.Foreign.Or(1), 1-1e-9)
		least, most = min(m, max((m-a*o.reach)/(1-a), 0)), m/(1-a)
	}
	return least, min(most/max(1-min(outside, idle), 1e-9), top), true
}

// nearlyOwn says whether what can be of others, or of time outside, moves a row by no more than the tolerance, or
// leaves no less to its launches than is predicted.
func (r *Result) nearlyOwn(row *Row, c *Certainty) bool {
	least, _, bounded := r.ownRange(row, c)
	if p := row.Predicted; bounded && p != nil && !r.Options.beyond(p.Average.Minus(least), 0) {
		return true
	}
	m, f := row.Measured.Or(0), c.Foreign.Or(1)
	o, several := r.others(row)
	outside := min(c.Outside().Or(1), row.Idle.Or(1))
	if !several || !c.Crosstalk.Present() || f >= 1 || outside >= 1 {
		return false
	}
	return r.Options.within(abs(m.Minus(o.measured))*unit.Points(f/(1-f)) + pointsOf(m*outside/(1-outside)))
}

// ownRangeText says what the row's launches may have held by themselves, empty where nothing tells it.
func (r *Result) ownRangeText(row *Row, c *Certainty) string {
	least, most, known := r.ownRange(row, c)
	if !known || most.Minus(least) > widestRange {
		return ""
	}
	return fmt.Sprintf(" By themselves its launches held %.1f to %.1f %%.", least.Percent(), most.Percent())
}

// inLaunchesText says what a summary's occupancy of the whole GPU time leaves to the launches of the kernel that took
// nearly all of it, where that is more than its samples hold: nothing but kernels holds threads. On real runs this is
// 7 points above and 13 below what XVEs that ran held, so that it supports and proves nothing.
func (r *Result) inLaunchesText(row *Row) string {
	all, said := r.Platform.Occupancy.Value()
	t, time, m := r.Platform.GPUTime.Or(0), row.Total.Or(0), row.Measured.Or(0)
	if !said || t <= 0 || time < mostOfKernels*r.kernelTime.all {
		return ""
	}
	o, _ := r.others(row)
	rest := unit.Seconds(o.measured) * (r.kernelTime.all - time)
	own := unit.Ratio((unit.Seconds(all)*t - rest) / time)
	if own.Minus(m) < leastCause || own > atMost {
		return ""
	}
	return fmt.Sprintf(" By the summary, threads held %.1f %% of %s of GPU time, which is %.1f %% of the time of "+
		"these launches: %.1f points of what is missing are probably outside them.", all.Percent(), unit.Span(t),
		own.Percent(), float64(own.Minus(m)))
}
