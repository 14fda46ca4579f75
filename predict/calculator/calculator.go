// Package calculator reproduces Intel's GPU Occupancy Calculator, a page in the
// oneAPI samples, number by number: its devices, its form texts, its rounding
// and its errors. Tests compare the prediction model with it, because users
// compare their runs with it, and `--compat calculator` prints its results. The
// package does not know the project's own model, device table or policies. It
// corrects nothing: if the calculator is wrong, the package is wrong, too.
//
// All computations use float64 in the calculator's order of operations, because
// the original is JavaScript, which has no other number type. Percentages are
// 0..100 in this package, unlike in the rest of the project: the conversion
// from a ratio would change the last digits of the printed number.
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

// Device is a calculator configuration: a GPU with a selected XVE count.
type Device struct {
	Key           string       `csv:"key"`         // fam:..., pci:... or url:...
	Name          string       `csv:"name"`        // name in the calculator's lists
	PCIIDs        table.Words  `csv:"pci_ids"`     // PCI ids that select it, in upper-case hex; empty for families
	XVEChoices    table.Counts `csv:"xve_choices"` // XVE counts that the form offers; the first is the default
	XVEPerXeCore  int          `csv:"xve_per_xe_core"`
	ThreadsPerXVE int          `csv:"threads_per_xve"`
	// thread slots in the calculator, which are wrong for some devices
	Threads       int          `csv:"threads_per_xe_core"`
	LargeGRF      bool         `csv:"large_grf"`   // the form offers the large register file
	SIMDWidths    table.Counts `csv:"simd_widths"` // offered by the form, largest first
	SLMKB         int          `csv:"slm_kb_per_xe_core"`
	SLMKBPerGroup int          `csv:"slm_kb_per_group_max"` // the form's SLM slider maximum
	SLMStepsKB    table.Counts `csv:"slm_steps_kb"`         // allocation steps in ascending order, starting with 0
	MaxGroupSize  int          `csv:"max_group_size"`       // in work-items
	GroupSlots    int          `csv:"group_slots"`          // per Xe-core
	BarrierSlots  int          `csv:"barrier_slots"`        // replaces GroupSlots for a kernel with barriers
	Source        string       `csv:"source"`
	Note          string       `csv:"note"` // a known error in the row, otherwise ""

	XVEs int `csv:"-"` // whole GPU
}

// XeCores returns XVEs / XVEs per Xe-core. The calculator does not round it:
// for example, 24 XVEs at 16 per Xe-core are 1.5 Xe-cores.
func (d *Device) XeCores() float64 { return float64(d.XVEs) / float64(d.XVEPerXeCore) }

// Table is the calculator's device list in its order. Each device has its
// default XVE count.
type Table []Device

//go:embed devices.csv
var devicesCSV string

// Builtin returns the embedded device list. A test checks its rows. Each call
// parses the list, so callers should keep the result.
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

// Find returns the device with a key (`fam:gen12`, `pci:E20B`, `url:readme`;
// case does not matter) and an XVE count that the calculator's form offers for
// it. For 0, it uses the first count, which is the default. It finds a device
// by any of its PCI IDs. If two devices have the same id, it returns the first
// one, like the calculator.
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

// Input contains the calculator form's fields.
type Input struct {
	Global   string // the global size as text: `16*64*128`, `1,2,3`, `4096`; empty omits the GPU results
	Local    string // the work-group size as text
	SIMD     int    // sub-group size
	SLMKB    int    // SLM per work-group in KB
	Barrier  bool
	LargeGRF bool
}

// Rejection contains the reasons why the calculator shows no result. It is 0 if
// there is a result.
type Rejection uint8

// The reasons, in the order in which the calculator checks them.
const (
	badGlobal    Rejection = 1 << iota // a global size part does not start with a digit
	badLocal                           // a work-group size part does not start with a digit
	tooBig                             // the work-group is larger than the device maximum
	notDividing                        // the work-group size does not divide the global size
	tooManyParts                       // a size has four parts or more: no result and no message
	badSIMD                            // a sub-group size below 1; added here, because the form cannot contain one
)

// String returns the reference data's message classes joined with `+`. It
// returns "" if there is a result.
func (r Rejection) String() string {
	var words []string
	for i, w := range [...]string{"bad_global", "bad_wg", "wg_too_big", "wg_not_dividing", "silent", "bad_simd"} {
		if r&(1<<i) != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, "+")
}

// Explain returns a sentence with the rejection's reasons and valid values. It
// returns "" if there is a result.
func (r Rejection) Explain(d *Device, in Input) string {
	var parts []string
	add := func(bit Rejection, format string, args ...any) {
		if r&bit != 0 {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(badGlobal, "global size %q has a part that does not begin with a digit; write it as 4096, 1024,256 or "+
		"256*256*64",
		in.Global)
	add(badLocal, "work-group size %q has a part that does not begin with a digit; write it as 256, 16,16 or "+
		"4,4,4", in.Local)
	add(tooBig, "work-group size %q is above the %d work-items that %s allows", in.Local, d.MaxGroupSize, d.Key)
	add(notDividing,
		"work-group size %q does not divide global size %q; the calculator does not support a smaller last work-group",
		in.Local, in.Global)
	add(tooManyParts,
		"a size has more than three parts (global %q, work-group %q); the calculator then shows nothing at all",
		in.Global, in.Local)
	add(badSIMD, "sub-group size %d is below 1; the form offers %s", in.SIMD, spaced(d.SIMDWidths))
	return strings.Join(parts, "; ")
}

// The limits, in the order in which the calculator lists them.
const (
	LimitThreads    = "threads"  // thread slots
	LimitSLM        = "slm"      // shared local memory
	LimitGroupSlots = "slots"    // work-group slots
	LimitBarriers   = "barriers" // barrier slots, which replace the work-group slots
	LimitGrid       = "wg_total" // all work-groups in the launch
)

// Output is the result that the calculator shows, with intermediate values.
// Numbers are float64 as in the original. Counts are whole for every input that
// the form accepts. If Rejection is not 0, no other field is set.
type Output struct {
	Rejection Rejection

	GlobalItems     float64 // 0 if the text was empty
	GroupItems      float64
	SLMAllocKB      int // rounded up to a step; unchanged above the largest step
	ThreadsPerGroup float64

	LimitThreads    float64           // work-groups per Xe-core by thread slots
	LimitSLM        unit.Opt[float64] // by SLM; absent without SLM
	LimitGroupSlots float64           // by work-group slots, or by barrier slots if there is a barrier
	Groups          unit.Opt[float64] // the launch's work-groups; absent without a global size
	GroupsPerCore   float64
	LimitedBy       []string // all limits that equal GroupsPerCore, in constant order

	XeCorePercent float64
	GPU           *GPU // nil without a global size
}

// GPU contains the results that need a global size. If no work-group fits an
// Xe-core, waves are NaN, which the calculator prints, and the percentages are
// 0.
type GPU struct {
	PeakPercent    float64
	AveragePercent float64 // from waves rounded to two decimals, so it can exceed the peak
	AverageExact   float64 // the same from unrounded waves
	Waves          float64 // rounded to two decimals
	FullWaves      float64
	TailPercent    float64 // last, partial wave; 0 if that wave is full
}

// LargeGRF returns the form's register file choice for a register count per
// thread: false for 128 and 0, true for 256. It returns an error for other
// numbers.
func LargeGRF(registers int) (bool, error) {
	if registers != 0 && registers != 128 && registers != 256 {
		return false, fmt.Errorf("%d: Intel's calculator accepts 128 and 256 (large GRF)", registers)
	}
	return registers == 256, nil
}
