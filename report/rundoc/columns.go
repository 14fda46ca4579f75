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

// kernel is a row of a run with what follows from the other rows.
type kernel struct {
	*compare.Row
	host unit.Opt[unit.Seconds] // of a log alone
}

// lowest and highest are the ends of the interval of the measured occupancy.
// Without the counter, they are the bounds from the state of the XVE array.
func (k *kernel) lowest() percent  { return cmp.Or(k.MeasuredLow, k.BoundLow) }
func (k *kernel) highest() percent { return cmp.Or(k.MeasuredHigh, k.BoundHigh) }

// column and cell keep the lists below readable.
type (
	column = report.Column
	cell   = report.Cell
)

// Where a column is: all that is kept has a sheet and CSV.
const (
	kept  = report.Sheet | report.Data
	files = report.Files | report.Data
)

// firstKernels are the columns of the table of kernels that people see first;
// those of the sheet alone follow.
var firstKernels = []string{"task", "device", "global", "local", "simd", "registers_per_thread", "spill_bytes", "private_bytes", "direction", "total_seconds", "instances",
	"average_seconds", "predicted_peak_percent", "predicted_average_percent", "predicted_average_high_percent",
	"host_seconds", "profiler_peak_percent", "measured_percent", "difference_points", "underfilled_points", "idle_points",
	"shortfall_points", "last_wave_points", "launch_limit_points", "verdict", "cause", "potential_speedup", "more_threads_bound",
	"balancing_bound", "potential_speedup_evidence", "model_difference_points", "limits"}

// kernelColumns are all that is known of a kernel, in the order of JSON and
// CSV. What only people read is behind.
var kernelColumns = slices.Concat(launchColumns,
	object("", column{Path: "predicted", Doc: "null without one; a note says why"},
		func(k *kernel) *predict.Prediction { return k.Predicted }, predictdoc.KernelPrediction),
	measuredColumns,
	object("", column{Path: "cause", Doc: "why a row does not match: the first cause of the largest part"},
		func(k *kernel) *compare.Cause { return k.Cause }, causeColumns),
	object("", column{Path: "slot_breakdown", Doc: "thread-slot breakdown; null if it is undetermined"},
		func(k *kernel) *compare.SlotBreakdown { return k.Breakdown }, breakdownColumns),
	object("", column{Path: "possible_fix", Doc: "the remedy; null without one"},
		func(k *kernel) *compare.Row {
			if k.Fix.Remedy == compare.NoRemedy || k.Fix.Remedy == compare.LimitedElsewhere {
				return nil
			}
			return k.Row
		}, fixColumns),
	compiledColumns,
	object("", column{Path: "potential_speedup", Doc: "whether more threads may make the kernel faster; null for tasks that are not kernels"},
		func(k *kernel) *compare.PotentialSpeedup {
			if k.Speedup.Verdict() == "" {
				return nil
			}
			return &k.Speedup
		}, speedupColumns),
	[]report.Col[kernel]{
		report.Define(column{Path: "notes", Always: true, Kind: report.Array, Of: report.ColumnsOf(report.NoteColumns())},
			func(k *kernel) cell { return report.RowsCell(notesOf(rowNotes(k.Row))) }),
	},
	object("launch_", column{Path: "launches", Optional: true, Doc: "only of a per-launch export or a trace"},
		func(k *kernel) *ingest.LaunchSpread { return k.Launches }, spreadColumns),
	peopleColumns)

// object is a part of a row that may be missing, with the columns of the part,
// whose keys begin with key.
func object[P any](key string, c column, of func(*kernel) *P, cols []report.Col[P]) []report.Col[kernel] {
	c.Kind = report.Object
	there := report.Define(c, func(k *kernel) cell { return report.ObjectCell(of(k) != nil) })
	return append([]report.Col[kernel]{there}, report.Within(key, c.Path, of, cols)...)
}

// launchColumns say what was launched and how long it took.
var launchColumns = []report.Col[kernel]{
	report.Define(column{Key: "task", Path: "task", Always: true, Title: "Kernel", Kind: report.Name, Cut: true, In: report.All, Role: report.Code, Doc: "as printed, line ends included"},
		func(k *kernel) cell { return report.NameCell(k.Task) }),
	report.Define(column{Key: "global", Path: "global", Always: true, Title: "Global", Kind: report.Size, Drop: 5,
		In: report.All, Role: report.Code, Doc: "work-items; empty for copies"},
		func(k *kernel) cell { return report.SizeCell(k.Global) }),
	report.Define(column{Key: "local", Path: "local", Always: true, Title: "Local", Kind: report.Size, Drop: 4, In: report.All, Role: report.Code, Doc: "work-items per work-group"},
		func(k *kernel) cell { return report.SizeCell(k.Local) }),
	report.Define(column{Key: "simd", Path: "simd", Title: "SIMD", Kind: report.Integer, Drop: 6, In: report.All, Doc: "sub-group size"},
		func(k *kernel) cell { return report.OptInt(k.SIMD) }),
	report.Define(column{Key: "direction", Path: "direction", Title: "Direction", Kind: report.Text, In: files}, func(k *kernel) cell { return report.TextCell(string(k.Direction)) }),
	report.Define(column{Key: "file", Path: "file", Title: "File", Kind: report.Text, In: kept}, func(k *kernel) cell { return report.TextCell(k.Pos.File) }),
	report.Define(column{Key: "line", Path: "line", Title: "Line", Kind: report.Integer, In: kept}, func(k *kernel) cell { return report.OptInt(unit.NonZero(k.Pos.Line)) }),
	report.Define(column{Key: "instances", Path: "instances", Title: "Launches", Kind: report.Integer, Drop: 2,
		In: report.All, Doc: "launches; null for a log's timing"},
		func(k *kernel) cell { return report.OptInt(k.Instances) }),
	report.Define(column{Key: "total_seconds", Path: "total_seconds", Title: "GPU time", Unit: "ms", Decimals: 3, Kind: report.Duration, Drop: 3, In: report.All},
		func(k *kernel) cell { return report.OptDuration(k.Total) }),
	report.Define(column{Key: "average_seconds", Path: "average_seconds", Title: "Time per launch", Unit: "us", Decimals: 1, Kind: report.Duration, In: kept},
		func(k *kernel) cell { return report.OptDuration(k.Average()) }),
}

// compiledColumns are what the compiler fixed for a kernel.
var compiledColumns = []report.Col[kernel]{
	report.Define(column{Key: "registers_per_thread", Path: "registers_per_thread", Title: "Registers per thread", Brief: "GRF", Kind: report.Integer, Drop: 6, In: report.All, Doc: "GRF mode; null if no input has it"},
		func(k *kernel) cell { return report.OptInt(k.Registers) }),
	report.Define(column{Key: "spill_bytes", Path: "spill_bytes", Title: "Spill", Unit: "bytes", Kind: report.Integer, Drop: 7, In: report.All, Doc: "per thread; from a compiler log it is rounded up to whole registers"},
		func(k *kernel) cell { return report.OptInt(k.Spill) }),
	report.Define(column{Key: "private_bytes", Path: "private_bytes", Title: "Private memory", Unit: "bytes", Kind: report.Integer, In: files, Doc: "per thread"},
		func(k *kernel) cell { return report.OptInt(k.Private) }),
}

// measuredColumns are of what was seen, and how far that is from the
// prediction.
var measuredColumns = []report.Col[kernel]{
	report.Define(column{Key: "profiler_peak_percent", Path: "profiler_peak_percent", Title: "VTune peak", Kind: report.Percent, Drop: 6, In: report.All, Doc: "the profiler's prediction"},
		func(k *kernel) cell { return report.OptPercent(k.Peak) }),
	report.Define(column{Key: "measured_percent", Path: "measured_percent", Title: "Measured", Kind: report.Percent, In: report.All, Role: report.Bar},
		func(k *kernel) cell { return report.OptPercent(k.Measured) }),
	percentage("measured_low_percent", "Measured, at least", "with measured_high_percent the interval of measured_percent, which contains 95 of 100 values; null if it is as printed; without the counter the bounds from the XVE array", func(k *kernel) percent { return k.lowest() }),
	percentage("measured_high_percent", "Measured, at most", "", func(k *kernel) percent { return k.highest() }),
	percentage("own_low_percent", "Own occupancy, at least", "with own_high_percent the possible range of the kernel's own occupancy in an unmeasurable row, otherwise null", func(k *kernel) percent { return k.OwnLow }),
	percentage("own_high_percent", "Own occupancy, at most", "", func(k *kernel) percent { return k.OwnHigh }),
	percentage("printed_percent", "As VTune prints it", "each sample for the launch in which it ends; of a result folder", func(k *kernel) percent { return k.Printed }),
	percentage("active_percent", "XVE active", "", func(k *kernel) percent { return k.Active }),
	percentage("stalled_percent", "XVE stalled", "", func(k *kernel) percent { return k.Stalled }),
	percentage("idle_percent", "XVE idle", "", func(k *kernel) percent { return k.Idle }),
	percentage("idle_low_percent", "XVE idle, at least", "", func(k *kernel) percent { return k.IdleLow }),
	percentage("idle_high_percent", "XVE idle, at most", "", func(k *kernel) percent { return k.IdleHigh }),
	percentage("busy_occupancy_percent", "Busy occupancy", "measured / (1 - idle)", func(k *kernel) percent { return k.BusyOccupancy }),
	report.Define(column{Key: "threads_started", Path: "threads_started", Title: "Threads started", Kind: report.Integer, In: kept}, func(k *kernel) cell { return report.OptInt(k.Threads) }),
	report.Define(column{Key: "thread_life_seconds", Path: "thread_life_seconds", Title: "Thread lifetime", Unit: "us", Decimals: 1, Kind: report.Duration, In: kept, Doc: "the mean"},
		func(k *kernel) cell { return report.OptDuration(k.ThreadLifetime) }),
	report.Define(column{Key: "basis", Path: "basis", Title: "Compared", Kind: report.Text, In: kept, Doc: "what difference_points compares: measured occupancy with the predicted average, or as it says"},
		func(k *kernel) cell { return report.TextCell(string(k.Basis)) }),
	report.Define(column{Key: "difference_points", Path: "difference_points", Title: "Difference", Kind: report.Points, Drop: 10, In: report.All, Doc: "seen - predicted"},
		func(k *kernel) cell { return report.OptPoints(k.Difference) }),
	report.Define(column{Key: "model_difference_points", Path: "model_difference_points", Title: "Peak difference", Kind: report.Points, In: files, Doc: "of the peaks"},
		func(k *kernel) cell { return report.OptPoints(k.PeakDifference) }),
	report.Define(column{Key: "verdict", Path: "verdict", Always: true, Title: "Verdict", Kind: report.Text, In: report.All, Role: report.Choice},
		func(k *kernel) cell { return report.StatusCell(string(k.Verdict), statusOf(k.Verdict)) }),
}

// percentage is a column that files have; doc may be empty.
func percentage(key, title, doc string, of func(*kernel) percent) report.Col[kernel] {
	return report.Define(column{Key: key, Path: key, Title: title, Doc: doc, Kind: report.Percent, In: kept},
		func(k *kernel) cell { return report.OptPercent(of(k)) })
}

var causeColumns = []report.Col[compare.Cause]{
	report.Define(column{Key: "cause", Path: "name", Always: true, Title: "Cause", Kind: report.Text, In: report.All},
		func(c *compare.Cause) cell { return report.TextCell(c.Name) }),
	report.Define(column{Key: "confidence", Path: "confidence", Title: "Confidence", Kind: report.Text, In: kept, Doc: "null of a row that cannot be judged"},
		func(c *compare.Cause) cell { return report.OptText(unit.NonZero(c.Confidence.String())) }),
	report.Define(column{Key: "evidence", Path: "evidence", Always: true, Title: "Evidence", Kind: report.Text, In: kept}, func(c *compare.Cause) cell { return report.OptText(unit.Some(c.Evidence)) }),
}

var fixColumns = []report.Col[compare.Row]{
	report.Define(column{Key: "possible_fix", Path: "action", Always: true, Title: "Possible fix", Kind: report.Text, In: kept},
		func(r *compare.Row) cell { return report.TextCell(string(r.Fix.Remedy)) }),
	report.Define(column{Key: "possible_fix_bound", Path: "bound", Title: "Bound of the fix", Unit: "times", Decimals: 2,
		Kind: report.Number, In: kept, Doc: "upper bound of the speedup; null if it is unknown"},
		func(r *compare.Row) cell { return report.OptNum(report.Number, r.Fix.Bound) }),
	report.Define(column{Key: "possible_fix_text", Path: "text", Always: true, Kind: report.Text, In: report.Data,
		Doc: "the remedy as the summary prints it"},
		func(r *compare.Row) cell { return report.TextCell(fixText(r, r.Fix)) }),
}

// breakdownColumns say where the thread slots of the GPU were while a kernel
// ran, and how sure that is. The parts are in points of all thread slots and
// add up to 100.
var breakdownColumns = slices.Concat(
	report.ListOf(compare.Parts(), func(p compare.Part) report.Col[compare.SlotBreakdown] {
		said := partColumns[p]
		c := column{Key: string(p) + "_points", Path: string(p), Title: said.title, Doc: said.doc, Drop: said.drop,
			Kind: report.Percent, In: report.All, Always: p == compare.PartOccupied || p == compare.PartLaunchLimit}
		if p == compare.PartOccupied { // people have it as measured
			c.In = report.Data
		}
		return report.Define(c, func(a *compare.SlotBreakdown) cell { return report.OptNum(report.Percent, a.Points(p)) })
	}),
	[]report.Col[compare.SlotBreakdown]{
		report.Define(column{Key: "slot_breakdown_policy", Path: "policy", Title: "Policy", Kind: report.Text, In: kept,
			Doc: "that the parts are taken from"}, func(a *compare.SlotBreakdown) cell {
			if a.Policy == predict.Auto {
				return cell{}
			}
			return report.TextCell(a.Policy.String())
		}),
		report.Define(column{Key: "predicted_idle_percent", Path: "predicted_idle_percent", Title: "Predicted idle", Kind: report.Percent, In: kept, Doc: "of the XVEs, which the launch leaves empty"},
			func(a *compare.SlotBreakdown) cell { return report.OptPercent(a.PredictedIdle) }),
		report.Define(column{Key: "launch_intervals", Path: "launch_intervals", Title: "Sampling intervals per launch", Decimals: 2, Kind: report.Number, In: kept, Doc: "mean time of a launch"},
			func(a *compare.SlotBreakdown) cell { return report.OptNum(report.Number, a.Certainty.Intervals) }),
		report.Define(column{Key: "own_share", Path: "own_share", Title: "Share of busy time", Decimals: 3, Kind: report.Number, In: kept, Doc: "0..1 of the time in which the GPU ran any task"},
			func(a *compare.SlotBreakdown) cell { return report.OptNum(report.Number, a.Certainty.OwnShare) }),
		report.Define(column{Key: "outside_launches_bound", Path: "outside_launches_bound", Title: "Outside the launches", Decimals: 3, Kind: report.Number, In: kept, Doc: "0 to 1: share of the value's time that can be outside the launches"},
			func(a *compare.SlotBreakdown) cell { return report.OptNum(report.Number, a.Certainty.OutsideLaunches) }),
		report.Define(column{Key: "other_tasks_bound", Path: "other_tasks_bound", Title: "Share of other tasks", Decimals: 3, Kind: report.Number, In: kept, Doc: "0 to 1: share of the value that other tasks can have contributed"},
			func(a *compare.SlotBreakdown) cell { return report.OptNum(report.Number, a.Certainty.OtherTasks) }),
		report.Define(column{Key: "misattributed_share", Path: "misattributed_share", Title: "Misattributed instructions", Decimals: 3, Kind: report.Number, In: kept, Doc: "0 to 1: share of all instructions of the run in rows that are not kernels"},
			func(a *compare.SlotBreakdown) cell { return report.OptNum(report.Number, a.Certainty.Misattributed) }),
		report.Define(column{Key: "lost_seconds", Path: "lost_seconds", Title: "Lost", Kind: report.Duration, In: kept, Doc: "slot time below the prediction"},
			func(a *compare.SlotBreakdown) cell { return report.OptDuration(a.Lost) }),
		report.Define(column{Path: "causes", Always: true, Kind: report.Array, Of: report.ColumnsOf(breakdownCauses), Doc: "of a row that does not match, by part, the most probable first"},
			func(a *compare.SlotBreakdown) cell { return report.RowsCell(causesOf(a.Causes)) }),
	})

// partColumns are the parts as people read them; drop is the order in which
// they give way.
var partColumns = map[compare.Part]struct {
	title string
	drop  int
	doc   string
}{
	compare.PartOccupied:    {"Measured", 0, "slots with a thread; the parts add up to 100"},
	compare.PartUnderfilled: {"Underfilled XVEs", 12, "free slots of busy XVEs that the launch could fill"},
	compare.PartIdle:        {"Idle XVEs", 11, "beyond those that the launch itself leaves idle"},
	compare.PartShortfall:   {"Shortfall", 13, "underfilled and idle, if the array state is unknown"},
	compare.PartLastWave:    {"Last wave", 8, "the partial wave at the end"},
	compare.PartLaunchLimit: {"Launch limit", 7, "slots that the launch cannot use"},
}

// notesOf and causesOf make the tables within each row.
var (
	notesOf  = report.TableOf("notes", report.NoteColumns())
	causesOf = report.TableOf("causes", breakdownCauses)
)

// breakdownCauses are the causes of the parts of a breakdown, in JSON alone.
var breakdownCauses = slices.Concat(
	[]report.Col[compare.Cause]{
		report.Define(column{Path: "part", Always: true, Kind: report.Text}, func(c *compare.Cause) cell { return report.OptText(unit.Some(string(c.Part))) }),
	}, causeColumns,
	[]report.Col[compare.Cause]{
		report.Define(column{Path: "confirm_with", Kind: report.Text, Doc: "what would confirm the cause"}, func(c *compare.Cause) cell { return report.TextCell(c.ConfirmWith) }),
	})

// speedupColumns say whether more threads would make a kernel faster.
var speedupColumns = []report.Col[compare.PotentialSpeedup]{
	report.Define(column{Key: "potential_speedup", Path: "verdicts", Always: true, Title: "Potential speedup", Kind: report.Array, Drop: 1,
		In: report.All, Doc: "of more threads, and of work for idle XVEs; an upper bound, not a promise"},
		func(w *compare.PotentialSpeedup) cell { return report.ListCell(report.Strings(w.Verdicts)) }),
	report.Define(column{Key: "more_threads_bound", Path: "more_threads_bound", Title: "More threads bound", Unit: "times",
		Decimals: 2, Kind: report.Number, In: kept, Doc: "upper bound of the speedup from more threads on busy XVEs"},
		func(w *compare.PotentialSpeedup) cell { return report.OptNum(report.Number, w.MoreThreads.Max) }),
	report.Define(column{Key: "balancing_bound", Path: "balancing_bound", Title: "Balancing bound", Unit: "times",
		Decimals: 2, Kind: report.Number, In: kept, Doc: "upper bound of the speedup from balancing the work"},
		func(w *compare.PotentialSpeedup) cell { return report.OptNum(report.Number, w.Balancing.Max) }),
	report.Define(column{Key: "potential_speedup_evidence", Path: "evidence", Always: true, Title: "Evidence for the speedup",
		Kind: report.Text, In: kept},
		func(w *compare.PotentialSpeedup) cell { return report.OptText(unit.Some(w.Evidence)) }),
	report.Define(column{Key: "more_threads_formula", Path: "more_threads_formula", Kind: report.Text, In: report.Data,
		Doc: "how more_threads_bound is computed"}, func(w *compare.PotentialSpeedup) cell { return report.TextCell(w.MoreThreads.Formula) }),
	report.Define(column{Key: "balancing_formula", Path: "balancing_formula", Kind: report.Text, In: report.Data,
		Doc: "how balancing_bound is computed"}, func(w *compare.PotentialSpeedup) cell { return report.TextCell(w.Balancing.Formula) }),
}

// spreadColumns say how much the launches differ that a row of a per-launch
// export is made of.
var spreadColumns = []report.Col[ingest.LaunchSpread]{
	spreadTime("min", "shortest", func(s *ingest.LaunchSpread) unit.Seconds { return s.MinSeconds }),
	spreadTime("median", "median", func(s *ingest.LaunchSpread) unit.Seconds { return s.MedianSeconds }),
	spreadTime("max", "longest", func(s *ingest.LaunchSpread) unit.Seconds { return s.MaxSeconds }),
	report.Define(column{Path: "measured_percent", Kind: report.Object, Doc: "null when no launch has one"}, func(s *ingest.LaunchSpread) cell { return report.ObjectCell(s.MinMeasured.Present()) }),
	spreadMeasured("min", "lowest", func(s *ingest.LaunchSpread) percent { return s.MinMeasured }),
	spreadMeasured("median", "median", func(s *ingest.LaunchSpread) percent { return s.MedianMeasured }),
	spreadMeasured("max", "highest", func(s *ingest.LaunchSpread) percent { return s.MaxMeasured }),
}

func spreadTime(key, title string, of func(*ingest.LaunchSpread) unit.Seconds) report.Col[ingest.LaunchSpread] {
	return report.Define(column{Key: key, Path: "seconds." + key, Always: true, Group: "Launch", Title: title,
		Unit: "us", Decimals: 1, Kind: report.Duration, In: report.Sheet},
		func(s *ingest.LaunchSpread) cell { return report.DurationCell(of(s)) })
}

func spreadMeasured(key, title string, of func(*ingest.LaunchSpread) percent) report.Col[ingest.LaunchSpread] {
	return report.Define(column{Key: "measured_" + key, Path: "measured_percent." + key, Always: true,
		Group: "Launch measured", Title: title, Kind: report.Percent, In: report.Sheet},
		func(s *ingest.LaunchSpread) cell { return report.OptPercent(of(s)) })
}

// peopleColumns are what only people read.
var peopleColumns = []report.Col[kernel]{
	report.Define(column{Key: "device", Title: "Adapter", Kind: report.Text, In: report.Everywhere}, func(k *kernel) cell { return report.TextCell(k.Device) }),
	report.Define(column{Key: "threads_predicted", Title: "Threads predicted", Kind: report.Integer, In: report.Sheet}, func(k *kernel) cell { return report.OptInt(k.ThreadsPredicted()) }),
	report.Define(column{Key: "idle_lanes", Title: "Idle lanes", Kind: report.Percent, In: report.Sheet}, func(k *kernel) cell { return report.OptPercent(k.IdleLanes()) }),
	report.Define(column{Key: "time_share", Title: "Share of GPU time", Kind: report.Percent, In: report.Sheet}, func(k *kernel) cell { return report.OptPercent(k.Row.TimeShare) }),
	report.Define(column{Key: "host_seconds", Title: "Host time", Decimals: 6, Kind: report.Duration, In: report.Everywhere}, func(k *kernel) cell { return report.OptDuration(k.host) }),
}

type percent = unit.Opt[unit.Ratio]

// kernelsOf returns the rows of runs for programs one by one: the launches
// where there are any, otherwise the kernels. A row is good until the next one.
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

// Rows is the table of kernels for programs, of one run or of several below
// each other.
func Rows(show report.Selection, results ...*compare.Result) *report.Table {
	results = slices.Clone(results)
	for i, r := range results {
		results[i] = shown(r, show)
	}
	return report.NewStream(kernelsOf(results...), kernelColumns)
}

// kernelTable is the table of all rows for people.
func kernelTable(r *compare.Result) *report.Table {
	times, kernels := hostTimes(r), 0
	list := make([]kernel, len(r.Rows))
	for i := range list {
		list[i].Row = &r.Rows[i]
		if t, timed := times[i]; timed {
			list[i].host = unit.Some(t)
		}
		if r.Rows[i].Verdict != compare.NotAKernel { // these are the last ones
			kernels = i + 1
		}
	}
	t := report.NewTable(report.SectionKernels, "", list, kernelColumns).Show(firstKernels...)
	// VTune has a column of spills for every run, and most kernels have none.
	if !slices.ContainsFunc(r.Rows, func(row compare.Row) bool { return row.Spill.Or(0) > 0 }) {
		t.Hide(report.Terminal, "spill_bytes")
	}
	t.Main, t.Form = kernels, report.Browser
	return t
}

// rowNotes are the notes of a row; the reason why a kernel has no prediction is
// one of them.
func rowNotes(r *compare.Row) []note.Note {
	if r.Predicted != nil || r.NoPrediction == "" || r.Verdict == compare.NotAKernel {
		return r.Notes
	}
	if slices.ContainsFunc(r.Notes, func(n note.Note) bool { return n.Text == r.NoPrediction }) {
		return r.Notes
	}
	// A full slice expression below: the notes of the row are shared, and
	// appending must not write into them.
	why := note.Note{Severity: note.Info, Code: "no-prediction", Pos: r.Pos, Text: r.NoPrediction}
	return append(r.Notes[:len(r.Notes):len(r.Notes)], why)
}
