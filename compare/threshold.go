package compare

import "occudiff/ingest/unit"

// The thresholds of verdicts and causes, each with its reason. The limits of
// one cause are next to the function that finds it. They were set on twelve
// real runs (Meteor Lake gaussian and GEMM, Max 1100 hgemm and iso3dfd, the
// published Gen9 vec_add table), and are tested on the same runs. Twelve runs
// are few.
const (
	// minIntervals is the smallest total length of a kernel's launches, in
	// sampling intervals, for which its counters are used. With fewer than 10
	// intervals, a single neighboring sample changes the mean by 10%.
	minIntervals = 10

	// otherTasksMax, otherTasksMedium, and otherTasksHigh bound the share of a
	// value that may come from other tasks. Above 50%, more of the value comes
	// from other tasks than from the kernel. 25% is about the share of the last
	// wave in an ordinary launch. 5 of 100 points are the tolerance of a
	// verdict.
	otherTasksMax    unit.Ratio = 0.5
	otherTasksMedium unit.Ratio = 0.25
	otherTasksHigh   unit.Ratio = 0.05

	// misattributedMax, MisattributedMedium, and misattributedHigh bound the
	// share of instructions outside the rows of kernels. Two runs of one
	// program on one day had shares of 36% and 65%, and in the run with 65% the
	// idle share was twice as large. Ordinary runs have 10% to 40%.
	misattributedMax    unit.Ratio = 0.6
	MisattributedMedium unit.Ratio = 0.4
	misattributedHigh   unit.Ratio = 0.1

	// widestRange is the widest range of a launch's occupancy that a sentence
	// contains. A range of much more than half of all slots has no information.
	widestRange unit.Points = 60

	// fewSamples is the error of one sample, which depends on the moment at
	// which the sample is taken. The error of the mean of n samples is smaller
	// by the square root of n. asMeasured is the largest difference between the
	// true occupancy of another kernel and the value in its row: if two kernels
	// alternate, their rows mix. With these two values, ranges contain the
	// truth for 97% of the simulated rows with the verdict "unmeasurable".
	fewSamples            = 0.05
	asMeasured unit.Ratio = 0.06

	// leastIntervals is the total length of a kernel's launches, in sampling
	// intervals, that a range requires. On simulated runs, 4 of 5 ranges that
	// miss the truth belong to kernels with fewer intervals.
	leastIntervals = 5

	// enoughIntervals is the number of samples per launch for which at most 10%
	// of the value's time is outside the launch. leastInterval, in
	// milliseconds, is the shortest interval that collectors are known to
	// accept: the default of unitrace -k. leastOfVTune is the shortest interval
	// for VTune. With a shorter interval, VTune loses samples on many systems.
	enoughIntervals = 9
	leastInterval   = 0.05
	leastOfVTune    = 0.1

	// ModelTolerance is the largest difference between the profiler's peak and
	// the predicted peak that counts as agreement. Both are printed to 0.1. A
	// larger difference means that the model or the input is wrong.
	ModelTolerance unit.Points = 0.1

	// modelCausePoints is the smallest difference between the profiler's peak
	// and the predicted peak that is reported as a cause. Both are printed to
	// 0.1, and one point is ten times that. For comparison, one missing Xe-core
	// of sixteen changes the peak by 6.25 points.
	modelCausePoints unit.Points = 1

	// sizeFitPoints is the largest difference between the profiler's peak and
	// the peak of a grid k times as large for which that grid fits: the printed
	// digit.
	sizeFitPoints unit.Points = 0.1

	// sizeStepPoints and sizeCertain protect the cause `launch size` from
	// coincidence. One more copy of the grid changes the peak by a step of
	// threads / slots. A window of +-0.1 points contains some multiple of the
	// step with probability 0.2 / step. Below a step of half a point, a fit is
	// not evidence. With a step of at least one point, and for factors that
	// launches have, a fit is rarely a coincidence.
	sizeStepPoints unit.Points = 0.5
	sizeCertain    unit.Points = 1
	sizeFactor                 = 64

	// partPoints is the smallest part for which causes are searched: ten times
	// the printed digit.
	partPoints unit.Points = 1

	// printedTwice is the largest error of a difference between two values that
	// are rounded to 0.1. Two ends of a range with a smaller difference are
	// equal.
	printedTwice unit.Points = 0.2

	// policyPoints is the smallest difference between the predictions of two
	// policies that counts. policyIdlePoints is the difference of their busy
	// occupancies above which no cause can be named.
	policyPoints     unit.Points = 0.1
	policyIdlePoints unit.Points = 1

	// leastCause is the smallest share of all slots that a cause must be able
	// to explain. A user would act on such a share, and it is three times the
	// error of the sampling bounds.
	leastCause unit.Points = 3

	// leastReturned is the share of a row's missing points that a cause must be
	// able to explain to become the cause of the row, and that a remedy must be
	// able to return.
	leastReturned = 0.33

	// sameRunTimes is the largest factor between an export and a trace of the
	// same run, for the number and the length of launches. The two can differ,
	// because profilers make launches longer.
	sameRunTimes = 2

	// nearlyAsLarge is the size of a second part, as a share of the largest
	// part, from which the row also shows the second part.
	nearlyAsLarge = 0.67

	// leastOfLastWave is the share of the missing points that a partial last
	// wave must cost before filling it is a remedy. Without this limit, the
	// remedy was useless for one in four simulated rows below their prediction.
	leastOfLastWave = 0.5

	// leastTail is the smallest cost of a partial last wave for which filling
	// it is a remedy.
	leastTail unit.Points = 5

	// modeReached is the share of a register mode's threads that a kernel must
	// reach before the mode counts as its limit. A kernel with only half of the
	// threads is limited by something else.
	modeReached unit.Ratio = 0.9

	// gapsSeen is the smallest share of time outside the launches that counts
	// in counters. overlapSeen is the smallest share of other kernels at the
	// same time that counts in a trace. 1% is below the error of any other
	// value of a row. gapsEnough is the share of the difference that traced
	// gaps must explain for high confidence.
	gapsSeen               = 0.01
	overlapSeen unit.Ratio = 0.01
	gapsEnough             = 0.5

	// engineShare is the largest difference between an idle share and (k - 1) /
	// k for which the idle share fits one of k compute engines or stacks.
	engineShare unit.Points = 2

	// mostGPUs is the largest number of GPUs in a usual machine.
	mostGPUs = 8

	// With at least imbalanceWaves waves, the partial last wave alone cannot
	// cost 33%. If at least imbalanceBarrier of the stalls are at barriers,
	// threads wait for each other.
	imbalanceWaves              = 3.0
	imbalanceBarrier unit.Ratio = 0.20

	// refitIntervals, registerIntervals, and refitAbove limit refits. A launch
	// of three sampling intervals has at least one sample of its own. A mode
	// with more registers halves the threads. This effect is so large that a
	// launch of less than one interval shows it, or any launch if no other
	// kernel ran. A measured value above the peak of the refitted launch
	// contradicts the refit. resourceFit and resourceStep limit the refit with
	// a free number of work-groups: the prediction must fit within one point,
	// and one work-group must change it by ten points.
	refitIntervals                = 3
	registerIntervals             = 0.7
	refitAbove        unit.Points = 2
	resourceFit       unit.Points = 1
	resourceStep      unit.Points = 10

	// A kernel that can become at most noSpeedup times as fast needs no change.
	// From worthwhileSpeedup on, a change may be visible. memoryHeadroom is the
	// largest used share of the peak memory bandwidth for which more threads
	// may move more data: with this limit, `more threads may help` is false in
	// 6 of 100 rows on 300 simulated runs. slowestMemory is the bandwidth of
	// the slowest memory of an integrated GPU in a single channel, as a share
	// of the fastest memory.
	noSpeedup                    = 1.15
	worthwhileSpeedup            = 1.2
	memoryHeadroom    unit.Ratio = 0.55
	slowestMemory                = 0.2
	activeLimit       unit.Ratio = 0.8

	// With fewer than fewLaunches launches, the work of the measured launches
	// may differ from the mean. Balancing may then add up to fewLaunchesAdd
	// more occupancy. With these values, balancing exceeds its bound in at most
	// 5% of the simulated rows.
	fewLaunches               = 10
	fewLaunchesAdd unit.Ratio = 0.1

	// likelyOutside is the share of the possible time outside the launches that
	// is assumed to be outside, when the gain from work for idle XVEs is
	// computed. With this value, on 310 simulated runs, 80% of the kernels that
	// gain are found, and 2 of 100 kernels that are reported gain nothing.
	likelyOutside unit.Ratio = 0.2

	// reachablePeak is the share of a peak bandwidth from which the bandwidth
	// is the limit: real streams reach 80% to 90% of the nominal bandwidth.
	// hiddenStalls is the share of stalls that must wait for results before
	// more threads can help. Below it, additional threads would wait for the
	// other stall reasons as well.
	reachablePeak unit.Ratio = 0.8
	hiddenStalls  unit.Ratio = 0.5

	// atMost is the highest occupancy that an input may contain: 100% +
	// refitAbove.
	atMost unit.Ratio = 1.02

	// threadsIntervals is the shortest launch, in sampling intervals, for which
	// "Computing Threads Started" is correct. The counter is exact for launches
	// of 55 ms. At 2 ms, it is 0.42 to 0.61 of the truth. For shorter launches,
	// it is 0.1 to 60 times the truth.
	threadsIntervals = 50
	threadsDiffer    = 0.05

	// arraySum is the largest rounding error of active + stalled + idle, which
	// add up to 100%: twice the rounding error of three values.
	arraySum unit.Points = 0.3

	// printedHalf is the largest difference between a printed occupancy and the
	// counter: half of the last digit. A smaller value prints as 0.0.
	printedHalf unit.Points = 0.05

	// digit absorbs binary rounding errors when a difference is compared with a
	// decimal tolerance.
	digit unit.Points = 1e-9
)

// threadsCounted is the share of the threads that "Computing Threads Started"
// counts. On Xe-LP, it counts every second thread. No rule is known for other
// architectures. For example, over all rows, real exports of Xe-LPG count 50%
// of the threads of n-body and Fan2, and 87.5% of the threads of GEMM.
var threadsCounted = map[string]float64{"Gen9": 1, "Gen9-LP": 1, "Xe-LP": 0.5}
