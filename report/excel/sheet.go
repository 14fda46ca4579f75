package excel

import (
	"fmt"
	"strings"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

const (
	lineHeight  = 15   // points
	headHeight  = 34   // points, for two lines of heading
	paragraph   = 120  // characters per line of a paragraph
	plainWidth  = 10.0 // characters; width of columns without another width
	widest      = 60
	wrapWidth   = 40  // characters; width of a column of sentences
	longText    = 100 // characters; a longer text has several lines
	sampleRows  = 300 // number of rows that are measured to find the width of a column
	chartColumn = 2   // column of the sheet in which charts begin
)

// sheet is a list of blocks, one below the other. The rows of a table are made
// only when they are written.
type sheet struct {
	name    string
	blocks  []block
	onePage bool
}

// block is a paragraph, a table, or a chart of the table in the next block.
type block struct {
	text  string
	role  role
	table *report.Table
	lead  int                                             // number of table columns that are printed
	chart func(sheet string, of *block) []*excelize.Chart // returns charts that draw the cells of the next block
	row   int                                             // number of the first row, counted from 1
}

// rows returns the number of rows of the block.
func (b *block) rows() int {
	switch {
	case b.table != nil:
		return 1 + b.table.Len + min(len(b.table.TotalTexts()), 1)
	case b.chart != nil:
		return chartHeight/pixelsPerRow + 1
	}
	return 1
}

func (s *sheet) add(b block) {
	b.row = 1
	if n := len(s.blocks); n > 0 {
		b.row = s.blocks[n-1].row + s.blocks[n-1].rows()
	}
	s.blocks = append(s.blocks, b)
}

// text adds the paragraphs that are not empty.
func (s *sheet) text(r role, texts ...string) {
	for _, text := range texts {
		if text != "" {
			s.add(block{text: text, role: r})
		}
	}
}

// space adds an empty row between blocks.
func (s *sheet) space() {
	if len(s.blocks) > 0 {
		s.add(block{})
	}
}

// printedColumns is the number of columns of a list that fit on a printed page.
const printedColumns = 10

func (s *sheet) table(t *report.Table) {
	if len(s.blocks) > 0 {
		s.space()
		s.text(strong, t.Title)
	}
	t = t.Shown(report.Sheet)
	s.add(block{table: t, lead: len(t.Columns)})
}

// summaryName is the name of the first sheet.
const summaryName = "Summary"

// summary adds a document's summary, which fits one printed page.
func (s *sheet) summary(d *report.Document) {
	s.onePage = true
	summary := d.Summary
	s.text(title, d.Title)
	s.text(body, d.Origin)
	s.text(strong, summary.Headline)
	s.text(body, append([]string{summary.Impact}, summary.Notes...)...)
	if t := summary.Rows; t != nil && t.Form == report.Facts {
		var facts report.Pairs
		for _, i := range t.ColumnsIn(report.Sheet) {
			if cell := t.Cell(0, i); !cell.Blank() {
				facts = append(facts, report.Pair{Name: t.Columns[i].Heading(), Value: cell})
			}
		}
		s.table(report.NameValue("facts", facts))
	} else if t != nil {
		s.table(t)
	}
	s.text(body, append([]string{summary.More}, summary.Advice...)...)
	if len(summary.Confirm) > 0 {
		s.table(report.NewTable("confirm", summary.ConfirmReason, summary.Confirm, []report.Col[report.NextCommand]{
			texts("Rows", func(c *report.NextCommand) string { return c.Rows }),
			texts("Command", (*report.NextCommand).Text)}))
	}
	if summary.Bars != nil {
		s.bars(summary.Bars)
	}
}

// sections adds sections. A sheet with only one table is a list without titles.
// Other sheets also have titles and texts. The items of all sections are in one
// table.
func (s *sheet) sections(list []*report.Section) {
	tables, charts := map[*report.Section][]*report.Table{}, 0
	var all []*report.Table
	for _, of := range list {
		tables[of] = of.TablesIn(report.Sheet)
		all, charts = append(all, tables[of]...), charts+len(of.Plots)
	}
	items := itemTable(list)
	if items.Len > 0 {
		all = append(all, items)
	}
	if len(s.blocks)+charts == 0 && len(all) == 1 {
		t, lead := all[0].Lead(report.Sheet, printedColumns)
		s.add(block{table: t, lead: lead})
		return
	}
	for _, of := range list {
		if len(of.Text)+len(of.Plots)+len(tables[of]) > 0 {
			s.space()
			s.text(heading, of.Title)
			s.text(body, of.Text...)
		}
		for _, t := range tables[of] {
			s.table(t)
		}
		for i := range of.Plots {
			if p := &of.Plots[i]; p.TimeSeries != nil {
				s.trend(p)
			} else if p.LineChart != nil {
				s.lines(p)
			}
		}
	}
	if items.Len > 0 {
		s.table(items)
	}
}

// item is an item of a section.
type item struct {
	report.Item
	section string
}

// itemTable returns the items of sections as one table.
func itemTable(list []*report.Section) *report.Table {
	var rows []item
	for _, of := range list {
		for _, it := range of.Items {
			if of.ItemsIn&report.Sheet != 0 {
				rows = append(rows, item{it, of.Title})
			}
		}
	}
	return report.NewTable("items", "", rows, []report.Col[item]{
		texts("Subject", func(it *item) string { return it.Lead }, report.Wrap),
		texts("Section", func(it *item) string { return it.section }),
		texts("Detail", func(it *item) string { return it.Detail }, report.Wrap),
		texts("Text", func(it *item) string { return it.Text }, report.Wrap)}).Show()
}

// texts returns a column of texts.
func texts[R any](title string, of func(*R) string, options ...report.Option) report.Col[R] {
	return report.Shown("", title, of, append(options, report.Sheet, report.NonZero)...)
}

// list returns the table of a sheet that has no other blocks, or nil for other
// sheets. In a list, the heading is the first row and has a filter.
func (s *sheet) list() *report.Table {
	if len(s.blocks) != 1 {
		return nil
	}
	return s.blocks[0].table
}

// write writes a sheet in the order that excelize's stream requires. Widths,
// panes, charts, comments, and rules are lost unless they precede the first
// row. The spreadsheet table is added after the rows, because it requires their
// range.
func (b *book) write(s *sheet) error {
	for _, o := range s.blocks {
		if last := o.row + o.rows() - 1; last > excelize.TotalRows {
			return fmt.Errorf("it has %s rows, more than a sheet can contain; write .csv or "+
				".json", report.Thousands(last))
		}
	}
	widths := s.widths()
	sw, err := b.newSheet(s)
	if err != nil {
		return err
	}
	for k, w := range widths {
		if err := sw.SetColWidth(k+1, k+1, w); err != nil {
			return err
		}
	}
	list := s.list()
	if list != nil {
		if err := b.frame(sw, &s.blocks[0]); err != nil {
			return err
		}
	}
	for i := range s.blocks {
		o := &s.blocks[i]
		if o.table != nil {
			err = b.annotate(sw.Sheet, o)
		} else if o.chart != nil {
			at := address(chartColumn, o.row)
			layers := o.chart(s.name, &s.blocks[i+1])
			err = b.file.AddChart(s.name, at, layers[0], layers[1:]...)
		}
		if err != nil {
			return err
		}
	}
	for i := range s.blocks {
		switch o := &s.blocks[i]; {
		case o.table != nil:
			err = b.tableRows(sw, o, widths)
		case o.text != "":
			err = b.textRow(sw, o, widths)
		}
		if err != nil {
			return err
		}
	}
	if list != nil {
		// The list becomes a spreadsheet table, because such a table has a
		// filter and a sort order, and formulas can use the names of its
		// columns.
		if err := sw.AddTable(&excelize.Table{Range: "A1:" + address(len(list.Columns), list.Len+1),
			Name: tableName(s.name), StyleName: "TableStyleLight1"}); err != nil {
			return err
		}
	}
	return sw.Flush()
}

// frame sets the frozen panes and the printed columns of a list. The columns
// that are not printed become a collapsed outline group.
func (b *book) frame(sw *excelize.StreamWriter, o *block) error {
	last, columns := o.table.Len+1, len(o.table.Columns)
	name := "'" + sw.Sheet + "'!"
	if o.lead < columns {
		if err := sw.SetColVisible(o.lead+1, columns, false); err != nil {
			return err
		}
		for k := o.lead + 1; k <= columns; k++ {
			if err := sw.SetColOutlineLevel(k, 1); err != nil {
				return err
			}
		}
		if err := b.file.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Area", Scope: sw.Sheet,
			RefersTo: name + "$A$1:" + address(o.lead, last, true)}); err != nil {
			return err
		}
	}
	if err := b.file.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Titles", Scope: sw.Sheet,
		RefersTo: name + "$A:$A," + name + "$1:$1"}); err != nil {
		return err
	}
	return sw.SetPanes(&excelize.Panes{
		Freeze: true, XSplit: 1, YSplit: 1, TopLeftCell: "B2", ActivePane: "bottomRight",
		Selection: []excelize.Selection{{SQRef: "B2", ActiveCell: "B2", Pane: "bottomRight"}},
	})
}

// widths returns column widths that fit the first rows of the tables and the
// longest word of each heading (headings wrap). Only the first rows are
// measured, because rows are made on request, and measuring a million rows
// would make each of them twice.
func (s *sheet) widths() (list []float64) {
	for _, o := range s.blocks {
		if o.table == nil {
			continue
		}
		for k := range o.table.Columns {
			c, wide := &o.table.Columns[k], 0
			for row := range min(o.table.Len, sampleRows) {
				wide = max(wide, report.Width(c.Print(simple(c, o.table.Cell(row, k)))))
			}
			most := widest
			switch {
			case c.Is(report.Wrap) && k == len(o.table.Columns)-1: // column with the texts of messages
				most = longText
			case c.Is(report.Wrap):
				most = wrapWidth
			}
			heading := headWidth(c.Heading())
			if s.list() != nil {
				heading++ // room for the button of the filter
			}
			if len(list) == k {
				list = append(list, 0)
			}
			list[k] = max(list[k], float64(max(heading, min(wide, most)))+3)
		}
	}
	return list
}

// headWidth returns the width that a heading needs if it is broken into two
// lines.
func headWidth(heading string) int {
	half := (report.Width(heading) + 1) / 2
	for _, word := range strings.Fields(heading) {
		half = max(half, report.Width(word))
	}
	return half
}

// textRow writes a paragraph across as many columns as a printed line has.
func (b *book) textRow(sw *excelize.StreamWriter, o *block, widths []float64) error {
	opt, s := excelize.RowOpts{Height: map[role]float64{title: 24, heading: 18}[o.role]}, style{role: o.role}
	if report.Width(o.text) > longText && o.role == body {
		wide, last := 0.0, 0
		for ; wide < paragraph; last++ {
			if last < len(widths) {
				wide += widths[last]
			} else {
				wide += plainWidth
			}
		}
		s.role = wrapped
		opt.Height = heightOf(o.text, wide) // set the height, because merged cells do not grow with their text
		if err := sw.MergeCell(address(1, o.row), address(last, o.row)); err != nil {
			return err
		}
	}
	id, err := b.style(s)
	if err != nil {
		return err
	}
	return sw.SetRow(address(1, o.row), []any{excelize.Cell{StyleID: id, Value: value(report.TextCell(o.text))}}, opt)
}

// tableRows writes a heading and the rows below it.
func (b *book) tableRows(sw *excelize.StreamWriter, o *block, widths []float64) error {
	t := o.table
	values, made := make([]any, len(t.Columns)), make([]excelize.Cell, len(t.Columns))
	top := excelize.RowOpts{}
	for k := range t.Columns {
		if report.Width(t.Columns[k].Heading()) > int(widths[k]) {
			top.Height = headHeight
		}
		id, err := b.style(headStyle(k, &t.Columns[k]))
		if err != nil {
			return err
		}
		values[k] = excelize.Cell{StyleID: id, Value: t.Columns[k].Heading()}
	}
	if err := sw.SetRow(address(1, o.row), values, top); err != nil {
		return err
	}
	for r := range o.rows() - 1 {
		if err := b.stopped(); err != nil {
			return err
		}
		height := 0.0
		for k := range t.Columns {
			c := &t.Columns[k]
			cell := c.Total
			if r < t.Len {
				cell = t.Cell(r, k)
			}
			v := simple(c, cell)
			x := value(v)
			// An absent value has no cell, because a formula would read an
			// empty text as a value, and 0 would be wrong.
			if values[k] = nil; x == nil {
				continue
			}
			look := cellStyle(k, c, v)
			look.total = r == t.Len
			// Only texts that are at least as long as their column is wide are
			// measured, because such texts are rare and measuring takes longer
			// than writing.
			if look.role == wrapped && k < o.lead && len(v.Text) >= int(widths[k]) {
				height = max(height, heightOf(v.Text, widths[k]))
			}
			id, err := b.style(look)
			if err != nil {
				return err
			}
			made[k] = excelize.Cell{StyleID: id, Value: x}
			values[k] = &made[k]
		}
		if err := sw.SetRow(address(1, o.row+r+1), values, excelize.RowOpts{Height: height}); err != nil {
			return err
		}
	}
	return nil
}

// heightOf returns the height of a row whose text has several lines. The exact
// width of the text is unknown, because the font is not available and letters
// differ in width. heightOf therefore assumes a width that is 8% more than the
// number of letters.
func heightOf(text string, width float64) float64 {
	lines := 1 + int(float64(report.Width(report.OneLine(text)))*1.08/width)
	return min(float64(lines)*lineHeight, excelize.MaxRowHeight)
}
