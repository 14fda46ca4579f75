package launches

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/mat"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// Laid is a task's launches, laid over each other.
type Laid struct {
	Launches int
	Span     unit.Seconds // mean length of a launch
	// Bins are the occupancies of equal parts of a launch, in percent; none where not even its halves are told.
	Bins []Estimate
	Bars []Bar
}

// Bar is a sample that lies within a launch, as parts of the launch's length.
type Bar struct {
	Start, End float64
	Measured   unit.Ratio
}

const (
	mostBins     = 32
	mostDeviance = 5   // percent, of any bin that is shown
	leastOwn     = 0.8 // of a sample, which is drawn then
	// Neighboring parts of a launch hold much the same. A profile is thought to vary by 30 % of its level at least, or a
	// kernel of few and short launches would be told to be flat.
	nextPart     = 0.9
	profileLevel = 30
)

var profileSpreads = []float64{0.3, 0.6, 1.2, 2.4}

// Lay lays the launches of each task of a recording over each other. Of 32, 16, 8, 4 and 2 bins it gives the most whose
// worst is known to 5 points.
func Lay(r *ingest.Recording) []Laid {
	d := newRecording(r, mostBins)
	if d == nil {
		return nil
	}
	if r.Loose {
		d = d.shifted(newRecording(r, partsOfOne).offset())
	}
	list := make([]Laid, len(d.level))
	for _, l := range d.launches {
		list[l.task].Launches++
		list[l.task].Span += unit.Seconds((l.end - l.start) * d.interval / 1e9)
	}
	s := d.sum(even)
	var f *posterior
	for _, spread := range profileSpreads {
		if x := s.fit(Occupancy, prior{spread, nextPart, profileLevel}); f == nil || x.likelihood > f.likelihood {
			f = x
		}
	}
	left := s.left(Occupancy, f.mean)
	for task := range list {
		if n := list[task].Launches; n > 0 {
			list[task].Span /= unit.Seconds(n)
		}
		level := d.level[task]
		for bins := d.parts; bins > 1 && d.first[task] >= 0 && level < mostLevels && list[task].Bins == nil; bins /= 2 {
			list[task].Bins = s.bins(f, task, bins, max(left[level]/f.noise, 1))
		}
	}
	d.bars(list)
	return list
}

// bins gives so many bins of a task; nil where one is not known.
func (s *sums) bins(f *posterior, task, bins int, factor float64) (list []Estimate) {
	n, level, first := s.unknowns(), s.level[task], s.first[task]
	width := s.parts / bins
	for bin := range bins {
		c := mat.NewVecDense(n, nil)
		c.SetVec(level, 1)
		for i := range width {
			c.SetVec(first+bin*width+i, 1/float64(width))
		}
		slope := first + s.parts
		c.SetVec(slope, s.held[level*n+slope]/max(s.held[level*n+level], math.SmallestNonzeroFloat64))
		v, deviation := mat.Dot(c, f.mean), math.Sqrt(max(mat.Inner(c, f.covariance, c)*factor, 0)+s.readVariance(level))
		if !(deviation <= mostDeviance) || v < -mostDeviance || v > 100+mostDeviance {
			return nil
		}
		half := 2*deviation + rounding
		list = append(list, Estimate{min(max(v, 0), 100), max(v-half-s.load[Occupancy], 0), min(v+half, 100)})
	}
	return list
}

// bars gives each task the samples that are mostly of one launch.
func (d *recording) bars(list []Laid) {
	for _, l := range d.launches {
		length := l.end - l.start
		first := sort.Search(len(d.samples), func(i int) bool { return d.samples[i].end > l.start })
		for _, y := range d.samples[first:] {
			if y.start >= l.end {
				break
			}
			if own := min(l.end, y.end) - max(l.start, y.start); own >= leastOwn*(y.end-y.start) {
				list[l.task].Bars = append(list[l.task].Bars, Bar{max(y.start-l.start, 0) / length,
					min(y.end-l.start, length) / length,
					unit.FromPercent(math.Round(y.values[Occupancy]*1e5) / 1e5)}) // as printed, where 32 bits kept it
			}
		}
	}
}

// LaySamples lays samples that name their kernel over each other. The launches are those of the trace, where it has them;
// else one is taken to begin with its first sample and to end with its last. nil without samples.
func LaySamples(s *ingest.Samples, t *ingest.Trace, task int, traced bool) *Laid {
	r := &ingest.Recording{Trace: &ingest.Trace{}}
	r.Trace.AddLane("")
	only := r.Trace.Task(ingest.Key{})
	for i := 0; i < len(s.List); {
		first := s.List[i]
		l := ingest.Launch{Start: first.At - first.Length, Task: only}
		end := i
		for ; end < len(s.List) && s.List[end].Launch == first.Launch; end++ {
			l.End = s.List[end].At
		}
		if ran, ok := t.During(task, first.At); traced && ok {
			l.Start, l.End = ran.Start, ran.End
		}
		for _, m := range s.List[i:end] {
			if own := min(l.End, m.At) - max(l.Start, m.At-m.Length); float64(own) >= leastOwn*float64(m.Length) {
				r.List = append(r.List, m)
			}
		}
		r.Trace.Add(l)
		i = end
	}
	r.Trace.Finish()
	if list := Lay(r); len(list) > 0 {
		return &list[0]
	}
	return nil
}
