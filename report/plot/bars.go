package plot

import (
	"math"
	"slices"
	"strings"

	"occudiff/report"
)

const barHeight = 13.0

// barSeries is the bars of one column.
type barSeries struct {
	name   string
	ink    paint
	column *report.Column
	cells  []report.Cell
}

// readBars takes names and series out of the rows of a table. A column without a single value is no series.
func readBars(t *report.Table, p *report.Plot) (names []string, series []barSeries, most float64) {
	most = p.Max
	label, rows := t.Column(p.Label), make([][]report.Cell, min(p.Rows, t.Len))
	names = make([]string, len(rows))
	for i := range rows {
		if rows[i] = t.Row(i, nil); label >= 0 {
			names[i] = t.Columns[label].Print(rows[i][label])
		}
	}
	for k, key := range p.Series {
		i := t.Column(key)
		if i < 0 {
			continue
		}
		c := t.Columns[i]
		s := barSeries{name: strings.TrimSpace(c.Group + " " + c.Title), ink: series1 + paint(k%3),
			column: &t.Columns[i]}
		for _, cells := range rows {
			s.cells = append(s.cells, cells[i])
			most = math.Max(most, cells[i].Num)
		}
		if slices.ContainsFunc(s.cells, isValue) {
			series = append(series, s)
		}
	}
	return names, series, most
}

// isValue says whether a cell has a bar: what was not measured is no bar of length zero.
func isValue(c report.Cell) bool { return c.Kind == report.Percent || c.Kind == report.Number }

// drawBars draws horizontal bars in groups, the first row on top, so that names can be read.
func drawBars(t *report.Table, plot *report.Plot, look Look) []byte {
	p := newPen(plot, look, rowsWidth)
	names, series, most := readBars(t, plot)
	var keys []key
	for i := range series {
		keys = append(keys, key{series[i].name, p.swatch(series[i].ink)})
	}
	rows := p.newRows(p.legend(p.heading(), keys), len(names), barHeight*float64(len(series)))
	f := &rows.field
	_, f.x.to = span(0, math.Max(most, 0))
	p.xAxis(f, plot.Unit, 0)
	for row, name := range names {
		y := rows.begin(row, name, "")
		for i := range series {
			s := &series[i]
			if !isValue(s.cells[row]) {
				continue
			}
			value := s.column.Print(s.cells[row])
			end, middle := f.x.at(s.cells[row].Num), y+barHeight*(float64(i)+0.5)
			p.rect(f.x.start, middle-barHeight/2+0.5, end-f.x.start, barHeight-1, s.ink, name+": "+s.name+" "+value)
			p.text(end+4, middle+4, "", tickSize, muted, value)
		}
	}
	return p.picture(f.y.start + axisHeight)
}
