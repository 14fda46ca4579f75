package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// mostDevices is how many devices stand side by side.
const mostDevices = 6

// Launch is the state of the form: the fields as the link of the page has them.
// The keys are device, xve, global, local, simd, slm, registers, barriers, policy, with (further devices) and
// calculator. Everything is text as it was typed; an empty or missing field is one that was not given.
type Launch map[string]string

// launch reads the form.
func (f Launch) launch() (l predict.Launch, err error) {
	if l.Global, err = f.size("global"); err != nil {
		return l, err
	}
	if l.Local, err = f.size("local"); err != nil {
		return l, err
	}
	if l.SIMD, err = f.count("simd"); err != nil {
		return l, err
	}
	if l.Barriers, err = f.count("barriers"); err != nil {
		return l, err
	}
	if text := strings.TrimSpace(f["slm"]); text != "" {
		if l.SLM, err = unit.ParseBytes(text); err != nil {
			return l, fmt.Errorf("slm %w", err)
		}
	}
	l.Policy = map[string]predict.Policy{"free": predict.Free, "whole": predict.Whole}[f["policy"]]
	return l, nil
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

// question is the device and the launch that the form asks about. The registers pick the GRF mode of the device.
func (a *App) question(f Launch) (on arch.Choice, l predict.Launch, err error) {
	xves, err := f.count("xve")
	if err != nil {
		return on, l, err
	}
	if on, err = a.devices.Choose(arch.Options{Name: f["device"], XVEs: xves, Needed: true,
		Naming: arch.ByForm}); err != nil {
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

// Predict answers for the launch of the form: its figures, and every step of the reasoning. The figures are also what
// the elements peak, average, waves and limits show.
// It and Beside are two questions, so that the figures need not wait for the curves and the advice.
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

// fields are the figures that the page shows large. Without a global size an Xe-core is predicted, not the GPU.
func fields(p *predict.Prediction) map[string]string {
	percent := report.Column{Kind: report.Percent}
	show := func(c report.Cell) string { return percent.Print(c) }
	f := map[string]string{"xecore": show(report.RatioCell(p.XeCore)), "peak": show(report.Cell{}),
		"average": show(report.Cell{}), "average-to": "", "waves": show(report.Cell{}),
		"limits": strings.Join(p.Limits.Names(), ", ")}
	if p.Ranges() {
		f["average-to"] = ", up to " + show(report.RatioCell(p.AverageHigh))
	}
	if p.HasGrid() {
		f["peak"], f["average"] = show(report.RatioCell(p.Peak)), show(report.RatioCell(p.Average))
		f["waves"] = report.Column{Kind: report.Number, Decimals: 2}.Print(report.NumCell(report.Number, p.Waves))
	}
	return f
}

// Beside answers what else there is to say of the launch: occupancy over the work-group size, SLM and the sub-group
// size, the same launch on other devices, the least change that helps, and what Intel's calculator shows.
// A part that has no answer, such as a sweep in which nothing runs, is left out: Predict has said what is wrong.
func (a *App) Beside(f Launch) (*Result, error) {
	on, l, err := a.question(f)
	if err != nil {
		return nil, err
	}
	doc := &report.Document{Version: a.Version}
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
	if ans, err := predictdoc.Advise(&on, l, predict.Vary{Local: true, SIMD: true, SLM: true, GRF: true}); err == nil {
		doc.Sections = append(doc.Sections, below(ans.Document(), "advice", "What would raise it")...)
	}
	doc.Sections = append(doc.Sections, a.others(f, on, l)...)
	if f["calculator"] == "1" {
		doc.Sections = append(doc.Sections, a.calculatorSections(on.Device, &l)...)
	}
	return a.fragment(doc)
}

// below gives the sections that a page has of a document, under a key and a heading of their own, without the lines
// that say which launch it is.
func below(d *report.Document, key, title string) []report.Section {
	list := slices.DeleteFunc(d.Sections, func(s report.Section) bool { return !s.Shown(report.Page) })
	if len(list) > 0 {
		s := &list[0]
		s.Key, s.Title = key, title
		s.Text = slices.DeleteFunc(s.Text, func(line string) bool { return slices.Contains(d.Headline, line) })
	}
	return list
}

// fragment is a result without downloads.
// What Beside says belongs to the prediction above it, which is what a download is of.
func (a *App) fragment(doc *report.Document) (*Result, error) {
	last := a.last
	r, err := a.result(&report.Answer{Doc: doc}, "")
	a.last = last
	return r, err
}

// others show the launch on the devices of the form beside the chosen one, which comes first.
// A device that is none is said, and the others stand there all the same.
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
			for _, f := range FaultsOf(err) {
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
