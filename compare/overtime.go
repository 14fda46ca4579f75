package compare

import (
	"context"

	"occudiff/compare/launches"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/timeline"
)

// OverTime is a kernel's launches laid over each other, beside the simulated launch.
type OverTime struct {
	Length   unit.Seconds `json:"launch_seconds" jsonschema:"mean; all launches are laid over one of this length"`
	From     string       `json:"launch_seconds_from" jsonschema:"what tells it"`
	Launches int          `json:"launches" jsonschema:"that have samples"`
	// Tail is when the tail begins; absent where there is none, or where the length is not known well enough.
	Tail  unit.Opt[unit.Seconds] `json:"tail_seconds" jsonschema:"when the tail begins; null without one, or where the length is not known well"`
	Bins  []Bin                  `json:"-"` // equal parts of a launch, as many as are known to 5 points; empty where only the mean is
	Bars  []Bin                  `json:"-"` // samples that are mostly of one launch
	Curve []Step                 `json:"-"`
}

// Step is an occupancy that holds until the next one; the last ends the launch.
type Step struct {
	At        unit.Seconds
	Simulated unit.Ratio
}

// Bin is a part of the launch, or a sample in it, which has the measured value alone.
type Bin struct {
	Start, End          unit.Seconds // since the launch began
	Measured, Low, High unit.Ratio
	Simulated           unit.Ratio
}

// lengthOfSamples says that nothing but the samples tells how long a launch takes.
const lengthOfSamples = "its samples, which may miss its end"

// OverTime lays the launches of a row over each other, which laid has by the tasks of the recording; nil where the row has
// no samples or no prediction.
func (r *Result) OverTime(ctx context.Context, row *Row, laid []launches.Laid) *OverTime {
	if row.Predicted == nil {
		return nil
	}
	var own *launches.Laid
	if task, ok := r.Trace.Find(&row.Kernel); r.Recording != nil {
		if task, ok = r.Recording.Trace.Find(&row.Kernel); ok && task < len(laid) {
			own = &laid[task]
		}
	} else if s := ingest.SamplesOf(r.Samples, &row.Kernel); s != nil {
		own = launches.LaySamples(s, r.Trace, task, ok)
	}
	if own == nil || own.Launches == 0 {
		return nil
	}
	shape := r.LaunchOf(row)
	sim, err := timeline.Simulate(ctx, r.Device, &shape, row.Predicted, 0)
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
	// Parts of the launches that the samples know, which may end before the launch does.
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
		o.Bars = append(o.Bars, Bin{Start: known * unit.Seconds(b.Start), End: known * unit.Seconds(b.End), Measured: b.Measured})
	}
	return o
}

// simulate scales the simulated launch to the length of the measured one.
func (o *OverTime) simulate(sim *timeline.Result) {
	scale := o.Length / unit.Seconds(sim.Time)
	full := unit.Seconds(0) // until when the peak holds
	for _, p := range sim.Phases {
		o.Curve = append(o.Curve, Step{unit.Seconds(p.Start) * scale, p.Occupancy})
		if p.Occupancy >= sim.Peak-1e-9 {
			full = unit.Seconds(p.End) * scale
		}
	}
	o.Curve = append(o.Curve, Step{o.Length, sim.Phases[len(sim.Phases)-1].Occupancy})
	if full < o.Length*(1-1e-9) && o.From != lengthOfSamples {
		o.Tail = unit.Some(full)
	}
}

// between gives the mean simulated occupancy of a part of the launch.
func (o *OverTime) between(start, end unit.Seconds) (mean unit.Ratio) {
	for i, s := range o.Curve[:len(o.Curve)-1] {
		if from, to := max(s.At, start), min(o.Curve[i+1].At, end); to > from {
			mean += s.Simulated * unit.Ratio((to-from)/(end-start))
		}
	}
	return mean
}
