package rundoc

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// The keys of the columns below are the names by which the formulas of the sheet call the figures of the picked row;
// for those of a device, with d_ before them.

// whatIfLaunches is how many kernels a sheet offers: nobody scrolls through a list of more.
const whatIfLaunches = 1000

// whatIfRow is a kernel as the sheet offers it: its launch as numbers, what was seen of it, and what was predicted.
// An absent figure is an empty cell, which the formulas take for "not given": a 0 would be a launch of nothing.
type whatIfRow struct {
	Number     int64                  `col:"Number"`
	Label      string                 `col:"Kernel"`
	GX         unit.Opt[int64]        `json:"own_gx" col:"Global x"`
	GY         unit.Opt[int64]        `json:"own_gy" col:"Global y"`
	GZ         unit.Opt[int64]        `json:"own_gz" col:"Global z"`
	LX         unit.Opt[int64]        `json:"own_lx" col:"Local x"`
	LY         unit.Opt[int64]        `json:"own_ly" col:"Local y"`
	LZ         unit.Opt[int64]        `json:"own_lz" col:"Local z"`
	SIMD       unit.Opt[int]          `json:"own_simd" col:"SIMD"`
	SLM        unit.Opt[float64]      `json:"own_slm" col:"SLM per work-group [KB]; decimals=3"`
	Barriers   unit.Opt[int]          `json:"own_barriers" col:"Barriers"`
	GRF        unit.Opt[int]          `json:"own_grf_asked" col:"Registers per thread"`
	Policy     unit.Opt[string]       `json:"own_policy_asked" col:"Policy"`
	Measured   unit.Opt[unit.Ratio]   `col:"Measured"`
	Peak       unit.Opt[unit.Ratio]   `json:"vtune_peak" col:"VTune peak"`
	Total      unit.Opt[unit.Seconds] `col:"Time [s]"`
	LaunchTime unit.Opt[unit.Seconds] `json:"launch_time" col:"Time per launch [s]; decimals=6"`
	Counters   string                 `col:"Counters"`
	XeCore     unit.Opt[unit.Ratio]   `json:"run_xe_core" col:"Xe-core [%]; group=Predicted"`
	RunPeak    unit.Opt[unit.Ratio]   `json:"run_peak" col:"peak [%]; group=Predicted"`
	RunAverage unit.Opt[unit.Ratio]   `json:"run_average" col:"average [%]; group=Predicted"`
	Waves      unit.Opt[float64]      `json:"run_waves" col:"Waves; decimals=2"`
	Tail       unit.Opt[unit.Ratio]   `json:"run_tail" col:"Last wave [%]"`
	Limits     string                 `json:"run_limits" col:"Limited by"`
	PerXeCore  unit.Opt[int64]        `json:"run_n" col:"Work-groups per Xe-core"`
	Verdict    verdictWord            `json:"run_verdict" col:"Verdict"`

	row    *compare.Row // nil in the last one
	launch predict.Launch
}

// countersOfOthers marks rows whose counters are not the kernel's.
const countersOfOthers = "of others"

// whatIfRows lists the kernels, and a last row without any figure, for launches that nobody ran.
func whatIfRows(r *compare.Result, kernels int) []whatIfRow {
	n := min(kernels, whatIfLaunches)
	names := make([]string, n)
	for i := range n {
		names[i] = report.KernelName(r.Row(i, nil).Task)
	}
	list := make([]whatIfRow, n, n+1)
	for i, name := range report.CutApart(names, 60) {
		row := r.Row(i, nil)
		list[i] = whatIfRow{Number: int64(i + 1), Label: strconv.Itoa(i+1) + ". " + name, row: row,
			launch: whatIfLaunch(r, row)}
		if s := Shape(&row.Kernel); s != "" {
			// The number makes labels unique: a spreadsheet finds a row by its label, and kernels of one name and
			// shape exist.
			list[i].Label += " (" + s + ")"
		}
		list[i].set()
		if !r.Measurable(row) {
			list[i].Counters = countersOfOthers
		}
	}
	return append(list, whatIfRow{Label: "0. none: I enter every value"})
}

// whatIfLaunch is the launch of a row as the comparison predicted it. Its policy is named only where the figures of the
// launch would not choose it.
// Named always, it would hold a changed launch to the policy of the old one.
func whatIfLaunch(r *compare.Result, row *compare.Row) predict.Launch {
	l := r.LaunchOf(row)
	if (l.Policy == predict.Whole) == (l.SLM > 0 || l.Barriers > 0) {
		l.Policy = predict.Auto
	}
	return l
}

func (w *whatIfRow) set() {
	l, r := &w.launch, w.row
	for i, to := range []*unit.Opt[int64]{&w.GX, &w.GY, &w.GZ} {
		if i < l.Global.Rank() {
			*to = unit.Some(l.Global.Dim(i))
		}
	}
	for i, to := range []*unit.Opt[int64]{&w.LX, &w.LY, &w.LZ} {
		if i < l.Local.Rank() {
			*to = unit.Some(l.Local.Dim(i))
		}
	}
	w.SIMD, w.Barriers, w.GRF = unit.NonZero(l.SIMD), unit.NonZero(l.Barriers), unit.NonZero(l.GRF)
	if l.SLM > 0 {
		// 0 stays empty: the sheet takes an empty cell for the kernel's own value, which is 0 then.
		w.SLM = unit.Some(float64(l.SLM) / 1024)
	}
	if l.Policy != predict.Auto {
		w.Policy = unit.NonZero(l.Policy.String())
	}
	w.Measured, w.Peak, w.Total, w.LaunchTime = r.Measured, r.Peak, r.Total, r.Average()
	w.Verdict = verdictWord(r.Verdict)
	if p := report.NewPredictionValue(r.Predicted); p != nil {
		w.XeCore, w.RunPeak, w.RunAverage, w.Waves, w.Tail = p.XeCorePercent, p.PeakPercent, p.AveragePercent, p.Waves,
			p.TailPercent
		w.Limits, w.PerXeCore = strings.Join(p.Limits, ", "), unit.Some(p.WorkGroupsPerXeCore)
	}
}

// launchTable is the list that a kernel is picked from.
func launchTable(list []whatIfRow, decimals int) *report.Table {
	t := report.Rows("launches", len(list), func(i int) whatIfRow { return list[i] })
	t.In = report.Sheet
	t.Columns[t.Column("total")].Decimals = decimals
	return t
}

// whatIfDevice has the figures of a device for formulas: an absent one is not known. What a device has several of is
// text between blanks - register modes as "128:8 256:4", registers and threads per XVE - or a column each, as SLM steps
// are.
type whatIfDevice struct {
	Label        string            `col:"Device"`
	Name         string            `col:"Name"`
	Architecture string            `col:"Architecture"`
	SIMD         string            `col:"Sub-group sizes"`
	Modes        string            `col:"Registers:threads per XVE"`
	GroupExtra   string            `json:"group_extra" col:"Lower maximum of work-items for"`
	XeCores      unit.Opt[float64] `json:"xe_cores" col:"Xe-cores"`
	XVE          unit.Opt[float64] `col:"XVEs per Xe-core"`
	Threads      unit.Opt[float64] `col:"Threads per XVE"`
	GRF          unit.Opt[float64] `col:"Usual registers"`
	SLM          float64           `col:"SLM per Xe-core [KB]"`
	SLMGroup     float64           `json:"slm_group" col:"Maximum SLM per work-group [KB]"`
	GroupMax     unit.Opt[float64] `json:"group_max" col:"Maximum work-items per work-group"`
	GroupSlots   unit.Opt[float64] `json:"group_slots" col:"Maximum work-groups per Xe-core"`
	BarrierSlots unit.Opt[float64] `json:"barrier_slots" col:"Barriers per Xe-core"`
}

// deviceTable is the list that a device is picked from. Where kernels are of explicit SIMD, all devices run such.
func deviceTable(devices []arch.Device, explicit bool) *report.Table {
	// Devices have different numbers of steps; a formula needs them in as many columns as the longest list has.
	steps := 1
	for i := range devices {
		steps = max(steps, len(devices[i].SLMSteps))
	}
	t := report.Rows("device_figures", len(devices), func(i int) whatIfDevice {
		d := newWhatIfDevice(&devices[i])
		if explicit {
			d.SIMD = strconv.Itoa(predict.ExplicitSIMD) + " " + d.SIMD
		}
		return d
	})
	t.In = report.Sheet
	for i := range steps {
		n := strconv.Itoa(i + 1)
		t.Columns = append(t.Columns, report.Column{Key: "step" + n, Title: "SLM step " + n, Unit: "KB",
			Kind: report.Number, In: report.Sheet})
	}
	// Steps are appended to rows that tags describe, since their number is not known before the devices are.
	figures := t.Row
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		dst = figures(i, dst)
		for _, step := range devices[i].SLMSteps {
			dst = append(dst, report.NumCell(report.Number, float64(step)/1024))
		}
		return append(dst, make([]report.Cell, steps-len(devices[i].SLMSteps))...)
	}
	return t
}

func newWhatIfDevice(d *arch.Device) whatIfDevice {
	known := func(n int) unit.Opt[float64] {
		if n < 1 {
			return unit.Opt[float64]{}
		}
		return unit.Some(float64(n))
	}
	v := whatIfDevice{
		Label: deviceLabel(d), Name: report.OneLine(d.Name), Architecture: d.Architecture,
		SIMD: strings.ReplaceAll(report.Numbers(d.SIMDWidths), ",", ""), Modes: modeText(d), GroupExtra: extraText(d),
		XeCores: known(d.XeCores), XVE: known(d.XVEPerXeCore), Threads: known(d.ThreadsPerXVE),
		GRF: known(usualRegisters(d)), SLM: float64(d.SLMPerXeCore) / 1024, SLMGroup: float64(d.SLMPerGroupMax) / 1024,
		GroupMax:   known(d.MaxGroupSize),
		GroupSlots: known(d.GroupSlots),
	}
	if len(d.BarrierSlots) > 0 {
		v.BarrierSlots = known(d.BarrierSlots[0].Count)
	}
	return v
}

// deviceLabel is what a person picks. Spreadsheets look texts up with wildcards, so it has none.
func deviceLabel(d *arch.Device) string {
	return report.CutMiddle(strings.Map(func(r rune) rune {
		if strings.ContainsRune("*?~", r) {
			return '-'
		}
		return r
	}, report.OneLine(d.Key+": "+d.Name)), 120)
}

// grfModesOf lists the register modes; a device without any has one that leaves all threads.
func grfModesOf(d *arch.Device) []arch.GRFMode {
	if len(d.GRFModes) == 0 {
		m, _ := predict.GRFModeFor(d, 0)
		return []arch.GRFMode{m}
	}
	return d.GRFModes
}

// modeText is a text that FIND searches: no spreadsheet function reads a list out of one cell.
func modeText(d *arch.Device) string {
	return strings.Join(report.ListOf(grfModesOf(d), func(m arch.GRFMode) string {
		return fmt.Sprintf("%d:%d", m.Registers, m.ThreadsPerXVE)
	}), " ")
}

// usualRegisters is the mode of a kernel that asks for none: the first at or above 128 registers.
func usualRegisters(d *arch.Device) int {
	modes := grfModesOf(d)
	if m, ok := predict.GRFModeFor(d, 128); ok {
		return m.Registers
	}
	return modes[len(modes)-1].Registers
}

// extraText lists the kernels that may have fewer work-items in a work-group than the device's maximum: "16/256=512"
// are at most 512 at sub-group size 16 with 256 registers.
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
