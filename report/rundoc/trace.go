package rundoc

import (
	"cmp"
	"math"
	"slices"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// traceFile is a run in the Trace Event Format, which Perfetto and
// chrome://tracing show. It has a process per device, a thread per queue, a
// slice per launch with its predicted and measured values, and occupancy as
// counters. Times are microseconds since the first event.
//
// The format:
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
type traceFile struct {
	Unit   string       `json:"displayTimeUnit"`
	Events []traceEvent `json:"traceEvents"`

	begin int64 // earliest time in the file, in nanoseconds
}

// since returns a time relative to the beginning of the file.
func (f *traceFile) since(ns int64) float64 {
	return float64(ns-f.begin) / 1e3
}

func (f *traceFile) add(e traceEvent) {
	f.Events = append(f.Events, e)
}

// traceEvent is an event of the format: a slice ("X"), a counter value ("C"),
// or a name ("M").
type traceEvent struct {
	Phase    string     `json:"ph"`
	Name     string     `json:"name"`
	Process  int        `json:"pid"`
	Thread   int        `json:"tid"`
	At       float64    `json:"ts"`
	Duration float64    `json:"dur,omitzero"`
	Args     *traceArgs `json:"args,omitempty"`
}

// traceArgs are the properties of an event in addition to its times.
type traceArgs struct {
	Name      string  `json:"name,omitempty"`
	Global    string  `json:"global,omitempty"`
	Local     string  `json:"local,omitempty"`
	Predicted percent `json:"predicted_percent,omitzero"` // average
	Peak      percent `json:"predicted_peak_percent,omitzero"`
	Measured  percent `json:"measured_percent,omitzero"`
	// MeanOf is set if the measured value is the mean of several launches. It
	// is the number of these launches.
	MeanOf     int64  `json:"mean_of_launches,omitzero"`
	Verdict    string `json:"verdict,omitempty"`
	Cause      string `json:"cause,omitempty"`
	Confidence string `json:"confidence,omitempty"`
}

// traceOf returns the launches and samples of a run over time, or nil if the
// start times of launches are unknown. Times are relative to the first launch
// or the first sample, whichever is earlier. The time of a sample is its end.
func traceOf(r *compare.Result) any {
	t := r.Trace
	if t.Len() == 0 {
		return nil
	}
	f := &traceFile{Unit: "ms", begin: t.First}
	var samples []ingest.CounterSample // samples of the whole device, independent of the running task
	for _, s := range r.Samples {
		if s.Key.Task == "" {
			samples = append(samples, s.List...)
		}
	}
	for _, s := range samples {
		f.begin = min(f.begin, s.At-s.Length)
	}
	for i, name := range t.Devices {
		f.add(traceEvent{
			Phase:   "M",
			Name:    "process_name",
			Process: i,
			Args:    &traceArgs{Name: cmp.Or(name, "GPU")},
		})
	}
	of := slicesOf(r)
	tracks := make([]track, len(t.Devices))
	for l := range t.All() {
		args, device := of.args(&l), t.Lanes[l.Lane]
		tracks[device].until(l.Start, device, f)
		f.add(traceEvent{
			Phase:    "X",
			Name:     report.KernelName(t.Tasks[l.Task].Task),
			Process:  device,
			Thread:   int(l.Lane),
			At:       f.since(l.Start),
			Duration: float64(l.End-l.Start) / 1e3,
			Args:     args,
		})
		x := running{l.End, [...]percent{args.Predicted, args.Measured}}
		if len(samples) > 0 { // samples are drawn instead of the means of the launches
			x.values[1] = percent{}
		}
		if x.values != [2]percent{} {
			tracks[device].running = append(tracks[device].running, x)
			tracks[device].draw(l.Start, device, f)
		}
	}
	for device := range tracks {
		tracks[device].until(math.MaxInt64, device, f)
	}
	for _, s := range samples { // draw at the start, because a counter keeps its value until the next
		f.add(traceEvent{
			Phase: "C",
			Name:  counters[1],
			At:    f.since(s.At - s.Length),
			Args:  &traceArgs{Measured: unit.Some(unit.Ratio(s.Measured))},
		})
	}
	return f
}

// counters are the names of the counter tracks, which Perfetto shows below the
// slices.
var counters = [...]string{"Predicted occupancy [%]", "Measured occupancy [%]"}

// track draws the counters of a device. If several launches run, it draws the
// values of the launch that began last. If no running launch has a value, it
// draws 0, because a counter cannot be absent in this format.
type track struct {
	running []running // in order of their start
	shown   [len(counters)]unit.Ratio
}

// running is a launch in progress.
type running struct {
	end    int64
	values [len(counters)]percent
}

// until draws the changes of the counters at the ends of all launches that end
// by a given time.
func (t *track) until(at int64, device int, f *traceFile) {
	for len(t.running) > 0 {
		end := slices.MinFunc(t.running, func(a, b running) int { return cmp.Compare(a.end, b.end) }).end
		if end > at {
			return
		}
		t.running = slices.DeleteFunc(t.running, func(x running) bool { return x.end == end })
		if end < at || len(t.running) > 0 { // not needed if a launch begins at this time, which then draws
			t.draw(end, device, f)
		}
	}
}

// draw draws the current values of the counters, starting at the given time, if
// they changed.
func (t *track) draw(at int64, device int, f *traceFile) {
	for i, name := range counters {
		var now unit.Ratio
		for _, x := range t.running {
			now = x.values[i].Or(now)
		}
		if now == t.shown[i] {
			continue
		}
		t.shown[i] = now
		args := &traceArgs{Predicted: unit.Some(now)}
		if i == 1 {
			args = &traceArgs{Measured: unit.Some(now)}
		}
		f.add(traceEvent{
			Phase:   "C",
			Name:    name,
			Process: device,
			At:      f.since(at),
			Args:    args,
		})
	}
}

// sliceArgs contains the event arguments for the launches of a trace.
type sliceArgs struct {
	trace   *ingest.Trace
	kernels []*traceArgs // indexed by task
	// launches contains the arguments for launches that have their own row, in
	// order. The key is the task and the duration in nanoseconds.
	launches map[[2]int64][]*traceArgs
}

// slicesOf returns the event arguments for all rows of a run.
func slicesOf(r *compare.Result) *sliceArgs {
	of := &sliceArgs{r.Trace, make([]*traceArgs, len(r.Trace.Tasks)), map[[2]int64][]*traceArgs{}}
	for i := range r.Rows {
		row := &r.Rows[i]
		if task, ok := r.Trace.Find(row.Kernel); ok {
			args := argsOf(row)
			if n := row.Instances.Or(0); n > 1 && args.Measured.Present() {
				args.MeanOf = n
			}
			of.kernels[task] = args
		}
	}
	for row := range r.Launches() {
		if task, ok := r.Trace.Find(row.Kernel); ok && row.Total.Present() {
			key := [2]int64{int64(task), int64(math.Round(1e9 * float64(row.Total.Or(0))))}
			of.launches[key] = append(of.launches[key], argsOf(row))
		}
	}
	return of
}

// argsOf returns the arguments for a row.
func argsOf(row *compare.Row) *traceArgs {
	a := &traceArgs{
		Global:   row.Global.String(),
		Local:    row.Local.String(),
		Measured: row.Measured,
	}
	if row.Verdict != compare.NotAKernel {
		a.Verdict = string(row.Verdict)
	}
	if p := row.Predicted; p != nil {
		a.Predicted, a.Peak = unit.Some(p.Average), unit.Some(p.Peak)
	}
	if c := row.Cause; c != nil {
		a.Cause, a.Confidence = c.Name, c.Confidence.String()
	}
	return a
}

// args returns the arguments for a launch. Call it with launches in order.
func (o *sliceArgs) args(l *ingest.Launch) *traceArgs {
	key := [2]int64{int64(l.Task), l.End - l.Start}
	if list := o.launches[key]; len(list) > 0 {
		o.launches[key] = list[1:]
		return list[0]
	}
	if args := o.kernels[l.Task]; args != nil {
		return args
	}
	task := &o.trace.Tasks[l.Task]
	return &traceArgs{Global: task.Global.String(), Local: task.Local.String()}
}
