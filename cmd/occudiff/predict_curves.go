package main

import (
	"context"
	"math"

	"occudiff/report"
	"occudiff/report/launchdoc"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/timeline"
)

// curveEndings are the file endings of what can be drawn.
var curveEndings = []string{".svg", ".md", ".json", ".csv"}

// oneDevice finds the only device that was asked for.
func (a *app) oneDevice(l *launchFlags, what string) (arch.Choice, error) {
	t, err := a.table()
	if err != nil {
		return arch.Choice{}, err
	}
	if _, err := l.one(what, t.Knows); err != nil {
		return arch.Choice{}, err
	}
	list, err := a.chooseDevices(l)
	if err != nil {
		return arch.Choice{}, err
	}
	for _, n := range list[0].Notes {
		a.say("%s", n)
	}
	return list[0], nil
}

// launchOnDevice reads the launch and finds the only device that it is for.
func (a *app) launchOnDevice(l *launchFlags, what string) (arch.Choice, predict.Launch, error) {
	launch, err := l.launch()
	if err != nil {
		return arch.Choice{}, launch, err
	}
	c, err := a.oneDevice(l, what)
	if err != nil {
		return c, launch, err
	}
	launch, err = l.on(c.Device, launch)
	return c, launch, err
}

// predictSweep varies one setting of a launch.
func (a *app) predictSweep(p *predictFlags) error {
	out, err := a.openOutputs(a.outputs, curveEndings...)
	if err != nil {
		return err
	}
	defer out.discard()
	c, launch, err := a.launchOnDevice(&p.launchFlags, "--sweep")
	if err != nil {
		return err
	}
	kind := launchdoc.SweepKind(p.sweep)
	var points []predict.Point
	switch kind {
	case launchdoc.SweepLocal:
		points = predict.SweepLocal(c.Device, launch)
	case launchdoc.SweepSLM:
		points = predict.SweepSLM(c.Device, launch)
	default:
		points = predict.SweepSIMD(c.Device, launch)
	}
	if err := sweepRefusal(points); err != nil {
		return err
	}
	doc := launchdoc.FromSweep(c.Device, launch, kind, points, version())
	return a.deliver(&report.Answer{Doc: doc, Value: launchdoc.SweepValue(c.Device, c.By, launch, kind, points), Table: doc.Table("sweep"), Chart: sweepChart(c.Device, kind, points)}, out)
}

// sweepRefusal is the reason when no point of a sweep can run: then the fault is in what is not varied.
func sweepRefusal(points []predict.Point) error {
	var first error
	for i := range points {
		if points[i].Err == nil {
			return nil
		}
		if first == nil || points[i].Own {
			first = points[i].Err
		}
	}
	return first
}

// sweepChart draws Xe-core occupancy, peak and average over the values; a value that cannot run is a gap.
func sweepChart(d *arch.Device, kind launchdoc.SweepKind, points []predict.Point) *report.Plot {
	core, peak, average := report.LineSeries{Name: "Xe-core"}, report.LineSeries{Name: "GPU peak"}, report.LineSeries{Name: "GPU average"}
	own := report.LineSeries{Name: "this launch", Style: report.Marks}
	grid := false
	for i := range points {
		p := &points[i]
		x := kind.Axis(p.X)
		if p.Err != nil {
			for _, s := range []*report.LineSeries{&core, &peak, &average} {
				s.Points = append(s.Points, report.Point{X: x, Y: math.NaN()})
			}
			continue
		}
		core.Points = append(core.Points, report.Point{X: x, Y: p.Prediction.XeCore.Percent()})
		y := p.Prediction.XeCore
		if p.Prediction.HasGrid() {
			grid, y = true, p.Prediction.Average
			peak.Points = append(peak.Points, report.Point{X: x, Y: p.Prediction.Peak.Percent()})
			average.Points = append(average.Points, report.Point{X: x, Y: y.Percent()})
		}
		if p.Own {
			own.Points = []report.Point{{X: x, Y: y.Percent()}}
		}
	}
	series := []report.LineSeries{core}
	if grid {
		series = append(series, peak, average)
	}
	if len(own.Points) > 0 {
		series = append(series, own)
	}
	return occupancyChart("Predicted occupancy, "+d.Name, kind.AxisTitle(), kind.Step(), series...)
}

// predictTimeline simulates the dispatch of a launch.
func (a *app) predictTimeline(ctx context.Context, p *predictFlags) error {
	out, err := a.openOutputs(a.outputs, curveEndings...)
	if err != nil {
		return err
	}
	defer out.discard()
	c, launch, err := a.launchOnDevice(&p.launchFlags, "--timeline")
	if err != nil {
		return err
	}
	if !launch.Global.Present() {
		return usageErrorf("--timeline needs the whole launch: give --global")
	}
	prediction, err := predict.Predict(c.Device, launch)
	if err != nil {
		return err
	}
	k := launchdoc.TimelineCase{Device: c.Device, ChosenBy: c.By, Launch: launch, Prediction: &prediction}
	if p.policy == "partial" {
		k.Ports = p.ports
	}
	in := timelineInput(c.Device, &launch, &prediction, k.Ports)
	if k.Result, err = timeline.Run(ctx, in); err != nil {
		return usageErrorf("%v", err)
	}
	ofAllSlots(&k.Result, c.Device)
	doc := launchdoc.FromTimeline(&k, version())
	return a.deliver(&report.Answer{Doc: doc, Value: launchdoc.TimelineValue(&k), Table: doc.Table("phases"), Chart: timelineChart(&k)}, out)
}

// timelineInput puts a prediction's launch into the simulation's words. Ports above 0 ask for policy partial.
func timelineInput(d *arch.Device, l *predict.Launch, p *predict.Prediction, ports int) timeline.Input {
	slots := int(math.Round(float64(p.ThreadsPerGroup*p.GroupsPerXeCore) / float64(p.XeCoreOfMode))) // those that the GRF mode leaves
	others := int64(slots)                                                                           // no resource admits more than a slot each
	for _, n := range []int64{p.BySLM, p.BySlots, p.ByBarriers} {
		if n != predict.Unlimited {
			others = min(others, n)
		}
	}
	in := timeline.Input{XeCores: d.XeCores, SlotsPerXeCore: slots, ThreadsPerGroup: int(p.ThreadsPerGroup), Groups: p.Groups,
		GroupsPerXeCore: int(others), Ports: ports, Barrier: l.Barriers > 0}
	switch {
	case ports > 0:
		in.Policy = timeline.Partial
	case p.Policy == predict.Whole:
		in.Policy = timeline.Whole
	default: // as in the prediction, few work-group slots cap an Xe-core under Free too
		in.SlotsPerXeCore = int(min(int64(slots), p.ThreadsPerGroup*others))
	}
	return in
}

// ofAllSlots turns a result into shares of all thread slots of the device: a GRF mode may leave fewer to the launch.
func ofAllSlots(r *timeline.Result, d *arch.Device) {
	all := float64(d.Slots())
	share := float64(r.Slots) / all
	for i := range r.Phases {
		r.Phases[i].Occupancy = unit.Ratio(float64(r.Phases[i].Threads) / all)
	}
	if share != 1 {
		r.Peak, r.Average = unit.Ratio(float64(r.Peak)*share), unit.Ratio(float64(r.Average)*share)
	}
	r.Slots = int64(d.Slots())
}

func timelineChart(k *launchdoc.TimelineCase) *report.Plot {
	name := "policy " + k.Result.Policy.String()
	title := "Dispatch over time, " + k.Device.Name
	if k.Result.Policy.WhatIf() {
		title += " (what-if, not a prediction)"
	}
	s := report.LineSeries{Name: name, Style: report.Steps}
	for _, p := range k.Result.Phases {
		s.Points = append(s.Points, report.Point{X: float64(p.Start), Y: p.Occupancy.Percent()})
	}
	if n := len(k.Result.Phases); n > 0 { // the last value holds until its end
		last := k.Result.Phases[n-1]
		s.Points = append(s.Points, report.Point{X: float64(last.End), Y: last.Occupancy.Percent()})
	}
	average := report.LineSeries{Name: "average over time", Points: []report.Point{
		{X: 0, Y: k.Result.Average.Percent()}, {X: float64(k.Result.Time), Y: k.Result.Average.Percent()}}}
	return occupancyChart(title, "Time [run times of a thread]", 0, s, average)
}

// occupancyChart draws occupancy over something else, whose numbers are a step apart.
func occupancyChart(title, x string, step float64, series ...report.LineSeries) *report.Plot {
	return &report.Plot{Title: title, Max: 100, Unit: "%",
		LineChart: &report.LineChart{X: x, Y: "Occupancy", XStep: step, Series: series}}
}
