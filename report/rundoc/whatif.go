package rundoc

import (
	"strconv"
	"strings"

	"occudiff/report"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// whatIfLaunches is how many kernels a sheet offers: nobody scrolls through a list of more.
const whatIfLaunches = 1000

// whatIfRow is a kernel as the sheet offers it.
type whatIfRow struct {
	row    *compare.Row
	launch predict.Launch
	label  string
	others bool // the counters are not the kernel's
}

func whatIfSection(r *compare.Result, rows *rowSet) report.Section {
	return report.Section{Key: report.SectionWhatIf, Title: "What if", Sheet: "What-if", In: report.Sheet,
		WhatIf: func() (*report.WhatIf, error) { return newWhatIf(r, rows) }}
}

func newWhatIf(r *compare.Result, rows *rowSet) (*report.WhatIf, error) {
	builtin, err := arch.Builtin()
	if err != nil {
		return nil, err
	}
	devices := builtin.Devices()
	if d := r.Device; d != nil { // first, and as it is: it may be a part of one, or from a device file
		list := []arch.Device{*d}
		for i := range devices {
			if devices[i].Key != d.Key {
				list = append(list, devices[i])
			}
		}
		devices = list
	}
	launches := whatIfRows(r, rows)
	w := &report.WhatIf{
		Text: []string{
			"Pick a device and a kernel, then fill in what you would change in the yellow cells; an empty one keeps the kernel's own figure. All that stands below is computed by formulas, as docs/model.md has them.",
			"Sizes have up to three dimensions: where one is filled in, the empty ones beside it count as 1. Sizes up to 10^15 threads are exact.",
		},
		Devices: deviceTable(devices), Launches: launchTable(launches, rows),
		TailPoints: float64(predict.TailPoints), Tolerance: float64(r.Options.Tolerance),
	}
	if rows.kernels > len(launches)-1 {
		w.Text = append(w.Text, "The list has the first "+report.Thousands(whatIfLaunches)+" of "+report.Thousands(int64(rows.kernels))+" kernels: those that need attention, then by time.")
	}
	for i := range devices {
		w.SubGroups = union(w.SubGroups, devices[i].SIMDWidths)
		for _, m := range devices[i].GRFModes {
			w.Registers = union(w.Registers, []int{m.Registers})
		}
	}
	w.Launch = launches[0].label
	if r.Device != nil {
		w.Device = deviceLabel(r.Device)
		w.RunDevice = w.Device
	}
	w.Values = startValues(w, r, &launches[0])
	wordValues(w)
	return w, nil
}

// union adds numbers to a rising list.
func union(list, more []int) []int {
	for _, n := range more {
		at := 0
		for at < len(list) && list[at] < n {
			at++
		}
		if at == len(list) || list[at] != n {
			list = append(list[:at], append([]int{n}, list[at:]...)...)
		}
	}
	return list
}

// whatIfRows lists the kernels, and a last row without any figure, for launches that nobody ran.
func whatIfRows(r *compare.Result, rows *rowSet) []whatIfRow {
	n := min(rows.kernels, whatIfLaunches)
	names := make([]string, n)
	for i := range n {
		names[i] = report.OneLine(r.Row(i, nil).Task)
	}
	list := make([]whatIfRow, n, n+1)
	for i, name := range report.CutApart(names, 60) {
		row := r.Row(i, nil)
		label := strconv.Itoa(i+1) + ". " + name
		if s := shape(row); s != "" {
			label += " (" + s + ")"
		}
		list[i] = whatIfRow{row, whatIfLaunch(r, row), label, !r.Measurable(row)}
	}
	return append(list, whatIfRow{label: "0. none: all figures are mine"})
}

// whatIfLaunch is the launch of a row as the comparison predicted it. Its policy is named only where the figures of the
// launch would not choose it.
func whatIfLaunch(r *compare.Result, row *compare.Row) predict.Launch {
	l := r.LaunchOf(row)
	if (l.Policy == predict.Whole) == (l.SLM > 0 || l.Barriers > 0) {
		l.Policy = predict.Auto
	}
	return l
}

// launchTable is the kernels' launches as numbers, and what was seen of them.
func launchTable(list []whatIfRow, rows *rowSet) *report.Table {
	number := func(key, title, unit string) report.Column {
		return report.Column{Key: key, Title: title, Unit: unit, Kind: report.Integer, In: report.Sheet}
	}
	columns := []report.Column{
		number("number", "Number", ""), {Key: "label", Title: "Kernel", Kind: report.Text, In: report.Sheet},
		number("gx", "Global x", ""), number("gy", "Global y", ""), number("gz", "Global z", ""),
		number("lx", "Local x", ""), number("ly", "Local y", ""), number("lz", "Local z", ""),
		number("simd", "SIMD", ""), {Key: "slm", Title: "SLM per work-group", Unit: "KB", Kind: report.Number, Decimals: 3, In: report.Sheet},
		number("barriers", "Barriers", ""), number("grf", "Registers per thread", ""), {Key: "policy", Title: "Policy", Kind: report.Text, In: report.Sheet},
		{Key: "measured", Title: "Measured", Unit: "%", Kind: report.Percent, In: report.Sheet},
		{Key: "peak", Title: "VTune peak", Unit: "%", Kind: report.Percent, In: report.Sheet},
		{Key: "total", Title: "Time", Unit: "s", Kind: report.Number, Decimals: rows.decimals, In: report.Sheet},
		{Key: "launch_time", Title: "Time per launch", Unit: "s", Kind: report.Number, Decimals: 6, In: report.Sheet},
		{Key: "counters", Title: "Counters", Kind: report.Text, In: report.Sheet},
		{Key: "run_xe_core", Group: "Predicted", Title: "Xe-core", Unit: "%", Kind: report.Percent, In: report.Sheet},
		{Key: "run_peak", Group: "Predicted", Title: "peak", Unit: "%", Kind: report.Percent, In: report.Sheet},
		{Key: "run_average", Group: "Predicted", Title: "average", Unit: "%", Kind: report.Percent, In: report.Sheet},
		{Key: "run_waves", Title: "Waves", Kind: report.Number, Decimals: 2, In: report.Sheet},
		{Key: "run_tail", Title: "Last wave", Unit: "%", Kind: report.Percent, In: report.Sheet},
		{Key: "run_limits", Title: "Limited by", Kind: report.Text, In: report.Sheet},
		number("run_n", "Work-groups per Xe-core", ""), {Key: "run_verdict", Title: "Verdict", Kind: report.Text, In: report.Sheet, Words: verdictWords()},
	}
	t := report.Fixed("launches", "", columns, nil)
	t.In, t.Len, t.Main = report.Sheet, len(list), len(list)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		w := &list[i]
		if w.row == nil {
			dst = append(dst, report.IntCell(0), report.TextCell(w.label))
			return append(dst, make([]report.Cell, len(columns)-2)...)
		}
		dst = append(dst, report.IntCell(i+1), report.TextCell(w.label))
		dst = append(dst, launchCells(&w.launch)...)
		return append(dst, w.seen()...)
	}
	return t
}

func launchCells(l *predict.Launch) []report.Cell {
	cells := make([]report.Cell, 0, 11)
	for _, size := range []unit.Size3{l.Global, l.Local} {
		for i := range 3 {
			c := report.Cell{}
			if i < size.Rank() {
				c = report.IntCell(size.Dim(i))
			}
			cells = append(cells, c)
		}
	}
	policy := report.Cell{}
	if l.Policy != predict.Auto {
		policy = report.TextCell(l.Policy.String())
	}
	return append(cells, used(l.SIMD), kilobytes(l.SLM), used(l.Barriers), used(l.GRF), policy)
}

// countersOfOthers marks rows whose counters are not the kernel's.
const countersOfOthers = "of others"

func (w *whatIfRow) seen() []report.Cell {
	r, counters := w.row, report.Cell{}
	if w.others {
		counters = report.TextCell(countersOfOthers)
	}
	cells := []report.Cell{report.OptPercent(r.Measured), report.OptPercent(r.Peak), report.OptSeconds(r.Total, 1), report.OptSeconds(r.Average(), 1), counters}
	p := r.Predicted
	if p == nil {
		cells = append(cells, make([]report.Cell, 7)...)
	} else {
		xe, grid := []report.Cell{report.RatioCell(p.XeCore)}, make([]report.Cell, 4)
		if p.HasGrid() {
			grid = []report.Cell{report.RatioCell(p.Peak), report.RatioCell(p.Average), report.NumCell(report.Number, p.Waves), report.RatioCell(p.Tail)}
		}
		cells = append(append(append(cells, xe...), grid...), report.TextCell(strings.Join(p.Limits.Names(), ", ")), report.IntCell(p.GroupsPerXeCore))
	}
	return append(cells, report.TextCell(string(r.Verdict)))
}

// used is a figure that is absent at 0.
func used(n int) report.Cell {
	if n == 0 {
		return report.Cell{}
	}
	return report.IntCell(n)
}

func kilobytes(b unit.Bytes) report.Cell {
	if b == 0 {
		return report.Cell{}
	}
	return report.NumCell(report.Number, float64(b)/1024)
}
