package launchdoc

import (
	"fmt"

	"occudiff/report"

	"occudiff/predict/arch"
)

// FromDevices builds the document that lists devices.
func FromDevices(devices []arch.Device, version string) *report.Document {
	columns := []report.Column{
		{Key: "key", Title: "Key", Kind: report.Text, In: report.Terminal | report.Page | report.Sheet},
		{Key: "name", Title: "Name", Kind: report.Text, In: report.Terminal | report.Page | report.Sheet, Cut: true},
		{Key: "architecture", Title: "Architecture", Brief: "Arch", Kind: report.Text, In: report.Terminal | report.Page | report.Sheet, Drop: 3},
		{Key: "xe_cores", Title: "Xe-cores", Kind: report.Integer, In: report.Terminal | report.Page | report.Sheet},
		{Key: "xves", Title: "XVEs", Kind: report.Integer, In: report.Terminal | report.Page | report.Sheet},
		{Key: "threads_per_xve", Title: "Threads per XVE", Brief: "Threads/XVE", Kind: report.Integer, In: report.Terminal | report.Page | report.Sheet, Drop: 4},
		{Key: "thread_slots", Title: "Thread slots", Kind: report.Integer, In: report.Terminal | report.Page | report.Sheet},
		{Key: "simd_widths", Title: "SIMD", Kind: report.Text, In: report.Terminal | report.Page | report.Sheet, Drop: 1},
		{Key: "max_group_size", Title: "Largest work-group", Brief: "Work-group", Kind: report.Integer, In: report.Terminal | report.Page | report.Sheet, Drop: 5},
		{Key: "slm_kb", Title: "SLM per Xe-core", Unit: "KB", Brief: "SLM [KB]", Kind: report.Integer, In: report.Terminal | report.Page | report.Sheet, Drop: 6},
		{Key: "confidence", Title: "Confidence", Kind: report.Text, In: report.Terminal | report.Page | report.Sheet, Drop: 2},
		{Key: "source", Title: "Source", Kind: report.Text, In: report.Page | report.Sheet},
	}
	t := report.Fixed("devices", "", columns, nil)
	t.In |= report.Terminal
	t.Len, t.Main = len(devices), len(devices)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		d := &devices[i]
		return append(dst, report.TextCell(d.Key), report.TextCell(d.Name), report.TextCell(d.Architecture), report.IntCell(d.XeCores), report.IntCell(d.XVEs()),
			report.IntCell(d.ThreadsPerXVE), report.IntCell(d.Slots()), report.TextCell(report.Numbers(d.SIMDWidths)), report.IntCell(d.MaxGroupSize),
			report.IntCell(int64(d.SLMPerXeCore>>10)), report.TextCell(d.Confidence), report.TextCell(d.Source))
	}
	return &report.Document{Whole: true, Title: "Devices", Version: version, Headline: []string{fmt.Sprintf("%s; occudiff devices KEY shows one with its sources", report.Counted(len(devices), "device", "devices"))},
		Sections: []report.Section{{Key: "devices", Title: "Devices", Tables: []*report.Table{t}}}}
}

// FromDevice builds the document of one device: every figure that the model takes from it, with its source.
func FromDevice(d *arch.Device, version string) *report.Document {
	t := report.NameValue("device", "", report.DeviceRows(d, ""))
	t.In |= report.Terminal
	for i := range t.Columns {
		t.Columns[i].In |= report.Terminal
	}
	return &report.Document{Whole: true, Uncut: true, Title: d.Name, Version: version, Headline: []string{fmt.Sprintf("%s (%s)", d.Name, d.Key)},
		Sections: []report.Section{{Key: report.SectionDevice, Title: "Device", Tables: []*report.Table{t}}}}
}

// DevicesJSON is the value of the output of `devices`, schema occudiff/devices/1.
type DevicesJSON struct {
	Schema  string       `json:"schema"`
	Devices []DeviceJSON `json:"devices"`
}

// DeviceJSON is one device; memory in bytes, counts per what the name says.
type DeviceJSON struct {
	Key            string        `json:"key"`
	Name           string        `json:"name"`
	Aliases        []string      `json:"aliases"`
	Architecture   string        `json:"architecture"`
	Codename       string        `json:"codename"`
	Stacks         int           `json:"stacks"`
	XeCores        int           `json:"xe_cores"`
	XVEPerXeCore   int           `json:"xve_per_xe_core"`
	XVEs           int           `json:"xves"`
	ThreadsPerXVE  int           `json:"threads_per_xve"`
	ThreadSlots    int           `json:"thread_slots"`
	GRFModes       []GRFModeJSON `json:"grf_modes"`
	SIMDWidths     []int         `json:"simd_widths"`
	SLMPerXeCore   int64         `json:"slm_bytes_per_xe_core"`
	SLMPerGroupMax int64         `json:"slm_bytes_per_work_group_max"`
	SLMSteps       []int64       `json:"slm_steps_bytes" jsonschema:"SLM per work-group is rounded up to one of these"`
	MaxGroupSize   int           `json:"work_group_max_items"`
	GroupSlots     int           `json:"work_group_slots_per_xe_core"`
	BarrierSlots   []SourcedJSON `json:"barrier_slots_per_xe_core" jsonschema:"sources disagree; the first is the default"`
	PCIIDs         []string      `json:"pci_ids"`
	Confidence     string        `json:"confidence"`
	Source         string        `json:"source"`
	Notes          *string       `json:"notes"`
}

// GRFModeJSON is one register-file mode.
type GRFModeJSON struct {
	Registers     int `json:"registers_per_thread"`
	ThreadsPerXVE int `json:"threads_per_xve"`
}

// SourcedJSON is a figure for which sources disagree; the first is the default.
type SourcedJSON struct {
	Source string `json:"source" jsonschema:"who says so"`
	Count  int    `json:"count"`
}

// DevicesValue gives the typed value of `devices --format json`.
func DevicesValue(devices []arch.Device) DevicesJSON {
	v := DevicesJSON{Schema: "occudiff/devices/1", Devices: []DeviceJSON{}}
	for i := range devices {
		d := &devices[i]
		j := DeviceJSON{Key: d.Key, Name: d.Name, Aliases: append([]string{}, d.Aliases...), Architecture: d.Architecture, Codename: d.Codename,
			Stacks: d.Tiles, XeCores: d.XeCores, XVEPerXeCore: d.XVEPerXeCore, XVEs: d.XVEs(), ThreadsPerXVE: d.ThreadsPerXVE, ThreadSlots: d.Slots(),
			GRFModes: []GRFModeJSON{}, SIMDWidths: append([]int{}, d.SIMDWidths...), SLMPerXeCore: int64(d.SLMPerXeCore),
			SLMPerGroupMax: int64(d.SLMPerGroupMax), SLMSteps: []int64{}, MaxGroupSize: d.MaxGroupSize, GroupSlots: d.GroupSlots,
			BarrierSlots: []SourcedJSON{}, PCIIDs: append([]string{}, d.PCIIDs...), Confidence: d.Confidence, Source: d.Source, Notes: report.Filled(d.Notes)}
		for _, m := range d.GRFModes {
			j.GRFModes = append(j.GRFModes, GRFModeJSON(m))
		}
		for _, s := range d.SLMSteps {
			j.SLMSteps = append(j.SLMSteps, int64(s))
		}
		for _, b := range d.BarrierSlots {
			j.BarrierSlots = append(j.BarrierSlots, SourcedJSON(b))
		}
		v.Devices = append(v.Devices, j)
	}
	return v
}
