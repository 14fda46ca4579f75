package launches

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// Estimate is the mean occupancy of a task's launches, in percent. Its interval
// contains the true value in 95 of 100 cases. It is NaN if the samples lack the
// metric. The true value is the mean of these launches, not of the launches in
// another run.
type Estimate struct{ Mean, Low, High float64 }

// Half returns half of the interval's width.
func (e Estimate) Half() float64 { return (e.High - e.Low) / 2 }

// widen adds an independent error to the interval.
func (e *Estimate) widen(by float64) {
	half := math.Hypot(e.Half(), by)
	e.Low, e.High = e.Mean-half, e.Mean+half
}

// Values contains a task's estimates by metric.
type Values [metrics]Estimate

// Estimates contains the estimates for a recording.
type Estimates struct {
	Tasks []*Values // estimates by task; nil if the task has too little time next to so many other tasks
	Load  float64   // mean occupancy of the samples without launches, in percent
}

const (
	// Prior knowledge. A level is 50 with a standard deviation of 50 percent.
	// The parts of a level are distributed around it with a deviation of twice
	// the level.
	priorMean, priorSpread = 50, 50
	partSpread             = 2
	leastLevel             = 10
	rounds                 = 6    // alternating updates of the noise and the unknowns
	firstNoise             = 9    // first value of the noise: the variance of one interval, in percent
	leastNoise             = 0.15 // smallest standard deviation, because counters are read at slightly different times
	alike                  = 0.8  // ratio of the noise of two models above which both may be correct
	rounding               = 0.1  // rounding of the samples, in percent
	offsetError            = 1    // error of values after the search for a clock offset, in percent
	readError              = 0.03 // share of an interval: a launch of 1% of an interval may be off by 3 points
)

// NewEstimates returns a separate estimate for each kernel, even if kernels
// share samples.
//
// A sample is the mean over its time, so each sample is an equation: z = sum of
// x m + noise with variance s t. Here x is the time of each part of a launch in
// the sample, t is the time of all launches in it, and m is the occupancy of
// each part. The prior assumes that parts have a Gaussian distribution around
// their kernel's level, and the estimates are the posterior given the samples.
// The noise s and the occupancies m are updated in turn. Three models define
// how launches are cut into parts. The model with the least noise is used. If
// another model has similar noise, the difference between the two models widens
// the interval.
//
// A task's value is the mean of its share of each sample. In samples that
// several tasks share, the value is corrected by the difference between the
// parts. So samples that only one task fills count unchanged and need no model.
//
// On simulated GPUs (116 rows with two alternating kernels, launches of 0.006
// to 10 intervals), half of the values are within 0.01 points of the truth, 90%
// within 0.2, and all within 1.3. The intervals contain all true values. With
// VTune's rule, the corresponding errors are 5.2, 25, and 65 points.
func NewEstimates(r *ingest.Recording) *Estimates {
	d := newRecording(r, partsOfOne)
	if d == nil {
		return nil
	}
	e := &Estimates{Tasks: make([]*Values, len(d.level)), Load: d.load[Occupancy]}
	wider := 0.0
	if r.Unassigned {
		d, wider = d.shifted(d.offset()), offsetError
	}
	all := d.sums()
	var low, high []*sums
	if d.clockChanges() {
		low, high = d.at(1).sums(), d.at(2).sums()
	}
	for task, level := range d.level {
		if level < mostLevels {
			e.Tasks[task] = &Values{}
		}
	}
	for metric := range metrics {
		values := best(all, metric)
		below, above := values, values
		if low != nil {
			below, above = best(low, metric), best(high, metric)
		}
		for task, v := range e.Tasks {
			if v != nil {
				x := values[d.level[task]]
				x.widen(above[d.level[task]].Mean - below[d.level[task]].Mean)
				// Other programs may also run during the launches, so their
				// load may be part of the value.
				v[metric] = Estimate{x.Mean, x.Low - wider - d.load[metric], x.High + wider}
			}
		}
	}
	return e
}

// sums returns the sums of the samples for each model.
func (d *recording) sums() (all []*sums) {
	for m := range models {
		all = append(all, d.sum(m))
	}
	return all
}

// at returns the recording with the clock at one of its bounds.
func (d *recording) at(bound int) *recording {
	c := *d
	c.bound = bound
	return &c
}

// best returns the values of all levels by the model with the least noise.
// Models with similar noise widen the intervals.
func best(all []*sums, metric Metric) []Estimate {
	if math.IsNaN(all[0].squares[metric]) { // the samples lack this metric
		return slices.Repeat([]Estimate{{math.NaN(), math.NaN(), math.NaN()}}, all[0].levels)
	}
	var fits []*posterior // one posterior per model
	least := 0
	for m, s := range all {
		fits = append(fits, s.fit(metric, prior{partSpread, 0, leastLevel}))
		if fits[m].noise < fits[least].noise {
			least = m
		}
	}
	left := all[least].left(metric, fits[least].mean)
	values := all[least].estimates(metric, fits[least], left)
	for o, f := range fits {
		if o == least || fits[least].noise < alike*f.noise {
			continue
		}
		for level, other := range all[o].estimates(metric, f, left) {
			values[level].widen(other.Mean - values[level].Mean)
		}
	}
	return values
}

// plain returns each level by least squares on whole launches, within 0 to 100.
// If a level is outside this range, it is fixed at the bound, and the remaining
// levels are solved again.
func (s *sums) plain(metric Metric) []float64 {
	k := s.levels
	x, held := make([]float64, k), make([]bool, k)
	for {
		left, y := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
		for i := range k {
			if held[i] {
				left.SetSym(i, i, 1)
				y.SetVec(i, x[i])
				continue
			}
			v := s.values[metric][i]
			for j := range k {
				if held[j] {
					v -= s.shares.At(i, j) * x[j]
				} else if j > i {
					left.SetSym(i, j, s.shares.At(i, j))
				}
			}
			left.SetSym(i, i, s.shares.At(i, i)*(1+1e-9)+1e-12)
			y.SetVec(i, v)
		}
		var c mat.Cholesky
		if !c.Factorize(left) || c.SolveVecTo(y, y) != nil {
			return x
		}
		again := false
		for i := range k {
			if x[i] = min(max(y.AtVec(i), 0), 100); x[i] != y.AtVec(i) {
				held[i], again = true, true
			}
		}
		if !again {
			return x
		}
	}
}

// prior is the assumed distribution of parts. The deviation of a part from its
// level is spread times the level, but at least spread times least. Each part
// is correlated with the next part.
type prior struct{ spread, correlation, least float64 }

// precision returns the inverse covariance of the prior, its product with the
// prior's mean, and its logarithmic determinant.
func (s *sums) precision(metric Metric, p prior) (inverse *mat.SymDense, mean *mat.VecDense, determinant float64) {
	n, most := s.unknowns(), make([]float64, s.shapes)
	inverse, mean = mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	level := s.plain(metric)
	for task, c := range s.first {
		if c >= 0 {
			shape := (c - s.levels) / (s.parts + 1)
			most[shape] = max(most[shape], level[s.level[task]], p.least)
		}
	}
	for i := range n {
		v, r := 1.0/(priorSpread*priorSpread), p.correlation
		if i < s.levels {
			mean.SetVec(i, priorMean*v)
		} else {
			v = 1 / (p.spread * most[(i-s.levels)/(s.parts+1)])
			v *= v
		}
		determinant += math.Log(v)
		if at := (i - s.levels) % (s.parts + 1); i >= s.levels && at < s.parts {
			v /= 1 - r*r // the inverse of r^|i-j|
			if at < s.parts-1 {
				inverse.SetSym(i, i+1, -r*v)
				determinant -= math.Log(1 - r*r)
			}
			if at > 0 && at < s.parts-1 {
				v *= 1 + r*r
			}
		}
		inverse.SetSym(i, i, v)
	}
	return inverse, mean, determinant
}

// posterior is the distribution of the unknowns, given the samples.
type posterior struct {
	noise      float64 // variance of one interval
	residual   float64 // variance of one interval, without a minimum
	likelihood float64 // log likelihood of the samples, up to a constant
	mean       *mat.VecDense
	covariance *mat.SymDense
}

func (s *sums) fit(metric Metric, p prior) *posterior {
	n := s.unknowns()
	before, mean, determinant := s.precision(metric, p)
	b := mat.NewVecDense(n, s.values[metric])
	f := &posterior{noise: firstNoise, mean: mat.NewVecDense(n, nil), covariance: mat.NewSymDense(n, nil)}
	var c mat.Cholesky
	for range rounds {
		var after mat.SymDense
		after.ScaleSym(1/f.noise, s.shares)
		after.AddSym(&after, before)
		// The prior makes it positive definite, except for rounding.
		var right mat.VecDense
		right.AddScaledVec(mean, 1/f.noise, b)
		if !c.Factorize(&after) || c.SolveVecTo(f.mean, &right) != nil || c.InverseTo(f.covariance) != nil {
			f.noise, f.residual, f.likelihood = math.Inf(1), math.Inf(1), math.Inf(-1)
			return f
		}
		f.likelihood = (determinant - c.LogDet() - float64(s.samples)*math.Log(f.noise) -
			s.squares[metric]/f.noise + mat.Dot(f.mean, &right)) / 2
		var sm mat.VecDense
		sm.MulVec(s.shares, f.mean)
		squares, used := s.squares[metric]-2*mat.Dot(f.mean, b)+mat.Dot(f.mean, &sm), 0.0
		for i := range n {
			used += f.covariance.At(i, i) * s.shares.At(i, i)
			for j := i + 1; j < n; j++ {
				used += 2 * f.covariance.At(i, j) * s.shares.At(i, j)
			}
		}
		f.residual = max(squares, 0) / max(float64(s.samples)-used/f.noise, 1)
		f.noise = max(f.residual, leastNoise*leastNoise)
	}
	return f
}

// estimates returns the values of all levels. left is, for each level, the
// variance in shared samples that the fit does not explain.
func (s *sums) estimates(metric Metric, f *posterior, left []float64) (list []Estimate) {
	n := s.unknowns()
	for k := range s.levels {
		// c is the share of the level's time in each column that is in samples
		// with other levels. The model has to divide these samples.
		c, held := mat.NewVecDense(n, nil), s.held[k*n:(k+1)*n]
		for i := range n {
			c.SetVec(i, held[i]-s.shares.At(k, i))
		}
		e, time, noise := Estimate{priorMean, 0, 100}, held[k], max(left[k], f.noise)
		if time > 0 && !math.IsInf(f.noise, 1) {
			e.Mean = min(max((s.values[metric][k]+mat.Dot(c, f.mean))/time, 0), 100)
			variance := (mat.Inner(c, f.covariance, c)*noise/f.noise + noise*(time-s.shares.At(k, k))) / (time * time)
			half := 2*math.Sqrt(max(variance, 0)+s.readVariance(k)) + rounding
			e.Low, e.High = e.Mean-half, e.Mean+half
		}
		list = append(list, e)
	}
	return list
}

// readVariance returns the variance of a level's value that comes from errors
// in reading its samples. It applies to the mean and to each part.
func (s *sums) readVariance(level int) float64 {
	time := s.held[level*s.unknowns()+level]
	return readError * readError * s.read[level] / max(time*time, math.SmallestNonzeroFloat64)
}

// mostOffset is the largest offset between the two clocks of a result, and
// offsetStep is the accuracy of the search.
const mostOffset, offsetStep = 200e3, 20e3 // nanoseconds

// offset returns how much later the launches ran than recorded. The correct
// offset leaves the least noise.
func (d *recording) offset() (by float64) {
	least := math.Inf(1)
	for i := range int(2*mostOffset/offsetStep) + 1 {
		// x starts at 0 and then moves away from 0 in both directions.
		x := float64((i+1)/2) * offsetStep / d.interval * float64(1-i%2*2)
		for m := range models {
			f := d.shifted(x).sum(m).fit(Occupancy, prior{partSpread, 0, leastLevel})
			if f.residual < least*(1-1e-9) {
				least, by = f.residual, x
			}
		}
	}
	return by
}

// Profile is the occupancy of a task over the time of a launch, with all of its
// launches overlaid.
type Profile struct {
	Launches int
	Span     unit.Seconds // mean length of one launch
	// Bins are the occupancies in equal parts of a launch, in percent. There
	// are no bins if not even the two halves can be determined.
	Bins []Estimate
	Bars []Bar
}

// Bar is a sample that is inside a launch, as a part of the launch's length.
type Bar struct {
	Start, End float64
	Measured   unit.Ratio
}

const (
	mostBins     = 32
	mostDeviance = 5   // largest deviation of a bin that is shown, in percent
	leastOwn     = 0.8 // share of a sample that must be in one launch before it is drawn
	// Neighboring parts of a launch have similar occupancies. The prior assumes
	// that a profile varies by at least 30% of its level. With a smaller
	// variation, a kernel with few, short launches would appear flat.
	nextPart     = 0.9
	profileLevel = 30
)

var profileSpreads = []float64{0.3, 0.6, 1.2, 2.4}

// Profiles returns the profile of each task. A profile has the largest number
// of bins (32, 16, 8, 4, or 2) for which even the least certain bin is accurate
// to 5 points.
func Profiles(r *ingest.Recording) []Profile {
	d := newRecording(r, mostBins)
	if d == nil {
		return nil
	}
	if r.Unassigned {
		d = d.shifted(newRecording(r, partsOfOne).offset())
	}
	list := make([]Profile, len(d.level))
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

// bins returns a task's profile in the given number of bins, or nil if one of
// them cannot be determined.
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
		v, deviation := mat.Dot(c, f.mean),
			math.Sqrt(max(mat.Inner(c, f.covariance, c)*factor, 0)+s.readVariance(level))
		if !(deviation <= mostDeviance) || v < -mostDeviance || v > 100+mostDeviance {
			return nil
		}
		half := 2*deviation + rounding
		list = append(list, Estimate{min(max(v, 0), 100), max(v-half-s.load[Occupancy], 0), min(v+half, 100)})
	}
	return list
}

// bars assigns each sample that is mostly inside one launch to the profile of
// the launch's task.
func (d *recording) bars(list []Profile) {
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
					// The value was stored in 32 bits, so it is rounded to the
					// digits that were printed.
					unit.FromPercent(math.Round(y.values[Occupancy]*1e5) / 1e5)})
			}
		}
	}
}

// SampleProfile returns the samples of a kernel, scaled to the length of one
// launch. If traced is set, launches come from the trace. Otherwise, a launch
// begins with its first sample and ends with its last sample. It returns nil
// without samples.
func SampleProfile(s *ingest.Samples, t *ingest.Trace, task int, traced bool) *Profile {
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
	if list := Profiles(r); len(list) > 0 {
		return &list[0]
	}
	return nil
}
