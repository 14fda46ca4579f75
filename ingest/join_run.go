package ingest

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// launches adds a file's launches. If a kernel already has launches, it fills
// their missing values. to maps the file's kernels to the run's kernels.
func (r *Run) launches(f *File, to []int) {
	if f.Launches.Len() == 0 {
		return
	}
	further := f.Launches.clone().Renumber(to)
	if r.Launches == nil {
		r.Launches = further
		for _, k := range to {
			r.broughtBy(f, k)
		}
		return
	}
	r.Launches = r.Launches.clone()
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
	more := ""
	if apart > 1 {
		more = ", also for " + unit.FormatCount(apart-1, "more kernel", "more kernels")
	}
	r.warn("launches-unmatched", note.InFile(f.Path), "give two exports of one run by computing-instance, with the "+
		"total time and the same rows in the same order", "the launches of task %q and the launches at %s have "+
		"different times or another order: they cannot be matched, so the values of single launches are not used%s",
		k.Task, k.Pos, more)
}

// broughtBy records that a kernel's launches come from a later file.
func (r *Run) broughtBy(f *File, kernel int) {
	if kernel < 0 || r.Kernels[kernel].Pos.File == f.Path {
		return
	}
	if r.Launches.files == nil {
		r.Launches.files = map[int]string{}
	}
	r.Launches.files[kernel] = f.Path
}

// sameTimes reports whether two lists of launches have the same times in the
// same order. Exports from one collection print the same times, so launches
// that differ are in another order or belong to another run.
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

// trace adds a file's trace.
func (j *joiner) trace(f *File) error {
	r, t := j.run, f.Trace
	switch {
	case t.Len() == 0:
	case r.Trace == nil:
		r.Trace, j.traceOf = t, f.Input
	case r.Trace.same(t):
	case f.Kind == j.traceOf.Kind && t.Whole:
		return note.Errorf(codeTwoRuns, note.InFile(f.Path), oneRunHint, "both this file and %s are traces: they "+
			"are from two runs, or from two processes of one run", j.traceOf.Path)
	case !j.mergedTrace: // the file's own trace must not change: a Recording may use it
		r.Trace, j.mergedTrace = r.Trace.clone(), true
		return j.trace(f)
	case !r.Trace.merge(t):
		r.warn("launches-apart", note.InFile(f.Path),
			"give the traces of one run only",
			"its launches ran at a different time than the launches of the previous trace: gaps and overlaps are "+
				"reported for the first trace")
	}
	return nil
}

// wholeRun adds a row with a summary's occupancy if no file names a task,
// because that occupancy describes the run as a whole.
func (r *Run) wholeRun() {
	if p := &r.Platform; p.Occupancy.Present() && len(r.Kernels)+len(r.Summary)+len(r.Timings) == 0 {
		r.Summary = []Kernel{{Task: WholeRun, Pos: p.OccupancyPos, Total: p.GPUTime, Measured: p.Occupancy,
			Active: p.Active, Stalled: p.Stalled, Idle: p.Idle}}
	}
}

// checkSummary compares the summary's tasks with the exports' tasks. Another
// run's summary would assign the wrong platform to the measured values.
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
		// VTune truncates long names in a summary and appends dots.
		if len(same) == 0 && !strings.HasSuffix(s.Task, "...") {
			j.run.warn("summary-differs", s.Pos, "give the files of one run only",
				"the summary names task %q, which the export does not have: the summary may belong to another run",
				s.Task)
			continue
		}
		// If a name has several launch sizes, it is unknown which one the
		// summary describes.
		if len(same) == 1 && apart(&j.run.Kernels[same[0]], s) {
			k := &j.run.Kernels[same[0]]
			return note.Errorf(codeTwoRuns, s.Pos, "give the summary of the same collection, or give --device "+
				"instead of a summary",
				"the summary has task %q at %s, but %s has %s: these are two runs", s.Task,
				s.Measured.Or(0), k.Pos, k.Measured.Or(0))
		}
	}
	return nil
}

// platform keeps each file's platform and merges them. The first file has
// priority.
func (r *Run) platform(p Platform) {
	if p == (Platform{}) {
		return
	}
	r.Platforms = append(r.Platforms, p)
	// These three fields belong together: one file's device with another file's
	// position would be misleading.
	if a := &r.Platform; a.Device == "" {
		a.Device, a.DeviceFrom, a.Pos = p.Device, p.DeviceFrom, p.Pos
	}
	p.DeviceFrom, p.Pos = "", note.Pos{}
	complete(&r.Platform, &p)
}

// complete fills each zero field of a struct from another struct.
func complete[T any](to, from *T) {
	a, b := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()
	for i := range a.NumField() {
		if a.Field(i).IsZero() {
			a.Field(i).Set(b.Field(i))
		}
	}
}

// giveProperties copies the properties from binaries and tracers to their
// kernels.
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
		// A binary contains the work-group size if the source fixes it. A
		// tracer row's work-group size belongs to a different launch size.
		var local Size3
		if !slices.ContainsFunc(fits, func(p Kernel) bool {
			local = cmp.Or(local, p.Local)
			return p.Global.Present() || p.Local.Present() && p.Local != local
		}) {
			k.Local = cmp.Or(k.Local, local)
		}
		counted := k.Barriers // counted by sampling, which may have missed barriers
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
			} else if f.of(k).IsZero() { // choosing one would be a guess
				differ = append(differ, f.name)
			}
		}
		k.Barriers = cmp.Or(k.Barriers, counted)
		// A kernel without a launch size is not predicted.
		if len(differ) > 0 && k.Global.Present() {
			j.run.warn("properties-differ", k.Pos,
				"trace a run with the same launch sizes",
				"task %q: no kernel properties match this launch size and SIMD width, and the "+
					"entries with this name differ in %s: these values are left out", k.Task,
				strings.Join(differ, ", "))
		}
	}
	for _, p := range j.props {
		name := j.plainName(p.Task)
		k := first[name]
		if k == nil || joined[name] {
			continue
		}
		joined[name] = true // one note per name
		j.run.warn("properties-unmatched", p.Pos,
			"give the properties of the same build",
			"it has task %q with SIMD%d, but %s has it with SIMD%d: these properties are not "+
				"used", p.Task, p.SIMD.Or(0), k.Pos.File, k.SIMD.Or(0))
	}
}

// reasonsOfStalls assigns stall reasons to the kernel with their name. If the
// name has several launch sizes, the stall reasons do not identify one of them.
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
			j.run.Notes = append(j.run.Notes, note.Newf(note.Info, "stalls-of-several", s.Pos, "",
				"task %q has %d launch sizes or SIMD widths, but its stall reasons cover all of "+
					"them together: the stall reasons are left out", s.Task, len(of)))
		}
	}
}

// fitting returns the properties that may belong to a key: those with the same
// launch size; otherwise those without a launch size; otherwise those with
// other launch sizes.
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
