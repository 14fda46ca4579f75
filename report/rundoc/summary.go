package rundoc

import (
	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/rowtext"
)

func summarySection(r *compare.Result, rows *rowSet, d *report.Document) report.Section {
	s := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary"}
	s.Text = append(append(s.Text, d.Headline...), d.Closing)
	verdicts, figures := verdictTable(&r.Summary), figureTable(&r.Summary)
	verdicts.Form, figures.Form = report.Tiles, report.Facts
	s.Tables = append(s.Tables, verdicts, figures)
	if len(r.Summary.CauseCounts) > 0 {
		causes := causeTable(&r.Summary)
		causes.Form = report.Chips
		s.Tables = append(s.Tables, causes)
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
	predicted := "predicted_average"
	if !rows.measured {
		predicted = "predicted_peak"
	}
	p := report.Plot{
		Key: "occupancy", Title: "Occupancy by kernel", Table: report.SectionKernels, Label: "label",
		Series: []string{predicted, "profiler_peak", "measured"}, Rows: min(rows.kernels, report.PlotRows), Unit: "%",
		Max:  100,
		Text: "A bar each for the prediction, VTune's own peak, and what was measured.",
	}
	if rows.kernels > report.PlotRows {
		p.Title += ", the first " + report.Thousands(report.PlotRows) + " of " + report.Thousands(int64(rows.kernels))
	}
	return p
}

func verdictTable(s *compare.Summary) *report.Table {
	counts := []struct {
		verdict compare.Verdict
		n       int
		meaning string
	}{
		{compare.Match, s.Matched, "within tolerance of the prediction"},
		{compare.Below, s.Below, "less than predicted"},
		{compare.Above, s.Above, "more than predicted"},
		{compare.Unmeasurable, s.Unmeasurable, "the values are not the kernel's, or it fills too little"},
		{compare.NoPrediction, s.NoPrediction, "the launch cannot be predicted"},
		{compare.NoMeasurement, s.NoMeasurement, "neither measured nor a peak of VTune"},
		{compare.NotAKernel, s.NotKernels, "copies, fills, barriers, outside any task"},
	}
	var rows [][]report.Cell
	for _, c := range counts {
		status := rowtext.Status(c.verdict)
		if c.n == 0 { // nothing to be alarmed at
			status = report.Muted
		}
		rows = append(rows, []report.Cell{report.StatusCell(string(c.verdict), status),
			report.IntCell(c.n), report.TextCell(c.meaning)})
	}
	return report.Fixed("verdicts", "Verdicts", []report.Column{
		{Key: "verdict", Title: "Verdict", Kind: report.Text, In: report.Page | report.Sheet},
		{Key: "rows", Title: "Tasks", Kind: report.Integer, In: report.Page | report.Sheet},
		{Key: "meaning", Title: "Meaning", Kind: report.Text, In: report.Page},
	}, rows)
}

// figureTable is a table of names and values, each with its own unit; figures that too few kernels give are left out.
func figureTable(s *compare.Summary) *report.Table {
	var rows [][]report.Cell
	add := func(name string, value report.Cell, unit string) {
		if value.Kind != report.Absent {
			rows = append(rows, []report.Cell{report.TextCell(name), value, report.TextCell(unit)})
		}
	}
	compared := s.Matched + s.Below + s.Above
	share := report.Cell{}
	if compared > 0 {
		share = report.NumCell(report.Percent, 100*float64(s.Matched)/float64(compared))
	}
	add("Kernels that could be compared", report.IntCell(compared), "kernels")
	add("Matched share of those", share, "%")
	add("Mean difference (bias)", report.OptPoints(s.Bias), "points")
	add("Mean difference, weighted by time", report.OptPoints(s.WeightedBias), "points")
	add("Mean absolute difference", magnitude(s.MeanAbsolute), "points")
	add("Mean absolute difference, weighted by time", magnitude(s.WeightedMeanAbsolute), "points")
	add("Largest absolute difference", magnitude(s.MaxAbsolute), "points")
	add("Root mean square difference", magnitude(s.RMSE), "points")
	add("Median difference", report.OptPoints(s.Median), "points")
	add("Median absolute deviation", magnitude(s.MAD), "points")
	add("Pearson correlation", coefficient(s.Pearson), "")
	add("Spearman correlation", coefficient(s.Spearman), "")
	add("Kernels with a peak of VTune", report.IntCell(s.ModelCompared), "kernels")
	add("VTune's peak agrees with the model", report.IntCell(s.ModelMatched), "kernels")
	add("Unexplained differences", report.IntCell(s.Unexplained), "kernels")
	if n := s.Below + s.Above; n > 0 {
		add("Unexplained share of those that do not match", report.NumCell(report.Percent, unexplainedPercent(s)), "%")
	}
	add("GPU time", report.OptSeconds(s.GPUTime, 1e3), "ms")
	add("GPU time in kernels", report.OptSeconds(s.KernelTime, 1e3), "ms")
	return report.Fixed("figures", "Figures", []report.Column{
		{Key: "figure", Title: "Figure", Kind: report.Text, In: report.Page | report.Sheet},
		{Key: "value", Title: "Value", Kind: report.Number, Decimals: 3, In: report.Page | report.Sheet},
		{Key: "unit", Title: "Unit", Kind: report.Text, In: report.Page | report.Sheet},
	}, rows)
}

// unexplainedPercent is how many of the kernels that do not match have no known cause: how much the tool cannot tell.
func unexplainedPercent(s *compare.Summary) float64 {
	return 100 * float64(s.Unexplained) / float64(s.Below+s.Above)
}

// magnitude is an amount of points that has no sign.
func magnitude(o unit.Opt[unit.Points]) report.Cell {
	if p, ok := o.Value(); ok {
		return report.NumCell(report.Percent, float64(p))
	}
	return report.Cell{}
}

func coefficient(o unit.Opt[float64]) report.Cell {
	if x, ok := o.Value(); ok {
		return report.NumCell(report.Number, x)
	}
	return report.Cell{}
}

func causeTable(s *compare.Summary) *report.Table {
	var rows [][]report.Cell
	for _, c := range s.CauseCounts {
		rows = append(rows, []report.Cell{report.TextCell(c.Name), report.IntCell(c.Rows)})
	}
	return report.Fixed("causes", "Causes", []report.Column{
		{Key: "cause", Title: "Cause", Kind: report.Text, In: report.Page | report.Sheet},
		{Key: "rows", Title: "Kernels", Kind: report.Integer, In: report.Page | report.Sheet},
	}, rows)
}
