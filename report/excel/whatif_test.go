package excel

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
)

// computing is a workbook with what-if sheets of one content, and where each value stands on them.
func computing(t *testing.T, r *compare.Result, sheets int) (*excelize.File, *report.WhatIf, map[string]string) {
	t.Helper()
	d := rundoc.FromResult(r, provenance, builtin(t)...)
	s := sample.Section(d, report.SectionWhatIf)
	data := s.WhatIf
	b := newBook(excelize.TotalRows)
	if err := b.build(d); err != nil {
		t.Fatal(err)
	}
	b.placed[data.Devices.Key], b.placed[data.Launches.Key] = b.placed["device_figures"], b.placed["launches"]
	cells := map[string]string{}
	for name, at := range b.newWhatIf("What-if", s, data).at {
		cells[name] = strings.ReplaceAll(at, "$", "")
	}
	for i := 1; i < sheets; i++ {
		if err := b.whatIfSheet(sheetOf(i), s, data); err != nil {
			t.Fatal(err)
		}
	}
	var buf bytes.Buffer
	if err := b.write(&buf); err != nil {
		t.Fatal(err)
	}
	return open(t, buf.Bytes()), data, cells
}

func sheetOf(i int) string {
	if i == 0 {
		return "What-if"
	}
	return fmt.Sprint("What-if ", i)
}

func builtin(t testing.TB) []arch.Device {
	t.Helper()
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return table.Devices()
}

// trial is a launch to predict: what is entered, and on which device.
type trial struct {
	device *arch.Device
	launch predict.Launch
}

// trials makes launches of all kinds, also such that cannot run, over all devices.
func trials(t *testing.T, n int) []trial {
	t.Helper()
	devices := builtin(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	pick := func(list ...int) int { return list[rnd.IntN(len(list))] }
	list := make([]trial, n)
	for i := range list {
		d := &devices[rnd.IntN(len(devices))]
		if i%4 == 0 { // those with most modes and rules are few
			for len(d.GroupLimits) == 0 {
				d = &devices[rnd.IntN(len(devices))]
			}
		}
		l := predict.Launch{SIMD: d.SIMDWidths[rnd.IntN(len(d.SIMDWidths))], Policy: predict.Policy(rnd.IntN(3))}
		if rnd.IntN(2) == 0 {
			l.GRF = d.GRFModes[rnd.IntN(len(d.GRFModes))].Registers
		}
		if rnd.IntN(12) == 0 {
			l.SIMD, l.GRF = pick(8, 32, 64), pick(0, 256, 96, 160)
		}
		switch rnd.IntN(3) {
		case 0:
			l.Local = unit.Size(int64(pick(1, 7, 16, 64, 100, 128, 200, 256, 256, 512, 1000, 1024)))
		case 1:
			l.Local = unit.Size(int64(pick(1, 4, 8, 16, 33)), int64(pick(1, 4, 8, 16, 32)))
		default:
			l.Local = unit.Size(int64(pick(1, 3, 8)), int64(pick(1, 4, 8)), int64(pick(1, 2, 16)))
		}
		if rnd.IntN(2) == 0 {
			l.SLM = unit.Bytes(pick(1, 512, 1024, 2112, 4096, 5000, 16384, 20480, 24577, 32768, 65536, 131072, 131073))
		}
		if rnd.IntN(3) == 0 {
			l.Barriers = pick(1, 1, 2, 3, 8, 16, 33)
		}
		global := make([]int64, l.Local.Rank())
		for k := range global {
			global[k] = l.Local.Dim(k)*int64(1+rnd.IntN(300)) + int64(pick(0, 0, 0, 1))
		}
		if rnd.IntN(12) != 0 {
			l.Global = unit.Size(global...)
		}
		list[i] = trial{d, l}
	}
	return list
}

// enter puts a trial into the yellow cells of a sheet.
func enter(t *testing.T, f *excelize.File, sheet string, cells map[string]string, w *report.WhatIf, tr trial) {
	t.Helper()
	set := func(name string, v any) {
		if cells[name] == "" {
			t.Fatalf("no cell %s", name)
		}
		if err := f.SetCellValue(sheet, cells[name], v); err != nil {
			t.Fatal(err)
		}
	}
	set("device", labelOf(t, w, tr.device))
	size := func(prefix string, s unit.Size3) {
		for i := range s.Rank() {
			set("new_"+prefix+string("xyz"[i]), s.Dim(i))
		}
	}
	size("g", tr.launch.Global)
	size("l", tr.launch.Local)
	set("new_simd", tr.launch.SIMD)
	set("new_slm", float64(tr.launch.SLM)/1024)
	set("new_barriers", tr.launch.Barriers)
	if tr.launch.GRF != 0 {
		set("new_grf", tr.launch.GRF)
	}
	set("new_policy", tr.launch.Policy.String())
}

func labelOf(t *testing.T, w *report.WhatIf, d *arch.Device) string {
	t.Helper()
	for i := range w.Devices.Len {
		if label := w.Devices.Row(i, nil)[0].Text; strings.HasPrefix(label, d.Key+": ") {
			return label
		}
	}
	t.Fatalf("no device %s", d.Key)
	return ""
}

// expected gives what the sheet has to show for a trial, by package predict.
func expected(tr trial) map[string]any {
	p, err := predict.Predict(tr.device, tr.launch)
	if refused, ok := errors.AsType[*predict.LaunchError](err); ok {
		return map[string]any{"status": "cannot run: " + refused.Text, "xe_core": "", "peak": "", "average": "", "waves": "", "tail": "", "limits": "",
			"n": "", "by_threads": "", "thread_total": "", "verdict": "no prediction"}
	}
	limit := func(n int64) any {
		if n == predict.Unlimited {
			return "no limit"
		}
		return float64(n)
	}
	want := map[string]any{
		"status": "runs", "xe_core": p.XeCore.Percent(), "of_mode": p.XeCoreOfMode.Percent(), "n": float64(p.GroupsPerXeCore), "policy": p.Policy.String(),
		"limits": strings.Join(p.Limits.Names(), ", "), "threads_per_group": float64(p.ThreadsPerGroup), "idle_lanes": float64(p.IdleLanes),
		"by_threads": limit(p.ByThreads), "by_slm": limit(p.BySLM), "by_slots": limit(p.BySlots), "by_barriers": limit(p.ByBarriers),
		"slm_allocated": float64(p.SLMAllocated) / 1024, "peak": "", "average": "", "waves": "", "tail": "", "groups": "", "model_peak": "",
	}
	if p.HasGrid() {
		want["model_peak"] = modelPeak(tr, &p).Percent()
		want["peak"], want["average"], want["waves"], want["tail"] = p.Peak.Percent(), p.Average.Percent(), p.Waves, p.Tail.Percent()
		want["average_high"] = p.AverageHigh.Percent()
		want["groups"] = float64(p.Groups)
	}
	return want
}

// modelPeak is the peak in the register mode of the most threads, which the profiler takes every launch for.
func modelPeak(tr trial, p *predict.Prediction) unit.Ratio {
	l, threads := tr.launch, 0
	for _, m := range tr.device.GRFModes {
		if m.ThreadsPerXVE > threads {
			l.GRF, threads = m.Registers, m.ThreadsPerXVE
		}
	}
	if q, err := predict.Predict(tr.device, l); err == nil {
		return q.Peak
	}
	return p.Peak
}

// check holds a sheet against what is expected. A refusal may say after its text what would fit.
func check(t *testing.T, what string, get func(name string) string, want map[string]any) (same bool) {
	t.Helper()
	same = true
	for name, w := range want {
		got := get(name)
		ok := false
		switch w := w.(type) {
		case float64:
			x, err := strconv.ParseFloat(got, 64)
			ok = err == nil && math.Abs(x-w) <= 1e-9*math.Max(1, math.Abs(w))
		case string:
			ok = got == w || strings.HasPrefix(w, "cannot run") && strings.HasPrefix(got, w+" (")
		}
		if !ok {
			same = false
			t.Errorf("%s: %s is %q, want %v", what, name, got, w)
		}
	}
	return same
}

// TestWhatIfInLibreOffice lets LibreOffice predict launches and holds every figure against package predict.
func TestWhatIfInLibreOffice(t *testing.T) {
	const launches = 220
	f, w, cells := computing(t, sample.Absent(), launches)
	list := trials(t, launches)
	for i, tr := range list {
		enter(t, f, sheetOf(i), cells, w, tr)
	}
	out := recalculated(t, f)[0]
	ran, refused, devices := 0, 0, map[string]bool{}
	for i, tr := range list {
		get := func(name string) string { return cellOf(t, out[sheetOf(i)], cells[name]) }
		want := expected(tr)
		check(t, fmt.Sprintf("%s %+v", tr.device.Key, tr.launch), get, want)
		if want["status"] == "runs" {
			ran++
		} else {
			refused++
		}
		devices[tr.device.Key] = true
	}
	t.Logf("%d launches that run and %d that cannot, on %d devices", ran, refused, len(devices))
	if ran < 150 || refused < launches/20 || len(devices) < 30 {
		t.Error("the launches are not of all kinds")
	}
}

// TestWhatIfStart holds what the file has for the formulas against what LibreOffice computes for them.
func TestWhatIfStart(t *testing.T) {
	logs := sample.LogsOnly()
	logs.Options.SIMD = 16
	cases := []struct {
		reason string
		result *compare.Result
	}{
		{"kernels", sample.Gaussian()}, {"no device", sample.Absent()}, {"a log, which gives no sub-group size", sample.LogsOnly()},
		{"a log, completed", logs}, {"nothing at all", sample.Empty()},
	}
	var files []*excelize.File
	for _, c := range cases {
		f, _, _ := computing(t, c.result, 1)
		files = append(files, f)
	}
	for i, book := range recalculated(t, files...) {
		sameAsComputed(t, cases[i].reason, files[i], book["What-if"])
	}
}

// TestWhatIfVerdictsInLibreOffice picks kernels of a run, changes nothing, and holds what LibreOffice computes against what
// package compare said.
func TestWhatIfVerdictsInLibreOffice(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	run := &ingest.Run{Kernels: &ingest.Kernels{}}
	for i := range 150 {
		k := ingest.Kernel{Task: fmt.Sprint("k", i), Global: unit.Size(int64(256 * (1 + rnd.IntN(2000)))), Local: unit.Size(256), SIMD: unit.Some(16 << rnd.IntN(2)),
			Instances: unit.Some(int64(1 + rnd.IntN(20))), Total: unit.Some(unit.Seconds(math.Pow(10, -4+4*rnd.Float64()))), Reading: ingest.Reading(max(rnd.IntN(15)-12, 0))}
		if rnd.IntN(4) > 0 {
			k.Measured = unit.Some(unit.FromPercent(float64(rnd.IntN(1000)) / 10))
		}
		if rnd.IntN(3) > 0 {
			k.Peak = unit.Some(unit.FromPercent(float64(100 - rnd.IntN(3)*rnd.IntN(40))))
		}
		if rnd.IntN(3) == 0 {
			k.SLM, k.Barriers = unit.Some(unit.Bytes(1024*(1+rnd.IntN(60)))), unit.Some(int64(rnd.IntN(2)))
		}
		if rnd.IntN(6) == 0 {
			k.Local = unit.Size3{}
		}
		if rnd.IntN(3) == 0 {
			k.Registers = unit.Some(128 << rnd.IntN(2))
		}
		run.Kernels.Append(&k)
	}
	r := compare.Compare(run, sample.Device(), compare.DefaultOptions())
	f, w, cells := computing(t, r, r.Len())
	for i := range r.Len() {
		if err := f.SetCellValue(sheetOf(i), cells["kernel"], w.Launches.Row(i, nil)[1].Text); err != nil {
			t.Fatal(err)
		}
	}
	out := recalculated(t, f)[0]
	verdicts := map[compare.Verdict]int{}
	for i := range r.Len() {
		row := r.Row(i, nil)
		want := map[string]any{"verdict": string(row.Verdict), "run_verdict": string(row.Verdict), "difference": "", "peak": "", "average": "", "run_average": ""}
		if p := row.Predicted; p != nil {
			want["peak"], want["average"], want["run_average"] = p.Peak.Percent(), p.Average.Percent(), p.Average.Percent()
		} else {
			want["verdict"] = "no prediction" // also where nothing was measured
		}
		if d, ok := row.Difference.Value(); ok && row.Predicted != nil {
			want["difference"] = float64(d)
		}
		check(t, fmt.Sprintf("%s %v %v", row.Task, row.Measured, row.Peak), func(name string) string { return cellOf(t, out[sheetOf(i)], cells[name]) }, want)
		verdicts[row.Verdict]++
	}
	if len(verdicts) < 6 {
		t.Errorf("the kernels show %v, want all verdicts of kernels", verdicts)
	}
}

// TestChangedLaunchIsGray: what compares the measurement with another launch or device than the measured one has no color.
func TestChangedLaunchIsGray(t *testing.T) {
	const sheets = 4
	f, w, cells := computing(t, sample.Gaussian(), sheets)
	changes := [sheets]struct {
		reason, name string
		value        any
		gray         bool
	}{
		{"as it ran", "", nil, false}, {"another work-group", "new_ly", 2, true}, {"another policy", "new_policy", "whole", true},
		{"another device", "device", w.Devices.Row(3, nil)[0].Text, true},
	}
	for i, c := range changes {
		rules, err := f.GetConditionalFormats(sheetOf(i))
		if err != nil {
			t.Fatal(err)
		}
		rule := rules[cells["basis"]+":"+cells["verdict"]]
		if len(rule) != 1 || !rule[0].StopIfTrue {
			t.Fatalf("rules %v", rules)
		}
		if err := f.SetCellFormula(sheetOf(i), "Z1", rule[0].Criteria); err != nil {
			t.Fatal(err)
		}
		if c.name != "" {
			if err := f.SetCellValue(sheetOf(i), cells[c.name], c.value); err != nil {
				t.Fatal(err)
			}
		}
	}
	out := recalculated(t, f)[0]
	for i, c := range changes {
		if got := cellOf(t, out[sheetOf(i)], "Z1"); got != strings.ToUpper(fmt.Sprint(c.gray)) && got != map[bool]string{true: "1", false: "0"}[c.gray] {
			t.Errorf("%s: gray %q, want %t", c.reason, got, c.gray)
		}
	}
}

// sameAsComputed compares the value that the file has for every formula.
func sameAsComputed(t *testing.T, reason string, f *excelize.File, computed [][]string) {
	t.Helper()
	compared := 0
	for r := range computed {
		for k := range computed[r] {
			cell := address(k+1, r+1)
			if formula, err := f.GetCellFormula("What-if", cell); err != nil || formula == "" {
				continue
			}
			was, err := f.GetCellValue("What-if", cell)
			if err != nil {
				t.Fatal(err)
			}
			is := computed[r][k]
			a, err1 := strconv.ParseFloat(was, 64)
			b, err2 := strconv.ParseFloat(is, 64)
			if was != is && (err1 != nil || err2 != nil || math.Abs(a-b) > 1e-9*math.Max(1, math.Abs(a))) {
				t.Errorf("%s: %s, %s: the file has %q, LibreOffice computes %q", reason, cell, computed[r][0], was, is)
			}
			compared++
		}
	}
	if compared < 60 {
		t.Errorf("%s: %d formulas, want more", reason, compared)
	}
}

// TestWhatIfCalculates has the library compute a few launches, for where no program is at hand. It counts no cells that
// have formulas themselves (COUNTIF), and takes apart what is put together from conditions: launches with SLM,
// refusals and limits are left to LibreOffice.
func TestWhatIfCalculates(t *testing.T) {
	compared := 0
	for _, tr := range trials(t, 40) {
		want := expected(tr)
		delete(want, "limits")
		if delete(want, "model_peak"); want["status"] != "runs" || tr.launch.SLM > 0 {
			continue
		}
		f, w, cells := computing(t, sample.Absent(), 1)
		enter(t, f, "What-if", cells, w, tr)
		check(t, fmt.Sprintf("%s %+v", tr.device.Key, tr.launch), func(name string) string {
			v, err := f.CalcCellValue("What-if", cells[name], excelize.Options{RawCellValue: true})
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return v
		}, want)
		compared++
	}
	if compared < 8 {
		t.Errorf("%d launches, want more", compared)
	}
}
