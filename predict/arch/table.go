package arch

import (
	"cmp"
	_ "embed" // the tables are data, not code
	"io"
	"os"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/table"
)

// devicesCSV has one row per GPU: its shape, its limits, and their sources.
//
//go:embed devices.csv
var devicesCSV string

// pciIDsCSV has, for each PCI ID, the possible devices and the driver's name.
//
//go:embed pci_ids.csv
var pciIDsCSV string

// familiesCSV contains names for several devices: code names, generations, and
// names that VTune prints.
//
//go:embed families.csv
var familiesCSV string

// targetsCSV contains the names that compilers use for devices.
//
//go:embed targets.csv
var targetsCSV string

// A Table contains devices and their names. Its lookups are safe for concurrent
// use, but adding a file is not.
type Table struct {
	devices  []Device
	ids      []idRow
	families []familyRow
	targets  []target

	place map[*Device]int    // position of a device in devices, because candidates are listed in the order of the table
	byKey map[string]*Device // by normalized key
	byID  map[string]*hit    // by PCI ID
	names map[string]*hit    // by normalized name
	short map[string]*hit    // by the name without the words that every GPU has
	codes map[string]*hit    // by normalized code names, which may have a suffix
}

// An idRow is a row in pci_ids.csv.
type idRow struct {
	ID      table.Name  `csv:"pci_id" table:"required"`
	Name    table.Name  `csv:"name"`
	Devices table.Words `csv:"device_keys" table:"required"`
}

// A familyRow is a row in families.csv. If a name has no default key, the XVE
// count is required. The default count is for a name that refers to a bin of a
// part.
type familyRow struct {
	Names   table.Names `csv:"names" table:"required"`
	Default table.Name  `csv:"default_key"`
	XVEs    table.Count `csv:"default_xves"`
	Devices table.Words `csv:"device_keys" table:"required"`
}

// Builtin returns the built-in table. Each call decodes the table, so callers
// should keep the result. To save time at every program start, only the tests
// check that the values are consistent.
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

// decode returns the rows in a built-in file.
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

// format returns the device file format. Lines that begin with # are comments.
func format[R any]() table.Format {
	f := table.Format{Code: "device-file", What: "device file", Strict: true, Comments: true}
	f.Columns, f.Required = table.Columns[R]()
	return f
}

// Devices returns the devices in the order of the table, with devices from
// files last. It excludes families whose Xe-core count is not public, because
// without an XVE count they do not describe a GPU. The caller may change the
// slice, but not the data that its devices refer to.
func (t *Table) Devices() []Device {
	return slices.DeleteFunc(t.All(), func(d Device) bool { return d.XeCores == 0 })
}

// All returns the devices, including families whose Xe-core count is not
// public.
func (t *Table) All() []Device { return slices.Clone(t.devices) }

// A hit is the entry of the table for a name, alias, or PCI ID.
type hit struct {
	devices []*Device
	// def is the device that is used if no XVE count is given. It is nil if
	// several shapes share the name and none is the usual one.
	def  *Device
	xves int // XVE count that the name itself implies; 0 for the count of the device
}

func (h *hit) add(devices ...*Device) {
	for _, d := range devices {
		if !slices.Contains(h.devices, d) {
			h.devices = append(h.devices, d)
		}
	}
}

// index builds the maps for Find.
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
	for _, x := range t.targets {
		for _, name := range append([]string{string(x.Compiler)}, x.Aliases...) {
			t.at(t.codes, squash(name)).add(t.keyed(x.Keys)...)
		}
	}
	for i := range t.devices {
		d := &t.devices[i]
		t.addName(d.Name, d)
		for _, a := range d.Aliases {
			t.addName(a, d)
		}
		for code := range strings.SplitSeq(d.Codename, "/") {
			// In "ARL-S/U", the part "U" is not a code name.
			if code, _, _ = strings.Cut(code, " "); len(code) >= 3 {
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

// keyed returns the devices with the given keys, in the same order.
func (t *Table) keyed(keys []string) []*Device {
	devices := make([]*Device, 0, len(keys))
	for _, k := range keys {
		if d := t.byKey[squash(k)]; d != nil {
			devices = append(devices, d)
		}
	}
	return devices
}

// at returns a map's entry. It creates the entry if it is missing.
func (t *Table) at(m map[string]*hit, key string) *hit {
	h := m[key]
	if h == nil {
		h = &hit{}
		m[key] = h
	}
	return h
}

// A target is a row in targets.csv: the compiler's name for the GPUs that share
// a device image.
type target struct {
	Compiler table.Name  `csv:"compiler" table:"required"`
	Aliases  table.Names `csv:"aliases"`
	Release  table.Name  `csv:"release" table:"required"` // architecture and release of the graphics IP
	Family   table.Count `csv:"family" table:"required"`
	Keys     table.Words `csv:"device_keys" table:"required"`
}

// is reports whether a target has the given graphics IP version. If the version
// is unknown, it compares the number of the product family.
func (x *target) is(family int, release string) bool {
	if release != "" {
		return string(x.Release) == release
	}
	return x.Family.Or(0) == family
}

// Compiled returns the devices on which a compiled kernel may run. The device
// with the most thread slots is first. It uses the graphics IP version if it is
// known, for example 12.60, and otherwise the driver's number of the product
// family. If neither is known, it returns no devices.
func (t *Table) Compiled(family int, release string) []*Device {
	var keys []string
	for _, x := range t.targets {
		if x.is(family, release) {
			keys = append(keys, x.Keys...)
		}
	}
	var list []*Device
	for i := range t.devices {
		if d := &t.devices[i]; slices.Contains(keys, d.Key) {
			list = append(list, d)
		}
	}
	slices.SortStableFunc(list, func(a, b *Device) int { return b.Slots() - a.Slots() })
	return list
}

// A CompilerTarget is a device name in the offline compiler ocloc, and the
// devices for which its binary is predicted.
type CompilerTarget struct {
	Name    string
	Devices []*Device
}

// CompilerTargets returns the compiler's names for the requested devices, each
// with the devices that it covers. If no devices are requested, it returns all
// names, each with the device that has the most thread slots. It omits devices
// without a compiler name.
func CompilerTargets(t *Table, asked []*Device) []CompilerTarget {
	var list []CompilerTarget
	for _, x := range t.targets {
		c := CompilerTarget{Name: string(x.Compiler)}
		if len(asked) == 0 {
			of := t.Compiled(x.Family.Or(0), string(x.Release))
			c.Devices = of[:min(1, len(of))]
		}
		for _, d := range asked {
			if t.hasTarget(d, x) {
				c.Devices = append(c.Devices, d)
			}
		}
		if len(c.Devices) > 0 {
			list = append(list, c)
		}
	}
	return list
}

// CompiledFor reports whether an image for a product family or graphics IP
// version runs on a device.
func (t *Table) CompiledFor(d *Device, family int, release string) bool {
	return slices.ContainsFunc(t.targets, func(x target) bool {
		return x.is(family, release) && t.hasTarget(d, x)
	})
}

// hasTarget reports whether a target belongs to a device. It compares the keys.
// If the device is not in the built-in list (a binned part, or a device from a
// file), it compares the code names.
func (t *Table) hasTarget(d *Device, x target) bool {
	listed := slices.ContainsFunc(t.targets, func(y target) bool { return slices.Contains(y.Keys, d.Key) })
	return slices.ContainsFunc(x.Keys, func(key string) bool {
		if listed {
			return key == d.Key
		}
		known := t.byKey[squash(key)]
		return known != nil && known.Codename == d.Codename
	})
}

// AddFile adds the devices of a file to the table, and returns notes; see
// addReader.
func (t *Table) AddFile(path string) ([]note.Note, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, note.Errorf("device-file", note.Pos{File: path}, "give the path of a CSV file of devices",
			"the device file cannot be opened: %v", note.Reason(err))
	}
	defer f.Close() // closing cannot lose data, because the file is opened only for reading
	return t.addReader(path, f)
}

// addReader adds the devices of a CSV table with the columns of devices.csv,
// which docs/devices.md describes. An entry replaces the built-in entry with
// the same key, and a note reports this. Entries in device files have priority
// over built-in entries with the same name or PCI ID, and their confidence is
// "user". If there are errors, it returns all of them with their positions, and
// the table does not change.
func (t *Table) addReader(name string, r io.Reader) ([]note.Note, error) {
	added, places, err := readDevices(name, r)
	if err != nil {
		return nil, err
	}
	devices := slices.Clone(t.devices)
	var notes []note.Note
	for i, d := range added {
		old, there := t.byKey[squash(d.Key)]
		if !there {
			devices = append(devices, d)
			continue
		}
		at := t.place[old]
		notes = append(notes, note.Newf(note.Info, "device-replaced", places[i], "",
			"the entry replaces device %s (%s)", devices[at].Key, devices[at].Name))
		devices[at] = d
	}
	t.devices = devices
	t.index()
	return notes, nil
}

// readDevices returns the checked devices of a device file, and the positions
// of their keys.
func readDevices(name string, r io.Reader) ([]Device, []note.Pos, error) {
	s, err := table.Load(name, r, format[deviceRow]())
	if err != nil {
		return nil, nil, err
	}
	if len(s.Records) == 0 {
		return nil, nil, note.Errorf("device-file", note.Pos{File: name}, "see docs/devices.md for an example",
			"the device file has no rows; expected a header and a row for each device")
	}
	places := make([]note.Pos, len(s.Records))
	lines := map[string]int{}
	devices, err := table.Convert(s, func(i int, r *deviceRow) (Device, error) {
		d, p := r.checked()
		places[i] = s.Pos(i, "key")
		if line, twice := lines[squash(d.Key)]; twice && p == nil {
			p = problemf("key", "a key names one device", "%s is already in line %d", quoted(d.Key), line)
		}
		lines[squash(d.Key)] = places[i].Line
		d.Confidence = confidenceUser
		d.Source = cmp.Or(d.Source, "device file "+name)
		return d, p.at(s, i)
	})
	return devices, places, err
}
