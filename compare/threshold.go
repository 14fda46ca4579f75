package compare

import "occudiff/ingest/unit"

// The thresholds of verdicts and causes, each with its reason. They were set on real runs (Meteor Lake gaussian and GEMM,
// Max 1100 hgemm and iso3dfd, the published Gen9 vec_add table) and are tested on them.
const (
	// minIntervals is how many sampling intervals a kernel has to fill in all its launches together before its counter
	// means anything: below 10 a single neighbouring sample moves the mean by 10 %.
	minIntervals = 10

	// modelCausePoints is the least difference between the profiler's peak and ours that is a cause. Both are printed to
	// 0.1; a point is ten times that and still a sixteenth of what one missing Xe-core of sixteen would show.
	modelCausePoints unit.Points = 1

	// shapeFitPoints is how well a k times larger grid has to fit the profiler's peak: the digit that is printed.
	shapeFitPoints unit.Points = 0.1

	// shapeStepPoints and shapeCertain guard `shape` against chance. One more copy of the grid moves the peak by a step of
	// threads / slots; a window of +-0.1 points hits some multiple by chance with probability 0.2 / step. Below half a
	// point that proves nothing; from one point on, and for factors that launches have, it is rarely chance.
	shapeStepPoints unit.Points = 0.5
	shapeCertain    unit.Points = 1
	shapeFactor                 = 64

	// idleShare is how much of the gap idle time and tail have to account for before they are its cause.
	// From nine tenths on nothing else is left to name: what remains of a gap of 5 points is half a point.
	idleShare = 0.5
	idleMost  = 0.9

	// dispatchLife is the mean thread life up to which the dispatcher is the bottleneck. A real launch-bound kernel
	// (Fan2, 62.7 % of a predicted 99.5 %) shows 2.2 us; saturating GEMM threads live 200 us and more.
	dispatchLife unit.Seconds = 5e-6

	// imbalanceWaves, imbalanceIdle and imbalanceBarrier: with three waves the tail alone cannot cost a third; below
	// 10 % idle the array was busy; at least a fifth of the stalls at barriers says that threads wait for each other.
	imbalanceWaves              = 3.0
	imbalanceIdle    unit.Ratio = 0.10
	imbalanceBarrier unit.Ratio = 0.20

	// refitIntervals and refitAbove guard the refit: a launch of three sampling intervals has at least one sample of its
	// own, and a measured value that stands above what the refitted launch could reach contradicts it.
	refitIntervals             = 3
	refitAbove     unit.Points = 2

	// atMost is the highest occupancy that a reading may come to: 100 % and refitAbove.
	atMost unit.Ratio = 1.02

	// threadsIntervals is how long a launch has to be, in sampling intervals, before "Computing Threads Started" counts
	// all of it: exact at 55 ms launches, 0.42 to 0.61 of the truth at 2 ms, 0.1 to 60 times below.
	threadsIntervals = 50
	threadsDiffer    = 0.05

	// arraySum is how far active + stalled + idle may be from 100 %: three values rounded to 0.1, doubled.
	arraySum unit.Points = 0.3

	// printedHalf is how far a printed occupancy may be from the counter's: half of the last digit. 0.0 is anything below.
	printedHalf unit.Points = 0.05

	// digit absorbs binary fractions when a difference is held against a tolerance given in decimals.
	digit unit.Points = 1e-9
)

// LeastTotal is the time that a kernel has to fill in all its launches together before its counter means anything.
func (o Options) LeastTotal() unit.Seconds { return minIntervals * o.SamplingInterval }
