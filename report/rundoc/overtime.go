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
	Task     report.Symbol          `json:"task"`
	Global   unit.Size3             `json:"global"`
	Local    unit.Size3             `json:"local"`
	SIMD     unit.Opt[int]          `json:"simd"`
	Length   unit.Seconds           `json:"launch_seconds" jsonschema:"mean; the samples of all launches are laid over one of this length"`
	From     string                 `json:"launch_seconds_from" jsonschema:"what tells it"`
	Launches int                    `json:"launches" jsonschema:"that have samples"`
	Tail     unit.Opt[unit.Seconds] `json:"tail_seconds" jsonschema:"when the tail begins; null without one, or where the length is not known well"`
	Phases   []TimePhase            `json:"phases"`
	Samples  []TimeSample           `json:"samples"`

	curve []phases.Step
}

// TimePhase is a part of a launch.
type TimePhase struct {
	Phase     string               `json:"phase" col:"Phase"`
	Start     unit.Seconds         `json:"start_seconds" col:"From [ms]; decimals=3"`
	End       unit.Seconds         `json:"end_seconds" col:"To [ms]; decimals=3"`
	Predicted unit.Opt[unit.Ratio] `json:"predicted_percent" col:"Predicted [%]" jsonschema:"mean; null for the ramp, which is not simulated"`
	Measured  unit.Opt[unit.Ratio] `json:"measured_percent" col:"Measured [%]" jsonschema:"mean of the samples"`
	Samples   int                  `json:"samples" col:"Samples"`
}

// TimeSample is a measured occupancy in a launch, beside the simulated one.
type TimeSample struct {
	At        unit.Seconds `json:"at_seconds" col:"Since the launch began [ms]; decimals=3"`
	Measured  unit.Ratio   `json:"measured_percent" col:"Measured [%]"`
	Simulated unit.Ratio   `json:"simulated_percent" col:"Simulated [%]"`
}

const (
	// timedKernels is how many kernels are shown over time, and shownSamples how many samples of each.
	timedKernels, shownSamples = 12, 2000
)

// kernelsOverTime gives the first kernels that have samples over time.
func kernelsOverTime(r *compare.Result) []OverTime {
	if len(r.Samples) == 0 {
		return nil
	}
	list := []OverTime{}
	for _, row := range r.AllWithoutText() {
		l, err := phases.Of(context.Background(), r, row)
		if l == nil || err != nil {
			continue
		}
		k := OverTime{Task: report.Symbol(row.Task), Global: row.Global, Local: row.Local, SIMD: row.SIMD,
			Length: l.Length, From: l.From, Launches: l.Launches, Tail: l.Tail, curve: l.Curve, Samples: []TimeSample{}}
		for _, p := range l.Phases {
			k.Phases = append(k.Phases, TimePhase{p.Name, p.Start, p.End, p.Predicted, p.Measured, p.Samples})
		}
		every := 1 + (len(l.Moments)-1)/shownSamples
		for i := 0; i < len(l.Moments); i += every {
			m := &l.Moments[i]
			k.Samples = append(k.Samples, TimeSample{m.At, m.Measured, m.Simulated})
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
			report.Counted(k.Launches, "launch", "launches"), report.Duration(float64(k.Length)), k.From)
		switch begins, known := k.Tail.Value(); {
		case known:
			text += fmt.Sprintf(" In the simulation the tail begins at %s, %s into the launch.",
				report.Duration(float64(begins)), report.PercentText(100*float64(begins/k.Length)))
		case len(k.Phases) > 2:
			text += " Where the tail begins is unknown without the length of a launch: add the kernel intervals or " +
				"the timing table."
		}
		s.Text = []string{text, "The ramp is the first sample of each launch, which may include time before it; the " +
			"simulation fills the GPU at once."}
		means := report.Rows(key+"-phases", len(k.Phases), func(i int) TimePhase { return k.Phases[i] })
		means.Title = "Phases of " + name
		samples := report.List(key+"-samples", "", k.Samples)
		samples.In = report.Sheet
		s.Tables, s.Plots = []*report.Table{means}, []report.Plot{k.plot(key, name)}
		chart := report.Plot{Key: key + "-chart", Title: s.Title, Table: samples.Key, Label: "at_seconds",
			Series: []string{"measured_percent", "simulated_percent"}, Rows: len(k.Samples), Unit: "%", Lines: true}
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
	for _, s := range k.curve {
		simulated.Points = append(simulated.Points, report.Point{X: 1e3 * float64(s.At), Y: s.Simulated.Percent()})
	}
	measured := report.LineSeries{Name: "measured samples", Style: report.Marks}
	for _, s := range k.Samples {
		measured.Points = append(measured.Points, report.Point{X: 1e3 * float64(s.At), Y: s.Measured.Percent()})
	}
	return report.Plot{Key: key, Title: "Occupancy over time: " + name, Unit: "%", Max: 100,
		Text: "A point per sample over the simulated launch.",
		LineChart: &report.LineChart{X: "Time since the launch began [ms]", Y: "Occupancy",
			Series: []report.LineSeries{simulated, measured}}}
}
