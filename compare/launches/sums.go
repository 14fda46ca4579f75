package launches

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// model is how launches are cut into parts that hold the same in all launches of a kernel.
type model int

const (
	fromStart model    = iota // parts of one length from the start of a launch: it fills as the others do
	fromEnd                   // from its end: it drains as the others do
	relative                  // parts of its own length, finer at its ends
	models                    // how many there are
	even      = models        // equal parts of its length, as they are shown
)

const (
	longLaunch = 4  // intervals: the ends of longer launches are cut by time, since they share samples with others
	finest     = 64 // parts of a launch's length, at its ends
)

// edges gives the ends of the parts of a launch.
func (d *recording) edges(l *span, m model) []float64 {
	length, n := l.end-l.start, d.parts
	third := n / 3
	step := d.median[l.task] / float64(n-third) // the last third is for longer launches
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

// mixture is what a sample holds: of each column how much, and the time of all launches.
type mixture struct {
	x       []float64
	in      []bool
	columns []int
	parts   []part
	time    float64
}

// part is what the launches of a level add to a column.
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

// running is a launch that began and has not ended.
type running struct {
	*span
	edges []float64
	slope float64 // by how much of the median it is longer
}

// each calls do with the samples that hold launches. Both are good until the next.
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

const mostLonger = 3 // times the median: a launch that is longer counts as one of these

// share adds what a launch has of a sample.
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

// sums are all that the samples say of the unknowns. x being how much of each is in a sample, t the time of all launches
// in it, and z its value times its length: shares is the sum of x x'/t, values of x z/t, squares of z z/t.
type sums struct {
	*recording
	model   model
	shares  *mat.SymDense
	values  [metrics][]float64
	squares [metrics]float64
	samples int
	held    []float64 // of each level, of each column: how much of it is in the level's launches
	read    []float64 // of each level: the squares of its shares of the samples, each of which is read with an error
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

// left gives of each level the variance that a fit leaves in samples which it shares with others. It is that of the begins
// and ends of launches, which a model may miss where it fits all that lies between.
func (s *sums) left(metric Metric, mean *mat.VecDense) []float64 {
	squares, weights := make([]float64, s.levels), make([]float64, s.levels)
	s.each(s.model, func(y *sample, x *mixture) {
		z := s.slotTime(y, metric, x.time)
		for _, c := range x.columns {
			z -= x.x[c] * mean.AtVec(c)
		}
		for _, c := range x.columns {
			if c < s.levels {
				w := x.x[c] * (x.time - x.x[c]) / x.time // 0 where it is alone
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
