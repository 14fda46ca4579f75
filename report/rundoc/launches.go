package rundoc

import (
	"cmp"
	"fmt"
	"math"

	"occudiff/compare"
	"occudiff/compare/launches"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// TraceValue describes the sequence of launches in a run, according to its
// trace.
type TraceValue struct {
	Devices *report.Table `json:"devices"`
	Tasks   *report.Table `json:"tasks"`
}

// task is a task of a sequence.
type task struct {
	*launches.Sequence
	of *launches.Task
}

var deviceColumns = []report.Col[launches.Device]{
	report.Define("name", "Device",
		func(d *launches.Device) string { return d.Name }),
	report.Define("launches", "Launches",
		func(d *launches.Device) int64 { return d.Launches }),
	report.Define("window_seconds", "First to last",
		func(d *launches.Device) unit.Seconds { return d.Window },
		report.Milliseconds),
	report.Define("busy_seconds", "Busy",
		func(d *launches.Device) unit.Seconds { return d.Busy },
		report.Milliseconds),
	report.Define("busy_percent", "Busy",
		func(d *launches.Device) unit.Ratio { return unit.Ratio(d.Busy / cmp.Or(d.Window, 1)) }),
	report.Define("launches_at_once", "Launches at once",
		func(d *launches.Device) float64 { return d.AtOnce },
		report.Decimals(2)),
}

// taskColumns are statistics over the launches of a task. They use quantiles
// instead of extremes, because a single launch that waited for a compiler is
// not typical.
var taskColumns = []report.Col[task]{
	report.Define("task", "Task",
		func(t *task) string { return t.of.Key.Task },
		report.Name, report.Cut,
		report.Code),
	report.Define("global", "Global",
		func(t *task) unit.Size3 { return t.of.Key.Global },
		report.Drop(8),
		report.Code),
	report.Define("local", "Local",
		func(t *task) unit.Size3 { return t.of.Key.Local },
		report.Drop(8), report.Code),
	report.Define("simd", "SIMD",
		func(t *task) int { return t.of.Key.SIMD },
		report.Kept, report.NonZero),
	report.Define("direction", "Direction",
		func(t *task) string { return string(t.of.Key.Direction) },
		report.Wide,
		report.NonZero),
	report.Define("launches", "Launches",
		func(t *task) int64 { return t.of.Launches }),
	report.Define("total_seconds", "Time",
		func(t *task) unit.Seconds { return t.of.Time },
		report.Milliseconds),
	report.Define("launch_p10_seconds", "p10",
		func(t *task) unit.Seconds { return t.of.P10 },
		report.Group("Launch"), report.Microseconds, report.Drop(5)),
	report.Define("launch_p90_seconds", "p90",
		func(t *task) unit.Seconds { return t.of.P90 },
		report.Group("Launch"), report.Microseconds, report.Drop(5)),
	report.Define("gap_mean_seconds", "mean",
		func(t *task) unit.Seconds { return t.of.GapMean },
		report.Group("Gap before"), report.Microseconds),
	report.Define("gap_median_seconds", "median",
		func(t *task) unit.Seconds { return t.of.GapMedian },
		report.Group("Gap before"), report.Microseconds, report.Drop(6)),
	report.Define("gap_p90_seconds", "p90",
		func(t *task) unit.Seconds { return t.of.GapP90 },
		report.Group("Gap before"), report.Microseconds, report.Drop(6)),
	report.Define("gap_percent", "Nothing ran before",
		func(t *task) unit.Ratio { return t.GapPart(t.of) }),
	report.Define("shared_percent", "Overlapped",
		func(t *task) unit.Ratio { return t.of.SharedShare() }),
	report.Define("shared_with", "Mostly with", func(t *task) string {
		if t.of.With < 0 {
			return ""
		}
		return t.Tasks[t.of.With].Key.Task
	}, report.Drop(7), report.Name, report.Cut, report.Code),
}

// traceTasks is the maximum number of tasks in the list. If there are more, the
// list has the tasks with the most time.
const traceTasks = 1000

// traceValue returns the description of a launch sequence, or nil if the run
// has no trace.
func traceValue(s *launches.Sequence) *TraceValue {
	if s == nil {
		return nil
	}
	var tasks []task
	for _, i := range s.Longest(traceTasks) {
		tasks = append(tasks, task{s, &s.Tasks[i]})
	}
	return &TraceValue{report.NewTable("trace-devices", "Devices of the trace", s.Devices, deviceColumns),
		report.NewTable("traced", "Tasks of the trace", tasks, taskColumns)}
}

// launchSection returns the section about the launch sequence of a run. The
// section has no chart, because a trace for Perfetto shows the sequence.
func launchSection(r *compare.Result) report.Section {
	s := report.Section{
		Key:   "launches",
		Title: "Sequence of launches",
		Sheet: "Runs",
	}
	v := traceValue(r.Sequence)
	if v == nil {
		return s
	}
	s.Text = []string{"A gap is time before a launch in which nothing ran on the GPU; " +
		"its share refers to the time from the first launch to the end of the last."}
	// The step between possible times is mentioned only if it is so coarse that
	// it can hide gaps.
	if step := r.Sequence.Step(); step >= 1e-6 {
		s.Text = append(s.Text, "The times of the trace are multiples of "+unit.FormatDuration(step)+
			": shorter gaps are invisible.")
	}
	if n := len(r.Sequence.Tasks); n > v.Tasks.Len {
		v.Tasks.Title += ", the longest of " + report.Thousands(n)
	}
	s.Tables = []*report.Table{v.Tasks.Show(), v.Devices.Show()}
	return s
}

// OverTime is a kernel whose occupancy was sampled during its launches. It also
// has the occupancy of a simulated launch, for comparison. JSON and the table
// contain only some of the samples.
type OverTime struct {
	Task   string        `json:"task"`
	Global unit.Size3    `json:"global"`
	Local  unit.Size3    `json:"local"`
	SIMD   unit.Opt[int] `json:"simd"`
	compare.OverTime
	Profile *report.Table `json:"profile"`
	Samples *report.Table `json:"samples"`
	mean    percent
}

var binColumns = []report.Col[compare.Bin]{
	report.Define("start_seconds", "From",
		func(b *compare.Bin) unit.Seconds { return b.Start },
		report.Milliseconds),
	report.Define("end_seconds", "To",
		func(b *compare.Bin) unit.Seconds { return b.End },
		report.Milliseconds),
	report.Define("measured_percent", "Measured",
		func(b *compare.Bin) unit.Ratio { return b.Measured }),
	report.Define("measured_low_percent", "low",
		func(b *compare.Bin) unit.Ratio { return b.Low },
		report.Drop(5)),
	report.Define("measured_high_percent", "high",
		func(b *compare.Bin) unit.Ratio { return b.High },
		report.Drop(5)),
	report.Define("simulated_percent", "Simulated",
		func(b *compare.Bin) unit.Ratio { return b.Simulated }),
}

// barColumns are the columns of a sample.
var barColumns = binColumns[:3]

// timedKernels is the maximum number of kernels shown over time. shownSamples
// is the maximum number of samples for each.
const timedKernels, shownSamples = 12, 2000

// kernelsOverTime returns the first kernels that have samples over time.
func kernelsOverTime(r *compare.Result) (list []OverTime) {
	if len(r.Samples) == 0 {
		return nil
	}
	list = []OverTime{}
	laid := launches.Profiles(r.Recording)
	for i := range r.Rows {
		row := &r.Rows[i]
		o := r.OverTime(row, laid)
		if o == nil {
			continue
		}
		k := overTimeOf(o)
		k.Task, k.Global, k.Local, k.SIMD, k.mean = row.Task, row.Global, row.Local, row.SIMD, row.Measured
		if list = append(list, k); len(list) == timedKernels {
			break
		}
	}
	return list
}

// overTimeOf returns a kernel for the outputs, with at most shownSamples
// samples.
func overTimeOf(o *compare.OverTime) (k OverTime) {
	if o != nil {
		k.OverTime, k.Bars = *o, nil
		every := 1 + (len(o.Bars)-1)/shownSamples
		for i := 0; i < len(o.Bars); i += every {
			k.Bars = append(k.Bars, o.Bars[i])
		}
	}
	k.Profile = report.NewTable("profile", "", k.Bins, binColumns)
	k.Samples = report.NewTable("samples", "", k.Bars, barColumns)
	return k
}

// overTimeSections returns a section for each kernel with its occupancy over
// time. Each section has its own workbook sheet.
func overTimeSections(r *compare.Result) (list []report.Section) {
	for i, k := range kernelsOverTime(r) {
		p := k.plot(i)
		s := report.Section{Key: p.Key, Title: p.Title, Plots: []report.Plot{p}}
		s.Sheet = "Trend"
		text := fmt.Sprintf("%s, overlaid on one of %s (from %s).", unit.FormatCount(k.Launches, "launch", "launches"),
			unit.FormatDuration(k.Length), k.From)
		if begins, known := k.Tail.Value(); known {
			text += fmt.Sprintf(" In the simulation, the tail begins at %s, %s into the launch.",
				unit.FormatDuration(begins), unit.Ratio(begins/k.Length))
		}
		table := k.Profile.Show()
		if len(k.Bins) == 0 {
			const few = 32 // maximum number of samples on a terminal
			text += " The samples show the mean, but not how occupancy changes during a launch."
			table = k.Samples.Show()
			table.Main = min(table.Len, few)
		}
		table.Key = p.Key
		s.Text, s.Tables = []string{text}, []*report.Table{table}
		list = append(list, s)
	}
	return list
}

// Sampled reports whether a kernel of a run can be shown over time.
func Sampled(r *compare.Result) bool {
	return len(kernelsOverTime(r)) > 0
}

// plottedBars is the maximum number of drawn samples. If more samples were
// drawn, they would hide each other. The profile summarizes all samples.
const plottedBars = 60

// plot returns a chart of a kernel's samples and its profile over a launch,
// together with the simulated launch. If no profile is known, the chart has the
// mean instead. at is the index in the list of kernels over time.
func (k *OverTime) plot(at int) report.Plot {
	point := func(at unit.Seconds, v unit.Ratio) report.Point {
		return report.Point{X: 1e3 * float64(at), Y: v.Percent()}
	}
	simulated := report.LineSeries{Name: "simulated", Style: report.Steps}
	for _, s := range k.Curve {
		simulated.Points = append(simulated.Points, point(s.At, s.Simulated))
	}
	profile := report.LineSeries{Name: "measured", Style: report.Steps}
	for _, b := range k.Bins {
		profile.Points = append(profile.Points, point(b.Start, b.Measured))
	}
	if n := len(k.Bins); n > 0 {
		profile.Points = append(profile.Points, point(k.Bins[n-1].End, k.Bins[n-1].Measured))
	} else if mean, ok := k.mean.Value(); ok {
		profile.Name, profile.Points = "measured mean", []report.Point{point(0, mean), point(k.Length, mean)}
	}
	series := []report.LineSeries{simulated, profile}
	text := "Mean measured occupancy of the launches, and the simulated launch."
	if n := len(k.Bars); n > 0 && n <= plottedBars {
		bars := report.LineSeries{Name: "samples"}
		for _, b := range k.Bars {
			bars.Points = append(bars.Points, point(b.Start, b.Measured), point(b.End, b.Measured),
				report.Point{X: math.NaN()}) // a gap
		}
		series, text = append(series, bars), text+" Each sample is a bar as long as its time."
	}
	if begins, known := k.Tail.Value(); known {
		at := 1e3 * float64(begins)
		series = append(series, report.LineSeries{Name: "simulated tail begins",
			Points: []report.Point{{X: at}, {X: at, Y: 100}}})
	}
	return report.Plot{
		Key:   fmt.Sprintf("overtime-%d", at+1),
		Unit:  "%",
		Max:   100,
		Text:  text,
		Title: "Occupancy over time: " + report.CutMiddle(report.KernelName(k.Task), report.LabelWidth),
		LineChart: &report.LineChart{
			X:      "Time since the launch began [ms]",
			Y:      "Occupancy",
			Series: series,
		},
	}
}
