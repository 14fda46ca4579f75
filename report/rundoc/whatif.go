package rundoc

import (
	"slices"

	"occudiff/compare"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
)

// whatIfSections are the sheet that predicts launches by itself, on the device of the run or on one of others. It
// offers the first kernels, whose times have so many decimals. There is none without a device to pick.
func whatIfSections(r *compare.Result, kernels, decimals int, others []arch.Device) []report.Section {
	devices := slices.Clone(others)
	if d := r.Device; d != nil { // first, and as it is: it may be a part of one
		devices = slices.DeleteFunc(devices, func(other arch.Device) bool { return other.Key == d.Key })
		devices = append([]arch.Device{*d}, devices...)
	}
	if len(devices) == 0 {
		return nil
	}
	// All devices are offered, for "what would it be on that GPU" is what the sheet is for.
	launches := whatIfRows(r, kernels)
	explicit := slices.ContainsFunc(launches, func(l whatIfRow) bool {
		return l.SIMD.Or(0) == predict.ExplicitSIMD
	})
	w := &report.WhatIf{
		Text: []string{
			"Pick a device and a kernel, then enter what you would change in the yellow cells; an empty cell keeps " +
				"the kernel's own value. Everything below is computed by the formulas of docs/model.md.",
			"Sizes have up to three dimensions: once one is filled in, the empty ones beside it count as 1. Sizes " +
				"up to 10^15 threads are exact.",
		},
		Devices: deviceTable(devices, explicit), Launches: launchTable(launches, decimals), Launch: launches[0].Label,
		TailPoints: float64(predict.TailPoints), Tolerance: float64(r.Options.Tolerance),
	}
	if kernels > len(launches)-1 {
		w.Text = append(w.Text,
			"The list has the first "+report.Thousands(whatIfLaunches)+" of "+report.Thousands(int64(kernels))+
				" kernels: those that need attention, then by slot time below the prediction.")
	}
	for i := range devices {
		w.SubGroups = append(w.SubGroups, devices[i].SIMDWidths...)
		for _, m := range devices[i].GRFModes {
			w.Registers = append(w.Registers, m.Registers)
		}
	}
	if explicit {
		w.SubGroups = append(w.SubGroups, predict.ExplicitSIMD)
	}
	w.SubGroups, w.Registers = set(w.SubGroups), set(w.Registers)
	if r.Device != nil {
		w.Device = deviceLabel(r.Device)
		w.RunDevice = w.Device
	}
	w.Values = startValues(w, r, &launches[0])
	return []report.Section{{Key: report.SectionWhatIf, Title: "What if", Sheet: "What-if", In: report.Sheet,
		WhatIf: w}}
}

// set sorts numbers and leaves each once.
func set(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}
