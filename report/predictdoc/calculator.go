package predictdoc

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict/calculator"
	"occudiff/report"
)

// calculation is the JSON output of `predict --compat calculator`. A number that the calculator shows as NaN is null.
type calculation struct {
	Schema     string      `json:"schema"`
	Compat     string      `json:"compat"`
	DeviceKey  string      `json:"device_key"`
	Status     string      `json:"status"`
	Message    *string     `json:"message"`
	Calculated *calculated `json:"calculated"`
}

// calculated is what the calculator shows.
type calculated struct {
	calculator.Output
	PeakPercent         unit.Opt[float64] `json:"peak_percent"`
	AveragePercent      unit.Opt[float64] `json:"average_percent"`
	AverageExactPercent unit.Opt[float64] `json:"average_exact_percent"`
	Waves               unit.Opt[float64] `json:"waves"`
	FullWaves           unit.Opt[float64] `json:"full_waves"`
	TailPercent         unit.Opt[float64] `json:"tail_percent"`
}

// Calculator answers as Intel's calculator does for its form filled in. The error is the calculator's refusal.
func Calculator(d *calculator.Device, in calculator.Input) (*report.Answer, error) {
	o := calculator.Run(d, in)
	if o.Refusal != 0 {
		return nil, errors.New(o.Refusal.Explain(d, in))
	}
	// The figures stand as the form shows them, also the average of rounded waves beside that of unrounded ones: the
	// form has both, and they differ.
	v := &calculated{Output: o}
	// The calculator has one column for both: with a barrier the slots are those of barriers.
	slots := "work-groups by slots"
	if in.Barrier {
		slots = "work-groups by barriers"
	}
	percent := func(x float64) string { return number(x) + "%" }
	var rows report.Pairs
	rows.Text("threads per work-group", number(o.ThreadsPerGroup))
	rows.Text("work-groups by threads", number(o.LimitThreads))
	rows.Text("work-groups by SLM", optNumber(o.LimitSLM, "no SLM used"))
	rows.Text(slots, number(o.LimitSlots))
	rows.Text("work-groups of the launch", optNumber(o.Groups, "no global size"))
	rows.Text("work-groups per Xe-core", number(o.GroupsPerCore))
	rows.Text("limited by", strings.Join(o.LimitedBy, ", "))
	rows.Text("Xe-core occupancy", percent(o.XeCorePercent))
	if g, ok := o.GPU.Value(); ok {
		v.PeakPercent, v.AveragePercent, v.AverageExactPercent = unit.Some(g.PeakPercent), unit.Some(g.AveragePercent),
			unit.Some(g.AverageExact)
		v.Waves, v.FullWaves, v.TailPercent = unit.Some(g.Waves), unit.Some(g.FullWaves), unit.Some(g.TailPercent)
		rows.Text("GPU peak occupancy", percent(g.PeakPercent))
		rows.Text("GPU average occupancy", percent(g.AveragePercent))
		rows.Text("GPU average from unrounded waves", percent(g.AverageExact))
		rows.Text("waves", number(g.Waves))
		rows.Text("full waves", number(g.FullWaves))
		rows.Text("occupancy of the last wave", percent(g.TailPercent))
	}
	pg := page{title: "Intel GPU Occupancy Calculator", key: "prediction", heading: "Calculator",
		headline: []string{calculatorLine(d), formLine(&in)},
		table:    inTerminal(report.NameValue("calculator", "", rows)),
		closing:  "As Intel's GPU Occupancy Calculator computes it, rounding and faults included."}
	return pg.answer(calculation{Schema: predictSchema, Compat: "calculator", DeviceKey: d.Key, Status: "ok",
		Calculated: v}), nil
}

// inTerminal shows a table of names and values in a terminal too.
func inTerminal(t *report.Table) *report.Table {
	t.In |= report.Terminal
	return t
}

func calculatorLine(d *calculator.Device) string {
	text := fmt.Sprintf("%s (%s) as the calculator has it: %s Xe-cores x %d XVE, %d threads per Xe-core", d.Name, d.Key,
		number(d.XeCores()), d.XVEPerXeCore, d.Threads)
	// The fault of fractional Xe-cores stands with a device whichever XVE count is chosen; not every count has it.
	if d.Note != "" && (!strings.Contains(d.Note, "fraction") || d.XeCores() != math.Trunc(d.XeCores())) {
		text += "; " + d.Note
	}
	return text
}

// formLine repeats the sizes as they were typed, for the form takes products as well.
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

func optNumber(o unit.Opt[float64], absent string) string {
	if x, ok := o.Value(); ok {
		return number(x)
	}
	return absent
}
