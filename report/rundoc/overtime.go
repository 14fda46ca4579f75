package rundoc

import (
	"context"
	"fmt"

	"occudiff/compare"
	"occudiff/compare/phases"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// OverTime is a kernel whose occupancy was sampled within its launches, beside the simulated launch.
type OverTime struct {
	Task   report.Symbol `json:"task"`
	Global unit.Size3    `json:"global"`
	Local  unit.Size3    `json:"local"`
	SIMD   unit.Opt[int] `json:"simd"`
	phases.Launch
}

const (
	// timedKernels is how many kernels are shown over time, and shownSamples how many samples of each.
	timedKernels, shownSamples = 12, 2000
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
		k := OverTime{report.Symbol(row.Task), row.Global, row.Local, row.SIMD, *l}
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
	return report.Plot{Key: key, Title: "Occupancy over time: " + name, Unit: "%", Max: 100,
		Text: "A point per sample over the simulated launch.",
		LineChart: &report.LineChart{X: "Time since the launch began [ms]", Y: "Occupancy",
			Series: []report.LineSeries{simulated, measured}}}
}
