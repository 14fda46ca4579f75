package excel

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

const (
	// sampleRows is how many rows are measured to find the width of a column.
	sampleRows = 300
	widest     = 60 // characters
	headHeight = 34 // points: two lines of heading
	// pageWidth is how many characters fit a printed page in type of seven points.
	pageWidth = 215
)

// list writes a table that has a sheet to itself, or several when it has more rows than a sheet holds.
// A sheet holds 1,048,576 rows and the library refuses more, so a list goes on in a second one and loses nothing.
func (b *book) list(sheet string, t *report.Table) error {
	room := b.maxRows - 1
	for first, number := 0, 1; first < t.Len; first, number = first+room, number+1 {
		name := sheet
		if number > 1 {
			suffix := " " + strconv.Itoa(number)
			// The number must survive the limit of 31 characters, or two sheets would have one name.
			name = sheetName(sheet[:min(len(sheet), excelize.MaxSheetNameLength-len(suffix))] + suffix)
		}
		if err := b.listSheet(name, t, first, min(first+room, t.Len)); err != nil {
			return err
		}
	}
	return nil
}

// The order is that of excelize's stream: widths, panes and rules before the first row, or they are lost; the table
// after the rows, whose range it needs.
func (b *book) listSheet(name string, t *report.Table, first, last int) error {
	columns := t.ColumnsIn(report.Sheet)
	widths := listWidths(t, columns, first, min(last, first+sampleRows))
	to := printedColumns(t, columns)
	sw, err := b.addSheet(name, true, pagesWide(widths[:to]), 0)
	if err != nil {
		return err
	}
	for k, w := range widths {
		if err := sw.SetColWidth(k+1, k+1, w); err != nil {
			return err
		}
	}
	if err := b.listFrame(sw, t, columns, to, last-first+1); err != nil {
		return err
	}
	if err := b.listHead(sw, t, columns); err != nil {
		return err
	}
	if err := b.listRows(sw, t, columns, first, last, widths); err != nil {
		return err
	}
	// It is a table of the spreadsheet: filter and sort work, and formulas can name its columns.
	if err := sw.AddTable(&excelize.Table{
		Range: "A1:" + address(len(columns), last-first+1), Name: tableName(name), StyleName: "TableStyleLight1",
	}); err != nil {
		return err
	}
	return sw.Flush()
}

// pagesWide gives how many pages side by side columns take, each of which has the first column.
func pagesWide(widths []float64) int {
	total := 0.0
	for _, w := range widths {
		total += w
	}
	return 1 + int(max(total-widths[0], 0)/(pageWidth-widths[0]))
}

// listFrame sets what has to be set before the rows up to the last: panes, coloring rules, what is printed.
func (b *book) listFrame(sw *excelize.StreamWriter, t *report.Table, columns []int, to, last int) error {
	if err := sw.SetPanes(&excelize.Panes{
		Freeze: true, XSplit: 1, YSplit: 1, TopLeftCell: "B2", ActivePane: "bottomRight",
		Selection: []excelize.Selection{{SQRef: "B2", ActiveCell: "B2", Pane: "bottomRight"}},
	}); err != nil {
		return err
	}
	for k, i := range columns {
		if words := t.Columns[i].Words; len(words) > 0 {
			area := address(k+1, 2) + ":" + address(k+1, last)
			if err := b.colorWords(sw.Sheet, area, words); err != nil {
				return err
			}
		}
	}
	if err := b.colorHeat(sw.Sheet, t, columns, last); err != nil {
		return err
	}
	// What is not printed stands beside what is, and is found on the screen.
	if to < len(columns) {
		if err := b.printOnly(sw.Sheet, to, last); err != nil {
			return err
		}
	}
	return b.file.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm.Print_Titles", Scope: sw.Sheet, RefersTo: "'" + sw.Sheet + "'!$A:$A,'" + sw.Sheet + "'!$1:$1",
	})
}

// printedColumns counts the columns up to the last one that a terminal has as well: these are printed, so that what
// decides fits the width of a page. Of a table that no terminal has, all are.
func printedColumns(t *report.Table, columns []int) int {
	for k, i := range slices.Backward(columns) {
		if t.Columns[i].In&report.Terminal != 0 {
			return k + 1
		}
	}
	return len(columns)
}

// printOnly prints the cells up to a column and a row.
func (b *book) printOnly(sheet string, to, last int) error {
	return b.file.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Area", Scope: sheet,
		RefersTo: "'" + sheet + "'!$A$1:" + absoluteCell(to, last)})
}

// colorHeat colors the percentages of columns by how much they are.
// The scale is fixed to 0..100, so that a color means the same in every column and workbook.
func (b *book) colorHeat(sheet string, t *report.Table, columns []int, last int) error {
	for k, i := range columns {
		if t.Columns[i].Role&report.Heat == 0 {
			continue
		}
		err := b.file.SetConditionalFormat(sheet, address(k+1, 2)+":"+address(k+1, last),
			[]excelize.ConditionalFormatOptions{{Type: "2_color_scale", Criteria: "=", MinType: "num", MinValue: "0",
				MaxType: "num", MaxValue: "100", MinColor: "#FFFFFF", MaxColor: "#6FA8FF"}})
		if err != nil {
			return err
		}
	}
	return nil
}

// listWidths fits columns to their first rows and to the longest word of their heading, which wraps.
// Only some rows are measured, for rows are made when they are written: measuring all of a million would make each
// twice.
func listWidths(t *report.Table, columns []int, first, last int) []float64 {
	widths := make([]float64, len(columns))
	for k, i := range columns {
		widths[k] = float64(headWidth(t.Columns[i].Heading())) + 4 // the filter's button
	}
	var cells []report.Cell
	for row := first; row < last; row++ {
		cells = t.Row(row, cells[:0])
		for k, i := range columns {
			c := &t.Columns[i]
			w := float64(min(report.Width(c.Print(sized(c, cells[i]))), mostOf(c))) + 3
			widths[k] = max(widths[k], w)
		}
	}
	return widths
}

// headWidth is that of a heading over two lines.
func headWidth(heading string) int {
	half := (report.Width(heading) + 1) / 2
	for _, word := range strings.Fields(heading) {
		half = max(half, report.Width(word))
	}
	return half
}

// listHead writes the heading.
func (b *book) listHead(sw *excelize.StreamWriter, t *report.Table, columns []int) error {
	values := make([]any, len(columns))
	for k, i := range columns {
		id, err := b.style(headStyle(k, &t.Columns[i]))
		if err != nil {
			return err
		}
		values[k] = excelize.Cell{StyleID: id, Value: t.Columns[i].Heading()}
	}
	return sw.SetRow("A1", values, excelize.RowOpts{Height: headHeight})
}

// listRows writes rows below the heading.
func (b *book) listRows(sw *excelize.StreamWriter, t *report.Table, columns []int, first, last int,
	widths []float64) error {
	var cells []report.Cell
	values, made := make([]any, len(columns)), make([]excelize.Cell, len(columns))
	for r := first; r < last; r++ {
		cells = t.Row(r, cells[:0])
		height := 0.0
		for k, i := range columns {
			c := &t.Columns[i]
			v := sized(c, cells[i])
			x := value(v)
			// An absent value is no cell at all: a formula takes an empty text for a value, and 0 would be a lie.
			if values[k] = nil; x == nil {
				continue
			}
			id, err := b.style(cellStyle(k, c, v))
			if err != nil {
				return err
			}
			made[k] = excelize.Cell{StyleID: id, Value: x}
			values[k] = &made[k]
			// Nearly no text is as long as its column is wide; to measure takes longer than to write.
			if c.Wrap && len(v.Text) >= int(widths[k]) {
				height = max(height, heightOf(linesOf(v.Text, widths[k])))
			}
		}
		if err := sw.SetRow(address(1, r-first+2), values, excelize.RowOpts{Height: height}); err != nil {
			return err
		}
	}
	return nil
}

// tableName makes a name that formulas may use: Kernels, Kernels_2.
func tableName(sheet string) string {
	s := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, sheet)
	// Names of tables begin with a letter or an underscore.
	if !unicode.IsLetter([]rune(s)[0]) {
		s = "_" + s
	}
	return s
}
