package launches

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"occudiff/ingest"
)

// Metric is a counter that is estimated separately for each kernel.
type Metric int

// The metrics, in percent. Occupancy is a share of the thread slots. The others
// are shares of the XVEs' time. Busy is the sum of active and stalled.
const (
	Occupancy Metric = iota
	Active
	Busy
	metrics
)

// recording is a run in the form that the sums need. Times are in sampling
// intervals, and values are in percent.
type recording struct {
	interval float64 // length of a sampling interval, in nanoseconds
	launches []span
	samples  []sample
	load     [metrics]float64 // mean of the samples without launches, which is the load of other programs
	bound    int              // which of the times in sample.used applies: 0 is the estimate, 1 and 2 are its bounds
	median   []float64        // by task: median length of the launches of its kernel

	// The unknowns are the columns of the equations: first the levels of the
	// tasks, then the parts of the kernels. After the parts of each kernel, one
	// more column is the change of its level with launch length.
	level  []int // by task: column of its level
	first  []int // by task: column of the first part of its kernel; -1 if the kernel has no parts
	levels int
	shapes int // number of kernels with parts
	parts  int // number of parts per kernel
}

type span struct {
	task       int
	start, end float64
}

type sample struct {
	start, end float64
	clocks     float64
	used       [3]float64 // time that percentages refer to, and its bounds
	values     [metrics]float64
}

const (
	mostLevels = 128 // the tasks with the most time have their own level; the other tasks share one level
	mostParts  = 192 // for all kernels together, because the size of the sums is quadratic in the parts
	partsOfOne = 24
)

// newRecording returns a recording in which each kernel has at most the given
// number of parts. It returns nil without launches or samples.
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
	// The lengths are by kernel name, because all launch sizes of a kernel
	// share one shape.
	time, shapes := make([]float64, len(tasks)), map[string][]float64{}
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
		d.samples = append(d.samples, sample{at(m.At - m.Length), at(m.At), float64(m.Clocks), [3]float64{},
			[metrics]float64{100 * float64(m.Measured), active, active + 100*float64(m.Stalled)}})
	}
	d.others()
	d.fitClock()
	d.columns(tasks, time, parts)
	return d
}

// others computes the load of other programs, which is the mean of the samples
// without launches.
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

// columns assigns the unknowns to columns.
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
	for d.parts = parts; d.parts*len(shapes) > mostParts; {
		d.parts /= 2
	}
	for i := range tasks {
		if d.first[i] = -1; d.parts > 1 {
			s := shapes[tasks[i].Task]
			d.first[i], d.shapes = d.levels+s*(d.parts+1), max(d.shapes, s+1)
		}
	}
}

// unknowns returns how many columns there are.
func (d *recording) unknowns() int { return d.levels + d.shapes*(d.parts+1) }

// slotTime returns the value of a sample times its length. If launches fill
// only part of the sample, the load of other programs in the rest is
// subtracted.
func (d *recording) slotTime(y *sample, metric Metric, launched float64) float64 {
	used := y.used[d.bound]
	return y.values[metric]*used - d.load[metric]*max(used-launched, 0)
}

// shifted returns the recording with all launches moved to a later time.
func (d *recording) shifted(by float64) *recording {
	c := *d
	c.launches, c.samples = slices.Clone(d.launches), slices.Clone(d.samples)
	for i := range c.launches {
		c.launches[i].start += by
		c.launches[i].end += by
	}
	c.fitClock()
	return &c
}

// model is a rule for cutting launches into parts. A part is assumed to have
// the same occupancy in all launches of a kernel.
type model int

const (
	fromStart model    = iota // parts of fixed length, counted from the start: all launches fill in the same way
	fromEnd                   // parts of fixed length, counted from the end: all launches drain in the same way
	relative                  // parts relative to the length of the launch, finer at both ends
	models                    // number of models
	even      = models        // equal parts of the launch, for display
)

const (
	longLaunch = 4  // in intervals; longer launches share samples only at their ends, so their ends are cut by time
	finest     = 64 // smallest part at the ends is 1/finest of a launch's length
)

// edges returns the times at which the parts of a launch begin and end.
func (d *recording) edges(l *span, m model) []float64 {
	length, n := l.end-l.start, d.parts
	third := n / 3
	step := d.median[l.task] / float64(n-third) // the last third is only for launches longer than the median
	long := n == partsOfOne && (m == relative || m < relative && d.median[l.task] > longLaunch)
	fine := length / finest
	if m < relative {
		fine = min(1/float64(third), length/float64(3*third))
	}
	ends := float64(third) * fine
	list := append(make([]float64, 0, n+1), l.start)
	for p := 1; p < n; p++ {
		at := l.start + length*float64(p)/float64(n)
		switch {
		case long && p <= third:
			at = l.start + float64(p)*fine
		case long && p <= 2*third:
			at = l.start + ends + float64(p-third)*(length-2*ends)/float64(third)
		case long:
			at = l.end - float64(n-p)*fine
		case m == fromStart:
			at = min(l.start+float64(p)*step, l.end)
		case m == fromEnd:
			at = max(l.end-float64(n-p)*step, l.start)
		}
		list = append(list, at)
	}
	return append(list, l.end)
}

// mixture is a sample's content: the time in each column, and the time of all
// launches.
type mixture struct {
	x       []float64
	in      []bool
	columns []int
	parts   []part
	time    float64
}

// part is the contribution of the launches of one level to a column.
type part struct {
	level, column int
	v             float64
}

func (m *mixture) add(p part) {
	if !m.in[p.column] {
		m.in[p.column] = true
		m.columns = append(m.columns, p.column)
	}
	m.x[p.column] += p.v
	m.parts = append(m.parts, p)
}

// running is a launch that has begun and not ended.
type running struct {
	*span
	edges []float64
	slope float64 // excess over the median length, relative to the median
}

// each calls do for every sample that contains launches. Both arguments are
// valid only until the next call.
func (d *recording) each(m model, do func(*sample, *mixture)) {
	n := d.unknowns()
	x := mixture{x: make([]float64, n), in: make([]bool, n)}
	var open []running
	next := 0
	for i := range d.samples {
		y := &d.samples[i]
		for ; next < len(d.launches) && d.launches[next].start < y.end; next++ {
			l := &d.launches[next]
			o := running{span: l, edges: d.edges(l, m)}
			if median := d.median[l.task]; median > 0 {
				o.slope = min((l.end-l.start)/median, mostLonger) - 1
			}
			open = append(open, o)
		}
		open = slices.DeleteFunc(open, func(o running) bool { return o.end <= y.start })
		for i := range open {
			d.share(&open[i], y, &x)
		}
		if x.time > 0 {
			do(y, &x)
		}
		for _, c := range x.columns {
			x.x[c], x.in[c] = 0, false
		}
		x.columns, x.parts, x.time = x.columns[:0], x.parts[:0], 0
	}
}

const mostLonger = 3 // in medians: the largest length with which a launch counts

// share adds the part of a sample during which a launch ran.
func (d *recording) share(o *running, y *sample, x *mixture) {
	own := min(o.end, y.end) - max(o.start, y.start)
	if own <= 0 {
		return
	}
	level, first := d.level[o.task], d.first[o.task]
	x.time += own
	x.add(part{level, level, own})
	if first < 0 {
		return
	}
	x.add(part{level, first + d.parts, own * o.slope})
	for p := range d.parts {
		if v := min(o.edges[p+1], y.end) - max(o.edges[p], y.start); v > 0 {
			x.add(part{level, first + p, v})
		}
	}
}

// sums contains everything that the samples determine about the unknowns. Let x
// be the vector of times per column in a sample, t the time of all launches in
// it, and z its value times its length. Then shares is the sum of x x'/t,
// values is the sum of x z/t, and squares is the sum of z z/t.
type sums struct {
	*recording
	model   model
	shares  *mat.SymDense
	values  [metrics][]float64
	squares [metrics]float64
	samples int
	held    []float64 // by level and column: time of the column in launches of the level
	read    []float64 // by level: sum of its squared shares of the samples, because each sample is read with an error
}

func (d *recording) sum(m model) *sums {
	n := d.unknowns()
	s := &sums{recording: d, model: m, held: make([]float64, d.levels*n), read: make([]float64, d.levels)}
	for k := range s.values {
		s.values[k] = make([]float64, n)
	}
	shares := make([]float64, n*n)
	d.each(m, func(y *sample, x *mixture) {
		s.samples++
		for _, p := range x.parts {
			s.held[p.level*n+p.column] += p.v
		}
		for _, a := range x.columns {
			v := x.x[a] / x.time
			if a < d.levels {
				s.read[a] += v * v
			}
			for _, b := range x.columns {
				if b >= a {
					shares[a*n+b] += v * x.x[b]
				}
			}
		}
		for k := range y.values {
			z := d.slotTime(y, Metric(k), x.time)
			s.squares[k] += z * z / x.time
			for _, a := range x.columns {
				s.values[k][a] += x.x[a] * z / x.time
			}
		}
	})
	s.shares = mat.NewSymDense(n, shares)
	return s
}

// left returns, for each level, the variance that a fit leaves in samples
// shared with other levels. These samples contain the starts and ends of
// launches, at which a model may be wrong even if it fits everything in
// between.
func (s *sums) left(metric Metric, mean *mat.VecDense) []float64 {
	squares, weights := make([]float64, s.levels), make([]float64, s.levels)
	s.each(s.model, func(y *sample, x *mixture) {
		z := s.slotTime(y, metric, x.time)
		for _, c := range x.columns {
			z -= x.x[c] * mean.AtVec(c)
		}
		for _, c := range x.columns {
			if c < s.levels {
				w := x.x[c] * (x.time - x.x[c]) / x.time // 0 if the level is alone in the sample
				weights[c] += w
				squares[c] += z * z / x.time * w
			}
		}
	})
	for c, w := range weights {
		if squares[c] > 0 {
			squares[c] /= w
		}
	}
	return squares
}
