package unitrace

import (
	"math"
	"strconv"
	"strings"
)

// counts are the columns of a metric table that tell how many XVEs the counters are of: a counter of events and the
// part of all clocks of all XVEs that it says this is, `X[events]` and `X_UTILIZATION[%]`, and the clocks.
// No table says which GPU it is of; this number tells devices apart that names do not.
type counts struct {
	clocks int // index behind the name, -1 without
	pairs  [][2]int
}

func countsOf(names []string) counts {
	c := counts{clocks: -1}
	at := map[string]int{}
	for i, name := range names {
		at[strings.TrimSpace(name)] = i
	}
	if i, ok := at["GpuSliceClocksCount[events]"]; ok {
		c.clocks = i
	}
	for name, i := range at {
		if metric, ok := strings.CutSuffix(name, "_UTILIZATION[%]"); ok {
			if events, ok := at[metric+"[events]"]; ok {
				c.pairs = append(c.pairs, [2]int{events, i})
			}
		}
	}
	return c
}

// xves is how many XVEs a row's counters are of: events / (clocks x utilization), where all pairs of columns say the
// same whole number; 0 where they do not. In real reports each pair gives 448.00.
func (f *fields) xves() int {
	// Utilizations are printed with few digits: of a small one the quotient is any number.
	const enough, exact = 1, 1e-3 // percent of all clocks, of the number
	if f.counts.clocks < 0 {
		return 0
	}
	number := func(i int) float64 {
		x, err := strconv.ParseFloat(f.parts[i], 64)
		if err != nil {
			return 0
		}
		return x
	}
	clocks, found := number(f.counts.clocks), 0
	for _, p := range f.counts.pairs {
		share := number(p[1])
		if share < enough || share > 100 || clocks <= 0 {
			continue
		}
		n := number(p[0]) / (clocks * share / 100)
		whole := math.Round(n)
		if !(whole >= 1 && whole <= 1<<16) || math.Abs(n-whole) > exact*whole || found != 0 && found != int(whole) {
			return 0
		}
		found = int(whole)
	}
	return found
}
