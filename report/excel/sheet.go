package excel

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

const (
	lineHeight  = 15   // points
	headHeight  = 34   // points: two lines of heading
	paragraph   = 120  // characters on a line of a paragraph
	plainWidth  = 10.0 // characters of a column that nothing else sets
	widest      = 60
	wrapWidth   = 40  // of a column of sentences
	longText    = 100 // characters, above which a text takes several lines
	sampleRows  = 300 // that are measured to find the width of a column
	chartColumn = 2
)

// sheet is paragraphs, tables and a chart under each other, of which the rows
// are made when they are written.
type sheet struct {
	name    string
	blocks  []block
	onePage bool
}

// block is one of them: a paragraph, a table, or a chart of the table that
// follows it.
type block struct {
	text  string
	role  role
	table *report.Table
	chart *report.StackedBars
	lines *report.Plot
	data  *plotData // of lines
	row   int       // its first one, from 1
}

// rows is how many it takes.
func (b *block) rows() int {
	switch {
	case b.table != nil:
		return 1 + b.table.Len
	case b.chart != nil:
		return chartHeight(b.chart)/pixelsPerRow + 1
	case b.lines != nil:
		return linesHeight/pixelsPerRow + 1
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

// text adds paragraphs, those that say something.
func (s *sheet) text(r role, texts ...string) {
	for _, text := range texts {
		if text != "" {
			s.add(block{text: text, role: r})
		}
	}
}

func (s *sheet) table(t *report.Table) {
	if len(s.blocks) > 0 {
		s.add(block{})
		s.text(strong, t.Title)
	}
	s.add(block{table: t.Shown(report.Sheet)})
}

// summarySheet is the screen of a document: one printed page.
func summarySheet(d *report.Document) *sheet {
	s, screen := &sheet{name: "Summary", onePage: true}, d.Summary
	s.text(title, d.Title)
	s.text(strong, screen.Headline)
	s.text(body, append([]string{screen.Impact}, screen.Notes...)...)
	if t := screen.Rows; t != nil && t.Form == report.Facts {
		// A terminal says some of its row in its first line.
		var facts report.Pairs
		for i, c := range t.Columns {
			facts.Text(c.Title, t.Cell(0, i).String())
		}
		s.table(report.NameValue("facts", facts))
	} else if t != nil {
		s.table(t.Shown(report.Terminal))
	}
	s.text(body, append([]string{screen.More}, screen.Advice...)...)
	if len(screen.Confirm) > 0 {
		s.table(report.NewTable("sure", screen.ConfirmReason, screen.Confirm, []report.Col[report.NextCommand]{
			texts("#", func(c *report.NextCommand) string { return c.Rows }),
			texts("Command", (*report.NextCommand).Text)}))
	}
	if screen.Bars != nil {
		bars := *screen.Bars
		isEmpty := func(r report.StackedRow) bool { return len(r.Shares) == 0 }
		bars.Rows = slices.DeleteFunc(slices.Clone(bars.Rows), isEmpty)
		s.add(block{})
		s.add(block{chart: &bars})
		s.add(block{table: slots(&bars)})
	}
	return s
}

// section puts a section below what is there. Of one that has a sheet alone and
// is a table, a workbook has that.
func (s *sheet) section(of *report.Section, alone bool) {
	isElsewhere := func(t *report.Table) bool { return t.In&report.Sheet == 0 || t.Len == 0 }
	tables := slices.DeleteFunc(slices.Clone(of.Tables), isElsewhere)
	if of.ItemsIn&report.Sheet != 0 && len(of.Items) > 0 {
		tables = append(tables, items(of))
	}
	if !alone || len(tables) != 1 {
		if len(s.blocks) > 0 {
			s.add(block{})
		}
		s.text(heading, of.Title)
		s.text(body, of.Text...)
	}
	for _, t := range tables {
		s.table(t)
	}
	for i := range of.Plots {
		if of.Plots[i].LineChart != nil {
			s.lines(&of.Plots[i])
		}
	}
}

// items are the messages of a section as a table: what each is about, and the
// text.
func items(of *report.Section) *report.Table {
	return report.NewTable(of.Key, "", of.Items, []report.Col[report.Item]{
		texts(of.Title, func(it *report.Item) string { return it.Lead }, report.Wrap),
		texts("What it says", func(it *report.Item) string {
			if it.Detail != "" {
				return "(" + it.Detail + ") " + it.Text
			}
			return it.Text
		}, report.Wrap)})
}

// texts is a column of texts.
func texts[R any](title string, of func(*R) string, options ...report.Option) report.Col[R] {
	return report.Shown("", title, of, append(options, report.Sheet, report.NonZero)...)
}

// list returns the table of a sheet that is nothing but a table; its heading
// then is the first row, with a filter.
func (s *sheet) list() *report.Table {
	if len(s.blocks) != 1 {
		return nil
	}
	return s.blocks[0].table
}

// write writes a sheet. The order is that of excelize's stream: widths, panes,
// charts and rules before the first row, or they are lost; the table after the
// rows, whose range it needs.
func (b *book) write(s *sheet) error {
	for _, o := range s.blocks {
		if last := o.row + o.rows() - 1; last > excelize.TotalRows {
			return fmt.Errorf("it has %s rows, more than a sheet holds; write .csv or .json", report.Thousands(last))
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
		if err := b.frame(sw, list); err != nil {
			return err
		}
	}
	for i := range s.blocks {
		var chart *excelize.Chart
		switch o := &s.blocks[i]; {
		case o.chart != nil:
			chart = newChart(o.chart, s.name, &s.blocks[i+1])
		case o.lines != nil:
			chart = newLineChart(o, s.name, &s.blocks[i+1])
		default:
			continue
		}
		if err := b.file.AddChart(s.name, address(chartColumn, s.blocks[i].row), chart); err != nil {
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
		// It is a table of the spreadsheet: filter and sort work, and formulas
		// can name its columns.
		if err := sw.AddTable(&excelize.Table{Range: "A1:" + address(len(list.Columns), list.Len+1),
			Name: tableName(s.name), StyleName: "TableStyleLight1"}); err != nil {
			return err
		}
	}
	return sw.Flush()
}

// frame sets what has to be set before the rows of a list: panes, colors by how
// much, what is printed.
func (b *book) frame(sw *excelize.StreamWriter, t *report.Table) error {
	last, printed := t.Len+1, 0
	for k := range t.Columns {
		// What a terminal has as well is printed, up to the last such column,
		// so that it fits the width of a page.
		if t.Columns[k].In&report.Terminal != 0 {
			printed = k + 1
		}
		if !t.Columns[k].Is(report.Heat) {
			continue
		}
		// The scale is fixed to 0..100, so that a color means the same in every
		// column and workbook.
		if err := b.file.SetConditionalFormat(sw.Sheet, address(k+1, 2)+":"+address(k+1, last),
			[]excelize.ConditionalFormatOptions{{Type: "2_color_scale", Criteria: "=", MinType: "num", MinValue: "0",
				MaxType: "num", MaxValue: "100", MinColor: "#FFFFFF", MaxColor: "#6FA8FF"}}); err != nil {
			return err
		}
	}
	name := "'" + sw.Sheet + "'!"
	if printed > 0 && printed < len(t.Columns) {
		if err := b.file.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Area", Scope: sw.Sheet,
			RefersTo: name + "$A$1:" + address(printed, last, true)}); err != nil {
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

// widths fits columns to the first rows of the tables, and to the longest word
// of their headings, which wrap. Measuring all of a million rows would make
// each twice.
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
			case c.Is(report.Wrap) && k == len(o.table.Columns)-1: // the text of a message
				most = longText
			case c.Is(report.Wrap):
				most = wrapWidth
			}
			heading := headWidth(c.Heading())
			if s.list() != nil {
				heading++ // the filter's button
			}
			if len(list) == k {
				list = append(list, 0)
			}
			list[k] = max(list[k], float64(max(heading, min(wide, most)))+3)
		}
	}
	return list
}

// headWidth is that of a heading over two lines.
func headWidth(heading string) int {
	half := (report.Width(heading) + 1) / 2
	for _, word := range strings.Fields(heading) {
		half = max(half, report.Width(word))
	}
	return half
}

// textRow writes a paragraph over the columns, as many as a printed line takes.
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
		opt.Height = heightOf(o.text, wide) // merged cells do not grow with their text
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
	for r := range t.Len {
		if err := b.stopped(); err != nil {
			return err
		}
		height := 0.0
		for k := range t.Columns {
			c := &t.Columns[k]
			v := simple(c, t.Cell(r, k))
			x := value(v)
			// An absent value is no cell at all: a formula takes an empty text
			// for a value, and 0 would be a lie.
			if values[k] = nil; x == nil {
				continue
			}
			look := cellStyle(k, c, v)
			// Nearly no text is as long as its column is wide; to measure takes
			// longer than to write.
			if look.role == wrapped && len(v.Text) >= int(widths[k]) {
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

// heightOf is that of a row whose text takes several lines. Letters differ in
// width, and the font is not at hand: 8 % more than their count leaves some
// room.
func heightOf(text string, width float64) float64 {
	lines := 1 + int(float64(report.Width(report.OneLine(text)))*1.08/width)
	return min(float64(lines)*lineHeight, excelize.MaxRowHeight)
}

const (
	chartWidth   = 820 // pixels
	barHeight    = 30  // pixels for the bars of one row
	chartFrame   = 170 // pixels for title, legend and axis
	pixelsPerRow = 17  // at least, in all programs
)

func chartHeight(bars *report.StackedBars) int { return chartFrame + barHeight*len(bars.Rows) }

// slots is the table that a chart draws: the parts of each row that any of them
// shows.
func slots(bars *report.StackedBars) *report.Table {
	columns := []report.Col[report.StackedRow]{
		texts("", func(*report.StackedRow) string { return "" }), // the narrow one
		texts("Kernel", func(r *report.StackedRow) string { return r.Name }, report.Wrap)}
	for i, part := range bars.Parts {
		if !bars.Shows(i) {
			continue
		}
		columns = append(columns, report.Shown("", part, func(r *report.StackedRow) float64 {
			for _, s := range r.Shares {
				if s.Part == i {
					return s.Value
				}
			}
			return math.NaN() // no cell
		}, report.Percent))
	}
	return report.NewTable("slots", "", bars.Rows, columns)
}

// newChart draws horizontal bars, so that names can be read, the first row on
// top, from the cells of the table: a reader can change it, and it follows the
// cells when somebody corrects these. What is absent is a gap and not 0.
func newChart(bars *report.StackedBars, sheet string, of *block) *excelize.Chart {
	font, gap, zero, whole := excelize.Font{Color: "404040", Size: 9}, uint(60), 0.0, 100.0
	text := func(s string, font excelize.Font) excelize.ChartTitle {
		return excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: s, Font: &font}}}
	}
	c := &excelize.Chart{
		Type: excelize.BarStacked, GapWidth: &gap,
		Title:     text("Where the thread slots went", excelize.Font{Bold: true, Size: 13}),
		Legend:    excelize.ChartLegend{Position: "bottom"},
		Dimension: excelize.ChartDimension{Width: chartWidth, Height: uint(chartHeight(bars))},
		// A spreadsheet draws the first row at the bottom; the other axis then
		// stands high, which is below.
		XAxis: excelize.ChartAxis{Font: font, ReverseOrder: true},
		YAxis: excelize.ChartAxis{MajorGridLines: true, Font: font, Title: text("[%]", font), Minimum: &zero,
			Maximum: &whole, NumFmt: excelize.ChartNumFmt{CustomNumFmt: "0"},
			TickLabelPosition: excelize.ChartTickLabelHigh},
		ShowBlanksAs: "gap",
	}
	// A range of one column: 'Summary'!$K$2:$K$15.
	cells := func(column int) string {
		return fmt.Sprintf("'%s'!%s:%s", sheet, address(column, of.row+1, true),
			address(column, of.row+of.table.Len, true))
	}
	column := 3
	for i := range bars.Parts {
		if !bars.Shows(i) {
			continue
		}
		c.Series = append(c.Series, excelize.ChartSeries{
			Name:       fmt.Sprintf("'%s'!%s", sheet, address(column, of.row, true)),
			Categories: cells(2), Values: cells(column),
			// The colors are those of package plot.
			Fill: filled([...]string{"12499B", "0A8F96", "8250DF", "BF3989", "CFC6B4", "E9E3D7"}[i%6]),
		})
		column++
	}
	return c
}
