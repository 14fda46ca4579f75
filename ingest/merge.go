package ingest

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// merger unites the files of one run. Within a file, a format has added rows of one key already; across files nothing is
// added: a second file brings columns that the first lacks, and where both have one, the first wins with a note.
type merger struct {
	run   *Run
	index map[Key]int // of the first kernel of a key
	files []mergedFile
	props []Props
	plain map[string]string // names that plainName has made, a few for millions of launches
}

// mergedFile is where the kernels of a file begin.
type mergedFile struct {
	first int
	kind  string
}

func (m *merger) add(in Input, f *File) error {
	r := m.run
	r.Inputs = append(r.Inputs, in)
	r.Notes = append(r.Notes, f.Notes...)
	r.Timings = append(r.Timings, f.Timings...)
	r.Summary = append(r.Summary, f.Summary...)
	m.props = append(m.props, f.Props...)
	m.platform(f.Platform)
	known := m.len()
	m.files = append(m.files, mergedFile{known, in.Kind})
	if known == 0 && len(f.Kernels) == 0 && f.Launches.Len() > 0 && r.Launches != nil {
		m.adopt(f.Launches)
		return nil
	}
	for k := range f.All() {
		if err := m.kernel(k, in.Kind, known); err != nil {
			return err
		}
	}
	return nil
}

// adopt takes the launches of the first file as they are.
func (m *merger) adopt(l *Launches) {
	m.run.Launches = l
	met := make([]bool, l.Shapes())
	for i := range l.Len() {
		if s := l.Shape(i); !met[s] {
			met[s] = true
			k := l.At(i)
			if key := m.key(&k); !has(m.index, key) {
				m.index[key] = i
			}
		}
	}
}

func has[K comparable, V any](m map[K]V, key K) bool {
	_, ok := m[key]
	return ok
}

// kernel adds a kernel of a file to those known from the files before it.
func (m *merger) kernel(k *Kernel, kind string, known int) error {
	key := m.key(k)
	j, ok := m.index[key]
	if !ok {
		j, ok = m.shapeless(k, kind, known)
	}
	if ok && j < known {
		a := m.at(j)
		if err := m.unite(&a, k, m.kind(j) == kind); err != nil {
			return err
		}
		m.set(j, &a)
		return nil
	}
	if !ok { // else of the same file: launches that are kept apart
		m.index[key] = m.len()
	}
	if m.run.Launches != nil {
		m.run.Launches.Append(k)
	} else {
		m.run.Kernels = append(m.run.Kernels, *k)
	}
	return nil
}

func (m *merger) len() int { return max(len(m.run.Kernels), m.run.Launches.Len()) }

func (m *merger) at(i int) Kernel {
	if m.run.Launches != nil {
		return m.run.Launches.At(i)
	}
	return m.run.Kernels[i]
}

func (m *merger) set(i int, k *Kernel) {
	if m.run.Launches != nil {
		m.run.Launches.Set(i, k)
	} else {
		m.run.Kernels[i] = *k
	}
}

// kind gives the kind of the file that gave a kernel.
func (m *merger) kind(i int) string {
	at := len(m.files) - 1
	for m.files[at].first > i {
		at--
	}
	return m.files[at].kind
}

// key is the key across files: tracers print three dimensions where VTune prints those that are not 1.
func (m *merger) key(k *Kernel) Key {
	key := k.Key()
	key.Global, key.Local = trim(key.Global), trim(key.Local)
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

func trim(s Size3) Size3 {
	d := s.List()
	for len(d) > 1 && d[len(d)-1] == 1 {
		d = d[:len(d)-1]
	}
	return unit.Size(d...)
}

var templateInt = regexp.MustCompile(`\((?:unsigned )?(?:int|long|short|char|long long)\)(-?\d)`)

// plainName makes names of different tools comparable: VTune prints template integers as (int)12.
func plainName(s string) string {
	if strings.Contains(s, ")") {
		s = templateInt.ReplaceAllString(s, "$1")
	}
	return strings.Join(strings.Fields(s), " ")
}

// shapeless finds the one row of another tool that a row without a launch shape belongs to: device timings of a tracer
// name the kernel but not always its shape.
func (m *merger) shapeless(k *Kernel, kind string, known int) (int, bool) {
	if k.Global.Present() || kind != "unitrace" {
		return 0, false
	}
	found, name := -1, m.plainName(k.Task)
	for j := range known {
		o := m.at(j)
		if m.kind(j) == kind || m.plainName(o.Task) != name || o.Direction != k.Direction {
			continue
		}
		if s, ok := k.SIMD.Value(); ok && o.SIMD.Or(s) != s {
			continue
		}
		if found >= 0 {
			return 0, false
		}
		found = j
	}
	return found, found >= 0
}

// unite fills what a lacks from b. Different measured occupancies in two files of one kind are two runs.
func (m *merger) unite(a, b *Kernel, sameKind bool) error {
	x, both := a.Measured.Value()
	y, ok := b.Measured.Value()
	if both && ok && x != y && sameKind {
		return note.Faultf("two-runs", b.Pos,
			"give one export per run, or compare runs with: occudiff diff OLD NEW; a folder per run is reported per run",
			"task %q was measured at %.1f %% here and at %.1f %% in %s: these are two runs", b.Task, y.Percent(), x.Percent(), a.Pos)
	}
	var differ []string
	fill(&a.Instances, b.Instances, "instance count", &differ, sameKind)
	fill(&a.Total, b.Total, "total time", &differ, sameKind)
	fill(&a.Measured, b.Measured, "measured occupancy", &differ, true)
	fill(&a.Peak, b.Peak, "peak occupancy", &differ, true)
	fill(&a.PeakWork, b.PeakWork, "work size limit", &differ, true)
	fill(&a.PeakSLM, b.PeakSLM, "SLM limit", &differ, true)
	fill(&a.PeakBarrier, b.PeakBarrier, "barriers limit", &differ, true)
	fill(&a.Active, b.Active, "active", &differ, sameKind)
	fill(&a.Stalled, b.Stalled, "stalled", &differ, sameKind)
	fill(&a.Idle, b.Idle, "idle", &differ, sameKind)
	fill(&a.BarrierStall, b.BarrierStall, "barrier stalls", &differ, sameKind)
	fill(&a.Threads, b.Threads, "threads started", &differ, sameKind)
	fill(&a.Barriers, b.Barriers, "GPU barriers", &differ, sameKind)
	fill(&a.Spill, b.Spill, "spill", &differ, true)
	fill(&a.SLM, b.SLM, "SLM per work-group", &differ, true)
	fill(&a.Registers, b.Registers, "registers per thread", &differ, true)
	if len(differ) > 0 {
		m.run.Notes = append(m.run.Notes, note.Note{Severity: note.Warning, Code: "files-differ", Pos: b.Pos,
			Text: fmt.Sprintf("task %q: %s here than at %s; the value of the first file is used", b.Task, "other "+strings.Join(differ, ", "), a.Pos),
			Hint: "give the exports of one run only"})
	}
	return nil
}

// fill sets what is missing. Two collections of one run never agree to the digit on times and counters: a difference
// is reported only where the caller says that the two should agree.
func fill[T comparable](to *unit.Opt[T], from unit.Opt[T], name string, differ *[]string, report bool) {
	v, ok := from.Value()
	if !ok {
		return
	}
	w, has := to.Value()
	switch {
	case !has:
		*to = from
	case report && v != w:
		*differ = append(*differ, name)
	}
}

// finish joins kernel properties to the kernels they are of, and holds the tasks of summaries against the exports: a
// summary of another run would lend its platform to numbers that are not its own.
func (m *merger) finish() error {
	if err := m.checkSummary(); err != nil {
		return err
	}
	byName := map[string][]Props{}
	for _, p := range m.props {
		n := m.plainName(p.Task)
		byName[n] = append(byName[n], p)
	}
	for i := range m.len() {
		if len(byName) == 0 {
			break
		}
		k := m.at(i)
		if fits := byName[m.plainName(k.Task)]; len(fits) > 0 {
			k.join(fits)
			m.set(i, &k)
		}
	}
	return nil
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
	for i := range m.len() {
		if m.kind(i) == "vtune" {
			k := m.at(i)
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
		if same.n == 0 && !strings.HasSuffix(s.Task, "...") {
			m.run.Notes = append(m.run.Notes, note.Note{Severity: note.Warning, Code: "summary-differs", Pos: s.Pos,
				Text: fmt.Sprintf("the summary names task %q, which the export does not have: is it of another run?", s.Task), Hint: "give the files of one run only"})
			continue
		}
		if same.n != 1 {
			continue // several launch shapes: which one the summary means is not said
		}
		k := m.at(same.last)
		x, both := k.Measured.Value()
		y, ok := s.Measured.Value()
		if d := y.Minus(x); both && ok && (d > summaryDigit || d < -summaryDigit) {
			return note.Faultf("two-runs", s.Pos, "give the summary of the same collection, or none and --device",
				"the summary has task %q at %.1f %% where %s has %.1f %%: these are two runs", s.Task, y.Percent(), k.Pos, x.Percent())
		}
	}
	return nil
}

// join fills in the properties of a kernel.
func (k *Kernel) join(props []Props) {
	for _, p := range props {
		if s, ok := p.SIMD.Value(); ok && k.SIMD.Or(s) != s {
			continue
		}
		if !k.SIMD.Present() && k.Global.Present() {
			k.SIMD = p.SIMD
		}
		var ignored []string
		fill(&k.SLM, p.SLM, "", &ignored, false)
		fill(&k.Spill, p.Spill, "", &ignored, false)
		fill(&k.Registers, p.Registers, "", &ignored, false)
	}
}

// platform keeps what each file says and unites it, the first file wins.
func (m *merger) platform(p Platform) {
	if p == (Platform{}) {
		return
	}
	m.run.Platforms = append(m.run.Platforms, p)
	a := &m.run.Platform
	if a.Device == "" {
		a.Device, a.DeviceFrom, a.Pos = p.Device, p.DeviceFrom, p.Pos
	}
	for _, t := range []struct{ to, from *string }{{&a.NodeProperty, &p.NodeProperty}, {&a.Host, &p.Host}, {&a.Command, &p.Command},
		{&a.OS, &p.OS}, {&a.VTune, &p.VTune}, {&a.Driver, &p.Driver}, {&a.JobID, &p.JobID}} {
		if *t.to == "" {
			*t.to = *t.from
		}
	}
	var ignored []string
	fill(&a.XVEs, p.XVEs, "", &ignored, false)
	fill(&a.ThreadsPerXVE, p.ThreadsPerXVE, "", &ignored, false)
	fill(&a.Adapters, p.Adapters, "", &ignored, false)
	fill(&a.Stacks, p.Stacks, "", &ignored, false)
	fill(&a.BusyStacks, p.BusyStacks, "", &ignored, false)
	fill(&a.MaxWorkGroup, p.MaxWorkGroup, "", &ignored, false)
	fill(&a.VectorSize, p.VectorSize, "", &ignored, false)
	fill(&a.Occupancy, p.Occupancy, "", &ignored, false)
	if v, ok := p.MaxFrequency.Value(); ok && !a.MaxFrequency.Present() && !math.IsNaN(v) {
		a.MaxFrequency = p.MaxFrequency
	}
	if a.Collected.IsZero() {
		a.Collected = p.Collected
	}
}
