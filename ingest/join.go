package ingest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// Join returns one run from its files. A format has already added the rows with
// the same key within a file. Join adds nothing across files: a later file
// fills values that the first one lacks. If both have a value, the first one is
// used, with a note. Join may change the files' kernels, and nothing else.
func Join(files []File) (*Run, error) {
	run := &Run{}
	j := &joiner{run: run, index: map[Key]int{}, byName: map[string][]int{}, plain: map[string]string{},
		tasks: map[Key]*Kernel{}, fewest: allParts, gaveWay: map[string]bool{}}
	for i := range files {
		f := &files[i]
		if err := j.add(f); err != nil {
			return nil, err
		}
		switch {
		case f.Traits.ColumnsVary && len(f.Kernels) > 0:
			f.lacks = lacking(f.Kernels)
			j.fewest = min(j.fewest, f.lacks)
		case f.Traits.NoLaunchSize && !slices.ContainsFunc(f.Kernels, hasSize):
			f.lacks = shapeless
		}
	}
	// Sort exports that lack more launch parts to the end: their rows are
	// matched with the other exports' rows. Tracer files without any part come
	// last.
	slices.SortStableFunc(files, func(a, b File) int {
		return cmp.Compare(max(a.lacks, j.fewest), max(b.lacks, j.fewest))
	})
	for i := range files {
		if err := j.kernels(&files[i]); err != nil {
			return nil, err
		}
	}
	if err := j.checkSummary(); err != nil {
		return nil, err
	}
	j.giveProperties()
	j.reasonsOfStalls()
	run.wholeRun()
	run.Trace.Finish()
	run.placeSamples()
	return run, nil
}

const (
	allParts  = 3            // launch parts: global size, local size, SIMD width
	shapeless = allParts + 1 // for files whose format never has these parts
)

// A joiner joins one run's files.
type joiner struct {
	run     *Run
	from    []*File          // by kernel: the first file that has it
	known   int              // kernels in the two indexes; a single export needs no index
	index   map[Key]int      // the first kernel with a key
	byName  map[string][]int // the kernels with a name, one per key
	plain   map[string]string
	tasks   map[Key]*Kernel // summary tasks
	props   []Kernel
	stalls  []TaskStalls
	fewest  int             // launch parts that every export lacks, so that no file could add them
	gaveWay map[string]bool // files whose samples were replaced by other counters, see chooseReading
	traceOf Input           // input that contained the trace
	// mergedTrace reports that the run's trace is a copy, to which other files'
	// traces are added.
	mergedTrace bool
}

// warn adds a warning.
func (r *Run) warn(code string, pos note.Pos, hint, format string, args ...any) {
	r.Notes = append(r.Notes, note.Warningf(code, pos, hint, format, args...))
}

const oneRunHint = "give one export per run; to compare two runs, use 'occudiff diff OLD NEW'; to report several " +
	"runs, give one folder per run"

// add adds everything in a file except its kernels and launches.
func (j *joiner) add(f *File) error {
	r := j.run
	if f.Path != "" && !f.part {
		r.Inputs = append(r.Inputs, f.Input)
	}
	r.Notes = append(r.Notes, f.Notes...)
	r.Timings = append(r.Timings, f.Timings...)
	for i := range f.Summary {
		k := &f.Summary[i]
		if o, known := j.tasks[k.Key()]; known && o.Pos.File != k.Pos.File && apart(o, k) {
			return twoRuns(o, k)
		}
		j.tasks[k.Key()] = k
	}
	r.Summary = append(r.Summary, f.Summary...)
	r.Samples = append(r.Samples, f.Samples...)
	j.props, j.stalls = append(j.props, f.Props...), append(j.stalls, f.Stalls...)
	r.platform(f.Platform)
	// Two exports from one run count the same instructions, so their sum would
	// be twice the correct number.
	if r.Instructions.All == 0 {
		r.Instructions = f.Instructions
	}
	r.Recording = cmp.Or(r.Recording, f.Recording)
	return j.trace(f)
}

// lacking returns how many launch parts are missing in all rows of an export.
// Users export a run in two passes if some columns cannot be requested
// together, and often only one pass has the launch columns.
func lacking(list []Kernel) int {
	n := allParts
	for _, has := range []func(Kernel) bool{hasSize,
		func(k Kernel) bool { return k.Local.Present() }, func(k Kernel) bool { return k.SIMD.Present() }} {
		if slices.ContainsFunc(list, has) {
			n--
		}
	}
	return n
}

func hasSize(k Kernel) bool { return k.Global.Present() }

// kernels joins a file's kernels and launches.
func (j *joiner) kernels(f *File) error {
	known := len(j.run.Kernels)
	if known == 0 {
		j.run.Kernels, j.from = f.Kernels, slices.Repeat([]*File{f}, len(f.Kernels))
		j.run.Launches = cmp.Or(j.run.Launches, f.Launches)
		return nil
	}
	j.update()
	to := make([]int, len(f.Kernels)) // for each kernel in the file, its index in the run
	// kernels that match several kernels in the run; copies and the like are
	// not reported
	var left []*Kernel
	for i := range f.Kernels {
		k := &f.Kernels[i]
		to[i] = j.target(k, f)
		switch at := to[i]; {
		case at == ambiguous:
			same := j.byName[j.plainName(k.Task)]
			if slices.ContainsFunc(same, func(at int) bool { return j.run.Kernels[at].IsKernel() }) {
				left = append(left, k)
			}
		case at == none || at >= known: // the second case: the first file has the key in several spellings
			to[i] = len(j.run.Kernels)
			j.run.Kernels, j.from = append(j.run.Kernels, *k), append(j.from, f)
			j.update()
		default:
			if err := j.merge(&j.run.Kernels[at], k, j.from[at].Kind == f.Kind, j.partial(f)); err != nil {
				return err
			}
		}
	}
	if len(left) > 0 {
		more := ""
		if n := len(left) - 1; n > 0 {
			more = fmt.Sprintf(", also for %d more", n)
		}
		j.run.warn("rows-unmatched", note.InFile(left[0].Pos.File),
			"export both with the columns Work Size:Global, Work Size:Local and SIMD Width",
			"task %q has several launch sizes or SIMD widths in another export, but this one lacks the columns that "+
				"distinguish them: its values are not used%s", left[0].Task, more)
	}
	j.run.launches(f, to)
	return nil
}

// partial reports whether a file lacks a global size, local size, or SIMD width
// that other files have.
func (j *joiner) partial(f *File) bool { return f.lacks > j.fewest && f.lacks < shapeless }

// update adds new kernels to the indexes.
func (j *joiner) update() {
	for ; j.known < len(j.run.Kernels); j.known++ {
		key := j.key(&j.run.Kernels[j.known])
		if _, known := j.index[key]; !known {
			j.index[key] = j.known
			j.byName[key.Task] = append(j.byName[key.Task], j.known)
		}
	}
}

// Results that target returns for a kernel without a match.
const (
	none      = -1
	ambiguous = -2 // several kernels match
)

// target returns the index of the run's kernel that matches a later file's
// kernel, or none or ambiguous.
func (j *joiner) target(k *Kernel, f *File) int {
	key := j.key(k)
	if at, known := j.index[key]; known {
		return at
	}
	partial, named := j.partial(f), !k.Global.Present() && f.Traits.NoLaunchSize
	if !partial && !named {
		return none
	}
	found := none
	for _, at := range j.byName[key.Task] {
		o := j.key(&j.run.Kernels[at])
		fits := key.fits(&o)
		switch from := j.from[at]; {
		// A row that lacks launch parts belongs to the only kernel in another
		// export that it fits.
		case partial:
			fits = fits && from.Traits.ColumnsVary && (key.Device == "" || o.Device == "" || key.Device == o.Device) &&
				(key.Direction == o.Direction || key.Direction == names.NoDirection || o.Direction == names.NoDirection)
		// Tracers print the kernel name, but not always the launch size. A file
		// from the same tool would have used the same name.
		default:
			fits = fits && from.Kind != f.Kind && key.Direction == o.Direction
		}
		switch {
		case !fits:
		// Choosing one would be a guess, and a new row would count its launches
		// twice.
		case found >= 0:
			return ambiguous
		default:
			found = at
		}
	}
	return found
}

// fits reports whether two trimmed keys agree in every launch part that both
// have.
func (k *Key) fits(o *Key) bool {
	differ := func(x, y Size3) bool { return x.Present() && y.Present() && x != y }
	return !differ(k.Global, o.Global) && !differ(k.Local, o.Local) && (k.SIMD == 0 || o.SIMD == 0 || k.SIMD == o.SIMD)
}

// apart reports whether two occupancies differ by more than a rounding error.
// Tools print them to 0.1%.
func apart(a, b *Kernel) bool {
	x, y := a.Measured.Or(0), b.Measured.Or(0)
	return a.Measured.Present() && b.Measured.Present() && max(y.Minus(x), x.Minus(y)) > 0.11
}

func twoRuns(a, b *Kernel) error {
	return note.Errorf(codeTwoRuns, b.Pos, oneRunHint,
		"task %q was measured at %s here and at %s in %s: these are two runs", b.Task,
		b.Measured.Or(0), a.Measured.Or(0), a.Pos)
}

// merge fills the values that a kernel lacks from the matching kernel in a
// later file. Times and counters from two collections never agree exactly, so a
// difference is noted only for values that should agree.
func (j *joiner) merge(a, b *Kernel, sameKind, partial bool) error {
	if sameKind && a.Measured.Present() && b.Measured.Present() && a.Measured != b.Measured {
		return twoRuns(a, b)
	}
	b = j.chooseReading(a, b)
	joinMean(a, b, sameKind)
	var differ []string
	for _, f := range joinedFields {
		agree := f.static || sameKind // whether the two values should agree
		switch f.name {
		case "total time":
			agree = agree && !sameTotal(a.Total.Or(0), b)
		case "measured occupancy": // two tools may round the same occupancy differently
			agree = agree || apart(a, b)
		}
		if f.fill(a, b) && agree && f.name != "" {
			differ = append(differ, f.name)
		}
	}
	if !a.MeasuredLow.Present() && a.Measured == b.Measured { // the bounds belong to the measured value
		a.MeasuredLow, a.MeasuredHigh, a.IdleLow, a.IdleHigh = b.MeasuredLow, b.MeasuredHigh, b.IdleLow, b.IdleHigh
	}
	if len(differ) > 0 {
		j.run.warn("files-differ", b.Pos, "give the exports of one run only",
			"task %q: %s differs from the value at %s; the first file's value is used", a.Task,
			strings.Join(differ, ", "), a.Pos)
	}
	a.Launches, a.Counters = joined(a.Launches, b.Launches), joinCounters(a.Counters, b.Counters)
	if partial { // add launch parts that the first export lacks
		a.Global, a.Local, a.SIMD = cmp.Or(a.Global, b.Global), cmp.Or(a.Local, b.Local), cmp.Or(a.SIMD, b.SIMD)
	}
	return nil
}

// joinCounters returns a, with missing values from b.
func joinCounters(a, b *Counters) *Counters {
	// L3Read may include both directions
	if a != nil && b != nil && (a.L3Read.Present() || a.L3Write.Present()) {
		more := *b
		more.L3Read, more.L3Write = a.L3Read, a.L3Write
		b = &more
	}
	return joined(a, b)
}

// joined returns a, with missing fields from b.
func joined[T any](a, b *T) *T {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	all := *a // other kernels may share a
	complete(&all, b)
	return &all
}

// joinMean copies b's mean time to a, unless a can compute it from its own
// total and count. If a's count and b's total, or the reverse, belong to
// different launches, only b's mean is correct.
func joinMean(a, b *Kernel, sameKind bool) {
	timed := b.Total.Present() && b.Instances.Present()
	if a.Total.Present() && a.Instances.Present() || a.Mean.Present() && !timed {
		return
	}
	n, counted := a.Instances.Value()
	t, total := a.Total.Value()
	if timed && (counted && n != b.Instances.Or(0) || sameKind && total && !sameTotal(t, b)) {
		a.Mean, a.Uneven = b.Average(), true
		return
	}
	a.Mean, a.Uneven = b.Mean, b.Uneven
}

// sameTotal reports whether a total agrees with a kernel's total. An export
// without totals computes it from an average that is printed to one
// microsecond.
func sameTotal(t unit.Seconds, k *Kernel) bool {
	const half = 0.5e-6 * (1 + 1e-9)
	return math.Abs(float64(t-k.Total.Or(0))) <= half*float64(k.Instances.Or(0))
}

// key returns the key across files. Tracers print three dimensions, and VTune
// omits trailing dimensions that are 1.
func (j *joiner) key(k *Kernel) Key {
	key := k.Key().Trim()
	key.Task = j.plainName(key.Task)
	return key
}

func (j *joiner) plainName(s string) string {
	p, ok := j.plain[s]
	if !ok {
		p = names.Comparable(s)
		j.plain[s] = p
	}
	return p
}

// chooseReading selects the counters that a kernel uses if two files have some.
// Counters that were read around each launch belong to that launch, even if it
// is short, and samples belong to whichever launch ran. Occupancy and XVE state
// must come from the same reading, because they are combined later. It returns
// the row from which the remaining values are filled.
func (j *joiner) chooseReading(a, k *Kernel) *Kernel {
	if !k.Measured.Present() {
		return k
	}
	switch around := k.Reading == AroundLaunch; {
	case !a.Measured.Present():
	case a.Reading == AroundLaunch && !around:
		rest := *k
		rest.dropCounters()
		j.noteReading(k.Pos, a.Pos)
		return &rest
	case around && a.Reading != AroundLaunch:
		a.dropCounters()
		j.noteReading(a.Pos, k.Pos)
	default:
		return k
	}
	a.Reading, a.Interval, a.CounterTimeRatio = k.Reading, k.Interval, k.CounterTimeRatio
	return k
}

// dropCounters removes the XVE state and the values that describe how it was
// read.
func (k *Kernel) dropCounters() {
	stall := k.BarrierStall
	k.ClearSampled()
	k.BarrierStall, k.Interval, k.CounterTimeRatio = stall, unit.Opt[unit.Seconds]{}, unit.Opt[float64]{}
	if k.Launches != nil {
		s := *k.Launches // other kernels may share it
		s.MinMeasured, s.MedianMeasured, s.MaxMeasured = k.Measured, k.Measured, k.Measured
		k.Launches = &s
	}
}

// noteReading adds a note, once per file, that samples were replaced by
// counters that another file read around each launch.
func (j *joiner) noteReading(sampled, around note.Pos) {
	if j.gaveWay[sampled.File] {
		return
	}
	j.gaveWay[sampled.File] = true
	j.run.Notes = append(j.run.Notes, note.Newf(note.Info, "counters-around-launches", note.InFile(sampled.File),
		"", "occupancy and the state of the XVEs come from %s, which read the counters around each launch, and not "+
			"from the samples in this file", around.File))
}
