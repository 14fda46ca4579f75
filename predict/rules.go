package predict

import (
	"fmt"
	"slices"

	"occudiff/predict/arch"
)

// Rule is a rule of thumb of the optimization guides, with where it ends. Occupancy alone does not decide any of them.
type Rule struct {
	Code  string // stable
	Text  string // the rule
	Limit string // where it does not hold
	Why   string // what of the launch it is about, with figures; empty in allRules
}

// allRules gives all the rules, in the order in which outputs list them.
func allRules() []Rule {
	return []Rule{
		{Code: "idle-lanes",
			Text: "A work-group whose size is not a multiple of the sub-group size leaves lanes of its last " +
				"sub-group idle: choose a multiple.",
			Limit: "Occupancy counts threads, not lanes, and does not show this loss."},
		{Code: "whole-grid",
			Text: "A local size that does not divide the global size makes smaller work-groups at the edges, each of " +
				"which takes the place of a whole one.",
			Limit: "SYCL's nd_range refuses such a launch; OpenCL 2.0 accepts it where the device supports " +
				"non-uniform work-groups."},
		{Code: "spill",
			Text: "A kernel that spills registers often gains from a smaller sub-group, which leaves each work-item " +
				"more registers, or from the large GRF mode.",
			Limit: "The model does not see spilling: read the compiler's or the tracer's spill size. Large GRF costs " +
				"threads; a smaller sub-group needs more threads for the same work."},
		{Code: "block-loads",
			Text: "Sub-group block loads and stores do not work with sub-group size 32 on this GPU: use 8 or 16 in " +
				"kernels that have them.",
			Limit: "This applies to GPUs with 32-byte registers, before Xe-HPC and Xe2; without block loads 32 is as " +
				"good."},
		{Code: "dispatch-rounds", Text: "Larger work-groups mean fewer dispatch rounds for the same work-items.",
			Limit: "This holds as long as work-groups divide the thread slots of an Xe-core evenly; with a barrier, " +
				"each work-item waits for more others."},
		{Code: "tail",
			Text: "A launch of a few waves wastes most of its last one: make the number of work-groups a multiple of " +
				"what the GPU holds.",
			Limit: "With tens of waves a tail costs little, and work-groups of unequal run time blur it."},
	}
}

// rulesFor picks the rules that bear on a launch or on what is proposed instead.
func rulesFor(d *arch.Device, l Launch, a Advice) []Rule {
	why := map[string]string{}
	if p := a.Current; p != nil {
		if p.IdleLanes > 0 {
			why["idle-lanes"] = fmt.Sprintf("%d of %d lanes idle in each work-group of %d work-items",
				p.IdleLanes, p.ThreadsPerGroup*int64(l.SIMD), p.GroupSize)
		}
		if p.Partial {
			why["whole-grid"] = fmt.Sprintf("%s does not divide %s", l.Local, l.Global)
		}
		if p.Limits&LimitTail != 0 {
			why["tail"] = fmt.Sprintf("%s waves, average %s of a peak of %s",
				decimal(p.Waves), percent(p.Average), percent(p.Peak))
		}
	}
	widest, largest := l.SIMD, int64(0)
	for i := range a.Best {
		if s := &a.Best[i]; s.Prediction.Partial && s.Launch.Local != l.Local && why["whole-grid"] == "" {
			why["whole-grid"] = fmt.Sprintf("no work-group of whole sub-groups divides %s; those listed leave lanes "+
				"idle at the edges, and the best are ranked without these", l.Global)
		}
		widest = max(widest, a.Best[i].Launch.SIMD)
		largest = max(largest, a.Best[i].Prediction.GroupSize)
	}
	if narrowest := slices.Min(widths(d)); widest > narrowest {
		why["spill"] = fmt.Sprintf("sub-group size %d; %d is the smallest here", widest, narrowest)
	}
	if widest >= 32 && d.RegisterBytes == 32 {
		why["block-loads"] = fmt.Sprintf("sub-group size %d on %s", widest, nameOf(d))
	}
	if own, ok := l.Local.Items(); ok && largest > own {
		why["dispatch-rounds"] = fmt.Sprintf(
			"work-groups of up to %d work-items reach the same or more than those of %d", largest, own)
	}
	list := []Rule{}
	for _, r := range allRules() {
		if r.Why = why[r.Code]; r.Why != "" {
			list = append(list, r)
		}
	}
	return list
}
