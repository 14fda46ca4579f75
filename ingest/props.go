package ingest

import (
	"cmp"
	"fmt"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// properties gives kernels the properties of their binaries.
func (j *joiner) properties() {
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
	for i := range j.run.Kernels {
		k := &j.run.Kernels[i]
		key := j.key(k)
		fits := fitting(byName[key.Task], &key)
		if len(fits) == 0 {
			continue
		}
		p, differ := agreed(fits)
		// Without a launch shape nothing is predicted.
		if names := differ.missing(k); len(names) > 0 && k.Global.Present() {
			j.run.Notes = append(j.run.Notes, note.Note{Severity: note.Warning, Code: "properties-differ",
				Pos: k.Pos,
				Text: fmt.Sprintf("task %q: of the kernel properties of its name none says which is of this launch "+
					"shape and SIMD width, and they differ in %s, which is left out",
					k.Task, strings.Join(names, ", ")),
				Hint: "trace a run with the same launch shapes"})
		}
		k.fillProperties(&p)
	}
}

// reasonsOfStalls gives the reasons of stalls to the kernel of their name, where that is one: of several shapes they do
// not say of which they are.
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
				Text: fmt.Sprintf("task %q has %d launch shapes or SIMD widths, and the reasons of stalls are of all "+
					"of them: they are left out", s.Task, len(of))})
		}
	}
}

// fitting gives the properties that may be those of a key: of the same launch shape; else those that name no shape;
// else those of other shapes.
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

// differing says in what properties differ.
type differing struct{ simd, slm, spill, registers, barriers bool }

// agreed gives what properties have in common: where they differ, any of them would be a guess.
func agreed(props []Kernel) (p Kernel, d differing) {
	// A work-group size that the source fixes is in the binary. That of a tracer's row is of another launch shape.
	for i := range props {
		if o := &props[i]; o.Global.Present() || i > 0 && o.Local != p.Local {
			p.Local = Size3{}
			break
		}
		p.Local = props[i].Local
	}
	p.SIMD, d.simd = common(props, func(p *Kernel) unit.Opt[int] { return p.SIMD })
	p.SLM, d.slm = common(props, func(p *Kernel) unit.Opt[unit.Bytes] { return p.SLM })
	p.Spill, d.spill = common(props, func(p *Kernel) unit.Opt[unit.Bytes] { return p.Spill })
	p.Registers, d.registers = common(props, func(p *Kernel) unit.Opt[int] { return p.Registers })
	p.Barriers, d.barriers = common(props, func(p *Kernel) unit.Opt[int64] { return p.Barriers })
	return p, d
}

// common gives the value of those properties that have one, absent where they differ.
func common[T comparable](props []Kernel, of func(*Kernel) unit.Opt[T]) (v unit.Opt[T], differ bool) {
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

// fillProperties fills in the properties of a kernel.
func (k *Kernel) fillProperties(p *Kernel) {
	k.SIMD, k.Local = cmp.Or(k.SIMD, p.SIMD), cmp.Or(k.Local, p.Local)
	k.SLM, k.Spill, k.Registers = cmp.Or(k.SLM, p.SLM), cmp.Or(k.Spill, p.Spill), cmp.Or(k.Registers, p.Registers)
	if n, ok := p.Barriers.Value(); ok && (n > 0 || !k.Barriers.Present()) && k.Barriers.Or(0) == 0 {
		k.Barriers = p.Barriers // the binary is a fact; a sampled counter may have missed them
	}
}
