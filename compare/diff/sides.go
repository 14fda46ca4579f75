package diff

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"occudiff/compare"
	"occudiff/compare/stat"
	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// addNotes adds the notes that apply to all kernels, followed by the runs' own
// notes.
func (d *Result) addNotes(copied []note.Note) {
	add := func(severity note.Severity, code, hint, format string, args ...any) {
		d.Notes = append(d.Notes, note.Note{Severity: severity, Code: code, Text: fmt.Sprintf(format, args...),
			Hint: hint})
	}
	if a, b := len(d.Old.Runs), len(d.New.Runs); min(a, b) < stat.MinPerSide {
		text, limit := "no test is possible with %d + %d runs, 4 per side are needed: changes of occupancy up to %g "+
			"points are inconclusive, and times are not judged", max(d.Options.Threshold, SingleRuns)
		if d.Options.Noise != nil {
			text, limit = "with %d + %d runs, changes of occupancy above %g points are tested with the noise of the "+
				"history, and times are not judged", d.Options.Threshold
		}
		add(note.Info, "no-test", "give each side a folder of 4 repeats or more", text, a, b, float64(limit))
	}
	unknown, of, first := d.unknownNoise()
	if unknown > 0 {
		add(note.Warning, "no-noise",
			"add runs of these kernels to the history, or give each side a folder of 4 repeats",
			"the history has fewer than 8 runs of %d of %s with these launch sizes on this device, for example of %s: "+
				"their noise is unknown", unknown, unit.Plural(of, "kernel"), first)
	}
	for _, f := range runFacts {
		for _, s := range []struct {
			side string
			runs []*compare.Result
		}{{"old", d.Old.Runs}, {"new", d.New.Runs}} {
			if said := f.text(s.runs); len(said) > 1 {
				add(note.Warning, "mixed-side", "compare runs of one "+f.what+" per side",
					"the runs of the %s side differ in their %s: %q", s.side, f.what, said)
			}
		}
	}
	d.Notes = append(d.Notes, copied...)
	for _, runs := range [][]*compare.Result{d.Old.Runs, d.New.Runs} {
		for _, r := range runs {
			for _, n := range r.Notes {
				if !slices.Contains(d.Notes, n) {
					d.Notes = append(d.Notes, n)
				}
			}
		}
	}
}

// unknownNoise returns the number of kernels with too few runs for a test whose
// noise the given history does not have, the number of all kernels with too few
// runs, and the first of the former.
func (d *Result) unknownNoise() (unknown, of int, first string) {
	if d.Options.Noise == nil {
		return 0, 0, ""
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		if m := r.Measured(); !r.IsKernel || !m.Change.Present() || m.P.Present() {
			continue
		}
		of++
		if !r.tested() {
			unknown++
			first = cmp.Or(first, r.Task)
		}
	}
	return unknown, of, first
}

// contentOf returns a key for the content of a file. The key is equal for files
// that differ only in line ends or compression.
func contentOf(in ingest.Input) string { return cmp.Or(in.Content, in.Digest) }

// contents returns the files that contain a run's rows. A summary is left out,
// because it may belong to all runs.
func contents(r *compare.Result) []ingest.Input {
	files := map[string]bool{}
	for i := range r.Rows {
		row := &r.Rows[i]
		if files[row.Pos.File] = true; len(files) == len(r.Inputs) {
			break
		}
	}
	return slices.DeleteFunc(slices.Clone(r.Inputs), func(in ingest.Input) bool {
		return contentOf(in) == "" || !files[in.Path]
	})
}

// take sets the runs of both sides. It leaves out a run that is a copy of another
// on its side, because a copy is not a second sample.
func (d *Result) take(older, newer []*compare.Result) (copied []note.Note) {
	type place struct {
		path string
		side *Side
		run  *compare.Result
	}
	seen := map[string]place{}
	for i, r := range slices.Concat(older, newer) {
		side := &d.Old
		if i >= len(older) {
			side = &d.New
		}
		files, copies, said := contents(r), 0, len(copied)
		for _, in := range files {
			first, known := seen[contentOf(in)]
			if !known {
				seen[contentOf(in)] = place{in.Path, side, r}
			}
			if !known || first.run == r {
				continue
			}
			text := "the same content as " + first.path + ": a copy does not count as a second run"
			if first.path == in.Path {
				text = "the same file is compared with itself"
			}
			if first.side == side {
				copies++
			}
			copied = append(copied, note.Note{Severity: note.Warning, Code: "same-content",
				Pos: note.Pos{File: in.Path}, Text: text, Hint: "give each run once"})
		}
		// A run that shares only one file with another run may be a separate
		// run: leave it out only if all of its files are copies.
		if copies > 0 && copies == len(files) {
			copied[said].Text += ", so this file is left out"
		} else {
			side.Runs = append(side.Runs, r)
		}
	}
	return copied
}

// samples contains the samples of one kernel launch on one side, at most one
// sample per run and metric.
type samples struct {
	key        ingest.Key // key of the launch, with sizes trimmed
	launch     Launch
	notAKernel bool
	share      unit.Opt[unit.Ratio] // share of the time, in the run with the largest share
	values     [][]float64          // values by metric
	speedup    []compare.PotentialSpeedup
	last       *compare.Result // the most recently added run
}

// collect returns the launches in one side's runs, in order of first
// appearance.
func collect(runs []*compare.Result) (list []*samples) {
	at := map[ingest.Key]*samples{}
	for _, run := range runs {
		for i := range run.Rows {
			row := &run.Rows[i]
			key := row.Kernel.Key().Trim()
			s := at[key]
			if s == nil {
				s = &samples{key: key, notAKernel: row.Verdict == compare.NotAKernel,
					values: make([][]float64, len(compare.Metrics)),
					launch: Launch{Global: row.Global, Local: row.Local, SIMD: row.SIMD,
						Adapter: unit.NonZero(row.Device),
						File:    unit.NonZero(row.Pos.File), Line: unit.NonZero(row.Pos.Line)}}
				at[key] = s
				list = append(list, s)
			}
			// Ingest merges rows with the same key. A key that still occurs
			// again, for example in a timing log, is not a separate sample.
			if s.last != run {
				s.last = run
				s.add(row)
			}
		}
	}
	for _, s := range list {
		if t, ok := stat.Median(s.values[compare.MetricNamed(compare.MetricTotal)]); ok {
			s.launch.Total = unit.Some(unit.Seconds(t))
		}
	}
	return list
}

// add adds the row of a run as a sample.
func (s *samples) add(row *compare.Row) {
	l := &s.launch
	l.Runs++
	// Keep the worst certainty among the runs.
	if n, ok := row.Certainty.Intervals.Value(); ok {
		l.Intervals = unit.Some(min(n, l.Intervals.Or(n)))
	}
	if x, ok := row.Certainty.Misattributed.Value(); ok {
		l.Misattributed = unit.Some(max(x, l.Misattributed.Or(0)))
	}
	l.Exact = row.Certainty.Exact && (l.Exact || l.Runs == 1)
	if !l.Registers.Present() {
		l.Registers = row.Registers
	}
	if !l.SLM.Present() {
		l.SLM = row.SLM
	}
	l.Spill, l.Private = cmp.Or(l.Spill, row.Spill), cmp.Or(l.Private, row.Private)
	if t, ok := row.TimeShare.Value(); ok {
		s.share = unit.Some(max(t, s.share.Or(0)))
	}
	unmeasurable := row.Verdict == compare.Unmeasurable && row.Measured.Present()
	if unmeasurable {
		l.Unmeasurable++
	}
	for i, m := range compare.Metrics {
		if x, ok := m.Of(row).Value(); ok && !(m.Sampled && (unmeasurable || !row.Measured.Present())) {
			s.values[i] = append(s.values[i], x)
		}
	}
	s.speedup = append(s.speedup, row.Speedup)
}

// pairings lists the properties that two paired launches of a task may differ
// in, starting with the smallest difference.
var pairings = [...]func(*ingest.Key){
	func(*ingest.Key) {},
	func(k *ingest.Key) { k.Device = "" },
	func(k *ingest.Key) { k.SIMD = 0 },
	func(k *ingest.Key) { k.Local = ingest.Size3{} },
	func(k *ingest.Key) { k.Global = ingest.Size3{} },
	func(k *ingest.Key) { k.Local, k.SIMD = ingest.Size3{}, 0 },
	func(k *ingest.Key) { k.Global, k.Local = ingest.Size3{}, ingest.Size3{} },
	func(k *ingest.Key) { k.Global, k.Local, k.SIMD = ingest.Size3{}, ingest.Size3{}, 0 },
	func(k *ingest.Key) { k.Global, k.Local, k.SIMD, k.Device = ingest.Size3{}, ingest.Size3{}, 0, "" },
	func(k *ingest.Key) { k.Task, _ = names.Stable(k.Task) }, // the name may differ by the same rule as in a history
}

// moves returns the stable names of paired launches whose name changed only in
// a number, for example the number of a lambda.
func moves(pairs [][2]*samples) map[string]bool {
	stable := map[string]bool{}
	for _, p := range pairs {
		if p[0] == nil {
			continue
		}
		if name, ordinal := names.Stable(p[1].key.Task); ordinal {
			stable[name] = true
		}
	}
	return stable
}

// pair returns the launches that belong together. Launches with equal keys are
// paired first. The remaining launches are paired by fewer and fewer parts of
// the key, each time only if the pair is unique. Launches without a partner
// stay alone. The pairs are in the new side's order.
func pair(older, newer []*samples) [][2]*samples {
	pairs := make([][2]*samples, len(newer))
	for i, s := range newer {
		pairs[i][1] = s
	}
	taken := make([]bool, len(older))
	for level, blur := range pairings {
		piles := map[ingest.Key]*[2][]int{} // launches of each side with the same properties
		add := func(s *samples, side, i int) {
			key := s.key
			blur(&key)
			if piles[key] == nil {
				piles[key] = new([2][]int)
			}
			piles[key][side] = append(piles[key][side], i)
		}
		for i, s := range older {
			if !taken[i] {
				add(s, 0, i)
			}
		}
		if len(piles) == 0 {
			break
		}
		for i, p := range pairs {
			if p[0] == nil {
				add(p[1], 1, i)
			}
		}
		var moved map[string]bool
		if level == len(pairings)-1 {
			moved = moves(pairs)
		}
		for _, p := range piles { // any order works, because each launch is in one pile
			if len(p[0]) != 1 || len(p[1]) != 1 {
				continue
			}
			was, is := p[0][0], p[1][0]
			name, ordinal := names.Stable(newer[is].key.Task)
			_, was1 := names.Stable(older[was].key.Task)
			if moved == nil || names.Continues(1, ordinal || was1, moved[name]) {
				pairs[is][0], taken[was] = older[was], true
			}
		}
	}
	for i, s := range older {
		if !taken[i] {
			pairs = append(pairs, [2]*samples{s, nil})
		}
	}
	return pairs
}

// Change is a difference between the sides that is shown before any regression.
// If one side lacks the value, the value is unknown, and the difference is not
// a change.
type Change struct {
	What string           // one of the Change constants
	Task unit.Opt[string] // name of the kernel; absent if the change concerns the whole run
	Old  string
	New  string
}

// Kinds of changes: first for the whole run, then for a kernel's launch.
const (
	ChangeDevice  = "device"
	ChangeDriver  = "driver"
	ChangeVTune   = "VTune version"
	ChangeName    = "name" // only parts of the name differ that change with other code, see names.Stable
	ChangeSpill   = "spill"
	ChangePrivate = "private memory"
	ChangeAdapter = "adapter"
	ChangeSIMD    = "SIMD width"
	ChangeGRF     = "GRF"
	ChangeGlobal  = "global size"
	ChangeLocal   = "work-group size"
	ChangeSLM     = "SLM"
)

// String prints the change without the kernel: "SIMD width 16 -> 32".
func (c Change) String() string { return c.What + " " + c.Old + " -> " + c.New }

func hasChange(list []Change, what ...string) bool {
	return slices.ContainsFunc(list, func(c Change) bool { return slices.Contains(what, c.What) })
}

// launchChanged reports whether the changes may explain an intended difference
// in occupancy.
func launchChanged(list []Change) bool {
	return hasChange(list, ChangeSIMD, ChangeGRF, ChangeGlobal, ChangeLocal, ChangeSLM)
}

// runFact is a property of the machine that a run may record.
type runFact struct {
	what string
	get  func(*compare.Result) string
}

var runFacts = []runFact{
	{ChangeDevice, func(r *compare.Result) string {
		if r.Device == nil {
			return ""
		}
		return fmt.Sprintf("%s (%s)", r.Device.ShortName(), r.Device.Key)
	}},
	{ChangeDriver, func(r *compare.Result) string { return strings.TrimSpace(r.Platform.Driver) }},
	{ChangeVTune, func(r *compare.Result) string { return strings.TrimSpace(r.Platform.VTune) }},
}

// text returns the runs' distinct values, sorted. Runs without a value are left
// out.
func (f runFact) text(runs []*compare.Result) []string {
	var values []string
	for _, r := range runs {
		if v := f.get(r); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return values
}

// runChanges returns the differences that concern the whole run.
func (d *Result) runChanges() []Change {
	list := []Change{}
	for _, f := range runFacts {
		a, b := f.text(d.Old.Runs), f.text(d.New.Runs)
		if len(a) > 0 && len(b) > 0 && !slices.Equal(a, b) {
			list = append(list, Change{What: f.what, Old: strings.Join(a, ", "), New: strings.Join(b, ", ")})
		}
	}
	return list
}

// launchChanges returns the differences in one kernel's launch.
func launchChanges(task string, a, b *Launch) []Change {
	list := []Change{}
	add := func(what, x, y string) {
		if x != "" && y != "" && x != y {
			list = append(list, Change{what, unit.NonZero(task), x, y})
		}
	}
	addMemory := func(what string, x, y unit.Opt[unit.Bytes]) {
		if x != y {
			add(what, optText(x, ""), optText(y, " bytes per thread"))
		}
	}
	addMemory(ChangeSpill, a.Spill, b.Spill)
	addMemory(ChangePrivate, a.Private, b.Private)
	add(ChangeGRF, optText(a.Registers, ""), optText(b.Registers, ""))
	add(ChangeAdapter, a.Adapter.Or(""), b.Adapter.Or(""))
	add(ChangeSIMD, optText(a.SIMD, ""), optText(b.SIMD, ""))
	addSize := func(what string, x, y ingest.Size3) {
		if x.Trim() != y.Trim() {
			add(what, x.String(), y.String())
		}
	}
	addSize(ChangeGlobal, a.Global, b.Global)
	addSize(ChangeLocal, a.Local, b.Local)
	add(ChangeSLM, optText(a.SLM, " bytes"), optText(b.SLM, " bytes"))
	return list
}

// optText returns a count followed by a suffix, or "" if it is absent.
func optText[T ~int | ~int64](o unit.Opt[T], behind string) string {
	if n, ok := o.Value(); ok {
		return unit.Thousands(int64(n)) + behind
	}
	return ""
}
