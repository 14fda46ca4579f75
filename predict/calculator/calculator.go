// Package calculator reproduces Intel's GPU Occupancy Calculator, a page of the
// oneAPI samples, number by number: its devices, its form texts, its rounding
// and its errors. It is how the prediction model is proved against what people
// compare their runs with, and what `--compat calculator` prints. It does not
// know the project's own model, device table or policies, and it corrects
// nothing: where the calculator is wrong, so is this package.
//
// Everything is computed in float64 in the calculator's order of operations,
// because the original is JavaScript and has no other number. Percentages are
// 0..100 here, unlike in the rest of the project: a ratio multiplied by 100
// again would differ from the printed number in its last digits.
package calculator

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// Device is one configuration of the calculator: a GPU with a chosen count of
// XVEs.
type Device struct {
	Key           string       `csv:"key"`         // fam:..., pci:... or url:...
	Name          string       `csv:"name"`        // what the calculator's lists call it
	PCIIDs        table.Words  `csv:"pci_ids"`     // that choose it, upper-case hex; none for families
	XVEChoices    table.Counts `csv:"xve_choices"` // what the form offers for XVEs, the first is its default
	XVEPerXeCore  int          `csv:"xve_per_xe_core"`
	ThreadsPerXVE int          `csv:"threads_per_xve"`
	Threads       int          `csv:"threads_per_xe_core"` // thread slots as the calculator has them; for some an error
	LargeGRF      bool         `csv:"large_grf"`           // the form offers the large register file
	SIMDWidths    table.Counts `csv:"simd_widths"`         // that the form offers, largest first
	SLMKB         int          `csv:"slm_kb_per_xe_core"`
	SLMKBPerGroup int          `csv:"slm_kb_per_group_max"` // most that the form's SLM slider reaches
	SLMStepsKB    table.Counts `csv:"slm_steps_kb"`         // allocation steps, rising, 0 first
	MaxGroupSize  int          `csv:"max_group_size"`       // work-items
	GroupSlots    int          `csv:"group_slots"`          // per Xe-core
	BarrierSlots  int          `csv:"barrier_slots"`        // replaces GroupSlots for a kernel with barriers
	Source        string       `csv:"source"`
	Note          string       `csv:"note"` // a known error of the row, otherwise ""

	XVEs int `csv:"-"` // of the whole GPU
}

// XeCores returns XVEs / XVEs per Xe-core. The calculator does not round it: 24
// XVEs of 16 are 1.5 Xe-cores.
func (d *Device) XeCores() float64 { return float64(d.XVEs) / float64(d.XVEPerXeCore) }

// Table is the calculator's list of devices, in the order of its lists, each
// with its default XVE count.
type Table []Device

//go:embed devices.csv
var devicesCSV string

// Builtin reads the embedded list, whose rows are held by a test. It parses at
// every call: keep the table.
func Builtin() (Table, error) {
	columns, _ := table.Columns[Device]()
	s, err := table.Parse("devices.csv", devicesCSV, table.Format{Columns: columns})
	if err != nil {
		return nil, err
	}
	return table.Convert(s, func(_ int, d *Device) (Device, error) {
		d.XVEs = d.XVEChoices[0]
		return *d, nil
	})
}

// Find returns the device of a key (`fam:gen12`, `pci:E20B`, `url:readme`; case
// does not matter) with one of the XVE counts that the calculator's form offers
// for it; 0 takes the first, its default. Any PCI id of a device finds it; an
// id that two devices claim finds the first, as in the calculator.
func (t Table) Find(key string, xve int) (Device, error) {
	is := func(name string) bool { return strings.EqualFold(name, strings.TrimSpace(key)) }
	i := slices.IndexFunc(t, func(d Device) bool { return is(d.Key) })
	if i < 0 {
		i = slices.IndexFunc(t, func(d Device) bool {
			return slices.ContainsFunc(d.PCIIDs, func(id string) bool { return is("pci:" + id) })
		})
	}
	if i < 0 {
		return Device{}, fmt.Errorf("calculator device %q is not known; "+
			"expected a family (%s), pci:ID as in pci:E20B, or %s", key, t.keysOf("fam:"), t.keysOf("url:"))
	}
	d := t[i]
	if xve != 0 && !slices.Contains(d.XVEChoices, xve) {
		return Device{}, fmt.Errorf("calculator device %q has no configuration with %d XVEs; it offers %s",
			d.Key, xve, spaced(d.XVEChoices))
	}
	d.XVEs = cmp.Or(xve, d.XVEs)
	return d, nil
}

func (t Table) keysOf(prefix string) string {
	var keys []string
	for _, d := range t {
		if strings.HasPrefix(d.Key, prefix) {
			keys = append(keys, d.Key)
		}
	}
	return strings.Join(keys, ", ")
}

func spaced(values []int) string { return strings.Trim(fmt.Sprint(values), "[]") }

// Input is what the calculator's form holds.
type Input struct {
	Global   string // text of the global size: `16*64*128`, `1,2,3`, `4096`; empty leaves the GPU out
	Local    string // text of the work-group size
	SIMD     int    // sub-group size
	SLMKB    int    // SLM per work-group in KB
	Barrier  bool
	LargeGRF bool
}

// Rejection is the set of reasons why the calculator gives no result; 0 is a
// result.
type Rejection uint8

// The refusals, in the order in which the calculator checks them.
const (
	badGlobal    Rejection = 1 << iota // a part of the global size begins with no digit
	badLocal                           // a part of the work-group size begins with no digit
	tooBig                             // the work-group is larger than the device maximum
	notDividing                        // the work-group size does not divide the global size
	tooManyParts                       // a size has four parts or more: no result and no message
	badSIMD                            // a sub-group size below 1; ours, since the form cannot hold one
)

// String joins the message classes of the reference data with `+` and is empty
// for a result.
func (r Rejection) String() string {
	var words []string
	for i, w := range [...]string{"bad_global", "bad_wg", "wg_too_big", "wg_not_dividing", "silent", "bad_simd"} {
		if r&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, "+")
}

// Explain says in a sentence what the calculator refused and what it would
// take; it is empty for a result.
func (r Rejection) Explain(d *Device, in Input) string {
	var parts []string
	add := func(bit Rejection, format string, args ...any) {
		if r&bit != 0 {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(badGlobal, "global size %q has a part that begins with no digit; write it as 4096, 1024,256 or 256*256*64",
		in.Global)
	add(badLocal, "work-group size %q has a part that begins with no digit; write it as 256, 16,16 or 4,4,4", in.Local)
	add(tooBig, "work-group size %q is above the %d work-items that %s allows", in.Local, d.MaxGroupSize, d.Key)
	add(notDividing,
		"work-group size %q does not divide global size %q; the calculator knows no smaller last work-group",
		in.Local, in.Global)
	add(tooManyParts,
		"a size has more than three parts (global %q, work-group %q); the calculator then shows nothing at all",
		in.Global, in.Local)
	add(badSIMD, "sub-group size %d is below 1; the form offers %s", in.SIMD, spaced(d.SIMDWidths))
	return strings.Join(parts, "; ")
}

// The limits, in the order in which the calculator's outputs list them.
const (
	LimitThreads    = "threads"  // thread slots
	LimitSLM        = "slm"      // shared local memory
	LimitGroupSlots = "slots"    // work-group slots
	LimitBarriers   = "barriers" // barrier slots, which replace the work-group slots
	LimitGrid       = "wg_total" // all work-groups of the launch
)

// Output is what the calculator shows, and what it computes on the way. Numbers
// are float64 since the original's are; those that count are whole for every
// input that its form takes. When Rejection is not 0, nothing else is set.
type Output struct {
	Rejection Rejection

	GlobalItems     float64 // 0 when the text was empty
	GroupItems      float64
	SLMAllocKB      int // after rounding up to a step; above the largest step it stays as it is
	ThreadsPerGroup float64

	LimitThreads    float64           // work-groups per Xe-core by thread slots
	LimitSLM        unit.Opt[float64] // by SLM; absent without SLM
	LimitGroupSlots float64           // by work-group slots, or by barrier slots when there is a barrier
	Groups          unit.Opt[float64] // of the launch; absent without a global size
	GroupsPerCore   float64
	LimitedBy       []string // all limits that GroupsPerCore equals, in the order of the constants

	XeCorePercent float64
	GPU           *GPU // nil without a global size
}

// GPU is the part of the output that needs a global size. With no work-group
// per Xe-core, waves are NaN as the calculator prints them, and the percentages
// 0.
type GPU struct {
	PeakPercent    float64
	AveragePercent float64 // from waves rounded to two decimals, so that it can exceed the peak
	AverageExact   float64 // the same from unrounded waves
	Waves          float64 // rounded to two decimals
	FullWaves      float64
	TailPercent    float64 // of the last, partial wave; 0 when it is full
}

// LargeGRF turns a register count per thread into the form's choice of two; 0
// is the smaller one.
func LargeGRF(registers int) (bool, error) {
	if registers != 0 && registers != 128 && registers != 256 {
		return false, fmt.Errorf("%d: Intel's calculator knows 128 and 256 (large GRF)", registers)
	}
	return registers == 256, nil
}
