package compare

import "slices"

// Ground is the evidence for a cause.
type Ground uint8

// The grounds. The variable Grounds contains a description of each.
const (
	noCause Ground = iota
	idleBeyondBound
	idleBeyondLikely
	idleUnderfilled
	idleOrStack
	manyWaves
	stallsAtBarriers
	shortThreads5us
	shortThreadsAlike
	shortToFill
	registerMode256
	registersOfOthers
	registersOrUneven
	tracedGapsEnough
	tracedGapsLess
	gapsPossible
	idleStackFull
	idleStack
	otherResidency
	fewXeCores
	fewXeCoresOrGaps
	otherKernelsHold
	otherTasksAdd
	tracedOverlapEnough
	tracedOverlapLess
	aboveTheLaunch
	otherModeAbove
	otherBuildAbove
	oneStackAbove
	otherPeak
	noThreadSeen
	groundCount
)

// GroundInfo describes a ground.
type GroundInfo struct {
	Cause string
	Text  string // for people
	// Sure is the confidence of the ground if the sampling is reliable.
	// Otherwise, the confidence is low, unless a trace shows the cause. It
	// comes from the simulators, whose counts are in observed.txt, and
	// TestCalibration checks it. Some grounds have another confidence, because
	// they do not occur in the simulators, or because real runs contradict the
	// counts. For example, a public trace shows gaps in a program of short
	// threads and short launches.
	Sure Confidence
}

// Grounds lists the grounds.
var Grounds = [groundCount]GroundInfo{
	noCause:          {CauseUnexplained, "no cause fits", Low},
	idleBeyondBound:  {CauseImbalance, "XVEs are idle for longer than can be outside the launches", Medium},
	idleBeyondLikely: {CauseImbalance, "XVEs are idle for longer than is likely outside the launches", Low},
	idleUnderfilled: {CauseImbalance,
		"XVEs are idle within launches, and underfilled XVEs are more than twice as much", Low},
	idleOrStack:       {CauseImbalance, "XVEs are idle within launches for as long as a stack without work is", Low},
	manyWaves:         {CauseImbalance, "underfilled XVEs in launches of at least three waves", Low},
	stallsAtBarriers:  {CauseImbalance, "at least 20% of the stalls are at barriers", Medium},
	shortThreads5us:   {CauseDispatch, "threads of at most 5 us", Low},
	shortThreadsAlike: {CauseDispatch, "threads of at most 5 us in launches of similar lengths", Medium},
	shortToFill:       {CauseDispatch, "launches that take little longer than filling the Xe-cores", Low},
	registerMode256:   {CauseGRF, "another register mode fits", Medium},
	registersOfOthers: {CauseGRF, "another register mode fits with what other kernels may have added", Low},
	registersOrUneven: {CauseGRF, "another register mode fits, or work-groups that start at once end unevenly", Low},
	tracedGapsEnough: {CauseGaps,
		"traced gaps explain half of the difference of a kernel with at least half of the time", Medium},
	tracedGapsLess:      {CauseGaps, "traced gaps explain less", Low},
	gapsPossible:        {CauseGaps, "gaps are possible, without a trace", Low},
	idleStackFull:       {CauseStack, "the idle share and the occupancy of one stack", Medium},
	idleStack:           {CauseStack, "the idle share of one stack or of some compute engines", Low},
	otherResidency:      {"", "another SIMD width, SLM size, or number of barriers fits", Low},
	fewXeCores:          {CausePlacement, "placement on few Xe-cores fits", Medium},
	fewXeCoresOrGaps:    {CausePlacement, "placement on few Xe-cores fits, or gaps do", Low},
	otherKernelsHold:    {CauseSampling, "other kernels have less occupancy and can have lowered the value", Low},
	otherTasksAdd:       {CauseSampling, "other tasks can have raised the value", Low},
	tracedOverlapEnough: {CauseConcurrentKernels, "traced kernels at the same time explain the value", High},
	tracedOverlapLess:   {CauseConcurrentKernels, "traced kernels at the same time explain less", Medium},
	aboveTheLaunch:      {CauseConcurrentKernels, "more than the launch can reach, or more than predicted", Low},
	otherModeAbove:      {CauseGRF, "a mode with more threads fits a value above the prediction", Medium},
	otherBuildAbove:     {CauseGRF, "the registers are known, and another mode fits a value above the prediction", Low},
	oneStackAbove:       {CauseStack, "one stack fits a value above the prediction", Medium},
	otherPeak:           {CauseModelMismatch, "VTune's peak differs from the predicted peak", Medium},
	noThreadSeen:        {CauseNoActivity, "no thread was seen", High},
}

// traced reports whether a ground comes from a trace or a result folder, so
// that sampling does not lower its confidence.
func (g Ground) traced() bool {
	return slices.Contains([]Ground{tracedGapsEnough, tracedGapsLess, tracedOverlapEnough, tracedOverlapLess}, g)
}
