package launchdoc

import (
	"fmt"
	"math"
	"strings"

	"occudiff/report"

	"occudiff/ingest/unit"
	"occudiff/predict/calculator"
)

// CalculatorCase is a form of Intel's calculator filled in, and what it shows.
type CalculatorCase struct {
	Device *calculator.Device
	Input  calculator.Input
	Output calculator.Output
}

// FromCalculator builds the document of what Intel's calculator shows for a launch.
func FromCalculator(c *CalculatorCase, version string) *report.Document {
	o := &c.Output
	d := &report.Document{Whole: true, Title: "Intel GPU Occupancy Calculator", Version: version, Headline: []string{calculatorLine(c.Device), formLine(&c.Input)},
		Closing: "As Intel GPU Occupancy Calculator computes it, rounding and faults included; without --compat the project's own model answers."}
	s := report.Section{Key: SectionPrediction, Title: "Calculator", Text: append(d.Headline[:2:2], d.Closing)}
	if o.Refusal != 0 {
		d.Closing = o.Refusal.Explain(c.Device, c.Input)
		s.Text = append(d.Headline[:2:2], d.Closing)
		d.Sections = []report.Section{s}
		return d
	}
	var rows [][]report.Cell
	add := func(name, value string) {
		rows = append(rows, []report.Cell{report.TextCell(name), report.TextCell(value)})
	}
	num := func(x float64) string { return plainNumber(x) }
	add("threads per work-group", num(o.ThreadsPerGroup))
	add("work-groups by threads", num(o.LimitThreads))
	add("work-groups by SLM", optNumber(o.LimitSLM, "no SLM used"))
	if c.Input.Barrier {
		add("work-groups by barriers", num(o.LimitSlots))
	} else {
		add("work-groups by slots", num(o.LimitSlots))
	}
	add("work-groups of the launch", optNumber(o.Groups, "no global size"))
	add("work-groups per Xe-core", num(o.GroupsPerCore))
	add("limited by", strings.ReplaceAll(o.LimitedBy.String(), "+", ", "))
	add("Xe-core occupancy", calculatorPercent(o.XeCorePercent))
	if g, ok := o.GPU.Value(); ok {
		add("GPU peak occupancy", calculatorPercent(g.PeakPercent))
		add("GPU average occupancy", calculatorPercent(g.AveragePercent))
		add("GPU average from unrounded waves", calculatorPercent(g.AverageExact))
		add("waves", num(g.Waves))
		add("full waves", num(g.FullWaves))
		add("occupancy of the last wave", calculatorPercent(g.TailPercent))
	}
	t := report.NameValue("calculator", "", rows)
	for i := range t.Columns {
		t.Columns[i].In |= report.Terminal
	}
	s.Tables = []*report.Table{inTerminal(t)}
	d.Sections = []report.Section{s}
	return d
}

func calculatorLine(d *calculator.Device) string {
	text := fmt.Sprintf("%s (%s) as the calculator has it: %s Xe-cores x %d XVE, %d threads per Xe-core", d.Name, d.Key, plainNumber(d.XeCores()), d.XVEPerXeCore, d.Threads)
	// The fault of fractional Xe-cores stands with a device whichever XVE count is chosen; not every count has it.
	if d.Note != "" && (!strings.Contains(d.Note, "fraction") || d.XeCores() != math.Trunc(d.XeCores())) {
		text += "; " + d.Note
	}
	return text
}

func formLine(in *calculator.Input) string {
	text := "no global size"
	if in.Global != "" {
		text = in.Global + " work-items"
	}
	text += fmt.Sprintf(" in work-groups of %s, SIMD%d", in.Local, in.SIMD)
	if in.SLMKB > 0 {
		text += fmt.Sprintf(", %d KB SLM per work-group", in.SLMKB)
	}
	if in.Barrier {
		text += ", barrier"
	}
	if in.LargeGRF {
		text += ", large GRF"
	}
	return text
}

func calculatorPercent(x float64) string { return plainNumber(x) + " %" }

func optNumber(o unit.Opt[float64], absent string) string {
	if x, ok := o.Value(); ok {
		return plainNumber(x)
	}
	return absent
}

// CalculatorJSON is the JSON output of `predict --compat calculator`, under the schema of `predict`. A number that the
// calculator shows as NaN is null.
type CalculatorJSON struct {
	Schema     string                `json:"schema"`
	Compat     string                `json:"compat"`
	DeviceKey  string                `json:"device_key"`
	Status     string                `json:"status"`
	Message    *string               `json:"message"`
	Calculated *CalculatorOutputJSON `json:"calculated"`
}

// CalculatorOutputJSON is what the calculator shows. Its slots are those of barriers for a kernel with one.
type CalculatorOutputJSON struct {
	ThreadsPerWorkGroup float64  `json:"threads_per_work_group"`
	ByThreads           float64  `json:"by_threads"`
	BySLM               *float64 `json:"by_slm"`
	BySlots             float64  `json:"by_slots"`
	WorkGroups          *float64 `json:"work_groups"`
	WorkGroupsPerXeCore float64  `json:"work_groups_per_xe_core"`
	Limits              []string `json:"limits"`
	XeCorePercent       float64  `json:"xe_core_percent"`
	PeakPercent         *float64 `json:"peak_percent"`
	AveragePercent      *float64 `json:"average_percent"`
	AverageExactPercent *float64 `json:"average_exact_percent"`
	Waves               *float64 `json:"waves"`
	FullWaves           *float64 `json:"full_waves"`
	TailPercent         *float64 `json:"tail_percent"`
}

// CalculatorValue gives the value of the JSON contract.
func CalculatorValue(c *CalculatorCase) CalculatorJSON {
	o := &c.Output
	v := CalculatorJSON{Schema: PredictSchema, Compat: "calculator", DeviceKey: c.Device.Key, Status: "ok"}
	if o.Refusal != 0 {
		v.Status, v.Message = "error", report.Filled(o.Refusal.Explain(c.Device, c.Input))
		return v
	}
	j := &CalculatorOutputJSON{ThreadsPerWorkGroup: o.ThreadsPerGroup, ByThreads: o.LimitThreads, BySLM: report.Finite(o.LimitSLM), BySlots: o.LimitSlots,
		WorkGroups: report.Finite(o.Groups), WorkGroupsPerXeCore: o.GroupsPerCore, Limits: strings.Split(o.LimitedBy.String(), "+"), XeCorePercent: o.XeCorePercent}
	if g, ok := o.GPU.Value(); ok {
		some := func(x float64) *float64 { return report.Finite(unit.Some(x)) }
		j.PeakPercent, j.AveragePercent, j.AverageExactPercent = some(g.PeakPercent), some(g.AveragePercent), some(g.AverageExact)
		j.Waves, j.FullWaves, j.TailPercent = some(g.Waves), some(g.FullWaves), some(g.TailPercent)
	}
	v.Calculated = j
	return v
}
