package ingest

import (
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
	shared  shared   // of all rows
	unequal bool     // the rows do not share it
	lost    columns  // what the rows have and the kernels lack

	note, more int // place of the note on values that differ, and one more; kernels beside the one that it is about
}

// step gives the kernel that the next row goes with.
func (p *pairing) step(m *merger, g int) (i int, ok bool) {
	if p.passed == m.groups[g].n {
		return 0, false
	}
	if p.passed == 0 {
		p.at = m.groups[g].first
	}
	i = p.at
	p.at = int(m.next[i])
	p.passed++
	return i, true
}

// addTo unites the kernels of a further file with those that are known, and adds those of new keys.
func (m *merger) addTo(f *File, kind string) error {
	m.regroup()
	pairs := make([]pairing, len(m.groups))
	m.each(f, kind, func(k *Kernel, g int) error {
		if g >= 0 {
			m.count(&pairs[g], k, g, kind)
		}
		return nil
	})
	m.distrust(pairs)
	for g := range pairs {
		pairs[g].at, pairs[g].passed = 0, 0
	}
	err := m.each(f, kind, func(k *Kernel, g int) error {
		if g < 0 {
			m.append(k)
			return nil
		}
		p := &pairs[g]
		if p.rows != m.groups[g].n {
			m.collect(p, k, g)
			return nil
		}
		i, _ := p.step(m, g)
		a := m.at(i)
		if m.kind(i) == kind && !(p.apart && (p.order == 0 || len(p.holes) > 0)) {
			if err := twoRuns(&a, k); err != nil {
				return err
			}
		}
		if p.apart {
			m.collect(p, k, g)
			return nil
		}
		m.differ(p, k.Pos, &a, unite(&a, k, m.kind(i) == kind))
		m.set(i, &a)
		return nil
	})
	if err != nil {
		return err
	}
	for g := range pairs {
		m.settle(&pairs[g], g)
	}
	return nil
}

// distrust keeps rows apart where a file with a row per launch has left out bad ones: which of the others was the first is
// known only where the times of all agree. The further file is the last of m.files.
func (m *merger) distrust(pairs []pairing) {
	perLaunch := make([]bool, len(m.files))
	further := len(m.files) - 1
	for g := range pairs {
		at := m.file(m.groups[g].first)
		perLaunch[at] = perLaunch[at] || m.groups[g].n > 1
		perLaunch[further] = perLaunch[further] || pairs[g].rows > 1
	}
	for g := range pairs {
		p := &pairs[g]
		if p.rows != m.groups[g].n || p.timed == p.rows {
			continue
		}
		for _, at := range []int{m.file(m.groups[g].first), further} {
			if f := &m.files[at]; f.bad && perLaunch[at] {
				p.holes, p.apart = append(p.holes, f.path), true
			}
		}
	}
}

// each calls do with the kernels of a file and the groups that they belong to.
func (m *merger) each(f *File, kind string, do func(k *Kernel, g int) error) error {
	for i := range f.Kernels {
		if err := do(&f.Kernels[i], m.target(&f.Kernels[i], kind)); err != nil {
			return err
		}
	}
	of := make([]int, f.Launches.Shapes())
	for s := range of {
		k := f.Launches.ShapeOf(s)
		of[s] = m.target(&k, kind)
	}
	var k Kernel
	for i := range f.Launches.Len() {
		f.Launches.Into(i, &k)
		if err := do(&k, of[f.Launches.Shape(i)]); err != nil {
			return err
		}
	}
	return nil
}

// count counts a row and looks whether the launch that it would go with took the same time: exports of one collection
// print the same, so that launches which do not agree are in another order or of another run.
func (m *merger) count(p *pairing, k *Kernel, g int, kind string) {
	p.rows++
	i, ok := p.step(m, g)
	if !ok {
		return
	}
	a := m.at(i)
	x, both := a.Total.Value()
	y, ok := k.Total.Value()
	if both && ok && x == y {
		p.timed++
	}
	if m.groups[g].n == 1 || m.kind(i) != kind {
		return
	}
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

// shared is what all launches of a kernel have in common.
type shared struct {
	peak, peakWork, peakSLM, peakBarrier unit.Opt[unit.Ratio]
	spill, slm                           unit.Opt[unit.Bytes]
	registers                            unit.Opt[int]
}

func sharedOf(k *Kernel) shared {
	return shared{k.Peak, k.PeakWork, k.PeakSLM, k.PeakBarrier, k.Spill, k.SLM, k.Registers}
}

// columns are names of columns, in the order in which they were met.
type columns []string

func (c *columns) add(name string, lacks, has bool) {
	if lacks && has && !slices.Contains(*c, name) {
		*c = append(*c, name)
	}
}

// collect takes what can be taken of a row that goes with no kernel of its own.
func (m *merger) collect(p *pairing, k *Kernel, g int) {
	s := sharedOf(k)
	if p.pos.File == "" {
		p.pos, p.shared = k.Pos, s
	}
	p.unequal = p.unequal || p.shared != s
	a := m.at(m.groups[g].first)
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
func (m *merger) settle(p *pairing, g int) {
	if p.pos.File != "" && !p.unequal {
		k := Kernel{Task: m.groups[g].key.Task, Pos: p.pos, Peak: p.shared.peak, PeakWork: p.shared.peakWork, PeakSLM: p.shared.peakSLM,
			PeakBarrier: p.shared.peakBarrier, Spill: p.shared.spill, SLM: p.shared.slm, Registers: p.shared.registers}
		m.members(g, func(i int) {
			a := m.at(i)
			m.differ(p, p.pos, &a, uniteShared(&a, &k))
			m.set(i, &a)
		})
	}
	if p.more > 0 {
		m.run.Notes[p.note-1].Text += fmt.Sprintf(", in %d more of its launches as well", p.more)
	}
	if p.pos.File == "" || p.rows == 1 && len(p.lost) == 0 { // a row of all launches that adds nothing
		return
	}
	a := m.at(m.groups[g].first)
	text := fmt.Sprintf("task %q has %s at %s and %s here", a.Task, rowsOf(m.groups[g].n), a.Pos, rowsOf(p.rows))
	hint := "give two exports of one run by computing-instance, with the same rows in the same order"
	switch {
	case len(p.holes) > 0:
		hint = "correct the bad rows, or export both with the total time, which tells launches apart"
		text += ", and bad rows are left out of " + strings.Join(p.holes, " and ")
	case p.apart && p.rows == m.groups[g].n:
		text = fmt.Sprintf("the launches of task %q take other times here (%s) than at %s", a.Task, p.other, a.Pos)
	}
	text += ": which row is of which launch is not known"
	if len(p.lost) > 0 {
		text += ", so that the columns " + strings.Join(p.lost, ", ") + " of this file are not used"
	}
	m.run.Notes = append(m.run.Notes, note.Note{Severity: note.Warning, Code: "launches-unmatched", Pos: p.pos, Text: text, Hint: hint})
}

func rowsOf(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// differ takes note of values that differ between a further file and the kernel a: of a key with many launches once.
func (m *merger) differ(p *pairing, pos note.Pos, a *Kernel, names []string) {
	switch {
	case len(names) == 0:
	case p.note > 0:
		p.more++
	default:
		m.run.Notes = append(m.run.Notes, note.Note{Severity: note.Warning, Code: "files-differ", Pos: pos,
			Text: fmt.Sprintf("task %q: other %s here than at %s; the value of the first file is used", a.Task, strings.Join(names, ", "), a.Pos),
			Hint: "give the exports of one run only"})
		p.note = len(m.run.Notes)
	}
}
