package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/batch"
)

// BuildVerdict describes what a new compilation did to a kernel.
type BuildVerdict string

// The verdicts. What gets worse in one figure and better in another is worse: a
// gate is there to be looked at.
const (
	Same    BuildVerdict = "same"
	Better  BuildVerdict = "better"
	Worse   BuildVerdict = "worse"
	Added   BuildVerdict = "added"
	Removed BuildVerdict = "removed"
)

// BuildVerdicts lists them.
func BuildVerdicts() []BuildVerdict { return []BuildVerdict{Worse, Better, Same, Added, Removed} }

// Build is a kernel on one device, before and after. One side is nil for a
// kernel that only the other one has.
type Build struct {
	Old, New *batch.Kernel
	Verdict  BuildVerdict
	Changed  []string // keys of the figures that differ, in their order; never nil
}

// Kernel is what the pair is about: the kernel of the new side, otherwise of
// the old one.
func (p *Build) Kernel() *batch.Kernel { return cmp.Or(p.New, p.Old) }

// Builds pairs the kernels of two compilations by name and device and judges
// each pair: worse ones first, then by name.
func Builds(older, newer []batch.Kernel) []Build {
	place := map[string]int{}
	var pairs []Build
	for i, k := range keysOf(older) {
		place[k] = i
		pairs = append(pairs, Build{Old: &older[i]})
	}
	for i, k := range keysOf(newer) {
		if at, ok := place[k]; ok {
			pairs[at].New = &newer[i]
		} else {
			pairs = append(pairs, Build{New: &newer[i]})
		}
	}
	for i := range pairs {
		pairs[i].judge()
	}
	// By names, since the order of an image is that of its compiler and changes
	// with it.
	order := BuildVerdicts()
	slices.SortStableFunc(pairs, func(a, b Build) int {
		return cmp.Or(slices.Index(order, a.Verdict)-slices.Index(order, b.Verdict),
			cmp.Compare(a.Kernel().Demangled(), b.Kernel().Demangled()),
			cmp.Compare(a.Kernel().DeviceKey(), b.Kernel().DeviceKey()))
	})
	return pairs
}

// keysOf returns what makes two kernels the same one. A name may stand several
// times in an image, for several sub-group sizes: the n-th of a name goes with
// the n-th.
func keysOf(kernels []batch.Kernel) []string {
	seen, keys := map[string]int{}, make([]string, len(kernels))
	for i := range kernels {
		key := kernels[i].DeviceKey() + " " + kernels[i].Name
		seen[key]++
		keys[i] = fmt.Sprint(key, " #", seen[key])
	}
	return keys
}

// BuildMetric is a figure of a compiled kernel that is compared.
type BuildMetric struct {
	Key, Title, Unit string // the key as JSON has it; no title where it is in other figures too
	// worse is the direction that costs: 1 up, -1 down, 0 neither by itself.
	// Registers, SIMD, SLM and barriers are judged by what they do to
	// occupancy.
	worse int
	Of    func(*batch.Kernel) unit.Opt[float64]
}

const scratch = "scratch_bytes"

// BuildMetrics are what is compared.
func BuildMetrics() []BuildMetric {
	bytes := optional[unit.Bytes]
	return []BuildMetric{
		{"spill_bytes", "Spill", "bytes", 1, func(k *batch.Kernel) unit.Opt[float64] { return bytes(k.Spill) }},
		{scratch, "Scratch", "bytes", 1, func(k *batch.Kernel) unit.Opt[float64] { return bytes(k.Scratch) }},
		{"private_bytes", "", "bytes", 0, func(k *batch.Kernel) unit.Opt[float64] { return bytes(k.Private) }},
		{"registers_per_thread", "Registers per thread", "", 0, func(k *batch.Kernel) unit.Opt[float64] { return unit.Some(float64(k.Registers)) }},
		{"simd", "SIMD", "", 0, func(k *batch.Kernel) unit.Opt[float64] { return unit.Some(float64(k.SIMD)) }},
		{"slm_bytes", "SLM", "bytes", 0, func(k *batch.Kernel) unit.Opt[float64] { return bytes(k.SLM) }},
		{"barriers", "Barriers", "", 0, func(k *batch.Kernel) unit.Opt[float64] { return optional(k.Barriers) }},
		{"peak_percent", "Predicted peak", "%", -1, func(k *batch.Kernel) unit.Opt[float64] {
			if k.Prediction == nil {
				return unit.Opt[float64]{}
			}
			return unit.Some(k.Prediction.Prediction.Peak.Percent())
		}},
		{"average_percent", "Predicted average", "%", -1, func(k *batch.Kernel) unit.Opt[float64] {
			if k.Prediction == nil || !k.Prediction.Prediction.HasGrid() {
				return unit.Opt[float64]{}
			}
			return unit.Some(k.Prediction.Prediction.Average.Percent())
		}},
	}
}

func optional[T ~int | ~int64](o unit.Opt[T]) unit.Opt[float64] {
	n, ok := o.Value()
	return unit.Maybe(float64(n), ok)
}

// leastOfBuilds is the smallest change of a percentage that counts: what is
// printed.
const leastOfBuilds = 0.05

// judge compares the two kernels. Scratch is judged where the binary does not
// tell spills apart, for a spill is in it then.
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
	for _, f := range BuildMetrics() {
		was, hadOne := f.Of(p.Old).Value()
		is, hasOne := f.Of(p.New).Value()
		if hadOne == hasOne && (was == is || f.worse < 0 && math.Abs(is-was) < leastOfBuilds) {
			continue
		}
		p.Changed = append(p.Changed, f.Key)
		// A figure that only one side has did change, and for the worse or the
		// better nobody can say.
		if hadOne && hasOne && (f.Key != scratch || !p.Old.Spill.Present() || !p.New.Spill.Present()) {
			worse = worse || float64(f.worse)*(is-was) > 0
			better = better || float64(f.worse)*(is-was) < 0
		}
	}
	if p.Old.Local != p.New.Local {
		p.Changed = append(p.Changed, "local")
	}
	if p.Old.Code != p.New.Code && p.Old.Code != "" && p.New.Code != "" {
		p.Changed = append(p.Changed, "code")
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
