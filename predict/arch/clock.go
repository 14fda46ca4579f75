package arch

import (
	"fmt"
	"math"
	"strings"

	"occudiff/ingest/unit"
)

// Clock is the timestamp clock of a GPU's counters. The zero value is a clock that is not known.
type Clock struct {
	Source string // that the frequency is from; see docs/devices.md
	Hz     float64
}

// SamplingInterval gives the interval at which the counters are really sampled when so long a one is asked for. The
// hardware counts 2^n ticks of its clock, and the drivers round down (metrics-discovery, GetTimerPeriodExponent): 1
// ms is 0.683 ms at 12 MHz and 0.853 ms at 19.2 MHz. Where the clock is not known it is what was asked for.
func (d *Device) SamplingInterval(asked unit.Seconds) unit.Seconds {
	ticks := float64(asked) * d.Clock.Hz
	if !(ticks >= 2) || math.IsInf(ticks, 0) { // the least is 2 ticks
		return asked
	}
	_, exponent := math.Frexp(ticks * (1 + 1e-12)) // 2^n ticks that were asked for in decimals stay 2^n
	return unit.Seconds(math.Ldexp(1, exponent-1) / d.Clock.Hz)
}

// UnmarshalCSV implements gocsv.TypeUnmarshaller for a source:MHz pair as in oneprof:19.2.
func (c *Clock) UnmarshalCSV(cell string) error {
	cell = strings.TrimSpace(cell)
	if cell == "" {
		return nil
	}
	source, number := splitSource(cell)
	mhz, ok := decimal(number)
	if source == "" || !ok || mhz < 1 || mhz > 1000 {
		return fmt.Errorf("%s is not a clock; expected source:MHz as in i915:19.2, from 1 to 1000", quoted(cell))
	}
	*c = Clock{Source: source, Hz: mhz * 1e6}
	return nil
}
