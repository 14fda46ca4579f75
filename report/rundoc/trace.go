package rundoc

import (
	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/report"
)

// traceFile is a run in the Trace Event Format, which Perfetto and chrome://tracing show: a process per device, a
// thread per queue, a slice per launch, and the measured occupancy as a counter. Times are microseconds since the first
// of them.
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

// traceArgs is what an event says beside its times.
type traceArgs struct {
	Name     string   `json:"name,omitempty"`
	Global   string   `json:"global,omitempty"`
	Local    string   `json:"local,omitempty"`
	Measured *float64 `json:"measured_percent,omitempty"`
}

// traceOf gives the launches and samples of a run over time, nil where nobody knows when a launch ran.
// Launches and counters share a zero, which is the earlier of the two beginnings: a sample ends when it is taken.
func traceOf(r *compare.Result) any {
	t := r.Trace
	if t.Len() == 0 {
		return nil
	}
	begin := t.First
	for _, s := range r.Samples {
		if s.Key.Task == "" && len(s.List) > 0 {
			begin = min(begin, s.List[0].At-s.List[0].Length)
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
		for l := range t.All() {
			key := &t.Tasks[l.Task]
			if !yield(&traceEvent{Phase: "X", Name: report.KernelName(key.Task), Process: t.Lanes[l.Lane],
				Thread: int(l.Lane), At: since(l.Start), Duration: float64(l.End-l.Start) / 1e3,
				Args: &traceArgs{Global: key.Global.String(), Local: key.Local.String()}}) {
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
		if !yield(&traceEvent{Phase: "C", Name: "Measured occupancy [%]", At: since(list[i].At - list[i].Length),
			Args: &traceArgs{Measured: &percent}}) {
			return false
		}
	}
	return true
}
