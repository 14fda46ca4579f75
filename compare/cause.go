package compare

import (
	"fmt"
	"slices"
)

// The causes. Shape, model, sampling and tolerance come before any account; the others are of a part of it, or of a row
// above its prediction.
const (
	CauseShape       = "shape"
	CauseModel       = "model"
	CauseSampling    = "sampling"
	CauseTolerance   = "tolerance"
	CauseOverlap     = "overlap"
	CauseNothingRan  = "nothing ran"
	CauseAdapters    = "adapters"
	CauseStack       = "stack"
	CauseGaps        = "gaps"
	CausePlacement   = "placement"
	CauseImbalance   = "imbalance"
	CauseDispatch    = "dispatch"
	CauseGRF         = "grf"
	CauseSIMD        = "simd"
	CauseSLM         = "slm"
	CauseBarriers    = "barriers"
	CauseUnexplained = "unexplained"
)

// Causes lists the words of Cause.Name in the order in which they are looked for.
func Causes() []string {
	return []string{CauseShape, CauseModel, CauseSampling, CauseTolerance, CauseOverlap, CauseNothingRan, CauseAdapters,
		CauseStack,
		CauseGaps, CausePlacement, CauseImbalance, CauseDispatch, CauseGRF, CauseSIMD, CauseSLM, CauseBarriers, CauseUnexplained}
}

// Cause says why what was seen differs from the prediction.
type Cause struct {
	Part       Part   // that it is of; empty for causes that come before an account
	Name       string // a word of Causes
	Confidence string // high, medium, low; empty of a row that cannot be judged, which is a fact and no conclusion
	Because    string // one or two sentences with the figures
	Decide     string // what would settle it, without a full stop; may be empty
	Next       Next   // the same, where it is a collection
	Registers  int    // per thread, of the mode that CauseGRF names; else 0
	measured   bool   // by a trace or a result folder, and not bounded from counters
}

// setCause says why a row does not match: nothing for rows that match or were not judged. Of an account it is the surest
// cause, of equal ones that of the larger part.
func (r *Result) setCause(row *Row) {
	switch row.Verdict {
	case NoPrediction:
		row.Cause = r.adapters(row)
		return
	case Below, Above, Unmeasurable:
	default:
		return
	}
	for _, look := range []func(*Row) *Cause{r.contradicted, r.shape, r.model} {
		if c := look(row); c != nil {
			row.Cause = c
			return
		}
	}
	f := finder{r: r, row: row}
	switch {
	case row.Verdict == Unmeasurable: // the reason is there
		return
	case row.Verdict == Above:
		f.above()
	case r.Accounted(row):
		row.Account = r.account(row)
		f.found = row.Account.Causes
	default:
		f.unexplained("")
	}
	row.Cause = surest(f.found)
}

// surest is the cause that a row is headed by: the one with the most confidence, of such the first that was measured,
// else the first.
func surest(found []Cause) *Cause {
	best := &found[0]
	for i := range found {
		if found[i].surer(best) {
			best = &found[i]
		}
	}
	return best
}

// surer says whether a cause goes before another of its row or part.
func (c *Cause) surer(than *Cause) bool {
	words := []string{low.String(), medium.String(), high.String()}
	a, b := slices.Index(words, c.Confidence), slices.Index(words, than.Confidence)
	return a > b || a == b && c.measured && !than.measured
}

// largest is the part that most of what is missing from the prediction went to, as printed.
func (a *Account) largest() Part {
	printed := a.Printed()
	switch _, whole := a.Shortfall.Value(); {
	case whole:
		return PartShortfall
	case printed.Of(PartUnderfilled).Or(0) > printed.Of(PartEmpty).Or(0):
		return PartUnderfilled
	}
	return PartEmpty
}

// finder gathers the causes of a row.
type finder struct {
	r       *Result
	row     *Row
	account *Account
	found   []Cause
}

// add takes a cause, no surer than the counters allow.
func (f *finder) add(part Part, name string, sure confidence, because string, decide decision) {
	if sure = min(sure, f.row.Certainty.limit()); f.row.HeldLow.Present() { // the row is judged by a range
		sure = low
	}
	f.found = append(f.found, Cause{Part: part, Name: name, Confidence: sure.String(), Because: because,
		Decide: decide.text, Next: decide.Next})
}

// all finds the causes of both parts, those of the larger one first.
func (f *finder) all() []Cause {
	first := f.account.largest()
	f.part(first)
	for _, other := range []Part{PartEmpty, PartUnderfilled} {
		if p, told := f.account.Points(other).Value(); other != first && told && p >= partPoints {
			f.causes(other)
		}
	}
	return f.found
}

// part finds the causes of one part, or says that there is none.
func (f *finder) part(p Part) {
	f.causes(p)
	if len(f.found) == 0 {
		f.unexplained(p)
	}
}

// causes finds the causes of one part, the surest first.
func (f *finder) causes(p Part) {
	before := len(f.found)
	if p != PartUnderfilled {
		f.empty(p)
	}
	if p != PartEmpty {
		f.underfilled(p)
	}
	slices.SortStableFunc(f.found[before:], func(a, b Cause) int {
		if a.surer(&b) {
			return -1
		} else if b.surer(&a) {
			return 1
		}
		return 0
	})
}

// unexplained says what is missing to tell more.
func (f *finder) unexplained(p Part) {
	because, decide := f.missing()
	f.add(p, CauseUnexplained, low, f.r.ownText(f.row)+because, decide)
}

// missing says what cannot be told, and what would tell it.
func (f *finder) missing() (because string, decide decision) {
	row := f.row
	d, _ := row.Difference.Value()
	switch {
	case f.r.nothingSeen(row):
		return fmt.Sprintf("%.1f %% says that no thread was seen, not how long one lives: the counters may be of "+
			"another window or of another adapter.",
			row.Measured.Or(0).Percent()), said(targetGPU)
	case row.Basis == BasisMeasuredPeak && f.r.Device == nil && row.Global.Present():
		return "How much of it is a partial last wave is unknown without the device.",
			said(f.r.Options.Naming.Words("--device", "the device") + ", or the VTune summary of the same result")
	case row.Basis == BasisMeasuredPeak && row.Idle.Present():
		return "How much of it is a partial last wave is unknown without the launch shape.",
			said("an export with the columns Work Size:Global, Work Size:Local and SIMD Width")
	case row.Basis == BasisMeasuredPeak && !f.r.fromSummary:
		return "How much of it is a partial last wave, idle time or low residency does not follow from this export, " +
				"which has neither launch shapes nor the XVE array state.",
			said("an export with the columns Work Size:Global, Work Size:Local, SIMD Width and those of the XVE array")
	case row.Basis == BasisMeasuredPeak:
		return "How much of it is a partial last wave, idle time or low residency does not follow from a summary, " +
			"which has neither launch shapes nor the XVE array state.", said("the computing-task export of the same result")
	case row.XVEs.Other.Present():
		return fmt.Sprintf("Threads that go anywhere would fill %.1f %% of the XVEs that run, work-groups that stay "+
			"whole %.1f %%: which XVEs should have been empty is unknown.",
			row.XVEs.both()...), decision{"unitrace's kernel properties (SLM), or the kernel's binary", Next{Do: Properties}}
	case !row.Idle.Present():
		return "The export has no XVE array state (Active, Stalled, Idle), which would separate idle time from low " +
			"residency.", said("an export with the columns of the XVE array")
	case !row.BusyOccupancy.Present():
		return "More is measured than XVEs that idle for so long can hold, so idle time and residency cannot be " +
			"separated.", said("a new collection")
	case !row.Average().Present():
		return "The export has no total time and instance count, which would give the mean thread life.",
			said("an export with the columns Total Time and Instance Count")
	case !row.BarrierStall.Present():
		return fmt.Sprintf("None of the known causes fits the difference of %+.1f points.", float64(d)),
			said("a collection with stall reasons, which separates waiting at barriers from other stalls")
	}
	return fmt.Sprintf("None of the known causes fits the difference of %+.1f points.", float64(d)), f.aTrace()
}

// nothingSeen says whether the measured value was printed as 0.0, so that it tells nothing of the threads.
func (r *Result) nothingSeen(row *Row) bool {
	m, measured := row.Measured.Value()
	return measured && m.Percent() < float64(r.unseen(row))
}
