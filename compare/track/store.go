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

// FromResult returns the values to store for a compared run: the occupancies,
// residuals, times, verdict, and cause of every kernel, and the provenance that
// the inputs contain. The caller adds time, host, job, label, and commit.
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
		if seen[stored.Key] { // a log repeats a kernel for each timing, without a measurement
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

// programOf returns the program's base name from a command line. A quoted first
// word may contain spaces.
func programOf(command string) string {
	word := strings.TrimSpace(command)
	if rest, quoted := strings.CutPrefix(word, `"`); quoted {
		word, _, _ = strings.Cut(rest, `"`)
	} else if words := strings.Fields(word); len(words) > 0 {
		word = words[0]
	}
	return word[strings.LastIndexAny(word, `/\`)+1:]
}

// fromRow returns a row's values to store.
func fromRow(row *compare.Row, device string) history.Row {
	h := history.Row{
		Key: history.Key{Task: row.Task, Global: row.Global, Local: row.Local, SIMD: row.SIMD.Or(0),
			Direction: string(row.Direction), Device: device},
		Values: history.ValuesOf(row), Verdict: string(row.Verdict),
	}
	if row.Device != "" { // the adapters of one export are separate devices
		h.Device = strings.TrimSpace(device + " " + row.Device)
	}
	if row.Cause != nil {
		h.Cause = row.Cause.Name
	}
	return h
}

// Added is the result of adding a run.
type Added struct {
	history.Run
	Done     history.Added
	TimeFrom string // source of the time, if it is not the time of the collection
	Clock    Clock  // wrong dates
}

// CheckClock sets the wrong dates that concern a run that was just stored.
func (a *Added) CheckClock(ctx context.Context, db *history.DB, now time.Time) error {
	runs, err := db.DatedFrom(ctx, a.Time) // earlier dates do not contradict the date of the run
	a.Clock = clockOf(runs, &a.Run, now)
	a.Clock.Future = slices.DeleteFunc(a.Clock.Future, func(r Ref) bool { return r.Run != a.ID })
	return err
}

// Unjudged returns the number of rows without measured occupancy, and the
// number of rows whose value is unmeasurable.
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

// FromBinaries returns the values to store for kernels in binaries: spills and
// predicted peaks, one row per kernel and device. A series continues even if
// the compiler selects another SIMD width, unless a kernel exists with several
// widths.
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
		if !spill.Present() { // an older compiler reports spills and private memory together
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
