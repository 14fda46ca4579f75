package predictdoc

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/report"
)

// deviceList is the JSON output of `devices`.
type deviceList struct {
	Schema  string        `json:"schema"`
	Devices *report.Table `json:"devices"`
}

// tableColumns are of a row of the device table: memory in bytes, counts per what the name says.
// JSON has every figure that the models take; people see those by which they choose a device.
var tableColumns = []report.Col[arch.Device]{
	report.Define(column{Key: "key", Path: "key", Always: true, Title: "Key", Kind: report.Text, In: all}, func(d *arch.Device) cell { return text(d.Key) }),
	report.Define(column{Key: "name", Path: "name", Always: true, Title: "Name", Kind: report.Text, Cut: true, In: all}, func(d *arch.Device) cell { return text(d.Name) }),
	report.Define(column{Path: "aliases", Always: true, Title: "Also called", Kind: report.Array}, func(d *arch.Device) cell { return report.ListCell(d.Aliases) }),
	report.Define(column{Key: "architecture", Path: "architecture", Always: true, Title: "Architecture", Brief: "Arch", Kind: report.Text, Drop: 3, In: all}, func(d *arch.Device) cell { return text(d.Architecture) }),
	report.Define(column{Path: "codename", Always: true, Title: "Code name", Kind: report.Text}, func(d *arch.Device) cell { return text(d.Codename) }),
	report.Define(column{Path: "stacks", Always: true, Title: "Stacks", Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.Tiles) }),
	report.Define(column{Key: "xe_cores", Path: "xe_cores", Title: "Xe-cores", Kind: report.Integer, In: all, Doc: "null where the count is not public: --xve gives it"}, func(d *arch.Device) cell { return count(d.XeCores) }),
	report.Define(column{Path: "xve_per_xe_core", Always: true, Title: "XVEs per Xe-core", Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.XVEPerXeCore) }),
	report.Define(column{Key: "xves", Path: "xves", Title: "XVEs", Kind: report.Integer, In: all}, func(d *arch.Device) cell { return count(d.XVEs()) }),
	report.Define(column{Key: "threads_per_xve", Path: "threads_per_xve", Always: true, Title: "Threads per XVE", Brief: "Threads/XVE", Kind: report.Integer, Drop: 4, In: all}, func(d *arch.Device) cell { return report.IntCell(d.ThreadsPerXVE) }),
	report.Define(column{Key: "thread_slots", Path: "thread_slots", Title: "Thread slots", Kind: report.Integer, In: all}, func(d *arch.Device) cell { return count(d.Slots()) }),
	report.Define(column{Title: "Thread slots per Xe-core", Kind: report.Integer}, func(d *arch.Device) cell { return count(d.SlotsPerXeCore()) }),
	report.Define(column{Title: `Lanes at the smallest sub-group size ("total operations")`, Kind: report.Text}, func(d *arch.Device) cell {
		if len(d.SIMDWidths) == 0 {
			return cell{}
		}
		lanes := int64(slices.Min(d.SIMDWidths))
		return report.TextCell(fmt.Sprintf("%s, %s of an Xe-core, %d of an XVE", report.Thousands(lanes*int64(d.Slots())),
			report.Thousands(lanes*int64(d.SlotsPerXeCore())), lanes*int64(d.ThreadsPerXVE)))
	}),
	rows(column{Path: "grf_modes", Title: "Register modes"}, func(d *arch.Device) []arch.GRFMode { return d.GRFModes }, grfColumns),
	report.Define(column{Path: "simd_widths", Always: true, Kind: report.Size}, func(d *arch.Device) cell { return integers(d.SIMDWidths) }),
	report.Define(column{Key: "simd_widths", Title: "SIMD", Kind: report.Text, Drop: 1, In: all}, func(d *arch.Device) cell {
		return report.TextCell(strings.ReplaceAll(integers(d.SIMDWidths).Text, "x", ", "))
	}),
	report.Define(column{Path: "slm_bytes_per_xe_core", Always: true, Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.SLMPerXeCore) }),
	rows(column{Path: "slm_kb_by_source", Title: "SLM per Xe-core by source", Unit: "KB", Doc: "of an Xe-core, where sources disagree; the first is used"}, func(d *arch.Device) []arch.SourcedCount { return d.SLMBySource }, sourcedColumns),
	report.Define(column{Path: "slm_bytes_per_work_group_max", Always: true, Title: "Largest SLM per work-group", Unit: "bytes", Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.SLMPerGroupMax) }),
	report.Define(column{Path: "slm_steps_bytes", Always: true, Kind: report.Size, Doc: "SLM per work-group is rounded up to one of these"}, func(d *arch.Device) cell { return integers(d.SLMSteps) }),
	report.Define(column{Key: "max_group_size", Path: "work_group_max_items", Always: true, Title: "Largest work-group", Brief: "Work-group", Kind: report.Integer, Drop: 5, In: all}, func(d *arch.Device) cell { return report.IntCell(d.MaxGroupSize) }),
	report.Define(column{Key: "slm_kb", Title: "SLM per Xe-core", Unit: "KB", Brief: "SLM [KB]", Kind: report.Integer, Drop: 6, In: all}, func(d *arch.Device) cell { return report.IntCell(d.SLMPerXeCore >> 10) }),
	report.Define(column{Path: "work_group_slots_per_xe_core", Always: true, Title: "Work-group slots per Xe-core", Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.GroupSlots) }),
	rows(column{Path: "barrier_slots_per_xe_core", Title: "Barriers per Xe-core", Doc: "sources disagree; the first is the default"}, func(d *arch.Device) []arch.SourcedCount { return d.BarrierSlots }, sourcedColumns),
	report.Define(column{Title: "Registers of an XVE", Unit: "KB", Kind: report.Integer}, func(d *arch.Device) cell {
		most := 0 // of the mode that leaves the least of them unused
		for _, m := range d.GRFModes {
			most = max(most, m.Registers*m.ThreadsPerXVE*d.RegisterBytes)
		}
		return count(most >> 10)
	}),
	report.Define(column{Path: "register_bytes", Always: true, Title: "Width of a register", Unit: "bytes", Kind: report.Integer, Doc: "width of one register"}, func(d *arch.Device) cell { return report.IntCell(d.RegisterBytes) }),
	report.Define(column{Path: "clock_mhz", Title: "Clock of the counters", Unit: "MHz", Kind: report.Number, Doc: "of the counters: an interval is 2^n of its ticks; null when not known"}, func(d *arch.Device) cell { return report.OptNum(report.Number, unit.NonZero(d.Clock.Hz/1e6), 1) }),
	report.Define(column{Path: "clock_source", Title: "Source of the clock", Kind: report.Text}, func(d *arch.Device) cell { return report.TextCell(d.Clock.Source) }),
	rows(column{Path: "memory_gb_per_second", Title: "Memory bandwidth", Unit: "GB/s", Doc: "the most that memory moves; the first is used; empty when not known"}, func(d *arch.Device) []arch.Bandwidth { return d.Memory }, bandwidthColumns),
	rows(column{Path: "l3_gb_per_second", Title: "L3 bandwidth", Unit: "GB/s"}, func(d *arch.Device) []arch.Bandwidth { return d.L3 }, bandwidthColumns),
	report.Define(column{Path: "pci_ids", Always: true, Title: "PCI ids", Kind: report.Array}, func(d *arch.Device) cell { return report.ListCell(d.PCIIDs) }),
	report.Define(column{Key: "confidence", Path: "confidence", Always: true, Title: "Confidence", Kind: report.Text, Drop: 2, In: all}, func(d *arch.Device) cell { return text(d.Confidence) }),
	report.Define(column{Key: "source", Path: "source", Always: true, Title: "Source", Kind: report.Text, In: files}, func(d *arch.Device) cell { return text(d.Source) }),
	report.Define(column{Path: "notes", Title: "Notes", Kind: report.Text}, func(d *arch.Device) cell { return report.TextCell(d.Notes) }),
}

// What stands behind a value on the page of a device is its title.
var grfColumns = []report.Col[arch.GRFMode]{
	report.Define(column{Path: "registers_per_thread", Always: true, Title: "registers:", Kind: report.Integer}, func(m *arch.GRFMode) cell { return report.IntCell(m.Registers) }),
	report.Define(column{Path: "threads_per_xve", Always: true, Title: "threads per XVE", Kind: report.Integer}, func(m *arch.GRFMode) cell { return report.IntCell(m.ThreadsPerXVE) }),
}

var sourcedColumns = []report.Col[arch.SourcedCount]{
	report.Define(column{Path: "source", Always: true, Kind: report.Text}, func(c *arch.SourcedCount) cell { return text(c.Source) }),
	report.Define(column{Path: "count", Always: true, Kind: report.Integer}, func(c *arch.SourcedCount) cell { return report.IntCell(c.Count) }),
}

var bandwidthColumns = []report.Col[arch.Bandwidth]{
	report.Define(column{Path: "source", Always: true, Kind: report.Text}, func(b *arch.Bandwidth) cell { return text(b.Source) }),
	report.Define(column{Path: "gb_per_second", Always: true, Kind: report.Number, Doc: "decimal"}, func(b *arch.Bandwidth) cell { return report.NumCell(report.Number, b.GBPerSecond) }),
	report.Define(column{Path: "fastest_memory", Optional: true, Title: "(at most, with the fastest memory that it takes)", Kind: report.Text, Doc: "of which the figure is; what is installed may be slower"}, func(b *arch.Bandwidth) cell { return report.TextCell(b.Fastest) }),
	report.Define(column{Path: "assumed", Optional: true, Title: "assumed", Kind: report.Bool, Doc: "no source has the figure; it is that of a similar GPU"}, func(b *arch.Bandwidth) cell {
		if b.Assumed {
			return report.BoolCell(true)
		}
		return cell{}
	}),
}

// mostDevices is how many a terminal shows with their figures.
const mostDevices = 15

// byArchitecture lists the keys of devices.
func byArchitecture(devices []arch.Device) (items []report.Item) {
	for i := range devices {
		d := &devices[i]
		at := slices.IndexFunc(items, func(i report.Item) bool { return i.Lead == d.Architecture })
		if at < 0 {
			items = append(items, report.Item{Lead: d.Architecture, Text: d.Key})
			continue
		}
		items[at].Text += ", " + d.Key
	}
	return items
}

// Devices answers what the device table has: all devices side by side.
func Devices(devices []arch.Device) *report.Answer {
	// Sources stand with one device: where they disagree a table has no room for both.
	head := unit.Counted(len(devices), "device", "devices") + "; 'occudiff devices KEY' shows one with its sources"
	pg := page{title: "Devices", key: "devices", heading: "Devices", table: report.NewTable("devices", "", devices, tableColumns)}
	if len(devices) > mostDevices { // then a terminal has their keys by architecture, unless asked for all
		pg.brief = &report.Section{Items: byArchitecture(devices)}
		head += ", -v all with their figures"
	}
	pg.headline = []string{head}
	return pg.answer(deviceList{devicesSchema, pg.table})
}

// Device answers with every figure that the model takes from one device, and its source.
func Device(d *arch.Device) *report.Answer {
	pg := page{title: d.Name, key: report.SectionDevice, heading: "Device", table: facts("device", d, tableColumns),
		headline: []string{fmt.Sprintf("%s (%s)", d.Name, d.Key)}}
	// JSON and CSV have one form for one device and for all; only the document differs.
	ans := Devices([]arch.Device{*d})
	ans.Doc = pg.answer(nil).Doc
	return ans
}
