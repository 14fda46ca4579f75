// Package binary says what changed between two compilations of kernels.
package binary

import (
	"cmp"
	"math"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/batch"
)

// Verdict says what a new compilation did to a kernel.
type Verdict string

// The verdicts. What gets worse in one figure and better in another is worse: a gate is there to be looked at.
const (
	Same    Verdict = "same"
	Better  Verdict = "better"
	Worse   Verdict = "worse"
	Added   Verdict = "added"
	Removed Verdict = "removed"
)

// Verdicts lists them.
func Verdicts() []Verdict { return []Verdict{Worse, Better, Same, Added, Removed} }

// The names of figures that may change, as JSON has them.
const (
	FieldSpill     = "spill_bytes"
	FieldScratch   = "scratch_bytes"
	fieldPrivate   = "private_bytes"
	FieldRegisters = "registers_per_thread"
	FieldSIMD      = "simd"
	FieldSLM       = "slm_bytes"
	FieldBarriers  = "barriers"
	fieldLocal     = "local"
	FieldPeak      = "peak_percent"
	FieldAverage   = "average_percent"
)

// Pair is a kernel on one device, before and after. One side is nil for a kernel that only the other one has.
type Pair struct {
	Old, New *batch.Kernel
	Verdict  Verdict
	Changed  []string // the figures that differ, in the order above; never nil
}

// Kernel is what the pair is about: the kernel of the new side, else of the old one.
func (p *Pair) Kernel() *batch.Kernel {
	if p.New != nil {
		return p.New
	}
	return p.Old
}

// key is what makes two kernels the same one. A name may stand several times in an image, for several sub-group sizes:
// the n-th of a name goes with the n-th.
type key struct {
	name, device string
	n            int
}

// Diff pairs the kernels of two compilations by name and device and judges each pair: worse ones first, then by name.
func Diff(older, newer []batch.Kernel) []Pair {
	place := map[key]int{}
	var pairs []Pair
	for k, i := range numbered(older) {
		place[k] = len(pairs)
		pairs = append(pairs, Pair{Old: &older[i]})
	}
	for k, i := range numbered(newer) {
		if at, ok := place[k]; ok {
			pairs[at].New = &newer[i]
			continue
		}
		pairs = append(pairs, Pair{New: &newer[i]})
	}
	for i := range pairs {
		pairs[i].judge()
	}
	// By names, since the order of an image is that of its compiler and changes with it.
	order := Verdicts()
	slices.SortStableFunc(pairs, func(a, b Pair) int {
		return cmp.Or(slices.Index(order, a.Verdict)-slices.Index(order, b.Verdict),
			cmp.Compare(a.Kernel().Demangled(), b.Kernel().Demangled()),
			cmp.Compare(a.Kernel().Device.Key, b.Kernel().Device.Key))
	})
	return pairs
}

// numbered gives the key of each kernel with its place.
func numbered(kernels []batch.Kernel) func(func(key, int) bool) {
	return func(yield func(key, int) bool) {
		seen := map[key]int{}
		for i := range kernels {
			k := key{name: kernels[i].Name, device: kernels[i].Device.Key}
			n := seen[k]
			seen[k]++
			k.n = n
			if !yield(k, i) {
				return
			}
		}
	}
}

// figure is one figure of a kernel. worse is the direction that costs: 1 up, -1 down, 0 neither by itself.
type figure struct {
	name  string
	worse int
	of    func(*batch.Kernel) unit.Opt[float64]
}

// figures are what is compared. Registers, SIMD, SLM and barriers are judged by what they do to occupancy, not by
// themselves.
func figures() []figure {
	bytes := func(get func(*batch.Kernel) unit.Opt[unit.Bytes]) func(*batch.Kernel) unit.Opt[float64] {
		return func(k *batch.Kernel) unit.Opt[float64] {
			if b, ok := get(k).Value(); ok {
				return unit.Some(float64(b))
			}
			return unit.Opt[float64]{}
		}
	}
	count := func(get func(*batch.Kernel) int) func(*batch.Kernel) unit.Opt[float64] {
		return func(k *batch.Kernel) unit.Opt[float64] { return unit.Some(float64(get(k))) }
	}
	return []figure{
		{FieldSpill, 1, bytes(func(k *batch.Kernel) unit.Opt[unit.Bytes] { return k.Spill })},
		{FieldScratch, 1, bytes(func(k *batch.Kernel) unit.Opt[unit.Bytes] { return k.Scratch })},
		{fieldPrivate, 0, bytes(func(k *batch.Kernel) unit.Opt[unit.Bytes] { return k.Private })},
		{FieldRegisters, 0, count(func(k *batch.Kernel) int { return k.Registers })},
		{FieldSIMD, 0, count(func(k *batch.Kernel) int { return k.SIMD })},
		{FieldSLM, 0, count(func(k *batch.Kernel) int { return int(k.SLM) })},
		{FieldBarriers, 0, count(func(k *batch.Kernel) int { return k.Barriers })},
		{FieldPeak, -1, func(k *batch.Kernel) unit.Opt[float64] {
			if k.Prediction == nil {
				return unit.Opt[float64]{}
			}
			return unit.Some(k.Prediction.Prediction.Peak.Percent())
		}},
		{FieldAverage, -1, func(k *batch.Kernel) unit.Opt[float64] {
			if k.Prediction == nil || !k.Prediction.Prediction.HasGrid() {
				return unit.Opt[float64]{}
			}
			return unit.Some(k.Prediction.Prediction.Average.Percent())
		}},
	}
}

// least is the smallest change of a percentage that counts: what is printed.
const least = 0.05

// judge compares the two kernels. Scratch is judged where the binary does not tell spills apart, for a spill is in it
// then.
func (p *Pair) judge() {
	p.Changed = []string{}
	switch {
	case p.Old == nil:
		p.Verdict = Added
		return
	case p.New == nil:
		p.Verdict = Removed
		return
	}
	p.Verdict = Same
	better, worse := false, false
	for _, f := range figures() {
		was, hadOne := f.of(p.Old).Value()
		is, hasOne := f.of(p.New).Value()
		// A figure that only one side has did change, and for the worse or the better nobody can say.
		if !hadOne && !hasOne || hadOne && hasOne && (was == is || f.worse < 0 && math.Abs(is-was) < least) {
			continue
		}
		p.Changed = append(p.Changed, f.name)
		if f.name == FieldScratch && p.Old.Spill.Present() && p.New.Spill.Present() || !hadOne || !hasOne {
			continue
		}
		worse = worse || float64(f.worse)*(is-was) > 0
		better = better || float64(f.worse)*(is-was) < 0
	}
	if p.Old.Local != p.New.Local {
		p.Changed = append(p.Changed, fieldLocal)
	}
	ran, runs := p.Old.Prediction != nil, p.New.Prediction != nil
	switch {
	// A kernel that cannot run any more is worse, whatever its figures.
	case worse || ran && !runs:
		p.Verdict = Worse
	case better || !ran && runs:
		p.Verdict = Better
	}
}
