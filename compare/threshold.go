package compare

import "occudiff/ingest/unit"

// The thresholds of verdicts and causes, each with its reason. They were set on
// twelve real runs (Meteor Lake gaussian and GEMM, Max 1100 hgemm and iso3dfd,
// the published Gen9 vec_add table) and are tested on them: that is few.
const (
	// minIntervals is the least number of sampling intervals in all launches of
	// a kernel for which its counters are used. With fewer than 10, a single
	// neighboring sample moves the mean by 10%.
	minIntervals = 10

	// otherTasksMax, otherTasksMedium, and otherTasksHigh bound the share of a
	// value that may come from other tasks. Above 50%, more comes from them than
	// from the kernel. 5 of 100 points are the tolerance of a verdict, and 25%
	// is about the last wave of an ordinary launch.
	otherTasksMax    unit.Ratio = 0.5
	otherTasksMedium unit.Ratio = 0.25
	otherTasksHigh   unit.Ratio = 0.05

	// misattributedMax, MisattributedMedium, and misattributedHigh bound the
	// share of instructions outside the rows of kernels. Two runs of one program
	// on one day had 36% and 65%, and at 65% its idle share was twice as large.
	// Ordinary runs have 10 to 40%.
	misattributedMax    unit.Ratio = 0.6
	MisattributedMedium unit.Ratio = 0.4
	misattributedHigh   unit.Ratio = 0.1

	// widestRange is the widest range that is printed for a launch. A range of
	// much more than half of all slots has no information.
	widestRange unit.Points = 60

	// fewSamples is the error of one sample, because of the moment at which it
	// is taken. The error of the mean of n samples is less by the root of n.
	// asMeasured is the difference between the occupancy of a neighbor and its
	// row: rows of two kernels that alternate mix. With these, ranges contain
	// 97% of the simulated rows that are not judged.
	fewSamples            = 0.05
	asMeasured unit.Ratio = 0.06

	// leastIntervals is the number of sampling intervals that a kernel must fill
	// in all so that a range is known. On simulated runs, 4 of 5 ranges that miss
	// the truth were ranges of fewer samples.
	leastIntervals = 5

	// enoughIntervals is the number of samples per launch with which at most 10%
	// of its value's time is outside the launch. leastInterval, in milliseconds,
	// is the shortest interval that collectors are known to accept: the default
	// of unitrace -k. leastOfVTune is the shortest interval for VTune. With a
	// shorter one, VTune loses samples on many systems.
	enoughIntervals = 9
	leastInterval   = 0.05
	leastOfVTune    = 0.1

	// ModelTolerance is the largest difference between the profiler's peak and
	// the predicted peak that agree. Both are printed to 0.1. A larger difference
	// means that the model or the input is wrong.
	ModelTolerance unit.Points = 0.1

	// modelCausePoints is the least difference between the profiler's peak and
	// the predicted peak that is a cause. Both are printed to 0.1, and a point is
	// ten times that. One missing Xe-core of sixteen is 6.25 points.
	modelCausePoints unit.Points = 1

	// sizeFitPoints is the largest difference between the profiler's peak and the
	// peak of a k times larger grid that fits: the printed digit.
	sizeFitPoints unit.Points = 0.1

	// sizeStepPoints and sizeCertain protect `launch size` from coincidence. One
	// more copy of the grid moves the peak by a step of threads / slots. A window
	// of +-0.1 points contains some multiple with probability 0.2 / step. Below
	// half a point, that is no evidence. From one point on, and for factors that
	// launches have, it is rarely a coincidence.
	sizeStepPoints unit.Points = 0.5
	sizeCertain    unit.Points = 1
	sizeFactor                 = 64

	// partPoints is the smallest part for which causes are searched: ten times
	// the printed digit.
	partPoints unit.Points = 1

	// printedTwice is the largest error of a difference between two values that
	// are rounded to 0.1. Ends of a range that are nearer than that are equal.
	printedTwice unit.Points = 0.2

	// policyPoints is the smallest difference between the predictions of two
	// policies. policyIdlePoints is the smallest difference of their busy
	// occupancy with which no cause can be named.
	policyPoints     unit.Points = 0.1
	policyIdlePoints unit.Points = 1

	// leastCause is the least share of all slots that a cause must be able to
	// explain. A user would act on it, and it is three times the error of the
	// bounds of sampling.
	leastCause unit.Points = 3

	// leastReturned is the share of its missing points that a cause must be
	// able to explain to head a row, and a remedy to return.
	leastReturned = 0.33

	// sameRunTimes is the largest factor in the number or length of launches
	// between an export and a trace of the same run: profilers make launches
	// longer.
	sameRunTimes = 2

	// nearlyAsLarge is the least share of the largest part with which a second
	// part is in the row, too.
	nearlyAsLarge = 0.67

	// leastOfLastWave is the share of the missing points that a last wave must
	// cost before filling it is a remedy: on simulated rows below their
	// prediction, the remedy was useless for one row in four without it.
	leastOfLastWave = 0.5

	// leastTail is the least cost of a partial last wave for which filling it is
	// a remedy.
	leastTail unit.Points = 5

	// modeReached is the least share of a register mode's threads with which the
	// mode limits a kernel. Something else limits a kernel with half of them.
	modeReached unit.Ratio = 0.9

	// gapsSeen and overlapSeen are the least shares of time outside the launches
	// in counters, and of other kernels at the same time in a trace. 1% is below
	// the error of any other value of a row. gapsEnough is the share of the
	// difference that traced gaps must explain for high confidence.
	gapsSeen               = 0.01
	overlapSeen unit.Ratio = 0.01
	gapsEnough             = 0.5

	// engineShare is the largest difference between an idle share and
	// (k - 1) / k if one of k compute engines or stacks worked.
	engineShare unit.Points = 2

	// stackIdleLess and stackIdleMore bound the difference between an idle share
	// and the share of the other stacks if a launch ran on one stack, which is
	// idle for some time, too. On simulated GPUs with two stacks, 7 of 8 such
	// rows ran on one stack.
	stackIdleLess unit.Points = 0.5
	stackIdleMore unit.Points = 5

	// dispatchLifetime is the longest mean thread lifetime with which the
	// dispatcher may be the bottleneck. A real launch-bound kernel (Fan2, 62.7%
	// of a predicted 99.5%) has 2.2 to 2.8 us. Threads of a saturating GEMM have
	// at least 200 us.
	dispatchLifetime unit.Seconds = 5e-6

	// dispatchRate is the number of threads that start per second on an Xe-core:
	// Fan2 starts 250 threads per microsecond on 7 Xe-cores. Filling and draining
	// affect launches up to fillsShort times the time to fill an Xe-core.
	dispatchRate unit.Seconds = 35e6
	fillsShort   unit.Seconds = 10

	// alikeLaunches is the ratio of a kernel's longest launch to its shortest
	// launch up to which their mean describes every launch.
	alikeLaunches = 2

	// With imbalanceWaves waves, the partial last wave alone cannot cost 33%.
	// With imbalanceBarrier of the stalls at barriers, threads wait for each
	// other.
	imbalanceWaves              = 3.0
	imbalanceBarrier unit.Ratio = 0.20

	// refitIntervals, registerIntervals, and refitAbove limit refits. A launch of
	// three sampling intervals has at least one sample of its own. Registers
	// halve the threads, which shows with less than one interval, and for any
	// launch if no other kernel ran. A measured value above the peak of the
	// refitted launch contradicts it. resourceFit and resourceStep limit the
	// refit with a free number of work-groups: it must fit to a point, and a
	// work-group must be ten points.
	refitIntervals                = 3
	registerIntervals             = 0.7
	refitAbove        unit.Points = 2
	resourceFit       unit.Points = 1
	resourceStep      unit.Points = 10

	// A kernel that can become up to noSpeedup times as fast needs no change. A
	// change may be visible from worthwhileSpeedup on. memoryHeadroom is the
	// largest share of the peak memory bandwidth with which more threads may move
	// more: on 300 simulated runs, `more threads may help` is then false in 6 of
	// 100 rows. slowestMemory is the bandwidth of the slowest memory of an
	// integrated GPU in a single channel, as a share of the fastest.
	noSpeedup                    = 1.15
	worthwhileSpeedup            = 1.2
	memoryHeadroom    unit.Ratio = 0.55
	slowestMemory                = 0.2
	activeLimit       unit.Ratio = 0.8

	// With fewer than fewLaunches launches, the work of one launch may differ from
	// the mean. Balancing may then reach fewLaunchesAdd more occupancy. With
	// these, balancing exceeds its bound in at most 5% of the simulated rows.
	fewLaunches               = 10
	fewLaunchesAdd unit.Ratio = 0.1

	// likelyOutside is the assumed share of the possible time outside the
	// launches when the gain from work for idle XVEs is computed. On 310
	// simulated runs, 80% of the kernels that gain are then found, and 2 of 100
	// that are named gain nothing.
	likelyOutside unit.Ratio = 0.2

	// reachablePeak is the least share of a peak bandwidth that is its limit: real
	// streams reach 80 to 90% of the nominal bandwidth. If less than hiddenStalls
	// of the stalls wait for results, more threads wait for the rest as well.
	reachablePeak unit.Ratio = 0.8
	hiddenStalls  unit.Ratio = 0.5

	// atMost is the highest occupancy that a reading may have: 100% + refitAbove.
	atMost unit.Ratio = 1.02

	// threadsIntervals is the least length of a launch, in sampling intervals, for
	// which "Computing Threads Started" is right: it is exact for launches of 55
	// ms, 0.42 to 0.61 of the truth at 2 ms, and 0.1 to 60 times the truth for
	// shorter launches.
	threadsIntervals = 50
	threadsDiffer    = 0.05

	// arraySum is the largest difference between active + stalled + idle and
	// 100%: twice the rounding error of three values.
	arraySum unit.Points = 0.3

	// printedHalf is the largest difference between a printed occupancy and the
	// counter: half of the last digit. A smaller value prints as 0.0.
	printedHalf unit.Points = 0.05

	// digit absorbs binary fractions when a difference is compared with a
	// tolerance given in decimals.
	digit unit.Points = 1e-9
)

// threadsCounted is the share of the threads that "Computing Threads Started"
// counts. On Xe-LP, it is every second thread. No rule is known for other
// architectures: over all rows, real exports of Xe-LPG have 50% of the threads of
// n-body and Fan2, and 87.5% of the threads of GEMM.
var threadsCounted = map[string]float64{"Gen9": 1, "Gen9-LP": 1, "Xe-LP": 0.5}
