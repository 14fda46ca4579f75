package rundoc

import (
	"fmt"

	"occudiff/compare"
	"occudiff/compare/launches"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// TraceValue is what a trace tells of how the launches of a run follow each other.
type TraceValue struct {
	Devices []TraceDevice `json:"devices" jsonschema:"GPUs, or stacks that a program uses by themselves"`
	Tasks   []TraceTask   `json:"tasks"`
	Gaps    []TraceGap    `json:"longest_gaps" jsonschema:"in which nothing ran on a GPU; the longest first"`
}

// TraceDevice is what ran on a device.
type TraceDevice struct {
	Name     string       `json:"name" col:"Device"`
	Launches int64        `json:"launches" col:"Launches"`
	Window   unit.Seconds `json:"window_seconds" col:"First to last [ms]; decimals=3" jsonschema:"first launch to end of the last"`
	Busy     unit.Seconds `json:"busy_seconds" col:"Busy [ms]; decimals=3" jsonschema:"in which anything ran"`
	Share    unit.Ratio   `json:"busy_percent" col:"Busy [%]"`
	AtOnce   float64      `json:"launches_at_once" col:"Launches at once; decimals=2" jsonschema:"mean while anything ran"`
}

// TraceTask is what the launches of a task have in common.
// Quantiles and not extremes: one launch that waited for a compiler says nothing of the others.
type TraceTask struct {
	Task      report.Symbol    `json:"task" col:"Task; cut; role=code"`
	Global    unit.Size3       `json:"global" col:"Global; drop=8; role=code"`
	Local     unit.Size3       `json:"local" col:"Local; drop=8; role=code"`
	SIMD      unit.Opt[int]    `json:"simd" col:"SIMD; in=page+sheet"`
	Direction unit.Opt[string] `json:"direction" col:"Direction; in=sheet"`
	Launches  int64            `json:"launches" col:"Launches"`
	Total     unit.Seconds     `json:"total_seconds" col:"Time [ms]; decimals=3"`
	P10       unit.Seconds     `json:"launch_p10_seconds" col:"p10 [us]; group=Launch; decimals=1; drop=5"`
	P90       unit.Seconds     `json:"launch_p90_seconds" col:"p90 [us]; group=Launch; decimals=1; drop=5"`
	Gap       unit.Seconds     `json:"gap_mean_seconds" col:"mean [us]; group=Gap before; decimals=1" jsonschema:"before a launch, in which no kernel ran; before a copy or a fill, in which nothing ran"`
	GapMedian unit.Seconds     `json:"gap_median_seconds" col:"median [us]; group=Gap before; decimals=1; drop=6"`
	GapP90    unit.Seconds     `json:"gap_p90_seconds" col:"p90 [us]; group=Gap before; decimals=1; drop=6"`
	GapShare  unit.Ratio       `json:"gap_percent" col:"Nothing ran before [%]" jsonschema:"part of the time from the first launch to the end of the last in which nothing ran, copies neither, and this task was next; of all tasks together it is the idle time of the run"`
	Shared    unit.Ratio       `json:"shared_percent" col:"Overlapped [%]" jsonschema:"of its time in which another kernel ran as well"`
	With      report.Symbol    `json:"shared_with" col:"Mostly with; cut; drop=7; role=code" jsonschema:"empty when none did"`
}

// TraceGap is a time in which nothing ran on a device.
type TraceGap struct {
	Device string        `json:"device" col:"Device; in=sheet"`
	Start  unit.Seconds  `json:"start_seconds" col:"At [ms]; decimals=3" jsonschema:"since the first launch"`
	Length unit.Seconds  `json:"length_seconds" col:"Gap [us]; decimals=1"`
	After  report.Symbol `json:"after" col:"After; cut; role=code"`
	Before report.Symbol `json:"before" col:"Before; cut; role=code"`
}

// traceTasks is how many tasks are listed: those with the most time.
const traceTasks = 1000

// traceValue gives what a trace tells of a run, nil without one.
func traceValue(r *compare.Result) *TraceValue {
	s := r.Sequence
	if s == nil {
		return nil
	}
	devices := report.ListOf(s.Devices, func(d launches.Device) TraceDevice {
		// A single launch of no length has no window.
		share := unit.Ratio(0)
		if d.Window > 0 {
			share = unit.Ratio(d.Busy / d.Window)
		}
		return TraceDevice{d.Name, d.Launches, d.Window, d.Busy, share, d.AtOnce}
	})
	tasks := report.ListOf(s.Longest(traceTasks), func(i int) TraceTask {
		t := &s.Tasks[i]
		row := TraceTask{Task: report.Symbol(t.Key.Task), Global: t.Key.Global, Local: t.Key.Local,
			SIMD: unit.NonZero(t.Key.SIMD), Direction: unit.NonZero(string(t.Key.Direction)),
			Launches: t.Launches, Total: t.Time,
			P10: t.P10, P90: t.P90, Gap: t.GapMean, GapMedian: t.GapMedian, GapP90: t.GapP90, GapShare: s.GapPart(t),
			Shared: t.SharedShare()}
		if t.With >= 0 {
			row.With = report.Symbol(s.Tasks[t.With].Key.Task)
		}
		return row
	})
	gaps := report.ListOf(s.Gaps, func(g launches.Gap) TraceGap {
		return TraceGap{s.Devices[g.Device].Name, g.Start, g.Length, report.Symbol(s.Tasks[g.Before].Key.Task),
			report.Symbol(s.Tasks[g.After].Key.Task)}
	})
	return &TraceValue{devices, tasks, gaps}
}

// launchSection shows how the launches of a run follow each other.
func launchSection(r *compare.Result) (report.Section, bool) {
	s := report.Section{Key: "launches", Title: "Sequence of launches", Sheet: "Trace"}
	v := traceValue(r)
	if v == nil {
		return s, false
	}
	s.Text = append(s.Text, v.busy()...)
	note := "A gap is time before a launch in which nothing ran on the GPU; its share is of the time from the " +
		"first launch to the end of the last."
	// Only a step that is coarse against gaps is worth a word.
	if step := r.Sequence.Step(); step >= 1e-6 {
		note += " The times of the trace are multiples of " + unit.Span(step) + ": shorter gaps are not seen."
	}
	s.Text = append(s.Text, note)
	tasks := report.Rows("traced", len(v.Tasks), func(i int) TraceTask { return v.Tasks[i] })
	tasks.Title = "Tasks of the trace"
	if n := len(r.Sequence.Tasks); n > len(v.Tasks) {
		tasks.Title += ", the longest of " + report.Thousands(int64(n))
	}
	s.Tables = append(s.Tables, tasks)
	if len(v.Gaps) > 0 {
		s.Tables = append(s.Tables, report.List("gaps", "The longest gaps", v.Gaps))
	}
	if len(v.Devices) > 1 {
		s.Tables = append(s.Tables, report.List("trace-devices", "Devices of the trace", v.Devices))
	}
	s.Plots = append(s.Plots, launchPlot(r))
	return s, true
}

// busyText says of each device of a trace how much of the time it was busy; nothing without a trace.
func busyText(r *compare.Result) []string {
	if v := traceValue(r); v != nil {
		return v.busy()
	}
	return nil
}

func (v *TraceValue) busy() (list []string) {
	for _, d := range v.Devices[:min(len(v.Devices), 8)] {
		what := "the GPU"
		if len(v.Devices) > 1 {
			what = "device " + report.OneLine(d.Name)
		}
		line := fmt.Sprintf("According to the trace, %s was busy for %s of the %s from its first launch to the end "+
			"of its last (%s)", what, report.PercentText(d.Share.Percent()), unit.Span(d.Window),
			unit.Counted(d.Launches, "launch", "launches"))
		// What is printed with two decimals.
		if d.AtOnce > 1.005 {
			line += fmt.Sprintf("; while busy, it ran %s launches at once on average", report.Decimal(d.AtOnce, 2))
		}
		list = append(list, line)
	}
	return list
}

const (
	// plotTasks is how many tasks the picture of a run shows, and plotParts in how many parts of the time.
	plotTasks, plotParts = 10, 60
)

// launchPlot is the picture of a run: when the GPU was busy, and when the tasks with the most time ran. Launches are not
// drawn one by one: bars thinner than a pixel would show nothing but their overlap.
func launchPlot(r *compare.Result) report.Plot {
	s := r.Sequence
	longest := s.Longest(plotTasks)
	var names []string
	for i := range s.Devices {
		name := "GPU busy"
		if len(s.Devices) > 1 {
			name = "busy " + report.OneLine(s.Devices[i].Name)
		}
		names = append(names, report.CutMiddle(name, report.LabelWidth))
	}
	for _, task := range longest {
		names = append(names, report.CutMiddle(report.KernelName(s.Tasks[task].Key.Task), report.LabelWidth))
	}
	p := report.Plot{Key: "launches", Title: "The run over time"}
	if len(s.Tasks) > len(longest) {
		p.Title += fmt.Sprintf(", the %d longest of %s tasks", plotTasks, report.Thousands(int64(len(s.Tasks))))
	}
	p.Unit, p.Max, p.HeatMap = "%", 100, launchMap(s, longest, names)
	if values := runOccupancy(r, plotParts); values != nil {
		p.HeatMap.Rows = append([]report.HeatRow{{Name: "measured occupancy", Values: values}}, p.HeatMap.Rows...)
	}
	p.Text = fmt.Sprintf("For each of %d parts of the run, %s long, the share of it in which the GPU was busy and in "+
		"which the longest tasks ran.", plotParts, unit.Span(s.Window()/plotParts))
	return p
}

// runOccupancy gives the mean measured occupancy of equal parts of the time from the first launch to the end of the
// last, in percent, NaN where no sample lies; nil without samples.
func runOccupancy(r *compare.Result, parts int) []float64 {
	// Nanoseconds; at least 1, for a trace of a moment.
	part, sampled := max(float64(r.Trace.Last-r.Trace.First)/float64(parts), 1), false
	values, times := make([]float64, parts), make([]float64, parts)
	for _, s := range r.Samples {
		for _, m := range s.List {
			to := float64(m.At - r.Trace.First)
			from := to - float64(max(m.Length, 1))
			for i := max(int(from/part), 0); i < parts && float64(i)*part < to; i++ {
				// A sample counts in each part by the time that it has there. The time of a sample is that of its end.
				d := min(to, float64(i+1)*part) - max(from, float64(i)*part)
				values[i] += d * 100 * float64(m.Measured)
				times[i] += d
			}
		}
	}
	for i := range values {
		// 0 / 0 is NaN, which is drawn as nothing.
		values[i] /= times[i]
		sampled = sampled || times[i] > 0
	}
	if !sampled {
		return nil
	}
	return values
}

// launchMap shows in which parts of the run tasks ran.
func launchMap(s *launches.Sequence, tasks []int, names []string) *report.HeatMap {
	h := &report.HeatMap{}
	for i := range plotParts {
		h.Columns = append(h.Columns, unit.Span(s.Window()*unit.Seconds(i)/plotParts))
	}
	for i, shares := range s.Shares(tasks, plotParts) {
		row := report.HeatRow{Name: names[i]}
		for _, v := range shares {
			row.Values = append(row.Values, v.Percent())
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}
