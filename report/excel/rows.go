package excel

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
	"occudiff/ingest/ahead"
	"occudiff/report"
)

// rowWriter writes the rows of a list as they stand in the file.
type rowWriter struct {
	table   *report.Table
	columns []int // of the table
	// `<c s="3" r="AB` for every column, also of points that round to zero: what comes before the row's number
	open, tiny  []string
	first, last int
	top         int       // the sheet's row of the first
	linked      int       // rows whose first cell leads to another one
	lead        string    // `<c s="3" r="A` of those
	wrap        []float64 // widths of columns whose texts take several lines, 0 for others
	most        int64     // bytes
}

// mostBytes is how large a part of an archive may be that every spreadsheet program opens.
const mostBytes = 1<<32 - 1<<20

// newRowWriter prepares the rows of a list, or those that follow the lines of a page, for columns of some widths.
// Styles are made here, once a column, so that writing a row looks nothing up.
func (b *book) newRowWriter(t *report.Table, columns []int, first, last int, widths []float64) (*rowWriter, error) {
	w := &rowWriter{table: t, columns: columns, first: first, last: last, top: 2, most: mostBytes}
	for k, i := range columns {
		name, err := excelize.ColumnNumberToName(k + 1)
		if err != nil {
			return nil, err
		}
		c := &t.Columns[i]
		look := cellStyle(c, report.Cell{Kind: c.Kind, Num: 1})
		if !rightAligned(c) {
			look.left, look.indent = true, indent(k, c)
		}
		id, err := b.style(look)
		if err != nil {
			return nil, err
		}
		tiny, err := b.style(cellStyle(c, report.Cell{Kind: c.Kind}))
		if err != nil {
			return nil, err
		}
		if w.wrap = append(w.wrap, 0); c.Wrap {
			w.wrap[k] = widths[k]
		}
		w.open = append(w.open, fmt.Sprintf(`<c s="%d" r="%s`, id, name))
		w.tiny = append(w.tiny, fmt.Sprintf(`<c s="%d" r="%s`, tiny, name))
	}
	if t.LinkTable != "" {
		w.linked = max(0, min(len(t.LinkRows), last)-first)
		id, err := b.style(style{role: linked})
		if err != nil {
			return nil, err
		}
		w.lead = fmt.Sprintf(`<c s="%d" r="A`, id)
	}
	return w, nil
}

// blockRows is how many rows are made at once, a few hundred kilobytes.
const blockRows = 512

// write streams the rows in constant memory. Blocks of them are made side by side while one is written, which
// compresses it: both take about as long.
func (w *rowWriter) write(out io.Writer) error {
	for b := range ahead.Parts(w.last-w.first, blockRows, w.block) {
		// The limit is that of a zip part without the 64-bit extension.
		if w.most -= int64(len(b)); w.most < 0 {
			return fmt.Errorf("the rows of %q take more than 4 GiB, which spreadsheet programs do not open; write "+
				"them as .csv", w.table.Key)
		}
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// block makes the rows from first to last, counted from the first of the list.
func (w *rowWriter) block(first, last int, b []byte) []byte {
	b = b[:0]
	var cells []report.Cell
	for r := first; r < last; r++ {
		cells = w.table.Row(w.first+r, cells[:0])
		b = w.appendRow(b, w.top+r, cells)
	}
	return b
}

func (w *rowWriter) appendRow(b []byte, number int, cells []report.Cell) []byte {
	b = append(b, `<row r="`...)
	b = strconv.AppendInt(b, int64(number), 10)
	if n := w.linesOf(cells); n > 1 {
		b = append(b, `" ht="`...)
		b = strconv.AppendInt(b, int64(min(n*lineHeight, excelize.MaxRowHeight)), 10)
		b = append(b, `" customHeight="1`...)
	}
	b = append(b, `">`...)
	for k, i := range w.columns {
		// An absent value is no cell at all: a formula takes an empty text for a value, and 0 would be a lie.
		c := sized(&w.table.Columns[i], cells[i])
		if c.Kind == report.Absent || c.Kind > report.Integer && (math.IsNaN(c.Num) || math.IsInf(c.Num, 0)) {
			continue
		}
		switch {
		case k == 0 && number < w.top+w.linked:
			b = append(b, w.lead...)
		case isTiny(c):
			b = append(b, w.tiny[k]...)
		default:
			b = append(b, w.open[k]...)
		}
		b = strconv.AppendInt(b, int64(number), 10)
		switch c.Kind {
		// Inline, not in the table of shared strings, which would hold every text of the sheet in memory.
		case report.Text:
			b = append(b, `" t="inlineStr"><is><t xml:space="preserve">`...)
			b = appendEscaped(b, fitText(c.Text))
			b = append(b, `</t></is></c>`...)
		case report.Integer:
			b = append(b, `"><v>`...)
			b = strconv.AppendInt(b, c.Int, 10)
			b = append(b, `</v></c>`...)
		default:
			b = append(b, `"><v>`...)
			// Full precision; the style rounds what is shown.
			b = strconv.AppendFloat(b, c.Num, 'g', -1, 64)
			b = append(b, `</v></c>`...)
		}
	}
	return append(b, `</row>`...)
}

// linesOf gives the lines that a row takes where its texts are broken.
func (w *rowWriter) linesOf(cells []report.Cell) int {
	n := 1
	for k, width := range w.wrap {
		if c := &cells[w.columns[k]]; width > 0 && c.Kind == report.Text {
			if len(c.Text) < int(width) {
				continue // as nearly all texts do not; to measure takes longer than to write
			}
			n = max(n, linesOf(c.Text, width))
		}
	}
	return n
}

// appendEscaped appends a text for XML. What looks like an escaped character of the file format - _x0041_ - is escaped
// itself, or a spreadsheet would show that character. LibreOffice takes one digit for such a character as well, and
// kernels are called gemm_xe_hpc.
func appendEscaped(b []byte, s string) []byte {
	for i := range len(s) {
		switch s[i] {
		case '&':
			b = append(b, "&amp;"...)
		case '<':
			b = append(b, "&lt;"...)
		case '>':
			b = append(b, "&gt;"...)
		case '_':
			if hasEscape(s[i:], 4) || hasEscape(s[i:], 1) {
				b = append(b, escape...)
			}
			b = append(b, '_')
		default:
			b = append(b, s[i])
		}
	}
	return b
}

// escape stands before what is no escaped character though it looks like one.
const escape = "_x005F"

// hasEscape says whether a text begins with what looks like an escaped character, of so many hexadecimal digits.
func hasEscape[T string | []byte](s T, digits int) bool {
	end := 2 + digits
	return len(s) > end && s[1] == 'x' && s[end] == '_' &&
		strings.Trim(string(s[2:end]), "0123456789abcdefABCDEF") == ""
}
