package diffdoc

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/ingest/unit"
	"occudiff/report"
)

// matrix is kernels by columns, where a column is a run or a side: what reports of several runs and of several sides
// have in common.
// The order of a report is decided here once, so that a reader of either finds his way in the other.
type matrix struct {
	doc      *report.Document // with its screen
	dates    []time.Time      // when the runs or sides were collected
	overview []report.Section
	kernels  []report.Section
	columns  []report.Section // each run or side by itself
	heat     *report.Plot     // what every column measures
	last     []report.Section // notes and sources
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
	summary := report.Section{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary"}
	if m.heat != nil {
		summary.Plots = []report.Plot{*m.heat}
	}
	d.Sections = slices.Concat([]report.Section{summary}, m.overview, m.kernels, m.columns, m.last)
	return d
}

// matrixTable has a row for each kernel: what leads, then the columns of each run or side, then what closes.
func matrixTable[K any](key string, kernels []K, lead []report.Col[K], columns int, of func(column int) []report.Col[K],
	last ...report.Col[K]) *report.Table {
	list := slices.Clone(lead)
	for i := range columns {
		list = append(list, of(i)...)
	}
	return report.NewTable(key, "", kernels, append(list, last...)).Show()
}

// heatMap shows the first kernels that are measured, column by column; of says what a column is, and order what orders
// the kernels.
func heatMap[K any](of, order string, columns []string, kernels []K, values func(*K) (task string, percent []unit.Opt[float64])) *report.Plot {
	var rows []report.HeatRow
	for i := range kernels {
		task, list := values(&kernels[i])
		row := report.HeatRow{Name: report.KernelName(task)}
		measured := false
		for _, o := range list {
			row.Values, measured = append(row.Values, o.Or(math.NaN())), measured || o.Present()
		}
		if measured {
			rows = append(rows, row)
		}
	}
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
		one := of(i, prov)
		if i == 0 {
			all.Host = one.Host
		} else if one.Host != all.Host {
			all.Host = ""
		}
		all.Join(report.OneLine(name), one)
	}
	return all
}
