package ingest

import (
	"cmp"
	"fmt"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// joinProps gives the properties of a kernel to all its launches.
func (m *merger) joinProps() {
	if len(m.props) == 0 {
		return
	}
	m.regroup()
	byName := map[string][]Props{}
	for _, p := range m.props {
		n := m.plainName(p.Task)
		p.Global, p.Local = p.Global.Trim(), p.Local.Trim()
		byName[n] = append(byName[n], p)
	}
	for g := range m.groups {
		of := &m.groups[g]
		fits := fitting(byName[of.key.Task], &of.key)
		if len(fits) == 0 {
			continue
		}
		p, differ := agreed(fits)
		first := m.run.Kernels.At(of.first)
		m.members(g, func(i int) {
			k := m.run.Kernels.At(i)
			k.take(&p)
			m.run.Kernels.Set(i, &k)
		})
		if names := differ.missing(&first); len(names) > 0 && first.Global.Present() { // else nothing is predicted
			m.run.Notes = append(m.run.Notes, note.Note{Severity: note.Warning, Code: "properties-differ",
				Pos: first.Pos,
				Text: fmt.Sprintf("task %q: of the kernel properties of its name none says which is of this launch "+
					"shape and SIMD width, and they differ in %s, which is left out",
					first.Task, strings.Join(names, ", ")),
				Hint: "trace a run with the same launch shapes"})
		}
	}
}

// joinStalls gives the reasons of stalls to the kernel of their name, where that is one: of several shapes they do not
// say of which they are.
func (m *merger) joinStalls() {
	if len(m.stalls) > 0 {
		m.regroup()
	}
	for _, s := range m.stalls {
		switch of := m.byName[m.plainName(s.Task)]; len(of) {
		case 0:
		case 1:
			all := &Counters{Stalls: s.Stalls, OfKernel: m.groups[of[0]].n > 1}
			m.members(of[0], func(i int) {
				k := m.run.Kernels.At(i)
				k.Counters = m.mergeCounters(k.Counters, all)
				m.run.Kernels.Set(i, &k)
			})
		default:
			m.run.Notes = append(m.run.Notes, note.Note{Severity: note.Info, Code: "stalls-of-several", Pos: s.Pos,
				Text: fmt.Sprintf("task %q has %d launch shapes or SIMD widths, and the reasons of stalls are of all "+
					"of them: they are left out", s.Task, len(of))})
		}
	}
}

// fitting gives the properties that may be those of a key: of the same launch shape; else those that name no shape;
// else those of other shapes.
func fitting(props []Props, key *Key) []Props {
	var same, shapeless, others []Props
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

// differing says in what properties differ.
type differing struct{ simd, slm, spill, registers, barriers bool }

// agreed gives what properties have in common: where they differ, any of them would be a guess.
func agreed(props []Props) (p Props, d differing) {
	p.SIMD, d.simd = common(props, func(p *Props) unit.Opt[int] { return p.SIMD })
	p.SLM, d.slm = common(props, func(p *Props) unit.Opt[unit.Bytes] { return p.SLM })
	p.Spill, d.spill = common(props, func(p *Props) unit.Opt[unit.Bytes] { return p.Spill })
	p.Registers, d.registers = common(props, func(p *Props) unit.Opt[int] { return p.Registers })
	p.Barriers, d.barriers = common(props, func(p *Props) unit.Opt[int64] { return p.Barriers })
	return p, d
}

// common gives the value of those properties that have one, absent where they differ.
func common[T comparable](props []Props, of func(*Props) unit.Opt[T]) (v unit.Opt[T], differ bool) {
	for i := range props {
		o := of(&props[i])
		if v = cmp.Or(v, o); o.Present() && o != v {
			return unit.Opt[T]{}, true
		}
	}
	return v, false
}

// missing names what a kernel lacks because properties differ.
func (d differing) missing(k *Kernel) (names []string) {
	for _, f := range []struct {
		name          string
		differ, there bool
	}{
		{"SIMD width", d.simd, k.SIMD.Present()},
		{"SLM per work-group", d.slm, k.SLM.Present()},
		{"spill", d.spill, k.Spill.Present()},
		{"registers per thread", d.registers, k.Registers.Present()},
		{"barriers", d.barriers, k.Barriers.Or(0) > 0},
	} {
		if f.differ && !f.there {
			names = append(names, f.name)
		}
	}
	return names
}

// take fills in the properties of a kernel.
func (k *Kernel) take(p *Props) {
	if !k.SIMD.Present() && k.Global.Present() {
		k.SIMD = p.SIMD
	}
	k.SLM, k.Spill, k.Registers = cmp.Or(k.SLM, p.SLM), cmp.Or(k.Spill, p.Spill), cmp.Or(k.Registers, p.Registers)
	if n, ok := p.Barriers.Value(); ok && (n > 0 || !k.Barriers.Present()) && k.Barriers.Or(0) == 0 {
		k.Barriers = p.Barriers // the binary is a fact; a sampled counter may have missed them
	}
}
