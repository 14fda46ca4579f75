package calculator

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"occudiff/internal/testenv"
)

func TestBuiltinHasEveryConfiguration(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(table); n != 57 {
		t.Errorf("%d devices; expected 54 of the calculator and 3 constructed ones", n)
	}
	if n := len(table.Configurations()); n != 81 {
		t.Errorf("%d configurations; expected 81", n)
	}
	for _, d := range table.Configurations() {
		found, err := table.Find(d.Key, d.XVEs)
		if err != nil || found.XVEs != d.XVEs || found.Key != d.Key {
			t.Errorf("Find(%q, %d) = %s/%d, %v", d.Key, d.XVEs, found.Key, found.XVEs, err)
		}
	}
}

func TestBuiltinAgreesWithTheReferenceDevices(t *testing.T) {
	data, err := os.ReadFile(testenv.Shared(t, "golden", "devices.json"))
	if err != nil {
		t.Fatal(err)
	}
	var reference struct {
		Devices []struct {
			Key           string    `json:"key"`
			PCIIDs        []string  `json:"pci_ids"`
			XVEs          []int     `json:"xve_total_choices"`
			XeCores       []float64 `json:"xe_cores_choices"`
			XVEPerXeCore  int       `json:"xve_per_core"`
			ThreadsPerXVE int       `json:"threads_per_xve"`
			Threads       int       `json:"threads_per_core"`
			LargeGRF      bool      `json:"large_grf_offered"`
			SIMDWidths    []int     `json:"simd_widths"`
			SLMKB         int       `json:"slm_kb_per_core"`
			SLMKBPerGroup int       `json:"slm_kb_per_wg_max"`
			SLMStepsKB    []int     `json:"slm_alloc_steps_kb"`
			MaxGroupSize  int       `json:"max_wg_size"`
			GroupSlots    int       `json:"max_wgs_per_core"`
			BarrierSlots  int       `json:"barrier_slots_per_core"`
		} `json:"calculator_devices"`
	}
	if err := json.Unmarshal(data, &reference); err != nil {
		t.Fatal(err)
	}
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	devices := table
	if len(devices) != len(reference.Devices) {
		t.Fatalf("%d devices; the reference has %d", len(devices), len(reference.Devices))
	}
	for i, want := range reference.Devices {
		d := devices[i]
		same := d.Key == want.Key && slices.Equal(d.PCIIDs, want.PCIIDs) && slices.Equal(d.XVEChoices, want.XVEs) &&
			d.XVEPerXeCore == want.XVEPerXeCore && d.ThreadsPerXVE == want.ThreadsPerXVE && d.Threads == want.Threads &&
			d.LargeGRF == want.LargeGRF && slices.Equal(d.SIMDWidths, want.SIMDWidths) && d.SLMKB == want.SLMKB &&
			d.SLMKBPerGroup == want.SLMKBPerGroup && slices.Equal(d.SLMStepsKB, want.SLMStepsKB) &&
			d.MaxGroupSize == want.MaxGroupSize && d.GroupSlots == want.GroupSlots && d.BarrierSlots == want.BarrierSlots
		if !same {
			t.Errorf("device %s is %+v; the reference has %+v", d.Key, d, want)
		}
		for j, n := range d.XVEChoices {
			d.XVEs = n
			if d.XeCores() != want.XeCores[j] {
				t.Errorf("%s with %d XVEs has %v Xe-cores; the reference has %v", d.Key, n, d.XeCores(), want.XeCores[j])
			}
		}
	}
	t.Logf("calculator devices: %d compared", len(devices))
}

func TestFind(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key    string
		xve    int
		want   string // the found row's key
		xves   int
		reason string
	}{
		{"fam:gen12", 0, "fam:gen12", 96, "0 takes the form's default, the first choice"},
		{"fam:gen12", 24, "fam:gen12", 24, "a choice of the form"},
		{" FAM:Gen12 ", 96, "fam:gen12", 96, "case and spaces around do not matter"},
		{"pci:e20b", 160, "pci:E20B", 160, "nor does the case of an id"},
		{"pci:3E96", 0, "pci:3E91", 24, "any id of a row finds it"},
		{"pci:5917", 0, "pci:3E91", 24, "two rows claim 5917; the calculator takes the first"},
	} {
		d, err := table.Find(c.key, c.xve)
		if err != nil || d.Key != c.want || d.XVEs != c.xves {
			t.Errorf("Find(%q, %d) = %s/%d, %v; want %s/%d: %s", c.key, c.xve, d.Key, d.XVEs, err, c.want, c.xves, c.reason)
		}
	}
}

func TestFindErrorsListChoices(t *testing.T) {
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		key  string
		xve  int
		want string
	}{
		{"gen12", 0, `calculator device "gen12" is not known; expected a family (fam:xe2_hpg, fam:xe2_lpg, fam:xe_lpg, ` +
			`fam:xe_hpc_pvc, fam:xe_hp_ats, fam:xe_hpg_dg2_arc, fam:xe_dg1, fam:gen12, fam:gen11, fam:gen9), ` +
			`pci:ID as in pci:E20B, or url:readme, url:p630like, url:xe3like`},
		{"fam:gen12", 95, `calculator device "fam:gen12" has no configuration with 95 XVEs; it offers 96 48 32 24 16`},
	} {
		if _, err := table.Find(c.key, c.xve); err == nil || err.Error() != c.want {
			t.Errorf("Find(%q, %d):\n got %v\nwant %s", c.key, c.xve, err, c.want)
		}
	}
}

// TestEveryRowIsADevice checks that each cell is read as it is written, and
// that the numbers describe a GPU: gocsv would read invalid cells as 0. It does
// not check that threads per Xe-core equal XVEs x threads, because they differ
// for some of the calculator's devices.
func TestEveryRowIsADevice(t *testing.T) {
	cells, err := csv.NewReader(strings.NewReader(devicesCSV)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	table, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range table {
		row := reflect.ValueOf(d)
		for c, name := range cells[0] {
			if row.Type().Field(c).Tag.Get("csv") != name {
				t.Fatalf("column %d is %q, not that of field %s", c, name, row.Type().Field(c).Name)
			}
			cell, read := cells[i+1][c], strings.Trim(fmt.Sprint(row.Field(c)), "[]")
			if yes := map[string]string{"yes": "true", "no": "false"}[cell]; read != cell && read != yes ||
				cell == "" && name != "pci_ids" && name != "note" {
				t.Errorf("%s: column %s is %q and was read as %q", d.Key, name, cell, read)
			}
		}
		steps := d.SLMStepsKB
		if d.XVEPerXeCore == 0 || d.Threads == 0 || d.MaxGroupSize == 0 || d.GroupSlots == 0 || steps[0] != 0 ||
			!slices.IsSorted(steps) || steps[len(steps)-1] != d.SLMKBPerGroup ||
			slices.IndexFunc(table, func(o Device) bool { return strings.EqualFold(o.Key, d.Key) }) != i {
			t.Errorf("no device: %+v", d)
		}
	}
}
