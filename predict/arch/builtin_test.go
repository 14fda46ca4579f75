package arch

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
)

func builtin(t testing.TB) *Table {
	t.Helper()
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func device(t testing.TB, table *Table, key string) Device {
	t.Helper()
	for _, d := range table.All() {
		if d.Key == key {
			return d
		}
	}
	t.Fatalf("no device %s in the table", key)
	return Device{}
}

// added lists devices that the reference data lacks or contains with low
// confidence: a bin from a summary, a bin that several reports count, and
// devices that later sources confirm or that have no XVE count.
var added = []string{"mtl-112", "wcl", "b370", "max1450", "cri", "nvl-p", "nvl-s", "nvl-u"}

// asReference returns a device as the reference data has it, without three
// later decisions: an Xe-core's SLM is the maximum that the driver programs,
// Wildcat Lake is not a Panther Lake, and two IDs without a name are
// Battlemages.
func asReference(d Device) Device {
	for _, s := range d.SLMBySource {
		if s.Source == "calculator" && d.SLMPerXeCore < unit.Bytes(s.Count)<<10 {
			d.SLMPerXeCore = unit.Bytes(s.Count) << 10
		}
	}
	d.SLMBySource = nil
	d.PCIIDs = slices.DeleteFunc(slices.Clone(d.PCIIDs), func(id string) bool { return id == "B0B0" })
	if d.Architecture == "Xe3" { // the driver's list has modes that allow no more threads than the next mode
		d.GRFModes = slices.DeleteFunc(slices.Clone(d.GRFModes), func(m GRFMode) bool { return m.Registers < 96 })
	}
	if d.Key == "ptl-4" {
		d.Codename, d.PCIIDs = "PTL/WCL", append(slices.Clone(d.PCIIDs), "FD80", "FD81")
	}
	if d.Architecture == "Xe2-HPG" {
		d.PCIIDs = slices.DeleteFunc(slices.Clone(d.PCIIDs), func(id string) bool { return id == "E20D" || id == "E210" })
	}
	return d
}

// TestBuiltinIsConsistent makes the checks that Builtin skips at each start to
// save time.
func TestBuiltinIsConsistent(t *testing.T) {
	// readDevices includes the checks for a user's file and for repeated
	// values.
	devices, _, err := readDevices("devices.csv", strings.NewReader(devicesCSV))
	if err != nil {
		t.Fatal(err)
	}
	if len(devices) != 79 {
		t.Errorf("%d devices, want 79: 71 of the reference data and %v", len(devices), added)
	}
	for _, d := range builtin(t).Devices() {
		if d.Confidence != "high" && d.Confidence != "medium" && !slices.Contains([]string{"max1450", "cri", "nvl-p"}, d.Key) {
			t.Errorf("%s: confidence %q, want high or medium", d.Key, d.Confidence)
		}
		if d.Source == "" || d.Architecture == "" || d.Codename == "" {
			t.Errorf("%s: source %q, architecture %q and code name %q must not be empty", d.Key, d.Source, d.Architecture, d.Codename)
		}
		if len(d.PCIIDs) == 0 {
			t.Errorf("%s: no PCI id", d.Key)
		}
		if s := strings.Join(d.Aliases, ";"); strings.Contains(s, "(R)") || strings.Contains(s, "(TM)") {
			t.Errorf("%s: aliases %q contain a trademark sign", d.Key, s)
		}
		if first := d.BarrierSlots[0].Source; first != "calculator" && first != "neo" {
			t.Errorf("%s: default barrier slots come from %s, want calculator or neo", d.Key, first)
		}
	}
}

func TestEveryKeyOfTheOtherTablesExists(t *testing.T) {
	table := builtin(t)
	for i, row := range table.ids {
		if !isPCIID(string(row.ID)) {
			t.Errorf("pci_ids.csv: %q is not a PCI id", row.ID)
		}
		if i > 0 && row.ID <= table.ids[i-1].ID {
			t.Errorf("pci_ids.csv: %s follows %s; ids rise, each once", row.ID, table.ids[i-1].ID)
		}
		for _, key := range row.Devices {
			if d := device(t, table, key); !slices.Contains(d.PCIIDs, string(row.ID)) {
				t.Errorf("pci_ids.csv has %s for %s, but devices.csv does not", row.ID, key)
			}
		}
	}
	for _, d := range table.All() {
		for _, id := range d.PCIIDs {
			if !slices.ContainsFunc(table.ids, func(r idRow) bool { return string(r.ID) == id && slices.Contains(r.Devices, d.Key) }) {
				t.Errorf("devices.csv has %s for %s, but pci_ids.csv does not", id, d.Key)
			}
		}
	}
	for _, row := range table.families {
		for _, key := range row.Devices {
			device(t, table, key)
		}
		if row.Default != "" && !slices.Contains(row.Devices, string(row.Default)) {
			t.Errorf("families.csv: the default %s of %q is not one of its devices", row.Default, row.Names)
		}
	}
}

// TestArchitectureRows compares three GPUs with the published rows in the
// oneAPI guides.
func TestArchitectureRows(t *testing.T) {
	type shape struct{ ThreadsPerXVE, XVEPerXeCore, SlotsPerXeCore, XeCores, XVEs, Slots, SIMD8Lanes, MaxGroup int }
	for key, want := range map[string]shape{
		"uhd-p630": {7, 8, 56, 3, 24, 168, 1344, 256},
		"icl-g7":   {7, 8, 56, 8, 64, 448, 3584, 256},
		"tgl-96":   {7, 16, 112, 6, 96, 672, 5376, 512},
		"mtl-112":  {8, 16, 128, 7, 112, 896, 7168, 1024}, // 896 slots: a VTune summary lists 112 XVE x 8 threads
		"b390":     {10, 8, 80, 12, 96, 960, 7680, 1024},  // Xe3: ten threads if a kernel has 96 registers
	} {
		d := device(t, builtin(t), key)
		got := shape{d.ThreadsPerXVE, d.XVEPerXeCore, d.SlotsPerXeCore(), d.XeCores, d.XVEs(), d.Slots(), d.Slots() * 8, d.MaxGroupSize}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-published +table):\n%s", key, diff)
		}
	}
}

// golden is a device of the reference data.
type golden struct {
	Key, Name, Architecture, Codename, Confidence, Notes string
	Aliases, Source                                      []string
	Tiles                                                int
	XeCores                                              int            `json:"xe_cores"`
	XVEPerCore                                           int            `json:"xve_per_core"`
	XVETotal                                             int            `json:"xve_total"`
	ThreadsByGRF                                         map[int]int    `json:"threads_per_xve_by_grf"`
	ThreadsPerCore                                       int            `json:"threads_per_core"`
	ThreadsTotal                                         int            `json:"threads_total"`
	RegisterBytes                                        int            `json:"register_bytes"`
	SIMDWidths                                           []int          `json:"simd_widths"`
	SLMKB                                                int            `json:"slm_kb_per_core"`
	SLMKBPerGroup                                        int            `json:"slm_kb_per_wg_max"`
	SLMSteps                                             []int          `json:"slm_alloc_steps_kb"`
	MaxGroup                                             int            `json:"max_wg_size"`
	MaxGroups                                            int            `json:"max_wgs_per_core"`
	Barriers                                             map[string]int `json:"barrier_slots_per_core"`
	Extra                                                map[string]any `json:"extra_wg_limits"`
	PCIIDs                                               []string       `json:"pci_ids"`
}

type goldenID struct {
	ID      string   `json:"pci_id"`
	Name    *string  `json:"name"`
	Devices []string `json:"device_keys"`
}

func readGolden(t *testing.T) (devices []golden, ids []goldenID, ambiguous []string) {
	t.Helper()
	path := testenv.Shared(t, "golden", "devices.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Matching struct {
			Ambiguous []string `json:"ambiguous_names"`
		} `json:"name_matching"`
		Devices []json.RawMessage
		IDs     []goldenID `json:"pci_ids"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, raw := range file.Devices {
		var g golden
		var low struct{ Confidence string }
		if err := json.Unmarshal(raw, &low); err != nil {
			t.Fatal(err)
		}
		if low.Confidence == "low" { // devices that are not in the table, and have empty values
			continue
		}
		if err := json.Unmarshal(raw, &g); err != nil {
			t.Fatal(err)
		}
		devices = append(devices, g)
	}
	return devices, file.IDs, file.Matching.Ambiguous
}

// trademarks removes the trademark signs, which the aliases of the table do not
// have.
var trademarks = strings.NewReplacer("(R)", "", "(TM)", "")

func (g *golden) device() Device {
	d := Device{
		Key: g.Key, Name: g.Name, Architecture: g.Architecture, Codename: g.Codename, Tiles: g.Tiles,
		XeCores: g.XeCores, XVEPerXeCore: g.XVEPerCore, RegisterBytes: g.RegisterBytes, SIMDWidths: g.SIMDWidths,
		SLMPerXeCore: unit.Bytes(g.SLMKB * 1024), SLMPerGroupMax: unit.Bytes(g.SLMKBPerGroup * 1024),
		MaxGroupSize: g.MaxGroup, GroupSlots: g.MaxGroups, PCIIDs: g.PCIIDs,
		Confidence: g.Confidence, Source: strings.Join(g.Source, "; "), Notes: g.Notes,
	}
	for _, a := range g.Aliases {
		if a = trademarks.Replace(a); !slices.Contains(d.Aliases, a) {
			d.Aliases = append(d.Aliases, a)
		}
	}
	for _, kb := range g.SLMSteps {
		d.SLMSteps = append(d.SLMSteps, unit.Bytes(kb*1024))
	}
	for registers, threads := range g.ThreadsByGRF {
		d.GRFModes = append(d.GRFModes, GRFMode{registers, threads})
		d.ThreadsPerXVE = max(d.ThreadsPerXVE, threads)
	}
	slices.SortFunc(d.GRFModes, func(a, b GRFMode) int { return a.Registers - b.Registers })
	return d
}

// TestTableAgreesWithTheReference compares each field of the table with the
// reference data.
func TestTableAgreesWithTheReference(t *testing.T) {
	devices, ids, _ := readGolden(t)
	table := builtin(t)
	extra := extraCells(t)
	for _, g := range devices {
		got, want := device(t, table, g.Key), g.device()
		if got.XVEs() != g.XVETotal || got.SlotsPerXeCore() != g.ThreadsPerCore || got.Slots() != g.ThreadsTotal {
			t.Errorf("%s: %d XVE, %d slots per Xe-core, %d slots; want %d, %d, %d", g.Key,
				got.XVEs(), got.SlotsPerXeCore(), got.Slots(), g.XVETotal, g.ThreadsPerCore, g.ThreadsTotal)
		}
		if first, ok := g.Barriers["calculator"]; ok && got.BarrierSlots[0] != (SourcedCount{"calculator", first}) {
			t.Errorf("%s: default barrier slots %v, want the calculator's %d", g.Key, got.BarrierSlots[0], first)
		}
		barriers := map[string]int{}
		for _, b := range got.BarrierSlots {
			barriers[b.Source] = b.Count
		}
		if diff := cmp.Diff(g.Barriers, barriers); diff != "" {
			t.Errorf("%s, barrier slots (-reference +table):\n%s", g.Key, diff)
		}
		cells := slices.Sorted(strings.FieldsSeq(extra[g.Key]))
		if i := slices.Index(cells, "max_threads_per_wg.other=64"); got.Architecture == "Xe3" && i >= 0 {
			// The driver applies the limit for 128 registers to all smaller
			// modes, which the reference does not list.
			cells[i] = "max_threads_per_wg.grf128_simd16=64"
			slices.Sort(cells)
		}
		if len(g.Extra) > 0 {
			if diff := cmp.Diff(flat(g.Extra), cells); diff != "" {
				t.Errorf("%s, extra limits (-reference +table):\n%s", g.Key, diff)
			}
		}
		if (got.GroupLimits == nil) != (extra[g.Key] == "") {
			t.Errorf("%s: limits %v of %q", g.Key, got.GroupLimits, extra[g.Key])
		}
		got = asReference(got)
		got.BarrierSlots, got.DispatchPorts, got.GroupLimits, got.Clock, got.Memory = nil, nil, nil, Clock{}, nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-reference +table):\n%s", g.Key, diff)
		}
	}
	for _, d := range table.Devices() {
		if !slices.Contains(added, d.Key) && !slices.ContainsFunc(devices, func(g golden) bool { return g.Key == d.Key }) {
			t.Errorf("%s is not in the reference data", d.Key)
		}
	}
	comparePCI(t, table, ids)
}

// extraCells returns the additional limits of the driver from the file device
// notation.csv, by key.
func extraCells(t *testing.T) map[string]string {
	r := csv.NewReader(strings.NewReader(devicesCSV))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := slices.Index(rows[0], "work_group_extra_limits")
	cells := map[string]string{}
	for _, row := range rows[1:] {
		cells[row[0]] = row[column]
	}
	return cells
}

// flat returns nested limits in the table's notation, sorted.
func flat(limits map[string]any) []string {
	var out []string
	for name, v := range limits {
		if inner, ok := v.(map[string]any); ok {
			for _, pair := range flat(inner) {
				out = append(out, name+"."+pair)
			}
			continue
		}
		text, _ := json.Marshal(v)
		out = append(out, name+"="+string(text))
	}
	slices.Sort(out)
	return out
}

// comparePCI compares the PCI IDs of the devices in the table with the
// reference.
func comparePCI(t *testing.T, table *Table, ids []goldenID) {
	rows := map[string]idRow{}
	for _, row := range table.ids {
		rows[string(row.ID)] = row
	}
	for _, g := range ids {
		if g.ID == "FD80" || g.ID == "FD81" {
			g.Devices = []string{"wcl"}
		}
		if g.ID == "E20D" || g.ID == "E210" {
			g.Devices = []string{"b580", "b570", "b50"}
		}
		keys := slices.DeleteFunc(slices.Clone(g.Devices), func(k string) bool {
			return !slices.ContainsFunc(table.devices, func(d Device) bool { return d.Key == k })
		})
		row, there := rows[g.ID]
		delete(rows, g.ID)
		if there && len(g.Devices) == 0 { // no device, because the reference has no Xe-core count
			continue
		}
		if there != (len(keys) > 0) {
			t.Errorf("PCI id %s of %v: in the table %v", g.ID, g.Devices, there)
			continue
		}
		var name string
		if g.Name != nil {
			name = *g.Name
		}
		own := slices.DeleteFunc(slices.Clone(row.Devices), func(k string) bool { return k == "mtl-112" })
		if there && (string(row.Name) != name || !slices.Equal([]string(own), keys)) {
			t.Errorf("PCI id %s is %q %v, want %q %v", g.ID, row.Name, row.Devices, name, keys)
		}
	}
	for id := range rows {
		t.Errorf("PCI id %s is not in the reference data", id)
	}
}

func TestDevicesAreACopy(t *testing.T) {
	table := builtin(t)
	table.Devices()[0].Key = "changed"
	if got := table.Devices()[0].Key; got != "skl-gt1" {
		t.Errorf("the caller changed the table: first key is %q", got)
	}
}
