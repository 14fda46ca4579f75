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

// Join makes one run of the files that belong to it. Within a file, a format
// has added rows of one key already; across files nothing is added: a further
// file brings columns that the first lacks, and where both have one, the first
// wins with a note.
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
		case f.Traits.NoLaunchSize && !slices.ContainsFunc(f.Kernels, func(k Kernel) bool { return k.Global.Present() }):
			f.lacks = shapeless
		}
	}
	// Exports that lack more of the launch than another come last: their rows
	// go with those that have it. Behind them come the files of tracers that
	// have none of it.
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
	allParts  = 3            // of a launch: global size, local size, SIMD width
	shapeless = allParts + 1 // of files that lack all of them by their kind
)

// joiner joins the files of one run.
type joiner struct {
	run     *Run
	from    []*File          // of each kernel of the run: the first file that has it
	known   int              // kernels that the two indexes have: a single export needs neither
	index   map[Key]int      // the first kernel of a key
	byName  map[string][]int // the kernels of a name, one of each key
	plain   map[string]string
	tasks   map[Key]*Kernel // of summaries
	props   []Kernel
	stalls  []TaskStalls
	fewest  int             // parts of the launch that every export lacks: what no other could bring
	gaveWay map[string]bool // files whose samples gave way to another's, see chooseReading
	traceOf Input           // that gave the trace
}

const oneRunHint = "give one export per run, or compare runs with: occudiff diff OLD NEW; a folder per run is " +
	"reported per run"

// add takes what files have next to kernels.
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
	// Of two exports of a run both count the same instructions: added, they
	// would be twice as many.
	if r.Instructions.All == 0 {
		r.Instructions = f.Instructions
	}
	r.Recording = cmp.Or(r.Recording, f.Recording)
	return j.trace(f)
}

// lacking counts the parts of a launch that no row of an export has. Who
// exports a run in two passes, because some columns cannot be asked for
// together, often chooses them in one pass only.
func lacking(list []Kernel) int {
	n := allParts
	for _, has := range []func(Kernel) bool{func(k Kernel) bool { return k.Global.Present() },
		func(k Kernel) bool { return k.Local.Present() }, func(k Kernel) bool { return k.SIMD.Present() }} {
		if slices.ContainsFunc(list, has) {
			n--
		}
	}
	return n
}

// kernels joins the kernels and launches of a file.
func (j *joiner) kernels(f *File) error {
	known := len(j.run.Kernels)
	if known == 0 {
		j.run.Kernels, j.from = f.Kernels, slices.Repeat([]*File{f}, len(f.Kernels))
		j.run.Launches = cmp.Or(j.run.Launches, f.Launches)
		return nil
	}
	j.update()
	to := make([]int, len(f.Kernels)) // the kernel of the run that each is
	var left []*Kernel                // that may go with several; copies and the like are no loss
	for i := range f.Kernels {
		k := &f.Kernels[i]
		to[i] = j.target(k, f)
		switch at := to[i]; {
		case at == ambiguous:
			if slices.ContainsFunc(j.byName[j.plainName(k.Task)], func(at int) bool { return j.run.Kernels[at].IsKernel() }) {
				left = append(left, k)
			}
		case at == none || at >= known: // the first file of a key has it in several spellings
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
		text := fmt.Sprintf("task %q has several launch sizes or SIMD widths in another export, and this one lacks the "+
			"columns that tell them apart: its values are not used", left[0].Task)
		if more := len(left) - 1; more > 0 {
			text += fmt.Sprintf(", nor are those of %d more", more)
		}
		j.run.Notes = append(j.run.Notes, note.Note{Severity: note.Warning, Code: "rows-unmatched",
			Pos:  note.Pos{File: left[0].Pos.File},
			Text: text, Hint: "export both with the columns Work Size:Global, Work Size:Local and SIMD Width"})
	}
	j.run.launches(f, to)
	return nil
}

// partial states that a file lacks parts of the launch that others have.
func (j *joiner) partial(f *File) bool { return f.lacks > j.fewest && f.lacks < shapeless }

// update brings the indexes up to date.
func (j *joiner) update() {
	for ; j.known < len(j.run.Kernels); j.known++ {
		key := j.key(&j.run.Kernels[j.known])
		if _, known := j.index[key]; !known {
			j.index[key] = j.known
			j.byName[key.Task] = append(j.byName[key.Task], j.known)
		}
	}
}

// The targets of kernels that go with none.
const (
	none      = -1
	ambiguous = -2 // they may go with several
)

// target returns the kernel that one of a further file is, or why it is none.
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
		case partial: // a row that lacks parts of the launch goes with the one kernel of another export that it fits
			fits = fits && from.Traits.ColumnsVary && (key.Device == "" || o.Device == "" || key.Device == o.Device) &&
				(key.Direction == o.Direction || key.Direction == names.NoDirection || o.Direction == names.NoDirection)
		// Tracers name the kernel, and not always its shape. A file of the same
		// kind would have named it as well.
		default:
			fits = fits && from.Kind != f.Kind && key.Direction == o.Direction
		}
		switch {
		case !fits:
		case found >= 0: // to take one of them would be a guess, to add one more would count launches twice
			return ambiguous
		default:
			found = at
		}
	}
	return found
}

// fits reports whether the launches of two trimmed keys agree in all that both
// have.
func (k *Key) fits(o *Key) bool {
	differ := func(x, y Size3) bool { return x.Present() && y.Present() && x != y }
	return !differ(k.Global, o.Global) && !differ(k.Local, o.Local) && (k.SIMD == 0 || o.SIMD == 0 || k.SIMD == o.SIMD)
}

// apart reports whether occupancies differ by more than a rounding: tools print
// them to 0.1 %.
func apart(a, b *Kernel) bool {
	x, y := a.Measured.Or(0), b.Measured.Or(0)
	return a.Measured.Present() && b.Measured.Present() && max(y.Minus(x), x.Minus(y)) > 0.11
}

func twoRuns(a, b *Kernel) error {
	return note.Errorf(codeTwoRuns, b.Pos, oneRunHint,
		"task %q was measured at %.1f%% here and at %.1f%% in %s: these are two runs", b.Task,
		b.Measured.Or(0).Percent(), a.Measured.Or(0).Percent(), a.Pos)
}

// merge fills what a kernel lacks from one of a further file. Two collections
// of one run never agree to the digit on times and counters: a difference is
// noted only where the two should agree.
func (j *joiner) merge(a, b *Kernel, sameKind, partial bool) error {
	if sameKind && a.Measured.Present() && b.Measured.Present() && a.Measured != b.Measured {
		return twoRuns(a, b)
	}
	b = j.chooseReading(a, b)
	joinMean(a, b, sameKind)
	var differ []string
	for _, f := range joinedFields {
		agree := f.static || sameKind // should
		switch f.name {
		case "total time":
			agree = agree && !sameTotal(a.Total.Or(0), b)
		case "measured occupancy": // what two tools print of one run may differ by a rounding
			agree = agree || apart(a, b)
		}
		if f.fill(a, b) && agree && f.name != "" {
			differ = append(differ, f.name)
		}
	}
	if !a.MeasuredLow.Present() && a.Measured == b.Measured { // they go together
		a.MeasuredLow, a.MeasuredHigh, a.IdleLow, a.IdleHigh = b.MeasuredLow, b.MeasuredHigh, b.IdleLow, b.IdleHigh
	}
	if len(differ) > 0 {
		j.run.Notes = append(j.run.Notes, note.Note{Severity: note.Warning, Code: "files-differ", Pos: b.Pos,
			Text: fmt.Sprintf("task %q: %s differs from the value at %s; the first file's value is used", a.Task,
				strings.Join(differ, ", "), a.Pos),
			Hint: "give the exports of one run only"})
	}
	a.Launches, a.Counters = joined(a.Launches, b.Launches), joinCounters(a.Counters, b.Counters)
	if partial { // a row of a further export has parts of the launch that the first one lacks
		a.Global, a.Local, a.SIMD = cmp.Or(a.Global, b.Global), cmp.Or(a.Local, b.Local), cmp.Or(a.SIMD, b.SIMD)
	}
	return nil
}

// joinCounters returns a, with what it lacks of b.
func joinCounters(a, b *Counters) *Counters {
	if a != nil && b != nil && (a.L3Read.Present() || a.L3Write.Present()) { // one of them may be both
		more := *b
		more.L3Read, more.L3Write = a.L3Read, a.L3Write
		b = &more
	}
	return joined(a, b)
}

// joined returns a, with what it lacks of b.
func joined[T any](a, b *T) *T {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	all := *a // others may have a, too
	complete(&all, b)
	return &all
}

// joinMean copies the mean time of b to a, as long as a has not total and count
// of its own to take it from. Where a keeps a count of other launches than
// those of b's total, or a total of others than b counts, b's mean is the only
// one.
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

// sameTotal reports whether a total is that of a kernel, which an export
// without totals has from an average, printed to a microsecond.
func sameTotal(t unit.Seconds, k *Kernel) bool {
	const half = 0.5e-6 * (1 + 1e-9)
	return math.Abs(float64(t-k.Total.Or(0))) <= half*float64(k.Instances.Or(0))
}

// key is the key across files: tracers print three dimensions where VTune
// prints those that are not 1.
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

// chooseReading settles whose counters a kernel has where two files have some:
// those that were read around each launch are the launch's own, whatever its
// length, and samples are of whatever ran. Occupancy and the state of the XVEs
// are of one reading, for what is concluded takes them together. It gives the
// row with what is to be filled in of it.
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

// dropCounters takes out what was read of the state of the XVEs, and what is
// said of that.
func (k *Kernel) dropCounters() {
	stall := k.BarrierStall
	k.ClearSampled()
	k.BarrierStall, k.Interval, k.CounterTimeRatio = stall, unit.Opt[unit.Seconds]{}, unit.Opt[float64]{}
	if k.Launches != nil {
		s := *k.Launches // others may have it too
		s.MinMeasured, s.MedianMeasured, s.MaxMeasured = k.Measured, k.Measured, k.Measured
		k.Launches = &s
	}
}

// noteReading says once for a file that its samples give way to what another
// one read around each launch.
func (j *joiner) noteReading(sampled, around note.Pos) {
	if j.gaveWay[sampled.File] {
		return
	}
	j.gaveWay[sampled.File] = true
	j.run.Notes = append(j.run.Notes, note.Note{Severity: note.Info, Code: "counters-around-launches",
		Pos: note.Pos{File: sampled.File}, Text: "occupancy and the state of the XVEs are those that " + around.File +
			" read around each launch, in place of the samples here"})
}
