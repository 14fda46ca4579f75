package diff

import (
	"cmp"
	"math"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/batch"
)

// BuildVerdict says what a new compilation did to a kernel.
type BuildVerdict string

// The verdicts. What gets worse in one buildFigure and better in another is worse: a gate is there to be looked at.
const (
	Same    BuildVerdict = "same"
	Better  BuildVerdict = "better"
	Worse   BuildVerdict = "worse"
	Added   BuildVerdict = "added"
	Removed BuildVerdict = "removed"
)

// BuildVerdicts lists them.
func BuildVerdicts() []BuildVerdict { return []BuildVerdict{Worse, Better, Same, Added, Removed} }

// The names of buildFigures that may change, as JSON has them.
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

// Build is a kernel on one device, before and after. One side is nil for a kernel that only the other one has.
type Build struct {
	Old, New *batch.Kernel
	Verdict  BuildVerdict
	Changed  []string // the buildFigures that differ, in the order above; never nil
}

// Kernel is what the pair is about: the kernel of the new side, else of the old one.
func (p *Build) Kernel() *batch.Kernel {
	if p.New != nil {
		return p.New
	}
	return p.Old
}

// buildKey is what makes two kernels the same one. A name may stand several times in an image, for several sub-group sizes:
// the n-th of a name goes with the n-th.
type buildKey struct {
	name, device string
	n            int
}

// Builds pairs the kernels of two compilations by name and device and judges each pair: worse ones first, then by name.
func Builds(older, newer []batch.Kernel) []Build {
	place := map[buildKey]int{}
	var pairs []Build
	for k, i := range numbered(older) {
		place[k] = len(pairs)
		pairs = append(pairs, Build{Old: &older[i]})
	}
	for k, i := range numbered(newer) {
		if at, ok := place[k]; ok {
			pairs[at].New = &newer[i]
			continue
		}
		pairs = append(pairs, Build{New: &newer[i]})
	}
	for i := range pairs {
		pairs[i].judge()
	}
	// By names, since the order of an image is that of its compiler and changes with it.
	order := BuildVerdicts()
	slices.SortStableFunc(pairs, func(a, b Build) int {
		return cmp.Or(slices.Index(order, a.Verdict)-slices.Index(order, b.Verdict),
			cmp.Compare(a.Kernel().Demangled(), b.Kernel().Demangled()),
			cmp.Compare(a.Kernel().Device.Key, b.Kernel().Device.Key))
	})
	return pairs
}

// numbered gives the buildKey of each kernel with its place.
func numbered(kernels []batch.Kernel) func(func(buildKey, int) bool) {
	return func(yield func(buildKey, int) bool) {
		seen := map[buildKey]int{}
		for i := range kernels {
			k := buildKey{name: kernels[i].Name, device: kernels[i].Device.Key}
			n := seen[k]
			seen[k]++
			k.n = n
			if !yield(k, i) {
				return
			}
		}
	}
}

// buildFigure is one buildFigure of a kernel. worse is the direction that costs: 1 up, -1 down, 0 neither by itself.
type buildFigure struct {
	name  string
	worse int
	of    func(*batch.Kernel) unit.Opt[float64]
}

// buildFigures are what is compared. Registers, SIMD, SLM and barriers are judged by what they do to occupancy, not by
// themselves.
func buildFigures() []buildFigure {
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
	return []buildFigure{
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

// leastOfBuilds is the smallest change of a percentage that counts: what is printed.
const leastOfBuilds = 0.05

// judge compares the two kernels. Scratch is judged where the binary does not tell spills apart, for a spill is in it
// then.
func (p *Build) judge() {
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
	for _, f := range buildFigures() {
		was, hadOne := f.of(p.Old).Value()
		is, hasOne := f.of(p.New).Value()
		// A buildFigure that only one side has did change, and for the worse or the better nobody can say.
		if !hadOne && !hasOne || hadOne && hasOne && (was == is || f.worse < 0 && math.Abs(is-was) < leastOfBuilds) {
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
	// A kernel that cannot run any more is worse, whatever its buildFigures.
	case worse || ran && !runs:
		p.Verdict = Worse
	case better || !ran && runs:
		p.Verdict = Better
	}
}
