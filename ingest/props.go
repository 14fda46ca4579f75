package ingest

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
)

// giveProperties gives kernels the properties of their binaries.
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
	for i := range j.run.Kernels {
		k := &j.run.Kernels[i]
		key := j.key(k)
		fits := fitting(byName[key.Task], &key)
		if len(fits) == 0 {
			continue
		}
		// A work-group size that the source fixes is in the binary. That of a tracer's row is of another launch shape.
		if !slices.ContainsFunc(fits, func(p Kernel) bool { return p.Global.Present() || p.Local != fits[0].Local }) {
			k.Local = cmp.Or(k.Local, fits[0].Local)
		}
		counted := k.Barriers // by a sampled counter, which may have missed those of the binary
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
			} else if f.of(k).IsZero() { // any of them would be a guess
				differ = append(differ, f.name)
			}
		}
		k.Barriers = cmp.Or(k.Barriers, counted)
		// Without a launch shape nothing is predicted.
		if len(differ) > 0 && k.Global.Present() {
			j.run.Notes = append(j.run.Notes, note.Note{Severity: note.Warning, Code: "properties-differ",
				Pos: k.Pos,
				Text: fmt.Sprintf("task %q: of the kernel properties of its name none says which is of this launch "+
					"shape and SIMD width, and they differ in %s, which is left out",
					k.Task, strings.Join(differ, ", ")),
				Hint: "trace a run with the same launch shapes"})
		}
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

// properties are what binaries and tracers say of a kernel.
var properties = []field{property("SIMD", "SIMD width"), property("SLM", "SLM per work-group"), property("Spill", "spill"),
	property("Registers", "registers per thread"), property("Barriers", "barriers")}

func property(of, name string) field {
	f, _ := reflect.TypeFor[Kernel]().FieldByName(of)
	return field{index: f.Index[0], name: name}
}
