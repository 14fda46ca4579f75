package launchdoc

import (
	"fmt"
	"strings"

	"occudiff/report"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
)

// SweepSchema names the version of the JSON contract of `predict --sweep`.
const SweepSchema = "occudiff/sweep/1"

// SweepKind says what a sweep varies.
type SweepKind string

// The kinds of sweep.
const (
	SweepLocal SweepKind = "local"
	SweepSLM   SweepKind = "slm"
	SweepSIMD  SweepKind = "simd"
)

// axis gives the heading of the values, their unit, and what a value is multiplied with to come into it.
func (k SweepKind) axis() (title, unit string, divisor int64) {
	switch k {
	case SweepSLM:
		return "SLM per work-group", "KB", 1024
	case SweepSIMD:
		return "Sub-group size", "", 1
	}
	return "Work-group size", "", 1
}

// columnKey names the column of the values where a heading has no unit.
func (k SweepKind) columnKey() string {
	return map[SweepKind]string{SweepLocal: "work_group_size", SweepSLM: "slm_kb", SweepSIMD: "sub_group_size"}[k]
}

// AxisTitle is the heading of the values with their unit.
func (k SweepKind) AxisTitle() string {
	title, unit, _ := k.axis()
	if unit != "" {
		title += " [" + unit + "]"
	}
	return title
}

// Step is how far apart people mark the values of the axis.
func (k SweepKind) Step() float64 {
	return map[SweepKind]float64{SweepLocal: 32, SweepSLM: 4, SweepSIMD: 8}[k]
}

// Axis brings a value of the sweep into the unit of its axis.
func (k SweepKind) Axis(x int64) float64 {
	_, _, divisor := k.axis()
	return float64(x) / float64(divisor)
}

// FromSweep builds the document of a sweep.
func FromSweep(device *arch.Device, l predict.Launch, kind SweepKind, points []predict.Point, version string) *report.Document {
	title, unit, divisor := kind.axis()
	d := &report.Document{Whole: true, Title: "Occupancy over " + inSentence(title), Version: version, Headline: []string{deviceLine(device), launchLine(&l)}}
	axis := report.Column{Key: kind.columnKey(), Title: title, Unit: unit, Kind: report.Integer, In: everywhere}
	if divisor > 1 {
		axis.Kind, axis.Decimals = report.Number, sweepDecimals(points, divisor)
	}
	columns := append([]report.Column{axis}, outcomeColumns()...)
	columns = append(columns, report.Column{Key: "message", Title: "Remark", Kind: report.Text, In: everywhere, Cut: true})
	t := report.Fixed("sweep", "", columns, nil)
	t.Len, t.Main = len(points), len(points)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		p := &points[i]
		x := report.IntCell(p.X)
		if divisor > 1 {
			x = report.NumCell(report.Number, float64(p.X)/float64(divisor))
		}
		dst = append(dst, x)
		if p.Err != nil {
			return append(outcome(dst, nil), report.StatusCell(p.Err.Error(), report.Bad))
		}
		return append(outcome(dst, &p.Prediction), report.TextCell(sweepRemark(p)))
	}
	d.Closing = sweepClosing(kind, points)
	d.Sections = []report.Section{{Key: "sweep", Title: title, Text: append(d.Headline[:2:2], d.Closing), Tables: []*report.Table{inTerminal(t)}}}
	return d
}

// sweepDecimals is 0 unless the launch's own amount is no whole KB.
func sweepDecimals(points []predict.Point, divisor int64) int {
	for i := range points {
		if points[i].X%divisor != 0 {
			return 3
		}
	}
	return 0
}

// sweepRemark marks the launch that was swept, and says what is particular at a point.
func sweepRemark(p *predict.Point) string {
	var parts []string
	if p.Own {
		parts = append(parts, "this launch")
	}
	if p.Prediction.IdleLanes > 0 {
		parts = append(parts, report.Counted(int(p.Prediction.IdleLanes), "lane idle", "lanes idle"))
	}
	if p.Prediction.Partial {
		parts = append(parts, "does not divide the global size")
	}
	return strings.Join(parts, ", ")
}

// sweepClosing says where the highest occupancy is, and where the launch stands. Values with idle lanes or a rest of smaller
// work-groups are left out where there are others, for their occupancy counts what does no work.
func sweepClosing(kind SweepKind, points []predict.Point) string {
	clean := func(p *predict.Point) bool { return p.Prediction.IdleLanes == 0 && !p.Prediction.Partial }
	best, own := bestPoint(points, clean), -1
	among := " among values that divide the global size and leave no lane idle"
	if best < 0 {
		best, among = bestPoint(points, func(*predict.Point) bool { return true }), ""
	}
	if best < 0 {
		return "The launch cannot run at any of these values."
	}
	switch {
	case kind != SweepLocal:
		among = ""
	case among != "" && !points[best].Prediction.HasGrid():
		among = " among values that leave no lane idle"
	}
	for i := range points {
		if points[i].Own && points[i].Err == nil {
			own = i
		}
	}
	what := "Xe-core occupancy"
	if points[best].Prediction.HasGrid() {
		what = "average"
	}
	_, unit, _ := kind.axis()
	text := fmt.Sprintf("Highest %s%s: %s, first at %s", what, among, ratioText(sweepFigure(&points[best])), plainNumber(kind.Axis(points[best].X)))
	if unit != "" {
		text += " " + unit
	}
	switch {
	case own >= 0 && sweepFigure(&points[own]) == sweepFigure(&points[best]):
		text += "; this launch has it"
	case own >= 0:
		text += "; this launch has " + ratioText(sweepFigure(&points[own]))
	}
	return text + "."
}

// sweepFigure is what points are ranked by: the average, or the Xe-core's occupancy where there is no grid.
func sweepFigure(p *predict.Point) unit.Ratio {
	if p.Prediction.HasGrid() {
		return p.Prediction.Average
	}
	return p.Prediction.XeCore
}

// bestPoint finds the first of the highest points that count, -1 when none does.
func bestPoint(points []predict.Point, counts func(*predict.Point) bool) int {
	best := -1
	for i := range points {
		if points[i].Err == nil && counts(&points[i]) && (best < 0 || sweepFigure(&points[i]) > sweepFigure(&points[best])) {
			best = i
		}
	}
	return best
}

// FromCalculatorSweep builds the document of one of the calculator's own charts.
func FromCalculatorSweep(device *calculator.Device, kind SweepKind, points []calculator.Point, version string) *report.Document {
	title, unit, _ := kind.axis()
	t := report.Fixed("sweep", "", []report.Column{
		{Key: kind.columnKey(), Title: title, Unit: unit, Kind: report.Integer, In: everywhere},
		{Key: "xe_core_percent", Title: "Xe-core", Unit: "%", Kind: report.Percent, In: everywhere},
	}, nil)
	t.Len, t.Main = len(points), len(points)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		return append(dst, report.IntCell(points[i].X), report.NumCell(report.Percent, points[i].XeCorePercent))
	}
	head := calculatorLine(device)
	return &report.Document{Whole: true, Title: "Occupancy over " + inSentence(title), Version: version, Headline: []string{head},
		Sections: []report.Section{{Key: "sweep", Title: title, Text: []string{head}, Tables: []*report.Table{inTerminal(t)}}}}
}

// SweepJSON is the JSON output of a sweep.
type SweepJSON struct {
	Schema string              `json:"schema"`
	Sweep  string              `json:"sweep"`
	Compat *string             `json:"compat"` // calculator, or null for the project's own model
	Device *report.DeviceValue `json:"device"` // null for a device of the calculator
	Key    string              `json:"device_key"`
	Launch *LaunchJSON         `json:"launch"`
	Points []SweepPointJSON    `json:"points"`
}

// SweepPointJSON is a point of a sweep. X counts work-items per work-group, bytes of SLM per work-group, or lanes.
type SweepPointJSON struct {
	X             int64          `json:"x"`
	Own           bool           `json:"own"`
	Status        string         `json:"status"`
	Message       *string        `json:"message"`
	XeCorePercent *float64       `json:"xe_core_percent"`
	Predicted     *PredictedJSON `json:"predicted"`
}

// SweepValue gives the value of the JSON contract.
func SweepValue(device *arch.Device, chosenBy string, l predict.Launch, kind SweepKind, points []predict.Point) SweepJSON {
	launch := launchValue(&l)
	v := SweepJSON{Schema: SweepSchema, Sweep: string(kind), Device: deviceValue(device, chosenBy), Key: device.Key, Launch: &launch, Points: []SweepPointJSON{}}
	for i := range points {
		p := &points[i]
		j := SweepPointJSON{X: p.X, Own: p.Own, Status: "ok"}
		if p.Err != nil {
			j.Status, j.Message = "error", report.Filled(p.Err.Error())
		} else {
			j.Predicted = PredictedValue(&p.Prediction)
			j.XeCorePercent = j.Predicted.XeCorePercent
		}
		v.Points = append(v.Points, j)
	}
	return v
}

// CalculatorSweepValue gives the value of the JSON contract for one of the calculator's charts.
func CalculatorSweepValue(device *calculator.Device, kind SweepKind, points []calculator.Point) SweepJSON {
	v := SweepJSON{Schema: SweepSchema, Sweep: string(kind), Compat: report.Filled("calculator"), Key: device.Key, Points: []SweepPointJSON{}}
	for _, p := range points {
		x, percent := int64(p.X), p.XeCorePercent
		if kind == SweepSLM {
			x *= 1024
		}
		v.Points = append(v.Points, SweepPointJSON{X: x, Status: "ok", XeCorePercent: &percent})
	}
	return v
}

// inSentence lowers the first letter of a title that is no abbreviation.
func inSentence(s string) string {
	if strings.HasPrefix(s, "SLM") {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// plainNumber words a number with no more decimals than it has.
func plainNumber(x float64) string {
	text := report.Decimal(x, 3)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
