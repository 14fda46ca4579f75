package table

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"occudiff/ingest/unit"
)

// Text is a cell that keeps its spaces. In a file it has a guard, so that no
// spreadsheet evaluates it as a formula.
type Text string

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (t *Text) UnmarshalCSV(cell string) error {
	if *t = Text(cell); strings.HasPrefix(cell, "'") && runnable(strings.TrimLeft(cell, "'")) {
		*t = Text(cell[1:])
	}
	return nil
}

// Guard returns a string with an apostrophe in front if a spreadsheet would
// evaluate it as a formula. It adds an apostrophe to a string that already
// looks guarded, too, so that reading a Text restores every string.
func Guard(s string) string {
	if runnable(strings.TrimLeft(s, "'")) {
		return "'" + s
	}
	return s
}

// number matches a plain decimal number with optional sign and exponent, for
// example the rounding error -1.7e-15.
var number = regexp.MustCompile(`^[-+]?\d+(\.\d*)?(e[-+]?\d+)?$`)

// runnable reports whether a spreadsheet may evaluate a string as a formula. It
// checks for the characters that begin a formula, including full-width ones.
// They may follow spaces and line breaks, which some spreadsheets skip.
func runnable(s string) bool {
	if s == "" {
		return false
	}
	if c := s[0]; c > '@' && c < utf8.RuneSelf {
		return false
	} else if c == '\t' || c == '\r' {
		return true
	}
	s = strings.TrimLeftFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == '\ufeff'
	})
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("=+-@＝＋－＠", r)
}

// Name is a string without surrounding spaces.
type Name string

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (n *Name) UnmarshalCSV(cell string) error {
	*n = Name(strings.TrimSpace(cell))
	return nil
}

// Names is a name list separated by semicolons, because names can contain
// spaces and commas.
type Names []string

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (n *Names) UnmarshalCSV(cell string) error {
	for part := range strings.SplitSeq(cell, ";") {
		if part = strings.TrimSpace(part); part != "" {
			*n = append(*n, part)
		}
	}
	return nil
}

// Words is a list of keys, IDs, or pairs separated by spaces or semicolons.
type Words []string

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (w *Words) UnmarshalCSV(cell string) error {
	*w = strings.FieldsFunc(cell, separates)
	return nil
}

// Fields returns a cell's parts between spaces and semicolons.
func Fields(cell string) iter.Seq[string] { return strings.FieldsFuncSeq(cell, separates) }

func separates(r rune) bool { return strings.ContainsRune(" ;\t\n\r", r) }

// Count is a whole number. An empty cell is absent.
type Count struct{ unit.Opt[int] }

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (c *Count) UnmarshalCSV(cell string) error {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return nil
	}
	n, err := ParseCount(cell)
	c.Opt = unit.Some(n)
	return err
}

// Counts is a whole number list separated by spaces or semicolons.
type Counts []int

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (c *Counts) UnmarshalCSV(cell string) error {
	*c = make(Counts, 0, 1+strings.Count(cell, " "))
	for part := range Fields(cell) {
		n, err := ParseCount(part)
		if err != nil {
			return err
		}
		*c = append(*c, n)
	}
	if len(*c) == 0 && strings.TrimSpace(cell) != "" {
		return fmt.Errorf("%.60q contains no number", cell)
	}
	return nil
}

// maxCount is the largest count. With it, a product of three counts (Xe-cores x
// XVEs x threads) fits in 63 bits.
const maxCount = 1 << 20

// ParseCount returns a plain decimal number. It is stricter than strconv.Atoi,
// because a sign, an underscore, or a leading zero in a table is a typo.
func ParseCount(s string) (int, error) {
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, fmt.Errorf("%.60q is not a whole number; "+
			"expected digits only, without sign, unit or thousands separator", s)
	}
	if len(s) > 1 && s[0] == '0' {
		return 0, fmt.Errorf("%.60q has a leading zero; expected a plain decimal number", s)
	}
	n, err := strconv.Atoi(s)
	if err != nil || n > maxCount {
		return 0, fmt.Errorf("%.60q is too large; expected at most %d", s, maxCount)
	}
	return n, nil
}

// CSV writes records like encoding/csv, but prevents spreadsheets from
// evaluating cells. A cell that looks like a formula gets an apostrophe, unless
// it has one. A cell with a semicolon or a tab is quoted: some spreadsheets
// split cells there, and the rest would be a new cell without a guard. Error
// returns the last Flush's error.
type CSV struct {
	w   *bufio.Writer
	err error
}

// NewCSV returns a CSV that writes to w. Call Flush at the end.
func NewCSV(w io.Writer) *CSV { return &CSV{w: bufio.NewWriter(w)} }

// Write writes a record.
func (c *CSV) Write(record []string) error {
	for i, cell := range record {
		if runnable(cell) && !number.MatchString(cell) {
			cell = "'" + cell
		}
		if i > 0 {
			c.w.WriteByte(',')
		}
		if !quoted(cell) {
			c.w.WriteString(cell)
			continue
		}
		c.w.WriteByte('"')
		c.w.WriteString(strings.ReplaceAll(cell, `"`, `""`))
		c.w.WriteByte('"')
	}
	return c.w.WriteByte('\n') // fails if an earlier write failed
}

// quoted reports whether a cell must be quoted. A cell that begins with a colon
// is quoted, because CI runners interpret a line that begins with two colons as
// a command.
func quoted(cell string) bool {
	return cell != "" && (strings.ContainsAny(cell, ",;\t\"\r\n") || cell[0] == ' ' || cell[0] == ':')
}

// Flush writes the buffered data.
func (c *CSV) Flush() { c.err = c.w.Flush() }

// Error returns the first write error.
func (c *CSV) Error() error { return c.err }
