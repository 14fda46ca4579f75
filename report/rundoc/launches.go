package rundoc

import (
	"cmp"

	"occudiff/compare"
	"occudiff/compare/launches"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// TraceValue is what a trace tells of how the launches of a run follow each other.
type TraceValue struct {
	Devices *report.Table `json:"devices" jsonschema:"GPUs, or stacks that a program uses by themselves"`
	Tasks   *report.Table `json:"tasks"`
}

// task is a task of a sequence.
type task struct {
	*launches.Sequence
	of *launches.Task
}

// duration is a column of times; doc may be empty.
func duration(key, group, title, unit string, decimals, drop int, doc string) column {
	return column{Key: key, Path: key, Always: true, Group: group, Title: title, Unit: unit, Decimals: decimals, Drop: drop,
		Kind: report.Duration, In: report.All, Doc: doc}
}

var deviceColumns = []report.Col[launches.Device]{
	report.Define(column{Key: "name", Path: "name", Always: true, Title: "Device", Kind: report.Text, In: report.All},
		func(d *launches.Device) cell { return report.OptText(unit.Some(d.Name)) }),
	report.Define(column{Key: "launches", Path: "launches", Always: true, Title: "Launches", Kind: report.Integer, In: report.All},
		func(d *launches.Device) cell { return report.IntCell(d.Launches) }),
	report.Define(duration("window_seconds", "", "First to last", "ms", 3, 0, "first launch to end of the last"), func(d *launches.Device) cell { return report.DurationCell(d.Window) }),
	report.Define(duration("busy_seconds", "", "Busy", "ms", 3, 0, "in which anything ran"), func(d *launches.Device) cell { return report.DurationCell(d.Busy) }),
	report.Define(column{Key: "busy_percent", Path: "busy_percent", Always: true, Title: "Busy", Kind: report.Percent, In: report.All},
		func(d *launches.Device) cell {
			return report.RatioCell(unit.Ratio(d.Busy / cmp.Or(d.Window, 1))) // a single launch of no length has no window
		}),
	report.Define(column{Key: "launches_at_once", Path: "launches_at_once", Always: true, Title: "Launches at once", Decimals: 2,
		Kind: report.Number, In: report.All, Doc: "mean while anything ran"},
		func(d *launches.Device) cell { return report.NumCell(report.Number, d.AtOnce) }),
}

// taskColumns are what the launches of a task have in common. Quantiles and not extremes: one launch that waited for a
// compiler says nothing of the others.
var taskColumns = []report.Col[task]{
	report.Define(column{Key: "task", Path: "task", Always: true, Title: "Task", Kind: report.Name, Cut: true, Role: report.Code, In: report.All},
		func(t *task) cell { return report.NameCell(t.of.Key.Task) }),
	report.Define(column{Key: "global", Path: "global", Always: true, Title: "Global", Kind: report.Size, Drop: 8, Role: report.Code, In: report.All},
		func(t *task) cell { return report.SizeCell(t.of.Key.Global) }),
	report.Define(column{Key: "local", Path: "local", Always: true, Title: "Local", Kind: report.Size, Drop: 8, Role: report.Code, In: report.All},
		func(t *task) cell { return report.SizeCell(t.of.Key.Local) }),
	report.Define(column{Key: "simd", Path: "simd", Title: "SIMD", Kind: report.Integer, In: files},
		func(t *task) cell { return report.OptInt(unit.NonZero(t.of.Key.SIMD)) }),
	report.Define(column{Key: "direction", Path: "direction", Title: "Direction", Kind: report.Text, In: kept},
		func(t *task) cell { return report.TextCell(string(t.of.Key.Direction)) }),
	report.Define(column{Key: "launches", Path: "launches", Always: true, Title: "Launches", Kind: report.Integer, In: report.All},
		func(t *task) cell { return report.IntCell(t.of.Launches) }),
	report.Define(duration("total_seconds", "", "Time", "ms", 3, 0, ""), func(t *task) cell { return report.DurationCell(t.of.Time) }),
	report.Define(duration("launch_p10_seconds", "Launch", "p10", "us", 1, 5, ""), func(t *task) cell { return report.DurationCell(t.of.P10) }),
	report.Define(duration("launch_p90_seconds", "Launch", "p90", "us", 1, 5, ""), func(t *task) cell { return report.DurationCell(t.of.P90) }),
	report.Define(duration("gap_mean_seconds", "Gap before", "mean", "us", 1, 0, "before a launch, in which no kernel ran; before a copy or a fill, in which nothing ran"), func(t *task) cell { return report.DurationCell(t.of.GapMean) }),
	report.Define(duration("gap_median_seconds", "Gap before", "median", "us", 1, 6, ""), func(t *task) cell { return report.DurationCell(t.of.GapMedian) }),
	report.Define(duration("gap_p90_seconds", "Gap before", "p90", "us", 1, 6, ""), func(t *task) cell { return report.DurationCell(t.of.GapP90) }),
	report.Define(column{Key: "gap_percent", Path: "gap_percent", Always: true, Title: "Nothing ran before", Kind: report.Percent, In: report.All,
		Doc: "part of the time from the first launch to the end of the last in which nothing ran, copies neither, and this " +
			"task was next; of all tasks together it is the idle time of the run"},
		func(t *task) cell { return report.RatioCell(t.GapPart(t.of)) }),
	report.Define(column{Key: "shared_percent", Path: "shared_percent", Always: true, Title: "Overlapped", Kind: report.Percent, In: report.All,
		Doc: "of its time in which another kernel ran as well"}, func(t *task) cell { return report.RatioCell(t.of.SharedShare()) }),
	report.Define(column{Key: "shared_with", Path: "shared_with", Always: true, Title: "Mostly with", Kind: report.Name, Cut: true, Drop: 7,
		Role: report.Code, In: report.All, Doc: "empty when none did"}, func(t *task) cell {
		if t.of.With < 0 {
			return report.NameCell("")
		}
		return report.NameCell(t.Tasks[t.of.With].Key.Task)
	}),
}

// traceTasks is how many tasks are listed: those with the most time.
const traceTasks = 1000

// traceValue gives what a trace tells of a run, nil without one.
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

// launchSection shows how the launches of a run follow each other; a trace for Perfetto is their picture.
func launchSection(r *compare.Result) report.Section {
	s := report.Section{Key: "launches", Title: "Sequence of launches", Sheet: "Trace"}
	v := traceValue(r.Sequence)
	if v == nil {
		return s
	}
	s.Text = append(s.Text, "A gap is time before a launch in which nothing ran on the GPU; its share is of the time from the "+
		"first launch to the end of the last.")
	// Only a step that is coarse against gaps is worth a word.
	if step := r.Sequence.Step(); step >= 1e-6 {
		s.Text = append(s.Text, "The times of the trace are multiples of "+unit.Span(step)+": shorter gaps are not seen.")
	}
	if n := len(r.Sequence.Tasks); n > v.Tasks.Len {
		v.Tasks.Title += ", the longest of " + report.Thousands(int64(n))
	}
	s.Tables = []*report.Table{v.Tasks.Show(), v.Devices.Show()}
	return s
}
