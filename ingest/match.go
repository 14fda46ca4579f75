package ingest

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// pairing is how the rows that a further file has of a key go with the kernels that are known of it: the first with the
// first and so on, when both are as many.
type pairing struct {
	group  int
	rows   int
	at     int // the kernel that the next row goes with
	passed int // how many have been gone with
	// Of rows that go with no kernel of their own:
	other   note.Pos // where a launch takes another time than the one that it would go with
	apart   bool     // one does
	timed   int      // rows that take the time of the launch that they would go with
	holes   []string // files that have left out rows, so that the first may not be the first
	order   uint64   // 0 when the launches are the same in another order, by their times and measured occupancies
	pos     note.Pos // the first row
	shared  *Kernel  // of all rows, no more than that
	unequal bool     // the rows do not share it
	lost    columns  // what the rows have and the kernels lack

	note, more int // place of the note on values that differ, and one more; kernels beside the one that it is about
}

// step gives the kernel that the next row goes with.
func (p *pairing) step(m *merger) (i int, ok bool) {
	if p.passed == m.groups[p.group].n {
		return 0, false
	}
	if p.passed == 0 {
		p.at = m.groups[p.group].first
	}
	i = p.at
	p.at = int(m.next[i])
	p.passed++
	return i, true
}

// addTo merges the kernels of a further file into those that are known, and adds those of new keys.
func (m *merger) addTo(list *Kernels, in *Input) error {
	m.regroup()
	// Two passes over the rows: whether rows go with launches one by one is known when all have been counted.
	pairs, of := m.pair(list, in)
	for i, k := range list.All() {
		if at := of[list.Shape(i)]; at > 0 && at != leftOut {
			m.count(&pairs[at-1], k, in)
		}
	}
	m.distrust(pairs)
	for i := range pairs {
		pairs[i].at, pairs[i].passed = 0, 0
	}
	for i, k := range list.All() {
		switch at := of[list.Shape(i)]; at {
		case leftOut:
		case 0:
			m.run.Kernels.Append(k)
		default:
			if err := m.mergeRow(&pairs[at-1], k, in); err != nil {
				return err
			}
		}
	}
	for i := range pairs {
		m.settle(&pairs[i])
	}
	m.leaveOut(list, of)
	return nil
}

// leftOut is the place of a shape whose rows may be of several groups.
const leftOut = math.MaxUint32

// pair begins a pairing for each group that a further file has rows of. of gives the place of a shape's pairing, and
// one more; 0 is a new key.
func (m *merger) pair(list *Kernels, in *Input) (pairs []pairing, of []uint32) {
	of = make([]uint32, list.Shapes())
	places := map[int]uint32{}
	for s := range of {
		k := list.ShapeKernel(s)
		g := m.target(&k, in)
		switch g {
		case ambiguous:
			of[s] = leftOut
			continue
		case newGroup:
			continue
		}
		if places[g] == 0 {
			pairs = append(pairs, pairing{group: g})
			places[g] = uint32(len(pairs))
		}
		of[s] = places[g]
	}
	return pairs, of
}

// mergeRow merges a row into the kernel that it goes with, or collects what can be used of it.
func (m *merger) mergeRow(p *pairing, k *Kernel, in *Input) error {
	if p.rows != m.groups[p.group].n {
		m.collect(p, k)
		return nil
	}
	i, _ := p.step(m)
	a := m.run.Kernels.At(i)
	sameKind := m.from(i).Kind == in.Kind
	if sameKind && !(p.apart && (p.order == 0 || len(p.holes) > 0)) {
		if err := twoRuns(&a, k); err != nil {
			return err
		}
	}
	if p.apart {
		m.collect(p, k)
		return nil
	}
	k = m.chooseReading(&a, k)
	m.differ(p, k.Pos, &a, mergeKernel(&a, k, sameKind))
	a.Counters = m.mergeCounters(a.Counters, k.Counters)
	if m.partial {
		// A row of a further export has parts of the launch that the first one lacks.
		a.Global, a.Local, a.SIMD = cmp.Or(a.Global, k.Global), cmp.Or(a.Local, k.Local), cmp.Or(a.SIMD, k.SIMD)
	}
	m.run.Kernels.Set(i, &a)
	return nil
}

// distrust keeps rows apart where a file with a row per launch has left out bad ones: which of the others was the first
// is known only where the times of all agree. The further file is the last of m.files.
func (m *merger) distrust(pairs []pairing) {
	further := len(m.files) - 1
	for i := range pairs {
		if pairs[i].rows > 1 {
			m.files[further].perLaunch = true
		}
	}
	for i := range pairs {
		p := &pairs[i]
		g := &m.groups[p.group]
		if p.rows != g.n || p.timed == p.rows {
			continue
		}
		for _, at := range []int{m.file(g.first), further} {
			if f := &m.files[at]; f.bad && f.perLaunch {
				p.holes, p.apart = append(p.holes, f.in.Path), true
			}
		}
	}
}

// count counts a row and checks whether the launch that it would go with took the same time: exports of one collection
// print the same, so that launches which do not agree are in another order or of another run.
func (m *merger) count(p *pairing, k *Kernel, in *Input) {
	p.rows++
	i, ok := p.step(m)
	if !ok {
		return
	}
	a := m.run.Kernels.At(i)
	x, both := a.Total.Value()
	y, ok := k.Total.Value()
	if both && ok && x == y {
		p.timed++
	}
	if m.groups[p.group].n == 1 || m.from(i).Kind != in.Kind {
		return
	}
	// A sum does not depend on the order, so launches that only changed places come to 0.
	p.order += fingerprint(&a) - fingerprint(k)
	if both && ok && x != y && !p.apart {
		p.other, p.apart = k.Pos, true
	}
}

// fingerprint gives a number that launches of another time or measured occupancy hardly have too.
func fingerprint(k *Kernel) uint64 {
	h := math.Float64bits(float64(k.Total.Or(-1)))*0x9e3779b97f4a7c15 ^ math.Float64bits(float64(k.Measured.Or(-1)))
	h = (h ^ h>>32) * 0xc2b2ae3d27d4eb4f
	return h ^ h>>29
}

// columns are names of columns, in the order in which they were met.
type columns []string

func (c *columns) add(name string, lacks, has bool) {
	if lacks && has && !slices.Contains(*c, name) {
		*c = append(*c, name)
	}
}

// collect takes what can be taken of a row that goes with no kernel of its own.
func (m *merger) collect(p *pairing, k *Kernel) {
	s := &Kernel{}
	mergeShared(s, k)
	if p.pos.File == "" {
		p.pos, p.shared = k.Pos, s
	}
	p.unequal = p.unequal || *p.shared != *s
	a := m.run.Kernels.At(m.groups[p.group].first)
	p.lost.add("instance count", !a.Instances.Present(), k.Instances.Present())
	p.lost.add("total time", !a.Total.Present(), k.Total.Present())
	p.lost.add("measured occupancy", !a.Measured.Present(), k.Measured.Present())
	p.lost.add("active", !a.Active.Present(), k.Active.Present())
	p.lost.add("stalled", !a.Stalled.Present(), k.Stalled.Present())
	p.lost.add("idle", !a.Idle.Present(), k.Idle.Present())
	p.lost.add("barrier stalls", !a.BarrierStall.Present(), k.BarrierStall.Present())
	p.lost.add("threads started", !a.Threads.Present(), k.Threads.Present())
	p.lost.add("GPU barriers", !a.Barriers.Present(), k.Barriers.Present())
}

// settle ends what a file has to do with a group.
func (m *merger) settle(p *pairing) {
	// What all rows have in common is of the kernel, whichever launch each row belongs to.
	if p.pos.File != "" && !p.unequal {
		m.members(p.group, func(i int) {
			a := m.run.Kernels.At(i)
			m.differ(p, p.pos, &a, mergeShared(&a, p.shared))
			m.run.Kernels.Set(i, &a)
		})
	}
	if p.more > 0 {
		m.run.Notes[p.note-1].Text += fmt.Sprintf(", in %d more of its launches as well", p.more)
	}
	if p.pos.File == "" || p.rows == 1 && len(p.lost) == 0 { // a row of all launches that adds nothing
		return
	}
	a := m.run.Kernels.At(m.groups[p.group].first)
	text := fmt.Sprintf("task %q has %s at %s and %s here", a.Task, unit.Plural(m.groups[p.group].n, "row"), a.Pos,
		unit.Plural(p.rows, "row"))
	hint := "give two exports of one run by computing-instance, with the same rows in the same order"
	switch {
	case len(p.holes) > 0:
		hint = "correct the bad rows, or export both with the total time, which tells launches apart"
		text += ", and bad rows are left out of " + strings.Join(p.holes, " and ")
	case p.apart && p.rows == m.groups[p.group].n:
		text = fmt.Sprintf("the launches of task %q take different times here (%s) than at %s", a.Task, p.other, a.Pos)
	}
	text += ": it is not known which row belongs to which launch"
	if len(p.lost) > 0 {
		text += ", so that the columns " + strings.Join(p.lost, ", ") + " of this file are not used"
	}
	m.run.Notes = append(m.run.Notes, note.Note{Severity: note.Warning, Code: "launches-unmatched", Pos: p.pos,
		Text: text, Hint: hint})
}

// differ takes note of values that differ between a further file and the kernel a: of a key with many launches once.
func (m *merger) differ(p *pairing, pos note.Pos, a *Kernel, names []string) {
	switch {
	case len(names) == 0:
	case p.note > 0:
		p.more++
	default:
		m.run.Notes = append(m.run.Notes, note.Note{Severity: note.Warning, Code: "files-differ", Pos: pos,
			Text: fmt.Sprintf("task %q: %s differs from the value at %s; the first file's value is used", a.Task,
				strings.Join(names, ", "), a.Pos),
			Hint: "give the exports of one run only"})
		p.note = len(m.run.Notes)
	}
}
