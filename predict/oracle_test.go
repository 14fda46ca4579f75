package predict

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/predict/arch"
)

// golden returns an oracle's path, or skips the test if the folder is missing.
func golden(t *testing.T, name string) string {
	t.Helper()
	return testenv.Shared(t, "golden", name)
}

// A record is an oracle's row, by column name.
type record map[string]string

func (r record) int(t *testing.T, column string) int64 {
	t.Helper()
	v, err := strconv.ParseInt(r[column], 10, 64)
	if err != nil {
		t.Fatalf("column %s: %v", column, err)
	}
	return v
}

// number returns a cell's value, which may be empty.
func (r record) number(column string) (float64, bool) {
	v, err := strconv.ParseFloat(r[column], 64)
	return v, err == nil
}

func readOracle(t *testing.T, name string) []record {
	t.Helper()
	f, err := os.Open(golden(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var records []record
	for _, row := range rows[1:] {
		r := record{}
		for i, column := range rows[0] {
			r[column] = row[i]
		}
		records = append(records, r)
	}
	return records
}

// A calculatorDevice is a device in Intel's GPU Occupancy Calculator.
type calculatorDevice struct {
	Key            string    `json:"key"`
	XVEs           []int     `json:"xve_total_choices"`
	XeCores        []float64 `json:"xe_cores_choices"`
	XVEPerCore     int       `json:"xve_per_core"`
	ThreadsPerXVE  int       `json:"threads_per_xve"`
	ThreadsPerCore int       `json:"threads_per_core"`
	LargeGRF       bool      `json:"large_grf_offered"`
	SIMDWidths     []int     `json:"simd_widths"`
	SLMPerCore     int       `json:"slm_kb_per_core"`
	SLMPerGroup    int       `json:"slm_kb_per_wg_max"`
	SLMSteps       []int     `json:"slm_alloc_steps_kb"`
	MaxGroup       int       `json:"max_wg_size"`
	GroupSlots     int       `json:"max_wgs_per_core"`
	BarrierSlots   int       `json:"barrier_slots_per_core"`
}

// device returns a Device for the entry with an XVE count. why is not empty if
// the calculator's values describe an impossible device: a fraction of an
// Xe-core, or thread slots that are not XVEs times threads.
func (c calculatorDevice) device(xves int) (d *arch.Device, why string) {
	cores := 0.
	for i, n := range c.XVEs {
		if n == xves {
			cores = c.XeCores[i]
		}
	}
	d = &arch.Device{Key: c.Key, XeCores: int(cores), XVEPerXeCore: c.XVEPerCore, ThreadsPerXVE: c.ThreadsPerXVE,
		GRFModes:   []arch.GRFMode{{Registers: 128, ThreadsPerXVE: c.ThreadsPerXVE}, {Registers: 256, ThreadsPerXVE: c.ThreadsPerXVE / 2}},
		SIMDWidths: c.SIMDWidths, SLMPerXeCore: unit.Bytes(c.SLMPerCore) * kb, SLMPerGroupMax: unit.Bytes(c.SLMPerGroup) * kb,
		SLMSteps: kbSteps(c.SLMSteps...), MaxGroupSize: c.MaxGroup, GroupSlots: c.GroupSlots,
		BarrierSlots: []arch.SourcedCount{{Source: "calculator", Count: c.BarrierSlots}}}
	switch {
	case cores != float64(d.XeCores):
		return d, "a fraction of an Xe-core"
	case c.ThreadsPerCore != d.SlotsPerXeCore():
		return d, "thread slots that are not XVEs x threads"
	}
	return d, ""
}

func calculatorDevices(t *testing.T) map[string]calculatorDevice {
	t.Helper()
	text, err := os.ReadFile(golden(t, "devices.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Devices []calculatorDevice `json:"calculator_devices"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	devices := map[string]calculatorDevice{}
	for _, c := range file.Devices {
		devices[c.Key] = c
	}
	return devices
}
