package track

import (
	"context"
	"slices"
	"strings"
	"time"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/ingest/unit"
	"occudiff/predict/batch"
)

// FromResult describes what of a compared run is stored: every kernel with its
// occupancies, residuals, times, verdict and cause, and what the inputs say of
// their origin. Time, host, job, label and commit are the caller's to add.
func FromResult(r *compare.Result) history.Run {
	p := &r.Platform
	h := history.Run{Driver: p.Driver, VTune: p.VTune, Program: programOf(p.Command), Frequency: p.MaxFrequency}
	if r.Device != nil {
		h.Device = r.Device.Key
	}
	h.Rows = make([]history.Row, 0, len(r.Rows))
	carries := map[string]bool{}
	seen := map[history.Key]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if row.Verdict == compare.NotAKernel {
			continue
		}
		stored := fromRow(row, h.Device)
		if seen[stored.Key] { // timings of a log, one kernel several times: nothing is measured in them
			continue
		}
		seen[stored.Key] = true
		carries[row.Pos.File] = true
		h.Rows = append(h.Rows, stored)
	}
	for _, in := range r.Inputs {
		h.Inputs = append(h.Inputs, history.Input{Path: in.Path, Kind: in.Kind, Digest: in.Digest, Content: in.Content,
			Rows: in.Rows, BadRows: in.BadRows, Contains: carries[in.Path]})
	}
	return h
}

// programOf returns the base name of the program in a command line; a first
// word in quotes may hold spaces.
func programOf(command string) string {
	word := strings.TrimSpace(command)
	if rest, quoted := strings.CutPrefix(word, `"`); quoted {
		word, _, _ = strings.Cut(rest, `"`)
	} else if words := strings.Fields(word); len(words) > 0 {
		word = words[0]
	}
	return word[strings.LastIndexAny(word, `/\`)+1:]
}

// fromRow describes what of a row is stored.
func fromRow(row *compare.Row, device string) history.Row {
	h := history.Row{
		Key: history.Key{Task: row.Task, Global: row.Global, Local: row.Local, SIMD: row.SIMD.Or(0),
			Direction: string(row.Direction), Device: device},
		Verdict: string(row.Verdict),
	}
	for _, m := range append(history.Metrics(), history.Total) {
		// Of a prediction without work-groups there is no residual: its average
		// is 0 for unknown.
		at := compare.MetricNamed(string(m))
		if at >= 0 && (m != history.Residual || row.Basis == compare.BasisMeasured) {
			h.Set(m, compare.Metrics()[at].Of(row))
		}
	}
	if row.Device != "" { // several adapters in one export: what one does says nothing of the others
		h.Device = strings.TrimSpace(device + " " + row.Device)
	}
	if row.Cause != nil {
		h.Cause = row.Cause.Name
	}
	return h
}

// Added is what was done with a run.
type Added struct {
	history.Run
	Done     history.Added
	TimeFrom string // what the time was taken from, when it is not the collection's
	Clock    Clock  // what is wrong with its date
}

// CheckClock describes what is wrong with the date of a run that was just
// stored.
func (a *Added) CheckClock(ctx context.Context, db *history.DB, now time.Time) error {
	runs, err := db.DatedFrom(ctx, a.Time) // those that are dated before it say nothing of it
	a.Clock = clockOf(runs, &a.Run, now)
	a.Clock.Future = slices.DeleteFunc(a.Clock.Future, func(r Ref) bool { return r.Run != a.ID })
	return err
}

// Unjudged counts the rows without measured occupancy, and those whose value is
// not their own.
func (a *Added) Unjudged() (notMeasured, unmeasurable int) {
	for i := range a.Rows {
		switch {
		case !a.Rows[i].Of(history.Measured).Present():
			notMeasured++
		case a.Rows[i].Verdict == string(compare.Unmeasurable):
			unmeasurable++
		}
	}
	return notMeasured, unmeasurable
}

// FromBinaries describes what of the kernels of binaries is stored: spills and
// predicted peaks, a row for each kernel and device. A series goes on when the
// compiler takes another SIMD width, unless a kernel is there in several.
func FromBinaries(kernels []batch.Kernel) history.Run {
	var run history.Run
	several := map[history.Key]int{}
	key := func(k *batch.Kernel) history.Key { return history.Key{Task: k.Demangled(), Device: k.Device.Key} }
	for i := range kernels {
		several[key(&kernels[i])]++
	}
	seen := map[history.Key]bool{}
	for i := range kernels {
		k := &kernels[i]
		row := history.Row{Key: key(k)}
		spill := k.Spill
		if !spill.Present() { // an older compiler: spills and private memory together
			spill = k.Scratch
		}
		n, ok := spill.Value()
		row.Set(history.Spill, unit.Maybe(float64(n), ok))
		if several[row.Key] > 1 {
			row.SIMD = k.SIMD
		}
		if seen[row.Key] { // the same kernel in two files
			continue
		}
		seen[row.Key] = true
		if p := k.Prediction; p != nil {
			row.Set(history.Peak, unit.Some(p.Prediction.Peak.Percent()))
		}
		run.Rows = append(run.Rows, row)
		if run.Device == "" {
			run.Device = k.Device.Key
		}
	}
	return run
}
