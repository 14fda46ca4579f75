// Package arch is the device table: what a GPU has of the resources that limit
// occupancy, with the source of every row, and the look-up by the names under
// which GPUs go.
//
// The tables are CSV files next to the code: a row per GPU, the PCI ids that
// GPUs share, the families that stand for several. Tools print one GPU under
// many names: a driver's with the PCI id in brackets, VTune's code name with
// the marketing name, lspci's line. [Table.Find] takes a name apart, squashes
// it (no case, blanks, marks) and tries key, name, alias, PCI id and code name
// in this order. A name that means GPUs of different shapes needs their XVE
// count; GPUs of one shape are one answer, since the model gives them one. A
// count below all parts but of whole Xe-cores is a binned part, which is
// derived. [Table.Choose] finds the device of a run from what the user and the
// inputs say.
//
// A device file of the user's has the columns of devices.csv and is checked as
// a whole; its rows win over built-in ones.
//
// The package does not know kernels.
package arch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// Device is one GPU (all its stacks) as the prediction model sees it. Counts
// are per what their name says.
type Device struct {
	Key          string   // short, unique: uhd-p630
	Name         string   // as the driver or vendor prints it
	Aliases      []string // other names, without (R) and (TM)
	Architecture string   // Gen9, Gen11, Xe-LP, Xe-HPG, Xe-HPC, Xe-LPG, Xe2-HPG, Xe3, ...
	Codename     string   // SKL, TGL, PVC, ...
	Tiles        int      // stacks of one adapter
	XeCores      int      // all stacks; dual subslices or subslices before Xe-HPG; 0 where the count is not public
	XVEPerXeCore int      // EUs per subslice before Xe-HPG

	// GRFModes lists the register files a kernel may be compiled for, by rising
	// register count. The first mode that a device has at or above 128
	// registers is the default.
	GRFModes []GRFMode
	// ThreadsPerXVE is the most threads an XVE holds in any mode: the thread
	// slots that VTune divides by.
	ThreadsPerXVE int
	RegisterBytes int // width of one register

	SIMDWidths []int // sub-group sizes the compiler offers

	SLMPerXeCore   unit.Bytes
	SLMBySource    []SourcedCount // KB of an Xe-core, where sources disagree; the first is SLMPerXeCore
	SLMPerGroupMax unit.Bytes     // most that one work-group may have
	SLMSteps       []unit.Bytes   // sizes that SLM is allocated in, rising, 0 first

	MaxGroupSize int            // work-items per work-group
	GroupLimits  []GroupLimit   // the driver's further limits on the work-groups of some kernels
	GroupSlots   int            // work-groups resident per Xe-core
	BarrierSlots []SourcedCount // per Xe-core, one per source; the first is the default
	Clock        Clock          // of the counters' timestamps

	// Memory and L3 are the most that the GPU moves to and from its memory and
	// its L3, one per source; the first is taken. Empty where nobody says.
	Memory, L3 []Bandwidth

	PCIIDs     []string // upper-case hex, no 0x
	Confidence string   // high, medium, user
	Source     string
	Notes      string
}

// GRFMode is one size of the register file and what it leaves of the threads.
type GRFMode struct {
	Registers     int
	ThreadsPerXVE int
}

// SourcedCount is a figure for which sources disagree.
type SourcedCount struct {
	Source string
	Count  int
}

// Bandwidth is the most that a memory moves, as a source says.
type Bandwidth struct {
	Source      string
	GBPerSecond float64
	// Fastest is the fastest memory that the GPU takes, where it shares that of
	// the CPU: what is installed is often slower, and one module halves it.
	Fastest string
	Assumed bool
}

// String returns the figure, its unit, and how sure it is: "1229 GB/s (intel)".
func (b Bandwidth) String() string {
	figure := strconv.FormatFloat(b.GBPerSecond, 'f', -1, 64) + " GB/s"
	if b.Fastest != "" {
		return "at most " + figure + ", with the fastest memory that it takes (" + b.Fastest + ")"
	}
	return figure + " (" + b.Source + ")"
}

// ShortName is the device as people call it: without the vendor and what all
// products are called.
func (d *Device) ShortName() string {
	name := strings.NewReplacer("(R)", "", "(TM)", "", "Intel", "", "Data Center GPU", "", "Graphics", "").Replace(d.Name)
	return strings.Join(strings.Fields(name), " ")
}

// DistinctModes returns the GRF modes that differ in threads, of equal ones the
// one with the most registers: a smaller one gains nothing.
func (d *Device) DistinctModes() (list []GRFMode) {
	for i, m := range d.GRFModes {
		if i+1 == len(d.GRFModes) || d.GRFModes[i+1].ThreadsPerXVE != m.ThreadsPerXVE {
			list = append(list, m)
		}
	}
	return list
}

// XVEs returns the number of XVEs of the whole GPU.
func (d *Device) XVEs() int { return d.XeCores * d.XVEPerXeCore }

// SlotsPerXeCore returns the thread slots of one Xe-core.
func (d *Device) SlotsPerXeCore() int { return d.XVEPerXeCore * d.ThreadsPerXVE }

// Slots returns the thread slots of the whole GPU, the denominator of every GPU
// occupancy.
func (d *Device) Slots() int { return d.XeCores * d.SlotsPerXeCore() }

// Clock is the timestamp clock of a GPU's counters. The zero value is a clock
// that is not known.
type Clock struct {
	Source string // that the frequency is from; see docs/devices.md
	Hz     float64
}

// SamplingInterval returns the interval at which the counters are really
// sampled when so long a one is asked for. The hardware counts 2^n ticks of its
// clock, and the drivers round down (metrics-discovery,
// GetTimerPeriodExponent): 1 ms is 0.683 ms at 12 MHz and 0.853 ms at 19.2 MHz.
// Where the clock is not known it is what was asked for.
func (d *Device) SamplingInterval(asked unit.Seconds) unit.Seconds {
	ticks := float64(asked) * d.Clock.Hz
	if !(ticks >= 2) || math.IsInf(ticks, 0) { // the least is 2 ticks
		return asked
	}
	_, exponent := math.Frexp(ticks * (1 + 1e-12)) // 2^n ticks that were asked for in decimals stay 2^n
	return unit.Seconds(math.Ldexp(1, exponent-1) / d.Clock.Hz)
}

// UnmarshalCSV implements gocsv.TypeUnmarshaller for a source:MHz pair as in
// oneprof:19.2.
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

// GroupLimit is a limit that the driver sets on the work-groups of some
// kernels, by their sub-group size and registers per thread. A device's limits
// of Threads are alternatives, of which the first that is for a kernel counts;
// those of WorkItems count besides.
type GroupLimit struct {
	SIMD                       int // sub-group size that it is for; 0 for any
	MinRegisters, MaxRegisters int // registers per thread that it is for, both included
	Threads                    int // most per work-group; 0 where WorkItems is the limit
	WorkItems                  int // most per work-group; 0 where Threads is the limit
}

// largeGRF is the register count from which the driver calls a kernel a
// large-GRF kernel.
const largeGRF = 256

// For reports whether the limit is for a kernel of a sub-group size and
// register count.
func (g GroupLimit) For(simd, registers int) bool {
	return (g.SIMD == 0 || g.SIMD == simd) && g.MinRegisters <= registers && registers <= g.MaxRegisters
}

// ParseGroupLimits reads limits as device files write them: pairs of
// name=number separated by blanks or semicolons, as in "large_grf_simd16=512
// max_threads_per_wg.simd16_grf128=64 max_threads_per_wg.other=32" of the B580.
//
// A name joins the kernels that the limit is for: `simd16`, `grf128`,
// `large_grf` (256 registers and above), by `_` when all must hold and by
// `_or_` for alternatives; `other` is for every kernel. The number of a name
// that begins with `large_grf` counts work-items, any other counts threads, and
// `max_threads_per_wg.` may be before the name to say so.
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

// kernelsOf reads which kernels a limit is for, each property named at most
// once.
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
