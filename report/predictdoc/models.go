package predictdoc

import (
	"errors"
	"fmt"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/calculator"
	"occudiff/predict/computeunit"
	"occudiff/report"
)

// calculation is the JSON output of `predict --compat calculator`. A number
// that the calculator shows as NaN is null.
type calculation struct {
	Schema     string        `json:"schema"`
	Compat     string        `json:"compat"`
	DeviceKey  string        `json:"device_key"`
	Status     string        `json:"status"`
	Message    *string       `json:"message"`
	Calculated *report.Table `json:"calculated"`
}

// calculatedColumns are the columns for the calculator's values, as its form
// shows them. For example, the form shows two averages: from the rounded and
// from the unrounded number of waves.
var calculatedColumns = report.EachAs([]report.Col[calculator.Output]{
	report.Define("threads_per_work_group", "threads per work-group",
		func(o *calculator.Output) float64 { return o.ThreadsPerGroup }),
	report.Define("by_threads", "work-groups by threads",
		func(o *calculator.Output) float64 { return o.LimitThreads }),
	report.Define("by_slm", "work-groups by SLM",
		func(o *calculator.Output) unit.Opt[float64] { return o.LimitSLM }),
	report.Define("by_slots", "work-groups by slots or barriers",
		func(o *calculator.Output) float64 { return o.LimitGroupSlots }),
	report.Define("work_groups", "work-groups of the launch",
		func(o *calculator.Output) unit.Opt[float64] { return o.Groups }),
	report.Define("work_groups_per_xe_core", "work-groups per Xe-core",
		func(o *calculator.Output) float64 { return o.GroupsPerCore }),
	report.Define("limits", "limited by",
		func(o *calculator.Output) []string { return o.LimitedBy }),
	report.Define("xe_core_percent", "Xe-core occupancy",
		func(o *calculator.Output) float64 { return o.XeCorePercent },
		report.Percent),
	onGPU("peak_percent", "GPU peak occupancy",
		func(g *calculator.GPU) float64 { return g.PeakPercent },
		report.Percent),
	onGPU("average_percent", "GPU average occupancy",
		func(g *calculator.GPU) float64 { return g.AveragePercent },
		report.Percent),
	onGPU("average_exact_percent", "GPU average from unrounded waves",
		func(g *calculator.GPU) float64 { return g.AverageExact },
		report.Percent),
	onGPU("waves", "waves",
		func(g *calculator.GPU) float64 { return g.Waves }),
	onGPU("full_waves", "full waves",
		func(g *calculator.GPU) float64 { return g.FullWaves }),
	onGPU("tail_percent", "occupancy of the last wave",
		func(g *calculator.GPU) float64 { return g.TailPercent },
		report.Percent),
}, report.Detail)

// onGPU returns a column whose value is known only if the number of work-groups
// is known.
func onGPU(key, title string, get func(*calculator.GPU) float64, o ...report.Option) report.Col[calculator.Output] {
	return report.Define(key, title, func(out *calculator.Output) unit.Opt[float64] {
		if out.GPU == nil {
			return unit.Opt[float64]{}
		}
		return unit.Some(get(out.GPU))
	}, o...)
}

// Calculator returns the result that Intel's calculator shows for this form. If
// the calculator rejects the form, the error contains its message.
func Calculator(d *calculator.Device, in calculator.Input) (*report.Output, error) {
	o := calculator.Run(d, in)
	if o.Rejection != 0 {
		return nil, errors.New(o.Rejection.Explain(d, in))
	}
	pg := page{
		title:    "Intel GPU Occupancy Calculator",
		key:      "prediction",
		heading:  "Calculator",
		headline: []string{calculatorLine(d), formLine(&in)},
		table:    facts("calculator", &o, calculatedColumns),
		closing:  "As Intel's GPU Occupancy Calculator computes it, including rounding and errors.",
	}
	return pg.output(calculation{
		Schema:     predictSchema,
		Compat:     "calculator",
		DeviceKey:  d.Key,
		Status:     "ok",
		Calculated: report.One(&o, calculatedColumns),
	}), nil
}

func calculatorLine(d *calculator.Device) string {
	text := fmt.Sprintf("%s (%s) as the calculator has it: %s Xe-cores x %d XVE, %d threads per Xe-core", d.Name, d.Key,
		number(d.XeCores()), d.XVEPerXeCore, d.Threads)
	// For some XVE counts, the number of Xe-cores is not an integer. If the
	// device has such counts, the note is about them and does not apply to the
	// other counts.
	fractional := func(xves int) bool { return xves%d.XVEPerXeCore != 0 }
	if d.Note != "" && (fractional(d.XVEs) || !slices.ContainsFunc(d.XVEChoices, fractional)) {
		text += "; " + d.Note
	}
	return text
}

// formLine returns the values of the form in one line. Sizes are as the user
// wrote them, because the form also accepts products such as 64*32.
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

// unitPrediction is the JSON output of `predict --model compute-unit`.
type unitPrediction struct {
	Schema    string     `json:"schema"`
	Model     string     `json:"model"`
	Platform  string     `json:"platform"`
	Predicted unitResult `json:"predicted"`
}

// unitResult is the occupancy of one compute unit. A resource without a limit
// is null.
type unitResult struct {
	computeunit.Launch
	computeunit.Result
	computeunit.GridOccupancy
}

// ComputeUnit returns the occupancy of a kernel on compute units of any vendor.
// If the number of work-groups is not 0, the result includes the whole GPU.
func ComputeUnit(p *computeunit.Platform, l computeunit.Launch, groups int64) (*report.Output, error) {
	r, err := p.Predict(l)
	if err != nil {
		return nil, err
	}
	s, err := p.GridOccupancy(r, groups)
	if err != nil {
		return nil, err
	}
	steps := unitSteps(p, &l, &r)
	limits := unit.JoinWords(r.Limits, "and")
	closing := fmt.Sprintf("Compute-unit occupancy: %s, limited by %s; %s of the lanes are in use.",
		r.Occupancy, limits, r.Lanes)
	// In this model, a kernel that spills registers never fits, because the
	// model has no memory for spilled values.
	if r.Groups == 0 {
		closing = "No work-group fits: " + limits + "."
		if r.Spilled {
			closing += fmt.Sprintf(" A work-item uses %s of registers, but only %s are allowed at this sub-group "+
				"size: the kernel spills.",
				unit.FormatBytes(l.RegisterBytes), unit.FormatBytes(r.RegisterBytesAllowed))
		}
	}
	if fill, ok := s.Fill.Value(); ok {
		steps = append(steps, predict.Step{
			Label: "work-groups that fill the GPU",
			Value: report.Thousands(fill),
			Formula: fmt.Sprintf("%d compute units x %d; multiples leave no partial last "+
				"wave", p.ComputeUnits, r.Groups),
		})
	}
	if waves, ok := s.Waves.Value(); ok {
		steps = append(steps, predict.Step{
			Label:   "waves",
			Value:   number(waves),
			Formula: fmt.Sprintf("%d work-groups / %d", groups, s.Fill.Or(0)),
		})
		closing += fmt.Sprintf(" GPU peak %s, average %s.", s.Peak.Or(0),
			s.Average.Or(0))
	}
	pg := page{
		title:    "Occupancy of a compute unit",
		key:      "prediction",
		heading:  "Prediction",
		headline: []string{platformLine(p), unitLaunchLine(&l)},
		closing:  closing,
	}
	pg.setSteps(steps)
	return pg.output(unitPrediction{predictSchema, "compute-unit", string(p.Key), unitResult{l, r, s}}), nil
}

// unitSteps returns the steps of the model with their formulas and values, in
// the order of the published formulas (docs/design/model.md). Each formula
// contains its numbers, so that the step can be checked by hand.
func unitSteps(p *computeunit.Platform, l *computeunit.Launch, r *computeunit.Result) (steps []predict.Step) {
	registers, slm := "no registers given", "no SLM used"
	if r.Spilled {
		registers = fmt.Sprintf("%d bytes per work-item are above that: spilled", l.RegisterBytes)
	} else if l.RegisterBytes > 0 {
		registers = fmt.Sprintf("floor(%d / (%d x %d))", p.RegisterBytes, l.RegisterBytes, l.GroupSize)
	}
	if l.SLM > 0 {
		slm = fmt.Sprintf("floor(%d / %d)", p.SLM, l.SLM)
	}
	limit := func(o unit.Opt[int64]) string {
		if n, ok := o.Value(); ok {
			return report.Thousands(n)
		}
		return "no limit"
	}
	add := func(label, value, limit, formula string, args ...any) {
		binds := slices.Contains(r.Limits, limit)
		steps = append(steps, predict.Step{
			Label:      label,
			Value:      value,
			Formula:    fmt.Sprintf(formula, args...),
			Limiting:   binds,
			Supporting: !binds && limit != "",
		})
	}
	add("sub-groups per work-group", report.Thousands(r.SubgroupsPerGroup), "", "ceil(%d / %d)", l.GroupSize,
		l.SubgroupSize)
	add("registers per work-item, most", unit.FormatBytes(r.RegisterBytesAllowed), "", "ceil(%d / %d) bytes",
		p.RegisterBytesPerSubgroup, l.SubgroupSize)
	add("work-groups by registers", limit(r.ByRegisters), computeunit.LimitRegisters, "%s", registers)
	add("work-groups by SLM", limit(r.BySLM), computeunit.LimitSLM, "%s", slm)
	add("work-groups by sub-groups", report.Thousands(r.BySubgroups), computeunit.LimitSubgroups,
		"floor(%d x %d / %d)", p.Blocks, p.SubgroupsPerBlock, r.SubgroupsPerGroup)
	add("work-groups by hardware", report.Thousands(r.ByHardware), computeunit.LimitHardware, "active work-groups")
	add("work-groups per compute unit", report.Thousands(r.Groups), "", "the least of these")
	add("sub-group occupancy", r.Occupancy.String(), "", "%d x %d / %d", r.SubgroupsPerGroup, r.Groups,
		r.TotalSubgroups)
	add("lane occupancy", r.Lanes.String(), "", "%d / (%d x %d)", l.GroupSize, r.SubgroupsPerGroup,
		l.SubgroupSize)
	return steps
}

func platformLine(p *computeunit.Platform) string {
	text := fmt.Sprintf("%s (%s), a compute unit with %d processing blocks x %d sub-groups, %s of registers, %s of SLM",
		p.Name, p.Key, p.Blocks, p.SubgroupsPerBlock, unit.FormatBytes(p.RegisterBytes), unit.FormatBytes(p.SLM))
	if p.ComputeUnits > 0 {
		text += fmt.Sprintf("; %d compute units", p.ComputeUnits)
	}
	return text
}

func unitLaunchLine(l *computeunit.Launch) string {
	text := fmt.Sprintf("work-groups of %d, sub-groups of %d", l.GroupSize, l.SubgroupSize)
	if l.SLM > 0 {
		text += ", " + unit.FormatBytes(l.SLM) + " SLM per work-group"
	}
	if l.RegisterBytes > 0 {
		text += ", " + unit.FormatBytes(l.RegisterBytes) + " of registers per work-item"
	}
	return text
}

// unitAdvice is the JSON output of `advise --model compute-unit`. Full reports
// whether any setting reaches full occupancy with all lanes in use. If none
// does, the settings are the ones with the highest occupancy that is possible.
type unitAdvice struct {
	Schema   string        `json:"schema"`
	Model    string        `json:"model"`
	Platform string        `json:"platform"`
	Full     bool          `json:"full"`
	Settings *report.Table `json:"settings"`
	Least    *report.Table `json:"least_changes,omitempty"`
}

var unitSettingColumns = []report.Col[computeunit.Setting]{
	report.Define("sub_group_size", "Sub-group size",
		func(s *computeunit.Setting) int64 { return s.SubgroupSize },
		report.Brief("Sub-group")),
	report.Define("work_group_size", "Work-group size",
		func(s *computeunit.Setting) int64 { return s.GroupSize },
		report.Brief("Work-group")),
	report.Define("work_groups_per_compute_unit", "Work-groups per compute unit",
		func(s *computeunit.Setting) int64 { return s.Groups },
		report.Brief("Per unit")),
	report.Define("occupancy_percent", "Occupancy",
		func(s *computeunit.Setting) unit.Ratio { return s.Occupancy }),
	report.Define("lanes_percent", "Lanes",
		func(s *computeunit.Setting) unit.Ratio { return s.Lanes }),
	report.Define("register_bytes_per_item_max", "registers per work-item",
		func(s *computeunit.Setting) unit.Bytes { return s.MaxRegisterBytes },
		report.Group("Up to"),
		report.Brief("Registers, most")),
	report.Define("slm_bytes_max", "SLM per work-group",
		func(s *computeunit.Setting) unit.Bytes { return s.MaxSLM },
		report.Group("Up to"), report.Brief("SLM, most")),
	report.Define("work_groups_that_fill", "Work-groups that fill the GPU",
		func(s *computeunit.Setting) unit.Opt[int64] { return s.Fill },
		report.Brief("Fill the GPU")),
}

var relaxedColumns = slices.Concat([]report.Col[computeunit.Relaxed]{
	report.JSON("resource",
		func(r *computeunit.Relaxed) string { return r.Resource }),
	report.JSON("from_bytes",
		func(r *computeunit.Relaxed) unit.Bytes { return r.From }),
	report.JSON("to_bytes",
		func(r *computeunit.Relaxed) unit.Bytes { return r.To }),
}, report.Within("", "setting",
	func(r *computeunit.Relaxed) *computeunit.Setting { return &r.Setting },
	report.InJSON(unitSettingColumns)))

// ComputeUnitAdvice returns the settings that reach the highest occupancy of a
// compute unit. The settings in the target are fixed.
func ComputeUnitAdvice(p *computeunit.Platform, want computeunit.Target) (*report.Output, error) {
	a, err := p.Advise(want)
	if err != nil {
		return nil, err
	}
	v := unitAdvice{adviseSchema, "compute-unit", string(p.Key), a.Full,
		report.NewTable("best", "", a.Settings, unitSettingColumns), nil}
	if len(a.Least) > 0 {
		v.Least = report.NewTable("", "", a.Least, relaxedColumns)
	}
	pg := page{
		title:    "Advice for a compute unit",
		key:      "advice",
		heading:  "Settings with the highest occupancy",
		headline: []string{platformLine(p)},
		table:    v.Settings,
	}
	switch {
	case len(a.Settings) == 0:
		pg.closing = "No work-group fits with the fixed settings."
	case a.Full:
		pg.closing = fmt.Sprintf("%s full occupancy with all lanes in use. Multiples of the work-groups that fill "+
			"the GPU leave no partial last wave.",
			unit.FormatCount(len(a.Settings), "setting reaches", "settings reach"))
	default:
		pg.closing = fmt.Sprintf("With the fixed settings, full occupancy is not possible; the highest is %s.",
			a.Settings[0].Occupancy)
	}
	for i := range a.Least {
		pg.items = append(pg.items, report.Item{Lead: "least change", Text: leastChange(&a.Least[i])})
	}
	return pg.output(v), nil
}

// leastChange describes the smallest reduction of a resource that leads to full
// occupancy. It counts a register as four bytes per work-item, as Nsight
// Compute and llvm-calc-occupancy do.
func leastChange(r *computeunit.Relaxed) string {
	of := fmt.Sprintf("at a work-group of %d and sub-groups of %d", r.Setting.GroupSize, r.Setting.SubgroupSize)
	if r.Resource == computeunit.LimitRegisters {
		return fmt.Sprintf("%d -> %d bytes of registers per work-item (%d registers of 4 bytes): full occupancy %s",
			r.From, r.To, r.To/4, of)
	}
	return fmt.Sprintf("%d -> %d bytes of SLM per work-group: full occupancy %s", r.From, r.To, of)
}
