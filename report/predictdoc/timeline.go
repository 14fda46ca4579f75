package predictdoc

import (
	"context"
	"errors"
	"fmt"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/timeline"
	"occudiff/report"
)

// timelineValue is the JSON output of a timeline. Times count in run times of a thread, occupancies are of all thread
// slots of the device.
type timelineValue struct {
	Schema         string        `json:"schema"`
	Device         *report.Table `json:"device"`
	Launch         *report.Table `json:"launch"`
	Policy         string        `json:"policy"`
	Ports          unit.Opt[int] `json:"ports"`
	WhatIf         bool          `json:"what_if" jsonschema:"the policy explains published phases; it predicts nothing"`
	PeakPercent    unit.Ratio    `json:"peak_percent"`
	AveragePercent unit.Ratio    `json:"average_percent"`
	Duration       float64       `json:"duration"`
	Phases         *report.Table `json:"phases"`
	Predicted      *report.Table `json:"predicted"`
}

var phaseColumns = []report.Col[timeline.Phase]{
	report.Define(column{Key: "start", Path: "start", Always: true, Title: "Start", Unit: "thread run times", Brief: "Start", Kind: report.Number, Decimals: 2, In: all}, func(p *timeline.Phase) cell { return report.NumCell(report.Number, p.Start) }),
	report.Define(column{Key: "end", Path: "end", Always: true, Title: "End", Unit: "thread run times", Brief: "End", Kind: report.Number, Decimals: 2, In: all}, func(p *timeline.Phase) cell { return report.NumCell(report.Number, p.End) }),
	report.Define(column{Key: "threads", Path: "threads", Always: true, Title: "Threads", Kind: report.Integer, In: all}, func(p *timeline.Phase) cell { return report.IntCell(p.Threads) }),
	report.Define(column{Key: "occupancy_percent", Path: "occupancy_percent", Always: true, Title: "Occupancy", Kind: report.Percent, In: all}, func(p *timeline.Phase) cell { return report.RatioCell(p.Occupancy) }),
}

// Timeline answers how a launch is dispatched over time: its phases, and the average over them. Ports above 0 ask for
// the what-if of policy partial with so many dispatch ports.
func Timeline(ctx context.Context, t *arch.Choice, l predict.Launch, ports int) (*report.Answer, error) {
	if !l.Global.Present() {
		return nil, errors.New("--timeline needs the whole launch: give --global")
	}
	// Prediction first: its refusal is the one that people know, and the simulation takes its figures.
	p, err := predict.Predict(t.Device, l)
	if err != nil {
		return nil, err
	}
	r, err := timeline.Simulate(ctx, t.Device, &l, &p, ports)
	if err != nil {
		return nil, err
	}
	// Times count in run times of a thread: the model knows no clock, and real launches scale the axis.
	v := timelineValue{Schema: timelineSchema, Device: deviceValue(t), Launch: launchValue(&l), Policy: p.Policy.String(),
		Ports: unit.NonZero(ports), WhatIf: ports > 0, PeakPercent: r.Peak, AveragePercent: r.Average,
		Duration: r.Time, Predicted: predictedValue(&p), Phases: report.NewTable("phases", "", r.Phases, phaseColumns)}
	pg := page{title: "Dispatch over time", key: "timeline", heading: "Phases", table: v.Phases,
		closing: fmt.Sprintf("Peak %s; average over time %s. Times count in run times of a thread, %s in all.",
			report.PercentText(r.Peak), report.PercentText(r.Average), number(r.Time))}
	title := "Dispatch over time, " + t.Device.Name
	if v.WhatIf {
		v.Policy = "partial"
		pg.closing += fmt.Sprintf(" The prediction (policy %s) is peak %s, average %s.", p.Policy, report.PercentText(p.Peak),
			report.PercentText(p.Average))
		title += " (what-if, not a prediction)"
	}
	pg.headline = []string{DeviceLine(t.Device), launchLine(&l) + "; policy " + v.Policy}
	if v.WhatIf {
		pg.headline = append(pg.headline, fmt.Sprintf("A what-if, not a prediction: policy partial with %s lets the "+
			"threads of a work-group enter one by one.", unit.Counted(ports, "dispatch port", "dispatch ports")))
	}
	ans := pg.answer(v)
	ans.Chart = timelineChart(title, v.Policy, &r)
	return ans, nil
}

// timelineChart draws steps and no lines between them: residency changes when a thread starts or ends.
func timelineChart(title, policy string, r *timeline.Result) *report.Plot {
	steps := report.LineSeries{Name: "policy " + policy, Style: report.Steps}
	for _, p := range r.Phases {
		steps.Points = append(steps.Points, report.Point{X: p.Start, Y: p.Occupancy.Percent()})
	}
	last := r.Phases[len(r.Phases)-1] // it holds until its end
	steps.Points = append(steps.Points, report.Point{X: last.End, Y: last.Occupancy.Percent()})
	average := report.LineSeries{Name: "average over time", Points: []report.Point{{X: 0, Y: r.Average.Percent()},
		{X: r.Time, Y: r.Average.Percent()}}}
	return occupancyChart(title, "Time [run times of a thread]", 0, steps, average)
}
