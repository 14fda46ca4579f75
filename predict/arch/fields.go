package arch

import (
	"fmt"
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

// sourced is a list of source:count pairs as in "calculator:64 neo:32".
type sourced []SourcedCount

// UnmarshalCSV implements gocsv.TypeUnmarshaller. A bare number is the user's own figure.
func (s *sourced) UnmarshalCSV(cell string) error {
	for part := range table.Fields(cell) {
		source, number, ok := strings.Cut(part, ":")
		if !ok {
			source, number = "user", part
		}
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
