package compare

import (
	"fmt"
	"math"

	"occudiff/ingest/unit"
)

// WorthVerdict says whether more threads would make a kernel faster.
type WorthVerdict string

// The verdicts. None of them promises a speed-up.
const (
	MoreThreads     WorthVerdict = "more threads may help"
	OccupancyEnough WorthVerdict = "occupancy is enough"
	ElseBinds       WorthVerdict = "something else binds"
	WorthUntold     WorthVerdict = "cannot be told"
)

// Worth says what more occupancy is worth to a kernel. The zero value is that of a task that is no kernel.
type Worth struct {
	Verdict WorthVerdict
	Because string // the figures, in a sentence without a period; "" where it was not asked for
	// Bound is how many times as fast the kernel can become at most by hiding latency alone, 1 where something binds
	// already; absent where the export does not say what the XVEs did. Formula says how it was computed.
	Bound   unit.Opt[float64]
	Formula string
}

// Room is the word that earlier versions had for a worth: little, some, or unknown.
func (w *Worth) Room() string {
	switch w.Verdict {
	case MoreThreads:
		return "some"
	case OccupancyEnough, ElseBinds:
		return "little"
	}
	return "unknown"
}

// xveTime is how the XVEs of a row spent their time, as shares of all of it.
type xveTime struct {
	active, stalled unit.Ratio
	why             string // why it tells nothing; "" where it does
}

func xvesOf(row *Row) xveTime {
	a, ok1 := row.Active.Value()
	s, ok2 := row.Stalled.Value()
	i, ok3 := row.Idle.Value()
	t := xveTime{active: a, stalled: s}
	switch sum := a + s + i; {
	case noArray(row):
		t.why = "active, stalled and idle are all 0.0 %: no sample of the XVE array is of this kernel"
	case !ok1 || !ok2:
		t.why = "the input does not say how long XVEs were active and stalled"
	case ok3 && abs(sum.Minus(1)) > arraySum:
		t.why = fmt.Sprintf("active, stalled and idle add up to %.1f %%, not 100 %%", sum.Percent())
	case t.busy() <= 0:
		t.why = "no XVE ran: active and stalled are 0.0 %"
	}
	return t
}

// noArray says whether all states of the XVE array are 0.0 %, which only a row without a sample has.
func noArray(row *Row) bool {
	a, ok1 := row.Active.Value()
	s, ok2 := row.Stalled.Value()
	i, ok3 := row.Idle.Value()
	return ok1 && ok2 && ok3 && a+s+i <= 0
}

func (t *xveTime) busy() unit.Ratio { return t.active + t.stalled }

// worth judges a row by what its XVEs did while they ran. What is found first holds: counters that are not the
// kernel's, a bandwidth near its roof, XVEs that are active nearly all of the time, slots that are full, stalls that no
// thread can hide, threads that end before the next ones start, and stalls with few of the slots in use.
func (r *Result) worth(row *Row) Worth {
	if row.Verdict == NotAKernel {
		return Worth{}
	}
	w := Worth{Verdict: WorthUntold}
	t := xvesOf(row)
	m, measured := row.Measured.Value()
	filled := max(row.BusyOccupancy.Or(0), m) // of the slots of XVEs that ran: at least what all slots held
	switch {
	case !measured:
		w.Because = "occupancy was not measured"
		return w
	case row.Verdict == Unmeasurable && !noArray(row):
		w.Because = "too little of the counters' values is this kernel's"
		return w
	case row.Verdict == Above && (row.Cause == nil || row.Cause.Name == CauseOverlap):
		w.Because = "more was measured than the launch can hold, so part of the values is of other tasks"
		return w
	case t.why != "" && filled >= worthFull:
		w.stop(OccupancyEnough, fmt.Sprintf("%s of the thread slots held a thread: there is no room for more",
			tenth(filled)))
		return w
	case t.why != "":
		w.Because = t.why
		return w
	}
	why := stallsOf(row)
	roofs, wrong := r.roofs(row)
	w.judge(r, row, &t, filled, &why, roofs)
	w.Because += why.text() + wrong
	if !w.Bound.Present() {
		w.bound(&t, roofs)
	}
	return w
}

// judge gives the verdict of a row whose XVE array is known.
func (w *Worth) judge(r *Result, row *Row, t *xveTime, filled unit.Ratio, why *stalls, roofs []roof) {
	active := t.active / t.busy()
	stall := fmt.Sprintf("XVEs that run stall %s of the time", tenth(1-active))
	stalls := fmt.Sprintf("%s with %s of their thread slots in use", stall, tenth(filled))
	switch {
	case len(roofs) > 0 && !roofs[0].loose && roofs[0].share() >= worthRoof:
		w.stop(ElseBinds, roofs[0].text()+", and more threads do not move more")
	case active >= worthActive:
		w.stop(OccupancyEnough, fmt.Sprintf("XVEs that run are active %s of the time, so there is little latency to "+
			"hide", tenth(active)))
	case filled >= worthFull:
		w.stop(ElseBinds, stalls+": there is no room for more threads")
	case active > 1-worthStalled:
		w.Because = stall + ": less than half, and more than next to nothing"
	case why.usable() && why.hidden+why.send < worthHidden:
		w.stop(ElseBinds, fmt.Sprintf("%s, of which other threads can hide only %s", stalls,
			tenth(why.hidden+why.send)))
	case why.usable() && why.hidden < worthHidden:
		w.Because = fmt.Sprintf("%s, of which %s are on send: threads that wait for the result of one others hide, "+
			"threads that wait to dispatch one they do not", stalls, tenth(why.send))
	case !row.BusyOccupancy.Present():
		w.Because = stall + ", and how many of their slots were in use is not known"
	case r.launchBound(row):
		w.Because = stalls + ", and threads live so briefly that starting them may be what takes the time"
	case filled >= worthLoaded:
		w.Because = stalls + ": whether more would hide it only a run with fewer threads tells"
	default:
		w.Verdict, w.Because = MoreThreads, stalls
	}
}

// bound sets the most that hiding latency can gain: XVEs that are always active, at no more than the roofs.
func (w *Worth) bound(t *xveTime, roofs []roof) {
	if t.active <= 0 {
		return
	}
	w.Bound = unit.Some(float64(t.busy() / t.active))
	w.Formula = fmt.Sprintf("1 / active share of the busy time = 1 / (%s / %s)", tenth(t.active), tenth(t.busy()))
	if len(roofs) == 0 {
		return
	}
	f := &roofs[0]
	w.Bound = unit.Some(min(w.Bound.Or(0), f.most/f.used))
	w.Formula = fmt.Sprintf("min(%s, roof / used bandwidth = %.0f / %.1f GB/s of %s)", w.Formula, f.most, f.used,
		f.name)
}

// stop gives a verdict by which hiding latency gains nothing.
func (w *Worth) stop(v WorthVerdict, because string) {
	w.Verdict, w.Because = v, because
	w.Bound, w.Formula = unit.Some(1.0), "1: bound already"
}

// Stake is what a kernel's time and bound come to, by which kernels are ranked; NaN where one of them is not known.
func (w *Worth) Stake(row *Row) float64 {
	nan := math.NaN()
	return w.Bound.Or(nan) * float64(row.Total.Or(unit.Seconds(nan)))
}

// tenth prints a share with a decimal, which counters are printed with.
func tenth(v unit.Ratio) string { return fmt.Sprintf("%.1f %%", v.Percent()) }
