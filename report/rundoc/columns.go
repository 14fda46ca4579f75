package rundoc

import (
	"strings"

	"occudiff/report"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// columns are those of the kernel table, in order. A terminal shows those of Terminal, a page those of Page, a workbook
// those of Sheet; columns that only some runs have are left out of the others.
func (s *rowSet) columns() []kernelColumn {
	list := s.launchColumns()
	list = append(list, predictionColumns()...)
	list = append(list, s.seenColumns()...)
	return append(list, s.detailColumns()...)
}

func (s *rowSet) launchColumns() []kernelColumn {
	list := []kernelColumn{
		{Column: report.Column{Key: "task", Role: report.Code | report.Named, Title: "Kernel", Kind: report.Text, In: report.Terminal | report.Page | report.Sheet, Cut: true},
			cell: func(r *compare.Row) report.Cell { return report.TextCell(r.Task) }},
	}
	if s.devices {
		list = append(list, kernelColumn{Column: report.Column{Key: "device", Role: report.Named, Title: "Adapter", Kind: report.Text, In: report.Page | report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.TextCell(r.Device) }})
	}
	return append(list,
		kernelColumn{Column: report.Column{Key: "global", Role: report.Code | report.Named, Title: "Global", Kind: report.Text, In: report.Terminal | report.Page | report.Sheet, Drop: 4},
			cell: func(r *compare.Row) report.Cell { return report.TextCell(r.Global.String()) }},
		kernelColumn{Column: report.Column{Key: "local", Role: report.Code | report.Named, Title: "Local", Kind: report.Text, In: report.Terminal | report.Page | report.Sheet, Drop: 3},
			cell: func(r *compare.Row) report.Cell { return report.TextCell(r.Local.String()) }},
		kernelColumn{Column: report.Column{Key: "simd", Role: report.Named, Title: "SIMD", Kind: report.Integer, In: report.Terminal | report.Page | report.Sheet, Drop: 5},
			cell: func(r *compare.Row) report.Cell { return report.OptInt(r.SIMD) }},
		kernelColumn{Column: report.Column{Key: "instances", Title: "Launches", Kind: report.Integer, In: report.Terminal | report.Page | report.Sheet, Drop: 1},
			cell: func(r *compare.Row) report.Cell { return report.OptInt(r.Instances) }},
		kernelColumn{Column: report.Column{Key: "total", Title: "Time", Unit: "s", Kind: report.Number, Decimals: s.decimals, In: report.Terminal | report.Page | report.Sheet, Drop: 2},
			cell: func(r *compare.Row) report.Cell { return report.OptSeconds(r.Total, 1) }},
		kernelColumn{Column: report.Column{Key: "average_time", Title: "Time per launch", Unit: "us", Kind: report.Number, Decimals: 1, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.OptSeconds(r.Average(), 1e6) }},
	)
}

func predictionColumns() []kernelColumn {
	return []kernelColumn{
		{Column: report.Column{Key: "predicted_peak", Group: "Predicted", Title: "peak", Unit: "%", Kind: report.Percent, In: report.Terminal | report.Page | report.Sheet, Drop: 7},
			cell: fromGrid(func(p *predict.Prediction) report.Cell { return report.RatioCell(p.Peak) })},
		{Column: report.Column{Key: "predicted_average", Group: "Predicted", Title: "average", Unit: "%", Kind: report.Percent, In: report.Terminal | report.Page | report.Sheet, Drop: 8},
			cell: fromGrid(func(p *predict.Prediction) report.Cell { return report.RatioCell(p.Average) })},
		{Column: report.Column{Key: "profiler_peak", Title: "VTune peak", Unit: "%", Kind: report.Percent, In: report.Terminal | report.Page | report.Sheet, Drop: 6},
			cell: func(r *compare.Row) report.Cell { return report.OptPercent(r.Peak) }},
		{Column: report.Column{Key: "measured", Role: report.Bar, Title: "Measured", Unit: "%", Kind: report.Percent, In: report.Terminal | report.Page | report.Sheet, Drop: 9},
			cell: func(r *compare.Row) report.Cell { return report.OptPercent(r.Measured) }},
		{Column: report.Column{Key: "difference", Title: "Difference", Unit: "points", Brief: "Difference", Kind: report.Points, In: report.Terminal | report.Page | report.Sheet, Drop: 10},
			cell: func(r *compare.Row) report.Cell { return report.OptPoints(r.Difference) }},
		{Column: report.Column{Key: "finding", Role: report.Choice | report.Named, Title: "Verdict", Kind: report.Text, In: report.Terminal | report.Page}, cell: finding},
		{Column: report.Column{Key: "verdict", Role: report.Named, Title: "Verdict", Kind: report.Text, In: report.Sheet, Words: verdictWords()},
			cell: func(r *compare.Row) report.Cell {
				return report.StatusCell(string(r.Verdict), verdictStatus(r.Verdict))
			}},
		{Column: report.Column{Key: "cause", Role: report.Named, Title: "Cause", Kind: report.Text, In: report.Sheet},
			cell: fromCause(func(c *compare.Cause) string { return c.Name })},
	}
}

// seenColumns are what explains a difference.
func (s *rowSet) seenColumns() []kernelColumn {
	return []kernelColumn{
		{Column: report.Column{Key: "model_difference", Title: "Peak difference", Unit: "points", Kind: report.Points, In: report.Page | report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.OptPoints(r.ModelDifference) }},
		{Column: report.Column{Key: "limits", Title: "Limited by", Kind: report.Text, In: report.Page | report.Sheet},
			cell: fromPrediction(func(p *predict.Prediction) report.Cell { return report.TextCell(strings.Join(p.Limits.Names(), ", ")) })},
		{Column: report.Column{Key: "basis", Role: report.Named, Title: "Compared", Kind: report.Text, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.TextCell(report.BasisText(r.Basis)) }},
		{Column: report.Column{Key: "idle", Title: "XVE idle", Unit: "%", Kind: report.Percent, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.OptPercent(r.Idle) }},
		{Column: report.Column{Key: "loaded", Title: "Measured while loaded", Unit: "%", Kind: report.Percent, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.OptPercent(r.Loaded) }},
		{Column: report.Column{Key: "threads_started", Title: "Threads started", Kind: report.Integer, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.OptInt(r.Threads) }},
		{Column: report.Column{Key: "threads_predicted", Title: "Threads predicted", Kind: report.Integer, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.OptInt(r.ThreadsPredicted()) }},
		{Column: report.Column{Key: "thread_life", Title: "Thread life", Unit: "us", Kind: report.Number, Decimals: 1, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.OptSeconds(r.ThreadLife, 1e6) }},
		{Column: report.Column{Key: "dispatch_rate", Title: "Dispatch rate", Unit: "threads/us", Kind: report.Number, Decimals: 1, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return dispatchRate(r) }},
		{Column: report.Column{Key: "idle_lanes", Title: "Idle lanes", Unit: "%", Kind: report.Percent, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.OptPercent(r.IdleLanes()) }},
		{Column: report.Column{Key: "time_share", Title: "Share of GPU time", Unit: "%", Kind: report.Percent, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.OptPercent(s.result.TimeShare(r)) }},
	}
}

func dispatchRate(r *compare.Row) report.Cell {
	if rate, ok := r.DispatchRate().Value(); ok {
		return report.NumCell(report.Number, rate/1e6)
	}
	return report.Cell{}
}

// detailColumns are the steps of the prediction, the spread over launches, and where the row is from.
func (s *rowSet) detailColumns() []kernelColumn {
	list := []kernelColumn{
		{Column: report.Column{Key: "policy", Role: report.Named, Group: "Predicted", Title: "policy", Kind: report.Text, In: report.Sheet},
			cell: fromPrediction(func(p *predict.Prediction) report.Cell { return report.TextCell(p.Policy.String()) })},
		{Column: report.Column{Key: "threads_per_group", Title: "Threads per work-group", Kind: report.Integer, In: report.Sheet},
			cell: fromPrediction(func(p *predict.Prediction) report.Cell { return report.IntCell(p.ThreadsPerGroup) })},
		{Column: report.Column{Key: "groups", Title: "Work-groups", Kind: report.Integer, In: report.Sheet},
			cell: fromGrid(func(p *predict.Prediction) report.Cell { return report.IntCell(p.Groups) })},
		{Column: report.Column{Key: "groups_per_xe_core", Title: "Work-groups per Xe-core", Kind: report.Integer, In: report.Sheet},
			cell: fromPrediction(func(p *predict.Prediction) report.Cell { return report.IntCell(p.GroupsPerXeCore) })},
		{Column: report.Column{Key: "xe_core", Group: "Predicted", Title: "Xe-core", Unit: "%", Kind: report.Percent, In: report.Sheet},
			cell: fromPrediction(func(p *predict.Prediction) report.Cell { return report.RatioCell(p.XeCore) })},
		{Column: report.Column{Key: "waves", Title: "Waves", Kind: report.Number, Decimals: 2, In: report.Sheet},
			cell: fromGrid(func(p *predict.Prediction) report.Cell { return report.NumCell(report.Number, p.Waves) })},
		{Column: report.Column{Key: "tail", Title: "Last wave", Unit: "%", Kind: report.Percent, In: report.Sheet},
			cell: fromGrid(func(p *predict.Prediction) report.Cell { return report.RatioCell(p.Tail) })},
		{Column: report.Column{Key: "direction", Title: "Direction", Kind: report.Text, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.TextCell(string(r.Direction)) }},
	}
	if s.spread {
		list = append(list, spreadColumns()...)
	}
	return append(list,
		kernelColumn{Column: report.Column{Key: "confidence", Role: report.Named, Title: "Confidence", Kind: report.Text, In: report.Sheet},
			cell: fromCause(func(c *compare.Cause) string { return c.Confidence })},
		kernelColumn{Column: report.Column{Key: "file", Role: report.Named, Title: "File", Kind: report.Text, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.TextCell(r.Pos.File) }},
		kernelColumn{Column: report.Column{Key: "line", Role: report.Named, Title: "Line", Kind: report.Integer, In: report.Sheet},
			cell: func(r *compare.Row) report.Cell { return report.Place(r.Pos.Line) }},
		kernelColumn{Column: report.Column{Key: "label", Role: report.Named, Title: "Label in charts", Kind: report.Text, In: report.Sheet}, nth: s.label},
		kernelColumn{Column: report.Column{Key: "because", Role: report.Named, Title: "Because", Kind: report.Text, In: report.Sheet}, cell: because},
	)
}

// label is the name of a row in charts, absent where charts do not show it.
func (s *rowSet) label(i int) report.Cell {
	if i < len(s.labels) {
		return report.TextCell(s.labels[i])
	}
	return report.Cell{}
}

// because is the evidence of the cause, or why there is no prediction.
func because(r *compare.Row) report.Cell {
	switch {
	case r.Cause != nil:
		return report.TextCell(r.Cause.Because)
	case r.Predicted == nil && r.Verdict != compare.NotAKernel:
		return report.TextCell(r.NoPredictionWhy)
	}
	return report.Cell{}
}

func fromCause(get func(*compare.Cause) string) func(*compare.Row) report.Cell {
	return func(r *compare.Row) report.Cell {
		if r.Cause == nil {
			return report.Cell{}
		}
		return report.TextCell(get(r.Cause))
	}
}

// spreadColumns are the least, the median and the most of the launches that a row is made of.
func spreadColumns() []kernelColumn {
	of := func(get func(*ingest.Spread) report.Cell) func(*compare.Row) report.Cell {
		return func(r *compare.Row) report.Cell {
			if r.Launches == nil {
				return report.Cell{}
			}
			return get(r.Launches)
		}
	}
	time := func(key, title string, get func(*ingest.Spread) unit.Seconds) kernelColumn {
		return kernelColumn{Column: report.Column{Key: key, Group: "Launch", Title: title, Unit: "us", Kind: report.Number, Decimals: 1, In: report.Sheet},
			cell: of(func(s *ingest.Spread) report.Cell { return report.NumCell(report.Number, float64(get(s))*1e6) })}
	}
	occupancy := func(key, title string, get func(*ingest.Spread) unit.Opt[unit.Ratio]) kernelColumn {
		return kernelColumn{Column: report.Column{Key: key, Group: "Launch measured", Title: title, Unit: "%", Kind: report.Percent, In: report.Sheet},
			cell: of(func(s *ingest.Spread) report.Cell { return report.OptPercent(get(s)) })}
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
