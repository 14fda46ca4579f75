package arch

import (
	_ "embed" // the tables are data, not code
	"slices"
	"strings"

	"occudiff/ingest/table"
)

// devicesCSV has a row for each GPU: its shape, its limits, where they are from.
//
//go:embed devices.csv
var devicesCSV string

// pciIDsCSV names the devices that a PCI id may be, and what the driver calls it.
//
//go:embed pci_ids.csv
var pciIDsCSV string

// familiesCSV names what stands for several devices: code names, generations, names that VTune prints.
//
//go:embed families.csv
var familiesCSV string

// targetsCSV names what compilers call them.
//
//go:embed targets.csv
var targetsCSV string

// Table is a set of devices and the names they answer to. Looking up is safe from several goroutines, adding a file
// is not.
type Table struct {
	devices  []Device
	ids      []idRow
	families []familyRow
	targets  []target

	place map[*Device]int    // position in devices: candidates are listed in the order of the table
	byKey map[string]*Device // squashed key
	byID  map[string]*hit    // PCI id
	names map[string]*hit    // squashed name
	short map[string]*hit    // names without the words that every GPU has
	codes map[string]*hit    // squashed code names: names that may carry a suffix
	fresh []hit              // entries to hand out: one allocation for many
}

// idRow is a row of pci_ids.csv.
type idRow struct {
	ID      table.Name  `csv:"pci_id" table:"required"`
	Name    table.Name  `csv:"name"`
	Devices table.Words `csv:"device_keys" table:"required"`
}

// familyRow is a row of families.csv. Without a default key the XVE count has to decide; the default count is for a
// name that means a bin of a part.
type familyRow struct {
	Names   table.Names `csv:"names" table:"required"`
	Default table.Name  `csv:"default_key"`
	XVEs    table.Count `csv:"default_xves"`
	Devices table.Words `csv:"device_keys" table:"required"`
}

// Builtin decodes the built-in table. It does so at each call: keep the result. That its figures agree with each
// other is left to the tests, to spare every start of the program.
func Builtin() (t *Table, err error) {
	t = &Table{}
	if t.devices, err = decode("devices.csv", devicesCSV, (*deviceRow).device); err != nil {
		return nil, err
	}
	if t.ids, err = decode("pci_ids.csv", pciIDsCSV, itself[idRow]); err != nil {
		return nil, err
	}
	if t.families, err = decode("families.csv", familiesCSV, itself[familyRow]); err != nil {
		return nil, err
	}
	if t.targets, err = decode("targets.csv", targetsCSV, itself[target]); err != nil {
		return nil, err
	}
	t.index()
	return t, nil
}

// decode reads a built-in file.
func decode[R, V any](file, text string, convert func(*R) (V, *problem)) ([]V, error) {
	s, err := table.Parse(file, text, format[R]())
	if err != nil {
		return nil, err
	}
	return table.Convert(s, func(i int, r *R) (V, error) {
		v, p := convert(r)
		return v, p.at(s, i)
	})
}

func itself[R any](r *R) (R, *problem) { return *r, nil }

// format is how files of devices are read. Lines that begin with # are comments in them.
func format[R any]() table.Format {
	f := table.Format{Code: "device-file", What: "device file", Strict: true, Comments: true, Nearest: didYouMean}
	f.Columns, f.Required = table.Columns[R]()
	return f
}

// Devices lists the devices in the order of the table, those of device files last. Families whose Xe-core count is not
// public are left out: they are no GPU until an XVE count says which. The slice is the caller's, what its devices point
// to is not.
func (t *Table) Devices() []Device {
	return slices.DeleteFunc(t.All(), func(d Device) bool { return d.XeCores == 0 })
}

// All is Devices with the families whose Xe-core count is not public.
func (t *Table) All() []Device { return slices.Clone(t.devices) }

// hit is what a name, alias or PCI id stands for.
type hit struct {
	devices []*Device
	def     *Device // taken when no XVE count is given; nil when several shapes share the name, none being usual
	xves    int     // XVE count that the name itself means; 0 for the device's own
	one     [1]*Device
}

func (h *hit) add(devices ...*Device) {
	for _, d := range devices {
		switch {
		case h.devices == nil: // most names mean one device: it lies in the entry itself
			h.one[0] = d
			h.devices = h.one[:]
		case !slices.Contains(h.devices, d):
			h.devices = append(h.devices, d)
		}
	}
}

// index builds the maps that Find looks into.
func (t *Table) index() {
	t.byKey = make(map[string]*Device, len(t.devices))
	t.byID = make(map[string]*hit, len(t.ids))
	t.names = make(map[string]*hit, 4*len(t.devices))
	t.short = make(map[string]*hit, 4*len(t.devices))
	t.codes = make(map[string]*hit, 2*len(t.devices))
	t.place = make(map[*Device]int, len(t.devices))
	for i := range t.devices {
		t.place[&t.devices[i]] = i
		t.byKey[squash(t.devices[i].Key)] = &t.devices[i]
	}
	t.indexFamilies()
	for i := range t.devices {
		d := &t.devices[i]
		t.addName(d.Name, d)
		for _, a := range d.Aliases {
			t.addName(a, d)
		}
		for code := range strings.SplitSeq(d.Codename, "/") {
			if code, _, _ = strings.Cut(code, " "); len(code) >= 3 { // "ARL-S/U" leaves a "U" that names nothing
				t.at(t.codes, squash(code)).add(d)
			}
		}
		for _, id := range d.PCIIDs {
			t.at(t.byID, id).add(d)
		}
	}
	for i := range t.ids {
		row := &t.ids[i]
		devices := t.keyed(row.Devices)
		t.at(t.byID, string(row.ID)).add(devices...)
		if row.Name != "" {
			t.addName(string(row.Name), devices...)
		}
	}
}

func (t *Table) indexFamilies() {
	for _, row := range t.families {
		devices := t.keyed(row.Devices)
		for _, name := range row.Names {
			h := t.at(t.codes, squash(name))
			h.add(devices...)
			h.def, h.xves = t.byKey[squash(string(row.Default))], row.XVEs.Or(0)
		}
	}
}

func (t *Table) addName(name string, devices ...*Device) {
	full := squash(name)
	t.at(t.names, full).add(devices...)
	s := shorten(full)
	if s == "" {
		return
	}
	t.at(t.short, s).add(devices...)
	if brief := shortest(s); brief != s && brief != "" {
		t.at(t.short, brief).add(devices...)
	}
}

// keyed gives the devices of the keys, in their order.
func (t *Table) keyed(keys []string) []*Device {
	devices := make([]*Device, 0, len(keys))
	for _, k := range keys {
		if d := t.byKey[squash(k)]; d != nil {
			devices = append(devices, d)
		}
	}
	return devices
}

// at gives the entry of a map, made when it is not there yet.
func (t *Table) at(m map[string]*hit, key string) *hit {
	h := m[key]
	if h == nil {
		if len(t.fresh) == 0 {
			t.fresh = make([]hit, 256)
		}
		h, t.fresh = &t.fresh[0], t.fresh[1:]
		m[key] = h
	}
	return h
}
