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
// What goes wrong is a sentence of the section and no error: the page still has the prediction to show.
func (a *App) calculatorSections(d *arch.Device, l *predict.Launch) []report.Section {
	const key, title = "calculator", "Intel GPU Occupancy Calculator"
	list, err := a.calculated(d, l, key, title)
	if err != nil {
		return []report.Section{{Key: key, Title: title, Text: []string{report.UpperFirst(err.Error()) + "."}}}
	}
	return list
}

// calculated asks the calculator. The SLM of the form is in bytes and that of the calculator in whole KB, so it is rounded
// up.
func (a *App) calculated(d *arch.Device, l *predict.Launch, key, title string) ([]report.Section, error) {
	calculators, err := a.calculators()
	if err != nil {
		return nil, err
	}
	of, ok := calculatorOf(calculators, d)
	if !ok {
		return nil, fmt.Errorf("the calculator does not know %s", d.Name)
	}
	in := calculator.Input{Global: times(l.Global.String()), Local: times(l.Local.String()), SIMD: l.SIMD,
		SLMKB: int(math.Ceil(float64(l.SLM) / 1024)), Barrier: l.Barriers > 0}
	if in.LargeGRF, err = calculator.LargeGRF(l.GRF); err != nil {
		return nil, fmt.Errorf("the calculator has no such register mode: %w", err)
	}
	ans, err := predictdoc.Calculator(&of, in)
	if err != nil {
		return nil, fmt.Errorf("the calculator gives no result: %w", err)
	}
	list := below(ans.Document(), key, title)
	if p, err := predict.Predict(d, *l); err == nil {
		list[0].Text = append(list[0].Text, differences(&of, calculator.Run(&of, in), d, l, &p)...)
	}
	return list, nil
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
	differ("Xe-core occupancy", o.XeCorePercent, p.XeCore.Percent(), "%")
	if g := o.GPU; g != nil && p.HasGrid() {
		differ("Peak", g.PeakPercent, p.Peak.Percent(), "%")
		differ("Average", g.AveragePercent, p.Average.Percent(), "%")
		differ("Waves", g.Waves, p.Waves, "")
	}
	if len(list) == 0 {
		return []string{"The calculator and the model agree."}
	}
	reason := func(counts bool, format string, args ...any) {
		if counts {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	counted := func(what string, theirs, ours int) {
		reason(theirs != ours, "It counts %d %s where the device table has %d.", theirs, what, ours)
	}
	counted("Xe-cores", int(of.XeCores()), d.XeCores)
	counted("XVEs per Xe-core", of.XVEPerXeCore, d.XVEPerXeCore)
	counted("work-group slots per Xe-core", of.GroupSlots, d.GroupSlots)
	counted("KB of SLM per Xe-core", of.SLMKB, int(d.SLMPerXeCore/1024))
	counted("thread slots per Xe-core", of.Threads, d.SlotsPerXeCore())
	reason(of.XeCores() != math.Trunc(of.XeCores()), "It counts a fraction of an Xe-core.")
	reason(p.Policy == predict.Free && p.HasGrid(),
		"It keeps each work-group whole on one Xe-core, also without a barrier and SLM.")
	reason(p.HasGrid() && p.Limits&predict.LimitGrid != 0,
		"Its Xe-core occupancy is that of a launch this small; here it is that of a full Xe-core.")
	reason(l.Barriers > 1, "It knows one barrier per work-group or none.")
	return list
}
