package calculator

import (
	_ "embed"
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

// Builtin reads the embedded list, whose rows are held by a test. It parses at every call: keep the table.
func Builtin() (*Table, error) {
	t := &Table{byKey: make(map[string]int)}
	columns, _ := table.Columns[Device]()
	s, err := table.Parse("devices.csv", devicesCSV, table.Format{Columns: columns})
	if err == nil {
		t.devices, err = table.Convert(s, func(_ int, d *Device) (Device, error) { return *d, nil })
	}
	if err != nil {
		return nil, fmt.Errorf("embedded calculator devices: %w", err)
	}
	for i := range t.devices {
		d := &t.devices[i]
		d.XVEs = d.XVEChoices[0]
		t.byKey[strings.ToUpper(d.Key)] = i
	}
	for i, d := range t.devices {
		for _, id := range d.PCIIDs {
			key := "PCI:" + strings.ToUpper(id)
			if _, taken := t.byKey[key]; !taken {
				t.byKey[key] = i
			}
		}
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

func spaced(values []int) string { return strings.Trim(fmt.Sprint(values), "[]") }
