package track

import (
	"cmp"
	"slices"
	"time"

	"occudiff/compare/history"
)

// skew is how far ahead a date may be, wrong time zones included, before it counts as one in the future.
const skew = 24 * time.Hour

// Future says whether a date cannot be that of a collection.
func Future(date, now time.Time) bool { return date.After(now.Add(skew)) }

// arrange puts the points of a series, which come in the order of their dates, into the order in which they are judged.
// That is the order of dates as long as dates can be trusted: the run that was added last has the last one, and none is
// in the future. Else it is the order in which the runs were added, so that a wrong clock cannot keep a run from being
// judged. It says whether it is the latter.
func arrange(points []history.Point, now time.Time) (byAdding bool) {
	if inOrder(points, now) {
		return false
	}
	slices.SortFunc(points, func(a, b history.Point) int { return cmp.Compare(a.Run, b.Run) })
	return true
}

// inOrder says whether the dates of points, which come in their order, can be trusted.
func inOrder(points []history.Point, now time.Time) bool {
	var added int64
	for _, p := range points {
		added = max(added, p.Run)
	}
	last := points[len(points)-1]
	return last.Run == added && !Future(last.Time, now)
}

// Clock is what is wrong with the dates of runs.
type Clock struct {
	Future []Ref // dated in the future
	// Earlier is the run that was added last when it is dated before another one, Before the latest of these; nil
	// otherwise.
	Earlier, Before *Ref
}

// clockOf looks at the dates of runs that are compared with each other, up to the one that was added last.
func clockOf(runs []history.Run, last *history.Run, now time.Time) (c Clock) {
	for i := range runs {
		r := &runs[i]
		if r.ID > last.ID || !samePlatform(r, last) {
			continue
		}
		ref := refOf(r)
		switch {
		case Future(r.Time, now):
			c.Future = append(c.Future, ref)
		case r.Time.After(last.Time) && (c.Before == nil || r.Time.After(c.Before.Time)):
			c.Before = &ref
		}
	}
	if c.Before != nil {
		earlier := refOf(last)
		c.Earlier = &earlier
	}
	return c
}

// samePlatform says whether the kernels of two runs may be in the same series.
func samePlatform(a, b *history.Run) bool {
	return a.Device == b.Device && a.Driver == b.Driver && sameProgram(a.Program, b.Program)
}

// sameProgram says whether two runs may be of one program.
func sameProgram(a, b string) bool { return a == b || a == "" || b == "" }

func refOf(r *history.Run) Ref { return Ref{r.ID, r.Time, r.Commit, r.Label, r.Branch} }

// refsOf names runs by their numbers.
func refsOf(runs []history.Run) map[int64]Ref {
	refs := make(map[int64]Ref, len(runs))
	for i := range runs {
		refs[runs[i].ID] = refOf(&runs[i])
	}
	return refs
}
