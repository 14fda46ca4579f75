package computeunit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// The types of a platform file's cells. An empty cell is an error where a number is needed and absent where it is not.
type (
	text     string
	count    int64 // from 1
	size     int64 // bytes from 1, with an optional unit
	counts   []int64
	optCount struct{ unit.Opt[int64] }
)

// UnmarshalCSV reads a text that must be there.
func (t *text) UnmarshalCSV(cell string) error {
	if strings.TrimSpace(cell) == "" {
		return errors.New("the cell is empty; a text is expected")
	}
	*t = text(strings.TrimSpace(cell))
	return nil
}

// UnmarshalCSV reads a whole number from 1.
func (c *count) UnmarshalCSV(cell string) error {
	v, err := strconv.ParseInt(strings.TrimSpace(cell), 10, 64)
	if err != nil || v < 1 || v > maxQuantity {
		return fmt.Errorf("%q is not a whole number from 1 to %d", cell, maxQuantity)
	}
	*c = count(v)
	return nil
}

// UnmarshalCSV reads a whole number from 1, or nothing.
func (c *optCount) UnmarshalCSV(cell string) error {
	if strings.TrimSpace(cell) == "" {
		return nil
	}
	var v count
	if err := v.UnmarshalCSV(cell); err != nil {
		return err
	}
	c.Opt = unit.Some(int64(v))
	return nil
}

// UnmarshalCSV reads whole numbers from 1 with spaces between them, in any order; none for an empty cell.
func (c *counts) UnmarshalCSV(cell string) error {
	for _, word := range strings.Fields(cell) {
		var v count
		if err := v.UnmarshalCSV(word); err != nil {
			return err
		}
		*c = append(*c, int64(v))
	}
	slices.Sort(*c)
	*c = slices.Compact(*c)
	return nil
}

// UnmarshalCSV reads an amount of memory above 0: 65536, 64K, 64 KB or 64 KiB.
func (s *size) UnmarshalCSV(cell string) error {
	v, err := unit.ParseBytes(cell)
	if err == nil && v < 1 {
		err = fmt.Errorf("%q is not an amount above 0", cell)
	}
	*s = size(v)
	return err
}
