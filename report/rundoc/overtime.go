package rundoc

import (
	"context"
	"fmt"
	"math"

	"occudiff/compare"
	"occudiff/compare/launches"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// OverTime is a kernel whose occupancy was sampled while its launches ran, beside the simulated launch.
// Its samples are thinned out for JSON and the table.
type OverTime struct {
	Task   string        `json:"task"`
	Global unit.Size3    `json:"global"`
	Local  unit.Size3    `json:"local"`
	SIMD   unit.Opt[int] `json:"simd"`
	compare.OverTime
	Profile *report.Table `json:"profile" jsonschema:"equal parts of a launch, as many as are known to 5 points; empty where only the mean is"`
	Samples *report.Table `json:"samples" jsonschema:"that are mostly of one launch"`
	mean    unit.Opt[unit.Ratio]
}

// span is the columns of a part of a launch.
func span[T any](start, end func(*T) unit.Seconds) []report.Col[T] {
	return []report.Col[T]{
		report.Define(duration("start_seconds", "", "From", "ms", 3, 0, "since the launch began"), func(x *T) cell { return report.DurationCell(start(x)) }),
		report.Define(duration("end_seconds", "", "To", "ms", 3, 0, ""), func(x *T) cell { return report.DurationCell(end(x)) }),
	}
}

// share is a column of a percentage of a part of a launch.
func share[T any](key, title string, drop int, of func(*T) unit.Ratio) report.Col[T] {
	return report.Define(column{Key: key, Path: key, Always: true, Title: title, Drop: drop, Kind: report.Percent, In: report.All},
		func(x *T) cell { return report.RatioCell(of(x)) })
}

var binColumns = append(span(func(b *compare.Bin) unit.Seconds { return b.Start }, func(b *compare.Bin) unit.Seconds { return b.End }),
	share("measured_percent", "Measured", 0, func(b *compare.Bin) unit.Ratio { return b.Measured }),
	share("measured_low_percent", "low", 5, func(b *compare.Bin) unit.Ratio { return b.Low }),
	share("measured_high_percent", "high", 5, func(b *compare.Bin) unit.Ratio { return b.High }),
	share("simulated_percent", "Simulated", 0, func(b *compare.Bin) unit.Ratio { return b.Simulated }))

var barColumns = append(span(func(b *compare.Bin) unit.Seconds { return b.Start }, func(b *compare.Bin) unit.Seconds { return b.End }),
	share("measured_percent", "Measured", 0, func(b *compare.Bin) unit.Ratio { return b.Measured }))

// timedKernels is how many kernels are shown over time, and shownSamples how many samples of each.
const timedKernels, shownSamples = 12, 2000

// kernelsOverTime gives the first kernels that have samples over time.
func kernelsOverTime(r *compare.Result) (list []OverTime) {
	if len(r.Samples) == 0 {
		return nil
	}
	list = []OverTime{}
	laid := launches.Lay(r.Recording)
	for i := range r.Rows {
		row := &r.Rows[i]
		o := r.OverTime(context.Background(), row, laid)
		if o == nil {
			continue
		}
		k := overTimeOf(o)
		k.Task, k.Global, k.Local, k.SIMD, k.mean = row.Task, row.Global, row.Local, row.SIMD, row.Measured
		if list = append(list, k); len(list) == timedKernels {
			break
		}
	}
	return list
}

// overTimeOf thins out the samples of a kernel.
func overTimeOf(o *compare.OverTime) (k OverTime) {
	if o != nil {
		k.OverTime, k.Bars = *o, nil
		every := 1 + (len(o.Bars)-1)/shownSamples
		for i := 0; i < len(o.Bars); i += every {
			k.Bars = append(k.Bars, o.Bars[i])
		}
	}
	k.Profile = report.NewTable("profile", "", k.Bins, binColumns)
	k.Samples = report.NewTable("samples", "", k.Bars, barColumns)
	return k
}

// overTimeSections show kernels over time, each on a sheet of its own.
func overTimeSections(r *compare.Result) (list []report.Section) {
	for i, k := range kernelsOverTime(r) {
		p := k.plot(i)
		s := report.Section{Key: p.Key, Title: p.Title, Sheet: fmt.Sprintf("Over time %d", i+1), Plots: []report.Plot{p}}
		text := fmt.Sprintf("%s, laid over one of %s (from %s).", unit.Counted(k.Launches, "launch", "launches"),
			unit.Span(k.Length), k.From)
		if begins, known := k.Tail.Value(); known {
			text += fmt.Sprintf(" In the simulation the tail begins at %s, %s into the launch.",
				unit.Span(begins), report.PercentText(unit.Ratio(begins/k.Length)))
		}
		table := k.Profile.Show()
		if len(k.Bins) == 0 {
			const few = 32 // of the samples, in a terminal
			text += " The samples tell its mean, and not how a launch fills over time."
			table = k.Samples.Show()
			table.Main = min(table.Len, few)
		}
		table.Key = p.Key
		s.Text, s.Tables = []string{text}, []*report.Table{table}
		list = append(list, s)
	}
	return list
}

// Sampled says whether a kernel of a run can be shown over time.
func Sampled(r *compare.Result) bool { return len(kernelsOverTime(r)) > 0 }

// plottedBars is how many samples are drawn: more would hide each other, and the profile says what they have in common.
const plottedBars = 60

// plot draws the profile, or the mean where no profile is known, and samples over the simulated launch. at is the place
// of the kernel among those that are shown.
func (k *OverTime) plot(at int) report.Plot {
	point := func(at unit.Seconds, v unit.Ratio) report.Point {
		return report.Point{X: 1e3 * float64(at), Y: v.Percent()}
	}
	simulated := report.LineSeries{Name: "simulated", Style: report.Steps}
	for _, s := range k.Curve {
		simulated.Points = append(simulated.Points, point(s.At, s.Simulated))
	}
	profile := report.LineSeries{Name: "measured", Style: report.Steps}
	for _, b := range k.Bins {
		profile.Points = append(profile.Points, point(b.Start, b.Measured))
	}
	if n := len(k.Bins); n > 0 {
		profile.Points = append(profile.Points, point(k.Bins[n-1].End, k.Bins[n-1].Measured))
	} else if mean, ok := k.mean.Value(); ok {
		profile.Name, profile.Points = "measured mean", []report.Point{point(0, mean), point(k.Length, mean)}
	}
	series := []report.LineSeries{simulated, profile}
	text := "What launches held on average over the simulated launch."
	if n := len(k.Bars); n > 0 && n <= plottedBars {
		bars := report.LineSeries{Name: "samples"}
		for _, b := range k.Bars {
			bars.Points = append(bars.Points, point(b.Start, b.Measured), point(b.End, b.Measured),
				report.Point{X: math.NaN()}) // a gap
		}
		series, text = append(series, bars), text+" Each sample is a bar as long as its time."
	}
	if begins, known := k.Tail.Value(); known {
		at := 1e3 * float64(begins)
		series = append(series, report.LineSeries{Name: "simulated tail begins",
			Points: []report.Point{{X: at}, {X: at, Y: 100}}})
	}
	return report.Plot{Key: fmt.Sprintf("overtime-%d", at+1), Unit: "%", Max: 100, Text: text,
		Title:     "Occupancy over time: " + report.CutMiddle(report.KernelName(k.Task), report.LabelWidth),
		LineChart: &report.LineChart{X: "Time since the launch began [ms]", Y: "Occupancy", Series: series}}
}
