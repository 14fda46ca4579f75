package predictdoc

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"occudiff/predict/calculator"
	"occudiff/report"
)

// calculation is the JSON output of `predict --compat calculator`. A number that the calculator shows as NaN is null.
type calculation struct {
	Schema     string        `json:"schema"`
	Compat     string        `json:"compat"`
	DeviceKey  string        `json:"device_key"`
	Status     string        `json:"status"`
	Message    *string       `json:"message"`
	Calculated *report.Table `json:"calculated"`
}

// calculatedColumns are what the calculator shows. The figures stand as the form has them, also the average of rounded
// waves beside that of unrounded ones, which differ.
var calculatedColumns = slices.Concat([]report.Col[calculator.Output]{
	report.Define(column{Path: "threads_per_work_group", Always: true, Title: "threads per work-group", Kind: report.Number}, func(o *calculator.Output) cell { return report.NumCell(report.Number, o.ThreadsPerGroup) }),
	report.Define(column{Path: "by_threads", Always: true, Title: "work-groups by threads", Kind: report.Number}, func(o *calculator.Output) cell { return report.NumCell(report.Number, o.LimitThreads) }),
	report.Define(column{Path: "by_slm", Title: "work-groups by SLM", Kind: report.Number}, func(o *calculator.Output) cell { return report.OptNum(report.Number, o.LimitSLM, 1) }),
	report.Define(column{Path: "by_slots", Always: true, Title: "work-groups by slots or barriers", Kind: report.Number, Doc: "work-group slots, or those of barriers for a kernel with one"}, func(o *calculator.Output) cell { return report.NumCell(report.Number, o.LimitSlots) }),
	report.Define(column{Path: "work_groups", Title: "work-groups of the launch", Kind: report.Number}, func(o *calculator.Output) cell { return report.OptNum(report.Number, o.Groups, 1) }),
	report.Define(column{Path: "work_groups_per_xe_core", Always: true, Title: "work-groups per Xe-core", Kind: report.Number}, func(o *calculator.Output) cell { return report.NumCell(report.Number, o.GroupsPerCore) }),
	report.Define(column{Path: "limits", Always: true, Title: "limited by", Kind: report.Array}, func(o *calculator.Output) cell { return report.ListCell(o.LimitedBy) }),
	report.Define(column{Path: "xe_core_percent", Always: true, Title: "Xe-core occupancy", Kind: report.Percent}, func(o *calculator.Output) cell { return report.NumCell(report.Percent, o.XeCorePercent) }),
}, report.Within("", "", func(o *calculator.Output) *calculator.GPU { return o.GPU }, []report.Col[calculator.GPU]{
	report.Define(column{Path: "peak_percent", Title: "GPU peak occupancy", Kind: report.Percent}, func(g *calculator.GPU) cell { return report.NumCell(report.Percent, g.PeakPercent) }),
	report.Define(column{Path: "average_percent", Title: "GPU average occupancy", Kind: report.Percent}, func(g *calculator.GPU) cell { return report.NumCell(report.Percent, g.AveragePercent) }),
	report.Define(column{Path: "average_exact_percent", Title: "GPU average from unrounded waves", Kind: report.Percent}, func(g *calculator.GPU) cell { return report.NumCell(report.Percent, g.AverageExact) }),
	report.Define(column{Path: "waves", Title: "waves", Kind: report.Number}, func(g *calculator.GPU) cell { return report.NumCell(report.Number, g.Waves) }),
	report.Define(column{Path: "full_waves", Title: "full waves", Kind: report.Number}, func(g *calculator.GPU) cell { return report.NumCell(report.Number, g.FullWaves) }),
	report.Define(column{Path: "tail_percent", Title: "occupancy of the last wave", Kind: report.Percent}, func(g *calculator.GPU) cell { return report.NumCell(report.Percent, g.TailPercent) }),
}))

// Calculator answers as Intel's calculator does for its form filled in. The error is the calculator's refusal.
func Calculator(d *calculator.Device, in calculator.Input) (*report.Answer, error) {
	o := calculator.Run(d, in)
	if o.Refusal != 0 {
		return nil, errors.New(o.Refusal.Explain(d, in))
	}
	pg := page{title: "Intel GPU Occupancy Calculator", key: "prediction", heading: "Calculator",
		headline: []string{calculatorLine(d), formLine(&in)},
		table:    facts("calculator", &o, calculatedColumns),
		closing:  "As Intel's GPU Occupancy Calculator computes it, rounding and faults included."}
	return pg.answer(calculation{Schema: predictSchema, Compat: "calculator", DeviceKey: d.Key, Status: "ok",
		Calculated: report.One(&o, calculatedColumns)}), nil
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
