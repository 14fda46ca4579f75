package arch

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// The fields of the tables decode themselves. gocsv's own conversions turn an empty cell into 0, "1,234" into 1.234 and
// "010" into 8, all without an error, so none of them is ever used.

// text is a cell without surrounding blanks.
type text string

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (t *text) UnmarshalCSV(cell string) error {
	*t = text(strings.TrimSpace(cell))
	return nil
}

// count is a whole number; an empty cell is absent.
type count struct{ unit.Opt[int] }

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (c *count) UnmarshalCSV(cell string) error {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return nil
	}
	n, err := parseCount(cell)
	c.Opt = unit.Some(n)
	return err
}

// counts is a list of whole numbers separated by blanks or semicolons.
type counts []int

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (c *counts) UnmarshalCSV(cell string) error {
	*c = make(counts, 0, 1+strings.Count(cell, " "))
	for part := range splitNumbers(cell) {
		n, err := parseCount(part)
		if err != nil {
			return err
		}
		*c = append(*c, n)
	}
	return nil
}

// texts is a list of names separated by semicolons: names hold blanks and commas.
type texts []string

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (t *texts) UnmarshalCSV(cell string) error {
	for part := range strings.SplitSeq(cell, ";") {
		if part = strings.TrimSpace(part); part != "" {
			*t = append(*t, part)
		}
	}
	return nil
}

// words is a list of keys, ids or pairs separated by blanks or semicolons.
type words []string

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (w *words) UnmarshalCSV(cell string) error {
	*w = make(words, 0, 1+strings.Count(cell, " "))
	for part := range splitNumbers(cell) {
		*w = append(*w, part)
	}
	return nil
}

// modes is a list of registers:threads pairs as in "128:8 256:4".
type modes []GRFMode

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (m *modes) UnmarshalCSV(cell string) error {
	for part := range splitNumbers(cell) {
		left, right, ok := strings.Cut(part, ":")
		if !ok {
			return fmt.Errorf("%s is not a pair; expected registers:threads as in 128:8 256:4", quoted(part))
		}
		registers, err := parseCount(left)
		if err != nil {
			return err
		}
		threads, err := parseCount(right)
		if err != nil {
			return err
		}
		*m = append(*m, GRFMode{Registers: registers, ThreadsPerXVE: threads})
	}
	return nil
}

// sourced is a list of source:count pairs as in "calculator:64 neo:32".
type sourced []SourcedCount

// UnmarshalCSV implements gocsv.TypeUnmarshaller. A bare number is the user's own figure.
func (s *sourced) UnmarshalCSV(cell string) error {
	for part := range splitNumbers(cell) {
		source, number, ok := strings.Cut(part, ":")
		if !ok {
			source, number = "user", part
		}
		if source == "" {
			return fmt.Errorf("%s names no source; expected source:count as in calculator:64 neo:32", quoted(part))
		}
		n, err := parseCount(number)
		if err != nil {
			return err
		}
		*s = append(*s, SourcedCount{Source: source, Count: n})
	}
	return nil
}

// splitNumbers yields the parts of a cell between blanks and semicolons.
func splitNumbers(cell string) func(func(string) bool) {
	return strings.FieldsFuncSeq(cell, func(r rune) bool { return r == ' ' || r == ';' || r == '\t' || r == '\n' || r == '\r' })
}

// countLimit keeps every product of three counts (Xe-cores x XVE x threads) inside 63 bits.
const countLimit = 1 << 20

// parseCount reads a plain decimal number. It is stricter than strconv.Atoi: a sign, an underscore or a leading zero in a
// device table is a slip of the pen.
func parseCount(s string) (int, error) {
	if !digitsOnly(s) {
		return 0, fmt.Errorf("%s is not a whole number; expected digits only, without sign, unit or thousands separator", quoted(s))
	}
	if len(s) > 1 && s[0] == '0' {
		return 0, fmt.Errorf("%s has a leading zero; expected a plain decimal number as in %s", quoted(s), plain(s))
	}
	n, err := strconv.Atoi(s)
	if err != nil || n > countLimit {
		return 0, fmt.Errorf("%s is too large; no figure of a device is above %d", quoted(s), countLimit)
	}
	return n, nil
}

// digitsOnly is spelled out since it runs for every figure of the table at each start of the program.
func digitsOnly(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func plain(s string) string {
	t := strings.TrimLeft(s, "0")
	switch {
	case t == "":
		return "0"
	case len(t) > 7: // no example needs more
		return "10"
	}
	return t
}
