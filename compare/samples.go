package compare

import (
	"cmp"
	"context"
	"iter"
	"math"
	"slices"

	"occudiff/compare/launches"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/timeline"
)

// OverTime is a kernel's occupancy over the time of a launch, averaged over its
// launches, next to the simulated occupancy.
type OverTime struct {
	Length   unit.Seconds `json:"launch_seconds"`
	From     string       `json:"launch_seconds_from"`
	Launches int          `json:"launches"`
	// Tail is the start of the partial last wave. It is absent if there is no
	// partial wave, or if the length of the launch is unknown.
	Tail  optSeconds `json:"tail_seconds"`
	Bins  []Bin      `json:"-"` // parts of a launch, each accurate to 5 points; empty if only the mean is
	Bars  []Bin      `json:"-"` // samples that cover mostly one launch
	Curve []Step     `json:"-"`
}

// Step is the simulated occupancy from a point in time until the next step. The
// last step is at the end of the launch.
type Step struct {
	At        unit.Seconds
	Simulated unit.Ratio
}

// Bin is a part of the launch, or a sample taken during the launch. A sample
// has only the measured value.
type Bin struct {
	Start, End          unit.Seconds // time since the start of the launch
	Measured, Low, High unit.Ratio
	Simulated           unit.Ratio
}

// lengthOfSamples describes the source of a launch's length if only the samples
// show the length.
const lengthOfSamples = "its samples, which may miss its end"

// OverTime returns a row's mean occupancy over the time of a launch, or nil if
// the row has no samples or no prediction. laid contains the occupancy profiles
// from the recording, by task.
func (r *Result) OverTime(row *Row, laid []launches.Profile) *OverTime {
	if row.Predicted == nil {
		return nil
	}
	var own *launches.Profile
	if task, ok := r.Trace.Find(row.Kernel); r.Recording != nil {
		if task, ok = r.Recording.Trace.Find(row.Kernel); ok && task < len(laid) {
			own = &laid[task]
		}
	} else if s := ingest.SamplesOf(r.Samples, row.Kernel); s != nil {
		own = launches.SampleProfile(s, r.Trace, task, ok)
	}
	if own == nil || own.Launches == 0 {
		return nil
	}
	shape := r.LaunchOf(row)
	sim, err := timeline.Simulate(context.Background(), r.Device, &shape, row.Predicted, 0)
	if err != nil || len(sim.Phases) == 0 {
		return nil
	}
	o := &OverTime{Launches: own.Launches, Length: own.Span, From: lengthOfSamples, Bins: []Bin{}, Bars: []Bin{}}
	if t := r.Traced(row); t != nil && t.Launches > 0 && t.Time > 0 {
		o.Length, o.From = t.Time/unit.Seconds(t.Launches), "the trace"
	} else if mean, ok := row.Average().Value(); ok && mean > own.Span*1.001 {
		o.Length, o.From = mean, "the times of the kernel"
	}
	o.simulate(&sim)
	// The last sample may end before the launch does.
	known := min(own.Span, o.Length)
	if o.From == "the trace" {
		known = o.Length
	}
	n := unit.Seconds(len(own.Bins))
	for i, b := range own.Bins {
		x := Bin{known * unit.Seconds(i) / n, known * unit.Seconds(i+1) / n, unit.FromPercent(b.Mean),
			unit.FromPercent(b.Low), unit.FromPercent(b.High), 0}
		x.Simulated = o.between(x.Start, x.End)
		o.Bins = append(o.Bins, x)
	}
	for _, b := range own.Bars {
		o.Bars = append(o.Bars, Bin{Start: known * unit.Seconds(b.Start), End: known * unit.Seconds(b.End),
			Measured: b.Measured})
	}
	return o
}

// simulate scales the simulated launch to the length of the measured one.
func (o *OverTime) simulate(sim *timeline.Result) {
	scale := o.Length / unit.Seconds(sim.Time)
	full := unit.Seconds(0) // end of the last phase at the peak occupancy
	for _, p := range sim.Phases {
		o.Curve = append(o.Curve, Step{unit.Seconds(p.Start) * scale, p.Occupancy})
		if p.Occupancy >= sim.Peak-1e-9 {
			full = unit.Seconds(p.End) * scale
		}
	}
	o.Curve = append(o.Curve, Step{o.Length, sim.Phases[len(sim.Phases)-1].Occupancy})
	o.Tail = unit.Maybe(full, full < o.Length*(1-1e-9) && o.From != lengthOfSamples)
}

// between returns the mean simulated occupancy of a part of the launch.
func (o *OverTime) between(start, end unit.Seconds) (mean unit.Ratio) {
	for i, s := range o.Curve[:len(o.Curve)-1] {
		if from, to := max(s.At, start), min(o.Curve[i+1].At, end); to > from {
			mean += s.Simulated * unit.Ratio((to-from)/(end-start))
		}
	}
	return mean
}

const (
	// mostMargin is half of the width, in points, that the interval of an
	// estimate may have to support a conclusion.
	mostMargin unit.Points = 5
	// leastLoad is the least occupancy, in percent, that shows other users of
	// the GPU in samples without launches. Lower values can be errors, because
	// counters are not read at the same time.
	leastLoad = 0.3
)

// estimated returns the kernels with estimates from all samples and launches of
// the run. The estimates replace counters that the profiler assigned by its own
// rule, because those counters include the neighbors of short launches.
func (r *Result) estimated(kernels []ingest.Kernel) []ingest.Kernel {
	e := launches.NewEstimates(r.Recording)
	if e == nil {
		return kernels
	}
	list, left := slices.Clone(kernels), 0
	for i := range list {
		k := &list[i]
		task, known := r.Recording.Trace.Find(k)
		if !known || !k.IsKernel() || k.Reading == ingest.AroundLaunch && k.Measured.Present() {
			continue
		}
		printed := cmp.Or(k.Printed, k.Measured)
		k.ClearSampled()
		k.Printed = printed
		if v := e.Tasks[task]; v != nil {
			setEstimates(k, v)
		} else {
			left++
		}
	}
	if e.Load > leastLoad {
		r.warn("foreign-load", note.Pos{}, "collect on a GPU that nothing else uses",
			"While none of the run's launches ran, "+
				"%s of the thread slots were in use: by another program, or by launches that are not in the "+
				"result. Each value may contain as much from them", unit.FromPercent(e.Load))
	}
	if left > 0 {
		r.Notes = append(r.Notes, note.Newf(note.Info, "too-many-kernels", note.Pos{}, "",
			"%s with the least time cannot be distinguished next to so many others, and have no measured occupancy",
			unit.Plural(left, "kernel")))
	}
	return list
}

func setEstimates(k *ingest.Kernel, v *launches.Values) {
	ratio := func(percent float64) optRatio {
		return unit.Some(unit.FromPercent(min(max(percent, 0), 100)))
	}
	o, busy := v[launches.Occupancy], v[launches.Busy]
	k.Measured, k.MeasuredLow, k.MeasuredHigh = ratio(o.Mean), ratio(o.Low), ratio(o.High)
	if math.IsNaN(busy.Mean) {
		return
	}
	k.Idle, k.IdleLow, k.IdleHigh = ratio(100-busy.Mean), ratio(100-busy.High), ratio(100-busy.Low)
	// The active and stalled shares must add up to the busy share.
	k.Active = ratio(min(v[launches.Active].Mean, busy.Mean))
	k.Stalled = ratio(busy.Mean - k.Active.Or(0).Percent())
}

// margin returns the largest possible error of a row's measured value, if it is
// known.
func margin(k *ingest.Kernel) optPoints {
	low, ok := k.MeasuredLow.Value()
	m := k.Measured.Or(0)
	return unit.Maybe(max(m.Minus(low), k.MeasuredHigh.Or(m).Minus(m)), ok)
}

// Launches returns every launch as a row, in the order of the file. A launch
// has its own time and counters, and is compared with the prediction of its
// kernel. It is not judged if its kernel is unmeasurable. A launch has no
// cause, breakdown, potential speedup, or notes, because they belong to the
// kernel. If no file has a row per launch, there are no rows. A row is valid
// only until the next row.
func (r *Result) Launches() iter.Seq[*Row] {
	return func(yield func(*Row) bool) {
		row := Row{Kernel: new(ingest.Kernel)}
		for _, l := range r.launches.All() {
			at := r.place[l.Kernel]
			if at < 0 { // the kernel of the launch is not in this view
				continue
			}
			if r.setLaunch(&row, &r.Rows[at], &l); !yield(&row) {
				return
			}
		}
	}
}

// setLaunch makes the row of a launch of a kernel, and reuses the memory of the
// row. The row keeps only the values that all launches share, so that no sum
// over launches becomes the value of a launch.
func (r *Result) setLaunch(row, of *Row, l *ingest.LaunchRecord) {
	k, s := row.Kernel, of.Kernel
	*k = *s
	k.ClearSampled()
	k.Mean, k.Barriers, k.Uneven, k.Counters, k.Launches = optSeconds{}, unit.Opt[int64]{}, false, nil, nil
	*row = Row{Kernel: k, Predicted: of.Predicted, NoPrediction: of.NoPrediction, ModelPeak: of.ModelPeak,
		XVEs: of.XVEs, Verdict: NotAKernel}
	k.Pos.File = r.launches.File(l.Kernel, s)
	k.Pos.Line, k.Instances, k.Total = l.Line, unit.Some[int64](1), l.Time
	k.Threads, k.Measured, k.Active, k.Stalled, k.Idle = l.Threads, l.Measured, l.Active, l.Stalled, l.Idle
	if of.Verdict != NotAKernel {
		r.derive(row)
		r.judge(row, of)
	}
	row.TimeShare = r.timeShare(k)
}

// LaunchCount returns the number of rows that Launches returns.
func (r *Result) LaunchCount() int { return r.launches.Len() }
