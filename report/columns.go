package report

import (
	"strings"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// columns are those of the kernel table, in order. A terminal shows those of Glance, a page those of Page, a workbook
// those of Sheet; columns that only some runs have are left out of the others.
func (s *rowSet) columns() []kernelColumn {
	list := s.launchColumns()
	list = append(list, predictionColumns()...)
	list = append(list, s.seenColumns()...)
	return append(list, s.detailColumns()...)
}

func (s *rowSet) launchColumns() []kernelColumn {
	list := []kernelColumn{
		{Column: Column{Key: "task", Title: "Kernel", Kind: Text, In: Glance | Page | Sheet, Cut: true},
			cell: func(r *compare.Row) Cell { return TextCell(r.Task) }},
	}
	if s.devices {
		list = append(list, kernelColumn{Column: Column{Key: "device", Title: "Adapter", Kind: Text, In: Page | Sheet},
			cell: func(r *compare.Row) Cell { return TextCell(r.Device) }})
	}
	return append(list,
		kernelColumn{Column: Column{Key: "global", Title: "Global", Kind: Text, In: Glance | Page | Sheet, Drop: 4},
			cell: func(r *compare.Row) Cell { return TextCell(r.Global.String()) }},
		kernelColumn{Column: Column{Key: "local", Title: "Local", Kind: Text, In: Glance | Page | Sheet, Drop: 3},
			cell: func(r *compare.Row) Cell { return TextCell(r.Local.String()) }},
		kernelColumn{Column: Column{Key: "simd", Title: "SIMD", Kind: Integer, In: Glance | Page | Sheet, Drop: 5},
			cell: func(r *compare.Row) Cell { return optInt(r.SIMD) }},
		kernelColumn{Column: Column{Key: "instances", Title: "Launches", Kind: Integer, In: Glance | Page | Sheet, Drop: 1},
			cell: func(r *compare.Row) Cell { return optInt(r.Instances) }},
		kernelColumn{Column: Column{Key: "total", Title: "Time", Unit: "s", Kind: Number, Decimals: s.decimals, In: Glance | Page | Sheet, Drop: 2},
			cell: func(r *compare.Row) Cell { return optSeconds(r.Total, 1) }},
		kernelColumn{Column: Column{Key: "average_time", Title: "Time per launch", Unit: "us", Kind: Number, Decimals: 1, In: Sheet},
			cell: func(r *compare.Row) Cell { return optSeconds(r.Average(), 1e6) }},
	)
}

func predictionColumns() []kernelColumn {
	return []kernelColumn{
		{Column: Column{Key: "predicted_peak", Group: "Predicted", Title: "peak", Unit: "%", Kind: Percent, In: Glance | Page | Sheet, Drop: 7},
			cell: fromGrid(func(p *predict.Prediction) Cell { return ratioCell(p.Peak) })},
		{Column: Column{Key: "predicted_average", Group: "Predicted", Title: "average", Unit: "%", Kind: Percent, In: Glance | Page | Sheet, Drop: 8},
			cell: fromGrid(func(p *predict.Prediction) Cell { return ratioCell(p.Average) })},
		{Column: Column{Key: "profiler_peak", Title: "VTune peak", Unit: "%", Kind: Percent, In: Glance | Page | Sheet, Drop: 6},
			cell: func(r *compare.Row) Cell { return optPercent(r.Peak) }},
		{Column: Column{Key: "measured", Title: "Measured", Unit: "%", Kind: Percent, In: Glance | Page | Sheet, Drop: 9},
			cell: func(r *compare.Row) Cell { return optPercent(r.Measured) }},
		{Column: Column{Key: "difference", Title: "Difference", Unit: "points", Brief: "Difference", Kind: Points, In: Glance | Page | Sheet, Drop: 10},
			cell: func(r *compare.Row) Cell { return optPoints(r.Difference) }},
		{Column: Column{Key: "finding", Title: "Verdict", Kind: Text, In: Glance | Page}, cell: finding},
		{Column: Column{Key: "verdict", Title: "Verdict", Kind: Text, In: Sheet, Words: verdictWords()},
			cell: func(r *compare.Row) Cell { return StatusCell(string(r.Verdict), verdictStatus(r.Verdict)) }},
		{Column: Column{Key: "cause", Title: "Cause", Kind: Text, In: Sheet},
			cell: fromCause(func(c *compare.Cause) string { return c.Name })},
	}
}

// seenColumns are what explains a difference.
func (s *rowSet) seenColumns() []kernelColumn {
	return []kernelColumn{
		{Column: Column{Key: "model_difference", Title: "Peak difference", Unit: "points", Kind: Points, In: Page | Sheet},
			cell: func(r *compare.Row) Cell { return optPoints(r.ModelDifference) }},
		{Column: Column{Key: "limits", Title: "Limited by", Kind: Text, In: Page | Sheet},
			cell: fromPrediction(func(p *predict.Prediction) Cell { return TextCell(strings.Join(p.Limits.Names(), ", ")) })},
		{Column: Column{Key: "basis", Title: "Compared", Kind: Text, In: Sheet},
			cell: func(r *compare.Row) Cell { return TextCell(basisText(r.Basis)) }},
		{Column: Column{Key: "idle", Title: "XVE idle", Unit: "%", Kind: Percent, In: Sheet},
			cell: func(r *compare.Row) Cell { return optPercent(r.Idle) }},
		{Column: Column{Key: "loaded", Title: "Measured while loaded", Unit: "%", Kind: Percent, In: Sheet},
			cell: func(r *compare.Row) Cell { return optPercent(r.Loaded) }},
		{Column: Column{Key: "threads_started", Title: "Threads started", Kind: Integer, In: Sheet},
			cell: func(r *compare.Row) Cell { return optInt(r.Threads) }},
		{Column: Column{Key: "threads_predicted", Title: "Threads predicted", Kind: Integer, In: Sheet},
			cell: func(r *compare.Row) Cell { return optInt(r.ThreadsPredicted()) }},
		{Column: Column{Key: "thread_life", Title: "Thread life", Unit: "us", Kind: Number, Decimals: 1, In: Sheet},
			cell: func(r *compare.Row) Cell { return optSeconds(r.ThreadLife, 1e6) }},
		{Column: Column{Key: "dispatch_rate", Title: "Dispatch rate", Unit: "threads/us", Kind: Number, Decimals: 1, In: Sheet},
			cell: func(r *compare.Row) Cell { return dispatchRate(r) }},
		{Column: Column{Key: "idle_lanes", Title: "Idle lanes", Unit: "%", Kind: Percent, In: Sheet},
			cell: func(r *compare.Row) Cell { return optPercent(r.IdleLanes()) }},
		{Column: Column{Key: "time_share", Title: "Share of GPU time", Unit: "%", Kind: Percent, In: Sheet},
			cell: func(r *compare.Row) Cell { return optPercent(s.result.TimeShare(r)) }},
	}
}

func dispatchRate(r *compare.Row) Cell {
	if rate, ok := r.DispatchRate().Value(); ok {
		return NumCell(Number, rate/1e6)
	}
	return Cell{}
}

// basisText says which two numbers were compared.
func basisText(b compare.Basis) string {
	switch b {
	case compare.BasisMeasured:
		return "measured with predicted average"
	case compare.BasisPeak:
		return "VTune peak with predicted peak"
	case compare.BasisMeasuredPeak:
		return "measured with VTune peak"
	}
	return string(b)
}

// detailColumns are the steps of the prediction, the spread over launches, and where the row is from.
func (s *rowSet) detailColumns() []kernelColumn {
	list := []kernelColumn{
		{Column: Column{Key: "policy", Group: "Predicted", Title: "policy", Kind: Text, In: Sheet},
			cell: fromPrediction(func(p *predict.Prediction) Cell { return TextCell(p.Policy.String()) })},
		{Column: Column{Key: "threads_per_group", Title: "Threads per work-group", Kind: Integer, In: Sheet},
			cell: fromPrediction(func(p *predict.Prediction) Cell { return IntCell(p.ThreadsPerGroup) })},
		{Column: Column{Key: "groups", Title: "Work-groups", Kind: Integer, In: Sheet},
			cell: fromGrid(func(p *predict.Prediction) Cell { return IntCell(p.Groups) })},
		{Column: Column{Key: "groups_per_xe_core", Title: "Work-groups per Xe-core", Kind: Integer, In: Sheet},
			cell: fromPrediction(func(p *predict.Prediction) Cell { return IntCell(p.GroupsPerXeCore) })},
		{Column: Column{Key: "xe_core", Group: "Predicted", Title: "Xe-core", Unit: "%", Kind: Percent, In: Sheet},
			cell: fromPrediction(func(p *predict.Prediction) Cell { return ratioCell(p.XeCore) })},
		{Column: Column{Key: "waves", Title: "Waves", Kind: Number, Decimals: 2, In: Sheet},
			cell: fromGrid(func(p *predict.Prediction) Cell { return NumCell(Number, p.Waves) })},
		{Column: Column{Key: "tail", Title: "Last wave", Unit: "%", Kind: Percent, In: Sheet},
			cell: fromGrid(func(p *predict.Prediction) Cell { return ratioCell(p.Tail) })},
		{Column: Column{Key: "direction", Title: "Direction", Kind: Text, In: Sheet},
			cell: func(r *compare.Row) Cell { return TextCell(string(r.Direction)) }},
	}
	if s.spread {
		list = append(list, spreadColumns()...)
	}
	return append(list,
		kernelColumn{Column: Column{Key: "confidence", Title: "Confidence", Kind: Text, In: Sheet},
			cell: fromCause(func(c *compare.Cause) string { return c.Confidence })},
		kernelColumn{Column: Column{Key: "file", Title: "File", Kind: Text, In: Sheet},
			cell: func(r *compare.Row) Cell { return TextCell(r.Pos.File) }},
		kernelColumn{Column: Column{Key: "line", Title: "Line", Kind: Integer, In: Sheet},
			cell: func(r *compare.Row) Cell { return place(r.Pos.Line) }},
		kernelColumn{Column: Column{Key: "label", Title: "Label in charts", Kind: Text, In: Sheet}, nth: s.label},
		kernelColumn{Column: Column{Key: "because", Title: "Because", Kind: Text, In: Sheet}, cell: because},
	)
}

// label is the name of a row in charts, absent where charts do not show it.
func (s *rowSet) label(i int) Cell {
	if i < len(s.labels) {
		return TextCell(s.labels[i])
	}
	return Cell{}
}

// because is the evidence of the cause, or why there is no prediction.
func because(r *compare.Row) Cell {
	switch {
	case r.Cause != nil:
		return TextCell(r.Cause.Because)
	case r.Predicted == nil && r.Verdict != compare.NotAKernel:
		return TextCell(r.NoPredictionWhy)
	}
	return Cell{}
}

func fromCause(get func(*compare.Cause) string) func(*compare.Row) Cell {
	return func(r *compare.Row) Cell {
		if r.Cause == nil {
			return Cell{}
		}
		return TextCell(get(r.Cause))
	}
}

// spreadColumns are the least, the median and the most of the launches that a row is made of.
func spreadColumns() []kernelColumn {
	of := func(get func(*ingest.Spread) Cell) func(*compare.Row) Cell {
		return func(r *compare.Row) Cell {
			if r.Launches == nil {
				return Cell{}
			}
			return get(r.Launches)
		}
	}
	time := func(key, title string, get func(*ingest.Spread) unit.Seconds) kernelColumn {
		return kernelColumn{Column: Column{Key: key, Group: "Launch", Title: title, Unit: "us", Kind: Number, Decimals: 1, In: Sheet},
			cell: of(func(s *ingest.Spread) Cell { return NumCell(Number, float64(get(s))*1e6) })}
	}
	occupancy := func(key, title string, get func(*ingest.Spread) unit.Opt[unit.Ratio]) kernelColumn {
		return kernelColumn{Column: Column{Key: key, Group: "Launch measured", Title: title, Unit: "%", Kind: Percent, In: Sheet},
			cell: of(func(s *ingest.Spread) Cell { return optPercent(get(s)) })}
	}
	return []kernelColumn{
		time("launch_min", "shortest", func(s *ingest.Spread) unit.Seconds { return s.MinSeconds }),
		time("launch_median", "median", func(s *ingest.Spread) unit.Seconds { return s.MedianSeconds }),
		time("launch_max", "longest", func(s *ingest.Spread) unit.Seconds { return s.MaxSeconds }),
		occupancy("launch_measured_min", "lowest", func(s *ingest.Spread) unit.Opt[unit.Ratio] { return s.MinMeasured }),
		occupancy("launch_measured_median", "median", func(s *ingest.Spread) unit.Opt[unit.Ratio] { return s.MedianMeasured }),
		occupancy("launch_measured_max", "highest", func(s *ingest.Spread) unit.Opt[unit.Ratio] { return s.MaxMeasured }),
	}
}
