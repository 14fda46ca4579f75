package batch

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
	"occudiff/predict/computeunit"
)

// launches is a batch of launches, whichever model predicts them.
func launches(s Shared, predict func(*row) ([]string, error)) Run {
	return model{
		in:       strings.Fields("id device xve global local simd slm_kb barriers grf"),
		required: []string{"device", "local", "simd"},
		out: strings.Fields("status message threads_per_wg limit_threads limit_slm limit_slots wg_total wg_per_core " +
			"limited_by core_pct peak_pct avg_pct waves full_waves tail_pct"),
		predict: predict,
	}.with(s)
}

// Launches predicts by the project's own model. The launch gives what holds for every row.
func Launches(t *arch.Table, all predict.Launch, s Shared) Run {
	find := remembered("device", s, func(name string, xves int) (arch.Match, error) {
		if name == "" {
			return arch.Match{}, errors.New("no device is named: fill the column, or give --device for all rows")
		}
		return t.Find(arch.Query{Name: name, XVEs: xves})
	})
	return launches(s, func(r *row) ([]string, error) {
		m, err := find(r)
		if err != nil {
			return nil, err
		}
		l := all
		l.Global, l.Local = r.size("global"), r.size("local")
		l.SIMD, l.SLM = r.whole("simd", 1), r.kilobytes("slm_kb")
		l.Barriers, l.GRF = r.whole("barriers", 0), r.whole("grf", 1)
		p, err := predict.Predict(m.Device, l)
		if err != nil {
			return nil, err
		}
		return predicted(&l, &p, &m), nil
	})
}

func predicted(l *predict.Launch, p *predict.Prediction, m *arch.Match) []string {
	var says []string
	for _, n := range m.Notes {
		says = append(says, n.Text)
	}
	groups, gpu := "", make([]string, 5)
	if p.HasGrid() {
		groups = integer(p.Groups)
		gpu = []string{decimal(p.Peak.Percent()), decimal(p.Average.Percent()), decimal(p.Waves), decimal(math.Floor(p.Waves)),
			decimal(p.LastWaveOccupancy.Percent())}
		if p.Partial {
			says = append(says, fmt.Sprintf("%s does not divide %s: the last work-groups are smaller but count as whole ones",
				l.Local, l.Global))
		}
	}
	slots := p.BySlots // there is one column for those of work-groups and of barriers
	if p.ByBarriers != predict.Unlimited && (slots == predict.Unlimited || p.ByBarriers < slots) {
		slots = p.ByBarriers
	}
	limit := func(n int64) string {
		if n == predict.Unlimited {
			return ""
		}
		return integer(n)
	}
	return slices.Concat([]string{statusOK, strings.Join(says, "; "), integer(p.ThreadsPerGroup), limit(p.ByThreads), limit(p.BySLM),
		limit(slots), groups, integer(p.GroupsPerXeCore), strings.Join(p.Limits.Names(), "+"), decimal(p.XeCore.Percent())}, gpu)
}

// Calculator predicts as Intel's calculator does: texts, rounding and faults included.
func Calculator(t calculator.Table, s Shared) Run {
	find := remembered("device", s, t.Find)
	return launches(s, func(r *row) ([]string, error) {
		d, err := find(r)
		if err != nil {
			return nil, err
		}
		// Its SLM is in whole KB, its barriers are yes or no, its register files are two.
		large, err := calculator.LargeGRF(r.whole("grf", 0))
		if err != nil {
			return nil, fmt.Errorf("grf %w", err)
		}
		o := calculator.Run(&d, calculator.Input{Global: r.text("global"), Local: r.text("local"), SIMD: r.whole("simd", 1),
			SLMKB: r.whole("slm_kb", 0), Barrier: r.whole("barriers", 0) > 0, LargeGRF: large})
		if o.Refusal != 0 {
			return nil, errors.New(o.Refusal.String())
		}
		gpu := make([]string, 5)
		if g := o.GPU; g != nil {
			gpu = []string{decimal(g.PeakPercent), decimal(g.AveragePercent), decimal(g.Waves), decimal(g.FullWaves), decimal(g.TailPercent)}
		}
		return slices.Concat([]string{statusOK, "", decimal(o.ThreadsPerGroup), decimal(o.LimitThreads), optional(o.LimitSLM, decimal),
			decimal(o.LimitSlots), optional(o.Groups, decimal), decimal(o.GroupsPerCore), strings.Join(o.LimitedBy, "+"), decimal(o.XeCorePercent)}, gpu), nil
	})
}

// ComputeUnits predicts kernels on compute units by the register-file model. The platform is that of the rows that name
// none; it may be empty.
func ComputeUnits(t computeunit.Table, platform string) Run {
	shared := Shared{Device: platform}
	find := remembered("platform", shared, func(name string, _ int) (computeunit.Platform, error) { return t.Find(name) })
	return model{
		in:       strings.Fields("id platform wg_size slm_bytes_per_wg subgroup_size reg_bytes_per_item"),
		required: []string{"platform", "wg_size", "subgroup_size"},
		out: strings.Fields("regs_available_bytes spilled reg_limit slm_limit subgroup_limit hw_limit final_limit limited_by " +
			"subgroups_per_wg active_subgroups total_subgroups subgroup_occ_pct thread_occ_pct padded_threads reg_limit_padded " +
			"status message"),
		predict: func(r *row) ([]string, error) {
			p, err := find(r)
			if err != nil {
				return nil, err
			}
			// An empty amount is none used.
			o, err := p.Predict(computeunit.Launch{GroupSize: int64(r.whole("wg_size", 1)), SLM: unit.Bytes(r.whole("slm_bytes_per_wg", 0)),
				SubgroupSize: int64(r.whole("subgroup_size", 1)), RegisterBytes: unit.Bytes(r.whole("reg_bytes_per_item", 0))})
			if err != nil {
				return nil, err
			}
			spilled := "0"
			if o.Spilled {
				spilled = "1"
			}
			return []string{integer(int64(o.RegisterBytesAllowed)), spilled, optional(o.ByRegisters, integer), optional(o.BySLM, integer),
				integer(o.BySubgroups), integer(o.ByHardware), integer(o.Groups), strings.Join(o.Limits, "+"), integer(o.SubgroupsPerGroup),
				integer(o.ActiveSubgroups), integer(o.TotalSubgroups), decimal(o.Occupancy.Percent()), decimal(o.Lanes.Percent()),
				integer(o.PaddedSize), optional(o.ByRegistersPadded, integer), statusOK, ""}, nil
		},
	}.with(shared)
}
