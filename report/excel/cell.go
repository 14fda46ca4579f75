package excel

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

// value returns the content of a cell: text, a number, or nothing. Formulas are
// never written, so a text that looks like a formula stays text.
func value(c report.Cell) any {
	switch c.Kind {
	case report.Text:
		return unescaped(fitText(c.Text))
	case report.Integer:
		return c.Int
	case report.Number, report.Percent, report.Points:
		if math.IsNaN(c.Num) || math.IsInf(c.Num, 0) {
			return nil // the file format has no such number
		}
		return report.Tidy(c)
	}
	return nil
}

// simple returns a cell as text or a number, the only kinds in a spreadsheet.
func simple(c *report.Column, v report.Cell) report.Cell {
	switch {
	case v.Kind == report.Duration:
		return report.NumCell(report.Number, c.Scaled(v))
	case v.Kind != report.Text && v.Kind < report.Integer && !v.Blank():
		return report.StatusCell(v.String(), v.Status)
	}
	return v
}

// fitText returns a text that fits a cell. It replaces control characters that
// XML cannot represent. It cuts a text that is too long and appends the number
// of missing characters.
func fitText(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == 0xFFFE || r == 0xFFFF:
			return utf8.RuneError
		}
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
	// The number of bytes is at least the number of UTF-16 units, which a
	// spreadsheet counts. Most texts are short, so the conversion is rarely
	// needed.
	if len(s) <= excelize.TotalCellChars {
		return s
	}
	units := utf16.Encode([]rune(s))
	if len(units) <= excelize.TotalCellChars {
		return s
	}
	const reserve = 80 // for the note
	// The library would cut a longer text silently, and the missing part would
	// go unnoticed.
	keep := excelize.TotalCellChars - reserve
	if utf16.IsSurrogate(rune(units[keep-1])) && units[keep-1] < 0xDC00 {
		keep-- // do not split a character
	}
	return string(utf16.Decode(units[:keep])) + fmt.Sprintf(" [%d more characters do not fit a cell; see the JSON "+
		"output]", len(units)-keep)
}

// likeEscape matches text that LibreOffice reads as an escaped character,
// although the file format requires four digits. For example, it would show a
// control character in gemm_xe_hpc. The library escapes the form with four
// digits.
var likeEscape = regexp.MustCompile(`_x[0-9a-fA-F]{1,3}_`)

// unescaped splits a text into runs if a part looks like an escaped character,
// because each run is read by itself.
func unescaped(s string) any {
	at := likeEscape.FindStringIndex(s)
	if at == nil {
		return s
	}
	var runs []excelize.RichTextRun
	for ; at != nil; at = likeEscape.FindStringIndex(s) {
		runs, s = append(runs, excelize.RichTextRun{Text: s[:at[0]+1]}), s[at[0]+1:]
	}
	return append(runs, excelize.RichTextRun{Text: s})
}

// address returns the name of a cell: A1.
func address(column, row int, absolute ...bool) string {
	a, err := excelize.CoordinatesToCellName(column, row, absolute...)
	if err != nil {
		panic("excel: no such cell: " + err.Error()) // this package counts rows and columns
	}
	return a
}

// notInNames matches characters that a table name must not contain.
var notInNames = regexp.MustCompile(`[^\pL\p{Nd}]`)

// tableName returns a name for use in formulas: Kernels, By_run.
func tableName(sheet string) string {
	s := notInNames.ReplaceAllString(sheet, "_")
	// Table names begin with a letter or an underscore.
	if !unicode.IsLetter([]rune(s)[0]) {
		s = "_" + s
	}
	return s
}

// role is the purpose of a cell in addition to its value.
type role uint8

const (
	body role = iota
	head
	title
	heading
	strong
	wrapped // text over several lines
)

// style is the complete look of a cell. It is a map key, so all its fields are
// comparable.
type style struct {
	role     role
	kind     report.Kind
	decimals int
	side     string // left or right, for any value; empty if the spreadsheet decides
	indent   int    // of left-aligned text, as distance from the number before it
	total    bool   // of a row of totals
}

// cellStyle returns the style of a value in column k of a sheet.
func cellStyle(k int, c *report.Column, v report.Cell) style {
	s := style{kind: v.Kind, decimals: c.Decimals}
	switch {
	case !c.RightAligned():
		s.side, s.indent = "left", min(k, 1)
	case v.Kind == report.Text:
		s.side = "right"
	}
	if c.Is(report.Wrap) || v.Kind == report.Text && len(v.Text) > longText {
		s.role = wrapped
	}
	return s
}

// headStyle returns the style of a heading, which is aligned like its cells.
func headStyle(k int, c *report.Column) style {
	if c.RightAligned() {
		return style{role: head, side: "right"}
	}
	return style{role: head, side: "left", indent: min(k, 1)}
}

// colors are the text and background colors for each status. They come from the
// spreadsheet's own styles Good, Bad, and Neutral. The text for Neutral is
// darker, because its contrast is too low.
var colors = [...]struct{ text, ground string }{report.Good: {"006100", "C6EFCE"}, report.Bad: {"9C0006", "FFC7CE"},
	report.Unsure: {"7F4A00", "FFEB9C"}, report.Muted: {"6B6B6B", ""}}

const (
	headGround = "1F3864"
	headText   = "FFFFFF"
	ruleColor  = "BFBFBF"
)

// style returns the number of a style and registers it if it is new. A workbook
// has few styles and many cells. The library would compare each style with all
// existing ones.
func (b *book) style(s style) (int, error) {
	if id, ok := b.styles[s]; ok {
		return id, nil
	}
	id, err := b.file.NewStyle(s.build())
	if err == nil {
		b.styles[s] = id
	}
	return id, err
}

func (s style) build() *excelize.Style {
	// At the top, because a row may have several lines, and its numbers belong
	// to the first.
	x := &excelize.Style{Alignment: &excelize.Alignment{Vertical: "top", Horizontal: s.side, Indent: s.indent}}
	if f := numberFormat(s.kind, s.decimals); f != "" {
		x.CustomNumFmt = &f
	}
	switch s.role {
	case head:
		x.Font = font(true, 11, headText)
		x.Fill = filled(headGround)
		x.Alignment.Vertical, x.Alignment.WrapText = "center", true
	case title:
		x.Font = font(true, 16, headGround)
	case heading:
		x.Font = font(true, 12, headGround)
		x.Border = []excelize.Border{{Type: "bottom", Style: 1, Color: ruleColor}}
	case strong:
		x.Font = font(true, 11, "")
	case wrapped:
		x.Alignment.WrapText = true
	}
	if s.total {
		x.Font = font(true, 11, "")
		x.Border = []excelize.Border{{Type: "top", Style: 1, Color: ruleColor}}
	}
	return x
}

func filled(color string) excelize.Fill {
	return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{color}}
}

// font sets the family, because programs choose a missing one differently.
func font(bold bool, size float64, color string) *excelize.Font {
	return &excelize.Font{Family: "Calibri", Bold: bold, Size: size, Color: color}
}

// numberFormat returns the format in which people see a number. The cell keeps
// its full precision.
func numberFormat(k report.Kind, decimals int) string {
	switch k {
	case report.Integer:
		return "#,##0"
	case report.Percent:
		return "0.0"
	// A difference has a sign unless it is printed as zero.
	case report.Points:
		return "[>=0.05]+0.0;[<=-0.05]-0.0;0.0"
	case report.Number:
		if decimals == 0 {
			return "#,##0"
		}
		return "#,##0." + strings.Repeat("0", decimals)
	}
	return ""
}
