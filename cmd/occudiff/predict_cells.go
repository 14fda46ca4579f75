package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// cell is a cell of a batch file, of the input as it stands or of the output at full precision. The zero cell is empty, which is
// never 0. It holds a pointer because gocsv makes an interface of every cell several times, and a pointer needs no memory for that.
type cell struct{ text *string }

func cellOf(text string) cell {
	if text == "" {
		return cell{}
	}
	return cell{&text}
}

// String gives the text of the cell.
func (c cell) String() string {
	if c.text == nil {
		return ""
	}
	return *c.text
}

// UnmarshalCSV takes the cell as it is: what it means is for the model to say, so that a bad one fails its row only.
func (c *cell) UnmarshalCSV(text string) error { *c = cellOf(text); return nil }

// MarshalCSV implements gocsv.TypeMarshaller.
func (c cell) MarshalCSV() (string, error) { return c.String(), nil }

func wholeCell[T ~int | ~int64](n T) cell { return cellOf(strconv.FormatInt(int64(n), 10)) }

func realCell(x float64) cell { return cellOf(strconv.FormatFloat(x, 'f', -1, 64)) }

// limitCell is the work-groups that a resource admits, empty where it sets no limit.
func limitCell(n int64) cell {
	if n < 0 {
		return cell{}
	}
	return wholeCell(n)
}

// optCell is empty for an absent number.
func optCell(o unit.Opt[float64]) cell {
	if x, ok := o.Value(); ok {
		return realCell(x)
	}
	return cell{}
}

// whole reads a whole number from least, or gives otherwise for an empty cell.
func (c cell) whole(column string, least, otherwise int) (int, error) {
	text := strings.TrimSpace(c.String())
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return 0, fmt.Errorf("%s %q: expected a whole number from %d", column, text, least)
	}
	return n, nil
}

// size reads a launch size, absent for an empty cell.
func (c cell) size(column string) (unit.Size3, error) {
	s, err := unit.ParseSize(strings.TrimSpace(c.String()))
	if err != nil {
		return s, fmt.Errorf("%s: %w", column, err)
	}
	return s, nil
}

// kilobytes reads an amount in KB, 0 for an empty cell. Half a KB is an amount, half a byte is none.
func (c cell) kilobytes(column string) (unit.Bytes, error) {
	text := strings.TrimSpace(c.String())
	if text == "" {
		return 0, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if b := x * 1024; err == nil && b >= 0 && b < 1<<40 {
		if b != math.Trunc(b) {
			return 0, fmt.Errorf("%s %q: %.6g bytes are no whole number of bytes; expected an amount in KB of 1024 bytes, as in 16 or 0.5", column, text, b)
		}
		return unit.Bytes(b), nil
	}
	return 0, fmt.Errorf("%s %q: expected an amount in KB without a unit, as in 16", column, text)
}

// parseBytes reads the amount of memory of a flag, 0 when it is empty.
func parseBytes(flag, text string) (unit.Bytes, error) {
	if strings.TrimSpace(text) == "" {
		return 0, nil
	}
	b, err := unit.ParseBytes(text)
	if err != nil {
		return 0, usageErrorf("--%s %v", flag, err)
	}
	return b, nil
}
