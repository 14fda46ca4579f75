package main

import (
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict/computeunit"
)

// UnitRow is a kernel on a compute unit in a batch file; exported for gocsv.
type UnitRow struct {
	ID        cell `csv:"id"`
	Platform  cell `csv:"platform"`
	GroupSize cell `csv:"wg_size"`
	SLM       cell `csv:"slm_bytes_per_wg"`
	Subgroup  cell `csv:"subgroup_size"`
	Registers cell `csv:"reg_bytes_per_item"`
}

// unitResultRow is what a batch gives back for a compute unit. A resource that sets no limit has an empty cell.
type unitResultRow struct {
	UnitRow
	RegisterBytes    cell `csv:"regs_available_bytes"`
	Spilled          cell `csv:"spilled"`
	ByRegisters      cell `csv:"reg_limit"`
	BySLM            cell `csv:"slm_limit"`
	BySubgroups      cell `csv:"subgroup_limit"`
	ByHardware       cell `csv:"hw_limit"`
	Groups           cell `csv:"final_limit"`
	LimitedBy        cell `csv:"limited_by"`
	SubgroupsPer     cell `csv:"subgroups_per_wg"`
	Active           cell `csv:"active_subgroups"`
	Total            cell `csv:"total_subgroups"`
	Occupancy        cell `csv:"subgroup_occ_pct"`
	Lanes            cell `csv:"thread_occ_pct"`
	Padded           cell `csv:"padded_threads"`
	ByRegisterPadded cell `csv:"reg_limit_padded"`
	Status           cell `csv:"status"`
	Message          cell `csv:"message"`
}

// unitBatch is the model of a batch of kernels on compute units. A platform that all rows share may be given once.
func unitBatch(t *computeunit.Table, platform string) *batchModel[UnitRow, unitResultRow] {
	m := &batchModel[UnitRow, unitResultRow]{
		columns:  strings.Split("id,platform,wg_size,slm_bytes_per_wg,subgroup_size,reg_bytes_per_item", ","),
		required: []string{"platform", "wg_size", "subgroup_size"},
		worker:   func() func(*UnitRow) unitResultRow { return unitWorker(t, platform) },
		refuse:   refuseUnit,
		failed:   func(r *unitResultRow) (string, bool) { return r.Message.String(), r.Status.String() == statusError },
	}
	if platform != "" {
		m.required = m.required[1:]
	}
	return m
}

func refuseUnit(in *UnitRow, why string) unitResultRow {
	return unitResultRow{UnitRow: *in, Status: cellOf(statusError), Message: cellOf(why)}
}

func unitWorker(t *computeunit.Table, platform string) func(*UnitRow) unitResultRow {
	platforms := known[computeunit.Platform]{}
	look := func(name string, _ int) (computeunit.Platform, string, error) {
		if name == "" {
			name = platform
		}
		p, err := t.Find(name)
		return p, "", err
	}
	return func(in *UnitRow) unitResultRow {
		p, _, err := platforms.find(in.Platform, cell{}, look)
		if err != nil {
			return refuseUnit(in, err.Error())
		}
		l, err := in.launch()
		if err != nil {
			return refuseUnit(in, err.Error())
		}
		r, err := p.Predict(l)
		if err != nil {
			return refuseUnit(in, err.Error())
		}
		return unitResult(in, &r)
	}
}

// launch reads the cells of a row; an empty amount is none used.
func (r *UnitRow) launch() (l computeunit.Launch, err error) {
	for _, c := range []struct {
		cell   cell
		column string
		least  int
		to     func(int)
	}{
		{r.GroupSize, "wg_size", 1, func(n int) { l.GroupSize = int64(n) }},
		{r.Subgroup, "subgroup_size", 1, func(n int) { l.SubgroupSize = int64(n) }},
		{r.SLM, "slm_bytes_per_wg", 0, func(n int) { l.SLM = unit.Bytes(n) }},
		{r.Registers, "reg_bytes_per_item", 0, func(n int) { l.RegisterBytes = unit.Bytes(n) }},
	} {
		n, err := c.cell.whole(c.column, c.least, 0)
		if err != nil {
			return l, err
		}
		c.to(n)
	}
	return l, nil
}

func unitResult(in *UnitRow, r *computeunit.Result) unitResultRow {
	out := unitResultRow{UnitRow: *in, RegisterBytes: wholeCell(int64(r.RegisterBytesAllowed)), Spilled: cellOf("0"),
		ByRegisters: optWhole(r.ByRegisters), BySLM: optWhole(r.BySLM), BySubgroups: wholeCell(r.BySubgroups),
		ByHardware: wholeCell(r.ByHardware), Groups: wholeCell(r.Groups), LimitedBy: cellOf(r.Limits.String()),
		SubgroupsPer: wholeCell(r.SubgroupsPerGroup), Active: wholeCell(r.ActiveSubgroups), Total: wholeCell(r.TotalSubgroups),
		Occupancy: realCell(r.Occupancy.Percent()), Lanes: realCell(r.Lanes.Percent()), Padded: wholeCell(r.PaddedSize),
		ByRegisterPadded: optWhole(r.ByRegistersPadded), Status: cellOf(statusOK)}
	if r.Spilled {
		out.Spilled = cellOf("1")
	}
	return out
}

func optWhole(o unit.Opt[int64]) cell {
	if n, ok := o.Value(); ok {
		return wholeCell(n)
	}
	return cell{}
}
