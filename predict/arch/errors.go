package arch

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// AmbiguousError says that a name means several devices of different shapes.
type AmbiguousError struct {
	Name       string
	XVEs       int // the count that was given, 0 for none
	Candidates []*Device
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	with := ""
	if e.XVEs > 0 {
		with = fmt.Sprintf(" with %d XVE", e.XVEs)
	}
	return fmt.Sprintf("device %s%s may be %s; %s decides",
		quoted(e.Name), with, list(e.Candidates), e.flags())
}

// flags names the flag that tells the candidates apart: a count does only where one shape has it.
func (e *AmbiguousError) flags() string {
	var deciding []int
	for _, n := range xveCounts(e.Candidates) {
		of := slices.DeleteFunc(slices.Clone(e.Candidates), func(d *Device) bool { return d.XVEs() != n })
		if sameShape(of) {
			deciding = append(deciding, n)
		}
	}
	if e.XVEs > 0 || len(deciding) == 0 {
		return "--device KEY"
	}
	return fmt.Sprintf("--xve N (%s) or --device KEY", numbers(deciding))
}

// noSuchCount says that none of the devices that a name means comes with the XVE count that was given.
func noSuchCount(q Query, candidates []*Device) error {
	if counts := xveCounts(candidates); counts[0] == 0 { // families whose Xe-core count is not public
		each := candidates[0].XVEPerXeCore
		return fmt.Errorf("device %s does not come with %d XVE; an Xe-core of it has %d, so the count is a multiple "+
			"of %[3]d up to %[4]d (correct --xve or --device, or describe the part in a --device-file)",
			quoted(q.Name), q.XVEs, each, maxXVEs)
	}
	hint := ""
	largest := slices.MaxFunc(candidates, func(a, b *Device) int { return cmp.Compare(a.XVEs(), b.XVEs()) })
	if q.XVEs > 0 && q.XVEs < largest.XVEs() {
		hint = fmt.Sprintf("; a binned part has a multiple of %d, the XVEs of one Xe-core", largest.XVEPerXeCore)
	}
	return fmt.Errorf("device %s does not come with %d XVE; it has %s%s "+
		"(correct --xve or --device, or describe the part in a --device-file)",
		quoted(q.Name), q.XVEs, numbers(xveCounts(candidates)), hint)
}

// xveCounts lists the different counts, the largest first.
func xveCounts(ds []*Device) []int {
	var counts []int
	for _, d := range ds {
		counts = append(counts, d.XVEs())
	}
	slices.Sort(counts)
	counts = slices.Compact(counts)
	slices.Reverse(counts)
	return counts
}

func numbers(ns []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(ns), " ", ", "), "[]")
}

// quoted quotes a name for a message; names come from files and may be of any length.
func quoted(name string) string {
	const most = 100
	if r := []rune(name); len(r) > most {
		name = string(r[:most]) + "..."
	}
	return fmt.Sprintf("%q", name)
}
