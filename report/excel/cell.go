package excel

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

// value gives what a cell holds: text, a number, or nothing. Formulas are never written, so a text that looks like one
// stays text.
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
		return c.Num
	}
	return nil
}

// sized gives a launch size of one dimension as a number, so that a spreadsheet can sort by it and calculate with it.
func sized(c *report.Column, v report.Cell) report.Cell {
	if c.Kind != report.Size {
		return v
	}
	if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil && n <= 1<<53 { // what a spreadsheet keeps to the digit
		return report.IntCell(n)
	}
	return v
}

// rightAligned says whether the cells of a column are numbers, or sizes, most of which are.
func rightAligned(c *report.Column) bool { return c.RightAligned() || c.Kind == report.Size }

// fitText makes a text one that a cell can hold: without control characters that XML cannot carry, and no longer than
// a cell may be; then it says how much is missing.
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
	// Bytes are never fewer than the UTF-16 units that a spreadsheet counts, and most texts are short: the conversion
	// is rarely needed.
	if len(s) <= excelize.TotalCellChars {
		return s
	}
	units := utf16.Encode([]rune(s))
	if len(units) <= excelize.TotalCellChars {
		return s
	}
	const reserve = 80 // for the note
	// The library cuts a longer text without a word, and what is missing would look as if it had never been there.
	keep := excelize.TotalCellChars - reserve
	if utf16.IsSurrogate(rune(units[keep-1])) && units[keep-1] < 0xDC00 {
		keep-- // not between the halves of a character
	}
	return string(utf16.Decode(units[:keep])) + fmt.Sprintf(" [%d more characters do not fit a cell; see the JSON "+
		"output]", len(units)-keep)
}

// likeEscape is what LibreOffice takes for an escaped character, though the file format has four digits: it would show
// a control character in gemm_xe_hpc. The library escapes those of four.
var likeEscape = regexp.MustCompile(`_x[0-9a-fA-F]{1,3}_`)

// unescaped breaks a text into runs where it looks like an escaped character: each run is read by itself.
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

// address gives the name of a cell: A1.
func address(column, row int, absolute ...bool) string {
	a, err := excelize.CoordinatesToCellName(column, row, absolute...)
	if err != nil {
		panic("excel: no such cell: " + err.Error()) // rows and columns are counted by this package
	}
	return a
}

// notInNames is what a name of a table cannot hold.
var notInNames = regexp.MustCompile(`[^\pL\p{Nd}]`)

// tableName makes a name that formulas may use: Kernels, By_run.
func tableName(sheet string) string {
	s := notInNames.ReplaceAllString(sheet, "_")
	// Names of tables begin with a letter or an underscore.
	if !unicode.IsLetter([]rune(s)[0]) {
		s = "_" + s
	}
	return s
}
