package compare

import (
	_ "embed" // the counts of the simulators
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Ground is the evidence for a cause.
type Ground uint8

// The grounds. The variable Grounds contains a description of each.
const (
	noCause Ground = iota
	idleBeyondBound
	idleBeyondLikely
	idleUnderfilled
	manyWaves
	stallsAtBarriers
	shortLived
	shortThreadsAlike
	shortLaunches
	shortUnlessIdle
	shortOrRegisters
	shortToFill
	registerMode256
	registersOfOthers
	tracedGapsEnough
	tracedGapsLess
	gapsPossible
	idleStackFull
	idleStack
	idleEngines
	otherResidency
	fewXeCores
	fewXeCoresOrGaps
	otherKernelsHold
	otherTasksAdd
	tracedOverlapEnough
	tracedOverlapLess
	aboveThePeak
	aboveTheAverage
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
	// Sure is the confidence of a ground that does not occur in the simulators,
	// or whose simulated confidence real runs contradict. For example, a public
	// trace shows gaps in a program of short threads and short launches.
	Sure Confidence
}

// Grounds lists the grounds. If a ground has no confidence here, its confidence
// comes from the simulators.
var Grounds = [groundCount]GroundInfo{
	noCause:          {CauseUnexplained, "no cause fits", Low},
	idleBeyondBound:  {CauseImbalance, "XVEs are idle for longer than can be outside the launches", 0},
	idleBeyondLikely: {CauseImbalance, "XVEs are idle for longer than is likely outside the launches", 0},
	idleUnderfilled: {CauseImbalance,
		"XVEs are idle within launches, and underfilled XVEs are more than twice as much", 0},
	manyWaves:         {CauseImbalance, "underfilled XVEs in launches of at least three waves", 0},
	stallsAtBarriers:  {CauseImbalance, "at least 20% of the stalls are at barriers", Medium},
	shortLived:        {CauseDispatch, "threads of at most 5 us in launches of at least one sampling interval", 0},
	shortThreadsAlike: {CauseDispatch, "threads of at most 5 us in launches of similar lengths", Medium},
	shortLaunches: {CauseDispatch,
		"threads of at most 5 us in launches shorter than a sampling interval, whose lengths may differ", Low},
	shortUnlessIdle:     {CauseDispatch, "threads of at most 5 us if no XVE was idle", 0},
	shortOrRegisters:    {CauseDispatch, "threads of at most 5 us, and another register mode fits as well", 0},
	shortToFill:         {CauseDispatch, "launches that take little longer than filling the Xe-cores", Low},
	registerMode256:     {CauseGRF, "another register mode fits", 0},
	registersOfOthers:   {CauseGRF, "another register mode fits with what other kernels may have added", 0},
	tracedGapsEnough:    {CauseGaps, "traced gaps explain half of the difference of a kernel with at least half of the time", High},
	tracedGapsLess:      {CauseGaps, "traced gaps explain less", 0},
	gapsPossible:        {CauseGaps, "gaps are possible, without a trace", 0},
	idleStackFull:       {CauseStack, "the idle share and the occupancy of one stack", Medium},
	idleStack:           {CauseStack, "the idle share of one stack", 0},
	idleEngines:         {CauseStack, "the idle share of some compute engines", Low},
	otherResidency:      {"", "another SIMD width, SLM size, or number of barriers fits", Low},
	fewXeCores:          {CausePlacement, "placement on few Xe-cores fits", Medium},
	fewXeCoresOrGaps:    {CausePlacement, "placement on few Xe-cores fits, or gaps do", Low},
	otherKernelsHold:    {CauseSampling, "other kernels have less occupancy and can have lowered the value", 0},
	otherTasksAdd:       {CauseSampling, "other tasks can have raised the value", 0},
	tracedOverlapEnough: {CauseConcurrentKernels, "traced kernels at the same time explain the value", High},
	tracedOverlapLess:   {CauseConcurrentKernels, "traced kernels at the same time explain less", Medium},
	aboveThePeak:        {CauseConcurrentKernels, "more than the launch can reach", 0},
	aboveTheAverage:     {CauseConcurrentKernels, "more than predicted, and no more than the launch can reach", Low},
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

// Count is the number of simulated rows with a ground, and the number of those
// rows for which the cause is true.
type Count struct{ True, Rows int }

//go:embed observed.txt
var observed string

// Observed returns, for each ground, the counts of true causes on the two
// simulators: first for rows with unreliable counters, then for rows with
// reliable counters. TestCalibration -update writes these counts.
var Observed = sync.OnceValue(readCounts)

// readCounts reads one line per ground, such as "3 3 23 29 20 20 162 173: XVEs
// are idle". The numbers are pairs: rows with a true cause, and all rows.
func readCounts() *[groundCount][2][2]Count {
	var counts [groundCount][2][2]Count
	for g, line := range strings.Split(strings.TrimSpace(observed), "\n") {
		var n [8]int
		for i, text := range strings.Fields(strings.Split(line, ":")[0]) {
			n[i], _ = strconv.Atoi(text)
		}
		counts[g] = [2][2]Count{{{n[0], n[1]}, {n[2], n[3]}}, {{n[4], n[5]}, {n[6], n[7]}}}
	}
	return &counts
}

const (
	leastHigh   = 0.9
	leastMedium = 0.8
	// oneSided is the 95% quantile of the normal distribution. A share counts
	// with the lower end of its confidence interval, because noise alone can
	// make all of a few rows true.
	oneSided = 1.645
)

// Confidence returns the confidence of a ground as observed on the simulators.
// reliable states that the sampling of the row allows more than low confidence.
func (g Ground) Confidence(reliable bool) Confidence {
	info := &Grounds[g]
	reliable = reliable || g.traced()
	switch {
	case info.Sure > 0 && reliable:
		return info.Sure
	case info.Sure > 0:
		return Low
	}
	weak, good := Observed()[g][0], Observed()[g][1]
	if !reliable {
		return confidenceOf(weak)
	}
	for i := range good {
		weak[i].True, weak[i].Rows = weak[i].True+good[i].True, weak[i].Rows+good[i].Rows
	}
	return max(confidenceOf(good), confidenceOf(weak))
}

// confidenceOf returns the confidence that follows from the counts of both
// simulators. High confidence requires high confidence on each simulator.
func confidenceOf(simulators [2]Count) Confidence {
	a, b := simulators[0], simulators[1]
	both := Count{a.True + b.True, a.Rows + b.Rows}
	switch {
	case min(a.atLeast(), b.atLeast()) >= leastHigh:
		return High
	case both.atLeast() >= leastMedium:
		return Medium
	}
	return Low
}

// atLeast returns the lower end of Wilson's interval for the share of true causes.
func (n Count) atLeast() float64 {
	if n.Rows == 0 {
		return 0
	}
	rows, z := float64(n.Rows), oneSided
	p := float64(n.True) / rows
	return (p + z*z/(2*rows) - z*math.Sqrt(p*(1-p)/rows+z*z/(4*rows*rows))) / (1 + z*z/rows)
}
