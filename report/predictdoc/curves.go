package predictdoc

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/timeline"
	"occudiff/report"
)

// axis is a setting that a sweep varies.
type axis struct {
	over             string // name of the setting in the flag --sweep
	key, title, unit string
	divisor          int64   // converts a value of the sweep to the unit
	step             float64 // distance between the numbers on the chart's axis
	vary             func(*arch.Device, predict.Launch) []predict.Point
	columns          []string // table columns in addition to the values of the setting
}

// The settings that a sweep varies.
const (
	overLocal  = "local"
	overSLM    = "slm"
	overSIMD   = "simd"
	overGRF    = "grf"
	overGroups = "groups"
)

// axisOf returns the axis of a sweep. groups contains the numbers of
// work-groups to sweep, if the user gave them.
func axisOf(over string, groups []int64) axis {
	every := []string{"threads_per_work_group", "by_threads", "by_slm", "by_slots", "by_barriers",
		"work_groups_per_xe_core", "work_groups", "xe_core_percent", "xe_core_of_grf_mode_percent", "peak_percent",
		"average_percent", "waves", "tail_percent", "limits", "message"}
	switch over {
	case overGroups:
		vary := func(d *arch.Device, l predict.Launch) []predict.Point { return predict.SweepGroups(d, l, groups) }
		return axis{over, "work_groups", "Work-groups", "", 1, 0, vary,
			[]string{"work_items", "threads", "peak_percent", "average_percent", "waves", "tail_percent", "message"}}
	case overGRF:
		return axis{over, "registers", "Registers per thread", "", 1, 32, predict.SweepGRF, []string{"threads_per_xve",
			"largest_work_group", "xe_core_percent", "peak_percent", "average_percent", "limits", "ask", "message"}}
	case overSLM:
		return axis{over, "slm_kb", "SLM per work-group", "KB", 1024, 4, predict.SweepSLM, every}
	case overSIMD:
		return axis{over, "sub_group_size", "Sub-group size", "", 1, 8, predict.SweepSIMD, every}
	}
	return axis{overLocal, "work_group_size", "Work-group size", "", 1, 32, predict.SweepLocal, every}
}

func (a *axis) value(x int64) float64 {
	return float64(x) / float64(a.divisor)
}

// occupancyChart returns a chart of the occupancy over another quantity. step
// is the distance between the numbers on the axis of that quantity.
func occupancyChart(title, x string, step float64, series ...report.LineSeries) *report.Plot {
	return &report.Plot{
		Title: title,
		Max:   100,
		Unit:  "%",
		LineChart: &report.LineChart{
			X:      x,
			Y:      "Occupancy",
			XStep:  step,
			Series: series,
		},
	}
}

// sweep is the JSON output of a sweep.
type sweep struct {
	Schema string        `json:"schema"`
	Sweep  string        `json:"sweep"`
	Device *report.Table `json:"device"`
	Launch *report.Table `json:"launch"`
	Points *report.Table `json:"points"`
}

// remark returns the remark for a point: a mark for the user's own launch, or a
// description of a special point.
func (a *axis) remark(p *predict.Point) report.Word {
	switch {
	case p.Err != nil && a.over == overGRF:
		return report.Bad.Word("does not launch")
	case p.Err != nil:
		return report.Bad.Word(p.Err.Error())
	}
	var parts []string
	if p.Own {
		parts = append(parts, "this launch")
	}
	if n := p.Prediction.IdleLanes; n > 0 {
		parts = append(parts, unit.FormatCount(n, "lane idle", "lanes idle"))
	}
	if p.Prediction.Partial {
		parts = append(parts, "does not divide the global size")
	}
	return report.Word{Text: strings.Join(parts, ", ")}
}

// xeCore returns the occupancy of one Xe-core. In a sweep over the number of
// work-groups, this is the Xe-core that fills first. In other sweeps, it is any
// full Xe-core.
func (a *axis) xeCore(p *predict.Prediction) unit.Ratio {
	if a.over == overGroups {
		return p.XeCoreShare()
	}
	return p.XeCore
}

// columnsOf returns the columns of the points. A point that cannot run keeps
// its row with the reason, and is a gap in the chart.
func (a *axis) columnsOf(points []predict.Point, d *arch.Device) []report.Col[predict.Point] {
	decimals := report.Decimals(0)
	if slices.ContainsFunc(points, func(p predict.Point) bool { return p.X%a.divisor != 0 }) {
		decimals = 3 // the SLM of the launch may not be whole KB, and a column has one format
	}
	own := report.Define("xe_core_percent", "Xe-core share", func(p *predict.Point) unit.Opt[unit.Ratio] {
		return unit.Maybe(a.xeCore(&p.Prediction), p.Err == nil)
	})
	if slices.Contains(a.columns, "xe_core_percent") {
		own = own.As(report.View(0))
	}
	// Some columns belong only to the axis "groups".
	groups := func(p *predict.Point) *predict.Prediction {
		if a.over != overGroups || p.Err != nil {
			return nil
		}
		return &p.Prediction
	}
	mode := func(p *predict.Point) *arch.GRFMode {
		at := slices.IndexFunc(d.GRFModes, func(m arch.GRFMode) bool { return int64(m.Registers) == p.X })
		if a.over != overGRF || at < 0 {
			return nil
		}
		return &d.GRFModes[at]
	}
	predicted := report.InJSON(predictionColumns, a.columns...)
	return report.InJSON(slices.Concat([]report.Col[predict.Point]{
		report.Shown(a.key, a.title, func(p *predict.Point) float64 { return a.value(p.X) }, report.Unit(a.unit),
			decimals),
		report.JSON("x", func(p *predict.Point) int64 { return p.X }),
		report.JSON("own",
			func(p *predict.Point) bool { return p.Own }),
		report.JSON("status",
			func(p *predict.Point) string { return statusOf(p.Err) }),
		report.JSON("message",
			func(p *predict.Point) string { return errorText(p.Err) },
			report.NonZero),
	}, report.Within("", "", groups, []report.Col[predict.Prediction]{
		report.Define("work_items", "Work-items",
			func(p *predict.Prediction) int64 { return p.Groups * p.GroupSize },
			report.Optional),
		report.Define("threads", "Threads",
			func(p *predict.Prediction) int64 { return p.Groups * p.ThreadsPerGroup },
			report.Optional),
	}), []report.Col[predict.Point]{own}, report.Within("", "", mode, []report.Col[arch.GRFMode]{
		report.Define("threads_per_xve", "Threads per XVE",
			func(m *arch.GRFMode) int { return m.ThreadsPerXVE },
			report.Optional),
	}), []report.Col[predict.Point]{
		report.Define("largest_work_group", "Largest work-group", func(p *predict.Point) unit.Opt[int64] {
			if a.over != overGRF {
				return unit.Opt[int64]{}
			}
			return unit.NonZero(predict.LargestGroup(d, p.Launch))
		}, report.Optional),
	}, report.Part("", "predicted", func(p *predict.Point) *predict.Prediction {
		if p.Prediction.ThreadsPerGroup == 0 { // the point cannot run
			return nil
		}
		return &p.Prediction
	}, predicted), report.Within("", "", mode, []report.Col[arch.GRFMode]{
		report.Define("ask", "How to request it",
			func(m *arch.GRFMode) string { return report.RegisterFlags(m.Registers) },
			report.Wide, report.Optional),
	}), []report.Col[predict.Point]{
		report.Shown("message", "Remark", a.remark, report.Cut),
	}), append(slices.Clone(a.columns), a.key, "xe_core_percent")...)
}

// Sweep returns the occupancy over one setting of a launch: local, slm, simd,
// grf, or groups. groups contains the numbers of work-groups to sweep, if the
// user gave them. If no point can run, the error contains the reason.
func Sweep(t *arch.Choice, l predict.Launch, over string, groups ...int64) (*report.Output, error) {
	a := axisOf(over, groups)
	points := a.vary(t.Device, l)
	if err := rejection(points); err != nil {
		return nil, err
	}
	launch := launchLine(&l)
	if over == overGroups {
		launch = groupLine(&l, "")
	}
	pg := page{
		title:    "Occupancy over " + report.LowerFirst(a.title),
		key:      "sweep",
		heading:  a.title,
		table:    report.NewTable("sweep", "", points, a.columnsOf(points, t.Device)),
		headline: []string{DeviceLine(t.Device), launch},
		closing:  a.closing(points),
	}
	if over == overGRF {
		pg.items = howToAsk(points, func(p *predict.Point) int { return int(p.X) })
	}
	if len(points) > mostPoints {
		some := a.telling(points, t.Device, &l)
		table := report.NewTable("sweep", "", some, a.columnsOf(some, t.Device)).Show()
		pg.brief = &report.Section{Tables: []*report.Table{table}}
		pg.headline[1] += fmt.Sprintf("; %d of %d values, -v shows all", len(some), len(points))
	}
	// The output includes the launch, because its other settings limit all
	// points.
	ans := pg.output(sweep{sweepSchema, over, deviceValue(t), launchValue(&l), pg.table})
	ans.Chart = occupancyChart("Predicted occupancy, "+t.Device.Name,
		report.Column{Title: a.title, Unit: a.unit}.Heading(), a.step, a.series(points)...)
	if over == overSIMD || over == overGRF { // values between the points do not exist
		ans.Chart.LineChart.XAlone = report.ListOf(points, func(p predict.Point) float64 { return a.value(p.X) })
	}
	return ans, nil
}

// mostPoints is the maximum number of sweep values on a terminal. Files, and a
// terminal with -v, have all values.
const mostPoints = 24

// telling returns the most informative points for a terminal. They always
// include the launch itself and the highest point, and in addition:
//
//   - for SLM, the allocation sizes of the device
//   - for the number of work-groups, the numbers that fill the first Xe-core,
//     and the numbers at which a wave begins or ends
//   - for other settings, work-group sizes of 2^n sub-groups
func (a *axis) telling(points []predict.Point, d *arch.Device, l *predict.Launch) (some []predict.Point) {
	best, lanes := highest(points, true), int64(max(l.SIMD, 1))
	for i := range points {
		x := points[i].X
		step := x%lanes == 0 && x/lanes&(x/lanes-1) == 0
		switch wave := math.Ceil(points[i].Prediction.Waves); a.over {
		case overSLM:
			step = slices.Contains(d.SLMSteps, unit.Bytes(x))
		case overGroups:
			step = i == len(points)-1 || x <= points[i].Prediction.GroupsPerXeCore ||
				wave != math.Ceil(points[max(i-1, 0)].Prediction.Waves) ||
				wave != math.Ceil(points[i+1].Prediction.Waves)
		}
		if step || points[i].Own || best != nil && x == best.X {
			some = append(some, points[i])
		}
	}
	return some
}

// rejection returns an error if no point of a sweep can run. In this case, the
// reason is a setting that the sweep does not vary.
func rejection(points []predict.Point) error {
	var first error
	for i := range points {
		if points[i].Err == nil {
			return nil
		}
		// The rejection of the user's own launch is preferred, because the user
		// asked about this launch.
		if first == nil || points[i].Own {
			first = points[i].Err
		}
	}
	return first
}

// closing returns a sentence with the highest occupancy of the sweep and the
// occupancy of the launch. For the highest occupancy, points with idle lanes or
// smaller last work-groups are ignored if there are other points, because their
// occupancy includes lanes that do no work.
func (a *axis) closing(points []predict.Point) string {
	best := highest(points, true)
	among := ""
	switch {
	case best == nil:
		best = highest(points, false)
	case a.over != overLocal:
	case best.Prediction.HasGrid():
		among = " among values that divide the global size and leave no lane idle"
	default:
		among = " among values that leave no lane idle"
	}
	most, what := figure(&best.Prediction)
	text := fmt.Sprintf("Highest %s%s: %s, reached first at %s", what, among, most,
		report.WithUnit(number(a.value(best.X)), a.unit))
	for i := range points {
		if points[i].Own && points[i].Err == nil {
			if f, _ := figure(&points[i].Prediction); f != most {
				return text + "; this launch has " + f.String() + "."
			}
			return text + "; this launch has it."
		}
	}
	return text + "."
}

// highest returns the first of the highest points, or nil. If whole is true, it
// only considers points without idle lanes and smaller last work-groups.
func highest(points []predict.Point, whole bool) (best *predict.Point) {
	most := unit.Ratio(-1)
	for i := range points {
		p := &points[i].Prediction
		if points[i].Err != nil || whole && (p.IdleLanes > 0 || p.Partial) {
			continue
		}
		// The comparison is not >=, because the first of equal points has the
		// smallest setting, which leaves the most resources free.
		if f, _ := figure(p); f > most {
			best, most = &points[i], f
		}
	}
	return best
}

// series returns the curves of the Xe-core occupancy, the peak, and the average
// over the values of the setting. A value at which the launch cannot run is a
// gap. A curve without values is left out. The user's own launch has a mark, so
// that the effect of a change is visible.
func (a *axis) series(points []predict.Point) []report.LineSeries {
	style, core := report.Straight, "Xe-core"
	if a.over == overGroups {
		core = "Xe-core share"
		if n := len(points); points[n-1].X-points[0].X >= int64(n) {
			style = report.Marks // values between these numbers were not computed
		}
	}
	list := []report.LineSeries{{Name: core, Style: style}, {Name: "GPU peak", Style: style},
		{Name: "GPU average", Style: style}, {Name: "this launch", Style: report.Marks}}
	for i := range points {
		p, gap := &points[i].Prediction, unit.Ratio(math.NaN())
		// The values are in the order of the curves in list.
		values := []unit.Ratio{a.xeCore(p), p.Peak, p.Average, gap}
		if points[i].Own {
			values[3], _ = figure(p)
		}
		for k, v := range values {
			if points[i].Err != nil || !p.HasGrid() && (k == 1 || k == 2) {
				v = gap
			}
			list[k].Points = append(list[k].Points, report.Point{X: a.value(points[i].X), Y: v.Percent()})
		}
	}
	return slices.DeleteFunc(list, func(s report.LineSeries) bool {
		return !slices.ContainsFunc(s.Points, func(p report.Point) bool { return !math.IsNaN(p.Y) })
	})
}

// timelineValue is the JSON output of a timeline. The time unit is the run time
// of a thread. Occupancies are shares of all thread slots of the device.
type timelineValue struct {
	Schema         string        `json:"schema"`
	Device         *report.Table `json:"device"`
	Launch         *report.Table `json:"launch"`
	Policy         string        `json:"policy"`
	Ports          unit.Opt[int] `json:"ports"`
	WhatIf         bool          `json:"what_if"`
	PeakPercent    unit.Ratio    `json:"peak_percent"`
	AveragePercent unit.Ratio    `json:"average_percent"`
	Duration       float64       `json:"duration"`
	Phases         *report.Table `json:"phases"`
	Explained      *report.Table `json:"explained"`
	Predicted      *report.Table `json:"predicted"`
}

var phaseColumns = []report.Col[timeline.Phase]{
	report.Define("start", "Start",
		func(p *timeline.Phase) float64 { return p.Start },
		report.Unit("thread run times"), report.Brief("Start"), report.Decimals(2)),
	report.Define("end", "End",
		func(p *timeline.Phase) float64 { return p.End },
		report.Unit("thread run times"),
		report.Brief("End"), report.Decimals(2)),
	report.Define("threads", "Threads",
		func(p *timeline.Phase) int64 { return p.Threads }),
	report.Define("occupancy_percent", "Occupancy",
		func(p *timeline.Phase) unit.Ratio { return p.Occupancy }),
}

// Timeline returns the simulated dispatch of a launch over time: its phases and
// its average occupancy. If ports is above 0, the output is the what-if of
// policy partial with that many ports. If the device's number of ports is
// known, the output has the prediction first and then the what-if.
func Timeline(ctx context.Context, t *arch.Choice, l predict.Launch, ports int) (*report.Output, error) {
	if !l.Global.Present() {
		return nil, errors.New("--timeline needs the whole launch: give --global")
	}
	// The prediction comes first, because users know its error message, and the
	// simulation uses its values.
	p, err := predict.Predict(t.Device, l)
	if err != nil {
		return nil, err
	}
	r, err := timeline.Simulate(ctx, t.Device, &l, &p, ports)
	if err != nil {
		return nil, err
	}
	explained := timeline.Result{}
	known := t.Device.Ports(l.Barriers > 0)
	if ports == 0 && known > 0 && p.Waves <= 1 { // Intel published phases only for one wave
		if explained, err = timeline.Simulate(ctx, t.Device, &l, &p, known); err != nil {
			return nil, err
		}
		if slices.Equal(explained.Phases, r.Phases) {
			explained = timeline.Result{}
		}
	}
	// The time unit is the run time of a thread, because the model has no
	// clock. If a launch was measured, its length gives the axis its scale.
	v := timelineValue{timelineSchema, deviceValue(t), launchValue(&l), p.Policy.String(), unit.NonZero(ports),
		ports > 0, r.Peak, r.Average, r.Time, report.NewTable("phases", "", r.Phases, phaseColumns),
		report.NewTable("explained", "What-if", explained.Phases, explainedColumns), predictedValue(&p)}
	pg := page{
		title:   "Dispatch over time",
		key:     "timeline",
		heading: "Phases",
		table:   v.Phases,
		closing: fmt.Sprintf("Peak %s; average over time %s. Times are in run times of a thread, %s in total.",
			r.Peak, r.Average, number(r.Time)),
	}
	title := "Dispatch over time, " + t.Device.Name
	if v.WhatIf {
		v.Policy = "partial"
		pg.closing += " The prediction (policy " + p.Policy.String() + ") is " + peakText(&p) + "."
		title += " (what-if, not a prediction)"
	}
	pg.headline = []string{DeviceLine(t.Device), launchLine(&l) + "; policy " + v.Policy}
	if v.WhatIf {
		pg.headline = append(pg.headline, "A what-if, not a prediction: "+partialText(ports))
		pg.addFirstEnd(&r)
	}
	if len(explained.Phases) > 0 {
		pg.more = v.Explained
		pg.items = append(pg.items, report.Item{Lead: "what-if",
			Text: partialText(known) + " This number of ports explains the published phases of this GPU."})
		pg.addFirstEnd(&explained)
	}
	ans := pg.output(v)
	ans.Chart = timelineChart(title, v.Policy, &r)
	return ans, nil
}

// explainedColumns are the columns for the phases of the what-if, which are
// shown below the phases of the prediction.
var explainedColumns = append([]report.Col[timeline.Phase]{
	phaseColumns[0].As(report.Title("What-if: start"), report.Brief("What-if: start")),
}, phaseColumns[1:]...)

// partialText describes the what-if of policy partial.
func partialText(ports int) string {
	return fmt.Sprintf("policy partial with %s lets the threads of a work-group enter one by one.",
		unit.Plural(ports, "dispatch port"))
}

// addFirstEnd adds an item with the occupancy after one work-group has ended.
func (p *page) addFirstEnd(r *timeline.Result) {
	if end, known := r.FirstEnd.Value(); known {
		p.items = append(p.items, report.Item{Lead: "what-if", Text: fmt.Sprintf("if one work-group ends before all "+
			"others: %s threads (%s).", report.Thousands(end.Threads), end.Occupancy)})
	}
}

// timelineChart returns a chart with steps instead of sloped lines, because the
// number of resident threads changes only when a thread starts or ends.
func timelineChart(title, policy string, r *timeline.Result) *report.Plot {
	steps := report.LineSeries{Name: "policy " + policy, Style: report.Steps}
	for _, p := range r.Phases {
		steps.Points = append(steps.Points, report.Point{X: p.Start, Y: p.Occupancy.Percent()})
	}
	last := r.Phases[len(r.Phases)-1] // the occupancy of the last phase remains until the end
	steps.Points = append(steps.Points, report.Point{X: last.End, Y: last.Occupancy.Percent()})
	average := report.LineSeries{Name: "average over time", Points: []report.Point{{X: 0, Y: r.Average.Percent()},
		{X: r.Time, Y: r.Average.Percent()}}}
	return occupancyChart(title, "Time [run times of a thread]", 0, steps, average)
}
