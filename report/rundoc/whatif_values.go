package rundoc

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// startValues are what the formulas of the sheet give for the launch that is picked at first, by their names, so that
// programs that do not compute formulas show them as well. They come from packages predict and compare; a test holds
// the formulas against them.
func startValues(w *report.WhatIf, r *compare.Result, start *whatIfRow) map[string]report.Cell {
	d := r.Device
	v := map[string]report.Cell{"run_row": report.IntCell(1), "device_row": report.IntCell(0),
		"status": report.TextCell("cannot run: pick a device from the list")}
	picked(v, "", w.Launches)
	for k, c := range v {
		if name, own := strings.CutPrefix(k, "own_"); own { // nothing is changed yet
			v[name] = c
		}
	}
	launchValues(v, d, &start.launch)
	if d == nil {
		return v
	}
	v["device_row"] = report.IntCell(1)
	picked(v, "d_", w.Devices)
	wordValues(v)
	p, err := predict.Predict(d, start.launch)
	var refused *predict.LaunchError
	if errors.As(err, &refused) {
		v["status"] = report.TextCell("cannot run: " + refused.Text)
	} else {
		v["status"] = report.TextCell("runs")
		predictionValues(v, d, &p)
	}
	v["verdict"] = report.TextCell(string(compare.NoPrediction))
	// The row for values of one's own, where a run has no kernel: nothing was measured.
	if start.row == nil {
		return v
	}
	// As the sheet judges it: by the row alone.
	if row := r.Judge(&start.row.Kernel); row.Predicted != nil {
		v["verdict"], v["model_peak"] = report.TextCell(string(row.Verdict)), report.RatioCell(row.ModelPeak)
		v["basis"], v["difference"] = report.TextCell(report.BasisText(row.Basis)), report.OptPoints(row.Difference)
	}
	return v
}

// picked are the figures of the first row of a table.
// The first row is the one that the sheet begins with.
func picked(v map[string]report.Cell, prefix string, t *report.Table) {
	for i, c := range t.Row(0, nil) {
		if c.Kind != report.Absent {
			v[prefix+t.Columns[i].Key] = c
		}
	}
}

// launchValues are the launch as it is used.
func launchValues(v map[string]report.Cell, d *arch.Device, l *predict.Launch) {
	if d == nil {
		d = &arch.Device{}
	}
	size := func(prefix string, s unit.Size3) {
		for i, axis := range []string{"x", "y", "z"} {
			if s.Present() {
				v[prefix+axis] = report.IntCell(s.Dim(i))
			}
		}
	}
	size("g", l.Global)
	size("l", l.Local)
	v["slm"] = report.NumCell(report.Number, float64(l.SLM)/1024)
	v["barriers"] = report.IntCell(l.Barriers)
	switch {
	case l.GRF > 0:
		v["grf"] = report.IntCell(l.GRF)
	case len(d.GRFModes) > 0 || d.ThreadsPerXVE > 0:
		v["grf"] = report.IntCell(usualRegisters(d))
	}
	policy := l.Policy.String()
	if l.Policy == predict.Auto {
		policy = predict.Free.String()
		if l.SLM > 0 || l.Barriers > 0 {
			policy = predict.Whole.String()
		}
	}
	v["policy"] = report.TextCell(policy)
	stepValues(v, d, l)
}

// stepValues are the steps that the check of a launch looks at, so that they are there whether or not it can run.
// They repeat a few lines of package predict, which gives no steps of a launch that it refuses.
func stepValues(v map[string]report.Cell, d *arch.Device, l *predict.Launch) {
	slots, threads := d.SlotsPerXeCore(), 0
	for _, m := range grfModesOf(d) {
		if int64(m.Registers) == v["grf"].Int {
			threads = min(m.ThreadsPerXVE, d.ThreadsPerXVE)
			break
		}
	}
	if slots > 0 {
		v["slots"], v["mode_slots"] = report.IntCell(slots), report.IntCell(threads*d.XVEPerXeCore)
	}
	allocated := l.SLM
	for _, step := range d.SLMSteps {
		if step >= l.SLM {
			allocated = step
			break
		}
	}
	v["slm_allocated"] = report.NumCell(report.Number, float64(allocated)/1024)
	if n := predict.MaxGroupSize(d, l.SIMD, int(v["grf"].Int)); n > 0 {
		v["group_max"] = report.IntCell(n)
	}
	items, ok := l.Local.Items()
	if !ok || !l.Local.Present() {
		return
	}
	v["group_size"] = report.IntCell(items)
	if l.SIMD > 0 {
		n := (items + int64(l.SIMD) - 1) / int64(l.SIMD)
		v["threads_per_group"], v["idle_lanes"] = report.IntCell(n), report.IntCell(n*int64(l.SIMD)-items)
	}
}

func predictionValues(v map[string]report.Cell, d *arch.Device, p *predict.Prediction) {
	limit := func(n int64) report.Cell {
		if n == predict.Unlimited {
			return report.TextCell("no limit")
		}
		return report.IntCell(n)
	}
	percent := func(key string, r unit.Ratio) { v[key] = report.RatioCell(r) }
	v["by_threads"], v["by_slm"], v["by_slots"], v["by_barriers"] = limit(p.ByThreads), limit(p.BySLM),
		limit(p.BySlots), limit(p.ByBarriers)
	v["n"] = report.IntCell(p.GroupsPerXeCore)
	// Of the three limits that do not depend on the register mode; 10^18 is the sheet's word for none.
	v["by_others"] = report.IntCell(int64(1e18))
	for _, n := range []int64{p.BySLM, p.BySlots, p.ByBarriers} {
		if n != predict.Unlimited {
			v["by_others"] = report.IntCell(min(n, v["by_others"].Int))
		}
	}
	percent("xe_core", p.XeCore)
	percent("of_mode", p.XeCoreOfMode)
	v["limits"] = report.TextCell(strings.Join(p.Limits.Names(), ", "))
	var remarks []string
	if p.Partial {
		remarks = append(remarks, "the last work-group of a dimension is smaller and counts as a whole one")
	}
	if p.IdleLanes > 0 {
		remarks = append(remarks, fmt.Sprintf("%d idle lanes in each work-group", p.IdleLanes))
	}
	v["remarks"] = report.TextCell(strings.Join(remarks, "; "))
	if !p.HasGrid() {
		return
	}
	total := p.Groups * p.ThreadsPerGroup
	// The prediction has the quotient only; the capacity is a whole number of threads.
	capacity := int64(math.Round(float64(total) / p.Waves))
	v["groups"], v["thread_total"], v["gpu_slots"], v["capacity"] = report.IntCell(p.Groups), report.IntCell(total),
		report.IntCell(d.Slots()), report.IntCell(capacity)
	v["full"], v["rest"] = report.IntCell(total/capacity), report.IntCell(total%capacity)
	percent("peak", p.Peak)
	percent("average", p.Average)
	percent("average_high", p.AverageHigh)
	percent("nearest", p.Nearest(unit.FromPercent(v["measured"].Num)))
	v["waves"] = report.NumCell(report.Number, p.Waves)
	percent("tail", p.Tail)
}

// wordValues are the sentences that say what a figure may be.
// Without a figure there is no sentence: "at most 0" would be a limit.
func wordValues(v map[string]report.Cell) {
	say := func(key, need, format string, args ...any) {
		if v[need].Kind != report.Absent {
			v["words_"+key] = report.TextCell(fmt.Sprintf(format, args...))
		}
	}
	perGroup, slm := v["d_slm_group"].Num, v["d_slm"].Num
	say("lx", "group_max", "at most %d work-items in all", v["group_max"].Int)
	say("simd", "d_simd", "one of %s", v["d_simd"].Text)
	say("slm", "d_slm_group", "at most %s KB; an Xe-core has %s KB", report.Shortest(min(perGroup, slm)),
		report.Shortest(slm))
	say("barriers", "d_barrier_slots", "at most %s", report.Shortest(v["d_barrier_slots"].Num))
	say("grf", "d_modes", "registers:threads per XVE are %s", v["d_modes"].Text)
}
