package ingest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"occudiff/ingest/note"
)

// waiting is a file that is merged when all have been read.
type waiting struct {
	in    Input
	list  *Kernels
	bad   bool // some of its rows are left out
	lacks int  // see lacking
	// shapeless says that none of its rows has a launch shape, which another tool may know.
	shapeless bool
}

// lacking counts the parts of a launch that no row of an export has: global size, local size, SIMD width. Who exports a
// run in two passes, because some columns cannot be asked for together, often chooses them in one pass only.
func lacking(list *Kernels) (n int) {
	global, local, simd := false, false, false
	for s := range list.Settings() {
		k := list.SettingKernel(s)
		global, local, simd = global || k.Global.Present(), local || k.Local.Present(), simd || k.SIMD.Present()
	}
	for _, there := range []bool{global, local, simd} {
		if !there {
			n++
		}
	}
	return n
}

func anyShape(list *Kernels) bool {
	for s := range list.Settings() {
		if k := list.SettingKernel(s); k.Global.Present() {
			return true
		}
	}
	return false
}

// wait says whether a file is to be merged when all have been read: an export that lacks parts of the launch, which may
// stand in another one, that of a tracer which has none of it, and all files after it.
func (m *merger) wait(w waiting) bool {
	if w.in.Traits.ColumnsVary && w.list.Len() > 0 {
		w.lacks = lacking(w.list)
		m.fewest, m.exports = min(m.fewest, w.lacks), m.exports+1
	}
	// Of a tracer's file that is merged before them, the kernels would be others than those of the export.
	w.shapeless = w.in.Traits.NoLaunchShape && w.list.Len() > 0 && !anyShape(w.list)
	if w.lacks == 0 && !w.shapeless && len(m.waiting) == 0 {
		return false
	}
	m.waiting = append(m.waiting, w)
	return true
}

// mergeWaiting merges the files that wait, in their order but for the exports that lack more of the launch than
// another: these come last, and their rows go with those that have it.
func (m *merger) mergeWaiting() error {
	late := func(w *waiting) int {
		if w.shapeless {
			return math.MaxInt
		}
		// A single export lacks what no other could bring.
		if m.exports < 2 {
			return 0
		}
		return max(w.lacks-m.fewest, 0)
	}
	slices.SortStableFunc(m.waiting, func(a, b waiting) int { return cmp.Compare(late(&a), late(&b)) })
	for i := range m.waiting {
		w := &m.waiting[i]
		m.partial = !w.shapeless && late(w) > 0
		if err := m.take(w); err != nil {
			return err
		}
		*w = waiting{}
	}
	m.waiting, m.partial = nil, false
	return nil
}

// partOf finds the one group of an export that a row which lacks parts of the launch goes with.
func (m *merger) partOf(k *Kernel) int {
	found := newGroup
	key := m.key(k)
	for _, g := range m.byName[key.Task] {
		o := &m.groups[g]
		if !m.from(o.first).Traits.ColumnsVary || !fitsKey(&key, &o.key) {
			continue
		}
		if found >= 0 {
			return ambiguous
		}
		found = g
	}
	return found
}

// fitsKey says whether two keys agree in all that both have.
func fitsKey(a, b *Key) bool {
	apart := func(x, y Size3) bool { return x.Present() && y.Present() && x != y }
	return !apart(a.Global, b.Global) && !apart(a.Local, b.Local) &&
		(a.SIMD == 0 || b.SIMD == 0 || a.SIMD == b.SIMD) &&
		(a.Direction == NoDirection || b.Direction == NoDirection || a.Direction == b.Direction) &&
		(a.Device == "" || b.Device == "" || a.Device == b.Device)
}

// leaveOut takes note of rows that may go with several launches; copies and the like are no loss.
func (m *merger) leaveOut(list *Kernels, of []uint32) {
	var first *Kernel
	more := 0
	for s := range of {
		k := list.ShapeKernel(s)
		if of[s] != leftOut || !m.anyKernel(&k) {
			continue
		}
		if first != nil {
			more++
			continue
		}
		first = &k
	}
	if first == nil {
		return
	}
	text := fmt.Sprintf("task %q has several launch shapes or SIMD widths in another export, and this one lacks the "+
		"columns that tell them apart: its values are not used", first.Task)
	if more > 0 {
		text += fmt.Sprintf(", nor are those of %d more", more)
	}
	m.run.Notes = append(m.run.Notes, note.Note{Severity: note.Warning, Code: "rows-unmatched",
		Pos:  note.Pos{File: first.Pos.File},
		Text: text, Hint: "export both with the columns Work Size:Global, Work Size:Local and SIMD Width"})
}

// anyKernel says whether a name is that of a kernel in the exports merged so far.
func (m *merger) anyKernel(k *Kernel) bool {
	return slices.ContainsFunc(m.byName[m.plainName(k.Task)], func(g int) bool {
		o := m.run.Kernels.At(m.groups[g].first)
		return o.IsKernel()
	})
}
