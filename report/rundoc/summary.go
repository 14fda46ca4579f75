package rundoc

import (
	"occudiff/compare"
	"occudiff/report"
)

// summarySection begins with the lines of the terminal, word for word: who forwards the workbook forwards the same
// answer.
func summarySection(r *compare.Result, rows *rowSet, d *report.Document) report.Section {
	s := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary"}
	s.Text = append(append(s.Text, d.Headline...), d.Closing)
	s.Tables = append(s.Tables, verdictTable(&r.Summary), figureTable(&r.Summary))
	if len(r.Summary.CauseCounts) > 0 {
		s.Tables = append(s.Tables, causeTable(&r.Summary))
	}
	if p, ok := accountPlot(rows); ok {
		s.Plots = append(s.Plots, p)
	}
	if p, ok := scatterPlot(r, rows); ok {
		s.Plots = append(s.Plots, p)
	}
	if anyOccupancy(rows) {
		s.Plots = append(s.Plots, occupancyPlot(rows))
	}
	return s
}

// occupancyPlot sets the prediction beside what was seen: its average beside a measurement; when nothing was measured,
// its peak beside the profiler's.
func occupancyPlot(rows *rowSet) report.Plot {
	// Like with like: a measurement is a mean over the launch, VTune's peak is what the launch's shape admits.
	predicted := "predicted_average_percent"
	if !rows.measured {
		predicted = "predicted_peak_percent"
	}
	p := report.Plot{
		Key: "occupancy", Title: "Occupancy by kernel", Table: report.SectionKernels, Label: "label",
		Series: []string{predicted, "profiler_peak_percent", "measured_percent"}, Rows: min(rows.kernels, report.PlotRows), Unit: "%",
		Max:  100,
		Text: "One bar each for the prediction, VTune's own peak and the measurement.",
	}
	if rows.kernels > report.PlotRows {
		p.Title += ", the first " + report.Thousands(report.PlotRows) + " of " + report.Thousands(int64(rows.kernels))
	}
	return p
}

// Every verdict has a line, also one that no kernel has: 0 is an answer there.
func verdictTable(s *compare.Summary) *report.Table {
	count := func(v compare.Verdict, n int, meaning string) report.VerdictCount {
		return report.VerdictCount{Verdict: verdictCell(v), Rows: n, Meaning: meaning}
	}
	return report.VerdictTable([]report.VerdictCount{
		count(compare.Match, s.Matched, "within tolerance of the prediction"),
		count(compare.PeaksAgree, s.PeaksAgree, "VTune's peak is the predicted one; nothing was measured"),
		count(compare.Idle, s.Idle, "as predicted while it ran; the idle time may lie between launches"),
		count(compare.Below, s.Below, "less than predicted"),
		count(compare.Above, s.Above, "more than predicted"),
		count(compare.Unmeasurable, s.Unmeasurable,
			"other tasks may have made the value, or the launch is too small"),
		count(compare.NoPrediction, s.NoPrediction, "the launch cannot be predicted"),
		count(compare.NoMeasurement, s.NoMeasurement, "neither a measurement nor a VTune peak"),
		count(compare.NotAKernel, s.NotKernels, "copies, fills, barriers, outside any task"),
	})
}

// figureTable is a table of names and values, each with its own unit; figures that too few kernels give are left out.
// Statistics are for those who ask for them, which is why they stand behind the answer. A correlation of three kernels
// is left out.
func figureTable(s *compare.Summary) *report.Table {
	type figure struct {
		name  string
		value report.Cell
		unit  string
	}
	var rows []figure
	add := func(name string, value report.Cell, unit string) {
		if value.Kind != report.Absent {
			rows = append(rows, figure{name, value, unit})
		}
	}
	compared := s.Compared()
	share := report.Cell{}
	if compared > 0 {
		share = report.NumCell(report.Percent, 100*float64(s.Matched)/float64(compared))
	}
	add("Kernels that could be compared", report.IntCell(compared), kernelUnit(compared))
	add("Matched share of those", share, "%")
	add("Mean difference (bias)", report.OptPoints(s.Bias), "points")
	add("Mean difference, weighted by time", report.OptPoints(s.WeightedBias), "points")
	add("Mean absolute difference", report.OptNum(report.Percent, s.MeanAbsolute, 1), "points")
	add("Mean absolute difference, weighted by time", report.OptNum(report.Percent, s.WeightedMeanAbsolute, 1),
		"points")
	add("Largest absolute difference", report.OptNum(report.Percent, s.MaxAbsolute, 1), "points")
	add("Root mean square difference", report.OptNum(report.Percent, s.RMSE, 1), "points")
	add("Median difference", report.OptPoints(s.Median), "points")
	add("Median absolute deviation", report.OptNum(report.Percent, s.MAD, 1), "points")
	add("Pearson correlation", report.OptNum(report.Number, s.Pearson, 1), "")
	add("Spearman correlation", report.OptNum(report.Number, s.Spearman, 1), "")
	add("VTune peaks compared with the model", report.IntCell(s.ModelCompared), kernelUnit(s.ModelCompared))
	add("VTune peaks that agree with the model", report.IntCell(s.ModelMatched), kernelUnit(s.ModelMatched))
	add("Unexplained differences", report.IntCell(s.Unexplained), kernelUnit(s.Unexplained))
	if n := s.Mismatched(); n > 0 {
		add("Unexplained share of those that do not match", report.NumCell(report.Percent, unexplainedPercent(s)), "%")
	}
	// One unit for both times, so that they compare.
	scale, unit := 1e3, "ms"
	if s.GPUTime.Or(0) >= 1 {
		scale, unit = 1, "s"
	}
	add("GPU time", report.OptNum(report.Number, s.GPUTime, scale), unit)
	add("GPU time in kernels", report.OptNum(report.Number, s.KernelTime, scale), unit)
	t := report.NewTable("figures", "Figures", rows, []report.Col[figure]{
		report.Define(column{Key: "figure", Title: "Figure", Kind: report.Text, In: report.Files}, func(f *figure) cell { return report.TextCell(f.name) }),
		report.Define(column{Key: "value", Title: "Value", Kind: report.Number, Decimals: 3, In: report.Files}, func(f *figure) cell { return f.value }),
		report.Define(column{Key: "unit", Title: "Unit", Kind: report.Text, In: report.Files}, func(f *figure) cell { return report.TextCell(f.unit) }),
	}).Show()
	t.Form, t.In = report.Facts, report.Files
	return t
}

// unexplainedPercent is how many of the kernels that do not match have no known cause: how much the tool cannot tell.
func unexplainedPercent(s *compare.Summary) float64 {
	return 100 * float64(s.Unexplained) / float64(s.Mismatched())
}

func causeTable(s *compare.Summary) *report.Table {
	t := report.NewTable("causes", "Causes", s.CauseCounts, []report.Col[compare.CauseCount]{
		report.Define(column{Key: "cause", Title: "Cause", Kind: report.Text, In: report.Files}, func(c *compare.CauseCount) cell { return report.TextCell(c.Name) }),
		report.Define(column{Key: "rows", Title: "Kernels", Kind: report.Integer, In: report.Files}, func(c *compare.CauseCount) cell { return report.IntCell(c.Rows) }),
	}).Show()
	t.In = report.Files
	t.Form = report.Chips
	return t
}

// kernelUnit is what a count of kernels is of.
func kernelUnit(n int) string {
	if n == 1 {
		return "kernel"
	}
	return "kernels"
}
