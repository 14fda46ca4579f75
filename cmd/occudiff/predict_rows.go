package main

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

// The words of the column status.
const (
	statusOK    = "ok"
	statusError = "error"
)

// LaunchRow is a launch in a batch file. It is exported because gocsv passes over embedded structs that are not.
type LaunchRow struct {
	ID       cell `csv:"id"`
	Device   cell `csv:"device"`
	XVE      cell `csv:"xve"`
	Global   cell `csv:"global"`
	Local    cell `csv:"local"`
	SIMD     cell `csv:"simd"`
	SLMKB    cell `csv:"slm_kb"`
	Barriers cell `csv:"barriers"`
	GRF      cell `csv:"grf"`
}

// predictedRow is what a batch gives back: the launch as it was, and what the model says of it.
type predictedRow struct {
	LaunchRow
	Status          cell `csv:"status"`
	Message         cell `csv:"message"`
	ThreadsPerGroup cell `csv:"threads_per_wg"`
	LimitThreads    cell `csv:"limit_threads"`
	LimitSLM        cell `csv:"limit_slm"`
	LimitSlots      cell `csv:"limit_slots"`
	Groups          cell `csv:"wg_total"`
	GroupsPerXeCore cell `csv:"wg_per_core"`
	LimitedBy       cell `csv:"limited_by"`
	XeCore          cell `csv:"core_pct"`
	Peak            cell `csv:"peak_pct"`
	Average         cell `csv:"avg_pct"`
	Waves           cell `csv:"waves"`
	FullWaves       cell `csv:"full_waves"`
	Tail            cell `csv:"tail_pct"`
}

// launchBatch is the model of a batch of launches, whichever predicts them. A device that all rows share may be given once.
func launchBatch(worker func() func(*LaunchRow) predictedRow, deviceGiven bool) *batchModel[LaunchRow, predictedRow] {
	m := &batchModel[LaunchRow, predictedRow]{
		columns:  strings.Split("id,device,xve,global,local,simd,slm_kb,barriers,grf", ","),
		required: []string{"device", "local", "simd"},
		worker:   worker,
		refuse:   refuseLaunch,
		failed:   func(r *predictedRow) (string, bool) { return r.Message.String(), r.Status.String() == statusError },
	}
	if deviceGiven {
		m.required = m.required[1:]
	}
	return m
}

func refuseLaunch(in *LaunchRow, why string) predictedRow {
	return predictedRow{LaunchRow: *in, Status: cellOf(statusError), Message: cellOf(why)}
}

// maxKnownDevices bounds what a worker remembers of look-ups: a file may name a million devices that do not exist.
const maxKnownDevices = 1024

// known remembers look-ups of devices, failed ones too.
type known[D any] map[[2]string]found[D]

type found[D any] struct {
	device D
	notes  string
	err    error
}

func (k known[D]) find(device, xve cell, look func(name string, xve int) (D, string, error)) (D, string, error) {
	key := [2]string{device.String(), xve.String()}
	f, ok := k[key]
	if !ok {
		var n int
		if n, f.err = xve.whole("xve", 1, 0); f.err == nil {
			f.device, f.notes, f.err = look(strings.TrimSpace(device.String()), n)
		}
		if len(k) >= maxKnownDevices {
			clear(k)
		}
		k[key] = f
	}
	return f.device, f.notes, f.err
}

// modelWorker predicts rows by the project's own model. The launch gives what the flags say for every row.
func modelWorker(t *arch.Table, all predict.Launch, device string, xve int) func() func(*LaunchRow) predictedRow {
	look := func(name string, n int) (*arch.Device, string, error) {
		if name == "" {
			name = device
		}
		if n == 0 {
			n = xve
		}
		if name == "" {
			return nil, "", errors.New("no device is named: fill the column, or give --device for all rows")
		}
		m, err := t.Find(arch.Query{Name: name, XVEs: n})
		return m.Device, noteTexts(m.Notes), err
	}
	return func() func(*LaunchRow) predictedRow {
		devices := known[*arch.Device]{}
		return func(in *LaunchRow) predictedRow {
			d, notes, err := devices.find(in.Device, in.XVE, look)
			if err != nil {
				return refuseLaunch(in, err.Error())
			}
			l := all
			if err := in.launch(&l); err != nil {
				return refuseLaunch(in, err.Error())
			}
			p, err := predict.Predict(d, l)
			if err != nil {
				return refuseLaunch(in, err.Error())
			}
			return predicted(in, &l, &p, notes)
		}
	}
}

// launch reads the cells of a row on top of what holds for all rows.
func (r *LaunchRow) launch(l *predict.Launch) (err error) {
	if l.Global, err = r.Global.size("global"); err != nil {
		return err
	}
	if l.Local, err = r.Local.size("local"); err != nil {
		return err
	}
	if l.SIMD, err = r.SIMD.whole("simd", 1, 0); err != nil {
		return err
	}
	if l.SLM, err = r.SLMKB.kilobytes("slm_kb"); err != nil {
		return err
	}
	if l.Barriers, err = r.Barriers.whole("barriers", 0, 0); err != nil {
		return err
	}
	l.GRF, err = r.GRF.whole("grf", 1, 0)
	return err
}

func predicted(in *LaunchRow, l *predict.Launch, p *predict.Prediction, notes string) predictedRow {
	out := predictedRow{LaunchRow: *in, Status: cellOf(statusOK), Message: cellOf(notes),
		ThreadsPerGroup: wholeCell(p.ThreadsPerGroup), LimitThreads: limitCell(p.ByThreads), LimitSLM: limitCell(p.BySLM),
		LimitSlots: limitCell(p.BySlots), GroupsPerXeCore: wholeCell(p.GroupsPerXeCore),
		LimitedBy: cellOf(strings.Join(p.Limits.Names(), "+")), XeCore: realCell(p.XeCore.Percent())}
	if p.ByBarriers != predict.Unlimited && (p.BySlots == predict.Unlimited || p.ByBarriers < p.BySlots) {
		out.LimitSlots = wholeCell(p.ByBarriers) // the contract has one column for both
	}
	if !p.HasGrid() {
		return out
	}
	if p.Partial {
		out.Message = joinTexts(out.Message, fmt.Sprintf("%s does not divide %s: the last work-groups are smaller and count as whole ones", l.Local, l.Global))
	}
	out.Groups = wholeCell(p.Groups)
	out.Peak, out.Average = realCell(p.Peak.Percent()), realCell(p.Average.Percent())
	out.Waves, out.FullWaves, out.Tail = realCell(p.Waves), realCell(math.Floor(p.Waves)), realCell(p.Tail.Percent())
	return out
}

func joinTexts(a cell, b string) cell {
	if a.text == nil {
		return cellOf(b)
	}
	return cellOf(a.String() + "; " + b)
}

func noteTexts(notes []note.Note) string {
	var texts []string
	for _, n := range notes {
		texts = append(texts, n.Text)
	}
	return strings.Join(texts, "; ")
}

// calculatorWorker predicts rows as Intel's calculator does: texts, rounding and faults included.
func calculatorWorker(t *calculator.Table, device string, xve int) func() func(*LaunchRow) predictedRow {
	look := func(name string, n int) (calculator.Device, string, error) {
		if name == "" {
			name = device
		}
		if n == 0 {
			n = xve
		}
		d, err := t.Find(name, n)
		return d, "", err
	}
	return func() func(*LaunchRow) predictedRow {
		devices := known[calculator.Device]{}
		return func(in *LaunchRow) predictedRow {
			d, _, err := devices.find(in.Device, in.XVE, look)
			if err != nil {
				return refuseLaunch(in, err.Error())
			}
			form, err := in.form()
			if err != nil {
				return refuseLaunch(in, err.Error())
			}
			return calculated(in, calculator.Run(&d, form))
		}
	}
}

// form fills the calculator's form. Its SLM is in whole KB, its barriers are yes or no, its register files are two.
func (r *LaunchRow) form() (calculator.Input, error) {
	in := calculator.Input{Global: r.Global.String(), Local: r.Local.String()}
	var err error
	if in.SIMD, err = r.SIMD.whole("simd", 1, 0); err != nil {
		return in, err
	}
	if in.SLMKB, err = r.SLMKB.whole("slm_kb", 0, 0); err != nil {
		return in, err
	}
	barriers, err := r.Barriers.whole("barriers", 0, 0)
	if err != nil {
		return in, err
	}
	in.Barrier = barriers > 0
	grf, err := r.GRF.whole("grf", 0, 0)
	if err == nil {
		in.LargeGRF, err = largeGRF("grf", grf)
	}
	return in, err
}

// largeGRF turns a register count into the calculator's choice of two.
func largeGRF(what string, grf int) (bool, error) {
	if grf != 0 && grf != 128 && grf != 256 {
		return false, fmt.Errorf("%s %d: Intel's calculator knows 128 and 256 (large GRF)", what, grf)
	}
	return grf == 256, nil
}

func calculated(in *LaunchRow, o calculator.Output) predictedRow {
	if o.Refusal != 0 {
		return refuseLaunch(in, o.Refusal.String())
	}
	out := predictedRow{LaunchRow: *in, Status: cellOf(statusOK),
		ThreadsPerGroup: realCell(o.ThreadsPerGroup), LimitThreads: realCell(o.LimitThreads),
		LimitSLM: optCell(o.LimitSLM), LimitSlots: realCell(o.LimitSlots), Groups: optCell(o.Groups),
		GroupsPerXeCore: realCell(o.GroupsPerCore), LimitedBy: cellOf(o.LimitedBy.String()), XeCore: realCell(o.XeCorePercent)}
	if g, ok := o.GPU.Value(); ok {
		out.Peak, out.Average, out.Waves = realCell(g.PeakPercent), realCell(g.AveragePercent), realCell(g.Waves)
		out.FullWaves, out.Tail = realCell(g.FullWaves), realCell(g.TailPercent)
	}
	return out
}
