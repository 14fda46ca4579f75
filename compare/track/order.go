package track

import (
	"strings"
	"time"

	"occudiff/compare/history"
)

// skew is how far ahead a date may be, wrong time zones included, before it counts as one in the future.
const skew = 24 * time.Hour

// Future says whether a date cannot be that of a collection.
func Future(date, now time.Time) bool { return date.After(now.Add(skew)) }

// byAdding says whether the runs of a program on a device are judged in the order in which they were added, and not in
// that of the panel, which is that of dates or commits. It is so where dates cannot be trusted, so that a wrong clock
// cannot keep a run from being judged: one is in the future, or the run that was added last is not dated last.
func (j *judge) byAdding(program, device string) bool {
	var last *history.Run
	added := int64(0)
	for i := range j.panel.Runs {
		if r := &j.panel.Runs[i]; (r.Device == device || r.Device == "") && sameProgram(r.Program, program) {
			last, added = r, max(added, r.ID)
		}
	}
	return last != nil && (Future(last.Time, j.now) || !j.panel.Ordered && last.ID != added)
}

// place is that of a run among all.
func (j *judge) place(run int64, byAdding bool) int {
	if byAdding {
		return int(run)
	}
	place, _ := j.panel.Place(run)
	return place
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
		if r.ID > last.ID || r.Device != last.Device || r.Driver != last.Driver || !sameProgram(r.Program, last.Program) {
			continue
		}
		ref := refOf(r)
		switch {
		case Future(r.Time, now):
			c.Future = append(c.Future, ref)
		case r.Time.After(last.Time) && (c.Before == nil || r.Time.After(c.Before.Time)):
			earlier := refOf(last)
			c.Earlier, c.Before = &earlier, &ref
		}
	}
	return c
}

// onDevice says whether a kernel is on the device of a run or one of its adapters.
func onDevice(k history.Key, device string) bool {
	return k.Device == device || device != "" && strings.HasPrefix(k.Device, device+" ")
}

// group is the program and the device, without its adapter, of which series are judged together.
func (t *Series) group() [2]string {
	device, _, _ := strings.Cut(t.Key.Device, " ")
	return [2]string{t.Key.Program, device}
}

// sameProgram says whether two runs may be of one program.
func sameProgram(a, b string) bool { return a == b || a == "" || b == "" }

func refOf(r *history.Run) Ref { return Ref{r.ID, r.Time, r.Commit, r.Label, r.Branch} }
