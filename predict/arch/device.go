// Package arch is the device table: what a GPU has of the resources that limit occupancy, with the source of every row,
// and the look-up by the names under which GPUs go.
//
// The tables are CSV files beside the code: a row per GPU, the PCI ids that GPUs share, the families that stand for
// several. Tools print one GPU under many names: a driver's with the PCI id in brackets, VTune's code name with the
// marketing name, lspci's line. [Table.Find] takes a name apart, squashes it (no case, blanks, marks) and tries key,
// name, alias, PCI id and code name in this order. A name that means GPUs of different shapes needs their XVE count;
// GPUs of one shape are one answer, since the model gives them one. A count below all parts but of whole Xe-cores is
// a binned part, which is derived. [Table.Choose] finds the device of a run from what the user and the inputs say.
//
// A device file of the user's has the columns of devices.csv and is checked as a whole; its rows win over built-in
// ones.
//
// The package does not know kernels.
package arch

import (
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// Device is one GPU (all its stacks) as the prediction model sees it. Counts are per what their name says.
type Device struct {
	Key          string   // short, unique: uhd-p630
	Name         string   // as the driver or vendor prints it
	Aliases      []string // other names, without (R) and (TM)
	Architecture string   // Gen9, Gen11, Xe-LP, Xe-HPG, Xe-HPC, Xe-LPG, Xe2-HPG, Xe3, ...
	Codename     string   // SKL, TGL, PVC, ...
	Tiles        int      // stacks of one adapter
	XeCores      int      // all stacks; dual subslices or subslices before Xe-HPG; 0 where the count is not public
	XVEPerXeCore int      // EUs per subslice before Xe-HPG

	// GRFModes lists the register files a kernel may be compiled for, by rising register count. The first mode that
	// a device has at or above 128 registers is the default.
	GRFModes []GRFMode
	// ThreadsPerXVE is the most threads an XVE holds in any mode: the thread slots that VTune divides by.
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

	// Memory and L3 are the most that the GPU moves to and from its memory and its L3, one per source; the first is
	// taken. Empty where nobody says.
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
	// Fastest is the fastest memory that the GPU takes, where it shares that of the CPU: what is installed is often
	// slower, and one module halves it.
	Fastest string
	Assumed bool
}

// String gives the figure, its unit, and how sure it is: "1229 GB/s (intel)".
func (b Bandwidth) String() string {
	figure := strconv.FormatFloat(b.GBPerSecond, 'f', -1, 64) + " GB/s"
	if b.Fastest != "" {
		return "at most " + figure + ", with the fastest memory that it takes (" + b.Fastest + ")"
	}
	return figure + " (" + b.Source + ")"
}

// ShortName is the device as people call it: without the vendor and what all products are called.
func (d *Device) ShortName() string {
	name := strings.NewReplacer("(R)", "", "(TM)", "", "Intel", "", "Data Center GPU", "", "Graphics", "").Replace(d.Name)
	return strings.Join(strings.Fields(name), " ")
}

// DistinctModes gives the GRF modes that differ in threads, of equal ones the one with the most registers: a smaller one
// gains nothing.
func (d *Device) DistinctModes() (list []GRFMode) {
	for i, m := range d.GRFModes {
		if i+1 == len(d.GRFModes) || d.GRFModes[i+1].ThreadsPerXVE != m.ThreadsPerXVE {
			list = append(list, m)
		}
	}
	return list
}

// XVEs gives the number of XVEs of the whole GPU.
func (d *Device) XVEs() int { return d.XeCores * d.XVEPerXeCore }

// SlotsPerXeCore gives the thread slots of one Xe-core.
func (d *Device) SlotsPerXeCore() int { return d.XVEPerXeCore * d.ThreadsPerXVE }

// Slots gives the thread slots of the whole GPU, the denominator of every GPU occupancy.
func (d *Device) Slots() int { return d.XeCores * d.SlotsPerXeCore() }
