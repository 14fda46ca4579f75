package rundoc

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/report"

	"occudiff/predict"
	"occudiff/predict/arch"
)

// deviceLabel is what a person picks. Spreadsheets look texts up with wildcards, so it has none.
func deviceLabel(d *arch.Device) string {
	return report.CutMiddle(strings.Map(func(r rune) rune {
		if strings.ContainsRune("*?~", r) {
			return '-'
		}
		return r
	}, report.OneLine(d.Key+": "+d.Name)), 120)
}

// deviceTable has the figures of devices for formulas: an absent one is not known. What a device has several of is text
// between blanks - register modes as "128:8 256:4", registers and threads per XVE - or a column each, as SLM steps are.
func deviceTable(devices []arch.Device) *report.Table {
	text := func(key, title string) report.Column {
		return report.Column{Key: key, Title: title, Kind: report.Text, In: report.Sheet}
	}
	number := func(key, title, unit string) report.Column {
		return report.Column{Key: key, Title: title, Unit: unit, Kind: report.Number, In: report.Sheet}
	}
	columns := []report.Column{
		text("label", "Device"), text("name", "Name"), text("architecture", "Architecture"),
		text("simd", "Sub-group sizes"), text("modes", "Registers:threads per XVE"), text("group_extra", "Work-items per work-group, lower for"),
		number("xe_cores", "Xe-cores", ""), number("xve", "XVEs per Xe-core", ""), number("threads", "Threads per XVE", ""), number("grf", "Usual registers", ""),
		number("slm", "SLM per Xe-core", "KB"), number("slm_group", "SLM per work-group, most", "KB"), number("group_max", "Work-items per work-group, most", ""),
		number("group_slots", "Work-groups per Xe-core, most", ""), number("barrier_slots", "Barriers per Xe-core", ""),
	}
	steps := 1
	for i := range devices {
		steps = max(steps, len(devices[i].SLMSteps))
	}
	for i := range steps {
		columns = append(columns, number("step"+strconv.Itoa(i+1), "SLM step "+strconv.Itoa(i+1), "KB"))
	}
	t := report.Fixed("device_figures", "", columns, nil)
	t.In, t.Len, t.Main = report.Sheet, len(devices), len(devices)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		d := &devices[i]
		dst = append(dst, report.TextCell(deviceLabel(d)), report.TextCell(report.OneLine(d.Name)), report.TextCell(d.Architecture),
			report.TextCell(strings.ReplaceAll(report.Numbers(d.SIMDWidths), ",", "")), report.TextCell(modeText(d)), report.TextCell(extraText(d)),
			known(d.XeCores), known(d.XVEPerXeCore), known(d.ThreadsPerXVE), known(usualRegisters(d)),
			report.NumCell(report.Number, float64(d.SLMPerXeCore)/1024), report.NumCell(report.Number, float64(d.SLMPerGroupMax)/1024), known(d.MaxGroupSize),
			known(d.GroupSlots), known(barrierSlots(d)))
		for k := range steps {
			c := report.Cell{}
			if k < len(d.SLMSteps) {
				c = report.NumCell(report.Number, float64(d.SLMSteps[k])/1024)
			}
			dst = append(dst, c)
		}
		return dst
	}
	return t
}

// known is a figure of a device, absent at 0.
func known(n int) report.Cell {
	if n < 1 {
		return report.Cell{}
	}
	return report.NumCell(report.Number, float64(n))
}

func barrierSlots(d *arch.Device) int {
	if len(d.BarrierSlots) == 0 {
		return 0
	}
	return d.BarrierSlots[0].Count
}

// grfModesOf lists the register modes; a device without any has one that leaves all threads.
func grfModesOf(d *arch.Device) []arch.GRFMode {
	if len(d.GRFModes) == 0 {
		m, _ := predict.GRFModeFor(d, 0)
		return []arch.GRFMode{m}
	}
	return d.GRFModes
}

func modeText(d *arch.Device) string {
	var words []string
	for _, m := range grfModesOf(d) {
		words = append(words, fmt.Sprintf("%d:%d", m.Registers, m.ThreadsPerXVE))
	}
	return strings.Join(words, " ")
}

// usualRegisters is the mode of a kernel that asks for none: the first at or above 128 registers.
func usualRegisters(d *arch.Device) int {
	modes := grfModesOf(d)
	if m, ok := predict.GRFModeFor(d, 128); ok {
		return m.Registers
	}
	return modes[len(modes)-1].Registers
}

// extraText lists the kernels that may have fewer work-items in a work-group than the device's maximum: "16/256=512" are
// at most 512 at sub-group size 16 with 256 registers.
func extraText(d *arch.Device) string {
	if len(d.GroupLimits) == 0 {
		return ""
	}
	var words []string
	for _, w := range d.SIMDWidths {
		for _, m := range grfModesOf(d) {
			if n := predict.MaxGroupSize(d, w, m.Registers); n > 0 && n != int64(d.MaxGroupSize) {
				words = append(words, fmt.Sprintf("%d/%d=%d", w, m.Registers, n))
			}
		}
	}
	return strings.Join(words, " ")
}
