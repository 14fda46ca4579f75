package diffdoc

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/report"
)

// matrix is kernels by columns, where a column is a run or a side: what reports of several runs and of several sides
// have in common.
// The order of a report is decided here once, so that a reader of either finds his way in the other.
type matrix struct {
	doc       *report.Document // with its texts
	dates     []time.Time      // when the runs or sides were collected
	attention report.Section
	none      string // what the text of attention is without an item
	overview  report.Section
	kernels   []report.Section
	columns   []report.Section // each run or side by itself
	heat      *report.Plot     // what every column measures
	last      []report.Section // notes and sources
}

// document puts what decides first, then all kernels, then each column.
func (m *matrix) document() *report.Document {
	d := m.doc
	// The date of a report is that of its newest input, not of the clock, so the same inputs make the same bytes.
	for _, t := range m.dates {
		if t.After(d.Date) {
			d.Date = t
		}
	}
	summary := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary",
		Text: append(slices.Clone(d.Headline), d.Closing)}
	if m.heat != nil {
		summary.Plots = []report.Plot{*m.heat}
	}
	m.attention.Key, m.attention.Sheet, m.attention.ItemsIn = report.SectionAttention, "Summary", report.Everywhere
	if len(m.attention.Items) == 0 {
		m.attention.Text = []string{m.none}
	}
	m.overview.Sheet = "Summary"
	d.Sections = slices.Concat([]report.Section{summary, m.attention, m.overview}, m.kernels, m.columns, m.last)
	return d
}

// heatMap shows the first kernels column by column; of says what a column is, and order what orders the kernels.
func heatMap(of, order string, columns []string, rows []report.HeatRow) *report.Plot {
	if len(rows) == 0 {
		return nil
	}
	p := &report.Plot{Key: "heat-map", Title: "Measured occupancy by kernel and " + of, Unit: "%", Max: 100,
		Text: "A row for each kernel, a column for each " + of + "; an empty frame means no measurement."}
	// A row of the chart is as high as a line of text.
	if len(rows) > report.PlotRows {
		rows = rows[:report.PlotRows]
		p.Title += ", the first " + strconv.Itoa(report.PlotRows) + " kernels" + order
	}
	report.CutNames(len(rows), func(i int) *string { return &rows[i].Name })
	p.Rows, p.HeatMap = len(rows), &report.HeatMap{Columns: columns, Rows: rows}
	return p
}

// joined has the test cases of each column, whose classes name it.
func joined(command string, names []string, prov report.Provenance,
	of func(column int, prov report.Provenance) *report.TestSuite) *report.TestSuite {
	all := report.NewTestSuite(command, prov)
	label := prov.Label
	for i, name := range names {
		// The class of a case holds the label, and equal cases of two runs must not look like one that ran twice.
		prov.Label = strings.TrimPrefix(label+"/"+name, "/")
		all.Join(report.OneLine(name), of(i, prov))
	}
	return all
}

// shownKernels gives the kernels that people want to see, and says what is left out.
func shownKernels[K any](kernels []K, show report.Selection, of func(*K) report.Candidate) ([]K, []string) {
	kept, left := report.Select(show, kernels, "kernels", of)
	return kept, report.NotWhole(left)
}
