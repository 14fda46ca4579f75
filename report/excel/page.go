package excel

import (
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

const (
	lineHeight = 15 // points
	// textColumns is how many columns a text spans at most behind the first, textWidth how many characters they have.
	textColumns = 12
	textWidth   = 167
	plainWidth  = 10.0 // of a column that nothing else sets
	firstWidth  = 46.0
	maxItems    = 200
	maxLinks    = 1000 // a workbook of more is slow to open, and nobody follows them
	longText    = 100  // characters in a last column, above which a text takes several lines
	wrapWidth   = 32   // characters of a column whose texts take several lines
)

// line is a row of a page.
type line struct {
	cells  []excelize.Cell
	height float64
	wraps  uint64 // columns, a bit each, whose texts take several lines
	span   int    // the text of the last cell spans the columns from this one on, counted from 1; 0: it does not
}

// area is a range whose words color their cells.
type area struct {
	ref   string
	words []report.Word
}

// sheet is a sheet that is read from top to bottom: paragraphs, small tables, charts, items.
type sheet struct {
	book    *book
	name    string
	lines   []line
	widths  []float64
	areas   []area
	charts  []placedChart
	leads   [][2]string // cells and the sections that they lead to
	free    int         // the first row below all charts
	onePage bool
	err     error
}

// layOut puts the sections of a sheet under each other, and so knows where their tables stand.
// Laying out comes before writing: a chart or a link on one sheet names cells of a later one.
func (b *book) layOut(p part, d *report.Document) (*sheet, error) {
	pg := &sheet{book: b, name: p.name, widths: []float64{firstWidth}}
	for i, s := range p.sections {
		pg.section(s, i == 0, d)
	}
	return pg, pg.err
}

// writePage writes a sheet: the rules and charts first, then the rows, since what follows them is lost.
func (b *book) writePage(pg *sheet) error {
	tall := 0
	if pg.onePage {
		tall = 1
	}
	sw, err := b.addSheet(pg.name, false, 1, tall)
	if err != nil {
		return err
	}
	for _, l := range pg.leads {
		to := "'" + strings.ReplaceAll(b.sheets[l[1]], "'", "''") + "'!A1"
		if err := b.file.SetCellHyperLink(pg.name, l[0], to, "Location"); err != nil {
			return err
		}
	}
	return pg.write(sw)
}

func (p *sheet) section(s *report.Section, first bool, d *report.Document) {
	for len(p.lines) < p.free {
		p.blank()
	}
	if first && s.IsSummary() {
		p.text(d.Title, title)
	} else {
		if !first {
			p.blank()
		}
		p.text(s.Title, heading)
	}
	for _, text := range s.Text {
		r := body
		if text == d.Closing {
			r = strong
		}
		p.text(text, r)
	}
	top := len(p.lines) + 2
	for _, t := range s.Tables {
		if t.In&report.Sheet != 0 && t.Len > 0 {
			p.table(t)
		}
	}
	for _, plot := range s.Plots {
		top = p.chart(plot, top, chartColumn)
	}
	if s.ItemsIn&report.Sheet != 0 {
		p.items(s.Items)
	}
}

func (p *sheet) blank() { p.lines = append(p.lines, line{}) }

func (p *sheet) text(text string, r role) {
	l := line{cells: []excelize.Cell{p.cell(report.TextCell(text), style{role: r})}}
	switch r {
	case body:
		if report.Width(text) > longText {
			l = line{span: 1, cells: []excelize.Cell{p.cell(report.TextCell(text), style{role: wrapped})}}
		}
	case title:
		l.height = 24
	case heading:
		l.height = 18
	}
	p.lines = append(p.lines, l)
}

func (p *sheet) cell(c report.Cell, s style) excelize.Cell {
	id, err := p.book.style(s)
	if err != nil && p.err == nil {
		p.err = err
	}
	return excelize.Cell{StyleID: id, Value: value(c)}
}

// table puts a small table below what is there.
func (p *sheet) table(t *report.Table) {
	p.blank()
	if t.Title != "" {
		p.text(t.Title, strong)
	}
	columns := t.ColumnsIn(report.Sheet)
	top := line{}
	if slices.ContainsFunc(t.Columns, func(c report.Column) bool { return c.Wrap }) {
		top.height = headHeight // such a table is wide enough without long headings
	}
	for k, i := range columns {
		heading := t.Columns[i].Heading()
		top.cells = append(top.cells, p.cell(report.TextCell(heading), headStyle(k, &t.Columns[i])))
		if top.height > 0 {
			p.widenTo(k, headWidth(heading))
		} else {
			p.widenTo(k, report.Width(heading))
		}
	}
	p.lines = append(p.lines, top)
	first := len(p.lines) + 1
	p.book.place(p.name, t, first)
	var row []report.Cell
	for r := range t.Len {
		row = t.Row(r, row[:0])
		var l line
		for k, i := range columns {
			c := &t.Columns[i]
			v := sized(c, row[i])
			s := cellStyle(k, c, v)
			if len(c.Words) == 0 { // no rule colors them
				s.status = v.Status
			}
			if text := v.Text; k > 0 && k == len(columns)-1 && v.Kind == report.Text && !c.Wrap {
				if report.Width(text) > longText {
					l.span, s.role = k+1, wrapped
				}
			} else {
				p.widenTo(k, min(report.Width(c.Print(v)), mostOf(c)))
			}
			if k == 0 && r < min(len(t.Leads), maxLinks) {
				s.role = linked
				p.leads = append(p.leads, [2]string{address(1, len(p.lines)+1), t.Leads[r]})
			}
			if c.Wrap && k < 64 {
				l.wraps |= 1 << k
			}
			l.cells = append(l.cells, p.cell(v, s))
		}
		p.lines = append(p.lines, l)
	}
	for k, i := range columns {
		if len(t.Columns[i].Words) > 0 {
			p.areas = append(p.areas, area{address(k+1, first) + ":" + address(k+1, len(p.lines)), t.Columns[i].Words})
		}
	}
}

// indent keeps a text off the column before it.
func indent(k int, c *report.Column) int {
	if k > 0 && !rightAligned(c) {
		return 1
	}
	return 0
}

// headStyle is that of a heading: on the side of its cells.
func headStyle(k int, c *report.Column) style {
	if rightAligned(c) {
		return style{role: head, right: true}
	}
	return style{role: head, left: true, indent: indent(k, c)}
}

// mostOf is how wide a column becomes for its texts.
func mostOf(c *report.Column) int {
	if c.Wrap {
		return wrapWidth
	}
	return widest
}

// widenTo makes room for so many characters. Texts in a last column need none: they run over into the empty cells beside.
func (p *sheet) widenTo(k, characters int) {
	for len(p.widths) <= k {
		p.widths = append(p.widths, plainWidth)
	}
	p.widths[k] = max(p.widths[k], float64(min(characters, widest))+3)
}

// items puts a message on each line: what it is about, and the text over several columns.
func (p *sheet) items(items []report.Item) {
	for i, it := range items {
		if i == maxItems {
			p.text("... and "+report.Thousands(int64(len(items)-i))+" more; the rows of the kernels have them all.",
				body)
			return
		}
		text := it.Text
		if it.Detail != "" {
			text = "(" + it.Detail + ") " + text
		}
		for _, l := range it.Links {
			text += " " + l.URL
		}
		p.lines = append(p.lines, line{span: 2, cells: []excelize.Cell{
			p.cell(report.TextCell(it.Lead), style{role: name, status: it.Status}),
			p.cell(report.TextCell(text), style{role: wrapped}),
		}})
	}
}

// spanWidth gives the characters on a line of a text that spans the columns from one on.
func (p *sheet) spanWidth(from int) float64 {
	sum := 0.0
	for k := from - 1; k < p.textEnd(); k++ {
		sum += p.width(k)
	}
	return sum
}

// textEnd is the last column of a text that spans several, counted from 1.
func (p *sheet) textEnd() int {
	end := 1
	// As far as a printed page goes, so that a text is not cut by the end of the paper.
	for wide := p.width(0); end <= textColumns && wide+p.width(end) <= textWidth; end++ {
		wide += p.width(end)
	}
	return end
}

func (p *sheet) width(k int) float64 {
	if k < len(p.widths) {
		return p.widths[k]
	}
	return plainWidth
}

func (p *sheet) write(sw *excelize.StreamWriter) error {
	for k := range max(textColumns+1, len(p.widths)) {
		if err := sw.SetColWidth(k+1, k+1, p.width(k)); err != nil {
			return err
		}
	}
	for _, a := range p.areas {
		if err := p.book.colorWords(p.name, a.ref, a.words); err != nil {
			return err
		}
	}
	for _, c := range p.charts {
		if err := p.book.file.AddChart(p.name, c.at, c.chart); err != nil {
			return err
		}
	}
	for i, l := range p.lines {
		if err := p.writeLine(sw, i+1, l); err != nil {
			return err
		}
	}
	return sw.Flush()
}

func (p *sheet) writeLine(sw *excelize.StreamWriter, row int, l line) error {
	if len(l.cells) == 0 {
		return nil
	}
	values := make([]any, len(l.cells))
	for k := range l.cells {
		values[k] = &l.cells[k]
		if l.wraps&(1<<k) != 0 {
			l.height = max(l.height, heightOf(linesOf(textOf(&l.cells[k]), p.width(k))))
		}
	}
	opt := excelize.RowOpts{Height: l.height}
	if l.span > 0 {
		// Merged cells do not grow with their text: the height is reckoned, a little generously.
		n := linesOf(textOf(&l.cells[len(l.cells)-1]), p.spanWidth(l.span))
		if l.span > 1 {
			n = max(n, linesOf(textOf(&l.cells[0]), p.width(0)))
		}
		opt.Height = heightOf(n)
		if err := sw.MergeCell(address(l.span, row), address(p.textEnd(), row)); err != nil {
			return err
		}
	}
	return sw.SetRow(address(1, row), values, opt)
}

// heightOf is that of a row of so many lines.
func heightOf(lines int) float64 { return min(float64(lines)*lineHeight, excelize.MaxRowHeight) }

// Letters differ in width, and the font is not at hand: 8 % more than their count leaves some room.
func linesOf(text string, width float64) int {
	return 1 + int(float64(report.Width(report.OneLine(text)))*1.08/width)
}
