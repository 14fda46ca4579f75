package compare

import (
	"cmp"
	"fmt"
	"slices"
)

// The causes, in the order in which they are looked for. Shape, model, sampling and tolerance come before any account; the others are of a part of it, or of a row
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

// Cause says why what was seen differs from the prediction.
type Cause struct {
	Part       Part   // that it is of; empty for causes that come before an account
	Name       string // one of the causes
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
	f := finder{r: r, row: row}
	switch v := row.Verdict; {
	case v == NoPrediction:
		row.Cause = r.adapters(row)
	case v != Below && v != Above && v != Unmeasurable:
	case r.withheld != nil:
		row.Cause = r.withheld
	case modelOff(row):
		row.Cause = cmp.Or(r.shape(row), r.model(row))
	case v == Above:
		f.above()
		row.Cause = surest(f.found)
	case v == Below:
		row.Account = r.account(row)
		row.Cause = surest(row.Account.Causes)
	} // of a row that is unmeasurable the reason is there
}

// surest is the cause that a row is headed by: the one with the most confidence, of such the first that was measured,
// else the first.
func surest(found []Cause) *Cause {
	first := slices.MinFunc(found, surer)
	return &first
}

// surer puts the cause with more confidence first, of equal ones that which was measured.
func surer(a, b Cause) int {
	rank := func(c *Cause) int {
		r := 2 * slices.Index([]string{low.String(), medium.String(), high.String()}, c.Confidence)
		if c.measured {
			r++
		}
		return r
	}
	return cmp.Compare(rank(&b), rank(&a))
}

// largest is the part that most of what is missing from the prediction went to, as printed.
func (a *Account) largest() Part {
	switch printed := a.Printed(); {
	case a.Points(PartShortfall).Present():
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

// add takes a cause, no surer than the counters allow. It is good until the next one.
func (f *finder) add(part Part, name string, sure confidence, because string, decide decision) *Cause {
	if sure = min(sure, f.row.Certainty.limit()); f.row.HeldLow.Present() { // the row is judged by a range
		sure = low
	}
	f.found = append(f.found, Cause{Part: part, Name: name, Confidence: sure.String(), Because: because,
		Decide: decide.text, Next: decide.Next})
	return &f.found[len(f.found)-1]
}

// all finds the causes of both parts, those of the larger one first, or says of that that there is none.
func (f *finder) all() []Cause {
	first := f.account.largest()
	if f.causes(first); len(f.found) == 0 {
		because, decide := f.missing()
		f.add(first, CauseUnexplained, low, f.r.ownText(f.row)+because, decide)
	}
	for _, other := range []Part{PartEmpty, PartUnderfilled} {
		if p, told := f.account.Points(other).Value(); other != first && told && p >= partPoints {
			f.causes(other)
		}
	}
	return f.found
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
	slices.SortStableFunc(f.found[before:], surer)
}

// missing says what cannot be told, and what would tell it.
func (f *finder) missing() (because string, decide decision) {
	row := f.row
	switch {
	case f.r.nothingSeen(row):
		return fmt.Sprintf("%.1f%% says that no thread was seen, not how long one lives: the counters may be of another window "+
			"or adapter.", row.Measured.Or(0).Percent()), said(targetGPU)
	case row.Basis == BasisMeasuredPeak:
		lacks, from := ", idle time or low residency is unknown without launch shapes and the XVE array state",
			"an export with the columns Work Size:Global, Work Size:Local, SIMD Width and those of the XVE array"
		switch {
		case f.r.Device == nil && row.Global.Present():
			lacks, from = " is unknown without the device", f.r.Options.Naming.Words("--device", "the device")+", or the VTune summary of the same result"
		case row.Idle.Present():
			lacks, from = " is unknown without the launch shape", "an export with the columns Work Size:Global, Work Size:Local and SIMD Width"
		case f.r.fromSummary:
			from = "the computing-task export of the same result"
		}
		return "How much of it is a partial last wave" + lacks + ".", said(from)
	case row.XVEs.Other.Present():
		return fmt.Sprintf("Threads that go anywhere would fill %.1f%% of the XVEs that run, work-groups that stay whole %.1f%%: "+
			"which XVEs should have been empty is unknown.",
			row.XVEs.both()...), decision{"unitrace's kernel properties (SLM), or the kernel's binary", Next{Do: Binary}}
	case !row.Idle.Present():
		return "Idle time and low residency are not told apart without the XVE array state.", said("an export with the columns of the XVE array")
	case !row.BusyOccupancy.Present():
		return "More is measured than XVEs that idle for so long can hold.", said("a new collection")
	case !row.Average().Present():
		return "How long threads live is unknown without total time and instance count.",
			said("an export with the columns Total Time and Instance Count")
	}
	decide = f.aTrace()
	if !row.BarrierStall.Present() {
		decide = said("a collection with stall reasons, which separates waiting at barriers from other stalls")
	}
	return fmt.Sprintf("None of the known causes fits the difference of %+.1f points.", float64(row.Difference.Or(0))), decide
}

// nothingSeen says whether the measured value was printed as 0.0, so that it tells nothing of the threads.
func (r *Result) nothingSeen(row *Row) bool {
	m, measured := row.Measured.Value()
	return measured && m.Percent() < float64(r.unseen(row))
}
