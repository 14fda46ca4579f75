package rundoc

import (
	"slices"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// counterList are the columns of the counters in JSON.
var counterList = []report.Col[ingest.Counter]{
	report.JSON("name", func(c *ingest.Counter) string { return c.Name }),
	report.JSON("unit", func(c *ingest.Counter) string { return c.Unit }),
	report.JSON("value", func(c *ingest.Counter) float64 { return c.Value }),
	report.JSON("static", func(c *ingest.Counter) bool { return c.Static }),
}

// withCounters returns the columns of kernels, and a column for each counter
// that a kernel of the runs has. The profiler chooses the counters, so these
// columns differ between inputs, and their keys are the counters' names.
func withCounters(results ...*compare.Result) []report.Col[kernel] {
	columns := slices.Clone(kernelColumns)
	seen := map[string]bool{}
	for _, r := range results {
		for i := range r.Rows {
			for _, c := range r.Rows[i].Counters.All() {
				if !seen[c.Name] {
					seen[c.Name] = true
					columns = append(columns, counterColumn(c))
				}
			}
		}
	}
	return columns
}

// counterColumn returns the column of the counter with the name and unit of c.
func counterColumn(c ingest.Counter) report.Col[kernel] {
	return report.Shown(c.Name, c.Name, func(k *kernel) number {
		all := k.Counters.All()
		i := slices.IndexFunc(all, func(o ingest.Counter) bool { return o.Name == c.Name })
		if i < 0 {
			return number{}
		}
		return unit.Some(all[i].Value)
	}, report.Wide, report.Unit(c.Unit), report.Decimals(1))
}
