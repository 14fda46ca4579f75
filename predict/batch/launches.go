package batch

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"occudiff/ingest/note"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
)

// LaunchRow is a launch as it is given. It is exported because gocsv passes over embedded structs that are not.
type LaunchRow struct {
	ID       string `csv:"id"`
	Device   string `csv:"device"`
	XVE      string `csv:"xve"`
	Global   string `csv:"global"`
	Local    string `csv:"local"`
	SIMD     string `csv:"simd"`
	SLMKB    string `csv:"slm_kb"`
	Barriers string `csv:"barriers"`
	GRF      string `csv:"grf"`
}

// predictedRow is what comes back: the launch as it was, and what the model says of it.
type predictedRow struct {
	LaunchRow
	Status          string `csv:"status"`
	Message         string `csv:"message"`
	ThreadsPerGroup string `csv:"threads_per_wg"`
	LimitThreads    string `csv:"limit_threads"`
	LimitSLM        string `csv:"limit_slm"`
	LimitSlots      string `csv:"limit_slots"`
	Groups          string `csv:"wg_total"`
	GroupsPerXeCore string `csv:"wg_per_core"`
	LimitedBy       string `csv:"limited_by"`
	XeCore          string `csv:"core_pct"`
	Peak            string `csv:"peak_pct"`
	Average         string `csv:"avg_pct"`
	Waves           string `csv:"waves"`
	FullWaves       string `csv:"full_waves"`
	Tail            string `csv:"tail_pct"`
}

// launches is a batch of launches, whichever model predicts them on a device of its own.
func launches[D any](s Shared, look func(name string, xves int) (D, string, error),
	predict func(in *LaunchRow, d D, notes string) (predictedRow, error)) Run {
	devices := known[D]{look: look, shared: s}
	e := engine[LaunchRow, predictedRow]{
		required: []string{"device", "local", "simd"},
		predict: func(in *LaunchRow) (predictedRow, error) {
			d, notes, err := devices.find(in.Device, in.XVE)
			if err != nil {
				return predictedRow{}, err
			}
			return predict(in, d, notes)
		},
		refuse: func(in *LaunchRow, why string) predictedRow {
			return predictedRow{LaunchRow: *in, Status: statusError, Message: why}
		},
	}
	return e.with(s)
}

// Launches predicts by the project's own model. The launch gives what holds for every row.
func Launches(t *arch.Table, all predict.Launch, s Shared) Run {
	look := func(name string, xves int) (*arch.Device, string, error) {
		if name == "" {
			return nil, "", errors.New("no device is named: fill the column, or give --device for all rows")
		}
		m, err := t.Find(arch.Query{Name: name, XVEs: xves})
		return m.Device, texts(m.Notes), err
	}
	return launches(s, look, func(in *LaunchRow, d *arch.Device, notes string) (predictedRow, error) {
		l, err := in.launch(all)
		if err != nil {
			return predictedRow{}, err
		}
		p, err := predict.Predict(d, l)
		if err != nil {
			return predictedRow{}, err
		}
		return predicted(in, &l, &p, notes), nil
	})
}

// launch reads the cells of a row on top of what holds for all rows.
func (r *LaunchRow) launch(l predict.Launch) (predict.Launch, error) {
	var c row
	l.Global, l.Local = c.size("global", r.Global), c.size("local", r.Local)
	l.SIMD = c.whole("simd", r.SIMD, 1)
	l.SLM = c.kilobytes("slm_kb", r.SLMKB)
	l.Barriers = c.whole("barriers", r.Barriers, 0)
	l.GRF = c.whole("grf", r.GRF, 1)
	return l, c.err
}

func predicted(in *LaunchRow, l *predict.Launch, p *predict.Prediction, notes string) predictedRow {
	out := predictedRow{LaunchRow: *in, Status: statusOK, Message: notes,
		ThreadsPerGroup: integer(p.ThreadsPerGroup), LimitThreads: limit(p.ByThreads), LimitSLM: limit(p.BySLM),
		LimitSlots: limit(p.BySlots), GroupsPerXeCore: integer(p.GroupsPerXeCore),
		LimitedBy: strings.Join(p.Limits.Names(), "+"), XeCore: decimal(p.XeCore.Percent())}
	if p.ByBarriers != predict.Unlimited && (p.BySlots == predict.Unlimited || p.ByBarriers < p.BySlots) {
		out.LimitSlots = integer(p.ByBarriers) // there is one column for both
	}
	if !p.HasGrid() {
		return out
	}
	if p.Partial {
		if out.Message != "" {
			out.Message += "; "
		}
		out.Message += fmt.Sprintf("%s does not divide %s: the last work-groups are smaller but count as whole ones",
			l.Local, l.Global)
	}
	out.Groups = integer(p.Groups)
	out.Peak, out.Average = decimal(p.Peak.Percent()), decimal(p.Average.Percent())
	out.Waves, out.FullWaves, out.Tail = decimal(p.Waves), decimal(math.Floor(p.Waves)), decimal(p.LastWaveOccupancy.Percent())
	return out
}

func texts(notes []note.Note) string {
	var list []string
	for _, n := range notes {
		list = append(list, n.Text)
	}
	return strings.Join(list, "; ")
}

// Calculator predicts as Intel's calculator does: texts, rounding and faults included.
func Calculator(t *calculator.Table, s Shared) Run {
	look := func(name string, xves int) (calculator.Device, string, error) {
		d, err := t.Find(name, xves)
		return d, "", err
	}
	return launches(s, look, func(in *LaunchRow, d calculator.Device, _ string) (predictedRow, error) {
		form, err := in.form()
		if err != nil {
			return predictedRow{}, err
		}
		o := calculator.Run(&d, form)
		if o.Refusal != 0 {
			return predictedRow{}, errors.New(o.Refusal.String())
		}
		return calculated(in, &o), nil
	})
}

// form fills the calculator's form. Its SLM is in whole KB, its barriers are yes or no, its register files are two.
func (r *LaunchRow) form() (calculator.Input, error) {
	var c row
	in := calculator.Input{Global: r.Global, Local: r.Local, SIMD: c.whole("simd", r.SIMD, 1),
		SLMKB: c.whole("slm_kb", r.SLMKB, 0), Barrier: c.whole("barriers", r.Barriers, 0) > 0}
	grf := c.whole("grf", r.GRF, 0)
	if c.err != nil {
		return in, c.err
	}
	var err error
	if in.LargeGRF, err = calculator.LargeGRF(grf); err != nil {
		return in, fmt.Errorf("grf %w", err)
	}
	return in, nil
}

func calculated(in *LaunchRow, o *calculator.Output) predictedRow {
	out := predictedRow{LaunchRow: *in, Status: statusOK,
		ThreadsPerGroup: decimal(o.ThreadsPerGroup), LimitThreads: decimal(o.LimitThreads),
		LimitSLM: optional(o.LimitSLM, decimal), LimitSlots: decimal(o.LimitSlots), Groups: optional(o.Groups, decimal),
		GroupsPerXeCore: decimal(o.GroupsPerCore), LimitedBy: o.LimitedBy.String(), XeCore: decimal(o.XeCorePercent)}
	if g, ok := o.GPU.Value(); ok {
		out.Peak, out.Average, out.Waves = decimal(g.PeakPercent), decimal(g.AveragePercent), decimal(g.Waves)
		out.FullWaves, out.Tail = decimal(g.FullWaves), decimal(g.TailPercent)
	}
	return out
}
