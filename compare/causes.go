package compare

// The causes, in the order of the search. Launch size, model mismatch,
// sampling, and tolerance are searched before any breakdown exists. The other
// causes belong to a part of the breakdown, or to a row above its prediction.
const (
	CauseLaunchSize        = "launch size"
	CauseModelMismatch     = "model mismatch"
	CauseSampling          = "sampling"
	CauseBelowTolerance    = "below tolerance"
	CauseConcurrentKernels = "concurrent kernels"
	CauseNoActivity        = "no activity"
	CauseLaunches          = "launches"
	CauseAdapters          = "adapters"
	CauseStack             = "stack"
	CauseGaps              = "gaps"
	CausePlacement         = "placement"
	CauseImbalance         = "imbalance"
	CauseDispatch          = "dispatch"
	CauseGRF               = "grf"
	CauseSIMD              = "simd"
	CauseSLM               = "slm"
	CauseBarriers          = "barriers"
	CauseUnexplained       = "unexplained"
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
	{CauseModelMismatch, "predictions differ", NoRemedy, decision{"the device and the launch size of the run, and " +
		"unitrace's kernel properties", NextStep{Action: Binary}}},
	{CauseSampling, "others in the value", NoRemedy, byQuery},
	{CauseBelowTolerance, "fills too little", NoRemedy, decision{}},
	{CauseConcurrentKernels, "others ran as well", RunAlone, byOtherMeans("the same run while nothing else uses the GPU")},
	{CauseNoActivity, "no thread seen", NoRemedy, decision{}},
	{CauseLaunches, "launches differ", NoRemedy, decision{"the values of each launch", NextStep{Action: EachLaunch}}},
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

// Ground is the evidence for a cause.
type Ground uint8

// The grounds. The variable Grounds contains a description of each.
const (
	noCause Ground = iota
	idleBeyondBound
	idleBeyondLikely
	idleUnderfilled
	idleOrStack
	idleOrGPU
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
	idleGPU
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
	unlikeLaunches
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
	idleOrGPU:         {CauseImbalance, "XVEs are idle within launches, or one of several GPUs worked", Low},
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
	idleGPU:             {CauseAdapters, "the idle share of a run on one of several GPUs", Low},
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
	unlikeLaunches:      {CauseLaunches, "some launches match, and others are much lower", Medium},
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
	otherCause                          // the search has found another cause of the part
)

// causeRule is a cause with the facts that it requires, and the facts that
// exclude it. They are checked here and nowhere else. For example, gaps between
// launches cannot explain values that contain only launches.
type causeRule struct {
	name              string
	part              Part
	needs, excludedBy evidence
	find              func(*finder)
}

const sized, unknown = arrayState | launchSize, policiesDiffer | noThread

// noPart is the part of a cause for a whole row, for example for a row above its
// prediction.
const noPart Part = ""

// causeRules lists the causes of a difference in the order of the search. A row
// above its prediction has only the first cause that fits.
var causeRules = []causeRule{
	{CauseNoActivity, PartIdle, launchSize | noThread, 0, (*finder).noActivity},
	{CauseLaunches, PartIdle, launchSize, noThread, (*finder).unlikeLaunches},
	{CauseAdapters, PartIdle, 0, unknown, (*finder).adapters},
	{CausePlacement, PartIdle, sized, unknown, (*finder).placement},
	{CauseStack, PartIdle, sized, unknown, (*finder).oneOfStacks},
	{CauseDispatch, PartIdle, sized | shortThreads, unknown | otherCause, (*finder).idleWithin},
	{CauseImbalance, PartIdle, sized, shortThreads | unknown | otherCause, (*finder).idleWithin},
	{CauseStack, PartIdle, arrayState, unknown | otherCause, (*finder).engines},
	{CauseAdapters, PartIdle, arrayState, unknown, (*finder).oneGPU},
	{CauseGaps, PartIdle, traced, launchOnly | unknown, (*finder).tracedGaps},
	{CauseGaps, PartIdle, arrayState, traced | queried | launchOnly | unknown, (*finder).gaps},

	{CauseLaunches, PartUnderfilled, launchSize, noThread | otherCause, (*finder).unlikeLaunches},
	{CauseDispatch, PartUnderfilled, timed, noThread, (*finder).dispatch},
	{CauseImbalance, PartUnderfilled, sized | barrierStalls, 0, (*finder).barrierImbalance},
	{CauseGRF, PartUnderfilled, sized, registerMode | noThread, (*finder).largeGRF},
	{CauseSIMD, PartUnderfilled, sized | longLaunches, profilerPeak | simdWidth | noThread, (*finder).width},
	{CauseSLM, PartUnderfilled, sized | longLaunches, profilerPeak | slmSize | noThread, (*finder).residency},
	{CauseSampling, PartUnderfilled, otherTasks, barrierStalls | queried | launchOnly | otherCause, (*finder).otherKernels},
	{CauseImbalance, PartUnderfilled, sized, barrierStalls | otherCause, (*finder).barrierImbalance},

	{CauseGRF, noPart, launchSize, 0, (*finder).smallerGRF},
	{CauseConcurrentKernels, noPart, traced | otherKernels, queried, (*finder).tracedOverlap},
	{CauseSampling, noPart, otherTasks, queried | launchOnly, (*finder).otherTasks},
	{CauseStack, noPart, launchSize, insidePeak, (*finder).readOnOneStack},
	{CauseConcurrentKernels, noPart, otherKernels | insidePeak, traced | queried | launchOnly,
		above(aboveTheLaunch, byTrace(""), ": the last wave is shorter than predicted, or other kernels ran in it.")},
	{CauseConcurrentKernels, noPart, otherKernels, timed | traced | queried | launchOnly,
		above(aboveTheLaunch, byTrace(""), ": other kernels may have run in its window, or launches are shorter than "+
			"the sampling interval, which is not given.")},
	{CauseConcurrentKernels, noPart, otherKernels, traced | queried | launchOnly,
		above(aboveTheLaunch, byTrace(""), ", which this launch alone cannot exceed: other kernels may have run in "+
			"its window.")},
	{CauseUnexplained, noPart, insidePeak, 0,
		above(noCause, byOtherMeans("the same kernel with whole waves, measured again"),
			": the last wave may be shorter than predicted.")},
	{CauseUnexplained, noPart, traced, 0, above(noCause, byOtherMeans("a trace of the same run"),
		", and in the trace, no other kernel runs at that time: it may belong to another run.")},
	{CauseUnexplained, noPart, queried, 0, onlyLaunches},
	{CauseUnexplained, noPart, launchOnly, 0, onlyLaunches},
	{CauseUnexplained, noPart, 0, 0,
		above(noCause, byOtherMeans("the same run while no other process uses the GPU"), ". The inputs contain no "+
			"other kernel: another process used the GPU, or"+anotherBuild)},
}

const anotherBuild = " the launch or its build is not the one that was predicted."

var onlyLaunches = above(noCause, byBinary(), ". The value contains nothing but the launches, so"+anotherBuild)
