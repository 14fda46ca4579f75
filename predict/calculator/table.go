package calculator

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gocarina/gocsv"
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

// Find gives the device of a key (`fam:gen12`, `pci:E20B`, `url:readme`; case does not matter) with one of the XVE counts
// that the calculator's form offers for it; 0 takes the first, its default. Any PCI id of a device finds it; an id that two
// devices claim finds the first, as in the calculator.
func (t *Table) Find(key string, xve int) (Device, error) {
	i, ok := t.byKey[strings.ToUpper(strings.TrimSpace(key))]
	if !ok {
		return Device{}, fmt.Errorf("calculator device %q is not known; expected a family (%s), pci:ID as in pci:E20B, or %s",
			key, t.keysOf("fam:"), t.keysOf("url:"))
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

// row is a line of devices.csv. Its fields have types of our own because gocsv reads an empty cell as 0.
type row struct {
	Key           text   `csv:"key"`
	Name          text   `csv:"name"`
	PCIIDs        words  `csv:"pci_ids"`
	XVEChoices    counts `csv:"xve_choices"`
	XVEPerXeCore  count  `csv:"xve_per_xe_core"`
	ThreadsPerXVE count  `csv:"threads_per_xve"`
	Threads       count  `csv:"threads_per_xe_core"`
	LargeGRF      yesNo  `csv:"large_grf"`
	SIMDWidths    counts `csv:"simd_widths"`
	SLMKB         count  `csv:"slm_kb_per_xe_core"`
	SLMKBPerGroup count  `csv:"slm_kb_per_group_max"`
	SLMStepsKB    counts `csv:"slm_steps_kb"`
	MaxGroupSize  count  `csv:"max_group_size"`
	GroupSlots    count  `csv:"group_slots"`
	BarrierSlots  count  `csv:"barrier_slots"`
	Source        text   `csv:"source"`
	Note          string `csv:"note"`
}

const header = "key,name,pci_ids,xve_choices,xve_per_xe_core,threads_per_xve,threads_per_xe_core,large_grf,simd_widths," +
	"slm_kb_per_xe_core,slm_kb_per_group_max,slm_steps_kb,max_group_size,group_slots,barrier_slots,source,note"

// readTable decodes a device list. The header must be exactly the known one: gocsv takes a missing column for zeros.
func readTable(data string) (*Table, error) {
	first, _, _ := strings.Cut(data, "\n")
	if first != header {
		return nil, fmt.Errorf("header is %q; expected %q", first, header)
	}
	var rows []row
	if err := gocsv.UnmarshalCSV(csv.NewReader(strings.NewReader(data)), &rows); err != nil {
		return nil, err
	}
	t := &Table{byKey: make(map[string]int)}
	for _, r := range rows {
		d := r.device()
		if err := d.check(); err != nil {
			return nil, fmt.Errorf("device %q: %w", d.Key, err)
		}
		if _, twice := t.byKey[strings.ToUpper(d.Key)]; twice {
			return nil, fmt.Errorf("device %q occurs twice", d.Key)
		}
		t.devices = append(t.devices, d)
		t.byKey[strings.ToUpper(d.Key)] = len(t.devices) - 1
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
		XVEs: r.XVEChoices[0], XVEChoices: r.XVEChoices, XVEPerXeCore: int(r.XVEPerXeCore),
		ThreadsPerXVE: int(r.ThreadsPerXVE), Threads: int(r.Threads),
		LargeGRF: bool(r.LargeGRF), SIMDWidths: r.SIMDWidths,
		SLMKB: int(r.SLMKB), SLMKBPerGroup: int(r.SLMKBPerGroup), SLMStepsKB: r.SLMStepsKB,
		MaxGroupSize: int(r.MaxGroupSize), GroupSlots: int(r.GroupSlots), BarrierSlots: int(r.BarrierSlots),
		Source: string(r.Source), Note: r.Note,
	}
}

// check holds what every row must fulfil. That threads per Xe-core are XVEs x threads is not among it: the calculator has
// devices where they are not.
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

type (
	text   string
	words  []string
	count  int
	counts []int
	yesNo  bool
)

// UnmarshalCSV implements gocsv's interface for a text that must be there.
func (t *text) UnmarshalCSV(cell string) error {
	if cell == "" {
		return errors.New("the cell is empty; a text is expected")
	}
	*t = text(cell)
	return nil
}

// UnmarshalCSV implements gocsv's interface for words with spaces between them; an empty cell is none.
func (w *words) UnmarshalCSV(cell string) error {
	*w = strings.Fields(cell)
	return nil
}

// UnmarshalCSV implements gocsv's interface for a whole number from 0.
func (c *count) UnmarshalCSV(cell string) error {
	v, err := strconv.ParseUint(cell, 10, 31)
	if err != nil {
		return fmt.Errorf("%q is not a whole number from 0", cell)
	}
	*c = count(v)
	return nil
}

// UnmarshalCSV implements gocsv's interface for one or more whole numbers with spaces between them.
func (c *counts) UnmarshalCSV(cell string) error {
	for _, word := range strings.Fields(cell) {
		var v count
		if err := v.UnmarshalCSV(word); err != nil {
			return err
		}
		*c = append(*c, int(v))
	}
	if len(*c) == 0 {
		return errors.New("the cell is empty; whole numbers with spaces between them are expected")
	}
	return nil
}

// UnmarshalCSV implements gocsv's interface for yes or no.
func (y *yesNo) UnmarshalCSV(cell string) error {
	if cell != "yes" && cell != "no" {
		return fmt.Errorf("%q is neither yes nor no", cell)
	}
	*y = cell == "yes"
	return nil
}

func spaced(values []int) string { return strings.Trim(fmt.Sprint(values), "[]") }
