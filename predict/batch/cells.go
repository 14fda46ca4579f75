package batch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// Cells are texts here, read by the model and written by it: gocsv would need four allocations for a number of a type
// of its own and one for a text. What a cell means is for the model to say besides, so that a bad one fails its row
// only.

// row reads the cells of a row; after the first that makes no sense the others are not looked at.
type row struct{ err error }

// whole reads a whole number from least, 0 for an empty cell.
func (r *row) whole(column, cell string, least int) int {
	text := strings.TrimSpace(cell)
	if text == "" || r.err != nil {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		r.err = fmt.Errorf("%s %q: expected a whole number from %d", column, text, least)
	}
	return n
}

// size reads a launch size, absent for an empty cell. Counts may have a unit, as those of flags may.
func (r *row) size(column, cell string) unit.Size3 {
	if r.err != nil {
		return unit.Size3{}
	}
	text := strings.TrimSpace(cell)
	s, err := unit.ParseSize(text)
	if err != nil {
		s, err = unit.ParseSize(unit.ExpandCounts(text))
	}
	if err != nil {
		r.err = fmt.Errorf("%s: %w", column, err)
	}
	return s
}

// kilobytes reads an amount in KB, 0 for an empty cell. Half a KB is an amount, half a byte is none.
func (r *row) kilobytes(column, cell string) unit.Bytes {
	text := strings.TrimSpace(cell)
	if text == "" || r.err != nil {
		return 0
	}
	x, err := strconv.ParseFloat(text, 64)
	b := x * 1024
	switch {
	case err != nil || !(b >= 0 && b < 1<<40):
		r.err = fmt.Errorf("%s %q: expected an amount in KB without a unit, as in 16", column, text)
	case b != math.Trunc(b):
		r.err = fmt.Errorf("%s %q: %.6g is not a whole number of bytes; "+
			"expected an amount in KB of 1024 bytes, as in 16 or 0.5", column, text, b)
	default:
		return unit.Bytes(b)
	}
	return 0
}

func integer[T ~int | ~int64](n T) string { return strconv.FormatInt(int64(n), 10) }

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// limit is the work-groups that a resource admits, empty where it sets no limit.
func limit(n int64) string {
	if n < 0 {
		return ""
	}
	return integer(n)
}

// optional is empty for an absent number.
func optional[T any](o unit.Opt[T], print func(T) string) string {
	if x, ok := o.Value(); ok {
		return print(x)
	}
	return ""
}
