package arch

import (
	"slices"
	"strings"

	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// deviceRow is a row of devices.csv or of a user's device file, column by column in the order of the file. One of
// threads_by_registers and threads_per_xve is required beside what the tags say.
type deviceRow struct {
	Key            table.Name   `csv:"key" table:"required"`
	Name           table.Name   `csv:"name" table:"required"`
	Aliases        table.Names  `csv:"aliases"`
	Architecture   table.Name   `csv:"architecture"`
	Codename       table.Name   `csv:"codename"`
	Tiles          table.Count  `csv:"tiles"`
	XeCores        coreCount    `csv:"xe_cores" table:"required"`
	XVEPerXeCore   table.Count  `csv:"xve_per_xe_core" table:"required"`
	XVEs           table.Count  `csv:"xves"`
	ThreadsPerXVE  table.Count  `csv:"threads_per_xve"`
	Modes          modes        `csv:"threads_by_registers"`
	Slots          table.Count  `csv:"thread_slots"`
	RegisterBytes  table.Count  `csv:"register_bytes"`
	SIMDWidths     table.Counts `csv:"simd_widths" table:"required"`
	SLMPerXeCore   table.Count  `csv:"slm_kb_per_xe_core" table:"required"`
	SLMBySource    sourced      `csv:"slm_kb_by_source"`
	SLMPerGroupMax table.Count  `csv:"slm_kb_per_work_group_max" table:"required"`
	SLMSteps       table.Counts `csv:"slm_steps_kb" table:"required"`
	MaxGroupSize   table.Count  `csv:"work_group_max_items" table:"required"`
	GroupSlots     table.Count  `csv:"work_group_slots_per_xe_core"`
	BarrierSlots   sourced      `csv:"barrier_slots_per_xe_core"`
	GroupLimits    groupLimits  `csv:"work_group_extra_limits"`
	Clock          Clock        `csv:"timestamp_clock_mhz"`
	Memory         bandwidths   `csv:"memory_gb_per_second"`
	L3             bandwidths   `csv:"l3_gb_per_second"`
	PCIIDs         table.Words  `csv:"pci_ids"`
	Confidence     table.Name   `csv:"confidence"`
	Source         table.Name   `csv:"source"`
	Notes          table.Name   `csv:"notes"`
}

// device makes the device of a row. Where a cell is empty it takes the default that docs/devices.md names.
func (r *deviceRow) device() (Device, *problem) {
	if len(r.Modes) == 0 && !r.ThreadsPerXVE.Present() {
		return Device{}, &problem{"threads_by_registers", "the cell is empty, and so is threads_per_xve",
			"give threads_by_registers as in 128:8 256:4, or threads_per_xve for a GPU with one mode"}
	}
	d := Device{
		Key: string(r.Key), Name: string(r.Name), Aliases: r.Aliases,
		Architecture: string(r.Architecture), Codename: string(r.Codename),
		Tiles: r.Tiles.Or(1), XeCores: max(int(r.XeCores), 0), XVEPerXeCore: r.XVEPerXeCore.Or(0),
		GRFModes: r.Modes, SIMDWidths: r.SIMDWidths,
		SLMPerXeCore: kib(r.SLMPerXeCore.Or(0)), SLMPerGroupMax: kib(r.SLMPerGroupMax.Or(0)),
		SLMBySource:  r.SLMBySource,
		MaxGroupSize: r.MaxGroupSize.Or(0), BarrierSlots: r.BarrierSlots,
		GroupLimits: r.GroupLimits, Clock: r.Clock,
		Memory: r.Memory, L3: r.L3,
		PCIIDs:     upper(r.PCIIDs),
		Confidence: string(r.Confidence), Source: string(r.Source), Notes: string(r.Notes),
	}
	if len(d.GRFModes) == 0 {
		d.GRFModes = []GRFMode{{Registers: defaultRegisters, ThreadsPerXVE: r.ThreadsPerXVE.Or(0)}}
	}
	for _, m := range d.GRFModes {
		d.ThreadsPerXVE = max(d.ThreadsPerXVE, m.ThreadsPerXVE)
	}
	for _, s := range r.SLMSteps {
		d.SLMSteps = append(d.SLMSteps, kib(s))
	}
	d.RegisterBytes = r.RegisterBytes.Or(4 * slices.Min(r.SIMDWidths))
	d.GroupSlots = r.GroupSlots.Or(d.SlotsPerXeCore())
	if len(d.BarrierSlots) == 0 {
		d.BarrierSlots = []SourcedCount{{Source: "neo", Count: driverBarrierSlots}}
	}
	return d, nil
}

// checked makes the device of a row and checks that its figures agree with each other.
func (r *deviceRow) checked() (Device, *problem) {
	d, p := r.device()
	if p == nil && r.XeCores == 0 {
		p = problemf("xe_cores", "write \"not public\" for a family that --xve completes", "0 is not a positive number")
	}
	if p == nil {
		p = r.disagrees(&d)
	}
	if p == nil {
		p = d.check()
	}
	return d, p
}

const (
	defaultRegisters   = 128 // registers per thread that a kernel is compiled for unless asked otherwise
	driverBarrierSlots = 32  // the figure that the driver's own formula has for every GPU
)

func kib(n int) unit.Bytes { return unit.Bytes(n) << 10 }

func upper(ids []string) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = strings.TrimPrefix(strings.ToUpper(id), "0X")
	}
	return out
}

// disagrees compares the figures that a row gives twice: they are compared, never taken.
func (r *deviceRow) disagrees(d *Device) *problem {
	for _, c := range []struct {
		column string
		given  table.Count
		is     int
		how    string
	}{
		{"xves", r.XVEs, d.XVEs(), "xe_cores x xve_per_xe_core"},
		{"threads_per_xve", r.ThreadsPerXVE, d.ThreadsPerXVE, "the most threads of threads_by_registers"},
		{"thread_slots", r.Slots, d.Slots(), "xe_cores x xve_per_xe_core x threads_per_xve"},
	} {
		if n, ok := c.given.Value(); ok && n != c.is {
			return problemf(c.column, "correct one of the figures, or leave this cell empty",
				"%d is not %d, which is %s", n, c.is, c.how)
		}
	}
	return nil
}
