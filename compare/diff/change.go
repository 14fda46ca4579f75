package diff

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// Change is something that is not the same on the two sides and is named before any regression is. What a side does
// not say is unknown and never a change.
type Change struct {
	What string           // a word of the Change constants
	Task unit.Opt[string] // the kernel; absent when it is the whole run
	Old  string
	New  string
}

// What a Change is of: first the whole run, then the launch of a kernel.
const (
	ChangeDevice  = "device"
	ChangeDriver  = "driver"
	ChangeVTune   = "VTune version"
	ChangeName    = "name" // only in what moves when other code changes, see names.Stable
	ChangeAdapter = "adapter"
	ChangeSIMD    = "SIMD width"
	ChangeGRF     = "GRF"
	ChangeGlobal  = "global size"
	ChangeLocal   = "work-group size"
	ChangeSLM     = "SLM"
)

// String prints the change without the kernel: "SIMD width 16 -> 32".
func (c Change) String() string { return c.What + " " + c.Old + " -> " + c.New }

func hasChange(list []Change, what ...string) bool {
	return slices.ContainsFunc(list, func(c Change) bool { return slices.Contains(what, c.What) })
}

// launchChanged says whether the changes are such that another occupancy may be intended.
func launchChanged(list []Change) bool {
	return hasChange(list, ChangeSIMD, ChangeGRF, ChangeGlobal, ChangeLocal, ChangeSLM)
}

// runFact is something that each run of a side may say of the machine.
type runFact struct {
	what string
	get  func(*compare.Result) string
}

func runFacts() []runFact {
	return []runFact{
		{ChangeDevice, func(r *compare.Result) string {
			if r.Device == nil {
				return ""
			}
			return fmt.Sprintf("%s (%s)", r.Device.ShortName(), r.Device.Key)
		}},
		{ChangeDriver, func(r *compare.Result) string { return strings.TrimSpace(r.Platform.Driver) }},
		{ChangeVTune, func(r *compare.Result) string { return strings.TrimSpace(r.Platform.VTune) }},
	}
}

// said lists the different values that the runs of a side say, in order; runs that say nothing are left out.
func (f runFact) said(runs []*compare.Result) []string {
	var values []string
	for _, r := range runs {
		if v := f.get(r); v != "" && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	return values
}

// runChanges names what is not the same for the whole run.
func (d *Result) runChanges() []Change {
	list := []Change{}
	for _, f := range runFacts() {
		a, b := f.said(d.Old.Runs), f.said(d.New.Runs)
		if len(a) > 0 && len(b) > 0 && !slices.Equal(a, b) {
			list = append(list, Change{What: f.what, Old: strings.Join(a, ", "), New: strings.Join(b, ", ")})
		}
	}
	return list
}

// launchChanges names what is not the same for one kernel.
func launchChanges(task string, a, b *Launch) []Change {
	list := []Change{}
	add := func(what, x, y string) {
		if x != "" && y != "" && x != y {
			list = append(list, Change{what, unit.NonZero(task), x, y})
		}
	}
	add(ChangeAdapter, a.Adapter.Or(""), b.Adapter.Or(""))
	add(ChangeSIMD, optText(a.SIMD, ""), optText(b.SIMD, ""))
	add(ChangeGRF, optText(a.Registers, ""), optText(b.Registers, ""))
	addSize := func(what string, x, y ingest.Size3) {
		if x.Trim() != y.Trim() {
			add(what, x.String(), y.String())
		}
	}
	addSize(ChangeGlobal, a.Global, b.Global)
	addSize(ChangeLocal, a.Local, b.Local)
	add(ChangeSLM, optText(a.SLM, " bytes"), optText(b.SLM, " bytes"))
	return list
}

// optText is a count with what stands behind it, nothing where there is none.
func optText[T ~int | ~int64](o unit.Opt[T], behind string) string {
	if n, ok := o.Value(); ok {
		return unit.Thousands(int64(n)) + behind
	}
	return ""
}
