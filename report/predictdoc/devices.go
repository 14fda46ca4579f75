package predictdoc

import (
	"fmt"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/report"
)

// deviceList is the JSON output of `devices`.
type deviceList struct {
	Schema  string   `json:"schema"`
	Devices []device `json:"devices"`
}

// device is one device; memory in bytes, counts per what the name says.
// JSON has every figure that the models take; the columns are those by which people choose a device.
type device struct {
	Key            string              `json:"key" col:"Key"`
	Name           string              `json:"name" col:"Name; cut"`
	Aliases        []string            `json:"aliases"`
	Architecture   string              `json:"architecture" col:"Architecture; brief=Arch; drop=3"`
	Codename       string              `json:"codename"`
	Stacks         int                 `json:"stacks"`
	XeCores        unit.Opt[int]       `json:"xe_cores" col:"Xe-cores" jsonschema:"null where the count is not public: --xve gives it"`
	XVEPerXeCore   int                 `json:"xve_per_xe_core"`
	XVEs           unit.Opt[int]       `json:"xves" col:"XVEs"`
	ThreadsPerXVE  int                 `json:"threads_per_xve" col:"Threads per XVE; brief=Threads/XVE; drop=4"`
	ThreadSlots    unit.Opt[int]       `json:"thread_slots" col:"Thread slots"`
	GRFModes       []arch.GRFMode      `json:"grf_modes"`
	SIMDWidths     []int               `json:"simd_widths" col:"SIMD; drop=1"`
	SLMPerXeCore   unit.Bytes          `json:"slm_bytes_per_xe_core"`
	SLMBySource    []arch.SourcedCount `json:"slm_kb_by_source" jsonschema:"of an Xe-core, where sources disagree; the first is used"`
	SLMPerGroupMax unit.Bytes          `json:"slm_bytes_per_work_group_max"`
	SLMSteps       []unit.Bytes        `json:"slm_steps_bytes" jsonschema:"SLM per work-group is rounded up to one of these"`
	MaxGroupSize   int                 `json:"work_group_max_items" csv:"max_group_size" col:"Largest work-group; brief=Work-group; drop=5"`
	SLMKB          int64               `json:"-" csv:"slm_kb" col:"SLM per Xe-core [KB]; brief=SLM [KB]; drop=6"`
	GroupSlots     int                 `json:"work_group_slots_per_xe_core"`
	BarrierSlots   []arch.SourcedCount `json:"barrier_slots_per_xe_core" jsonschema:"sources disagree; the first is the default"`
	RegisterBytes  int                 `json:"register_bytes" jsonschema:"width of one register"`
	ClockMHz       *float64            `json:"clock_mhz" jsonschema:"of the counters: an interval is 2^n of its ticks; null when not known"`
	ClockSource    *string             `json:"clock_source"`
	Memory         []arch.Bandwidth    `json:"memory_gb_per_second" jsonschema:"the most that memory moves; the first is used; empty when not known"`
	L3             []arch.Bandwidth    `json:"l3_gb_per_second"`
	PCIIDs         []string            `json:"pci_ids"`
	Confidence     string              `json:"confidence" col:"Confidence; drop=2"`
	Source         string              `json:"source" col:"Source; in=page+sheet"`
	Notes          *string             `json:"notes"`
}

func newDevice(d arch.Device) device {
	v := device{Key: d.Key, Name: d.Name, Aliases: d.Aliases, Architecture: d.Architecture, Codename: d.Codename,
		Stacks: d.Tiles, XVEPerXeCore: d.XVEPerXeCore,
		ThreadsPerXVE: d.ThreadsPerXVE, GRFModes: d.GRFModes, SIMDWidths: d.SIMDWidths,
		SLMPerXeCore: d.SLMPerXeCore, SLMBySource: d.SLMBySource, SLMPerGroupMax: d.SLMPerGroupMax,
		SLMSteps: d.SLMSteps, MaxGroupSize: d.MaxGroupSize, SLMKB: int64(d.SLMPerXeCore >> 10),
		GroupSlots: d.GroupSlots, BarrierSlots: d.BarrierSlots, RegisterBytes: d.RegisterBytes,
		ClockSource: report.Filled(d.Clock.Source), Memory: d.Memory, L3: d.L3, PCIIDs: d.PCIIDs,
		Confidence: d.Confidence, Source: d.Source,
		Notes: report.Filled(d.Notes)}
	if d.XeCores > 0 {
		v.XeCores, v.XVEs, v.ThreadSlots = unit.Some(d.XeCores), unit.Some(d.XVEs()), unit.Some(d.Slots())
	}
	if mhz := d.Clock.Hz / 1e6; mhz > 0 {
		v.ClockMHz = &mhz
	}
	return v
}

// Devices answers what the device table has: all devices side by side.
func Devices(devices []arch.Device) *report.Answer {
	v := deviceList{devicesSchema, report.ListOf(devices, newDevice)}
	t := rowsOf("devices", v.Devices)
	// Sources stand with one device: where they disagree a table has no room for both.
	head := unit.Counted(len(devices), "device", "devices") + "; occudiff devices KEY shows one with its sources"
	return &report.Answer{Value: v, Table: t, Doc: &report.Document{Whole: true, Title: "Devices",
		Headline: []string{head},
		Sections: []report.Section{{Key: "devices", Title: "Devices", Tables: []*report.Table{t}}}}}
}

// Device answers with every figure that the model takes from one device, and its source.
func Device(d *arch.Device) *report.Answer {
	// JSON and CSV have one form for one device and for all; only the document differs.
	ans := Devices([]arch.Device{*d})
	rows := report.DeviceRows(d, "")
	if len(d.SIMDWidths) > 0 {
		narrow := slices.Min(d.SIMDWidths)
		rows.Count(fmt.Sprintf("Lanes of an Xe-core at sub-group size %d", narrow), int64(d.SlotsPerXeCore()*narrow))
		rows.Count(fmt.Sprintf("Lanes of an XVE at sub-group size %d", narrow), int64(d.ThreadsPerXVE*narrow))
	}
	if len(d.Memory) == 0 {
		rows.Text("Memory bandwidth", "unknown; --memory-bandwidth gives it")
	}
	ans.Doc = &report.Document{Whole: true, Title: d.Name, Headline: []string{fmt.Sprintf("%s (%s)", d.Name, d.Key)},
		Sections: []report.Section{{Key: report.SectionDevice, Title: "Device",
			Tables: []*report.Table{inTerminal(report.NameValue("device", "", rows))}}}}
	return ans
}
