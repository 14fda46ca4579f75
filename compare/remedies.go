package compare

import (
	"cmp"
	"math"

	"occudiff/ingest/unit"
	"occudiff/predict"
)

// Remedy is a change that may make a kernel faster, or measurable.
type Remedy string

// The remedies.
const (
	NoRemedy      Remedy = ""
	LongerThreads Remedy = "more work per work-item" // for threads that end faster than the dispatcher starts new ones
	// FewerRegisters is an experiment: a build for At registers per thread. No
	// profiler exports whether that build would spill. In the second simulator,
	// the change made 2 of 6 kernels slower and 1 no faster.
	FewerRegisters    Remedy = "test fewer registers"
	FewerValues       Remedy = "fewer live values" // for a kernel that spills; At is a smaller SIMD width, or 0
	LessSLM           Remedy = "less SLM"
	BalanceWorkGroups Remedy = "balance the work-groups"
	BalanceWork       Remedy = "balance the work" // for XVEs that are idle while others work
	FillWaves         Remedy = "full waves"       // launch At work-groups instead of From
	MoreWorkGroups    Remedy = "more work-groups" // launch At work-groups, because From do not fill the GPU once
	FullLanes         Remedy = "full lanes"       // work-groups of At work-items, because From leave lanes idle
	MoreThreads       Remedy = "more threads"
	ShorterGaps       Remedy = "shorter gaps"
	AllStacks         Remedy = "all of the GPU"
	AllAdapters       Remedy = "all GPUs"
	RunAlone          Remedy = "run it alone"
	MeasureEach       Remedy = "measure each launch"
	SampleFiner       Remedy = "sample more often"
	LongerLaunch      Remedy = "longer launches"
	LimitedElsewhere  Remedy = "not threads" // more threads do not help; the reason is PotentialSpeedup.LimitedBy
)

// RemedyInfo describes a remedy.
type RemedyInfo struct {
	Remedy
	SavesTime bool // false if it only makes the kernel measurable
	// returns lists the parts of the breakdown that the remedy can return. The
	// list is empty for the remedy of a cause, which returns the points that
	// the cause explains.
	returns []Part
	least   float64 // smallest share of the missing points that the remedy must return
}

// remedies lists the remedies.
var remedies = []RemedyInfo{
	{LongerThreads, true, nil, 0},
	{FewerRegisters, true, []Part{PartLaunchLimit}, leastReturned},
	{FewerValues, true, nil, 0},
	{LessSLM, true, []Part{PartLaunchLimit}, leastReturned},
	{BalanceWorkGroups, true, nil, 0},
	{BalanceWork, true, []Part{PartIdle, PartShortfall}, leastReturned},
	{FillWaves, true, []Part{PartLastWave}, leastOfLastWave},
	{MoreWorkGroups, true, []Part{PartLastWave}, leastOfLastWave},
	{FullLanes, true, nil, 0},
	{MoreThreads, true, []Part{PartUnderfilled, PartShortfall, PartLaunchLimit}, leastReturned},
	{ShorterGaps, true, nil, 0},
	{AllStacks, true, nil, 0},
	{AllAdapters, true, nil, 0},
	{RunAlone, false, nil, 0},
	{MeasureEach, false, nil, 0},
	{SampleFiner, false, nil, 0},
	{LongerLaunch, false, nil, 0},
	{LimitedElsewhere, false, nil, 0},
}

// info returns the description of a remedy.
func (l Remedy) info() (info RemedyInfo) {
	for _, x := range remedies {
		if x.Remedy == l {
			info = x
		}
	}
	return info
}

// SavesTime reports whether a remedy may save time. Some remedies only make the
// kernel measurable.
func (l Remedy) SavesTime() bool { return l.info().SavesTime }

// PossibleFix is a remedy for a row.
type PossibleFix struct {
	Remedy
	At, From int64     // proposed and present value; the constants of Remedy define their meaning
	Bound    optNumber // upper bound of the speedup
}

// possibleFix returns the first remedy for a row that the evidence supports. If
// a row differs and has no cause of at least medium confidence, it has no
// remedy. A remedy must also return its least share of the missing points. For
// example, filling a last wave of 9 points is not a remedy for 80 missing
// points. LimitedElsewhere changes nothing, so it needs no cause. Idle lanes
// follow from the launch and need no cause either.
func (r *Result) possibleFix(row *Row) PossibleFix {
	unsure := (row.Verdict == Below || row.Verdict == Above) && row.Cause.Confidence < Medium
	lanes := r.fullLanes(row)
	if row.Verdict == Match && lanes.Remedy != NoRemedy {
		return lanes
	}
	for _, h := range r.remediesFor(row) {
		info := h.info()
		switch {
		case h.Remedy == LimitedElsewhere:
			return cmp.Or(lanes, h)
		case !unsure && (row.Verdict != Below || r.returned(row, &info) >= unit.Points(info.least)*row.missing()):
			return h
		}
	}
	return lanes
}

// fullLanes returns the remedy for a launch that leaves so many lanes idle that
// full sub-groups may make it faster, unless a bandwidth is at its limit. The
// remedy has no bound, because the number of work-groups changes as well. For
// example, work-groups of 33 work-items take two sub-groups of 32.
func (r *Result) fullLanes(row *Row) (fix PossibleFix) {
	if !row.Verdict.info().MayLose || row.rejected() || modelOff(row) || 1/(1-row.IdleLanes().Or(0)) < noSpeedup {
		return fix
	}
	if roofs, _ := r.peakBandwidths(row); len(roofs) > 0 && roofs[0].share() >= reachablePeak {
		return fix
	}
	p := row.Predicted
	return PossibleFix{Remedy: FullLanes, At: p.GroupSize + p.IdleLanes, From: p.GroupSize}
}

// missing returns the number of points by which a row is below its prediction.
func (r *Row) missing() unit.Points { return max(-r.Difference.Or(0), 0) }

// IfConfirmed returns the remedy that a row would have if its cause of low
// confidence were confirmed. For example, uneven work-groups with low
// confidence are only a question, so the row has no remedy yet.
func (r *Row) IfConfirmed() Remedy {
	if r.Verdict != Below || r.Fix.Remedy != NoRemedy || r.Cause.Confidence != Low {
		return NoRemedy
	}
	return causeNamed(r.Cause.Name).Remedy
}

// returned returns the number of points that a remedy can return to a row below
// its prediction.
func (r *Result) returned(row *Row, l *RemedyInfo) (points unit.Points) {
	if len(l.returns) == 0 || causeNamed(row.Cause.Name).Remedy == l.Remedy {
		return -row.Difference.Or(0)
	}
	for _, p := range l.returns {
		points += row.Breakdown.Points(p).Or(0)
	}
	return points
}

// remediesFor returns the remedies for the cause of a row, then the remedies for
// its limits.
func (r *Result) remediesFor(row *Row) []PossibleFix {
	w, cause := &row.Speedup, cmp.Or(row.Cause, &Cause{})
	switch v := row.Verdict; {
	case v == Unmeasurable:
		return []PossibleFix{{Remedy: row.toMeasure()}}
	case v == MatchWhileBusy: // no remedy for a limit, because only idle time is missing
		return []PossibleFix{{Remedy: ShorterGaps}}
	case !v.Compared(), row.Basis == BasisBounds, cause.Name == CauseSampling:
		return nil
	}
	switch l := causeNamed(cause.Name).Remedy; l {
	case NoRemedy, FewerRegisters, LessSLM: // proposed only if more threads may help
	case MoreWorkGroups:
		p := row.Predicted
		return []PossibleFix{{Remedy: l, At: p.GroupsPerXeCore * int64(r.Device.XeCores), From: p.Groups}}
	case BalanceWorkGroups:
		// Idle XVEs within launches are a reason to balance, even if the gain
		// is small or more threads do not help.
		if cause.Part == PartIdle && (w.Has(BalanceTheWork) || cause.Confidence >= Medium &&
			w.Verdict() != MoreThreadsMayHelp && w.LimitedBy != LimitedByMemory) {
			return []PossibleFix{{Remedy: l, Bound: w.Balancing.Max}}
		}
	default:
		return []PossibleFix{{Remedy: l}}
	}
	switch w.Verdict() {
	case BalanceTheWork:
		return append(r.workGroups(row), PossibleFix{Remedy: BalanceWork, Bound: w.Balancing.Max})
	case LimitedByOther, OccupancySufficient:
		return []PossibleFix{{Remedy: LimitedElsewhere, Bound: w.MoreThreads.Max}}
	case MoreThreadsMayHelp:
		return r.moreResidentThreads(row, cause)
	}
	if row.Spill.Or(0) > 0 && r.registersLimit(row, cause) && row.Verdict != Above {
		return []PossibleFix{r.fewerRegisters(row)} // the gain of more threads is undetermined
	}
	return nil
}

// moreResidentThreads returns the remedies that allow more threads per XVE.
func (r *Result) moreResidentThreads(row *Row, cause *Cause) []PossibleFix {
	most, known := row.Speedup.MoreThreads.Max, cause.Name == CauseGRF || cause.Name == CauseSLM
	switch {
	// All work-groups are resident already, so fewer registers or less SLM per
	// work-group admit no more threads.
	case !known && limitsOf(row) != 0 && row.Predicted.HasGrid() && row.Predicted.Waves <= 1:
	case r.registersLimit(row, cause):
		h := r.fewerRegisters(row)
		gain, _ := r.modeGain(row)
		h.Bound = unit.Some(min(most.Or(gain), gain))
		return []PossibleFix{h}
	case cause.Name == CauseSLM || limitsOf(row) == predict.LimitSLM:
		return []PossibleFix{{Remedy: LessSLM, Bound: most}}
	}
	return append(r.workGroups(row), PossibleFix{Remedy: MoreThreads, Bound: most})
}

// limitsOf returns the limits by registers and SLM in a row's prediction,
// unless VTune's peak contradicts them.
func limitsOf(row *Row) predict.Limit {
	if row.Predicted == nil || modelOff(row) {
		return 0
	}
	return row.Predicted.Limits & (predict.LimitRegisters | predict.LimitSLM)
}

// registersLimit reports whether the register mode limits a row.
func (r *Result) registersLimit(row *Row, cause *Cause) bool {
	gain, _ := r.modeGain(row)
	named := cause.Name == CauseGRF && row.Verdict == Below || cause.Name != CauseSLM &&
		limitsOf(row)&predict.LimitRegisters != 0
	return named && row.fillsMode(gain)
}

// fillsMode reports whether another mode allows gain times the threads, and busy
// XVEs have nearly all threads that the row's mode allows.
func (r *Row) fillsMode(gain float64) bool {
	return gain > 1 && r.BusyOccupancy.Or(r.Measured.Or(0)) >= modeReached*unit.Ratio(1/gain)
}

// fewerRegisters returns the remedy for a kernel that its registers limit: a
// mode with fewer registers. A kernel that spills needs more registers, not
// fewer, so its remedy is fewer live values. At is then the next smaller SIMD
// width, if there is one.
func (r *Result) fewerRegisters(row *Row) PossibleFix {
	if row.Spill.Or(0) <= 0 {
		_, mode := r.modeGain(row)
		return PossibleFix{Remedy: FewerRegisters, At: int64(mode)}
	}
	h := PossibleFix{Remedy: FewerValues}
	for _, width := range r.Device.SIMDWidths {
		if width < row.SIMD.Or(0) {
			h.At = int64(width)
		}
	}
	return h
}

// modeGain compares the kernel's register mode with the mode that allows the
// most threads. It returns the factor between their numbers of threads, and the
// registers of the mode with the most. The factor is 1 if the mode of the
// kernel is unknown.
func (r *Result) modeGain(row *Row) (times float64, registers int) {
	if r.Device == nil {
		return 1, 0
	}
	registers = mostThreads(r.Device)
	most, ok := predict.GRFModeFor(r.Device, registers)
	now := r.KnownLaunch(row).GRF
	own, known := predict.GRFModeFor(r.Device, now)
	if now == 0 || !ok || !known || own.ThreadsPerXVE <= 0 {
		return 1, registers
	}
	return float64(most.ThreadsPerXVE) / float64(own.ThreadsPerXVE), registers
}

// workGroups returns a remedy with the number of work-groups that fills the GPU
// once, or that fills a partial last wave that costs at least leastTail. The
// list is empty if the present number leaves no thread slots empty, or if
// VTune's peak contradicts the prediction.
func (r *Result) workGroups(row *Row) []PossibleFix {
	p := row.Predicted
	if p == nil || p.Groups <= 0 || p.Waves <= 0 || math.IsInf(p.Waves, 0) || modelOff(row) {
		return nil
	}
	wave := float64(p.Groups) / p.Waves // work-groups of a full wave, which is not always a whole number
	h := PossibleFix{Remedy: FillWaves, At: int64(math.Ceil(math.Ceil(p.Waves) * wave * (1 - 1e-12))), From: p.Groups}
	if p.Waves < 1 {
		h.Remedy = MoreWorkGroups
	}
	if h.At <= p.Groups || p.Waves >= 1 && p.Peak.Minus(p.Average) < leastTail {
		return nil
	}
	return []PossibleFix{h}
}

// toMeasure returns the remedy that makes a row measurable.
func (r *Row) toMeasure() Remedy {
	switch c := r.UnconfirmedCause(); {
	case c == nil:
	case c.Next.Action == Query:
		return MeasureEach
	case c.Next.Action == Interval:
		return SampleFiner
	case c.Next.Action == NoAction && (r.Certainty.Intervals.Or(1) < 1 || r.Certainty.Window.Present()):
		return LongerLaunch
	}
	return NoRemedy
}
