package ingest

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// launches takes the launches of a file, or what those that are known lack of
// them; to says which kernel of the run each of its kernels is.
func (r *Run) launches(f *File, to []int) {
	if f.Launches.Len() == 0 {
		return
	}
	further := f.Launches.Renumber(to)
	if r.Launches == nil {
		r.Launches = further
		for _, k := range to {
			r.broughtBy(f, k)
		}
		return
	}
	mine, theirs := r.Launches.byKernel(len(r.Kernels)), further.byKernel(len(r.Kernels))
	first, apart := 0, 0
	for k, list := range theirs {
		switch {
		case len(list) == 0:
		case len(mine[k]) == 0:
			r.broughtBy(f, k)
			for _, i := range list {
				l := further.At(int(i))
				r.Launches.Add(&l)
			}
		case r.Launches.sameTimes(mine[k], further, list):
			r.Launches.fill(mine[k], further, list)
		default:
			if apart++; apart == 1 {
				first = k
			}
		}
	}
	if apart == 0 {
		return
	}
	k := &r.Kernels[first]
	text := fmt.Sprintf("the launches of task %q do not have the times of those at %s, one after the other: it is not "+
		"known which belongs to which, so that the values of single launches are not used", k.Task, k.Pos)
	if apart > 1 {
		text += ", nor are those of " + unit.FormatCount(int64(apart-1), "more kernel", "more kernels")
	}
	r.Notes = append(r.Notes, note.Note{Severity: note.Warning, Code: "launches-unmatched",
		Pos: note.Pos{File: f.Path}, Text: text,
		Hint: "give two exports of one run by computing-instance, with the total time and the same rows in the same order"})
}

// broughtBy notes that the launches of a kernel are in a further file.
func (r *Run) broughtBy(f *File, kernel int) {
	if kernel < 0 || r.Kernels[kernel].Pos.File == f.Path {
		return
	}
	if r.Launches.files == nil {
		r.Launches.files = map[int]string{}
	}
	r.Launches.files[kernel] = f.Path
}

// sameTimes reports whether launches and others have the same times, one after
// the other: exports of one collection print the same, so that launches which
// do not agree are in another order or of another run.
func (l *Launches) sameTimes(mine []uint32, o *Launches, theirs []uint32) bool {
	if len(mine) != len(theirs) {
		return false
	}
	for i := range mine {
		a, b := l.At(int(mine[i])).Time, o.At(int(theirs[i])).Time
		if !a.Present() || a != b {
			return false
		}
	}
	return true
}

// fill copies missing values from other launches.
func (l *Launches) fill(mine []uint32, o *Launches, theirs []uint32) {
	for i := range mine {
		a, b := l.At(int(mine[i])), o.At(int(theirs[i]))
		a.Threads, a.Measured = cmp.Or(a.Threads, b.Threads), cmp.Or(a.Measured, b.Measured)
		a.Active, a.Stalled, a.Idle = cmp.Or(a.Active, b.Active), cmp.Or(a.Stalled, b.Stalled), cmp.Or(a.Idle, b.Idle)
		l.Set(int(mine[i]), &a)
	}
}

// trace adds when the launches of a file ran.
func (j *joiner) trace(f *File) error {
	r, t := j.run, f.Trace
	switch {
	case t.Len() == 0:
	case r.Trace == nil:
		r.Trace, j.traceOf = t, f.Input
	case r.Trace.same(t):
	case f.Kind == j.traceOf.Kind && t.Whole:
		return note.Errorf(codeTwoRuns, note.Pos{File: f.Path}, oneRunHint, "this is a trace of a run and so is %s: "+
			"these are two runs, or two processes of one", j.traceOf.Path)
	case r.Recording != nil && r.Recording.Trace == r.Trace: // which stays as it is
		r.Trace = r.Trace.clone()
		return j.trace(f)
	case !r.Trace.merge(t):
		r.Notes = append(r.Notes, note.Note{Severity: note.Warning, Code: "launches-apart",
			Pos: note.Pos{File: f.Path},
			Text: "its launches ran at a different time than those of the trace before it: gaps and overlaps are " +
				"reported for the first trace",
			Hint: "give the traces of one run only"})
	}
	return nil
}

// wholeRun makes a row of the occupancy of a summary where nothing names a
// task: of the run as a whole it is known.
func (r *Run) wholeRun() {
	if p := &r.Platform; p.Occupancy.Present() && len(r.Kernels)+len(r.Summary)+len(r.Timings) == 0 {
		r.Summary = []Kernel{{Task: WholeRun, Pos: p.OccupancyPos, Total: p.GPUTime, Measured: p.Occupancy,
			Active: p.Active, Stalled: p.Stalled, Idle: p.Idle}}
	}
}

// checkSummary holds the tasks of summaries against those of exports: a summary
// of another run would lend its platform to numbers that are not its own.
func (j *joiner) checkSummary() error {
	if len(j.run.Summary) == 0 {
		return nil
	}
	exported := map[string][]int{}
	for i := range j.run.Kernels {
		if j.from[i].Traits.ColumnsVary {
			n := j.plainName(j.run.Kernels[i].Task)
			exported[n] = append(exported[n], i)
		}
	}
	if len(exported) == 0 {
		return nil
	}
	for i := range j.run.Summary {
		s := &j.run.Summary[i]
		same := exported[j.plainName(s.Task)]
		// VTune cuts long names in a summary and ends them in dots.
		if len(same) == 0 && !strings.HasSuffix(s.Task, "...") {
			j.run.Notes = append(j.run.Notes, note.Note{Severity: note.Warning, Code: "summary-differs", Pos: s.Pos,
				Text: fmt.Sprintf("the summary names task %q, which the export does not have: is it from another run?",
					s.Task), Hint: "give the files of one run only"})
			continue
		}
		// Of several launch sizes it is not said which one the summary means.
		if len(same) == 1 && apart(&j.run.Kernels[same[0]], s) {
			k := &j.run.Kernels[same[0]]
			return note.Errorf(codeTwoRuns, s.Pos, "give the summary of the same collection, or none and --device",
				"the summary has task %q at %.1f%% where %s has %.1f%%: these are two runs", s.Task,
				s.Measured.Or(0).Percent(), k.Pos, k.Measured.Or(0).Percent())
		}
	}
	return nil
}

// platform keeps what each file says, merged: the first file wins.
func (r *Run) platform(p Platform) {
	if p == (Platform{}) {
		return
	}
	r.Platforms = append(r.Platforms, p)
	// The three go together: a device of one file and the place of another
	// would mislead.
	if a := &r.Platform; a.Device == "" {
		a.Device, a.DeviceFrom, a.Pos = p.Device, p.DeviceFrom, p.Pos
	}
	p.DeviceFrom, p.Pos = "", note.Pos{}
	complete(&r.Platform, &p)
}

// complete sets each field of a struct that is zero to that of another.
func complete[T any](to, from *T) {
	a, b := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()
	for i := range a.NumField() {
		if a.Field(i).IsZero() {
			a.Field(i).Set(b.Field(i))
		}
	}
}

// giveProperties copies the properties of binaries to their kernels.
func (j *joiner) giveProperties() {
	if len(j.props) == 0 {
		return
	}
	j.update()
	byName := map[string][]Kernel{}
	for _, p := range j.props {
		n := j.plainName(p.Task)
		p.Global, p.Local = p.Global.Trim(), p.Local.Trim()
		byName[n] = append(byName[n], p)
	}
	joined, first := map[string]bool{}, map[string]*Kernel{}
	for i := range j.run.Kernels {
		k := &j.run.Kernels[i]
		key := j.key(k)
		fits := fitting(byName[key.Task], &key)
		if len(fits) == 0 {
			first[key.Task] = cmp.Or(first[key.Task], k)
			continue
		}
		joined[key.Task] = true
		// A work-group size that the source fixes is in the binary. That of a
		// tracer's row is of another launch size.
		var local Size3
		if !slices.ContainsFunc(fits, func(p Kernel) bool {
			local = cmp.Or(local, p.Local)
			return p.Global.Present() || p.Local.Present() && p.Local != local
		}) {
			k.Local = cmp.Or(k.Local, local)
		}
		counted := k.Barriers // by a sampled counter, which may have missed those of the binary
		if counted.Or(0) == 0 {
			k.Barriers = unit.Opt[int64]{}
		}
		var differ []string
		for _, f := range properties {
			var common Kernel
			apart := false
			for i := range fits {
				apart = f.fill(&common, &fits[i]) || apart
			}
			if !apart {
				f.fill(k, &common)
			} else if f.of(k).IsZero() { // any of them would be a guess
				differ = append(differ, f.name)
			}
		}
		k.Barriers = cmp.Or(k.Barriers, counted)
		// Without a launch size nothing is predicted.
		if len(differ) > 0 && k.Global.Present() {
			j.run.Notes = append(j.run.Notes, note.Note{Severity: note.Warning, Code: "properties-differ",
				Pos: k.Pos,
				Text: fmt.Sprintf("task %q: of the kernel properties of its name none says which is of this launch "+
					"size and SIMD width, and they differ in %s, which is left out",
					k.Task, strings.Join(differ, ", ")),
				Hint: "trace a run with the same launch sizes"})
		}
	}
	for _, p := range j.props {
		name := j.plainName(p.Task)
		k := first[name]
		if k == nil || joined[name] {
			continue
		}
		joined[name] = true // one note for each name
		j.run.Notes = append(j.run.Notes, note.Note{Severity: note.Warning, Code: "properties-unmatched", Pos: p.Pos,
			Text: fmt.Sprintf("it has task %q with SIMD%d, and %s has it with SIMD%d: not joined", p.Task, p.SIMD.Or(0),
				k.Pos.File, k.SIMD.Or(0)),
			Hint: "give the properties of the same build"})
	}
}

// reasonsOfStalls assigns the stall reasons to the kernel of their name, where
// that is one: of several shapes they do not say of which they are.
func (j *joiner) reasonsOfStalls() {
	if len(j.stalls) > 0 {
		j.update()
	}
	for _, s := range j.stalls {
		switch of := j.byName[j.plainName(s.Task)]; len(of) {
		case 0:
		case 1:
			k := &j.run.Kernels[of[0]]
			k.Counters = joinCounters(k.Counters, &Counters{Stalls: s.Stalls})
		default:
			j.run.Notes = append(j.run.Notes, note.Note{Severity: note.Info, Code: "stalls-of-several", Pos: s.Pos,
				Text: fmt.Sprintf("task %q has %d launch sizes or SIMD widths, and the reasons of stalls are of all "+
					"of them: they are left out", s.Task, len(of))})
		}
	}
}

// fitting returns the properties that may be those of a key: of the same launch
// size; else those that name no shape; else those of other shapes.
func fitting(props []Kernel, key *Key) []Kernel {
	var same, shapeless, others []Kernel
	for _, p := range props {
		switch s, ok := p.SIMD.Value(); {
		case ok && key.SIMD != 0 && s != key.SIMD:
		case !p.Global.Present():
			shapeless = append(shapeless, p)
		case p.Global == key.Global && (p.Local == key.Local || !p.Local.Present() || !key.Local.Present()):
			same = append(same, p)
		default:
			others = append(others, p)
		}
	}
	switch {
	case len(same) > 0:
		return same
	case key.Global.Present() && len(shapeless) > 0:
		return shapeless
	}
	return append(others, shapeless...)
}

// properties are what binaries and tracers say of a kernel.
var properties = []field{property("SIMD", "SIMD width"), property("SLM", "SLM per work-group"), property("Spill", "spill"),
	property("Private", "private memory"), property("SpilledRegisters", "spilled registers"),
	property("Registers", "registers per thread"), property("Barriers", "barriers")}

func property(of, name string) field {
	f, _ := reflect.TypeFor[Kernel]().FieldByName(of)
	return field{index: f.Index[0], name: name}
}
