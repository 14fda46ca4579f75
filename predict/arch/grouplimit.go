package arch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"occudiff/ingest/table"
)

// GroupLimit is a limit that the driver sets on the work-groups of some kernels, by their sub-group size and
// registers per thread. A device's limits of Threads are alternatives, of which the first that is for a kernel
// counts; those of WorkItems count besides.
type GroupLimit struct {
	SIMD                       int // sub-group size that it is for; 0 for any
	MinRegisters, MaxRegisters int // registers per thread that it is for, both included
	Threads                    int // most per work-group; 0 where WorkItems is the limit
	WorkItems                  int // most per work-group; 0 where Threads is the limit
}

// largeGRF is the register count from which the driver calls a kernel a large-GRF kernel.
const largeGRF = 256

// For says whether the limit is for a kernel of a sub-group size and register count.
func (g GroupLimit) For(simd, registers int) bool {
	return (g.SIMD == 0 || g.SIMD == simd) && g.MinRegisters <= registers && registers <= g.MaxRegisters
}

// ParseGroupLimits reads limits as device files write them: pairs of name=number separated by blanks or semicolons,
// as in "large_grf_simd16=512 max_threads_per_wg.simd16_grf128=64 max_threads_per_wg.other=32" of the B580.
//
// A name joins the kernels that the limit is for: `simd16`, `grf128`, `large_grf` (256 registers and above), by `_`
// when all must hold and by `_or_` for alternatives; `other` is for every kernel. The number of a name that begins
// with `large_grf` counts work-items, any other counts threads, and `max_threads_per_wg.` may stand before the name
// to say so.
func ParseGroupLimits(text string) ([]GroupLimit, error) {
	var all []GroupLimit
	for pair := range table.Fields(text) {
		name, number, _ := strings.Cut(pair, "=")
		most, err := table.ParseCount(number)
		if err != nil || most == 0 || name == "" {
			return nil, fmt.Errorf("%s is not a limit; expected name=number as in large_grf_simd16=512", quoted(pair))
		}
		name, threads := strings.CutPrefix(name, "max_threads_per_wg.")
		for kernels := range strings.SplitSeq(name, "_or_") {
			g, ok := kernelsOf(kernels)
			if !ok {
				return nil, fmt.Errorf("%s does not name kernels; "+
					"expected simd16, grf128, large_grf or other, joined by _ or _or_, before the =", quoted(pair))
			}
			if strings.HasPrefix(name, "large_grf") && !threads {
				g.WorkItems = most
			} else {
				g.Threads = most
			}
			all = append(all, g)
		}
	}
	return all, nil
}

// kernelsOf reads which kernels a limit is for, each property named at most once.
func kernelsOf(name string) (g GroupLimit, ok bool) {
	g.MaxRegisters = math.MaxInt
	rest, large := strings.CutPrefix(name, "large_grf")
	if large {
		g.MinRegisters = largeGRF
		if rest == "" {
			return g, true
		}
		if rest, ok = strings.CutPrefix(rest, "_"); !ok {
			return g, false
		}
	} else if name == "other" {
		return g, true
	}
	for word := range strings.SplitSeq(rest, "_") {
		digits := strings.TrimLeft(word, "abcdefghijklmnopqrstuvwxyz")
		n, err := table.ParseCount(digits)
		if err != nil || n == 0 {
			return g, false
		}
		switch {
		case word == "simd"+strconv.Itoa(n) && g.SIMD == 0:
			g.SIMD = n
		case word == "grf"+strconv.Itoa(n) && g.MaxRegisters == math.MaxInt && !large:
			g.MinRegisters, g.MaxRegisters = n, n
		default:
			return g, false
		}
	}
	return g, true
}

// groupLimits is the cell of a device table that holds them.
type groupLimits []GroupLimit

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (g *groupLimits) UnmarshalCSV(cell string) (err error) {
	*g, err = ParseGroupLimits(cell)
	return err
}
