package calculator

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/table"
)

//go:embed devices.csv
var devicesCSV string

// Table is the calculator's list of devices. It is immutable and safe for use by several goroutines.
type Table struct {
	devices []Device       // in the order of the calculator's lists, each with its default XVE count
	byKey   map[string]int // upper-case key, and pci:ID for every id of a row
}

// Builtin reads the embedded list. It parses at every call, about a millisecond: keep the table.
func Builtin() (*Table, error) {
	t, err := readTable(devicesCSV)
	if err != nil {
		return nil, fmt.Errorf("embedded calculator devices: %w", err)
	}
	return t, nil
}

// Find gives the device of a key (`fam:gen12`, `pci:E20B`, `url:readme`; case does not matter) with one of the XVE
// counts that the calculator's form offers for it; 0 takes the first, its default. Any PCI id of a device finds it;
// an id that two devices claim finds the first, as in the calculator.
func (t *Table) Find(key string, xve int) (Device, error) {
	i, ok := t.byKey[strings.ToUpper(strings.TrimSpace(key))]
	if !ok {
		return Device{}, fmt.Errorf("calculator device %q is not known; "+
			"expected a family (%s), pci:ID as in pci:E20B, or %s", key, t.keysOf("fam:"), t.keysOf("url:"))
	}
	d := t.devices[i]
	if xve == 0 {
		return d, nil
	}
	if !slices.Contains(d.XVEChoices, xve) {
		return Device{}, fmt.Errorf("calculator device %q has no configuration with %d XVEs; it offers %s",
			d.Key, xve, spaced(d.XVEChoices))
	}
	d.XVEs = xve
	return d, nil
}

func (t *Table) keysOf(prefix string) string {
	var keys []string
	for _, d := range t.devices {
		if strings.HasPrefix(d.Key, prefix) {
			keys = append(keys, d.Key)
		}
	}
	return strings.Join(keys, ", ")
}

// row is a line of devices.csv.
type row struct {
	Key           table.Name   `csv:"key" table:"required"`
	Name          table.Name   `csv:"name" table:"required"`
	PCIIDs        table.Words  `csv:"pci_ids"`
	XVEChoices    table.Counts `csv:"xve_choices" table:"required"`
	XVEPerXeCore  table.Count  `csv:"xve_per_xe_core" table:"required"`
	ThreadsPerXVE table.Count  `csv:"threads_per_xve" table:"required"`
	Threads       table.Count  `csv:"threads_per_xe_core" table:"required"`
	LargeGRF      yesNo        `csv:"large_grf" table:"required"`
	SIMDWidths    table.Counts `csv:"simd_widths" table:"required"`
	SLMKB         table.Count  `csv:"slm_kb_per_xe_core" table:"required"`
	SLMKBPerGroup table.Count  `csv:"slm_kb_per_group_max" table:"required"`
	SLMStepsKB    table.Counts `csv:"slm_steps_kb" table:"required"`
	MaxGroupSize  table.Count  `csv:"max_group_size" table:"required"`
	GroupSlots    table.Count  `csv:"group_slots" table:"required"`
	BarrierSlots  table.Count  `csv:"barrier_slots" table:"required"`
	Source        table.Name   `csv:"source" table:"required"`
	Note          table.Name   `csv:"note"`
}

// readTable decodes a device list.
func readTable(text string) (*Table, error) {
	f := table.Format{Code: "device-file", What: "device file", Strict: true}
	f.Columns, f.Required = table.Columns[row]()
	s, err := table.Parse("devices.csv", text, f)
	if err != nil {
		return nil, err
	}
	t := &Table{byKey: make(map[string]int)}
	t.devices, err = table.Convert(s, func(i int, r *row) (Device, error) {
		d := r.device()
		if err := d.check(); err != nil {
			return d, fmt.Errorf("device %q: %w", d.Key, err)
		}
		if t.has(strings.ToUpper(d.Key)) {
			return d, fmt.Errorf("device %q occurs twice", d.Key)
		}
		t.byKey[strings.ToUpper(d.Key)] = i
		return d, nil
	})
	if err != nil {
		return nil, err
	}
	for i, d := range t.devices {
		for _, id := range d.PCIIDs {
			if key := "PCI:" + strings.ToUpper(id); !t.has(key) {
				t.byKey[key] = i
			}
		}
	}
	return t, nil
}

func (t *Table) has(key string) bool {
	_, ok := t.byKey[key]
	return ok
}

func (r *row) device() Device {
	return Device{
		Key: string(r.Key), Name: string(r.Name), PCIIDs: r.PCIIDs,
		XVEs: r.XVEChoices[0], XVEChoices: r.XVEChoices, XVEPerXeCore: r.XVEPerXeCore.Or(0),
		ThreadsPerXVE: r.ThreadsPerXVE.Or(0), Threads: r.Threads.Or(0),
		LargeGRF: bool(r.LargeGRF), SIMDWidths: r.SIMDWidths,
		SLMKB: r.SLMKB.Or(0), SLMKBPerGroup: r.SLMKBPerGroup.Or(0), SLMStepsKB: r.SLMStepsKB,
		MaxGroupSize: r.MaxGroupSize.Or(0), GroupSlots: r.GroupSlots.Or(0), BarrierSlots: r.BarrierSlots.Or(0),
		Note: string(r.Note),
	}
}

// check holds what every row must fulfil. That threads per Xe-core are XVEs x threads is not among it: the calculator
// has devices where they are not.
func (d *Device) check() error {
	switch {
	case d.XVEPerXeCore == 0 || d.Threads == 0 || d.MaxGroupSize == 0 || d.GroupSlots == 0:
		return errors.New("XVEs per Xe-core, threads, work-group size and work-group slots must be above 0")
	case !slices.IsSorted(d.SLMStepsKB) || d.SLMStepsKB[0] != 0:
		return fmt.Errorf("SLM steps %s must rise from 0", spaced(d.SLMStepsKB))
	case d.SLMStepsKB[len(d.SLMStepsKB)-1] != d.SLMKBPerGroup:
		return fmt.Errorf("the largest SLM step must be the maximum per work-group, %d KB", d.SLMKBPerGroup)
	}
	return nil
}

// yesNo is a cell that says yes or no.
type yesNo bool

// UnmarshalCSV implements gocsv.TypeUnmarshaller.
func (y *yesNo) UnmarshalCSV(cell string) error {
	if cell != "yes" && cell != "no" {
		return fmt.Errorf("%q is neither yes nor no", cell)
	}
	*y = cell == "yes"
	return nil
}

func spaced(values []int) string { return strings.Trim(fmt.Sprint(values), "[]") }
