package app

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// mostDevices is how many devices stand side by side.
const mostDevices = 6

// Launch is the state of the form: the fields as the link of the page has them.
// The keys are device, xve, global, local, simd, slm, registers, barriers,
// policy, with (further devices) and calculator. Everything is text as it was
// typed; an empty or missing field is one that was not given.
type Launch map[string]string

// launch reads the form.
func (f Launch) launch() (l predict.Launch, err error) {
	var errs [5]error
	l.Global, errs[0] = f.size("global")
	l.Local, errs[1] = f.size("local")
	l.SIMD, errs[2] = f.count("simd")
	l.Barriers, errs[3] = f.count("barriers")
	if text := strings.TrimSpace(f["slm"]); text != "" {
		if l.SLM, err = unit.ParseBytes(text); err != nil {
			errs[4] = fmt.Errorf("slm %w", err)
		}
	}
	l.Policy = map[string]predict.Policy{"free": predict.Free, "whole": predict.Whole}[f["policy"]]
	return l, cmp.Or(errs[:]...)
}

func (f Launch) size(name string) (unit.Size3, error) {
	text := unit.ExpandCounts(strings.TrimSpace(f[name]))
	if text == "" {
		return unit.Size3{}, nil
	}
	s, err := unit.ParseSize(text)
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

func (f Launch) count(name string) (int, error) {
	text := strings.TrimSpace(f[name])
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("%s: %q is not a whole number of 0 or more", name, text)
	}
	return n, nil
}

// question is the device and the launch that the form asks about. The registers
// pick the GRF mode of the device.
func (a *App) question(f Launch) (on arch.Choice, l predict.Launch, err error) {
	xves, err := f.count("xve")
	if err != nil {
		return on, l, err
	}
	if on, err = a.devices.Choose(arch.Options{Name: f["device"], XVEs: xves, Needed: true,
		Family: f["global"] == "", Naming: arch.ByForm}); err != nil {
		return on, l, err
	}
	if l, err = f.launch(); err != nil {
		return on, l, err
	}
	registers, err := f.count("registers")
	if err == nil && registers > 0 {
		l, err = l.ForRegisters(on.Device, registers)
	}
	return on, l, err
}

// Predict answers for the launch of the form: its figures, and every step of
// the reasoning. The figures are also what the elements peak, average, waves
// and limits show. It and PredictOthers are two questions, so that the figures
// need not wait for the curves and the advice.
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

// fields are the figures that the page shows large. Without a global size an
// Xe-core is predicted, not the GPU.
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

// PredictOthers answers what else there is to say of the launch: occupancy over
// the work-group size, SLM and the sub-group size, the same launch on other
// devices, the least change that helps, and what Intel's calculator shows. A
// part that has no answer, such as a sweep in which nothing runs, is left out:
// Predict has said what is wrong.
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
		doc.Sections = append(doc.Sections, below(ans.Document(), "advice", "What would raise it")...)
	}
	doc.Sections = append(doc.Sections, a.others(f, on, l)...)
	if f["calculator"] == "1" {
		doc.Sections = append(doc.Sections, a.calculatorSections(on.Device, &l)...)
	}
	return a.result(&report.Output{Doc: doc}, "")
}

// below returns the sections that a page has of a document, under a key and a
// heading of their own, without the lines that say which launch it is.
func below(d *report.Document, key, title string) []report.Section {
	list := slices.DeleteFunc(d.Sections, func(s report.Section) bool { return !s.Shown(report.Page) })
	if len(list) > 0 {
		s := &list[0]
		s.Key, s.Title = key, title
		s.Text = slices.DeleteFunc(s.Text, func(line string) bool { return slices.Contains(d.Headline, line) })
	}
	return list
}

// others show the launch on the devices of the form next to the chosen one,
// which comes first. A device that is none is said, and the others are there
// all the same.
func (a *App) others(f Launch, on arch.Choice, l predict.Launch) []report.Section {
	q := &predictdoc.Question{Launch: l, On: []arch.Choice{on}}
	title := "On other devices"
	var said []string
	for _, name := range strings.Split(f["with"], ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		switch c, err := a.devices.Choose(arch.Options{Name: name, Naming: arch.ByForm}); {
		case err != nil:
			for _, f := range ProblemsOf(err) {
				said = append(said, report.OneLine(report.UpperFirst(f.Text)+": "+f.Hint+"."))
			}
		case len(q.On) == mostDevices:
			said = append(said, fmt.Sprintf("At most %d devices stand side by side.", mostDevices))
		case c.Device.Key != on.Device.Key:
			q.On = append(q.On, c)
		}
	}
	if len(q.On) > 1 {
		if ans, err := predictdoc.Predict(q); err == nil {
			list := below(ans.Document(), "others", title)
			list[0].Text = append(said, list[0].Text...)
			return list
		}
	}
	if said == nil {
		return nil
	}
	return []report.Section{{Key: "others", Title: title, Text: said}}
}

// calculatorSections show what Intel's calculator has for the launch, and where
// and why it differs. What goes wrong is a sentence of the section and no
// error: the page still has the prediction to show.
func (a *App) calculatorSections(d *arch.Device, l *predict.Launch) []report.Section {
	const key, title = "calculator", "Intel GPU Occupancy Calculator"
	list, err := a.calculated(d, l, key, title)
	if err != nil {
		return []report.Section{{Key: key, Title: title, Text: []string{report.UpperFirst(err.Error()) + "."}}}
	}
	return list
}

// calculated asks the calculator. The SLM of the form is in bytes and that of
// the calculator in whole KB, so it is rounded up.
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

// differences names each figure in which the calculator and the model differ,
// and each input that they take another way. Figures differ from 0.05 on, half
// of the last digit that is printed. The inputs are listed only then: they are
// the reasons.
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

// DeviceChoice is a device of the form with what it admits. All of them are in
// the page's HTML, so that the form is whole before the program runs.
type DeviceChoice struct {
	Key          string `json:"key"`
	Name         string `json:"name"`
	Architecture string `json:"architecture"`
	SIMD         []int  `json:"simd"`
	Registers    []int  `json:"registers"`
	SLM          int64  `json:"slm"`        // per work-group
	MaxItems     int64  `json:"items"`      // per work-group
	Calculator   bool   `json:"calculator"` // whether Intel's calculator knows it
}

// DeviceChoices lists what the form offers, in the order of the built-in table.
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

// calculatorOf finds a device in the list of Intel's calculator by its PCI ids,
// with its XVE count where the calculator offers that.
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
