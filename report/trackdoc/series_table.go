package trackdoc

import (
	"slices"

	"occudiff/compare/track"
	"occudiff/report"
)

// keyColumns begin a table of series: a device, driver or program that all share stands in the headline of a terminal
// only.
func keyColumns(list []series) []column[series] {
	part := func(key, title string, drop int, of func(series) string) column[series] {
		in := report.Page | report.Sheet
		for _, s := range list {
			if of(s) != of(list[0]) {
				in = everywhere
			}
		}
		return text(key, title, in, of).cut().drop(drop)
	}
	columns := []column[series]{
		text("series", "Kernel", everywhere, func(s series) string { return s.Key.Name() }).cut(),
		part("device", "Device", 5, func(s series) string { return s.Key.Device }),
		part("driver", "Driver", 4, func(s series) string { return s.Key.Driver }),
	}
	if slices.ContainsFunc(list, func(s series) bool { return s.Key.Program != "" }) {
		columns = append(columns, part("program", "Program", 4, func(s series) string { return s.Key.Program }))
	}
	return columns
}

// gateColumns are the newest value, the figures of the gate and its word. In a report all series have the window that
// the rule names.
func (m metric) gateColumns(inReport bool) []column[series] {
	page := report.Page | report.Sheet
	windows, runs := everywhere, everywhere
	if inReport {
		windows, runs = report.Sheet, page
	}
	finding := report.Column{Key: "finding", Title: "Verdict", Kind: report.Text, In: everywhere, Words: outcomeWords()}
	return []column[series]{
		{m.column("value", "Newest"), func(s series) report.Cell { return m.cell(s.Gate.Value) }},
		column[series]{m.column("median", "Median"),
			func(s series) report.Cell { return m.known(s.Gate.Median) }}.drop(6),
		{m.madColumn(3), func(s series) report.Cell { return m.mad(s.Gate.MAD) }},
		{m.column("threshold", "Threshold"), func(s series) report.Cell { return m.known(s.Gate.Threshold) }},
		count("n", "Earlier runs", runs, func(s series) int { return s.Gate.N }).brief("n").drop(2),
		count("window", "Window", windows, func(s series) int { return s.Gate.Window }).drop(1),
		count("in_a_row", "Runs in a row beyond", page, func(s series) int { return s.Gate.InARow }),
		{finding, func(s series) report.Cell { return report.StatusCell(s.finding(), s.status()) }},
		// For programs.
		{report.Column{Key: "verdict", Title: "Verdict", Kind: report.Text},
			func(s series) report.Cell { return report.StatusCell(s.word(), s.status()) }},
		text("against", "Against the prediction", report.Sheet, func(s series) string { return s.Against }),
		refColumn("first_bad", "First bad run", func(s series) *track.Ref { return s.FirstBad }),
		commitColumn("first_bad_commit", "First bad commit", func(s series) *track.Ref { return s.FirstBad }),
		refColumn("last_good", "Last good run", func(s series) *track.Ref { return s.LastGood }),
		commitColumn("last_good_commit", "Last good commit", func(s series) *track.Ref { return s.LastGood }),
	}
}

// refColumn and commitColumn say of each series that is bad which run it is about.
func refColumn(key, title string, of func(series) *track.Ref) column[series] {
	return column[series]{report.Column{Key: key, Title: title, Kind: report.Integer, In: report.Sheet},
		func(s series) report.Cell {
			if r := of(s); r != nil {
				return report.IntCell(r.Run)
			}
			return report.Cell{}
		}}
}

func commitColumn(key, title string, of func(series) *track.Ref) column[series] {
	return text(key, title, report.Sheet, func(s series) string {
		if r := of(s); r != nil {
			return r.Commit
		}
		return ""
	})
}

// seriesTable lists series. The first of them need attention.
func seriesTable(list []series, columns ...[]column[series]) *report.Table {
	t := tableOf(report.SectionSeries, everywhere, list, append(keyColumns(list), slices.Concat(columns...)...))
	for _, s := range list {
		if s.needsAttention() {
			t.Attention++
		}
	}
	return t
}
