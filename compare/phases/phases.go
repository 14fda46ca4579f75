// Package phases lays occupancies that were measured within the launches of a kernel over the simulated launch: how it
// fills, its plateau, and its tail. It does not know files or layout.
package phases

import (
	"context"
	"math"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/dispatch"
	"occudiff/predict/timeline"
)

// Launch is a launch over time, measured and simulated.
type Launch struct {
	Length   unit.Seconds `json:"launch_seconds" jsonschema:"mean; the samples of all launches are laid over one of this length"`
	From     string       `json:"launch_seconds_from" jsonschema:"what tells it"`
	Launches int          `json:"launches" jsonschema:"that have samples"`
	// Tail is when the tail begins; absent where there is none, or where the length is not known well enough.
	Tail    unit.Opt[unit.Seconds] `json:"tail_seconds" jsonschema:"when the tail begins; null without one, or where the length is not known well"`
	Phases  []Phase                `json:"phases"`
	Moments []Moment               `json:"samples"`
	Curve   []Step                 `json:"-"`
}

// Step is an occupancy that holds until the next one; the last ends the launch.
type Step struct {
	At        unit.Seconds
	Simulated unit.Ratio
}

// Moment is a sample beside the simulation, in a launch of the mean length.
type Moment struct {
	At        unit.Seconds `json:"at_seconds" col:"Since the launch began [ms]; decimals=3"`
	Measured  unit.Ratio   `json:"measured_percent" col:"Measured [%]"`
	Simulated unit.Ratio   `json:"simulated_percent" col:"Simulated [%]"`
	phase     int
}

// Phase is a part of a launch.
type Phase struct {
	Name      string               `json:"phase" col:"Phase"`
	Start     unit.Seconds         `json:"start_seconds" col:"From [ms]; decimals=3"`
	End       unit.Seconds         `json:"end_seconds" col:"To [ms]; decimals=3"`
	Predicted unit.Opt[unit.Ratio] `json:"predicted_percent" col:"Predicted [%]" jsonschema:"mean; null for the ramp, which is not simulated"`
	Measured  unit.Opt[unit.Ratio] `json:"measured_percent" col:"Measured [%]" jsonschema:"mean of the samples"`
	Samples   int                  `json:"samples" col:"Samples"`
}

// The phases in their order. The simulation fills the GPU at once, so that it has no ramp: that is the first sample of
// a launch, which may hold time before it.
const (
	ramp = iota
	plateau
	tail
)

// lengthOfSamples says that nothing but the samples tells how long a launch takes.
const lengthOfSamples = "its samples, which may miss its end"

// Of gives the launch of a row; nil where the row has no samples or no prediction.
func Of(ctx context.Context, r *compare.Result, row *compare.Row) (*Launch, error) {
	samples := ingest.SamplesOf(r.Samples, &row.Kernel)
	if samples == nil || len(samples.List) == 0 || row.Predicted == nil {
		return nil, nil
	}
	shape := r.LaunchOf(row)
	sim, err := dispatch.Simulate(ctx, r.Device, &shape, row.Predicted, dispatch.WhatIf{})
	if err != nil || len(sim.Phases) == 0 {
		return nil, err
	}
	l := &Launch{}
	runs := l.launches(r, row, samples.List)
	l.length(r, row, runs)
	l.simulate(&sim)
	for _, run := range runs {
		l.place(run)
	}
	l.means()
	return l, nil
}

// run is one launch with its samples.
type run struct {
	samples    []ingest.Moment
	start, end int64
	known      bool // start and end, from a trace
}

// launches parts the samples. Without a trace a launch is taken to begin one sample before its first.
func (l *Launch) launches(r *compare.Result, row *compare.Row, list []ingest.Moment) []run {
	var runs []run
	task, traced := r.Trace.Find(&row.Kernel)
	for i, s := range list {
		if i == 0 || s.Launch != list[i-1].Launch {
			x := run{start: s.At - s.Length}
			if ran, ok := r.Trace.During(task, s.At); traced && ok {
				x = run{start: ran.Start, end: ran.End, known: true}
			}
			runs = append(runs, x)
		}
		x := &runs[len(runs)-1]
		x.samples = append(x.samples, s)
		if !x.known {
			x.end = s.At
		}
	}
	l.Launches = len(runs)
	return runs
}

// length takes the mean length of a launch from what tells it best.
func (l *Launch) length(r *compare.Result, row *compare.Row, runs []run) {
	span := unit.Seconds(0)
	for _, x := range runs {
		span += unit.Seconds(x.end-x.start) / 1e9 / unit.Seconds(len(runs))
	}
	l.Length, l.From = span, lengthOfSamples
	if t := r.Traced(row); t != nil && t.Launches > 0 && t.Time > 0 {
		l.Length, l.From = t.Time/unit.Seconds(t.Launches), "the trace"
	} else if mean, ok := row.Average().Value(); ok && mean > span*1.001 {
		l.Length, l.From = mean, "the times of the kernel"
	}
}

// simulate scales the simulated launch to the length of the measured one.
func (l *Launch) simulate(sim *timeline.Result) {
	scale := l.Length / unit.Seconds(sim.Time)
	full := unit.Seconds(0) // until when the peak holds
	for _, p := range sim.Phases {
		l.Curve = append(l.Curve, Step{unit.Seconds(p.Start) * scale, p.Occupancy})
		if p.Occupancy >= sim.Peak-1e-9 {
			full = unit.Seconds(p.End) * scale
		}
	}
	last := sim.Phases[len(sim.Phases)-1].Occupancy
	l.Curve = append(l.Curve, Step{l.Length, last})
	l.Phases = []Phase{{Name: "ramp"}, {Name: "plateau", End: l.Length, Predicted: unit.Some(sim.Peak)}}
	if full >= l.Length*(1-1e-9) {
		return
	}
	mean := unit.Ratio(0)
	for i, s := range l.Curve[:len(l.Curve)-1] {
		if from := max(s.At, full); l.Curve[i+1].At > from {
			mean += s.Simulated * unit.Ratio((l.Curve[i+1].At-from)/(l.Length-full))
		}
	}
	l.Phases[plateau].End = full
	l.Phases = append(l.Phases, Phase{Name: "tail", Start: full, End: l.Length, Predicted: unit.Some(mean)})
	if l.From != lengthOfSamples {
		l.Tail = unit.Some(full)
	}
}

// place puts the samples of a launch over the simulated one.
func (l *Launch) place(x run) {
	stretch := unit.Seconds(1)
	if x.known && x.end > x.start {
		stretch = l.Length / (unit.Seconds(x.end-x.start) / 1e9)
	}
	for i, s := range x.samples {
		at := unit.Seconds(s.At-x.start) / 1e9 * stretch
		measured := unit.Ratio(math.Round(float64(s.Measured)*1e7) / 1e7) // as printed, where 32 bits kept it
		m := Moment{At: at, Measured: measured, Simulated: l.at(at), phase: plateau}
		begins, known := l.Tail.Value()
		switch {
		case i == 0:
			m.phase = ramp
			l.Phases[ramp].End = max(l.Phases[ramp].End, at)
		case known && at > begins:
			m.phase = tail
		}
		l.Moments = append(l.Moments, m)
	}
}

// at gives the simulated occupancy at a moment.
func (l *Launch) at(at unit.Seconds) unit.Ratio {
	simulated := l.Curve[0].Simulated
	for _, s := range l.Curve {
		if s.At > at {
			break
		}
		simulated = s.Simulated
	}
	return simulated
}

// means gives each phase the mean of its samples.
func (l *Launch) means() {
	var sums [tail + 1]unit.Ratio
	for _, m := range l.Moments {
		sums[m.phase] += m.Measured
		l.Phases[m.phase].Samples++
	}
	for i := range l.Phases {
		if n := l.Phases[i].Samples; n > 0 {
			l.Phases[i].Measured = unit.Some(sums[i] / unit.Ratio(n))
		}
	}
	l.Phases[plateau].Start = min(l.Phases[ramp].End, l.Phases[plateau].End)
}
