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

// whole reads a whole number from least, 0 for an empty cell.
func whole(column, cell string, least int) (int, error) {
	text := strings.TrimSpace(cell)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return 0, fmt.Errorf("%s %q: expected a whole number from %d", column, text, least)
	}
	return n, nil
}

// size reads a launch size, absent for an empty cell. Counts may have a unit, as those of flags may.
func size(column, cell string) (unit.Size3, error) {
	text := strings.TrimSpace(cell)
	s, err := unit.ParseSize(text)
	if err != nil {
		s, err = unit.ParseSize(unit.ExpandCounts(text))
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", column, err)
	}
	return s, nil
}

// kilobytes reads an amount in KB, 0 for an empty cell. Half a KB is an amount, half a byte is none.
func kilobytes(column, cell string) (unit.Bytes, error) {
	text := strings.TrimSpace(cell)
	if text == "" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if b := x * 1024; err == nil && b >= 0 && b < 1<<40 {
		if b != math.Trunc(b) {
			return 0, fmt.Errorf("%s %q: %.6g is not a whole number of bytes; "+
				"expected an amount in KB of 1024 bytes, as in 16 or 0.5", column, text, b)
		}
		return unit.Bytes(b), nil
	}
	return 0, fmt.Errorf("%s %q: expected an amount in KB without a unit, as in 16", column, text)
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
