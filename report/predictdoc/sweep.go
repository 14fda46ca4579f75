package predictdoc

import (
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
)

// axis is a setting that a sweep varies.
type axis struct {
	key, title, unit string
	divisor          int64   // brings a value of the sweep into the unit
	step             float64 // how far apart people mark the values
	vary             func(*arch.Device, predict.Launch) []predict.Point
	columns          []string // of the table; nil takes those of every prediction
}

// axisOf gives the axis of a sweep by its word: local, slm, simd, grf or groups, which may be given as numbers.
func axisOf(over string, groups []int64) axis {
	switch over {
	case "groups":
		return axis{"work_groups", "Work-groups", "", 1, 0, func(d *arch.Device, l predict.Launch) []predict.Point {
			return predict.SweepGroups(d, l, groups)
		}, []string{"axis", "work_items", "threads", "xe_core_percent", "peak_percent: Slots of the GPU [%]",
			"average_percent: Average [%]", "waves: Waves; decimals=2; drop=2", "tail_percent: Tail [%]; drop=1",
			"message"}}
	case "grf":
		return axis{"registers", "Registers per thread", "", 1, 32, predict.SweepGRF, []string{"axis", "threads_per_xve",
			"largest_work_group", "xe_core_percent: Xe-core [%]", "peak_percent: Peak [%]", "average_percent: Average [%]",
			"limits: Limited by; drop=1", "ask", "message"}}
	case "slm":
		return axis{"slm_kb", "SLM per work-group", "KB", 1024, 4, predict.SweepSLM, nil}
	case "simd":
		return axis{"sub_group_size", "Sub-group size", "", 1, 8, predict.SweepSIMD, nil}
	}
	return axis{"work_group_size", "Work-group size", "", 1, 32, predict.SweepLocal, nil}
}

func (a *axis) value(x int64) float64 { return float64(x) / float64(a.divisor) }

// column heads the values; those of a launch may be no whole numbers in the unit of the axis.
func (a *axis) column(kind report.Kind, decimals int) report.Column {
	return report.Column{Key: a.key, Title: a.title, Unit: a.unit, Kind: kind, Decimals: decimals,
		In: report.Everywhere}
}

// chart draws occupancy over the values.
func (a *axis) chart(title string, series ...report.LineSeries) *report.Plot {
	plot := occupancyChart(title, a.column(report.Number, 0).Heading(), a.step, series...)
	if (a.key == "sub_group_size" || a.key == "registers") && len(series) > 0 { // there is nothing between those
		for _, p := range series[0].Points {
			plot.LineChart.XAlone = append(plot.LineChart.XAlone, p.X)
		}
	}
	return plot
}

// page is what the documents of sweeps have in common.
func (a *axis) page(headline ...string) page {
	return page{title: "Occupancy over " + report.StartLower(a.title), key: "sweep", heading: a.title,
		headline: headline}
}

// occupancyChart draws occupancy over something else, whose numbers are a step apart.
func occupancyChart(title, x string, step float64, series ...report.LineSeries) *report.Plot {
	return &report.Plot{Title: title, Max: 100, Unit: "%",
		LineChart: &report.LineChart{X: x, Y: "Occupancy", XStep: step, Series: series}}
}

// sweep is the JSON output of a sweep.
type sweep struct {
	Schema string              `json:"schema"`
	Sweep  string              `json:"sweep"`
	Compat *string             `json:"compat" jsonschema:"null for the project's own model"`
	Device *report.DeviceValue `json:"device" jsonschema:"null for a device of the calculator"`
	Key    string              `json:"device_key"`
	Launch *launch             `json:"launch"`
	Points []sweepPoint        `json:"points"`
}

// sweepPoint is a point of a sweep.
// A point that cannot run keeps its place with the reason, and is a gap of the chart.
type sweepPoint struct {
	Axis          report.Cell `json:"-" csv:"axis"`
	X             int64       `json:"x" jsonschema:"work-items per work-group, bytes of SLM per work-group, lanes, registers per thread, or work-groups"`
	Own           bool        `json:"own" jsonschema:"the launch that was asked about"`
	Status        string      `json:"status"`
	Message       *string     `json:"message"`
	XeCorePercent *float64    `json:"xe_core_percent" col:"Xe-core slots [%]" jsonschema:"of one full Xe-core; of numbers of work-groups, what they fill of one if all go to it"`
	WorkItems     *int64      `json:"work_items,omitempty" col:"Work-items" jsonschema:"of work-groups"`
	Threads       *int64      `json:"threads,omitempty" col:"Threads" jsonschema:"of work-groups"`
	ThreadsPerXVE *int        `json:"threads_per_xve,omitempty" col:"Threads per XVE" jsonschema:"of register modes"`
	Largest       *int64      `json:"largest_work_group,omitempty" col:"Largest work-group" jsonschema:"of register modes: in work-items, at this sub-group size"`
	Ask           *string     `json:"ask,omitempty" col:"How to ask for it; in=page+sheet" jsonschema:"of register modes"`
	Predicted     *predicted  `json:"predicted" csv:",inline"`
	Remark        report.Cell `json:"-" csv:"message" col:"Remark; cut"`
}

// Sweep answers how occupancy changes over one setting of a launch: local, slm, simd, grf or groups, of which the numbers
// may be given. The error says why no point runs.
func Sweep(t *arch.Choice, l predict.Launch, over string, groups ...int64) (*report.Answer, error) {
	a := axisOf(over, groups)
	points := a.vary(t.Device, l)
	if err := refusal(points); err != nil {
		return nil, err
	}
	// The launch stands beside the points, since what is not varied bounds them all.
	own := newLaunch(&l)
	v := sweep{Schema: sweepSchema, Sweep: over, Device: deviceValue(t), Key: t.Device.Key, Launch: &own}
	// Values in KB may have fractions: SLM sizes of a launch are bytes, and a column has one form for all of its rows.
	kind, decimals := report.Integer, 0
	if a.divisor > 1 {
		kind = report.Number
	}
	shown := l
	if over == "groups" {
		shown.Global = unit.Size3{} // it is what the table varies
	}
	pg := a.page(deviceLine(t), strings.Replace(launchLine(&shown), ", no global size: one Xe-core only", "", 1))
	for i := range points {
		p := &points[i]
		j := sweepPoint{X: p.X, Own: p.Own, Status: "ok", Axis: report.IntCell(p.X)}
		if kind == report.Number {
			j.Axis = report.NumCell(report.Number, a.value(p.X))
		}
		if p.X%a.divisor != 0 {
			decimals = 3
		}
		if p.Err != nil {
			j.Status, j.Message, j.Remark = "error", report.Filled(p.Err.Error()),
				report.StatusCell(p.Err.Error(), report.Bad)
		} else {
			j.Predicted, j.Remark = newPredicted(&p.Prediction), report.TextCell(remark(p))
			j.XeCorePercent = report.PercentOrNull(j.Predicted.XeCorePercent)
		}
		switch over {
		case "groups":
			j.countGroups(t.Device, p)
		case "grf":
			j.describeMode(t.Device, p)
			pg.items = append(pg.items, report.Item{Lead: strconv.FormatInt(p.X, 10) + " registers",
				Text: report.AskForRegisters(int(p.X))})
		}
		v.Points = append(v.Points, j)
	}
	pg.closing, pg.table = a.closing(over, points), rowsOf("sweep", v.Points, a.keys()...)
	// The heading depends on what is swept, which no tag of a struct can say.
	pg.table.Columns[0] = a.column(kind, decimals)
	ans := pg.answer(v)
	ans.Chart = a.chart("Predicted occupancy, "+t.Device.Name, a.series(points)...)
	return ans, nil
}

// keys are the columns of the table of points.
func (a *axis) keys() []string {
	if a.columns != nil {
		return a.columns
	}
	return outcome(true, false)
}

// countGroups adds what so many work-groups are, and how much of one Xe-core they fill if all of them go to it.
func (j *sweepPoint) countGroups(d *arch.Device, p *predict.Point) {
	j.XeCorePercent = nil
	if p.Err != nil {
		return
	}
	items, threads := p.Prediction.Groups*p.Prediction.GroupSize, p.Prediction.Groups*p.Prediction.ThreadsPerGroup
	filled := min(unit.Ratio(threads)/unit.Ratio(d.SlotsPerXeCore()), p.Prediction.XeCore).Percent()
	j.WorkItems, j.Threads, j.XeCorePercent = &items, &threads, &filled
}

// describeMode adds what a register mode admits, and how a kernel is compiled for it.
func (j *sweepPoint) describeMode(d *arch.Device, p *predict.Point) {
	largest := predict.LargestGroup(d, p.Launch)
	for _, m := range d.GRFModes {
		if int64(m.Registers) == p.X {
			j.ThreadsPerXVE, j.Largest, j.Ask = &m.ThreadsPerXVE, &largest, report.Filled(report.AskForRegisters(m.Registers))
		}
	}
	if p.Err != nil {
		j.Remark = report.StatusCell("does not launch", report.Bad)
	}
}

// refusal is the reason when no point of a sweep can run: then the fault is in what is not varied.
func refusal(points []predict.Point) error {
	var first error
	for i := range points {
		if points[i].Err == nil {
			return nil
		}
		// The launch that was asked about is what its reason is wanted for.
		if first == nil || points[i].Own {
			first = points[i].Err
		}
	}
	return first
}

// remark marks the launch that was swept, and says what is particular at a point.
func remark(p *predict.Point) string {
	var parts []string
	if p.Own {
		parts = append(parts, "this launch")
	}
	if p.Prediction.IdleLanes > 0 {
		parts = append(parts, unit.Counted(p.Prediction.IdleLanes, "lane idle", "lanes idle"))
	}
	if p.Prediction.Partial {
		parts = append(parts, "does not divide the global size")
	}
	return strings.Join(parts, ", ")
}

// closing says where the highest occupancy is, and where the launch stands. Values with idle lanes or smaller last
// work-groups are left out where there are others, for their occupancy counts what does no work.
func (a *axis) closing(over string, points []predict.Point) string {
	best := highest(points, true)
	among := ""
	switch {
	case best == nil:
		best = highest(points, false)
	case over != "local":
	case best.Prediction.HasGrid():
		among = " among values that divide the global size and leave no lane idle"
	default:
		among = " among values that leave no lane idle"
	}
	most, what := figure(&best.Prediction)
	text := fmt.Sprintf("Highest %s%s: %s, first at %s", what, among, percent(most),
		strings.TrimSpace(number(a.value(best.X))+" "+a.unit))
	for i := range points {
		if points[i].Own && points[i].Err == nil {
			if f, _ := figure(&points[i].Prediction); f != most {
				return text + "; this launch has " + percent(f) + "."
			}
			return text + "; this launch has it."
		}
	}
	return text + "."
}

// highest finds the first of the highest points, or of those without idle lanes and smaller last work-groups; nil when
// there is none.
func highest(points []predict.Point, whole bool) (best *predict.Point) {
	most := unit.Ratio(-1)
	for i := range points {
		p := &points[i].Prediction
		if points[i].Err != nil || whole && (p.IdleLanes > 0 || p.Partial) {
			continue
		}
		// Not >=: the first of equal ones is the smallest, which leaves most room.
		if f, _ := figure(p); f > most {
			best, most = &points[i], f
		}
	}
	return best
}

// series are Xe-core occupancy, peak and average over the values; a value that cannot run is a gap. What no value has
// is left out.
// The launch itself is marked, so that one sees what moving it would change.
func (a *axis) series(points []predict.Point) []report.LineSeries {
	list := []report.LineSeries{{Name: "Xe-core"}, {Name: "GPU peak"}, {Name: "GPU average"},
		{Name: "this launch", Style: report.Marks}}
	for i := range points {
		p, gap := &points[i].Prediction, unit.Ratio(math.NaN())
		// In the order of list.
		values := []unit.Ratio{p.XeCore, p.Peak, p.Average, gap}
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

// CalculatorSweep answers as one of the two charts of Intel's calculator: local or slm.
func CalculatorSweep(d *calculator.Device, in calculator.Input, over string) (*report.Answer, error) {
	a := axisOf(over, nil)
	var points []calculator.Point
	switch over {
	case "local":
		points = calculator.SweepLocal(d, in)
	case "slm":
		points = calculator.SweepSLM(d, in)
	default:
		return nil, fmt.Errorf("--sweep %s: Intel's calculator charts local and slm", over)
	}
	v := sweep{Schema: sweepSchema, Sweep: over, Compat: report.Filled("calculator"), Key: d.Key}
	s := report.LineSeries{Name: "Xe-core"}
	for _, p := range points {
		v.Points = append(v.Points, sweepPoint{Axis: report.IntCell(p.X), X: int64(p.X) * a.divisor, Status: "ok",
			XeCorePercent: &p.XeCorePercent})
		s.Points = append(s.Points, report.Point{X: float64(p.X), Y: p.XeCorePercent})
	}
	pg := a.page(calculatorLine(d))
	pg.table = rowsOf("sweep", v.Points, "axis", "xe_core_percent")
	pg.table.Columns[0] = a.column(report.Integer, 0)
	ans := pg.answer(v)
	ans.Chart = a.chart("Intel GPU Occupancy Calculator, "+d.Name, s)
	return ans, nil
}
