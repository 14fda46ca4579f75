package vtuneresult

// sums adds up samples in two ways: those that end within a launch, as VTune gives each sample to the launch in which it
// ends; and of all, the launches' part of the time that launches have in them.
// The two answer two questions: what VTune prints, and what the launches had.
type sums struct {
	launches int64
	seconds  float64 // of the launches

	samples int64   // that end within
	covered float64 // seconds of launches within those
	values  values  // of those samples: percentages x clocks

	seen float64 // seconds of launches within any sample
	own  values  // percentages x seconds, bytes; below 0 of a metric that the set has not
}

func (s *sums) add(o *sums) {
	s.launches += o.launches
	s.seconds += o.seconds
	s.samples += o.samples
	s.covered += o.covered
	s.seen += o.seen
	for m, v := range o.values {
		s.values[m] += v
		s.own[m] += o.own[m]
	}
}

// The least that counters are given of: VTune prints them of any, and of few they are of the wrong moments.
const (
	fewSamples = 5
	leastShare = 0.8 // of the launches' time within samples that end in them
)

// leastLoose is the mean time of launches, in seconds, whose place among the samples is known to 0.1 ms.
const leastLoose = 1e-3

// usable says whether the counters are of these launches. loose says that the times of the launches are on another
// clock than the samples.
func (s *sums) usable(loose bool) bool {
	return s.samples >= fewSamples && s.covered/s.seconds >= leastShare &&
		!(loose && s.seconds < leastLoose*float64(s.launches))
}

// sweep goes through samples and launches in the order of time.
// It keeps the launches that are open and no sample: memory does not grow with the length of a run.
type sweep struct {
	launches []launch // by start
	hertz    float64
	next     int
	open     []open
	done     func(*launch, *sums)
}

// open is a launch that began and is not known to have ended.
type open struct {
	*launch
	sums sums
}

// addSample takes the next sample.
func (w *sweep) addSample(s *sample) {
	// Launches may run side by side, so several are open at a time; those that ended before this sample are done.
	for ; w.next < len(w.launches) && w.launches[w.next].start < s.end; w.next++ {
		l := &w.launches[w.next]
		w.open = append(w.open, open{l, sums{launches: 1, seconds: float64(l.end-l.start) / w.hertz}})
	}
	kept, length, all := w.open[:0], float64(s.end-s.start)/w.hertz, 0.0
	within := func(o *open) float64 { return float64(min(o.end, s.end)-max(o.start, s.start)) / w.hertz }
	for i := range w.open {
		o := &w.open[i]
		if o.end <= s.start {
			w.done(o.launch, &o.sums)
			continue
		}
		all += within(o)
		kept = append(kept, *o)
	}
	w.open = kept
	for i := range w.open {
		o := &w.open[i]
		o.sums.share(s, within(o), all, length)
		// VTune's rule, which the figures of its screens confirm: the sample is of the launch in which it ends.
		if s.end <= o.end {
			o.sums.end(s, within(o))
		}
	}
}

// share adds what a launch has of a sample in which it runs for some seconds, of those of all launches and of its length.
// All that is counted in a sample is of launches.
func (s *sums) share(x *sample, within, all, length float64) {
	if within <= 0 { // a launch of less than a tick
		return
	}
	s.seen += within
	for m, v := range x.values {
		switch part := within / all; {
		case v < 0:
			s.own[m] = -1
		case metric(m) < clocks:
			s.own[m] += min(v*length*part, 100*within)
		default:
			s.own[m] += v * part
		}
	}
}

// end adds a sample that ends within the launch.
func (s *sums) end(x *sample, within float64) {
	s.samples++
	s.covered += within
	for m, v := range x.values {
		if metric(m) < clocks { // a percentage of them
			v *= x.values[clocks]
		}
		s.values[m] += v
	}
}

// periods are the times in which threads ran, as samples show them: several launches may be one.
type periods struct {
	n   int64
	in  bool
	sum sums
}

// leastBusy is the occupancy in percent above which threads ran; counters are read a little apart.
const leastBusy = 0.3

func (p *periods) addSample(s *sample, hertz float64) {
	// The busy signal of the GPU does not tell: it stays up between launches that are close.
	busy := s.values[occupancy] > leastBusy || s.values[threads] > 0
	if busy {
		if !p.in {
			p.n++
		}
		seconds := float64(s.end-s.start) / hertz
		p.sum.seconds += seconds
		p.sum.end(s, seconds)
	}
	p.in = busy
}
