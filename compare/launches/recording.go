package launches

import (
	"math"
	"slices"

	"occudiff/ingest"
)

// Metric is a counter whose values are told apart by kernel.
type Metric int

// The metrics, in percent: of the thread slots, and of the XVEs' time. Busy is active and stalled together.
const (
	Occupancy Metric = iota
	Active
	Busy
	metrics
)

// recording is a run as the sums need it. Times are in sampling intervals, values in percent.
type recording struct {
	interval float64 // nanoseconds
	launches []span
	samples  []sample
	load     [metrics]float64 // mean of the samples in which nothing was launched: what others ran
	median   []float64        // of a task: the median length of its kernel's launches

	// The unknowns stand in columns: levels of tasks, then the parts of kernels, and behind those of each kernel one for
	// how its level changes with the length of a launch.
	level  []int // of a task
	first  []int // of a task: the first part of its kernel; -1 where it has none
	levels int
	shapes int // kernels that have parts
	parts  int // of each
}

type span struct {
	task       int
	start, end float64
}

type sample struct {
	start, end float64
	values     [metrics]float64
}

const (
	mostLevels = 128 // tasks that have a level of their own, those with the most time; the others share one
	mostParts  = 192 // of all kernels together: sums grow with the square
	partsOfOne = 24
)

// newRecording prepares a recording whose kernels have so many parts at most; nil without launches or samples.
func newRecording(r *ingest.Recording, parts int) *recording {
	if r == nil || r.Trace.Len() == 0 || len(r.List) == 0 {
		return nil
	}
	lengths := make([]int64, len(r.List))
	for i := range r.List {
		lengths[i] = r.List[i].Length
	}
	slices.Sort(lengths)
	d := &recording{interval: float64(max(lengths[len(lengths)/2], 1))}
	origin := r.List[0].At - r.List[0].Length
	at := func(t int64) float64 { return float64(t-origin) / d.interval }
	tasks := r.Trace.Tasks
	time, shapes := make([]float64, len(tasks)), map[string][]float64{} // all sizes of a kernel have one shape
	for l := range r.Trace.All() {
		x := span{int(l.Task), at(l.Start), at(l.End)}
		d.launches = append(d.launches, x)
		time[l.Task] += x.end - x.start
		shapes[tasks[l.Task].Task] = append(shapes[tasks[l.Task].Task], x.end-x.start)
	}
	d.median = make([]float64, len(tasks))
	for i := range tasks {
		if list := shapes[tasks[i].Task]; len(list) > 0 {
			slices.Sort(list)
			d.median[i] = (list[len(list)/2] + list[(len(list)-1)/2]) / 2
		}
	}
	for _, m := range r.List {
		active := 100 * float64(m.Active)
		d.samples = append(d.samples, sample{at(m.At - m.Length), at(m.At),
			[metrics]float64{100 * float64(m.Measured), active, active + 100*float64(m.Stalled)}})
	}
	d.others()
	d.columns(tasks, time, parts)
	return d
}

// others takes the load of others from the samples in which nothing was launched.
func (d *recording) others() {
	next, last, time := 0, 0.0, 0.0
	for i := range d.samples {
		y := &d.samples[i]
		for ; next < len(d.launches) && d.launches[next].start < y.end; next++ {
			last = max(last, d.launches[next].end)
		}
		if last <= y.start {
			time += y.end - y.start
			for k, v := range y.values {
				d.load[k] += v * (y.end - y.start)
			}
		}
	}
	for k := range d.load {
		d.load[k] /= max(time, math.SmallestNonzeroFloat64)
	}
}

// columns numbers the unknowns.
func (d *recording) columns(tasks []ingest.Key, time []float64, parts int) {
	order := longestFirst(len(tasks), func(i int) float64 { return time[i] })
	d.level, d.first = make([]int, len(tasks)), make([]int, len(tasks))
	shapes := map[string]int{}
	for i, task := range order {
		d.level[task] = min(i, mostLevels)
		d.levels = max(d.levels, d.level[task]+1)
		if _, known := shapes[tasks[task].Task]; !known {
			shapes[tasks[task].Task] = len(shapes)
		}
	}
	for d.parts = parts; d.parts > 1 && d.parts*len(shapes) > mostParts; {
		d.parts /= 2
	}
	for i := range tasks {
		if d.first[i] = -1; d.parts > 1 {
			s := shapes[tasks[i].Task]
			d.first[i], d.shapes = d.levels+s*(d.parts+1), max(d.shapes, s+1)
		}
	}
}

// unknowns is how many columns there are.
func (d *recording) unknowns() int { return d.levels + d.shapes*(d.parts+1) }

// slotTime is a sample's value times its length, less what others ran beside launches that take some of it.
func (d *recording) slotTime(y *sample, metric Metric, launched float64) float64 {
	length := y.end - y.start
	return y.values[metric]*length - d.load[metric]*max(length-launched, 0)
}

// shifted gives the recording with all launches so much later.
func (d *recording) shifted(by float64) *recording {
	c := *d
	c.launches = slices.Clone(d.launches)
	for i := range c.launches {
		c.launches[i].start += by
		c.launches[i].end += by
	}
	return &c
}
