package rundoc

import (
	"context"
	"fmt"
	"slices"

	"occudiff/compare"
	"occudiff/compare/phases"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// OverTime is a kernel whose occupancy was sampled within its launches, beside the simulated launch.
// Its samples are thinned out for JSON and the table; the quantiles are of all.
type OverTime struct {
	Task   report.Symbol `json:"task"`
	Global unit.Size3    `json:"global"`
	Local  unit.Size3    `json:"local"`
	SIMD   unit.Opt[int] `json:"simd"`
	phases.Launch
	spread [3][]report.Point // p10, p90 and median over launches
}

const (
	// timedKernels is how many kernels are shown over time, and shownSamples how many samples of each.
	timedKernels, shownSamples = 12, 2000
	// A launch is cut into spreadParts, where so many launches are laid over each other that each has several samples.
	spreadParts, spreadLaunches = 100, 5
)

// kernelsOverTime gives the first kernels that have samples over time.
func kernelsOverTime(r *compare.Result) (list []OverTime) {
	if len(r.Samples) == 0 {
		return nil
	}
	list = []OverTime{}
	for _, row := range r.AllWithoutText() {
		l, err := phases.Of(context.Background(), r, row)
		if l == nil || err != nil {
			continue
		}
		k := OverTime{Task: report.Symbol(row.Task), Global: row.Global, Local: row.Local, SIMD: row.SIMD, Launch: *l}
		k.lay(l)
		k.Moments = nil
		every := 1 + (len(l.Moments)-1)/shownSamples
		for i := 0; i < len(l.Moments); i += every {
			k.Moments = append(k.Moments, l.Moments[i])
		}
		if list = append(list, k); len(list) == timedKernels {
			break
		}
	}
	return list
}

// lay finds how much launches differ at the same time of theirs: each part of a launch has its samples' quantiles.
// With fewer samples a quantile would be one of them, and a band would look like knowledge.
func (k *OverTime) lay(l *phases.Launch) {
	if l.Launches < spreadLaunches || len(l.Moments) < spreadParts*spreadLaunches || l.Length <= 0 {
		return
	}
	var parts [spreadParts][]float64
	for _, m := range l.Moments {
		i := min(max(int(spreadParts*m.At/l.Length), 0), spreadParts-1)
		parts[i] = append(parts[i], m.Measured.Percent())
	}
	for i, values := range parts {
		if len(values) == 0 {
			continue
		}
		slices.Sort(values)
		for q := range k.spread {
			at := values[int([...]float64{0.1, 0.9, 0.5}[q]*float64(len(values)-1)+0.5)]
			k.spread[q] = append(k.spread[q], report.Point{
				X: 1e3 * float64(l.Length) * (float64(i) + 0.5) / spreadParts, Y: at})
		}
	}
}

// overTimeSections show kernels over time, each on a sheet of its own.
func overTimeSections(r *compare.Result) (list []report.Section) {
	for i, k := range kernelsOverTime(r) {
		key := fmt.Sprintf("overtime-%d", i+1)
		name := report.CutMiddle(report.KernelName(string(k.Task)), report.LabelWidth)
		s := report.Section{Key: key, Title: "Occupancy over time: " + name, Sheet: fmt.Sprintf("Over time %d", i+1)}
		text := fmt.Sprintf("The samples of %s, laid over a launch of %s (from %s).",
			unit.Counted(k.Launches, "launch", "launches"), unit.Span(k.Length), k.From)
		switch begins, known := k.Tail.Value(); {
		case known:
			text += fmt.Sprintf(" In the simulation the tail begins at %s, %s into the launch.",
				unit.Span(begins), report.PercentText(100*float64(begins/k.Length)))
		case len(k.Phases) > 2:
			text += " Where the tail begins is unknown without the length of a launch: add the kernel intervals or " +
				"the timing table."
		}
		s.Text = []string{text, "The ramp is the first sample of each launch, which may include time before it; the " +
			"simulation fills the GPU at once."}
		means := report.Rows(key+"-phases", len(k.Phases), func(i int) phases.Phase { return k.Phases[i] })
		means.Title = "Phases of " + name
		samples := report.List(key+"-samples", "", k.Moments)
		samples.In = report.Sheet
		s.Tables, s.Plots = []*report.Table{means}, []report.Plot{k.plot(key, name)}
		chart := report.Plot{Key: key + "-chart", Title: s.Title, Table: samples.Key, Label: "at_seconds",
			Series: []string{"measured_percent", "simulated_percent"}, Rows: len(k.Moments), Unit: "%", Lines: true}
		list = append(list, s, report.Section{Key: samples.Key, Title: "Samples of " + name, Sheet: s.Sheet,
			In: report.Sheet, Tables: []*report.Table{samples}, Plots: []report.Plot{chart}})
	}
	return list
}

// Sampled says whether a kernel of a run can be shown over time.
func Sampled(r *compare.Result) bool { return len(kernelsOverTime(r)) > 0 }

// overTimeChart is the picture of the first kernel, nil without one.
func overTimeChart(r *compare.Result) *report.Plot {
	list := kernelsOverTime(r)
	if len(list) == 0 {
		return nil
	}
	p := list[0].plot("overtime-1", report.CutMiddle(report.KernelName(string(list[0].Task)), report.LabelWidth))
	return &p
}

// plot lays the samples over the simulated launch.
func (k *OverTime) plot(key, name string) report.Plot {
	simulated := report.LineSeries{Name: "simulated", Style: report.Steps}
	for _, s := range k.Curve {
		simulated.Points = append(simulated.Points, report.Point{X: 1e3 * float64(s.At), Y: s.Simulated.Percent()})
	}
	measured := report.LineSeries{Name: "measured samples", Style: report.Marks}
	for _, s := range k.Moments {
		measured.Points = append(measured.Points, report.Point{X: 1e3 * float64(s.At), Y: s.Measured.Percent()})
	}
	series, text := []report.LineSeries{simulated, measured}, "A point per sample over the simulated launch."
	if len(k.spread[0]) > 0 {
		series = series[:1]
		for i, name := range []string{"measured, p10 of the launches", "p90", "median"} {
			series = append(series, report.LineSeries{Name: name, Points: k.spread[i]})
		}
		text = "All launches laid over each other, and over the simulated launch: the median of their samples and " +
			"how much they differ."
	}
	if begins, known := k.Tail.Value(); known {
		at := 1e3 * float64(begins)
		series = append(series, report.LineSeries{Name: "simulated tail begins",
			Points: []report.Point{{X: at}, {X: at, Y: 100}}})
	}
	return report.Plot{Key: key, Title: "Occupancy over time: " + name, Unit: "%", Max: 100, Text: text,
		LineChart: &report.LineChart{X: "Time since the launch began [ms]", Y: "Occupancy", Series: series}}
}
