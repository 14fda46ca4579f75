package app

import (
	"fmt"
	"math"
	"strings"

	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// calculatorSections show what Intel's calculator has for the launch, and where and why it differs.
// What goes wrong is a sentence of the section and no error: the page still has the prediction to show. The SLM of the
// form is in bytes and that of the calculator in whole KB, so it is rounded up.
func (a *App) calculatorSections(d *arch.Device, l *predict.Launch) []report.Section {
	s := report.Section{Key: "calculator", Title: "Intel GPU Occupancy Calculator"}
	calculators, err := a.calculators()
	if err != nil {
		s.Text = []string{err.Error()}
		return []report.Section{s}
	}
	of, ok := calculatorOf(calculators, d)
	if !ok {
		s.Text = []string{"The calculator does not know " + d.Name + "."}
		return []report.Section{s}
	}
	in := calculator.Input{Global: times(l.Global.String()), Local: times(l.Local.String()), SIMD: l.SIMD,
		SLMKB: int(math.Ceil(float64(l.SLM) / 1024)), Barrier: l.Barriers > 0}
	if in.LargeGRF, err = calculator.LargeGRF(l.GRF); err != nil {
		s.Text = []string{"The calculator has no such register mode: " + err.Error() + "."}
		return []report.Section{s}
	}
	ans, err := predictdoc.Calculator(&of, in)
	if err != nil {
		s.Text = []string{"The calculator gives no result: " + err.Error()}
		return []report.Section{s}
	}
	list := below(ans.Document(), s.Key, s.Title)
	if p, err := predict.Predict(d, *l); err == nil {
		list[0].Text = append(list[0].Text, differences(&of, calculator.Run(&of, in), d, l, &p)...)
	}
	return list
}

// times writes a size in the notation of the calculator's form.
func times(size string) string { return strings.ReplaceAll(size, "x", "*") }

// differences names each figure in which the calculator and the model differ, and each input that they take another
// way.
// Figures differ from 0.05 on, half of the last digit that is printed. The inputs are listed only then: they are the
// reasons.
func differences(of *calculator.Device, o calculator.Output, d *arch.Device, l *predict.Launch,
	p *predict.Prediction) []string {
	var list []string
	differ := func(what string, theirs, ours float64, unit string) {
		if math.Abs(theirs-ours) >= 0.05 {
			list = append(list, fmt.Sprintf("%s: the calculator has %s%s, the model %s%s.", what,
				report.Decimal(theirs, 1), unit, report.Decimal(ours, 1), unit))
		}
	}
	differ("Xe-core occupancy", o.XeCorePercent, p.XeCore.Percent(), " %")
	if g, ok := o.GPU.Value(); ok && p.HasGrid() {
		differ("Peak", g.PeakPercent, p.Peak.Percent(), " %")
		differ("Average", g.AveragePercent, p.Average.Percent(), " %")
		differ("Waves", g.Waves, p.Waves, "")
	}
	if len(list) == 0 {
		return []string{"The calculator and the model agree."}
	}
	for _, in := range []struct {
		what         string
		theirs, ours int
	}{
		{"Xe-cores", int(math.Floor(of.XeCores())), d.XeCores},
		{"XVEs per Xe-core", of.XVEPerXeCore, d.XVEPerXeCore},
		{"work-group slots per Xe-core", of.GroupSlots, d.GroupSlots},
		{"KB of SLM per Xe-core", of.SLMKB, int(d.SLMPerXeCore / 1024)},
	} {
		if in.theirs != in.ours {
			list = append(list, fmt.Sprintf("It counts %d %s where the device table has %d.", in.theirs, in.what,
				in.ours))
		}
	}
	if of.XeCores() != math.Trunc(of.XeCores()) {
		list = append(list, "It counts a fraction of an Xe-core.")
	}
	if p.Policy == predict.Free && p.HasGrid() {
		list = append(list, "It keeps each work-group whole on one Xe-core, also without a barrier and SLM.")
	}
	if p.HasGrid() && p.Limits&predict.LimitGrid != 0 {
		list = append(list, "Its Xe-core occupancy is that of a launch this small; here it is that of a full Xe-core.")
	}
	if of.Threads != d.SlotsPerXeCore() {
		list = append(list, fmt.Sprintf("It counts %d thread slots per Xe-core where the device has %d.", of.Threads,
			d.SlotsPerXeCore()))
	}
	if l.Barriers > 1 {
		list = append(list, "It knows one barrier per work-group or none.")
	}
	return list
}
