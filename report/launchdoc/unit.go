package launchdoc

import (
	"fmt"
	"strings"

	"occudiff/report"

	"occudiff/ingest/unit"
	"occudiff/predict/computeunit"
)

// UnitCase is a kernel on a compute unit and what the register-file model says of it.
type UnitCase struct {
	Platform *computeunit.Platform
	Launch   computeunit.Launch
	Result   computeunit.Result
	Groups   unit.Opt[int64]     // of the launch, absent without a global size
	Spread   *computeunit.Spread // over all compute units, nil without a global size
}

// FromUnit builds the document of a kernel on a compute unit.
func FromUnit(c *UnitCase, version string) *report.Document {
	r := &c.Result
	d := &report.Document{Whole: true, Title: "Occupancy of a compute unit", Version: version, Headline: []string{platformLine(c.Platform), unitLaunchLine(&c.Launch)}}
	s := report.Section{Key: SectionPrediction, Title: "Prediction"}
	s.Tables = []*report.Table{inTerminal(report.Fixed("compute-unit", "", stepColumns(), unitSteps(c)))}
	if r.Groups == 0 {
		d.Closing = "No work-group fits: " + strings.ReplaceAll(r.Limits.String(), "+", " and ") + "."
		if r.Spilled {
			d.Closing += fmt.Sprintf(" A work-item uses %s of registers, %s are there at this sub-group size: the kernel spills.",
				slmText(c.Launch.RegisterBytes), slmText(r.RegisterBytesAllowed))
		}
	} else {
		d.Closing = fmt.Sprintf("Occupancy of a compute unit %s, limited by %s; %s of the lanes in use.", ratioText(r.Occupancy),
			strings.ReplaceAll(r.Limits.String(), "+", " and "), ratioText(r.Lanes))
	}
	if sp := c.Spread; sp != nil {
		d.Closing += fmt.Sprintf(" GPU peak %s, average %s.", ratioText(sp.Peak), ratioText(sp.Average))
	}
	s.Text = append(d.Headline[:2:2], d.Closing)
	d.Sections = []report.Section{s}
	return d
}

// unitSteps words the model's formulas with the figures.
func unitSteps(c *UnitCase) [][]report.Cell {
	p, l, r := c.Platform, &c.Launch, &c.Result
	var rows [][]report.Cell
	add := func(step, calculation, value string, limit computeunit.Limit) {
		row := []report.Cell{report.TextCell(step), report.TextCell(calculation), report.TextCell(value), report.TextCell(" ")}
		if limit != 0 && r.Limits&limit != 0 {
			row[3] = report.StatusCell("binds", report.Unsure)
		}
		rows = append(rows, row)
	}
	opt := func(o unit.Opt[int64], absent string) string {
		if n, ok := o.Value(); ok {
			return report.Thousands(n)
		}
		return absent
	}
	add("sub-groups per work-group", fmt.Sprintf("ceil(%d / %d)", l.GroupSize, l.SubgroupSize), report.Thousands(r.SubgroupsPerGroup), 0)
	add("registers per work-item, most", fmt.Sprintf("ceil(%d / %d) bytes", p.RegisterBytesPerSubgroup, l.SubgroupSize), slmText(r.RegisterBytesAllowed), 0)
	registers := "no registers given"
	switch {
	case r.Spilled:
		registers = fmt.Sprintf("%d bytes per work-item are above that: spilled", l.RegisterBytes)
	case l.RegisterBytes > 0:
		registers = fmt.Sprintf("floor(%d / (%d x %d))", p.RegisterBytes, l.RegisterBytes, l.GroupSize)
	}
	add("work-groups by registers", registers, opt(r.ByRegisters, "no limit"), computeunit.LimitRegisters)
	slm := "no SLM used"
	if l.SLM > 0 {
		slm = fmt.Sprintf("floor(%d / %d)", p.SLM, l.SLM)
	}
	add("work-groups by SLM", slm, opt(r.BySLM, "no limit"), computeunit.LimitSLM)
	add("work-groups by sub-groups", fmt.Sprintf("floor(%d x %d / %d)", p.Blocks, p.SubgroupsPerBlock, r.SubgroupsPerGroup), report.Thousands(r.BySubgroups), computeunit.LimitSubgroups)
	add("work-groups by hardware", "active work-groups", report.Thousands(r.ByHardware), computeunit.LimitHardware)
	add("work-groups per compute unit", "the least of these", report.Thousands(r.Groups), 0)
	add("sub-group occupancy", fmt.Sprintf("%d x %d / %d", r.SubgroupsPerGroup, r.Groups, r.TotalSubgroups), ratioText(r.Occupancy), 0)
	add("lane occupancy", fmt.Sprintf("%d / (%d x %d)", l.GroupSize, r.SubgroupsPerGroup, l.SubgroupSize), ratioText(r.Lanes), 0)
	if units, ok := p.ComputeUnits.Value(); ok && r.Groups > 0 {
		add("work-groups that fill the GPU", fmt.Sprintf("%d compute units x %d; multiples leave no tail", units, r.Groups), report.Thousands(units*r.Groups), 0)
	}
	if sp := c.Spread; sp != nil {
		add("work-groups of the launch", "of the global size", report.Thousands(c.Groups.Or(0)), 0)
		add("waves", fmt.Sprintf("%d / %d", c.Groups.Or(0), sp.Least), plainNumber(sp.Waves), 0)
		add("GPU peak occupancy", "while the waves are full, or of the only one", ratioText(sp.Peak), 0)
		add("GPU average occupancy", "over all waves, the last one counted as long as a full one", ratioText(sp.Average), 0)
	}
	return rows
}

func platformLine(p *computeunit.Platform) string {
	text := fmt.Sprintf("%s (%s), a compute unit with %d processing blocks x %d sub-groups, %s of registers, %s of SLM", p.Name, p.Key, p.Blocks, p.SubgroupsPerBlock,
		slmText(p.RegisterBytes), slmText(p.SLM))
	if n, ok := p.ComputeUnits.Value(); ok {
		text += fmt.Sprintf("; %d compute units", n)
	}
	return text
}

func unitLaunchLine(l *computeunit.Launch) string {
	text := fmt.Sprintf("work-groups of %d, sub-groups of %d", l.GroupSize, l.SubgroupSize)
	if l.SLM > 0 {
		text += ", " + slmText(l.SLM) + " SLM per work-group"
	}
	if l.RegisterBytes > 0 {
		text += ", " + slmText(l.RegisterBytes) + " of registers per work-item"
	}
	return text
}

// UnitJSON is the JSON output of `predict --model compute-unit`, under the schema of `predict`.
type UnitJSON struct {
	Schema    string         `json:"schema"`
	Model     string         `json:"model"`
	Platform  string         `json:"platform"`
	Predicted UnitResultJSON `json:"predicted"`
}

// UnitResultJSON is the occupancy of one compute unit; a resource without a limit is null.
type UnitResultJSON struct {
	WorkGroupSize         int64    `json:"work_group_size"`
	SubGroupSize          int64    `json:"sub_group_size"`
	SLMBytes              int64    `json:"slm_bytes"`
	RegisterBytes         int64    `json:"register_bytes_per_item"`
	RegisterBytesAllowed  int64    `json:"register_bytes_per_item_allowed"`
	Spilled               bool     `json:"spilled"`
	ByRegisters           *int64   `json:"by_registers"`
	BySLM                 *int64   `json:"by_slm"`
	BySubGroups           int64    `json:"by_sub_groups"`
	ByHardware            int64    `json:"by_hardware"`
	WorkGroupsPerUnit     int64    `json:"work_groups_per_compute_unit"`
	Limits                []string `json:"limits"`
	SubGroupsPerWorkGroup int64    `json:"sub_groups_per_work_group"`
	ActiveSubGroups       int64    `json:"active_sub_groups"`
	TotalSubGroups        int64    `json:"total_sub_groups"`
	OccupancyPercent      float64  `json:"occupancy_percent"`
	LanesPercent          float64  `json:"lanes_percent"`
	WorkGroups            *int64   `json:"work_groups"`
	WorkGroupsThatFill    *int64   `json:"work_groups_that_fill"`
	Waves                 *float64 `json:"waves"`
	PeakPercent           *float64 `json:"peak_percent"`
	AveragePercent        *float64 `json:"average_percent"`
	TailPercent           *float64 `json:"tail_percent"`
}

// UnitValue gives the value of the JSON contract.
func UnitValue(c *UnitCase) UnitJSON {
	r, l := &c.Result, &c.Launch
	j := UnitResultJSON{WorkGroupSize: l.GroupSize, SubGroupSize: l.SubgroupSize, SLMBytes: int64(l.SLM), RegisterBytes: int64(l.RegisterBytes),
		RegisterBytesAllowed: int64(r.RegisterBytesAllowed), Spilled: r.Spilled, ByRegisters: report.Pointer(r.ByRegisters), BySLM: report.Pointer(r.BySLM),
		BySubGroups: r.BySubgroups, ByHardware: r.ByHardware, WorkGroupsPerUnit: r.Groups, Limits: strings.Split(r.Limits.String(), "+"),
		SubGroupsPerWorkGroup: r.SubgroupsPerGroup, ActiveSubGroups: r.ActiveSubgroups, TotalSubGroups: r.TotalSubgroups,
		OccupancyPercent: r.Occupancy.Percent(), LanesPercent: r.Lanes.Percent(), WorkGroups: report.Pointer(c.Groups)}
	if units, ok := c.Platform.ComputeUnits.Value(); ok && r.Groups > 0 {
		fill := units * r.Groups
		j.WorkGroupsThatFill = &fill
	}
	if sp := c.Spread; sp != nil {
		j.Waves = report.Finite(unit.Some(sp.Waves))
		j.PeakPercent, j.AveragePercent, j.TailPercent = report.PercentOrNull(unit.Some(sp.Peak)), report.PercentOrNull(unit.Some(sp.Average)), report.PercentOrNull(unit.Some(sp.Tail))
	}
	return UnitJSON{Schema: PredictSchema, Model: "compute-unit", Platform: c.Platform.Key, Predicted: j}
}
