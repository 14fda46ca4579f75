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
	predicted := "predicted_average"
	if !rows.measured {
		predicted = "predicted_peak"
	}
	p := report.Plot{
		Key: "occupancy", Title: "Occupancy by kernel", Table: report.SectionKernels, Label: "label",
		Series: []string{predicted, "profiler_peak", "measured"}, Rows: min(rows.kernels, report.PlotRows), Unit: "%",
		Max:  100,
		Text: "One bar each for the prediction, VTune's own peak and the measurement.",
	}
	if rows.kernels > report.PlotRows {
		p.Title += ", the first " + report.Thousands(report.PlotRows) + " of " + report.Thousands(int64(rows.kernels))
	}
	return p
}

func verdictTable(s *compare.Summary) *report.Table {
	var counts report.VerdictCounts
	for _, c := range []struct {
		verdict rowtext.Verdict
		n       int
		meaning string
	}{
		{rowtext.Verdict(compare.Match), s.Matched, "within tolerance of the prediction"},
		{rowtext.Verdict(compare.Below), s.Below, "less than predicted"},
		{rowtext.Verdict(compare.Above), s.Above, "more than predicted"},
		{rowtext.Verdict(compare.Unmeasurable), s.Unmeasurable,
			"the values are not the kernel's, or it fills too little"},
		{rowtext.Verdict(compare.NoPrediction), s.NoPrediction, "the launch cannot be predicted"},
		{rowtext.Verdict(compare.NoMeasurement), s.NoMeasurement, "neither a measurement nor a VTune peak"},
		{rowtext.Verdict(compare.NotAKernel), s.NotKernels, "copies, fills, barriers, outside any task"},
	} {
		counts.Add(c.verdict.Cell(), c.n, c.meaning)
	}
	return report.VerdictTable(counts)
}

// figureTable is a table of names and values, each with its own unit; figures that too few kernels give are left out.
func figureTable(s *compare.Summary) *report.Table {
	type figure struct {
		Name  string      `json:"figure" col:"Figure"`
		Value report.Cell `col:"Value; decimals=3; kind=number"`
		Unit  string      `col:"Unit"`
	}
	var rows []figure
	add := func(name string, value report.Cell, unit string) {
		if value.Kind != report.Absent {
			rows = append(rows, figure{name, value, unit})
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
	add("Kernels with a VTune peak", report.IntCell(s.ModelCompared), "kernels")
	add("VTune's peak agrees with the model", report.IntCell(s.ModelMatched), "kernels")
	add("Unexplained differences", report.IntCell(s.Unexplained), "kernels")
	if n := s.Below + s.Above; n > 0 {
		add("Unexplained share of those that do not match", report.NumCell(report.Percent, unexplainedPercent(s)), "%")
	}
	add("GPU time", report.OptSeconds(s.GPUTime, 1e3), "ms")
	add("GPU time in kernels", report.OptSeconds(s.KernelTime, 1e3), "ms")
	t := report.List("figures", "Figures", rows)
	t.Form = report.Facts
	return t
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
	type count struct {
		Cause string `col:"Cause"`
		Rows  int    `col:"Kernels"`
	}
	var rows []count
	for _, c := range s.CauseCounts {
		rows = append(rows, count{c.Name, c.Rows})
	}
	t := report.List("causes", "Causes", rows)
	t.Form = report.Chips
	return t
}
