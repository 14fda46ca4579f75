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

// value returns the content of a cell: text, a number, or nothing. A cell never
// becomes a formula, even if its text looks like one.
func value(c report.Cell) any {
	switch c.Kind {
	case report.Text:
		return unescaped(fitText(c.Text))
	case report.Integer:
		return c.Int
	case report.Number, report.Percent, report.Points:
		if math.IsNaN(c.Num) || math.IsInf(c.Num, 0) {
			return nil // the file format has no NaN or infinity
		}
		return report.Tidy(c)
	}
	return nil
}

// simple converts a cell to text or a number, because a spreadsheet has no
// other kinds.
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
	// A spreadsheet limits the number of UTF-16 units, which is at most the
	// number of bytes. Most texts have few bytes, so the conversion to UTF-16
	// is rarely needed.
	if len(s) <= excelize.TotalCellChars {
		return s
	}
	units := utf16.Encode([]rune(s))
	if len(units) <= excelize.TotalCellChars {
		return s
	}
	const reserve = 80 // room for the note about missing characters
	// The library would cut a longer text without a message, and people would
	// not notice that a part is missing.
	keep := excelize.TotalCellChars - reserve
	if utf16.IsSurrogate(rune(units[keep-1])) && units[keep-1] < 0xDC00 {
		keep-- // do not split a character
	}
	return string(utf16.Decode(units[:keep])) + fmt.Sprintf(" [%d more characters do not fit a cell; see the JSON "+
		"output]", len(units)-keep)
}

// likeEscape matches text that LibreOffice reads as an escaped character with
// fewer than four digits, although the file format requires four. For example,
// LibreOffice would show a control character in gemm_xe_hpc. The form with four
// digits is not matched, because the library already escapes it.
var likeEscape = regexp.MustCompile(`_x[0-9a-fA-F]{1,3}_`)

// unescaped splits a text into rich-text runs if a part looks like an escaped
// character. Programs read each run separately, so the split breaks up the
// apparent escape.
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

// address returns the name of a cell, for example A1.
func address(column, row int, absolute ...bool) string {
	a, err := excelize.CoordinatesToCellName(column, row, absolute...)
	if err != nil {
		panic("excel: no such cell: " + err.Error()) // a bug, because this package computes rows and columns
	}
	return a
}

// notInNames matches characters that a table name must not contain.
var notInNames = regexp.MustCompile(`[^\pL\p{Nd}]`)

// tableName returns the name of a sheet's table for use in formulas, for
// example By_run.
func tableName(sheet string) string {
	s := notInNames.ReplaceAllString(sheet, "_")
	// A table name must begin with a letter or an underscore.
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

// style is the complete look of a cell. It is used as a map key, so all its
// fields are comparable.
type style struct {
	role     role
	kind     report.Kind
	decimals int
	side     string // left or right, for any value; empty if the spreadsheet decides
	indent   int    // indent of left-aligned text, as distance from a number in the column before it
	total    bool   // the cell belongs to a row of totals
	unsure   bool   // the number supports no conclusion
}

// cellStyle returns the style of a value in column k of a sheet.
func cellStyle(k int, c *report.Column, v report.Cell) style {
	s := style{kind: v.Kind, decimals: c.Decimals, unsure: v.Kind >= report.Integer && v.Status == report.Unsure}
	if !c.RightAligned() {
		s.side, s.indent = "left", min(k, 1)
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
// spreadsheet's own styles Good, Bad, and Neutral. The text color for Neutral
// is darker than in the spreadsheet's style, whose contrast is too low.
var colors = [...]struct{ text, ground string }{report.Good: {"006100", "C6EFCE"}, report.Bad: {"9C0006", "FFC7CE"},
	report.Unsure: {"7F4A00", "FFEB9C"}, report.Muted: {"6B6B6B", ""}}

const (
	headGround = "1F3864"
	headText   = "FFFFFF"
	ruleColor  = "BFBFBF"
)

// style returns the number of a style, and registers the style if it is new.
// The map avoids the library's search: a workbook has many cells, and the
// library would compare the style of each cell with all existing styles.
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
	// Cells are aligned at the top, because a row may have several lines, and
	// its numbers belong to the first line.
	x := &excelize.Style{Alignment: &excelize.Alignment{Vertical: "top", Horizontal: s.side, Indent: s.indent}}
	if f := numberFormat(s.kind, s.decimals, s.unsure); f != "" {
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

// font returns a font with a family, because programs differ in the family that
// they use if none is set.
func font(bold bool, size float64, color string) *excelize.Font {
	return &excelize.Font{Family: "Calibri", Bold: bold, Size: size, Color: color}
}

// numberFormat returns the format in which people see a number. The cell keeps
// its full precision. A number that supports no conclusion is in brackets.
func numberFormat(k report.Kind, decimals int, unsure bool) string {
	shown := func(digits string) string {
		if unsure {
			return "(" + digits + ")"
		}
		return digits
	}
	switch {
	case k == report.Percent:
		return shown("0.0")
	// A difference is printed with its sign, unless it is printed as zero.
	case k == report.Points:
		return "[>=0.05]" + shown("+0.0") + ";[<=-0.05]" + shown("-0.0") + ";" + shown("0.0")
	case k == report.Number && decimals > 0:
		return shown("#,##0." + strings.Repeat("0", decimals))
	case k >= report.Integer:
		return shown("#,##0")
	}
	return ""
}
