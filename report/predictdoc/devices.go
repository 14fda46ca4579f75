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
	report.Define(column{Path: "aliases", Always: true, Kind: report.Array}, func(d *arch.Device) cell { return report.ListCell(d.Aliases) }),
	report.Define(column{Key: "architecture", Path: "architecture", Always: true, Title: "Architecture", Brief: "Arch", Kind: report.Text, Drop: 3, In: all}, func(d *arch.Device) cell { return text(d.Architecture) }),
	report.Define(column{Path: "codename", Always: true, Kind: report.Text}, func(d *arch.Device) cell { return text(d.Codename) }),
	report.Define(column{Path: "stacks", Always: true, Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.Tiles) }),
	report.Define(column{Key: "xe_cores", Path: "xe_cores", Title: "Xe-cores", Kind: report.Integer, In: all, Doc: "null where the count is not public: --xve gives it"}, func(d *arch.Device) cell { return count(d.XeCores) }),
	report.Define(column{Path: "xve_per_xe_core", Always: true, Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.XVEPerXeCore) }),
	report.Define(column{Key: "xves", Path: "xves", Title: "XVEs", Kind: report.Integer, In: all}, func(d *arch.Device) cell { return count(d.XVEs()) }),
	report.Define(column{Key: "threads_per_xve", Path: "threads_per_xve", Always: true, Title: "Threads per XVE", Brief: "Threads/XVE", Kind: report.Integer, Drop: 4, In: all}, func(d *arch.Device) cell { return report.IntCell(d.ThreadsPerXVE) }),
	report.Define(column{Key: "thread_slots", Path: "thread_slots", Title: "Thread slots", Kind: report.Integer, In: all}, func(d *arch.Device) cell { return count(d.Slots()) }),
	rows("grf_modes", "", func(d *arch.Device) []arch.GRFMode { return d.GRFModes }, grfColumns),
	report.Define(column{Path: "simd_widths", Always: true, Kind: report.Size}, func(d *arch.Device) cell { return integers(d.SIMDWidths) }),
	report.Define(column{Key: "simd_widths", Title: "SIMD", Kind: report.Text, Drop: 1, In: all}, func(d *arch.Device) cell {
		return report.TextCell(strings.ReplaceAll(integers(d.SIMDWidths).Text, "x", ", "))
	}),
	report.Define(column{Path: "slm_bytes_per_xe_core", Always: true, Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.SLMPerXeCore) }),
	rows("slm_kb_by_source", "of an Xe-core, where sources disagree; the first is used", func(d *arch.Device) []arch.SourcedCount { return d.SLMBySource }, sourcedColumns),
	report.Define(column{Path: "slm_bytes_per_work_group_max", Always: true, Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.SLMPerGroupMax) }),
	report.Define(column{Path: "slm_steps_bytes", Always: true, Kind: report.Size, Doc: "SLM per work-group is rounded up to one of these"}, func(d *arch.Device) cell { return integers(d.SLMSteps) }),
	report.Define(column{Key: "max_group_size", Path: "work_group_max_items", Always: true, Title: "Largest work-group", Brief: "Work-group", Kind: report.Integer, Drop: 5, In: all}, func(d *arch.Device) cell { return report.IntCell(d.MaxGroupSize) }),
	report.Define(column{Key: "slm_kb", Title: "SLM per Xe-core", Unit: "KB", Brief: "SLM [KB]", Kind: report.Integer, Drop: 6, In: all}, func(d *arch.Device) cell { return report.IntCell(d.SLMPerXeCore >> 10) }),
	report.Define(column{Path: "work_group_slots_per_xe_core", Always: true, Kind: report.Integer}, func(d *arch.Device) cell { return report.IntCell(d.GroupSlots) }),
	rows("barrier_slots_per_xe_core", "sources disagree; the first is the default", func(d *arch.Device) []arch.SourcedCount { return d.BarrierSlots }, sourcedColumns),
	report.Define(column{Path: "register_bytes", Always: true, Kind: report.Integer, Doc: "width of one register"}, func(d *arch.Device) cell { return report.IntCell(d.RegisterBytes) }),
	report.Define(column{Path: "clock_mhz", Kind: report.Number, Doc: "of the counters: an interval is 2^n of its ticks; null when not known"}, func(d *arch.Device) cell { return report.OptNum(report.Number, unit.NonZero(d.Clock.Hz/1e6), 1) }),
	report.Define(column{Path: "clock_source", Kind: report.Text}, func(d *arch.Device) cell { return report.TextCell(d.Clock.Source) }),
	rows("memory_gb_per_second", "the most that memory moves; the first is used; empty when not known", func(d *arch.Device) []arch.Bandwidth { return d.Memory }, bandwidthColumns),
	rows("l3_gb_per_second", "", func(d *arch.Device) []arch.Bandwidth { return d.L3 }, bandwidthColumns),
	report.Define(column{Path: "pci_ids", Always: true, Kind: report.Array}, func(d *arch.Device) cell { return report.ListCell(d.PCIIDs) }),
	report.Define(column{Key: "confidence", Path: "confidence", Always: true, Title: "Confidence", Kind: report.Text, Drop: 2, In: all}, func(d *arch.Device) cell { return text(d.Confidence) }),
	report.Define(column{Key: "source", Path: "source", Always: true, Title: "Source", Kind: report.Text, In: files}, func(d *arch.Device) cell { return text(d.Source) }),
	report.Define(column{Path: "notes", Kind: report.Text}, func(d *arch.Device) cell { return report.TextCell(d.Notes) }),
}

var grfColumns = ints("registers_per_thread threads_per_xve", func(m *arch.GRFMode) []int64 { return []int64{int64(m.Registers), int64(m.ThreadsPerXVE)} })

var sourcedColumns = slices.Concat(texts("source", func(c *arch.SourcedCount) []string { return []string{c.Source} }),
	ints("count", func(c *arch.SourcedCount) []int64 { return []int64{int64(c.Count)} }))

var bandwidthColumns = append(texts("source", func(b *arch.Bandwidth) []string { return []string{b.Source} }),
	report.Define(column{Path: "gb_per_second", Always: true, Kind: report.Number, Doc: "decimal"}, func(b *arch.Bandwidth) cell { return report.NumCell(report.Number, b.GBPerSecond) }),
	report.Define(column{Path: "fastest_memory", Optional: true, Kind: report.Text, Doc: "of which the figure is; what is installed may be slower"}, func(b *arch.Bandwidth) cell { return report.TextCell(b.Fastest) }),
	report.Define(column{Path: "assumed", Optional: true, Kind: report.Bool, Doc: "no source has the figure; it is that of a similar GPU"}, func(b *arch.Bandwidth) cell {
		if b.Assumed {
			return report.BoolCell(true)
		}
		return cell{}
	}))

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
		pg.instead = byArchitecture(devices)
		head += ", -v all with their figures"
	}
	pg.headline = []string{head}
	return pg.answer(deviceList{devicesSchema, pg.table})
}

// Device answers with every figure that the model takes from one device, and its source.
func Device(d *arch.Device) *report.Answer {
	rows := report.DeviceRows(d)
	if len(d.SIMDWidths) > 0 {
		narrow := slices.Min(d.SIMDWidths)
		rows.Count(fmt.Sprintf("Lanes of an Xe-core at sub-group size %d", narrow), int64(d.SlotsPerXeCore()*narrow))
		rows.Count(fmt.Sprintf("Lanes of an XVE at sub-group size %d", narrow), int64(d.ThreadsPerXVE*narrow))
	}
	if len(d.Memory) == 0 {
		rows.Text("Memory bandwidth", "unknown; --memory-bandwidth gives it")
	}
	pg := page{title: d.Name, key: report.SectionDevice, heading: "Device", table: inTerminal(report.NameValue("device", "", rows)),
		headline: []string{fmt.Sprintf("%s (%s)", d.Name, d.Key)}}
	// JSON and CSV have one form for one device and for all; only the document differs.
	ans := Devices([]arch.Device{*d})
	ans.Doc = pg.answer(nil).Doc
	return ans
}
