package compare

import "occudiff/ingest/unit"

// The thresholds of verdicts and causes, each with its reason. They were set on
// twelve real runs (Meteor Lake gaussian and GEMM, Max 1100 hgemm and iso3dfd,
// the published Gen9 vec_add table) and are tested on them: that is few.
const (
	// minIntervals is how many sampling intervals a kernel has to fill in all
	// its launches together before its counter means anything: below 10 a
	// single neighboring sample moves the mean by 10 %.
	minIntervals = 10

	// otherTasksMax, otherTasksMedium, and otherTasksHigh bound the share of a
	// value that may come from other tasks. Above 50%, more comes from them than
	// from the kernel. 5 of 100 points are the tolerance of a verdict, and 25%
	// is about the last wave of an ordinary launch.
	otherTasksMax    unit.Ratio = 0.5
	otherTasksMedium unit.Ratio = 0.25
	otherTasksHigh   unit.Ratio = 0.05

	// misattributedMax, MisattributedMedium and misattributedHigh bound the
	// share of instructions that is in rows of no kernel. Runs of one
	// program and day had 36 % and 65 %, and at 65 % its idle share had
	// doubled; ordinary runs have 10 to 40 %.
	misattributedMax    unit.Ratio = 0.6
	MisattributedMedium unit.Ratio = 0.4
	misattributedHigh   unit.Ratio = 0.1

	// widestRange is how wide a range may be to say something of a launch: well
	// above half of all slots is next to nothing.
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

	// enoughIntervals is how many samples a launch needs so that at most 10% of
	// its value's time lies outside it. leastInterval, in milliseconds, is the
	// shortest that collectors are known to take: the default of unitrace -k.
	// leastOfVTune is the shortest that VTune's knob is given: a shorter one
	// loses samples on many systems.
	enoughIntervals = 9
	leastInterval   = 0.05
	leastOfVTune    = 0.1

	// ModelTolerance is how far the profiler's peak may be from ours and agree.
	// Both are printed to 0.1, so a smaller difference is none; a larger one
	// says that the model or the input is wrong.
	ModelTolerance unit.Points = 0.1

	// modelCausePoints is the least difference between the profiler's peak and
	// ours that is a cause. Both are printed to 0.1; a point is ten times that
	// and still a sixteenth of what one missing Xe-core of sixteen would show.
	modelCausePoints unit.Points = 1

	// sizeFitPoints is how well a k times larger grid has to fit the profiler's
	// peak: the digit that is printed.
	sizeFitPoints unit.Points = 0.1

	// sizeStepPoints and sizeCertain guard `launch size` against chance. One
	// more copy of the grid moves the peak by a step of threads / slots; a
	// window of +-0.1 points hits some multiple due to noise with probability
	// 0.2 / step. Below half a point that proves nothing; from one point on,
	// and for factors that launches have, it is rarely chance.
	sizeStepPoints unit.Points = 0.5
	sizeCertain    unit.Points = 1
	sizeFactor                 = 64

	// partPoints is how large a part has to be before causes are looked for:
	// ten times the printed digit.
	partPoints unit.Points = 1

	// printedTwice is what rounding to 0.1 can move two parts against each
	// other: the ends of a range that are no further apart are one.
	printedTwice unit.Points = 0.2

	// policyPoints is from when on two policies predict differently, and
	// policyIdlePoints from when on what they say of idle XVEs is too far apart
	// to name a cause by it.
	policyPoints     unit.Points = 0.1
	policyIdlePoints unit.Points = 1

	// leastCause is the least part of all slots that a cause has to be able to
	// hold to be named: what a person would act on, and three times what the
	// bounds of sampling are good to.
	leastCause unit.Points = 3

	// leastReturned is the share of its missing points that a cause must be
	// able to explain to head a row, and a remedy to return.
	leastReturned = 0.33

	// sameRunTimes is how many times as many or as long the launches of a trace
	// may be if it is of the same run: a profiler makes launches longer.
	sameRunTimes = 2

	// nearlyAsLarge is the share of the largest part from which on a second
	// part is in the row, too.
	nearlyAsLarge = 0.67

	// leastOfLastWave is the share of the missing points that a last wave must
	// cost before filling it is a remedy: on simulated rows below their
	// prediction, the remedy was useless for one row in four without it.
	leastOfLastWave = 0.5

	// leastTail is how much of the GPU a partial last wave has to leave empty
	// to be named.
	leastTail unit.Points = 5

	// modeReached is the share of a register mode's threads from which on the
	// mode limits a kernel. A kernel with half of them is limited by something
	// else.
	modeReached unit.Ratio = 0.9

	// gapsSeen and overlapSeen are from when on counters contain time outside
	// the launches, or a trace shows other kernels at the same time: a
	// hundredth is below what any other value of a row is good to. gapsEnough
	// is the part of the difference that traced gaps must explain to be
	// certain.
	gapsSeen               = 0.01
	overlapSeen unit.Ratio = 0.01
	gapsEnough             = 0.5

	// engineShare is how near an idle share has to be to (k - 1) / k for k
	// compute engines or stacks of which one worked.
	engineShare unit.Points = 2

	// stackIdleLess and stackIdleMore are how much less and more than the other
	// stacks an idle share may be if a launch ran on one stack, which is idle
	// for some time, too. On simulated GPUs with two stacks, 7 of 8 such rows
	// ran on one stack.
	stackIdleLess unit.Points = 0.5
	stackIdleMore unit.Points = 5

	// dispatchLifetime is the mean thread lifetime up to which the dispatcher
	// may be the bottleneck. A real launch-bound kernel (Fan2, 62.7 % of a
	// predicted 99.5 %) shows 2.2 to 2.8 us; saturating GEMM threads live 200
	// us and more.
	dispatchLifetime unit.Seconds = 5e-6

	// dispatchRate is how many threads start per second on an Xe-core: that
	// kernel starts 250 in a microsecond on 7 of them. Up to fillsShort times
	// the time that it takes to fill an Xe-core, filling and draining show in a
	// launch.
	dispatchRate unit.Seconds = 35e6
	fillsShort   unit.Seconds = 10

	// alikeLaunches is how far apart the longest and the shortest launch of a
	// kernel may be for their mean to stand for each.
	alikeLaunches = 2

	// imbalanceWaves and imbalanceBarrier: with three waves the tail alone
	// cannot cost a third; at least 20% of the stalls at barriers says that
	// threads wait for each other.
	imbalanceWaves              = 3.0
	imbalanceBarrier unit.Ratio = 0.20

	// refitIntervals and refitAbove guard the refit: a launch of three sampling
	// intervals has at least one sample of its own (registers halve the
	// threads, which shows from less than one interval on, and of any launch
	// where no other kernel ran), and a measured value that stands above what
	// the refitted launch could reach contradicts it. resourceFit and
	// resourceStep guard the one with a free number of work-groups: it has to
	// fit to a point where steps are ten.
	refitIntervals                = 3
	registerIntervals             = 0.7
	refitAbove        unit.Points = 2
	resourceFit       unit.Points = 1
	resourceStep      unit.Points = 10

	// noSpeedup and worthwhileSpeedup: a kernel that can become at most 1.15x as
	// fast needs no change, and a change may show from 1.2x. memoryHeadroom is the part of the peak bandwidth of
	// memory up to which more threads may move more: on 300 simulated runs
	// `more threads may help` is then false in 6 of 100 rows. slowestMemory is
	// the part of the fastest memory of an integrated GPU that the slowest one
	// in a single channel moves.
	noSpeedup                    = 1.15
	worthwhileSpeedup            = 1.2
	memoryHeadroom    unit.Ratio = 0.55
	slowestMemory                = 0.2
	activeLimit       unit.Ratio = 0.8

	// fewLaunches is the number of launches below which the work of one launch
	// may differ from the mean, and fewLaunchesAdd by how much more occupancy
	// balancing may then reach. With these, balancing exceeds its bound in at
	// most 5% of the simulated rows.
	fewLaunches               = 10
	fewLaunchesAdd unit.Ratio = 0.1

	// likelyOutside is the part of what can lie outside the launches that is
	// taken to do so when it is asked whether work for idle XVEs is worth
	// anything: on 310 simulated runs four in five kernels that gain by it are
	// then found, and 2 of 100 that are named gain nothing.
	likelyOutside unit.Ratio = 0.2

	// reachablePeak and hiddenStalls: real streams reach four fifths to nine
	// tenths of what memory moves on paper, and where less than half of the
	// stalls wait for results, more threads wait for the rest as well.
	reachablePeak unit.Ratio = 0.8
	hiddenStalls  unit.Ratio = 0.5

	// atMost is the highest occupancy that a reading may come to: 100 % and
	// refitAbove.
	atMost unit.Ratio = 1.02

	// threadsIntervals is how long a launch has to be, in sampling intervals,
	// before "Computing Threads Started" counts all of it: exact at 55 ms
	// launches, 0.42 to 0.61 of the truth at 2 ms, 0.1 to 60 times below.
	threadsIntervals = 50
	threadsDiffer    = 0.05

	// arraySum is how far active + stalled + idle may be from 100 %: three
	// values rounded to 0.1, doubled.
	arraySum unit.Points = 0.3

	// printedHalf is how far a printed occupancy may be from the counter's:
	// half of the last digit. 0.0 is anything below.
	printedHalf unit.Points = 0.05

	// digit absorbs binary fractions when a difference is compared with a
	// tolerance given in decimals.
	digit unit.Points = 1e-9
)

// threadsCounted is the part of the threads that "Computing Threads Started"
// counts: on Xe-LP every second one. Elsewhere no such rule is known: real
// exports of Xe-LPG have half of the n-body's and Fan2's threads and 7/8 of
// GEMM's over all their rows.
var threadsCounted = map[string]float64{"Gen9": 1, "Gen9-LP": 1, "Xe-LP": 0.5}
