package report

import (
	"fmt"

	"occudiff/predict/arch"
)

// FromDevices builds the document that lists devices.
func FromDevices(devices []arch.Device, version string) *Document {
	columns := []Column{
		{Key: "key", Title: "Key", Kind: Text, In: Glance | Page | Sheet},
		{Key: "name", Title: "Name", Kind: Text, In: Glance | Page | Sheet, Cut: true},
		{Key: "architecture", Title: "Architecture", Brief: "Arch", Kind: Text, In: Glance | Page | Sheet, Drop: 3},
		{Key: "xe_cores", Title: "Xe-cores", Kind: Integer, In: Glance | Page | Sheet},
		{Key: "xves", Title: "XVEs", Kind: Integer, In: Glance | Page | Sheet},
		{Key: "threads_per_xve", Title: "Threads per XVE", Brief: "Threads/XVE", Kind: Integer, In: Glance | Page | Sheet, Drop: 4},
		{Key: "thread_slots", Title: "Thread slots", Kind: Integer, In: Glance | Page | Sheet},
		{Key: "simd_widths", Title: "SIMD", Kind: Text, In: Glance | Page | Sheet, Drop: 1},
		{Key: "max_group_size", Title: "Largest work-group", Brief: "Work-group", Kind: Integer, In: Glance | Page | Sheet, Drop: 5},
		{Key: "slm_kb", Title: "SLM per Xe-core", Unit: "KB", Brief: "SLM [KB]", Kind: Integer, In: Glance | Page | Sheet, Drop: 6},
		{Key: "confidence", Title: "Confidence", Kind: Text, In: Glance | Page | Sheet, Drop: 2},
		{Key: "source", Title: "Source", Kind: Text, In: Page | Sheet},
	}
	t := Fixed("devices", "", columns, nil)
	t.In |= Glance
	t.Len, t.Main = len(devices), len(devices)
	t.Row = func(i int, dst []Cell) []Cell {
		d := &devices[i]
		return append(dst, TextCell(d.Key), TextCell(d.Name), TextCell(d.Architecture), IntCell(d.XeCores), IntCell(d.XVEs()),
			IntCell(d.ThreadsPerXVE), IntCell(d.Slots()), TextCell(numbers(d.SIMDWidths)), IntCell(d.MaxGroupSize),
			IntCell(int64(d.SLMPerXeCore>>10)), TextCell(d.Confidence), TextCell(d.Source))
	}
	return &Document{Title: "Devices", Version: version, Headline: []string{fmt.Sprintf("%s; occudiff devices KEY shows one with its sources", Counted(len(devices), "device", "devices"))},
		Sections: []Section{{Key: "devices", Title: "Devices", Tables: []*Table{t}}}}
}

// FromDevice builds the document of one device: every figure that the model takes from it, with its source.
func FromDevice(d *arch.Device, version string) *Document {
	t := nameValue("device", "", deviceRows(d, ""))
	t.In |= Glance
	for i := range t.Columns {
		t.Columns[i].In |= Glance
	}
	return &Document{Title: d.Name, Version: version, Headline: []string{fmt.Sprintf("%s (%s)", d.Name, d.Key)},
		Sections: []Section{{Key: SectionDevice, Title: "Device", Tables: []*Table{t}}}}
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
			BarrierSlots: []SourcedJSON{}, PCIIDs: append([]string{}, d.PCIIDs...), Confidence: d.Confidence, Source: d.Source, Notes: filled(d.Notes)}
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
