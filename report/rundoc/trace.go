package rundoc

import (
	"cmp"
	"math"
	"slices"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/report"
)

// traceFile is a run in the Trace Event Format, which Perfetto and chrome://tracing show: a process per device, a
// thread per queue, a slice per launch with what was predicted and measured of it, and occupancy as counters. Times are
// microseconds since the first of them.
//
// The format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
type traceFile struct {
	Unit   string                    `json:"displayTimeUnit"`
	Events report.Stream[traceEvent] `json:"traceEvents"`
}

// traceEvent is a slice ("X"), a value of a counter ("C") or a name ("M").
type traceEvent struct {
	Phase    string     `json:"ph"`
	Name     string     `json:"name"`
	Process  int        `json:"pid"`
	Thread   int        `json:"tid"`
	At       float64    `json:"ts"`
	Duration float64    `json:"dur,omitempty"`
	Args     *traceArgs `json:"args,omitempty"`
}

// traceArgs is what an event says beside its times. Percentages are 0 to 100.
type traceArgs struct {
	Name      string   `json:"name,omitempty"`
	Global    string   `json:"global,omitempty"`
	Local     string   `json:"local,omitempty"`
	Predicted *float64 `json:"predicted_percent,omitempty"` // average
	Peak      *float64 `json:"predicted_peak_percent,omitempty"`
	Measured  *float64 `json:"measured_percent,omitempty"`
	// MeanOf is how many launches the measured value is the mean of, where it is not of this one alone.
	MeanOf     int64  `json:"mean_of_launches,omitempty"`
	Verdict    string `json:"verdict,omitempty"`
	Cause      string `json:"cause,omitempty"`
	Confidence string `json:"confidence,omitempty"`
}

// traceOf gives the launches and samples of a run over time, nil where nobody knows when a launch ran.
// Launches and counters share a zero, which is the earlier of the two beginnings: a sample ends when it is taken.
func traceOf(r *compare.Result) any {
	t := r.Trace
	if t.Len() == 0 {
		return nil
	}
	begin, sampled := t.First, false
	for _, s := range r.Samples {
		if s.Key.Task == "" && len(s.List) > 0 {
			begin, sampled = min(begin, s.List[0].At-s.List[0].Length), true
		}
	}
	since := func(ns int64) float64 { return float64(ns-begin) / 1e3 }
	return traceFile{Unit: "ms", Events: report.Stream[traceEvent]{Seq: func(yield func(*traceEvent) bool) {
		for i, name := range t.Devices {
			if name == "" {
				name = "GPU"
			}
			if !yield(&traceEvent{Phase: "M", Name: "process_name", Process: i, Args: &traceArgs{Name: name}}) {
				return
			}
		}
		of := slicesOf(r)
		tracks := make([]track, len(t.Devices))
		for l := range t.All() {
			args, device := of.args(&l), t.Lanes[l.Lane]
			if !tracks[device].until(l.Start, device, since, yield) || !yield(&traceEvent{Phase: "X",
				Name: report.KernelName(t.Tasks[l.Task].Task), Process: device, Thread: int(l.Lane), At: since(l.Start),
				Duration: float64(l.End-l.Start) / 1e3, Args: args}) {
				return
			}
			if x := (running{l.End, args.Predicted, args.Measured}); !tracks[device].begins(x, sampled, l.Start, device, since, yield) {
				return
			}
		}
		for device := range tracks {
			if !tracks[device].until(math.MaxInt64, device, since, yield) {
				return
			}
		}
		for _, s := range r.Samples {
			if s.Key.Task == "" && !counters(s.List, since, yield) {
				return
			}
		}
	}}}
}

// counters gives the samples of whatever ran: a counter keeps its value until the next one.
func counters(list []ingest.Moment, since func(int64) float64, yield func(*traceEvent) bool) bool {
	for i := range list {
		percent := 100 * float64(list[i].Measured)
		if !yield(&traceEvent{Phase: "C", Name: measuredTrack, At: since(list[i].At - list[i].Length),
			Args: &traceArgs{Measured: &percent}}) {
			return false
		}
	}
	return true
}

// The counter tracks.
const (
	measuredTrack  = "Measured occupancy [%]"
	predictedTrack = "Predicted occupancy [%]"
)

// track draws the occupancies of a device: those of the launch that began last of those that run, and 0 when none with
// a value does, since a counter of the format cannot be absent.
type track struct {
	running []running // in the order in which they began
	shown   [2]float64
}

// running is a launch that runs.
type running struct {
	end                 int64
	predicted, measured *float64
}

// begins draws a launch. Where occupancy was sampled over time, the samples are drawn and not the means of launches.
func (t *track) begins(x running, sampled bool, at int64, device int, since func(int64) float64, yield func(*traceEvent) bool) bool {
	if sampled {
		x.measured = nil
	}
	if x.predicted == nil && x.measured == nil {
		return true
	}
	t.running = append(t.running, x)
	return t.draw(at, device, since, yield)
}

// until draws the ends of launches up to a moment.
func (t *track) until(at int64, device int, since func(int64) float64, yield func(*traceEvent) bool) bool {
	for len(t.running) > 0 {
		first := 0
		for i := range t.running {
			if t.running[i].end < t.running[first].end {
				first = i
			}
		}
		end := t.running[first].end
		if end > at {
			return true
		}
		t.running = slices.Delete(t.running, first, first+1)
		// A launch that begins at once draws over this.
		if (end < at || len(t.running) > 0) && !t.draw(end, device, since, yield) {
			return false
		}
	}
	return true
}

func (t *track) draw(at int64, device int, since func(int64) float64, yield func(*traceEvent) bool) bool {
	var now [2]float64
	for i := range now {
		for _, x := range slices.Backward(t.running) {
			if v := [...]*float64{x.predicted, x.measured}[i]; v != nil {
				now[i] = *v
				break
			}
		}
		if now[i] == t.shown[i] {
			continue
		}
		t.shown[i] = now[i]
		e := &traceEvent{Phase: "C", Process: device, At: since(at)}
		if i == 0 {
			e.Name, e.Args = predictedTrack, &traceArgs{Predicted: &now[i]}
		} else {
			e.Name, e.Args = measuredTrack, &traceArgs{Measured: &now[i]}
		}
		if !yield(e) {
			return false
		}
	}
	return true
}

// sliceArgs finds what is said of each launch of a trace.
type sliceArgs struct {
	trace *ingest.Trace
	tasks []taskArgs
}

// taskArgs are those of a task: of its kernel, or of its launches by the time that they took, where each is a row.
type taskArgs struct {
	kernel   *traceArgs
	launches map[int64][]*traceArgs
}

// slicesOf makes the arguments of all rows.
func slicesOf(r *compare.Result) *sliceArgs {
	of := &sliceArgs{r.Trace, make([]taskArgs, len(r.Trace.Tasks))}
	type launch struct {
		line int
		task int
		time int64
		args *traceArgs
	}
	var each []launch
	for i := range r.Rows {
		row := &r.Rows[i]
		task, ok := r.Trace.Find(&row.Kernel)
		if !ok {
			continue
		}
		args := argsOf(row)
		if args.MeanOf = row.Instances.Or(0); args.MeanOf == 1 || args.Measured == nil {
			args.MeanOf = 0
		}
		of.tasks[task].kernel = args
	}
	for row := range r.Launches() {
		if task, ok := r.Trace.Find(&row.Kernel); ok && row.Total.Present() {
			each = append(each, launch{row.Pos.Line, task, int64(math.Round(1e9 * float64(row.Total.Or(0)))), argsOf(row)})
		}
	}
	// Launches that took the same time are told apart by their order in the file, which is that in which they began.
	slices.SortStableFunc(each, func(a, b launch) int { return cmp.Compare(a.line, b.line) })
	for _, l := range each {
		t := &of.tasks[l.task]
		if t.launches == nil {
			t.launches = map[int64][]*traceArgs{}
		}
		t.launches[l.time] = append(t.launches[l.time], l.args)
	}
	return of
}

// argsOf gives what is said of a row.
func argsOf(row *compare.Row) *traceArgs {
	a := &traceArgs{Global: row.Global.String(), Local: row.Local.String()}
	if row.Verdict != compare.NotAKernel {
		a.Verdict = string(row.Verdict)
	}
	if p := row.Predicted; p != nil {
		average, peak := p.Average.Percent(), p.Peak.Percent()
		a.Predicted, a.Peak = &average, &peak
	}
	if m, ok := row.Measured.Value(); ok {
		measured := m.Percent()
		a.Measured = &measured
	}
	if c := row.Cause; c != nil {
		a.Cause, a.Confidence = c.Name, c.Confidence
	}
	return a
}

// args gives those of a launch; of launches in order.
func (o *sliceArgs) args(l *ingest.Launch) *traceArgs {
	t := &o.tasks[l.Task]
	if list := t.launches[l.End-l.Start]; len(list) > 0 {
		t.launches[l.End-l.Start] = list[1:]
		return list[0]
	}
	if t.kernel != nil {
		return t.kernel
	}
	key := &o.trace.Tasks[l.Task]
	return &traceArgs{Global: key.Global.String(), Local: key.Local.String()}
}
