package app

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// mostDevices is the maximum number of devices that the page compares.
const mostDevices = 6

// Launch is the state of the form. It has the same fields as a link to the
// page: device, xve, global, local, simd, slm, registers, barriers, policy,
// with (more devices), and calculator. Each value is the typed text. An empty
// or missing field means that the user did not give a value.
type Launch map[string]string

// question returns the device and the launch in the form. The number of
// registers selects the GRF mode of the device.
func (a *App) question(f Launch) (on arch.Choice, l predict.Launch, err error) {
	xves, err := predict.ParseCount("xve", f["xve"], 0)
	if err != nil {
		return on, l, err
	}
	if on, err = a.devices.Choose(arch.Options{Name: f["device"], XVEs: xves, Needed: true,
		Family: f["global"] == "", By: byForm}); err != nil {
		return on, l, err
	}
	if l, err = predict.ParseLaunch(func(field string) string { return f[field] }); err != nil {
		return on, l, err
	}
	l.Policy = map[string]predict.Policy{"free": predict.Free, "whole": predict.Whole}[f["policy"]]
	registers, err := predict.ParseCount("registers", f["registers"], 0)
	if err == nil && registers > 0 {
		l, err = l.ForRegisters(on.Device, registers)
	}
	return on, l, err
}

// Predict returns the prediction for the launch in the form, with every step.
// The fields of the result are the texts of the elements peak, average, waves,
// and limits. Predict and PredictOthers are separate requests, so that the
// prediction does not wait for curves and advice.
func (a *App) Predict(f Launch) (*Result, error) {
	on, l, err := a.question(f)
	if err != nil {
		return nil, err
	}
	ans, err := predictdoc.Predict(&predictdoc.Question{Launch: l, On: []arch.Choice{on}})
	if err != nil {
		return nil, err
	}
	p, err := predict.Predict(on.Device, l)
	if err != nil {
		return nil, err
	}
	r, err := a.result(ans, "prediction")
	if err == nil {
		r.Fields = fields(&p)
	}
	return r, err
}

// fields returns the values that the page shows in large type. Without a global
// size, the prediction is for one Xe-core and not for the GPU.
func fields(p *predict.Prediction) map[string]string {
	percent := func(r unit.Ratio) string { return report.Decimal(r.Percent(), 1) }
	f := map[string]string{"xecore": percent(p.XeCore), "peak": "-", "average": "-", "average-to": "", "waves": "-",
		"limits": strings.Join(p.Limits.Names(), ", ")}
	if p.HasGrid() {
		f["peak"], f["average"], f["waves"] = percent(p.Peak), percent(p.Average), report.Decimal(p.Waves, 2)
	}
	if p.Ranges() {
		f["average-to"] = ", up to " + percent(p.AverageHigh)
	}
	return f
}

// PredictOthers returns more about the launch: occupancy over the work-group
// size, SLM, and the sub-group size, the launch on other devices, the smallest
// change that helps, and the result of Intel's calculator. A part without a
// result is omitted, for example a sweep in which no launch can run. The error
// is reported by Predict.
func (a *App) PredictOthers(f Launch) (*Result, error) {
	on, l, err := a.question(f)
	if err != nil {
		return nil, err
	}
	doc := &report.Document{Version: a.prov.Version}
	curves := report.Section{Key: "curves", Title: "Occupancy over one setting"}
	for _, over := range []string{"local", "slm", "simd"} {
		if ans, err := predictdoc.Sweep(&on, l, over); err == nil && ans.Chart != nil {
			chart := *ans.Chart
			chart.Key, chart.Title = over, ans.Document().Title
			curves.Plots = append(curves.Plots, chart)
		}
	}
	if len(curves.Plots) > 0 {
		doc.Sections = append(doc.Sections, curves)
	}
	if ans, err := predictdoc.Advise(&on, l,
		predict.VariableSettings{Local: true, SIMD: true, SLM: true, GRF: true}); err == nil {
		doc.Sections = append(doc.Sections, below(ans.Document(), "advice", "Settings with a higher occupancy")...)
	}
	doc.Sections = append(doc.Sections, a.others(f, on, l)...)
	if f["calculator"] == "1" {
		doc.Sections = append(doc.Sections, a.calculatorSections(on.Device, &l)...)
	}
	return a.result(&report.Output{Doc: doc}, "")
}

// below returns the sections of a document for a place below the prediction:
// with another key and heading, and without the lines that describe the launch.
func below(d *report.Document, key, title string) []report.Section {
	list := slices.DeleteFunc(d.Sections, func(s report.Section) bool { return !s.Shown(report.Page) })
	if len(list) > 0 {
		s := &list[0]
		s.Key, s.Title = key, title
		s.Text = slices.DeleteFunc(s.Text, func(line string) bool { return slices.Contains(d.Headline, line) })
	}
	return list
}

// others returns a section that compares the prediction for the selected device
// with the other devices in the form. The selected device comes first. If a
// device is unknown, the section reports it and still shows the other devices.
func (a *App) others(f Launch, on arch.Choice, l predict.Launch) []report.Section {
	q := &predictdoc.Question{Launch: l, On: []arch.Choice{on}}
	title := "On other devices"
	var problems []string
	for _, name := range strings.Split(f["with"], ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		switch c, err := a.devices.Choose(arch.Options{Name: name, By: byForm}); {
		case err != nil:
			for _, f := range ProblemsOf(err) {
				problems = append(problems, report.OneLine(report.UpperFirst(f.Text)+": "+f.Hint+"."))
			}
		case len(q.On) == mostDevices:
			problems = append(problems, fmt.Sprintf("At most %d devices are shown next to each other.", mostDevices))
		case c.Device.Key != on.Device.Key:
			q.On = append(q.On, c)
		}
	}
	if len(q.On) > 1 {
		if ans, err := predictdoc.Predict(q); err == nil {
			list := below(ans.Document(), "others", title)
			list[0].Text = append(problems, list[0].Text...)
			return list
		}
	}
	if problems == nil {
		return nil
	}
	return []report.Section{{Key: "others", Title: title, Text: problems}}
}

// calculatorSections returns sections with the result of Intel's calculator for
// the launch, and with the differences from the prediction and their reasons.
// An error becomes a sentence of the section, because the page still has the
// prediction to show.
func (a *App) calculatorSections(d *arch.Device, l *predict.Launch) []report.Section {
	const key, title = "calculator", "Intel GPU Occupancy Calculator"
	list, err := a.calculated(d, l, key, title)
	if err != nil {
		return []report.Section{{Key: key, Title: title, Text: []string{report.UpperFirst(err.Error()) + "."}}}
	}
	return list
}

// calculated returns the sections of the calculator's result. SLM is rounded
// up, because the form has it in bytes and the calculator only in whole KB.
func (a *App) calculated(d *arch.Device, l *predict.Launch, key, title string) ([]report.Section, error) {
	calculators, err := a.calculators()
	if err != nil {
		return nil, err
	}
	of, ok := calculatorOf(calculators, d)
	if !ok {
		return nil, fmt.Errorf("the calculator does not contain %s", d.Name)
	}
	in := calculator.Input{Global: times(l.Global.String()), Local: times(l.Local.String()), SIMD: l.SIMD,
		SLMKB: int(math.Ceil(float64(l.SLM) / 1024)), Barrier: l.Barriers > 0}
	if in.LargeGRF, err = calculator.LargeGRF(l.GRF); err != nil {
		return nil, fmt.Errorf("the calculator has no such register mode: %w", err)
	}
	ans, err := predictdoc.Calculator(&of, in)
	if err != nil {
		return nil, fmt.Errorf("the calculator has no result: %w", err)
	}
	list := below(ans.Document(), key, title)
	if p, err := predict.Predict(d, *l); err == nil {
		list[0].Text = append(list[0].Text, differences(&of, calculator.Run(&of, in), d, l, &p)...)
	}
	return list, nil
}

// times returns a size in the notation of the calculator's form.
func times(size string) string { return strings.ReplaceAll(size, "x", "*") }

// differences returns a sentence for each value in which the calculator and the
// model differ, and for each difference of their inputs. Values differ by at
// least 0.05, half of the last printed digit. Differences of inputs are listed
// only if values differ, because they are the reasons for the differing values.
func differences(of *calculator.Device, o calculator.Output, d *arch.Device, l *predict.Launch,
	p *predict.Prediction) []string {
	var list []string
	differ := func(what string, theirs, ours float64, unit string) {
		if math.Abs(theirs-ours) >= 0.05 {
			list = append(list, fmt.Sprintf("%s: the calculator has %s%s, but the model has %s%s.", what,
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
		reason(theirs != ours, "It counts %d %s, but the device table has %d.", theirs, what, ours)
	}
	counted("Xe-cores", int(of.XeCores()), d.XeCores)
	counted("XVEs per Xe-core", of.XVEPerXeCore, d.XVEPerXeCore)
	counted("work-group slots per Xe-core", of.GroupSlots, d.GroupSlots)
	counted("KB of SLM per Xe-core", of.SLMKB, int(d.SLMPerXeCore/1024))
	counted("thread slots per Xe-core", of.Threads, d.SlotsPerXeCore())
	reason(of.XeCores() != math.Trunc(of.XeCores()), "It counts a fraction of an Xe-core.")
	reason(p.Policy == predict.Free && p.HasGrid(),
		"It keeps each work-group on one Xe-core, even without a barrier or SLM.")
	reason(p.HasGrid() && p.Limits&predict.LimitGrid != 0,
		"Its Xe-core occupancy is for a launch this small. Here, it is for a full Xe-core.")
	reason(l.Barriers > 1, "It supports at most one barrier per work-group.")
	return list
}

// DeviceChoice is a device of the form with its limits. The HTML of the page
// contains all devices, so that the form is complete before the program runs.
type DeviceChoice struct {
	Key          string `json:"key"`
	Name         string `json:"name"`
	Architecture string `json:"architecture"`
	SIMD         []int  `json:"simd"`
	Registers    []int  `json:"registers"`
	SLM          int64  `json:"slm"`        // largest SLM per work-group
	MaxItems     int64  `json:"items"`      // most work-items per work-group
	Calculator   bool   `json:"calculator"` // whether Intel's calculator contains it
}

// DeviceChoices returns the form's devices in the order of the built-in table.
func DeviceChoices() ([]DeviceChoice, error) {
	devices, err := arch.Builtin()
	if err != nil {
		return nil, err
	}
	calculators, err := calculator.Builtin()
	if err != nil {
		return nil, err
	}
	var list []DeviceChoice
	for _, d := range devices.Devices() {
		of := DeviceChoice{Key: d.Key, Name: d.Name, Architecture: d.Architecture, SIMD: d.SIMDWidths,
			SLM: int64(d.SLMPerGroupMax), MaxItems: int64(d.MaxGroupSize)}
		for _, m := range d.GRFModes {
			if m.ThreadsPerXVE > 0 {
				of.Registers = append(of.Registers, m.Registers)
			}
		}
		_, of.Calculator = calculatorOf(calculators, &d)
		list = append(list, of)
	}
	return list, nil
}

// calculatorOf returns the device in Intel's calculator that has one of the PCI
// ids of d. It has the XVE count of d if the calculator supports this count.
func calculatorOf(t calculator.Table, d *arch.Device) (calculator.Device, bool) {
	for _, id := range d.PCIIDs {
		if of, err := t.Find("pci:"+id, d.XVEs()); err == nil {
			return of, true
		}
		if of, err := t.Find("pci:"+id, 0); err == nil {
			return of, true
		}
	}
	return calculator.Device{}, false
}
