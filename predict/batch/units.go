package batch

import (
	"occudiff/ingest/unit"
	"occudiff/predict/computeunit"
)

// UnitRow is a kernel on a compute unit; exported for gocsv.
type UnitRow struct {
	ID        string `csv:"id"`
	Platform  string `csv:"platform"`
	GroupSize string `csv:"wg_size"`
	SLM       string `csv:"slm_bytes_per_wg"`
	Subgroup  string `csv:"subgroup_size"`
	Registers string `csv:"reg_bytes_per_item"`
}

// unitResultRow is what comes back for it. A resource that sets no limit has an empty cell.
type unitResultRow struct {
	UnitRow
	RegisterBytes    string `csv:"regs_available_bytes"`
	Spilled          string `csv:"spilled"`
	ByRegisters      string `csv:"reg_limit"`
	BySLM            string `csv:"slm_limit"`
	BySubgroups      string `csv:"subgroup_limit"`
	ByHardware       string `csv:"hw_limit"`
	Groups           string `csv:"final_limit"`
	LimitedBy        string `csv:"limited_by"`
	SubgroupsPer     string `csv:"subgroups_per_wg"`
	Active           string `csv:"active_subgroups"`
	Total            string `csv:"total_subgroups"`
	Occupancy        string `csv:"subgroup_occ_pct"`
	Lanes            string `csv:"thread_occ_pct"`
	Padded           string `csv:"padded_threads"`
	ByRegisterPadded string `csv:"reg_limit_padded"`
	Status           string `csv:"status"`
	Message          string `csv:"message"`
}

// ComputeUnits predicts kernels on compute units by the register-file model. The platform is that of the rows that name
// none; it may be empty.
func ComputeUnits(t *computeunit.Table, platform string) Run {
	look := func(name string, _ int) (computeunit.Platform, string, error) {
		p, err := t.Find(name)
		return p, "", err
	}
	shared := Shared{Device: platform}
	platforms := known[computeunit.Platform]{look: look, shared: shared}
	e := engine[UnitRow, unitResultRow]{
		required: []string{"platform", "wg_size", "subgroup_size"},
		predict: func(in *UnitRow) (unitResultRow, error) {
			p, _, err := platforms.find(in.Platform, "")
			if err != nil {
				return unitResultRow{}, err
			}
			l, err := in.launch()
			if err != nil {
				return unitResultRow{}, err
			}
			r, err := p.Predict(l)
			return unitResult(in, &r), err
		},
		refuse: func(in *UnitRow, why string) unitResultRow {
			return unitResultRow{UnitRow: *in, Status: statusError, Message: why}
		},
	}
	return e.with(shared)
}

// launch reads the cells of a row; an empty amount is none used.
func (r *UnitRow) launch() (computeunit.Launch, error) {
	var c row
	l := computeunit.Launch{GroupSize: int64(c.whole("wg_size", r.GroupSize, 1)),
		SubgroupSize: int64(c.whole("subgroup_size", r.Subgroup, 1)), SLM: unit.Bytes(c.whole("slm_bytes_per_wg", r.SLM, 0)),
		RegisterBytes: unit.Bytes(c.whole("reg_bytes_per_item", r.Registers, 0))}
	return l, c.err
}

func unitResult(in *UnitRow, r *computeunit.Result) unitResultRow {
	out := unitResultRow{UnitRow: *in, RegisterBytes: integer(int64(r.RegisterBytesAllowed)), Spilled: "0",
		ByRegisters: optional(r.ByRegisters, integer), BySLM: optional(r.BySLM, integer),
		BySubgroups: integer(r.BySubgroups), ByHardware: integer(r.ByHardware), Groups: integer(r.Groups),
		LimitedBy: r.Limits.String(), SubgroupsPer: integer(r.SubgroupsPerGroup), Active: integer(r.ActiveSubgroups),
		Total: integer(r.TotalSubgroups), Occupancy: decimal(r.Occupancy.Percent()), Lanes: decimal(r.Lanes.Percent()),
		Padded: integer(r.PaddedSize), ByRegisterPadded: optional(r.ByRegistersPadded, integer), Status: statusOK}
	if r.Spilled {
		out.Spilled = "1"
	}
	return out
}
