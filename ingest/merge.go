package ingest

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"sort"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// merger merges the files of one run. Within a file, a format has added rows of one key already; across files nothing
// is added: a second file brings columns that the first lacks, and where both have one, the first wins with a note.
type merger struct {
	run    *Run
	index  map[Key]int // of groups
	groups []group
	next   []uint32 // of a kernel: the next one of its group; 0 when it is the last
	// What spares a search through all groups: those of a name, and that of a shape, one more than its number.
	byName  map[string][]int
	ofShape []uint32
	files   []mergedFile
	props   []Props
	stalls  []TaskStalls
	// Files that are merged when all have been read; see wait. Of the exports, how many there are, the least that one
	// lacks, and whether the one that is being merged lacks more.
	waiting []waiting
	exports int
	fewest  int
	partial bool
	plain   map[string]string // names that plainName has made, a few for millions of launches
	// What mergeCounters has made of two that launches share.
	counters map[[2]*Counters]*Counters
	gaveWay  map[string]bool // files whose samples gave way to another's, see chooseReading
	traceOf  Input           // that gave the trace
}

// mergedFile is where the kernels of a file begin.
type mergedFile struct {
	first int
	in    Input
	bad   bool // some of its rows are left out
	// perLaunch says that it has several kernels of a key.
	perLaunch bool
}

func (m *merger) add(in Input, f *File) error {
	r := m.run
	r.Inputs = append(r.Inputs, in)
	r.Notes = append(r.Notes, f.Notes...)
	r.Timings = append(r.Timings, f.Timings...)
	r.Summary = append(r.Summary, f.Summary...)
	m.props = append(m.props, f.Props...)
	m.stalls = append(m.stalls, f.Stalls...)
	m.platform(f.Platform)
	// Of two exports of a run both count the same instructions: added, they would be twice as many.
	if r.Instructions.All == 0 {
		r.Instructions = f.Instructions
	}
	if err := m.trace(&in, f.Trace); err != nil {
		return err
	}
	if r.Recording == nil {
		r.Recording = f.Recording
	}
	r.Samples = append(r.Samples, f.Samples...)
	if w := (waiting{in: in, list: f.Kernels, bad: f.BadRows > 0}); !m.wait(w) {
		return m.take(&w)
	}
	return nil
}

// take merges the kernels of a file.
func (m *merger) take(w *waiting) error {
	r := m.run
	m.files = append(m.files, mergedFile{first: r.Kernels.Len(), in: w.in, bad: w.bad})
	switch {
	case w.list.Len() == 0:
	// The list of the first file is taken as it is: most runs have one export, which may have millions of rows.
	case r.Kernels.Len() == 0:
		r.Kernels = w.list
	default:
		return m.addTo(w.list, &w.in)
	}
	return nil
}

// trace adds the launches of a file.
func (m *merger) trace(in *Input, t *Trace) error {
	r := m.run
	switch {
	case t.Len() == 0:
	case r.Trace == nil:
		r.Trace, m.traceOf = t, *in
	case r.Trace.same(t):
	case in.Kind == m.traceOf.Kind && t.Whole:
		return note.Faultf(codeTwoRuns, note.Pos{File: in.Path}, oneRunHint, "this is a trace of a run and so is %s: these "+
			"are two runs, or two processes of one", m.traceOf.Path)
	case r.Recording != nil && r.Recording.Trace == r.Trace: // which stays as it is
		r.Trace = r.Trace.clone()
		return m.trace(in, t)
	case !r.Trace.take(t):
		r.Notes = append(r.Notes, note.Note{Severity: note.Warning, Code: "launches-apart",
			Pos: note.Pos{File: in.Path},
			Text: "its launches ran at a different time than those of the trace before it: gaps and overlaps are " +
				"reported for the first trace",
			Hint: "give the traces of one run only"})
	}
	return nil
}

// from gives the file that gave a kernel.
func (m *merger) from(i int) *Input { return &m.files[m.file(i)].in }

// file gives the place of that file: the last of those that begin at the kernel or before it.
func (m *merger) file(i int) int {
	return sort.Search(len(m.files), func(f int) bool { return m.files[f].first > i }) - 1
}

// key is the key across files: tracers print three dimensions where VTune prints those that are not 1.
func (m *merger) key(k *Kernel) Key {
	key := k.Key().Trim()
	key.Task = m.plainName(key.Task)
	return key
}

func (m *merger) plainName(s string) string {
	p, ok := m.plain[s]
	if !ok {
		p = plainName(s)
		m.plain[s] = p
	}
	return p
}

var templateInt = regexp.MustCompile(`\((?:unsigned )?(?:int|long|short|char|long long)\)(-?\d)`)

// plainName makes names of different tools comparable: VTune prints template integers as (int)12.
func plainName(s string) string {
	if strings.Contains(s, ")") {
		s = templateInt.ReplaceAllString(s, "$1")
	}
	return strings.Join(strings.Fields(s), " ")
}

// finish joins kernel properties to the kernels they are of, and holds the tasks of summaries against the exports: a
// summary of another run would lend its platform to numbers that are not its own.
func (m *merger) finish() error {
	if err := m.mergeWaiting(); err != nil {
		return err
	}
	if err := m.checkSummary(); err != nil {
		return err
	}
	m.joinProps()
	m.joinStalls()
	m.wholeRun()
	m.run.Trace.Finish()
	m.run.placeSamples()
	return nil
}

// wholeRun makes a row of the occupancy of a summary where nothing names a task: of the run as a whole it is known.
func (m *merger) wholeRun() {
	r := m.run
	if r.Kernels.Len() > 0 || len(r.Summary) > 0 || len(r.Timings) > 0 || !r.Platform.Occupancy.Present() {
		return
	}
	for _, p := range r.Platforms {
		if p.Occupancy.Present() {
			r.Summary = []Kernel{{Task: WholeRun, Pos: p.OccupancyPos, Total: p.GPUTime, Measured: p.Occupancy,
				Active: p.Active, Stalled: p.Stalled, Idle: p.Idle}}
			return
		}
	}
}

// summaryDigit is how far a summary's percentage may be from the export's: both are printed to 0.1.
const summaryDigit unit.Points = 0.11

// sameName is the last kernel of a name and how many have it.
type sameName struct{ last, n int }

// checkSummary holds the tasks of summaries against those of exports.
func (m *merger) checkSummary() error {
	if len(m.run.Summary) == 0 {
		return nil
	}
	exported := map[string]sameName{}
	for i := range m.run.Kernels.Len() {
		if m.from(i).Traits.ColumnsVary {
			k := m.run.Kernels.ShapeKernel(m.run.Kernels.Shape(i))
			n := m.plainName(k.Task)
			exported[n] = sameName{i, exported[n].n + 1}
		}
	}
	if len(exported) == 0 {
		return nil
	}
	for i := range m.run.Summary {
		s := &m.run.Summary[i]
		same := exported[plainName(s.Task)]
		// VTune cuts long names in a summary and ends them in dots.
		if same.n == 0 && !strings.HasSuffix(s.Task, "...") {
			m.run.Notes = append(m.run.Notes, note.Note{Severity: note.Warning, Code: "summary-differs", Pos: s.Pos,
				Text: fmt.Sprintf("the summary names task %q, which the export does not have: is it from another run?",
					s.Task), Hint: "give the files of one run only"})
			continue
		}
		if same.n != 1 {
			continue // several launch shapes: which one the summary means is not said
		}
		k := m.run.Kernels.At(same.last)
		x, both := k.Measured.Value()
		y, ok := s.Measured.Value()
		if d := y.Minus(x); both && ok && (d > summaryDigit || d < -summaryDigit) {
			return note.Faultf(codeTwoRuns, s.Pos, "give the summary of the same collection, or none and --device",
				"the summary has task %q at %.1f %% where %s has %.1f %%: these are two runs", s.Task, y.Percent(),
				k.Pos, x.Percent())
		}
	}
	return nil
}

// platform keeps what each file says, merged: the first file wins.
func (m *merger) platform(p Platform) {
	if p == (Platform{}) {
		return
	}
	m.run.Platforms = append(m.run.Platforms, p)
	a := &m.run.Platform
	// The three go together: a device of one file and the place of another would mislead.
	if a.Device == "" {
		a.Device, a.DeviceFrom, a.Pos = p.Device, p.DeviceFrom, p.Pos
	}
	a.NodeProperty, a.Host = cmp.Or(a.NodeProperty, p.NodeProperty), cmp.Or(a.Host, p.Host)
	a.Command, a.OS = cmp.Or(a.Command, p.Command), cmp.Or(a.OS, p.OS)
	a.VTune, a.Driver, a.JobID = cmp.Or(a.VTune, p.VTune), cmp.Or(a.Driver, p.Driver), cmp.Or(a.JobID, p.JobID)
	a.CountedXVEs = cmp.Or(a.CountedXVEs, p.CountedXVEs)
	a.XVEs, a.ThreadsPerXVE = cmp.Or(a.XVEs, p.XVEs), cmp.Or(a.ThreadsPerXVE, p.ThreadsPerXVE)
	a.Adapters, a.Stacks = cmp.Or(a.Adapters, p.Adapters), cmp.Or(a.Stacks, p.Stacks)
	a.BusyStacks, a.MaxWorkGroup = cmp.Or(a.BusyStacks, p.BusyStacks), cmp.Or(a.MaxWorkGroup, p.MaxWorkGroup)
	a.VectorSize, a.Occupancy = cmp.Or(a.VectorSize, p.VectorSize), cmp.Or(a.Occupancy, p.Occupancy)
	a.GPUBusy, a.GPUTime = cmp.Or(a.GPUBusy, p.GPUBusy), cmp.Or(a.GPUTime, p.GPUTime)
	a.SamplingInterval = cmp.Or(a.SamplingInterval, p.SamplingInterval)
	if v, ok := p.MaxFrequency.Value(); ok && !a.MaxFrequency.Present() && !math.IsNaN(v) {
		a.MaxFrequency = p.MaxFrequency
	}
	if a.Collected.IsZero() {
		a.Collected = p.Collected
	}
}
