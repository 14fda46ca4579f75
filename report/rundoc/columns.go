package rundoc

import (
	"cmp"
	"iter"
	"slices"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// kernel is a row of a run with values that depend on other rows.
type kernel struct {
	*compare.Row
	host seconds // host time, only for a run that comes from a log
}

// lowest and highest are the ends of the interval for the measured occupancy.
// If the run has no occupancy counter, they are the bounds that follow from the
// XVE array state.
func (k *kernel) lowest() percent {
	return cmp.Or(k.MeasuredLow, k.BoundLow)
}
func (k *kernel) highest() percent {
	return cmp.Or(k.MeasuredHigh, k.BoundHigh)
}

// workItems returns the number of work-items in a launch.
func (k *kernel) workItems() unit.Opt[int64] {
	return unit.Maybe(k.Global.Items())
}

// firstKernels lists the first columns of the kernel table for people. The
// columns that only a workbook has come after them.
var firstKernels = []string{
	"task", "device", "global", "local", "simd", "registers_per_thread", "spill_bytes", "private_bytes", "direction",
	"total_seconds", "instances", "average_seconds",
	"predicted_peak_percent", "predicted_average_percent", "predicted_average_high_percent", "host_seconds",
	"profiler_peak_percent", "measured_percent", "difference_points",
	"underfilled_points", "idle_points", "shortfall_points", "last_wave_points", "launch_limit_points",
	"verdict", "cause", "possible_fix", "potential_speedup", "more_threads_bound", "balancing_bound",
	"potential_speedup_evidence", "model_difference_points", "limits",
}

// kernelColumns are all columns for a kernel, in the order of JSON and CSV.
// Columns that only people read are last.
var kernelColumns = slices.Concat(launchColumns,
	report.Part("", "predicted",
		func(k *kernel) *predict.Prediction { return k.Predicted },
		predictdoc.KernelPrediction),
	measuredColumns,
	report.Part("", "cause",
		func(k *kernel) *compare.Cause { return k.Cause },
		causeColumns),
	report.Part("", "slot_breakdown",
		func(k *kernel) *compare.SlotBreakdown { return k.Breakdown },
		breakdownColumns),
	report.Part("", "possible_fix", func(k *kernel) *compare.Row {
		if k.Fix.Remedy == compare.NoRemedy || k.Fix.Remedy == compare.LimitedElsewhere {
			return nil
		}
		return k.Row
	}, fixColumns),
	compiledColumns,
	report.Part("", "potential_speedup", func(k *kernel) *compare.PotentialSpeedup {
		if k.Speedup.Verdict() == "" {
			return nil
		}
		return &k.Speedup
	}, speedupColumns),
	[]report.Col[kernel]{
		report.List("counters",
			func(k *kernel) []ingest.Counter { return slices.Collect(k.Counters.All()) },
			counterList),
		report.List("notes",
			func(k *kernel) []note.Note { return rowNotes(k.Row) },
			report.NoteColumns()),
	},
	report.Part("launch_", "launches",
		func(k *kernel) *ingest.LaunchSpread { return k.Launches },
		spreadColumns,
		report.Optional),
	peopleColumns)

// launchColumns describe the launch and its duration.
var launchColumns = []report.Col[kernel]{
	report.Define("task", "Kernel",
		func(k *kernel) string { return k.Task },
		report.Name, report.Cut, report.Code),
	report.Define("global", "Global",
		func(k *kernel) unit.Size3 { return k.Global },
		report.Drop(14), report.Code),
	report.Define("local", "Local",
		func(k *kernel) unit.Size3 { return k.Local },
		report.Drop(13), report.Code),
	report.Shown("work_items", "Work-items", (*kernel).workItems, report.Sheet),
	report.Define("simd", "SIMD",
		func(k *kernel) unit.Opt[int] { return k.SIMD },
		report.Drop(10)),
	report.Define("direction", "Direction",
		func(k *kernel) string { return string(k.Direction) },
		report.Kept,
		report.NonZero),
	report.Define("file", "File",
		func(k *kernel) string { return k.Pos.File },
		report.Wide, report.NonZero),
	report.Define("line", "Line",
		func(k *kernel) int { return k.Pos.Line },
		report.Wide, report.NonZero),
	report.Define("instances", "Launches",
		func(k *kernel) unit.Opt[int64] { return k.Instances },
		report.Drop(8),
		report.Print),
	report.Define("total_seconds", "GPU time",
		func(k *kernel) seconds { return k.Total },
		report.Milliseconds),
	report.Define("average_seconds", "Time per launch", (*kernel).Average, report.Wide, report.Microseconds),
}

// compiledColumns are the properties that the compiler set.
var compiledColumns = []report.Col[kernel]{
	report.Define("registers_per_thread", "Registers per thread",
		func(k *kernel) unit.Opt[int] { return k.Registers },
		report.Brief("GRF"), report.Drop(8)),
	report.Define("spill_bytes", "Spill",
		func(k *kernel) unit.Opt[unit.Bytes] { return k.Spill },
		report.Drop(12)),
	report.Define("private_bytes", "Private memory",
		func(k *kernel) unit.Opt[unit.Bytes] { return k.Private },
		report.Kept),
}

// measuredColumns are the measured values and their distance from the
// prediction.
var measuredColumns = slices.Concat([]report.Col[kernel]{
	report.Define("profiler_peak_percent", "VTune peak",
		func(k *kernel) percent { return k.Peak },
		report.Drop(12)),
	report.Define("measured_percent", "Measured",
		func(k *kernel) percent { return k.Measured },
		report.Bar),
}, report.EachAs([]report.Col[kernel]{
	report.Define("measured_low_percent", "Measured, at least", (*kernel).lowest),
	report.Define("measured_high_percent", "Measured, at most", (*kernel).highest),
	report.Define("own_low_percent", "Own occupancy, at least",
		func(k *kernel) percent { return k.OwnLow }),
	report.Define("own_high_percent", "Own occupancy, at most",
		func(k *kernel) percent { return k.OwnHigh }),
	report.Define("printed_percent", "As VTune prints it",
		func(k *kernel) percent { return k.Printed }),
	report.Define("active_percent", "XVE active",
		func(k *kernel) percent { return k.Active }),
	report.Define("stalled_percent", "XVE stalled",
		func(k *kernel) percent { return k.Stalled }),
	report.Define("idle_percent", "XVE idle",
		func(k *kernel) percent { return k.Idle }),
	report.Define("idle_low_percent", "XVE idle, at least",
		func(k *kernel) percent { return k.IdleLow }),
	report.Define("idle_high_percent", "XVE idle, at most",
		func(k *kernel) percent { return k.IdleHigh }),
	report.Define("busy_occupancy_percent", "Busy occupancy",
		func(k *kernel) percent { return k.BusyOccupancy }),
	report.Define("threads_started", "Threads started",
		func(k *kernel) unit.Opt[int64] { return k.Threads }),
	report.Define("thread_life_seconds", "Thread lifetime",
		func(k *kernel) seconds { return k.ThreadLifetime },
		report.Microseconds),
	report.Define("basis", "Compared",
		func(k *kernel) string { return string(k.Basis) },
		report.NonZero),
}, report.Wide), []report.Col[kernel]{
	report.Define("difference_points", "Difference",
		func(k *kernel) points { return k.Difference },
		report.Drop(11), report.Print),
	report.Define("model_difference_points", "Peak difference",
		func(k *kernel) points { return k.PeakDifference },
		report.Kept),
	report.Define("verdict", "Verdict",
		func(k *kernel) report.Word { return statusOf(k.Verdict).Word(string(k.Verdict)) },
		report.Choice,
		report.Always),
})

var causeColumns = []report.Col[compare.Cause]{
	report.Define("cause", "Cause",
		func(c *compare.Cause) string { return c.Name },
		report.Path("name")),
	report.Define("confidence", "Confidence",
		func(c *compare.Cause) string { return c.Confidence.String() },
		report.Wide, report.NonZero),
	report.Define("evidence", "Evidence",
		func(c *compare.Cause) string { return c.Evidence },
		report.Wide),
	report.JSON("confirm_with",
		func(c *compare.Cause) string { return c.ConfirmWith },
		report.NonZero),
}

var fixColumns = []report.Col[compare.Row]{
	report.Define("possible_fix", "Possible fix",
		func(r *compare.Row) string { return string(r.Fix.Remedy) },
		report.Drop(2), report.Print, report.Path("action")),
	report.Define("possible_fix_bound", "Bound of the fix",
		func(r *compare.Row) number { return r.Fix.Bound },
		report.Wide, report.Unit("times"), report.Decimals(2), report.Path("bound")),
	report.Define("possible_fix_text", "",
		func(r *compare.Row) string { return fixText(r, r.Fix) },
		report.Data,
		report.Path("text")),
}

// breakdownColumns are the parts of the thread-slot breakdown and their
// certainty. The parts are in points of all thread slots and sum to 100.
var breakdownColumns = slices.Concat(
	report.ListOf(compare.Parts(), func(p compare.Part) report.Col[compare.SlotBreakdown] {
		options := []report.Option{report.Percent, report.Path(p), report.Drop(9)}
		switch p {
		case compare.PartOccupied: // people see it as the measured occupancy instead
			options = append(options, report.Always, report.Data)
		case compare.PartLaunchLimit:
			options = append(options, report.Always, report.Drop(3))
		}
		return report.Define(string(p)+"_points", p.Title(),
			func(a *compare.SlotBreakdown) points { return a.Points(p) }, options...)
	}),
	[]report.Col[compare.SlotBreakdown]{
		report.Define("slot_breakdown_policy", "Policy", func(a *compare.SlotBreakdown) unit.Opt[string] {
			return unit.Maybe(a.Policy.String(), a.Policy != predict.Auto)
		}, report.Wide, report.Path("policy")),
		report.Define("predicted_idle_percent", "Predicted idle",
			func(a *compare.SlotBreakdown) percent { return a.PredictedIdle },
			report.Wide),
		report.Define("launch_intervals", "Sampling intervals per launch",
			func(a *compare.SlotBreakdown) number { return a.Certainty.Intervals },
			report.Wide,
			report.Decimals(2)),
		fraction("own_share", "Share of busy time",
			func(c *compare.Certainty) percent { return c.OwnShare }),
		fraction("outside_launches_bound", "Outside the launches",
			func(c *compare.Certainty) percent { return c.OutsideLaunches }),
		fraction("other_tasks_bound", "Share of other tasks",
			func(c *compare.Certainty) percent { return c.OtherTasks }),
		fraction("misattributed_share", "Misattributed instructions",
			func(c *compare.Certainty) percent { return c.Misattributed }),
		report.Define("lost_seconds", "Lost",
			func(a *compare.SlotBreakdown) seconds { return a.Lost },
			report.Wide),
		report.List("causes",
			func(a *compare.SlotBreakdown) []compare.Cause { return a.Causes },
			breakdownCauses),
	})

// fraction returns a column with a share as a number up to 1.
func fraction(key, title string, of func(*compare.Certainty) percent) report.Col[compare.SlotBreakdown] {
	return report.Define(key, title, func(a *compare.SlotBreakdown) number {
		share, known := of(&a.Certainty).Value()
		return unit.Maybe(float64(share), known)
	}, report.Wide, report.Decimals(3))
}

// breakdownCauses are the columns for the causes of the breakdown's parts. Only
// JSON has them.
var breakdownCauses = slices.Concat(
	[]report.Col[compare.Cause]{
		report.JSON("part",
			func(c *compare.Cause) string { return string(c.Part) }),
	}, causeColumns)

// speedupColumns describe whether more threads would make a kernel faster.
var speedupColumns = []report.Col[compare.PotentialSpeedup]{
	report.Define("potential_speedup", "Potential speedup",
		func(w *compare.PotentialSpeedup) []string { return report.Strings(w.Verdicts) },
		report.Drop(1),
		report.Print, report.Path("verdicts")),
	report.Define("more_threads_bound", "More threads bound",
		func(w *compare.PotentialSpeedup) number { return w.MoreThreads.Max },
		report.Wide,
		report.Unit("times"), report.Decimals(2)),
	report.Define("balancing_bound", "Balancing bound",
		func(w *compare.PotentialSpeedup) number { return w.Balancing.Max },
		report.Wide,
		report.Unit("times"), report.Decimals(2)),
	report.Define("potential_speedup_evidence", "Evidence for the speedup",
		func(w *compare.PotentialSpeedup) string { return w.Evidence },
		report.Wide, report.Path("evidence")),
	report.Define("more_threads_formula", "",
		func(w *compare.PotentialSpeedup) string { return w.MoreThreads.Formula },
		report.Data, report.NonZero),
	report.Define("balancing_formula", "",
		func(w *compare.PotentialSpeedup) string { return w.Balancing.Formula },
		report.Data, report.NonZero),
}

// spreadColumns describe how much the launches of a row differ. Only an export
// with one row per launch contains this data.
var spreadColumns = slices.Concat([]report.Col[ingest.LaunchSpread]{
	spreadTime("min", "shortest",
		func(s *ingest.LaunchSpread) unit.Seconds { return s.MinSeconds }),
	spreadTime("median", "median",
		func(s *ingest.LaunchSpread) unit.Seconds { return s.MedianSeconds }),
	spreadTime("max", "longest",
		func(s *ingest.LaunchSpread) unit.Seconds { return s.MaxSeconds }),
}, report.Part("measured_", "measured_percent", func(s *ingest.LaunchSpread) *ingest.LaunchSpread {
	if !s.MinMeasured.Present() {
		return nil
	}
	return s
}, []report.Col[ingest.LaunchSpread]{
	spreadMeasured("min", "lowest",
		func(s *ingest.LaunchSpread) percent { return s.MinMeasured }),
	spreadMeasured("median", "median",
		func(s *ingest.LaunchSpread) percent { return s.MedianMeasured }),
	spreadMeasured("max", "highest",
		func(s *ingest.LaunchSpread) percent { return s.MaxMeasured }),
}))

func spreadTime(key, title string, of func(*ingest.LaunchSpread) unit.Seconds) report.Col[ingest.LaunchSpread] {
	return report.Define(key, title, of, report.Sheet, report.Path("seconds."+key), report.Group("Launch"),
		report.Microseconds)
}

func spreadMeasured(key, title string, of func(*ingest.LaunchSpread) percent) report.Col[ingest.LaunchSpread] {
	return report.Define(key, title, of, report.Sheet, report.Group("Launch measured"), report.Always)
}

// peopleColumns are the columns that only people read.
var peopleColumns = []report.Col[kernel]{
	report.Shown("device", "Adapter",
		func(k *kernel) string { return k.Device },
		report.Everywhere, report.NonZero),
	report.Shown("threads_predicted", "Threads predicted", (*kernel).ThreadsPredicted, report.Sheet),
	report.Shown("idle_lanes", "Idle lanes", (*kernel).IdleLanes, report.Everywhere, report.Drop(7)),
	report.Shown("time_share", "Share of GPU time",
		func(k *kernel) percent { return k.Row.TimeShare },
		report.Sheet),
	report.Shown("host_seconds", "Host time",
		func(k *kernel) seconds { return k.host },
		report.Everywhere, report.Decimals(6)),
}

// The types of values that may be absent.
type (
	percent = unit.Opt[unit.Ratio]
	points  = unit.Opt[unit.Points]
	seconds = unit.Opt[unit.Seconds]
	number  = unit.Opt[float64]
)

// kernelsOf returns the rows of runs for programs one by one: the launches if
// there are any, otherwise the kernels. A row is valid until the next row.
func kernelsOf(results ...*compare.Result) iter.Seq[*kernel] {
	return func(yield func(*kernel) bool) {
		var k kernel
		for _, r := range results {
			if r.LaunchCount() > 0 {
				for row := range r.Launches() {
					if k.Row = row; !yield(&k) {
						return
					}
				}
				continue
			}
			for i := range r.Rows {
				if k.Row = &r.Rows[i]; !yield(&k) {
					return
				}
			}
		}
	}
}

// Rows returns the kernel table of one or several runs, for programs.
func Rows(show report.Selection, results ...*compare.Result) *report.Table {
	results = slices.Clone(results)
	for i, r := range results {
		results[i] = shown(r, show)
	}
	return report.NewStream(kernelsOf(results...), withCounters(results...))
}

// kernelTable returns the table of all rows for people.
func kernelTable(r *compare.Result) *report.Table {
	var times map[int]unit.Seconds
	if fromLog(r) { // only a log has host times, which differ from the kernel's time
		times = hostTimes(r)
	}
	kernels := 0
	list := make([]kernel, len(r.Rows))
	for i := range list {
		list[i].Row = &r.Rows[i]
		if t, timed := times[i]; timed {
			list[i].host = unit.Some(t)
		}
		if r.Rows[i].Verdict != compare.NotAKernel { // tasks that are not kernels come last
			kernels = i + 1
		}
	}
	t := report.NewTable(report.SectionKernels, "", list, withCounters(r)).Show(firstKernels...)
	// Columns that are 0 for most kernels are hidden if all kernels have 0.
	// VTune exports the spill for every run, but most kernels do not spill.
	if !r.HasRow(func(row *compare.Row) bool { return row.Spill.Or(0) > 0 }) {
		t.Hide(report.Terminal, "spill_bytes")
	}
	if !r.HasRow(func(row *compare.Row) bool { return row.IdleLanes().Or(0) > 0 }) {
		t.Hide(report.Everywhere&^report.Sheet, "idle_lanes")
	}
	t.Main, t.Form = kernels, report.Browser
	return t
}

// rowNotes returns the notes of a row. If a kernel has no prediction, the
// reason is one of the notes.
func rowNotes(r *compare.Row) []note.Note {
	if r.Predicted != nil || r.NoPrediction == "" || r.Verdict == compare.NotAKernel {
		return r.Notes
	}
	if slices.ContainsFunc(r.Notes, func(n note.Note) bool { return n.Text == r.NoPrediction }) {
		return r.Notes
	}
	// The full slice expression below prevents append from writing into the
	// shared notes of the row.
	why := note.Note{
		Severity: note.Info,
		Code:     "no-prediction",
		Pos:      r.Pos,
		Text:     r.NoPrediction,
	}
	return append(r.Notes[:len(r.Notes):len(r.Notes)], why)
}
