package rundoc

import (
	"slices"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// kernel is a row of a run with what follows from the other rows.
type kernel struct {
	*compare.Row
	of      *compare.Result
	account *compare.Account // nil where nothing tells where the thread slots were
	worth   compare.Worth
	host    seconds // of a log alone
}

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

// firstKernels are the columns of the table of kernels that people see first; those of the sheet alone follow.
var firstKernels = []string{"task", "device", "global", "local", "simd", "direction", "total_seconds", "instances",
	"average_seconds", "predicted_peak_percent", "predicted_average_percent", "predicted_average_high_percent",
	"host_seconds", "profiler_peak_percent", "measured_percent", "difference_points", "underfilled_points", "empty_points",
	"shortfall_points", "tail_points", "limits_points", "verdict", "cause", "worth", "worth_depth_bound",
	"worth_spread_bound", "worth_because", "model_difference_points", "limits"}

// kernelColumns are all that is known of a kernel, in the order of JSON and CSV. What only people read stands behind.
var kernelColumns = slices.Concat(launchColumns,
	[]report.Col[kernel]{
		report.Define(column{Path: "predicted", Kind: report.Object, Doc: "null without one; a note says why"}, func(k *kernel) cell { return report.ObjectCell(k.Predicted != nil) }),
	},
	report.Within("", "predicted", func(k *kernel) *predict.Prediction { return k.Predicted }, predictionColumns),
	measuredColumns,
	[]report.Col[kernel]{
		report.Define(column{Path: "cause", Kind: report.Object, Doc: "why a row does not match: the first cause of the largest part"},
			func(k *kernel) cell { return report.ObjectCell(k.Cause != nil) }),
	},
	report.Within("", "cause", func(k *kernel) *compare.Cause { return k.Cause }, causeColumns),
	[]report.Col[kernel]{
		report.Define(column{Path: "account", Kind: report.Object, Doc: "where the thread slots were; null when nothing tells"},
			func(k *kernel) cell { return report.ObjectCell(k.account != nil) }),
	},
	report.Within("", "account", func(k *kernel) *compare.Account { return k.account }, accountColumns),
	[]report.Col[kernel]{
		report.Define(column{Path: "worth", Kind: report.Object,
			Doc: "whether more threads may make it faster; null of other tasks"},
			func(k *kernel) cell { return report.ObjectCell(k.worth.Verdict() != "") }),
	},
	report.Within("", "worth", worthOf, worthColumns),
	[]report.Col[kernel]{
		report.Define(column{Path: "notes", Always: true, Kind: report.Array, Of: report.ColumnsOf(report.NoteColumns())},
			func(k *kernel) cell { return report.RowsCell(notesOf(rowNotes(k.Row))) }),
		report.Define(column{Path: "launches", Optional: true, Kind: report.Object, Doc: "only of a per-launch export or a trace"},
			func(k *kernel) cell { return report.ObjectCell(k.Launches != nil) }),
	},
	report.Within("launch_", "launches", func(k *kernel) *ingest.Spread { return k.Launches }, spreadColumns),
	peopleColumns)

func worthOf(k *kernel) *compare.Worth {
	if k.worth.Verdict() == "" {
		return nil
	}
	return &k.worth
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

// predictionColumns are of what a launch is predicted to hold.
var predictionColumns = predictdoc.Predicted(
	column{Path: "policy", Key: "predicted_policy", Group: "Predicted", Title: "policy", In: kept},
	column{Path: "threads_per_work_group", Key: "threads_per_work_group", In: kept},
	column{Path: "work_groups", Key: "work_groups", In: kept},
	column{Path: "work_groups_per_xe_core", Key: "work_groups_per_xe_core", In: kept},
	column{Path: "limits", Key: "limits", In: files},
	column{Path: "xe_core_percent", Key: "predicted_xe_core_percent", Group: "Predicted", In: kept},
	column{Path: "peak_percent", Key: "predicted_peak_percent", Group: "Predicted", Title: "peak", Drop: 9, In: report.All},
	column{Path: "average_percent", Key: "predicted_average_percent", Group: "Predicted", Title: "average", Drop: 10, In: report.All},
	column{Path: "average_high_percent", Key: "predicted_average_high_percent", Group: "Predicted", Title: "to", Drop: 7, In: report.All},
	column{Path: "waves", Key: "waves", In: kept},
	column{Path: "tail_percent", Key: "tail_percent", Title: "Last-wave occupancy", In: kept})

// measuredColumns are of what was seen, and how far that is from the prediction.
var measuredColumns = []report.Col[kernel]{
	report.Define(column{Key: "profiler_peak_percent", Path: "profiler_peak_percent", Title: "VTune peak", Kind: report.Percent, Drop: 6, In: report.All, Doc: "the profiler's prediction"},
		func(k *kernel) cell { return report.OptPercent(k.Peak) }),
	report.Define(column{Key: "measured_percent", Path: "measured_percent", Title: "Measured", Kind: report.Percent, In: report.All, Role: report.Bar},
		func(k *kernel) cell { return report.OptPercent(k.Measured) }),
	report.Define(column{Key: "measured_low_percent", Path: "measured_low_percent", Title: "Measured, at least", Kind: report.Percent, In: kept, Doc: "holds in 95 of 100 with measured_high_percent; null where it is as printed"},
		func(k *kernel) cell { return report.OptPercent(k.MeasuredLow) }),
	report.Define(column{Key: "measured_high_percent", Path: "measured_high_percent", Title: "Measured, at most", Kind: report.Percent, In: kept},
		func(k *kernel) cell { return report.OptPercent(k.MeasuredHigh) }),
	report.Define(column{Key: "held_low_percent", Path: "held_low_percent", Title: "Held, at least", Kind: report.Percent, In: kept, Doc: "by the launches themselves, with held_high_percent; null where measured_percent tells it"},
		func(k *kernel) cell { return report.OptPercent(k.HeldLow) }),
	report.Define(column{Key: "held_high_percent", Path: "held_high_percent", Title: "Held, at most", Kind: report.Percent, In: kept},
		func(k *kernel) cell { return report.OptPercent(k.HeldHigh) }),
	report.Define(column{Key: "printed_percent", Path: "printed_percent", Title: "As VTune prints it",
		Kind: report.Percent, In: kept, Doc: "each sample for the launch in which it ends; of a result folder"},
		func(k *kernel) cell { return report.OptPercent(k.Printed) }),
	report.Define(column{Key: "active_percent", Path: "active_percent", Title: "XVE active", Kind: report.Percent, In: kept}, func(k *kernel) cell { return report.OptPercent(k.Active) }),
	report.Define(column{Key: "stalled_percent", Path: "stalled_percent", Title: "XVE stalled", Kind: report.Percent, In: kept}, func(k *kernel) cell { return report.OptPercent(k.Stalled) }),
	report.Define(column{Key: "idle_percent", Path: "idle_percent", Title: "XVE idle", Kind: report.Percent, In: kept}, func(k *kernel) cell { return report.OptPercent(k.Idle) }),
	report.Define(column{Key: "idle_low_percent", Path: "idle_low_percent", Title: "XVE idle, at least", Kind: report.Percent, In: kept},
		func(k *kernel) cell { return report.OptPercent(k.IdleLow) }),
	report.Define(column{Key: "idle_high_percent", Path: "idle_high_percent", Title: "XVE idle, at most", Kind: report.Percent, In: kept},
		func(k *kernel) cell { return report.OptPercent(k.IdleHigh) }),
	report.Define(column{Key: "loaded_percent", Path: "loaded_percent", Title: "Occupancy of XVEs that ran", Kind: report.Percent, In: kept, Doc: "measured / (1 - idle)"},
		func(k *kernel) cell { return report.OptPercent(k.BusyOccupancy) }),
	report.Define(column{Key: "threads_started", Path: "threads_started", Title: "Threads started", Kind: report.Integer, In: kept}, func(k *kernel) cell { return report.OptInt(k.Threads) }),
	report.Define(column{Key: "thread_life_seconds", Path: "thread_life_seconds", Title: "Thread life", Unit: "us", Decimals: 1, Kind: report.Duration, In: kept, Doc: "the mean"},
		func(k *kernel) cell { return report.OptDuration(k.ThreadLife) }),
	report.Define(column{Key: "basis", Path: "basis", Kind: report.Text, In: report.Data, Doc: "the two numbers that difference_points is of"},
		func(k *kernel) cell { return report.TextCell(string(k.Basis)) }),
	report.Define(column{Key: "difference_points", Path: "difference_points", Title: "Difference", Kind: report.Points, Drop: 10, In: report.All, Doc: "seen - predicted"},
		func(k *kernel) cell { return report.OptPoints(k.Difference) }),
	report.Define(column{Key: "model_difference_points", Path: "model_difference_points", Title: "Peak difference", Kind: report.Points, In: files, Doc: "of the peaks"},
		func(k *kernel) cell { return report.OptPoints(k.PeakDifference) }),
	report.Define(column{Key: "verdict", Path: "verdict", Always: true, Title: "Verdict", Kind: report.Text, In: report.All, Role: report.Choice, Words: verdictWords()},
		func(k *kernel) cell { return verdictCell(k.Verdict) }),
}

var causeColumns = []report.Col[compare.Cause]{
	report.Define(column{Key: "cause", Path: "name", Always: true, Title: "Cause", Kind: report.Text, In: report.All},
		func(c *compare.Cause) cell { return report.TextCell(c.Name) }),
	report.Define(column{Key: "confidence", Path: "confidence", Title: "Confidence", Kind: report.Text, In: kept, Doc: "null of a row that cannot be judged"},
		func(c *compare.Cause) cell { return report.OptText(unit.NonZero(c.Confidence)) }),
	report.Define(column{Key: "because", Path: "because", Always: true, Kind: report.Text, In: report.Data}, func(c *compare.Cause) cell { return report.OptText(unit.Some(c.Because)) }),
}

// accountColumns say where the thread slots of the GPU were while a kernel ran, and how sure that is. The parts are in
// points of all thread slots and add up to 100.
var accountColumns = slices.Concat(
	report.ListOf(compare.Parts(), func(p compare.Part) report.Col[compare.Account] {
		said := partColumns[p]
		c := column{Key: string(p) + "_points", Path: string(p), Title: said.title, Doc: said.doc, Drop: said.drop,
			Kind: report.Percent, In: report.All, Always: p == compare.PartUsed || p == compare.PartLimits}
		if p == compare.PartUsed { // people have it as measured
			c.In = report.Data
		}
		return report.Define(c, func(a *compare.Account) cell { return report.OptNum(report.Percent, a.Points(p), 1) })
	}),
	[]report.Col[compare.Account]{
		report.Define(column{Key: "account_policy", Path: "policy", Title: "Policy", Kind: report.Text, In: kept,
			Doc: "that the parts are taken from"}, func(a *compare.Account) cell {
			if a.Policy == predict.Auto {
				return cell{}
			}
			return report.TextCell(a.Policy.String())
		}),
		report.Define(column{Key: "predicted_idle_percent", Path: "predicted_idle_percent", Title: "Predicted idle", Kind: report.Percent, In: kept, Doc: "of the XVEs, which the launch leaves empty"},
			func(a *compare.Account) cell { return report.OptPercent(a.PredictedIdle) }),
		report.Define(column{Key: "launch_intervals", Path: "launch_intervals", Title: "Sampling intervals per launch", Decimals: 2, Kind: report.Number, In: kept, Doc: "mean time of a launch"},
			func(a *compare.Account) cell { return report.OptNum(report.Number, a.Certainty.Intervals, 1) }),
		report.Define(column{Key: "own_share", Path: "own_share", Title: "Share of busy time", Decimals: 3, Kind: report.Number, In: kept, Doc: "0..1 of the time in which the GPU ran any task"},
			func(a *compare.Account) cell { return report.OptNum(report.Number, a.Certainty.OwnShare, 1) }),
		report.Define(column{Key: "edges", Path: "edges", Title: "Edges", Decimals: 3, Kind: report.Number, In: kept, Doc: "0..1 of the values' time can lie outside the launches"},
			func(a *compare.Account) cell { return report.OptNum(report.Number, a.Certainty.Edges, 1) }),
		report.Define(column{Key: "foreign", Path: "foreign", Title: "Foreign", Decimals: 3, Kind: report.Number, In: kept, Doc: "0..1 of the values can be of other tasks"},
			func(a *compare.Account) cell { return report.OptNum(report.Number, a.Certainty.Foreign, 1) }),
		report.Define(column{Key: "crosstalk", Path: "crosstalk", Title: "Crosstalk", Decimals: 3, Kind: report.Number, In: kept, Doc: "of the run: 0..1 of all instructions stand in rows of no kernel"},
			func(a *compare.Account) cell { return report.OptNum(report.Number, a.Certainty.Crosstalk, 1) }),
		report.Define(column{Key: "lost_seconds", Path: "lost_seconds", Title: "Lost", Kind: report.Duration, In: kept, Doc: "slot time below the prediction"},
			func(a *compare.Account) cell { return report.OptDuration(a.Lost) }),
		report.Define(column{Path: "causes", Always: true, Kind: report.Array, Of: report.ColumnsOf(accountCauses), Doc: "of a row that does not match, by part, the most probable first"},
			func(a *compare.Account) cell { return report.RowsCell(causesOf(a.Causes)) }),
	})

// partColumns are the parts as people read them; drop is the order in which they give way.
var partColumns = map[compare.Part]struct {
	title string
	drop  int
	doc   string
}{
	compare.PartUsed:        {"Measured", 0, "held a thread; the parts add up to 100"},
	compare.PartUnderfilled: {"Underfilled XVEs", 12, "of XVEs that ran"},
	compare.PartEmpty:       {"Empty XVEs", 11, "beyond those that the launch itself leaves empty"},
	compare.PartShortfall:   {"Shortfall", 13, "underfilled and empty, where nothing tells them apart"},
	compare.PartTail:        {"Last wave", 8, "predicted: the partial wave at the end"},
	compare.PartLimits:      {"Limits", 7, "predicted: what keeps the launch from more"},
}

// notesOf and causesOf make the tables within each row.
var (
	notesOf  = report.TableOf("notes", report.NoteColumns())
	causesOf = report.TableOf("causes", accountCauses)
)

// accountCauses are the causes of the parts of an account, in JSON alone.
var accountCauses = slices.Concat(
	[]report.Col[compare.Cause]{
		report.Define(column{Path: "part", Always: true, Kind: report.Text}, func(c *compare.Cause) cell { return report.OptText(unit.Some(string(c.Part))) }),
	}, causeColumns,
	[]report.Col[compare.Cause]{
		report.Define(column{Path: "decide", Kind: report.Text, Doc: "what would settle it"}, func(c *compare.Cause) cell { return report.TextCell(c.Decide) }),
	})

// worthColumns say whether more threads would make a kernel faster.
var worthColumns = []report.Col[compare.Worth]{
	report.Define(column{Key: "worth", Path: "verdicts", Always: true, Title: "Worth", Kind: report.Array, Drop: 1,
		In: report.All, Doc: "of more threads, and of work for XVEs that stood empty; never a promise"},
		func(w *compare.Worth) cell { return report.ListCell(report.Words(w.Verdicts)) }),
	report.Define(column{Key: "worth_depth_bound", Path: "depth_bound", Title: "More threads at most", Unit: "times",
		Decimals: 2, Kind: report.Number, In: kept, Doc: "as fast by more threads on XVEs that ran"},
		func(w *compare.Worth) cell { return report.OptNum(report.Number, w.Depth.Most, 1) }),
	report.Define(column{Key: "worth_spread_bound", Path: "spread_bound", Title: "Spread at most", Unit: "times",
		Decimals: 2, Kind: report.Number, In: kept, Doc: "as fast by work for XVEs that stood empty within launches"},
		func(w *compare.Worth) cell { return report.OptNum(report.Number, w.Spread.Most, 1) }),
	report.Define(column{Key: "worth_because", Path: "because", Always: true, Title: "Why that worth",
		Kind: report.Text, In: kept},
		func(w *compare.Worth) cell { return report.OptText(unit.Some(w.Because)) }),
	report.Define(column{Key: "worth_depth_formula", Path: "depth_formula", Kind: report.Text, In: report.Data,
		Doc: "of depth_bound, with its figures"}, func(w *compare.Worth) cell { return report.TextCell(w.Depth.Formula) }),
	report.Define(column{Key: "worth_spread_formula", Path: "spread_formula", Kind: report.Text, In: report.Data,
		Doc: "of spread_bound, with its figures"}, func(w *compare.Worth) cell { return report.TextCell(w.Spread.Formula) }),
}

// spreadColumns say how much the launches differ that a row of a per-launch export is made of.
var spreadColumns = []report.Col[ingest.Spread]{
	spreadTime("min", "shortest", func(s *ingest.Spread) unit.Seconds { return s.MinSeconds }),
	spreadTime("median", "median", func(s *ingest.Spread) unit.Seconds { return s.MedianSeconds }),
	spreadTime("max", "longest", func(s *ingest.Spread) unit.Seconds { return s.MaxSeconds }),
	report.Define(column{Path: "measured_percent", Kind: report.Object, Doc: "null when no launch has one"}, func(s *ingest.Spread) cell { return report.ObjectCell(s.MinMeasured.Present()) }),
	spreadMeasured("min", "lowest", func(s *ingest.Spread) percent { return s.MinMeasured }),
	spreadMeasured("median", "median", func(s *ingest.Spread) percent { return s.MedianMeasured }),
	spreadMeasured("max", "highest", func(s *ingest.Spread) percent { return s.MaxMeasured }),
}

func spreadTime(key, title string, of func(*ingest.Spread) unit.Seconds) report.Col[ingest.Spread] {
	return report.Define(column{Key: key, Path: "seconds." + key, Always: true, Group: "Launch", Title: title,
		Unit: "us", Decimals: 1, Kind: report.Duration, In: report.Sheet},
		func(s *ingest.Spread) cell { return report.DurationCell(of(s)) })
}

func spreadMeasured(key, title string, of func(*ingest.Spread) percent) report.Col[ingest.Spread] {
	return report.Define(column{Key: "measured_" + key, Path: "measured_percent." + key, Always: true,
		Group: "Launch measured", Title: title, Kind: report.Percent, In: report.Sheet},
		func(s *ingest.Spread) cell { return report.OptPercent(of(s)) })
}

// peopleColumns are what only people read.
var peopleColumns = []report.Col[kernel]{
	report.Define(column{Key: "device", Title: "Adapter", Kind: report.Text, In: report.Everywhere}, func(k *kernel) cell { return report.TextCell(k.Device) }),
	report.Define(column{Key: "compared", Title: "Compared", Kind: report.Text, In: report.Sheet},
		func(k *kernel) cell { return report.TextCell(report.BasisText(k.Basis)) }),
	report.Define(column{Key: "threads_predicted", Title: "Threads predicted", Kind: report.Integer, In: report.Sheet}, func(k *kernel) cell { return report.OptInt(k.ThreadsPredicted()) }),
	report.Define(column{Key: "dispatch_rate", Title: "Dispatch rate", Unit: "threads/us", Decimals: 1, Kind: report.Number, In: report.Sheet},
		func(k *kernel) cell { return report.OptNum(report.Number, k.DispatchRate(), 1e-6) }),
	report.Define(column{Key: "idle_lanes", Title: "Idle lanes", Kind: report.Percent, In: report.Sheet}, func(k *kernel) cell { return report.OptPercent(k.IdleLanes()) }),
	report.Define(column{Key: "time_share", Title: "Share of GPU time", Kind: report.Percent, In: report.Sheet}, func(k *kernel) cell { return report.OptPercent(k.Row.TimeShare) }),
	report.Define(column{Key: "host_seconds", Title: "Host time", Decimals: 6, Kind: report.Duration, In: report.Everywhere}, func(k *kernel) cell { return report.OptDuration(k.host) }),
	report.Define(column{Key: "evidence", Title: "Because", Kind: report.Text, In: report.Sheet}, func(k *kernel) cell { return report.TextCell(because(k.Row)) }),
}
