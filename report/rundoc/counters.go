package rundoc

import (
	"slices"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// counterList contains the columns for a counter in JSON.
var counterList = []report.Col[ingest.Counter]{
	report.JSON("name",
		func(c *ingest.Counter) string { return c.Name.String() }),
	report.JSON("unit", func(c *ingest.Counter) string { return c.Unit }),
	report.JSON("value", func(c *ingest.Counter) float64 { return c.Value }),
	report.JSON("static", func(c *ingest.Counter) bool { return c.Static }),
}

// withCounters returns the kernel columns and one column for each counter in
// the runs. The profiler chooses the counters, so these columns differ between
// inputs, and their keys are the counters' names.
func withCounters(results ...*compare.Result) []report.Col[kernel] {
	columns := slices.Clone(kernelColumns)
	seen := map[ingest.CounterName]bool{}
	for _, r := range results {
		for i := range r.Rows {
			for c := range r.Rows[i].Counters.All() {
				if !seen[c.Name] {
					seen[c.Name] = true
					columns = append(columns, counterColumn(c))
				}
			}
		}
	}
	return columns
}

// counterColumn returns the column for the counter with the name and unit of c.
func counterColumn(c ingest.Counter) report.Col[kernel] {
	name := c.Name.String()
	return report.Shown(name, name, func(k *kernel) number {
		for o := range k.Counters.All() {
			if o.Name == c.Name {
				return unit.Some(o.Value)
			}
		}
		return number{}
	}, report.Wide, report.Unit(c.Unit), report.Decimals(1))
}
