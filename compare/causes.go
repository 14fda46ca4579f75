package compare

import (
	"fmt"
	"slices"

	"occudiff/ingest"
)

// CauseInfo describes a cause.
type CauseInfo struct {
	Name, Short string   // Short is the wording for people, in a few words
	Remedy      Remedy   // remedy for the cause itself, not for a limit of the launch
	confirm     decision // confirming measurement at low confidence, if the ground has no better one
}

// Causes lists the causes with their remedies. For example, the remedy for time
// between launches is shorter gaps.
var Causes = []CauseInfo{
	{CauseLaunchSize, "size in the export", NoRemedy, byOtherMeans("the launch size in the source of the program")},
	{CauseModelMismatch, "predictions differ", NoRemedy, byOtherMeans("the device and the launch size of the run")},
	{CauseSampling, "others in the value", NoRemedy, byQuery},
	{CauseBelowTolerance, "fills too little", NoRemedy, decision{}},
	{CauseConcurrentKernels, "others ran as well", RunAlone, byOtherMeans("the same run while nothing else uses the GPU")},
	{CauseNoActivity, "no thread seen", NoRemedy, decision{}},
	{CauseAdapters, "not all GPUs worked", AllAdapters, byOtherMeans(targetGPU)},
	{CauseStack, "part of the GPU", AllStacks, byOtherMeans(affinity)},
	{CauseGaps, "time between launches", ShorterGaps, byQuery},
	{CausePlacement, "few Xe-cores used", MoreWorkGroups, byOtherMeans(otherGroups)},
	{CauseImbalance, "uneven work-groups", BalanceWorkGroups, byOtherMeans(evenWork)},
	{CauseDispatch, "very short threads", LongerThreads, byOtherMeans("launches with more work in each work-item, measured again")},
	{CauseGRF, "large GRF", FewerRegisters, byBinary()},
	{CauseSIMD, "another SIMD width", NoRemedy, byBinary()},
	{CauseSLM, "more SLM than known", LessSLM, byBinary()},
	{CauseBarriers, "more barriers than known", NoRemedy, byBinary()},
	{CauseUnexplained, "not known", NoRemedy, byOtherMeans("a collection with stall reasons")},
}

// info returns the description of a cause, or the zero value for nil.
func (c *Cause) info() (info CauseInfo) {
	for i := range Causes {
		if c != nil && Causes[i].Name == c.Name {
			info = Causes[i]
		}
	}
	return info
}

// Title returns the name of the cause in a few words.
func (c *Cause) Title() string {
	if c.Name == CauseGRF && c.Registers > 0 {
		return fmt.Sprintf("%d registers (GRF)", c.Registers)
	}
	return c.info().Short
}

// Short returns the name of the cause in a few words, with a question mark if
// its confidence is low.
func (c *Cause) Short() string {
	if c.Confidence == Low && c.Name != CauseUnexplained {
		return c.Title() + "?"
	}
	return c.Title()
}

// evidence is a set of facts about a row. They decide which causes and
// remedies are possible.
type evidence uint32

// The facts.
const (
	queried        evidence = 1 << iota // the counters were read around each launch
	launchOnly                          // the value contains nothing but the launches
	traced                              // a trace or a result folder shows when launches ran
	otherKernels                        // the run has, or may have, a second kernel
	otherTasks                          // samples of other tasks can be in the value
	arrayState                          // XVE Array Idle fits the measured occupancy
	launchSize                          // the launch can be predicted
	timed                               // the mean time of a launch is known
	longLaunches                        // a launch contains several samples
	profilerPeak                        // VTune's peak confirms launch size, SIMD width, SLM, and barriers
	registerMode                        // the inputs contain the registers per thread
	simdWidth                           // the inputs contain the SIMD width
	slmSize                             // the inputs contain the SLM per work-group, or its limit
	usesBarriers                        // the kernel has a barrier
	barrierStalls                       // the inputs contain the share of stalls at barriers
	noThread                            // no thread was seen
	shortThreads                        // threads end about as fast as others start
	policiesDiffer                      // the placement policies predict different idle XVEs
	insidePeak                          // the measured value is within the predicted peak
)

// evidenceOf returns the facts about a row.
func (r *Result) evidenceOf(row *Row) (e evidence) {
	c, t := &row.Certainty, r.Traced(row)
	n, _ := c.Intervals.Value()
	outside := c.OutsideLaunches.Or(1)
	set := func(of evidence, holds bool) {
		if holds {
			e |= of
		}
	}
	set(queried, row.Reading == ingest.AroundLaunch)
	set(launchOnly, row.MeasuredLow.Present() || c.Exact && outside < gapsSeen)
	set(traced, t != nil)
	set(otherKernels, r.kernelTime.kernels > 1 || r.fromSummary || t != nil && len(r.Sequence.Tasks) > 1)
	set(otherTasks, c.OtherTasks.Or(0) > 0)
	set(arrayState, row.Idle.Present() && row.BusyOccupancy.Present())
	set(launchSize, row.Predicted != nil)
	set(timed, row.Average().Present())
	set(longLaunches, c.Exact || n >= refitIntervals)
	set(profilerPeak, row.PeakDifference.Present())
	set(registerMode, row.Registers.Present())
	set(simdWidth, row.SIMD.Present())
	set(slmSize, row.SLM.Present() || row.PeakSLM.Present())
	set(usesBarriers, row.LeastBarriers() > 0)
	set(barrierStalls, row.BarrierStall.Present())
	set(noThread, r.noActivitySeen(row))
	set(shortThreads, r.Device != nil && r.launchBound(row))
	set(policiesDiffer, row.XVEs.Other.Present())
	set(insidePeak, r.insidePeak(row))
	return e
}

// stage is a step of the search for causes.
type stage uint8

// The stages.
const (
	idleXVEs stage = 1 << iota
	underfilledXVEs
	abovePrediction
)

// stages contains the stages of the search for each part. A row above its
// prediction has no part.
var stages = map[Part]stage{PartIdle: idleXVEs, PartUnderfilled: underfilledXVEs,
	PartShortfall: idleXVEs | underfilledXVEs, "": abovePrediction}

// causeRule is a cause with the facts that it requires, and the facts that
// exclude it. They are checked here and nowhere else. For example, gaps between
// launches cannot explain values that contain only launches.
type causeRule struct {
	name              string
	at                stage
	needs, excludedBy evidence
	alone             bool // searched only if no other cause of the stage was found
	find              func(*finder)
}

// admit reports whether the evidence meets the conditions.
func (c *causeRule) admit(e evidence) bool { return e&c.needs == c.needs && e&c.excludedBy == 0 }

const sized, unknown = arrayState | launchSize, policiesDiffer | noThread

// causeRules lists the causes of a difference in the order of the search.
var causeRules = []causeRule{
	{CauseNoActivity, idleXVEs, launchSize | noThread, 0, false, (*finder).noActivity},
	{CauseAdapters, idleXVEs, 0, unknown, false, (*finder).adapters},
	{CausePlacement, idleXVEs, sized, unknown, false, (*finder).placement},
	{CauseStack, idleXVEs, sized, unknown, false, (*finder).oneOfStacks},
	{CauseDispatch, idleXVEs, sized | shortThreads, unknown, true, (*finder).idleWithin},
	{CauseImbalance, idleXVEs, sized, shortThreads | unknown, true, (*finder).idleWithin},
	{CauseStack, idleXVEs, arrayState, unknown, true, (*finder).engines},
	{CauseGaps, idleXVEs, traced, launchOnly | unknown, false, (*finder).tracedGaps},
	{CauseGaps, idleXVEs, arrayState, traced | queried | launchOnly | unknown, false, (*finder).gaps},

	{CauseDispatch, underfilledXVEs, timed, noThread, false, (*finder).dispatch},
	{CauseImbalance, underfilledXVEs, sized | barrierStalls, 0, false, (*finder).barrierImbalance},
	{CauseGRF, underfilledXVEs, sized, registerMode | noThread, false, (*finder).largeGRF},
	{CauseSIMD, underfilledXVEs, sized | longLaunches, profilerPeak | simdWidth | noThread, false, (*finder).width},
	{CauseSLM, underfilledXVEs, sized | longLaunches, profilerPeak | slmSize | noThread, false, (*finder).residency},
	{CauseSampling, underfilledXVEs, otherTasks, barrierStalls | queried | launchOnly, true, (*finder).otherKernels},
	{CauseImbalance, underfilledXVEs, sized, barrierStalls, true, (*finder).barrierImbalance},

	{CauseGRF, abovePrediction, launchSize, registerMode, true, (*finder).smallerGRF},
	{CauseGRF, abovePrediction, launchSize | registerMode, 0, true, (*finder).otherBuild},
	{CauseConcurrentKernels, abovePrediction, traced | otherKernels, queried, true, (*finder).tracedOverlap},
	{CauseSampling, abovePrediction, otherTasks, queried | launchOnly, true, (*finder).otherTasks},
	{CauseStack, abovePrediction, launchSize, insidePeak, true, (*finder).readOnOneStack},
	{CauseConcurrentKernels, abovePrediction, otherKernels | insidePeak, traced | queried | launchOnly, true,
		above(aboveTheLaunch, byTrace(""), ": the last wave is shorter than predicted, or other kernels ran in it.")},
	{CauseConcurrentKernels, abovePrediction, otherKernels, timed | traced | queried | launchOnly, true,
		above(aboveTheLaunch, byTrace(""), ": other kernels may have run in its window, or launches are shorter than "+
			"the sampling interval, which is not given.")},
	{CauseConcurrentKernels, abovePrediction, otherKernels, traced | queried | launchOnly, true,
		above(aboveTheLaunch, byTrace(""), ", which this launch alone cannot exceed: other kernels may have run in "+
			"its window.")},
	{CauseUnexplained, abovePrediction, insidePeak, 0, true,
		above(noCause, byOtherMeans("the same kernel with whole waves, measured again"),
			": the last wave may be shorter than predicted.")},
	{CauseUnexplained, abovePrediction, traced, 0, true, above(noCause, byOtherMeans("a trace of the same run"),
		", and in the trace, no other kernel runs at that time: it may belong to another run.")},
	{CauseUnexplained, abovePrediction, queried, 0, true, onlyLaunches},
	{CauseUnexplained, abovePrediction, launchOnly, 0, true, onlyLaunches},
	{CauseUnexplained, abovePrediction, 0, 0, true,
		above(noCause, byOtherMeans("the same run while no other process uses the GPU"), ". The inputs contain no "+
			"other kernel: another process used the GPU, or"+anotherBuild)},
}

const anotherBuild = " the launch or its build is not the one that was predicted."

var onlyLaunches = above(noCause, byBinary(), ". The value contains nothing but the launches, so"+anotherBuild)

// look searches for the causes of a part that the evidence admits, and orders
// them with the best first.
func (f *finder) look(p Part) {
	before := len(f.found)
	f.part = p
	for i := range causeRules {
		rule := &causeRules[i]
		if rule.at&stages[p] != 0 && rule.admit(f.evidence) && !(rule.alone && len(f.found) > before) {
			rule.find(f)
		}
	}
	slices.SortStableFunc(f.found[before:], f.better)
}
