package rundoc

import (
	"fmt"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// FromResult builds the report of a compared run: its screen, the table of its rows, a paragraph for each that needs
// one, and what it was made from. It keeps r: rows are read when a renderer asks for them.
func FromResult(r *compare.Result, prov report.Provenance) *report.Document {
	r = shown(r, prov.Show)
	d := &report.Document{
		Title:    "Predicted and measured GPU occupancy",
		Subject:  "Run without a known device",
		Date:     r.Platform.Collected,
		Screen:   screenOf(r, prov.Show),
		Headline: headline(r),
		Version:  prov.Version,
	}
	if r.Device != nil {
		d.Subject = "Run on " + report.OneLine(r.Device.Name)
	}
	summary := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary", Text: d.Headline}
	d.Sections = append(d.Sections, summary, kernelSection(r), evidenceSection(r))
	if s, ok := launchSection(r); ok {
		d.Sections = append(d.Sections, s)
	}
	d.Sections = append(d.Sections, overTimeSections(r)...)
	if len(r.Timings) > 0 {
		d.Sections = append(d.Sections, timingSection(r))
	}
	d.Sections = append(d.Sections, deviceSection(r), noteSection(r), provenanceSection(r, prov))
	return d
}

// headline says what was run on what, and how much of it matches.
func headline(r *compare.Result) (lines []string) {
	if d := r.Device; d != nil {
		lines = []string{fmt.Sprintf("%s, %d Xe-cores x %d XVE x %d threads = %s thread slots",
			report.OneLine(d.Name), d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE, report.Thousands(int64(d.Slots())))}
		if r.ChosenBy != "" {
			lines[0] += " (from " + report.OneLine(r.ChosenBy) + ")"
		}
	}
	s := &r.Summary
	text := unit.Counted(s.Kernels, "kernel", "kernels")
	if n := r.LaunchCount(); n > 0 {
		text += " in " + unit.Counted(n, "launch", "launches")
	}
	if s.NotKernels > 0 {
		text += ", " + unit.Counted(s.NotKernels, "other task", "other tasks")
	}
	if n := len(r.Timings); n > 0 {
		text += ", " + unit.Counted(n, "log timing", "log timings")
	}
	if t, ok := s.GPUTime.Value(); ok {
		text += ", " + unit.Span(t) + " of GPU time"
	}
	return append(lines, text+samplingText(r), agreement(r))
}

// samplingText says how often the counters were sampled. Their clock allows only some intervals, see predict/arch.
func samplingText(r *compare.Result) string {
	ms := func(t unit.Seconds) string { return unit.Significant(1e3*float64(t)) + " ms" }
	if t, known := r.Platform.SamplingInterval.Value(); known {
		return "; the counters were sampled every " + ms(t)
	}
	asked, real, more := r.Options.SamplingInterval, r.SamplingInterval(), ""
	if r.Options.SamplingAssumed {
		more = "; assumed"
	}
	if real != asked {
		more += "; " + ms(real) + " in hardware"
	}
	switch {
	case asked <= 0:
		return ""
	case more == "":
		return "; sampling interval " + unit.Span(asked)
	}
	return "; sampling interval " + unit.Span(asked) + " (" + more[2:] + ")"
}

// agreement says how much matches, and how much could be judged.
func agreement(r *compare.Result) string {
	s := &r.Summary
	number := func(n int) string { return report.Thousands(int64(n)) }
	text := "No kernel can be compared: " + uncompared(s)
	switch compared := s.Compared(); {
	case s.Kernels == 0:
		return "No kernel in this run: there is nothing to compare."
	case compared > 0:
		text = fmt.Sprintf("%s of %s measurable kernels match within %s points", number(s.Matched), number(compared),
			report.Shortest(float64(r.Options.Tolerance)))
	// VTune's peak is a prediction itself. To call that a match of measurements would say more than was seen.
	case s.PeaksAgree > 0:
		text = "Nothing was measured, so this compares two predictions"
	}
	if s.ModelCompared > 0 {
		text += fmt.Sprintf("; the model agrees with VTune's peak on %s of %s", number(s.ModelMatched), number(s.ModelCompared))
	}
	text += "."
	if s.Judged > 0 && s.NotJudged > 0 {
		text += fmt.Sprintf(" %s of %s judged; %s not: %s.", number(s.Judged), unit.Counted(s.Kernels, "kernel", "kernels"),
			number(s.Kernels-s.Judged), uncompared(s))
	}
	return text
}

// uncompared is what no verdict is about, with the reasons.
func uncompared(s *compare.Summary) string {
	return strings.Join(report.ListOf(uncomparedKernels(s), func(k report.UnjudgedKernels) string { return k.Text }), ", ")
}

func kernelSection(r *compare.Result) report.Section {
	s := report.Section{Key: report.SectionKernels, Title: "All kernels", Sheet: "Kernels"}
	if len(r.Rows) == 0 {
		s.Text = []string{"The inputs contain no kernel."}
		return s
	}
	s.Text = []string{"Kernels that need attention come first, by slot time below the prediction; tasks that are not kernels come last."}
	s.Tables = []*report.Table{kernelTable(r)}
	return s
}

// slots has a bar for each row, without a part where nothing tells where its thread slots went.
func slots(rows []*compare.Row) *report.StackedBars {
	bars := &report.StackedBars{}
	for _, p := range compare.Parts() { // each has one color in every report
		bars.Parts = append(bars.Parts, partNames.Of(p))
	}
	for _, row := range rows {
		bar := report.StackedRow{Name: report.KernelName(row.Task)}
		if row.Account != nil {
			for k, v := range row.Account.Drawn() {
				bar.Shares = append(bar.Shares, report.Share{Part: k, Value: v})
			}
		}
		bars.Rows = append(bars.Rows, bar)
	}
	return bars
}

var partNames = compare.ByPart[string]{"measured", "underfilled XVEs", "empty XVEs", "shortfall",
	"last wave (predicted)", "limits (predicted)"}
