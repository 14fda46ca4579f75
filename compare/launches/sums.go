package launches

import "gonum.org/v1/gonum/mat"

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
func (d *recording) edges(list []float64, l *span, m model) []float64 {
	length, n := l.end-l.start, d.parts
	third := n / 3
	step := d.median[l.task] / float64(n-third) // the last third is for longer launches
	list = append(list[:0], l.start)
	switch whole := n == partsOfOne; {
	case whole && m == relative, whole && m < relative && d.median[l.task] > longLaunch:
		fine := length / finest
		if m < relative {
			fine = min(1/float64(third), length/float64(3*third))
		}
		ends := float64(third) * fine
		for p := 1; p <= third; p++ {
			list = append(list, l.start+float64(p)*fine)
		}
		for p := 1; p <= third; p++ {
			list = append(list, l.start+ends+float64(p)*(length-2*ends)/float64(third))
		}
		for p := third - 1; p > 0; p-- {
			list = append(list, l.end-float64(p)*fine)
		}
	default:
		for p := 1; p < n; p++ {
			at := l.start + length*float64(p)/float64(n)
			if m == fromStart {
				at = min(l.start+float64(p)*step, l.end)
			} else if m == fromEnd {
				at = max(l.end-float64(n-p)*step, l.start)
			}
			list = append(list, at)
		}
	}
	return append(list, l.end)
}

// mixture is what a sample holds: of each column how much, and the time of all launches.
type mixture struct {
	x       []float64
	in      []bool
	columns []int
	time    float64
}

func (m *mixture) add(column int, v float64) {
	if !m.in[column] {
		m.in[column] = true
		m.columns = append(m.columns, column)
	}
	m.x[column] += v
}

// running is a launch that began and has not ended.
type running struct {
	*span
	edges []float64
	slope float64 // by how much of the median it is longer
}

// each calls do with the samples that hold launches, and held, where it is given, with what of a level's time is in a
// column.
func (d *recording) each(m model, held func(level, column int, v float64), do func(*sample, *mixture)) {
	n := d.unknowns()
	x := mixture{x: make([]float64, n), in: make([]bool, n)}
	var open []running
	var free [][]float64
	next := 0
	for i := range d.samples {
		y := &d.samples[i]
		for ; next < len(d.launches) && d.launches[next].start < y.end; next++ {
			o := running{span: &d.launches[next]}
			if n := len(free); n > 0 {
				o.edges, free = free[n-1], free[:n-1]
			}
			o.edges = d.edges(o.edges, o.span, m)
			if median := d.median[o.task]; median > 0 {
				o.slope = min((o.end-o.start)/median, mostLonger) - 1
			}
			open = append(open, o)
		}
		kept := open[:0]
		for _, o := range open {
			if o.end <= y.start {
				free = append(free, o.edges)
				continue
			}
			kept = append(kept, o)
			d.share(&o, y, &x, held)
		}
		if open = kept; x.time > 0 {
			do(y, &x)
		}
		for _, c := range x.columns {
			x.x[c], x.in[c] = 0, false
		}
		x.columns, x.time = x.columns[:0], 0
	}
}

const mostLonger = 3 // times the median: a launch that is longer counts as one of these

// share adds what a launch has of a sample.
func (d *recording) share(o *running, y *sample, x *mixture, held func(level, column int, v float64)) {
	own := min(o.end, y.end) - max(o.start, y.start)
	if own <= 0 {
		return
	}
	level := d.level[o.task]
	add := func(column int, v float64) {
		x.add(column, v)
		if held != nil {
			held(level, column, v)
		}
	}
	x.time += own
	add(level, own)
	first := d.first[o.task]
	if first < 0 {
		return
	}
	add(first+d.parts, own*o.slope)
	for p := range d.parts {
		if v := min(o.edges[p+1], y.end) - max(o.edges[p], y.start); v > 0 {
			add(first+p, v)
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
	d.each(m, func(level, column int, v float64) { s.held[level*n+column] += v }, func(y *sample, x *mixture) {
		s.samples++
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

// left gives of each level the variance that fits leave in samples which it shares with others, of the metrics that have a
// fit. It is that of the begins and ends of launches, which a model may miss where it fits all that lies between.
func (s *sums) left(means [metrics]*mat.VecDense) (squares [metrics][]float64) {
	weights, some := make([]float64, s.levels), false
	for k, mean := range means {
		squares[k] = make([]float64, s.levels)
		some = some || mean != nil
	}
	if !some {
		return squares
	}
	s.each(s.model, nil, func(y *sample, x *mixture) {
		var z [metrics]float64
		for k, mean := range means {
			if mean != nil {
				z[k] = s.slotTime(y, Metric(k), x.time)
				for _, c := range x.columns {
					z[k] -= x.x[c] * mean.AtVec(c)
				}
			}
		}
		for _, c := range x.columns {
			if c < s.levels {
				w := x.x[c] * (x.time - x.x[c]) / x.time // 0 where it is alone
				weights[c] += w
				for k := range z {
					squares[k][c] += z[k] * z[k] / x.time * w
				}
			}
		}
	})
	for k := range squares {
		for c, w := range weights {
			if squares[k][c] > 0 {
				squares[k][c] /= w
			}
		}
	}
	return squares
}
