package diff

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"occudiff/compare"
	"occudiff/compare/stat"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// Runs are several runs of one program side by side: the nodes of a cluster, the ranks of a job, repeats. A run stands
// out when it is off the others by more than the gate of a history allows a run to be: 4 median absolute deviations and
// 2 points, of times a tenth.
type Runs struct {
	Runs    []RunOfMany     // in the order in which they were given
	Kernels []KernelOfMany  // by time, the longest first
	Outside []OutlyingValue // of runs that do not stand out as a whole, the farthest off first
}

// RunOfMany is one of the runs, and how it compares with the others.
type RunOfMany struct {
	Name string
	*compare.Result
	// Off is the median over its kernels of measured occupancy - the median of that kernel over all runs; TimeRatio the
	// median of the time of a launch / the median over all runs. Compared is how many kernels Off is of.
	Off       unit.Opt[unit.Points]
	TimeRatio unit.Opt[float64]
	Compared  int
	Lacks     int // kernels that most of the other runs have
	Findings  []RunFinding
	CopyOf    string // the run before of the same content; a copy is left out of all statistics
}

// RunFinding says in which way a run stands out.
type RunFinding string

// The findings, those of a whole run and the worst first.
const (
	RunCopy  RunFinding = "a copy"
	RunIdle  RunFinding = "no work"
	RunLow   RunFinding = "low occupancy"
	RunSlow  RunFinding = "slow"
	RunLacks RunFinding = "kernels missing"
	RunHigh  RunFinding = "high occupancy"
	RunFast  RunFinding = "fast"
	RunDips  RunFinding = "low in part" // in kernels of Outside
	RunPeaks RunFinding = "high in part"
)

// runFindings lists the findings.
func runFindings() []RunFinding {
	return []RunFinding{RunCopy, RunIdle, RunLow, RunSlow, RunLacks, RunHigh, RunFast, RunDips, RunPeaks}
}

// KernelOfMany is one launch over all runs. Its lists hold a value for each of the runs.
type KernelOfMany struct {
	ingest.Kernel                          // of the first run that has it
	Has           []bool                   // which runs have it
	Measured      []unit.Opt[unit.Ratio]   // absent where it was unmeasurable
	Seconds       []unit.Opt[unit.Seconds] // of a launch
	N             int                      // runs with a measured value
	Median        unit.Opt[unit.Ratio]     // of Measured
	MAD           unit.Opt[unit.Points]    // of Measured, absent with fewer than two
	Lowest        int                      // the run with the least measured value, -1 for none
	Highest       int                      // the one with the highest
	Predicted     unit.Opt[unit.Ratio]     // average, of the first run that has it
	Total         unit.Opt[unit.Seconds]   // over all runs
	off           map[int]unit.Points      // of each run that has a value
	seconds       unit.Opt[float64]        // median of Seconds
}

// OutlyingValue is a kernel that is off in one run.
type OutlyingValue struct {
	Kernel, Run int // indexes
	Off         unit.Points
}

// The rule by which a run stands out.
const (
	leastRuns                 = 3 // of two that differ nobody can say which one is off
	runDeviations             = 4
	runPoints     unit.Points = 2
	idleShare                 = 0.01 // of the GPU time of the others, below which a run did no work
)

// SideBySide compares runs with each other. names has one for each of the results.
func SideBySide(names []string, results []*compare.Result) *Runs {
	s := &Runs{}
	first := map[string]string{}
	for i, r := range results {
		run := RunOfMany{Name: names[i], Result: r}
		var files []string
		for _, in := range contents(r) {
			files = append(files, contentOf(in))
		}
		slices.Sort(files)
		if key := strings.Join(files, " "); key != "" && r.Summary.Kernels > 0 {
			run.CopyOf = first[key]
			first[key] = cmp.Or(run.CopyOf, run.Name)
		}
		s.Runs = append(s.Runs, run)
	}
	s.collect()
	for i := range s.Kernels {
		s.Kernels[i].sum()
	}
	slices.SortStableFunc(s.Kernels, func(a, b KernelOfMany) int { return cmp.Compare(b.Total.Or(-1), a.Total.Or(-1)) })
	s.standOut()
	return s
}

// collect puts the kernels of the runs side by side.
func (s *Runs) collect() {
	at := map[ingest.Key]int{}
	for i := range s.Runs {
		if s.Runs[i].CopyOf != "" {
			continue
		}
		for key, row := range byKey(s.Runs[i].Result) {
			if row.Verdict == compare.NotAKernel {
				continue
			}
			k, known := at[key]
			if !known {
				k, at[key] = len(s.Kernels), len(s.Kernels)
				s.Kernels = append(s.Kernels, newKernelOfMany(row, len(s.Runs)))
			}
			s.Kernels[k].add(i, row)
		}
	}
}

func newKernelOfMany(row *compare.Row, runs int) KernelOfMany {
	k := KernelOfMany{Kernel: row.Kernel, Has: make([]bool, runs), Measured: make([]unit.Opt[unit.Ratio], runs),
		Seconds: make([]unit.Opt[unit.Seconds], runs), Lowest: -1, Highest: -1, off: map[int]unit.Points{}}
	k.Total = unit.Opt[unit.Seconds]{}
	if row.Predicted != nil && row.Predicted.HasGrid() {
		k.Predicted = unit.Some(row.Predicted.Average)
	}
	return k
}

func (k *KernelOfMany) add(run int, row *compare.Row) {
	k.Has[run], k.Seconds[run] = true, row.Average()
	if row.Verdict != compare.Unmeasurable {
		k.Measured[run] = row.Measured
	}
	if t, ok := row.Total.Value(); ok {
		k.Total = unit.Some(k.Total.Or(0) + t)
	}
}

// sum takes the statistics over the runs.
func (k *KernelOfMany) sum() {
	var measured, seconds []float64
	for i, o := range k.Measured {
		if t, ok := k.Seconds[i].Value(); ok {
			seconds = append(seconds, float64(t))
		}
		m, ok := o.Value()
		if !ok {
			continue
		}
		measured = append(measured, m.Percent())
		if k.Lowest < 0 || m < k.Measured[k.Lowest].Or(0) {
			k.Lowest = i
		}
		if k.Highest < 0 || m > k.Measured[k.Highest].Or(0) {
			k.Highest = i
		}
	}
	k.N, k.seconds = len(measured), unit.Maybe(stat.Median(seconds))
	median, ok := stat.Median(measured)
	if !ok {
		return
	}
	k.Median = unit.Some(unit.Ratio(median / 100))
	if mad, _ := stat.MAD(measured); len(measured) > 1 { // one value has no spread
		k.MAD = unit.Some(unit.Points(mad))
	}
	for i, o := range k.Measured {
		if m, ok := o.Value(); ok {
			k.off[i] = unit.Points(m.Percent() - median)
		}
	}
}

// standOut finds the runs that stand out, and what stands out in the others.
func (s *Runs) standOut() {
	runs := 0
	for i := range s.Runs {
		if r := &s.Runs[i]; r.CopyOf != "" {
			r.Findings = []RunFinding{RunCopy}
		} else {
			runs++
		}
	}
	if runs < leastRuns {
		return
	}
	var off, ratio, work []float64
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.CopyOf != "" {
			continue
		}
		s.compareRun(i)
		if x, ok := r.Off.Value(); ok {
			off = append(off, float64(x))
		}
		if x, ok := r.TimeRatio.Value(); ok {
			ratio = append(ratio, math.Log(x))
		}
		work = append(work, r.work())
	}
	usual, _ := stat.Median(work)
	found := make([]map[RunFinding]bool, len(s.Runs))
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.CopyOf != "" {
			continue
		}
		found[i] = map[RunFinding]bool{
			RunIdle:  r.Summary.Kernels == 0 || usual > 0 && r.work() < idleShare*usual,
			RunLacks: r.Lacks > 0,
		}
		if x, ok := r.Off.Value(); ok {
			way := beyond(float64(x), off, float64(runPoints))
			found[i][RunLow], found[i][RunHigh] = way < 0, way > 0
		}
		if x, ok := r.TimeRatio.Value(); ok {
			way := beyond(math.Log(x), ratio, math.Log(1+timeDiffers))
			found[i][RunFast], found[i][RunSlow] = way < 0, way > 0
		}
	}
	s.findOutside(found)
	for i, found := range found {
		for _, f := range runFindings() {
			if found[f] && (f == RunIdle || !found[RunIdle]) {
				s.Runs[i].Findings = append(s.Runs[i].Findings, f)
			}
		}
	}
}

// work is the GPU time of the kernels of a run, in seconds.
func (r *RunOfMany) work() float64 { return float64(r.Summary.KernelTime.Or(0)) }

// compareRun holds a run against all.
func (s *Runs) compareRun(run int) {
	r := &s.Runs[run]
	var off, ratio []float64
	for i := range s.Kernels {
		k := &s.Kernels[i]
		if x, ok := k.off[run]; ok && k.N >= leastRuns {
			off = append(off, float64(x))
		}
		t, timed := k.Seconds[run].Value()
		if usual := k.seconds.Or(0); timed && t > 0 && usual > 0 {
			ratio = append(ratio, float64(t)/usual)
		}
		others := 0
		for _, has := range k.Has {
			if has {
				others++
			}
		}
		if !k.Has[run] && 2*others > len(s.Runs) {
			r.Lacks++
		}
	}
	r.TimeRatio, r.Compared = unit.Maybe(stat.Median(ratio)), len(off)
	if x, ok := stat.Median(off); ok {
		r.Off = unit.Some(unit.Points(x))
	}
}

// beyond says on which side of the others a value lies, 0 when it is among them.
func beyond(x float64, all []float64, floor float64) int {
	median, ok := stat.Median(all)
	mad, _ := stat.MAD(all)
	limit := math.Max(runDeviations*mad, floor)
	switch {
	case !ok || math.Abs(x-median) <= limit+float64(digit):
		return 0
	case x < median:
		return -1
	}
	return 1
}

// findOutside finds the values that are off in runs that are not off as a whole.
func (s *Runs) findOutside(found []map[RunFinding]bool) {
	for k := range s.Kernels {
		kernel := &s.Kernels[k]
		if kernel.N < leastRuns {
			continue
		}
		var all []float64
		for _, x := range kernel.off {
			all = append(all, float64(x))
		}
		for run, x := range kernel.off {
			f, way := found[run], beyond(float64(x), all, float64(runPoints))
			if way != 0 && !f[RunLow] && !f[RunHigh] && !f[RunIdle] {
				s.Outside = append(s.Outside, OutlyingValue{k, run, x})
				f[RunDips], f[RunPeaks] = f[RunDips] || way < 0, f[RunPeaks] || way > 0
			}
		}
	}
	slices.SortFunc(s.Outside, func(a, b OutlyingValue) int {
		return cmp.Or(cmp.Compare(math.Abs(float64(b.Off)), math.Abs(float64(a.Off))), cmp.Compare(a.Kernel, b.Kernel),
			cmp.Compare(a.Run, b.Run))
	})
}
