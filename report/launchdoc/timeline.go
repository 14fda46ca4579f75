package launchdoc

import (
	"fmt"

	"occudiff/report"

	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/timeline"
)

// TimelineSchema names the version of the JSON contract of `predict --timeline`.
const TimelineSchema = "occudiff/timeline/1"

// TimelineCase is the dispatch of a launch over time. Occupancies are of all thread slots of the device.
type TimelineCase struct {
	Device     *arch.Device
	ChosenBy   string
	Launch     predict.Launch
	Prediction *predict.Prediction
	Ports      int // of policy partial
	Result     timeline.Result
}

// WhatIf says in a sentence that a policy explains and does not predict; it is empty for the others.
func (c *TimelineCase) whatIf() string {
	if !c.Result.Policy.WhatIf() {
		return ""
	}
	return fmt.Sprintf("A what-if, not a prediction: policy partial with %s lets the threads of a work-group enter one by one.",
		report.Counted(c.Ports, "dispatch port", "dispatch ports"))
}

// FromTimeline builds the document of a simulated launch: its phases and the average over time.
func FromTimeline(c *TimelineCase, version string) *report.Document {
	r := &c.Result
	d := &report.Document{Whole: true, Title: "Dispatch over time", Version: version, Headline: []string{deviceLine(c.Device), launchLine(&c.Launch) + "; policy " + r.Policy.String()}}
	if text := c.whatIf(); text != "" {
		d.Headline = append(d.Headline, text)
	}
	t := report.Fixed("phases", "", []report.Column{
		{Key: "phase", Title: "Phase", Kind: report.Integer, In: everywhere},
		{Key: "start", Title: "Start", Unit: "thread run times", Brief: "Start", Kind: report.Number, Decimals: 2, In: everywhere},
		{Key: "end", Title: "End", Unit: "thread run times", Brief: "End", Kind: report.Number, Decimals: 2, In: everywhere},
		{Key: "threads", Title: "Threads", Kind: report.Integer, In: everywhere},
		{Key: "occupancy_percent", Title: "Occupancy", Unit: "%", Kind: report.Percent, In: everywhere},
	}, nil)
	t.Len, t.Main = len(r.Phases), len(r.Phases)
	t.Row = func(i int, dst []report.Cell) []report.Cell {
		p := &r.Phases[i]
		return append(dst, report.IntCell(i+1), report.NumCell(report.Number, float64(p.Start)), report.NumCell(report.Number, float64(p.End)), report.IntCell(p.Threads), report.RatioCell(p.Occupancy))
	}
	d.Closing = fmt.Sprintf("Peak %s; average over time %s. Times count in run times of a thread, %s in all.",
		ratioText(r.Peak), ratioText(r.Average), plainNumber(float64(r.Time)))
	if p := c.Prediction; c.Result.Policy.WhatIf() {
		d.Closing += fmt.Sprintf(" The prediction (policy %s) is peak %s, average %s.", p.Policy, ratioText(p.Peak), ratioText(p.Average))
	}
	if part := partialText(&c.Launch, c.Prediction); part != "" {
		d.Closing += " " + capital(part) + "."
	}
	d.Sections = []report.Section{{Key: "timeline", Title: "Phases", Text: append(d.Headline[:len(d.Headline):len(d.Headline)], d.Closing), Tables: []*report.Table{inTerminal(t)}}}
	return d
}

// TimelineJSON is the JSON output of a timeline. Times count in run times of a thread.
type TimelineJSON struct {
	Schema         string              `json:"schema"`
	Device         *report.DeviceValue `json:"device"`
	Launch         LaunchJSON          `json:"launch"`
	Policy         string              `json:"policy"`
	Ports          *int                `json:"ports"`
	WhatIf         bool                `json:"what_if" jsonschema:"the policy explains published phases; it predicts nothing"`
	PeakPercent    float64             `json:"peak_percent"`
	AveragePercent float64             `json:"average_percent"`
	Duration       float64             `json:"duration"`
	Phases         []PhaseJSON         `json:"phases"`
	Predicted      *PredictedJSON      `json:"predicted"`
}

// PhaseJSON is a span of time in which the number of resident threads does not change.
type PhaseJSON struct {
	Start            float64 `json:"start"`
	End              float64 `json:"end"`
	Threads          int64   `json:"threads"`
	OccupancyPercent float64 `json:"occupancy_percent"`
}

// TimelineValue gives the value of the JSON contract.
func TimelineValue(c *TimelineCase) TimelineJSON {
	r := &c.Result
	v := TimelineJSON{Schema: TimelineSchema, Device: deviceValue(c.Device, c.ChosenBy), Launch: launchValue(&c.Launch), Policy: r.Policy.String(),
		Ports: report.Positive(c.Ports), WhatIf: r.Policy.WhatIf(), PeakPercent: r.Peak.Percent(), AveragePercent: r.Average.Percent(), Duration: float64(r.Time),
		Phases: []PhaseJSON{}, Predicted: PredictedValue(c.Prediction)}
	for _, p := range r.Phases {
		v.Phases = append(v.Phases, PhaseJSON{float64(p.Start), float64(p.End), p.Threads, p.Occupancy.Percent()})
	}
	return v
}
