package compare

import (
	"fmt"
	"strings"

	"occudiff/compare/launches"
	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// Traced gives how the launches of a row follow each other, nil when no trace tells.
func (r *Result) Traced(row *Row) *launches.Task { return r.Sequence.Of(&row.Kernel) }

// aTrace is what would settle how launches follow each other; nothing where a trace has settled it.
func (f *finder) aTrace() decision {
	if f.r.Traced(f.row) != nil {
		return decision{}
	}
	return byTrace("")
}

// fact adds a cause that a trace shows. Counters that are sampled make it no less sure.
func (f *finder) fact(part Part, name string, sure confidence, because string) {
	f.found = append(f.found, Cause{Part: part, Name: name, Confidence: sure.String(), Because: because, measured: true})
}

// tracedGaps names gaps that a trace shows; a trace without gaps rules them out.
func (f *finder) tracedGaps(p Part, t *launches.Task) {
	share := t.GapShare()
	if share < gapsSeen || f.row.MeasuredLow.Present() { // or the values hold none of them
		return
	}
	// Counters that ran as long as the launch hold nothing of what lies before it.
	if c := &f.row.Certainty; c.Exact && c.Edges.Or(0) < gapsSeen {
		return
	}
	sure, idleText := medium, ""
	if idle, known := f.row.ran(); known {
		idleText = fmt.Sprintf("; XVEs were idle %.1f%% of the time", idle.Percent())
		if share >= gapsEnough*(idle-f.row.PredictedAt().Idle) {
			sure = high
		}
	}
	f.fact(p, CauseGaps, sure, fmt.Sprintf(
		"According to the trace, the GPU runs no kernel for %s before a launch on average (median %s, p90 %s), and "+
			"for %.1f%% of the time from launch to launch%s.",
		unit.Span(t.GapMean), unit.Span(t.GapMedian), unit.Span(t.GapP90), share.Percent(), idleText))
}

// tracedOverlap names other kernels that a trace shows in this one's time. A trace without them rules them out.
func (f *finder) tracedOverlap(t *launches.Task, m unit.Ratio) bool {
	share := t.SharedShare()
	if share < overlapSeen {
		return false
	}
	sure, enough, with := high, "", ""
	ref := f.row.reference()
	if most := ref + share*(1-ref); m > most && !f.r.Options.within(m.Minus(most)) {
		sure, enough = medium, ", which is not enough for all that is above the prediction"
	}
	if t.With >= 0 {
		with = ", most of it " + kernelName(f.r.Sequence.Tasks[t.With].Key.Task)
	}
	f.fact("", CauseOverlap, sure, fmt.Sprintf(
		"According to the trace, other kernels run on the GPU for %.1f%% of its time%s%s.",
		share.Percent(), with, enough))
	return true
}

// kernelName is a kernel's name in a sentence: as the source has it, and without what is too long for a line.
func kernelName(task string) string {
	short := names.Short([]string{names.Display(task)}, func(name string) bool { return len(name) <= 80 })
	return strings.Join(strings.Fields(short[0]), " ")
}

// alike says whether the launches of a row take times near enough to each other for their mean to stand for each.
func (f *finder) alike() bool {
	if t := f.r.Traced(f.row); t != nil && t.Launches > 1 {
		return t.P10 > 0 && t.P90 < alikeLaunches*t.P10
	}
	s := f.row.Launches
	if s == nil {
		return false
	}
	return s.MinSeconds > 0 && s.P90Seconds.Or(s.MaxSeconds) < alikeLaunches*s.P10Seconds.Or(s.MinSeconds)
}
