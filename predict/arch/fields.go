package arch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"occudiff/ingest/table"
)

// modes is a list of registers:threads pairs as in "128:8 256:4".
type modes []GRFMode

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (m *modes) UnmarshalCSV(cell string) error {
	for part := range table.Fields(cell) {
		left, right, ok := strings.Cut(part, ":")
		if !ok {
			return fmt.Errorf("%s is not a pair; expected registers:threads as in 128:8 256:4", quoted(part))
		}
		registers, err := table.ParseCount(left)
		if err != nil {
			return err
		}
		threads, err := table.ParseCount(right)
		if err != nil {
			return err
		}
		*m = append(*m, GRFMode{Registers: registers, ThreadsPerXVE: threads})
	}
	return nil
}

// coreCount is a number of Xe-cores, below 0 where it is not public.
type coreCount int

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (c *coreCount) UnmarshalCSV(cell string) error {
	if strings.TrimSpace(cell) == "not public" {
		*c = -1
		return nil
	}
	n, err := table.ParseCount(strings.TrimSpace(cell))
	*c = coreCount(n)
	return err
}

// splitSource takes source:figure apart; a bare figure is the user's own.
func splitSource(text string) (source, figure string) {
	source, figure, named := strings.Cut(text, ":")
	if !named {
		return "user", text
	}
	return source, figure
}

// decimal reads a figure as in 19.2, and no other form of a number.
func decimal(text string) (x float64, ok bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && strings.Trim(text, "0123456789.") == ""
}

// sourced is a list of source:count pairs as in "calculator:64 neo:32".
type sourced []SourcedCount

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (s *sourced) UnmarshalCSV(cell string) error {
	for part := range table.Fields(cell) {
		source, number := splitSource(part)
		if source == "" {
			return fmt.Errorf("%s names no source; expected source:count as in calculator:64 neo:32", quoted(part))
		}
		n, err := table.ParseCount(number)
		if err != nil {
			return err
		}
		*s = append(*s, SourcedCount{Source: source, Count: n})
	}
	return nil
}

// bandwidths is a list of source:GB/s pairs as in "intel:1229". The source "assumed" is none, and
// "at-most-LPDDR5X-8533" names the fastest memory that a GPU takes which shares that of the CPU.
type bandwidths []Bandwidth

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (b *bandwidths) UnmarshalCSV(cell string) error {
	for part := range table.Fields(cell) {
		source, number := splitSource(part)
		x, ok := decimal(number)
		if source == "" || !ok || x == 0 || x > math.MaxInt32 {
			return fmt.Errorf("%s is not a bandwidth; expected source:GB/s as in intel:1229", quoted(part))
		}
		w := Bandwidth{Source: source, GBPerSecond: x, Assumed: source == "assumed"}
		if memory, is := strings.CutPrefix(source, "at-most-"); is && memory != "" {
			w.Source, w.Fastest = "rated", memory
		}
		*b = append(*b, w)
	}
	return nil
}
