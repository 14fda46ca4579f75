package report

import (
	"occudiff/compare"
	"occudiff/ingest/unit"
)

// plotRows is how many kernels a plot shows: more bars than this cannot be told apart.
const plotRows = 40

// verdictStatus is the colour that says a verdict again.
func verdictStatus(v compare.Verdict) Status {
	switch v {
	case compare.Match:
		return Good
	case compare.Below, compare.Above:
		return Bad
	case compare.Unmeasurable:
		return Unsure
	}
	return Muted
}

func verdictWords() []Word {
	var words []Word
	for _, v := range []compare.Verdict{compare.Match, compare.Below, compare.Above, compare.Unmeasurable,
		compare.NoPrediction, compare.NoMeasurement, compare.NotAKernel} {
		words = append(words, Word{string(v), verdictStatus(v)})
	}
	return words
}

func summarySection(r *compare.Result, rows *rowSet, d *Document) Section {
	s := Section{Key: SectionSummary, Title: "Summary", Sheet: "Summary"}
	s.Text = append(append(s.Text, d.Headline...), d.Closing)
	s.Tables = append(s.Tables, verdictTable(&r.Summary), figureTable(&r.Summary))
	if len(r.Summary.CauseCounts) > 0 {
		s.Tables = append(s.Tables, causeTable(&r.Summary))
	}
	if p, ok := cloudPlot(r, rows); ok {
		s.Plots = append(s.Plots, p)
	}
	if anyOccupancy(rows) {
		s.Plots = append(s.Plots, occupancyPlot(rows))
	}
	return s
}

// occupancyPlot sets the prediction beside what was seen: its average beside a measurement; when nothing was measured, its
// peak beside the profiler's.
func occupancyPlot(rows *rowSet) Plot {
	predicted := "predicted_average"
	if !rows.measured {
		predicted = "predicted_peak"
	}
	p := Plot{
		Key: "occupancy", Title: "Occupancy by kernel", Table: SectionKernels, Label: "label",
		Series: []string{predicted, "profiler_peak", "measured"}, Rows: min(rows.kernels, plotRows), Unit: "%", Max: 100,
		Text: "A bar each for the prediction, VTune's own peak, and what was measured.",
	}
	if rows.kernels > plotRows {
		p.Title += ", the first " + Thousands(plotRows) + " of " + Thousands(int64(rows.kernels))
	}
	return p
}

func verdictTable(s *compare.Summary) *Table {
	counts := []struct {
		verdict compare.Verdict
		n       int
		meaning string
	}{
		{compare.Match, s.Matched, "within tolerance of the prediction"},
		{compare.Below, s.Below, "less than predicted"},
		{compare.Above, s.Above, "more than predicted"},
		{compare.Unmeasurable, s.Unmeasurable, "too short for the sampling interval"},
		{compare.NoPrediction, s.NoPrediction, "the launch cannot be predicted"},
		{compare.NoMeasurement, s.NoMeasurement, "neither measured nor a peak of VTune"},
		{compare.NotAKernel, s.NotKernels, "copies, fills, barriers, outside any task"},
	}
	var rows [][]Cell
	for _, c := range counts {
		rows = append(rows, []Cell{StatusCell(string(c.verdict), verdictStatus(c.verdict)), IntCell(c.n), TextCell(c.meaning)})
	}
	return Fixed("verdicts", "Verdicts", []Column{
		{Key: "verdict", Title: "Verdict", Kind: Text, In: Page | Sheet, Words: verdictWords()},
		{Key: "rows", Title: "Tasks", Kind: Integer, In: Page | Sheet},
		{Key: "meaning", Title: "Meaning", Kind: Text, In: Page},
	}, rows)
}

// figureTable is a table of names and values, each with its own unit; figures that too few kernels give are left out.
func figureTable(s *compare.Summary) *Table {
	var rows [][]Cell
	add := func(name string, value Cell, unit string) {
		if value.Kind != Absent {
			rows = append(rows, []Cell{TextCell(name), value, TextCell(unit)})
		}
	}
	compared := s.Matched + s.Below + s.Above
	share := Cell{}
	if compared > 0 {
		share = NumCell(Percent, 100*float64(s.Matched)/float64(compared))
	}
	add("Kernels that could be compared", IntCell(compared), "kernels")
	add("Matched share of those", share, "%")
	add("Mean difference (bias)", optPoints(s.Bias), "points")
	add("Mean difference, weighted by time", optPoints(s.WeightedBias), "points")
	add("Mean absolute difference", magnitude(s.MeanAbsolute), "points")
	add("Mean absolute difference, weighted by time", magnitude(s.WeightedMeanAbsolute), "points")
	add("Largest absolute difference", magnitude(s.MaxAbsolute), "points")
	add("Root mean square difference", magnitude(s.RMSE), "points")
	add("Median difference", optPoints(s.Median), "points")
	add("Median absolute deviation", magnitude(s.MAD), "points")
	add("Pearson correlation", coefficient(s.Pearson), "")
	add("Spearman correlation", coefficient(s.Spearman), "")
	add("Kernels with a peak of VTune", IntCell(s.ModelCompared), "kernels")
	add("VTune's peak agrees with the model", IntCell(s.ModelMatched), "kernels")
	add("Unexplained differences", IntCell(s.Unexplained), "kernels")
	if n := s.Below + s.Above; n > 0 {
		add("Unexplained share of those that do not match", NumCell(Percent, unexplainedPercent(s)), "%")
	}
	add("GPU time", optSeconds(s.GPUTime, 1e3), "ms")
	add("GPU time in kernels", optSeconds(s.KernelTime, 1e3), "ms")
	return Fixed("figures", "Figures", []Column{
		{Key: "figure", Title: "Figure", Kind: Text, In: Page | Sheet},
		{Key: "value", Title: "Value", Kind: Number, Decimals: 3, In: Page | Sheet},
		{Key: "unit", Title: "Unit", Kind: Text, In: Page | Sheet},
	}, rows)
}

// unexplainedPercent is how many of the kernels that do not match have no known cause: how much the tool cannot tell.
func unexplainedPercent(s *compare.Summary) float64 {
	return 100 * float64(s.Unexplained) / float64(s.Below+s.Above)
}

// magnitude is an amount of points that has no sign.
func magnitude(o unit.Opt[unit.Points]) Cell {
	if p, ok := o.Value(); ok {
		return NumCell(Percent, float64(p))
	}
	return Cell{}
}

func coefficient(o unit.Opt[float64]) Cell {
	if x, ok := o.Value(); ok {
		return NumCell(Number, x)
	}
	return Cell{}
}

func causeTable(s *compare.Summary) *Table {
	var rows [][]Cell
	for _, c := range s.CauseCounts {
		rows = append(rows, []Cell{TextCell(c.Name), IntCell(c.Rows)})
	}
	return Fixed("causes", "Causes", []Column{
		{Key: "cause", Title: "Cause", Kind: Text, In: Page | Sheet},
		{Key: "rows", Title: "Kernels", Kind: Integer, In: Page | Sheet},
	}, rows)
}
