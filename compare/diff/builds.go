package diff

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"occudiff/ingest/unit"
	"occudiff/predict/batch"
)

// BuildVerdict describes the effect of a new compilation on a kernel.
type BuildVerdict string

// The build verdicts. A kernel that is worse in one metric and better in
// another is worse, because a gate must draw attention to it.
const (
	Same    BuildVerdict = "same"
	Better  BuildVerdict = "better"
	Worse   BuildVerdict = "worse"
	Added   BuildVerdict = "added"
	Removed BuildVerdict = "removed"
)

// BuildVerdicts returns all build verdicts, in display order.
func BuildVerdicts() []BuildVerdict { return []BuildVerdict{Worse, Better, Same, Added, Removed} }

// Build is a kernel on one device, before and after. Old or New is nil if that
// compilation lacks the kernel.
type Build struct {
	Old, New *batch.Kernel
	Verdict  BuildVerdict
	Changed  []string // keys of the metrics that differ, in the order of BuildMetrics; never nil
}

// Kernel returns the new kernel. If the new compilation lacks it, it returns
// the old kernel.
func (p *Build) Kernel() *batch.Kernel { return cmp.Or(p.New, p.Old) }

// Builds pairs the kernels of two compilations by name and device, and returns
// the pairs with their verdicts. Worse pairs come first. Pairs with the same
// verdict are sorted by name.
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
	// Sort by name, because the order in an image depends on the compiler and
	// changes with its version.
	order := BuildVerdicts()
	slices.SortStableFunc(pairs, func(a, b Build) int {
		return cmp.Or(slices.Index(order, a.Verdict)-slices.Index(order, b.Verdict),
			cmp.Compare(a.Kernel().Demangled(), b.Kernel().Demangled()),
			cmp.Compare(a.Kernel().DeviceKey(), b.Kernel().DeviceKey()))
	})
	return pairs
}

// keysOf returns the key of each kernel for pairing. An image may contain a
// name several times, for several sub-group sizes. In that case, the n-th
// kernel with a name is paired with the n-th kernel with the same name in the
// other image.
func keysOf(kernels []batch.Kernel) []string {
	seen, keys := map[string]int{}, make([]string, len(kernels))
	for i := range kernels {
		key := kernels[i].DeviceKey() + " " + kernels[i].Name
		seen[key]++
		keys[i] = fmt.Sprint(key, " #", seen[key])
	}
	return keys
}

// BuildMetric is a property of a compiled kernel that is compared.
type BuildMetric struct {
	Key, Title, Unit string // Key is the JSON key; Title is empty if other metrics include this one
	// worse is the direction of a change that makes a kernel worse: 1 for up,
	// -1 for down, 0 for neither. Registers, SIMD, SLM, and barriers have 0,
	// because their effect on occupancy is judged instead.
	worse int
	Of    func(*batch.Kernel) unit.Opt[float64]
}

const scratch = "scratch_bytes"

// BuildMetrics returns the compared properties.
func BuildMetrics() []BuildMetric {
	return []BuildMetric{
		{"spill_bytes", "Spill", "bytes", 1, func(k *batch.Kernel) unit.Opt[float64] { return unit.Float(k.Spill) }},
		{scratch, "Scratch", "bytes", 1, func(k *batch.Kernel) unit.Opt[float64] { return unit.Float(k.Scratch) }},
		{"private_bytes", "", "bytes", 0, func(k *batch.Kernel) unit.Opt[float64] { return unit.Float(k.Private) }},
		{"registers_per_thread", "Registers per thread", "", 0, func(k *batch.Kernel) unit.Opt[float64] { return unit.Some(float64(k.Registers)) }},
		{"simd", "SIMD", "", 0, func(k *batch.Kernel) unit.Opt[float64] { return unit.Some(float64(k.SIMD)) }},
		{"slm_bytes", "SLM", "bytes", 0, func(k *batch.Kernel) unit.Opt[float64] { return unit.Float(k.SLM) }},
		{"barriers", "Barriers", "", 0, func(k *batch.Kernel) unit.Opt[float64] {
			n, known := k.Barriers.Value()
			return unit.Maybe(float64(n), known)
		}},
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

// leastOfBuilds is the smallest change of a percentage that counts: half a unit
// in the last printed digit.
const leastOfBuilds = 0.05

// judge sets the verdict of the pair. Scratch is judged only if a binary does
// not report spills separately, because scratch then includes the spills.
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
		// A value that only one compilation has did change, but it is unknown
		// whether the change is better or worse.
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
	// A kernel that can no longer run is worse, regardless of its other
	// properties.
	case worse || ran && !runs:
		p.Verdict = Worse
	case better || !ran && runs:
		p.Verdict = Better
	}
}
