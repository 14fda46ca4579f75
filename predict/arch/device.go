// Package arch contains the device table and the lookup of a GPU by its name.
// The table has the resources of each GPU that limit occupancy, and the source
// of each row.
//
// The tables are CSV files next to the code: one row per GPU, the PCI IDs that
// GPUs share, and families of several GPUs. Tools print one GPU with many
// names: a driver's name with the PCI ID in brackets, VTune's code name with
// the marketing name, or an lspci line. [Table.Find] parses a name, removes
// case, spaces, and marks, and tries key, name, alias, PCI ID, and code name in
// this order. If a name refers to GPUs with different shapes, the XVE count is
// required. GPUs with one shape are one result, because their predictions are
// equal. If a count is lower than the counts of all known parts but a whole
// number of Xe-cores, Find derives a binned part. [Table.Choose] determines a
// run's device from the user's choice and the inputs.
//
// A user's device file has the columns of devices.csv and is checked as a
// whole. Its rows have priority over built-in rows.
//
// The package does not depend on kernels.
package arch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// A Device is one GPU with all its stacks, in the form that the prediction
// model needs. The names of the counts contain their unit.
type Device struct {
	Key          string   // short and unique, for example uhd-p630
	Name         string   // name as the driver or vendor prints it
	Aliases      []string // other names, without (R) and (TM)
	Architecture string   // Gen9, Gen11, Xe-LP, Xe-HPG, Xe-HPC, Xe-LPG, Xe2-HPG, Xe3, ...
	Codename     string   // SKL, TGL, PVC, ...
	Tiles        int      // stacks per adapter
	// XeCores is the number for all stacks. Before Xe-HPG, it counts dual
	// subslices or subslices. It is 0 if the number is not public.
	XeCores      int
	XVEPerXeCore int // before Xe-HPG, EUs per subslice

	// GRFModes lists the register file sizes for which a kernel may be
	// compiled, in ascending order. The default is the first mode with at least
	// 128 registers.
	GRFModes []GRFMode
	// ThreadsPerXVE is the largest number of threads per XVE in any mode: the
	// thread slots in the denominator of VTune's occupancy.
	ThreadsPerXVE int
	RegisterBytes int // register width

	SIMDWidths []int // sub-group sizes that the compiler supports

	SLMPerXeCore   unit.Bytes
	SLMBySource    []SourcedCount // Xe-core SLM in KB if sources disagree; the first equals SLMPerXeCore
	SLMPerGroupMax unit.Bytes     // maximum SLM per work-group
	SLMSteps       []unit.Bytes   // SLM allocation sizes, ascending, starting with 0

	MaxGroupSize int            // maximum number of work-items per work-group
	GroupLimits  []GroupLimit   // additional limits of the driver, for the work-groups of some kernels
	GroupSlots   int            // maximum number of resident work-groups per Xe-core
	BarrierSlots []SourcedCount // barrier slots per Xe-core, one entry per source; the first is the default
	// DispatchPorts are the numbers of ports that explain published phases, for
	// launches without and with barriers. It is empty if no phases were
	// published.
	DispatchPorts []SourcedCount
	Clock         Clock // clock of the counters' timestamps

	// Memory and L3 are the peak bandwidths of the GPU's memory and its L3, one
	// per source. The first is used. They are empty if unknown.
	Memory, L3 []Bandwidth

	PCIIDs     []string // upper-case hexadecimal, without 0x
	Confidence string   // high, medium, low, or user
	Source     string
	Notes      string
}

// A GRFMode is a register file size and the number of threads that it allows.
type GRFMode struct {
	Registers     int
	ThreadsPerXVE int
}

// A SourcedCount is a number on which sources disagree.
type SourcedCount struct {
	Source string
	Count  int
}

// The kinds of launches in DispatchPorts.
const portsWithout, portsWith = "no-barrier", "barrier"

// Ports returns the number of dispatch ports that a launch uses, or 0 if
// unknown.
func (d *Device) Ports(barrier bool) int {
	kind := portsWithout
	if barrier {
		kind = portsWith
	}
	for _, p := range d.DispatchPorts {
		if p.Source == kind {
			return p.Count
		}
	}
	return 0
}

// A Bandwidth is the peak bandwidth of a memory according to one source.
type Bandwidth struct {
	Source      string
	GBPerSecond float64
	// Fastest is the fastest memory type that the GPU supports, if the GPU
	// shares the memory of the CPU. The installed memory is often slower, and a
	// single module halves the bandwidth.
	Fastest string
	Assumed bool
}

// String returns the value, its unit, and its source: "1229 GB/s (intel)".
func (b Bandwidth) String() string {
	figure := strconv.FormatFloat(b.GBPerSecond, 'f', -1, 64) + " GB/s"
	if b.Fastest != "" {
		return "at most " + figure + ", with the fastest memory that it supports (" + b.Fastest + ")"
	}
	return figure + " (" + b.Source + ")"
}

// IsBeforeXe reports whether the device belongs to a generation before Xe, for
// example Gen9. VTune's exports for such a device count EUs instead of XVEs,
// and its default metrics lack the thread occupancy.
func (d *Device) IsBeforeXe() bool { return strings.HasPrefix(d.Architecture, "Gen") }

// ShortName returns the device's common name, without the vendor and words that
// all products share.
func (d *Device) ShortName() string {
	drop := strings.NewReplacer("(R)", "", "(TM)", "", "Intel", "", "Data Center GPU", "", "Graphics", "")
	return strings.Join(strings.Fields(drop.Replace(d.Name)), " ")
}

// DistinctModes returns the GRF modes that differ in their number of threads.
// If several modes allow the same number of threads, it returns the mode with
// the most registers.
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

// SlotsPerXeCore returns the number of thread slots of one Xe-core.
func (d *Device) SlotsPerXeCore() int { return d.XVEPerXeCore * d.ThreadsPerXVE }

// Slots returns the number of thread slots of the whole GPU, which is the
// denominator of every GPU occupancy.
func (d *Device) Slots() int { return d.XeCores * d.SlotsPerXeCore() }

// A Clock is the clock of the timestamps of a GPU's counters. The zero Clock is
// unknown.
type Clock struct {
	Source string // source of the frequency; see docs/devices.md
	Hz     float64
}

// SamplingInterval returns the actual sampling interval of the counters for a
// requested interval. The hardware counts 2^n clock ticks, and the drivers
// round down (metrics-discovery, GetTimerPeriodExponent): 1 ms becomes 0.683 ms
// at 12 MHz and 0.853 ms at 19.2 MHz. If the clock is unknown, it returns the
// requested interval.
func (d *Device) SamplingInterval(asked unit.Seconds) unit.Seconds {
	ticks := float64(asked) * d.Clock.Hz
	if !(ticks >= 2) || math.IsInf(ticks, 0) { // the minimum is 2 ticks
		return asked
	}
	_, exponent := math.Frexp(ticks * (1 + 1e-12)) // the factor tolerates rounding if exactly 2^n ticks were requested
	return unit.Seconds(math.Ldexp(1, exponent-1) / d.Clock.Hz)
}

// UnmarshalCSV reads a source:MHz pair such as oneprof:19.2.
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

// A GroupLimit is a limit of the driver for the work-groups of some kernels,
// which are selected by their sub-group size and registers per thread. If
// several limits with Threads match a kernel, only the device's first one
// applies. Limits with WorkItems apply in addition.
type GroupLimit struct {
	SIMD                       int // sub-group size; 0 for any
	MinRegisters, MaxRegisters int // registers per thread, inclusive
	Threads                    int // maximum per work-group; 0 if WorkItems is the limit
	WorkItems                  int // maximum per work-group; 0 if Threads is the limit
}

// largeGRF is the smallest number of registers with which the driver treats a
// kernel as a large-GRF kernel.
const largeGRF = 256

// For reports whether the limit applies to kernels with a sub-group size and
// register count.
func (g GroupLimit) For(simd, registers int) bool {
	return (g.SIMD == 0 || g.SIMD == simd) && g.MinRegisters <= registers && registers <= g.MaxRegisters
}

// ParseGroupLimits parses limits in the notation of device files: pairs of
// name=number, separated by spaces or semicolons. For example, the B580 has
// "large_grf_simd16=512 max_threads_per_wg.simd16_grf128=64
// max_threads_per_wg.other=32".
//
// A name selects kernels: `simd16`, `grf128`, or `large_grf` (at least 256
// registers). `_` combines conditions that must all apply, and `_or_` separates
// alternatives. `other` selects every kernel. If the name begins with
// `large_grf`, the number counts work-items. Otherwise it counts threads, which
// the prefix `max_threads_per_wg.` makes explicit.
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

// kernelsOf returns the kernels to which a limit applies. Each property may
// occur at most once.
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

// groupLimits is the cell of a device table that contains these limits.
type groupLimits []GroupLimit

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (g *groupLimits) UnmarshalCSV(cell string) (err error) {
	*g, err = ParseGroupLimits(cell)
	return err
}
