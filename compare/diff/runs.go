package diff

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"occudiff/compare"
	"occudiff/compare/stat"
	"occudiff/compare/trend"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// Runs compares several runs of one program: the nodes of a cluster, the ranks
// of a job, or repeats. trend.FindOutliers decides which runs are outliers. It
// first tests whole runs by occupancy and time, and then single kernels.
type Runs struct {
	Runs     []RunAcrossKernels // in the given order
	Kernels  []KernelAcrossRuns // sorted by time, longest first
	Findings []Finding          // sorted, worst first
	Compared int                // number of runs that are not copies and did work
	// Smallest is the smallest drop of a single kernel in one run that would be
	// found. It is infinite if no drop would be found.
	Smallest unit.Points
}

// LeastRuns is the number of runs that the outlier test for single kernels
// needs.
const LeastRuns = trend.SingleRuns

// Few reports whether there are too few runs for the outlier test of single
// kernels.
func (s *Runs) Few() bool { return s.Compared < LeastRuns }

// MostVaried returns the kernel with the largest range of measured occupancy
// and its range, or nil if no kernel has two values.
func (s *Runs) MostVaried() (most *KernelAcrossRuns, points unit.Points) {
	for i := range s.Kernels {
		k := &s.Kernels[i]
		if x := unit.Points((k.Highest.Or(0) - k.Lowest.Or(0)).Percent()); k.N > 1 && (most == nil || x > points) {
			most, points = k, x
		}
	}
	return most, points
}

// Finding is a run that differs from the others, as a whole or in one kernel.
type Finding struct {
	Run    *RunAcrossKernels
	Kernel *KernelAcrossRuns // nil if the whole run differs
	What   RunFinding
	Off    unit.Opt[unit.Points]
}

// RunAcrossKernels is one run and its comparison with the others.
type RunAcrossKernels struct {
	Place int // index of the run
	Name  string
	*compare.Result
	// Off is the difference between measured occupancy in this run and the
	// kernel's level in all runs, as the median over the run's kernels.
	// TimeRatio is the corresponding median ratio of launch times.
	Off            unit.Opt[unit.Points]
	TimeRatio      unit.Opt[float64]
	MissingKernels []string // kernels that the run lacks and most other runs have
	Findings       []RunFinding
	CopyOf         string // earlier run with the same content; copies are left out of all statistics
}

// RunFinding is the way in which a run differs from the others.
type RunFinding string

// Run findings, worst first.
const (
	RunLow            RunFinding = "low occupancy"
	RunIdle           RunFinding = "no work"
	RunSlow           RunFinding = "slow"
	RunDips           RunFinding = "low in part" // low in one kernel only
	RunMissingKernels RunFinding = "kernels missing"
	RunHigh           RunFinding = "high occupancy"
	RunFast           RunFinding = "fast"
	RunPeaks          RunFinding = "high in part"
	RunCopy           RunFinding = "a copy"
)

var runFindings = [...]RunFinding{RunLow, RunIdle, RunSlow, RunDips, RunMissingKernels, RunHigh, RunFast, RunPeaks,
	RunCopy}

// KernelAcrossRuns is one kernel launch in all runs. Its slices have one entry
// per run.
type KernelAcrossRuns struct {
	*ingest.Kernel                          // kernel of the first run that has it
	Has            []bool                   // whether each run has the kernel
	Measured       []unit.Opt[unit.Ratio]   // absent if the kernel is unmeasurable in the run
	Seconds        []unit.Opt[unit.Seconds] // time per launch
	N              int                      // number of runs with a measured value
	having         int                      // number of runs that have the kernel
	Predicted      unit.Opt[unit.Ratio]     // predicted average, from the first run that has the kernel
	Total          unit.Opt[unit.Seconds]   // time over all runs
	// Lowest, Median, and Highest describe Measured. They are absent if no run
	// has a value.
	Lowest, Median, Highest unit.Opt[unit.Ratio]
	Findings                []Finding // runs in which this kernel is an outlier
}

const (
	leastRuns             = 3    // with only two runs, either may be the outlier
	runPoints unit.Points = 2    // a run that differs by less is not an outlier
	idleShare             = 0.01 // share of the others' GPU time; a run with less time did no work
)

// CompareRuns returns the comparison of all runs. names has one entry per
// result.
func CompareRuns(names []string, results []*compare.Result) *Runs {
	s := &Runs{Runs: make([]RunAcrossKernels, len(results))}
	first := map[string]string{}
	var work []float64
	for i, r := range results {
		run := &s.Runs[i]
		run.Place, run.Name, run.Result = i, names[i], r
		var files []string
		for _, in := range contents(r) {
			files = append(files, contentOf(in))
		}
		slices.Sort(files)
		if key := strings.Join(files, " "); key != "" && r.Summary.Kernels > 0 {
			run.CopyOf = first[key]
			first[key] = cmp.Or(run.CopyOf, run.Name)
		}
		if run.CopyOf != "" {
			s.add(Finding{Run: run, What: RunCopy})
		} else {
			work = append(work, run.work())
		}
	}
	s.collect()
	slices.SortStableFunc(s.Kernels, func(a,
		b KernelAcrossRuns) int {
		return cmp.Compare(b.Total.Or(-1), a.Total.Or(-1))
	})
	if s.Compared = len(work); s.Compared >= leastRuns {
		s.compareRuns(work)
	}
	s.sortFindings()
	return s
}

// collect gathers the kernels of all runs.
func (s *Runs) collect() {
	at := map[ingest.Key]int{}
	for i := range s.Runs {
		if s.Runs[i].CopyOf != "" {
			continue
		}
		rows := s.Runs[i].Rows
		for n := range rows {
			row := &rows[n]
			if row.Verdict == compare.NotAKernel {
				continue
			}
			key := row.Kernel.Key().Trim()
			k, known := at[key]
			if !known {
				k, at[key] = len(s.Kernels), len(s.Kernels)
				s.Kernels = append(s.Kernels, newKernelAcrossRuns(row, len(s.Runs)))
			}
			if !s.Kernels[k].Has[i] { // If a key occurs again, for example in a timing log, its first row is used.
				s.Kernels[k].add(i, row)
			}
		}
	}
	for i := range s.Kernels {
		s.Kernels[i].sum()
	}
}

func newKernelAcrossRuns(row *compare.Row, runs int) KernelAcrossRuns {
	k := KernelAcrossRuns{Kernel: row.Kernel, Has: make([]bool, runs), Measured: make([]unit.Opt[unit.Ratio], runs),
		Seconds: make([]unit.Opt[unit.Seconds], runs)}
	if row.Predicted != nil && row.Predicted.HasGrid() {
		k.Predicted = unit.Some(row.Predicted.Average)
	}
	return k
}

func (k *KernelAcrossRuns) add(run int, row *compare.Row) {
	k.Has[run], k.Seconds[run] = true, row.Average()
	k.having++
	if row.Verdict != compare.Unmeasurable {
		k.Measured[run] = row.Measured
	}
	if t, ok := row.Total.Value(); ok {
		k.Total = unit.Some(k.Total.Or(0) + t)
	}
}

// sum computes the statistics over the runs.
func (k *KernelAcrossRuns) sum() {
	var measured []float64
	for _, o := range k.Measured {
		if m, ok := o.Value(); ok {
			measured = append(measured, float64(m))
		}
	}
	if k.N = len(measured); k.N > 0 {
		median, _ := stat.Median(measured)
		k.Lowest, k.Median, k.Highest = unit.Some(unit.Ratio(slices.Min(measured))), unit.Some(unit.Ratio(median)),
			unit.Some(unit.Ratio(slices.Max(measured)))
	}
}

// sortFindings sorts the findings, worst first, and assigns them to their runs
// and kernels.
func (s *Runs) sortFindings() {
	slices.SortStableFunc(s.Findings, func(a, b Finding) int {
		rank := func(f Finding) int { return slices.Index(runFindings[:], f.What) }
		size := func(f Finding) float64 { return math.Abs(float64(f.Off.Or(0))) }
		return cmp.Or(rank(a)-rank(b), cmp.Compare(size(b), size(a)), cmp.Compare(a.Run.Place, b.Run.Place))
	})
	for _, f := range s.Findings {
		if !slices.Contains(f.Run.Findings, f.What) {
			f.Run.Findings = append(f.Run.Findings, f.What)
		}
		if f.Kernel != nil {
			f.Kernel.Findings = append(f.Kernel.Findings, f)
		}
	}
}

func (s *Runs) add(f Finding) { s.Findings = append(s.Findings, f) }

// compareRuns compares the runs that are not copies. work contains each run's
// GPU time.
func (s *Runs) compareRuns(work []float64) {
	usual, _ := stat.Median(work)
	idle := make([]bool, len(s.Runs))
	for i := range s.Runs {
		r := &s.Runs[i]
		if r.CopyOf != "" {
			continue
		}
		for k := range s.Kernels {
			if k := &s.Kernels[k]; !k.Has[i] && 2*k.having > len(s.Runs) {
				r.MissingKernels = append(r.MissingKernels, k.Task)
			}
		}
		if idle[i] = r.Summary.Kernels == 0 || usual > 0 && r.work() < idleShare*usual; idle[i] {
			s.add(Finding{Run: r, What: RunIdle})
			s.Compared--
		} else if len(r.MissingKernels) > 0 {
			s.add(Finding{Run: r, What: RunMissingKernels})
		}
	}
	measured, seconds := s.panel(idle, func(k *KernelAcrossRuns, run int) float64 {
		return k.Measured[run].Or(unit.Ratio(math.NaN())).Percent()
	}), s.panel(idle, func(k *KernelAcrossRuns, run int) float64 { return math.Log(float64(k.Seconds[run].Or(0))) })
	points, times := trend.PointsGate(), trend.RelativeGate()
	points.Floor, times.Floor = float64(runPoints), timeDiffers
	offs, found, smallest := trend.FindOutliers(measured, points, true)
	s.Smallest = unit.Points(smallest)
	for _, f := range found {
		off, whats := unit.Some(unit.Points(f.Off)), [2]RunFinding{RunHigh, RunLow}
		var kernel *KernelAcrossRuns
		if f.Row >= 0 {
			kernel, whats = &s.Kernels[f.Row], [2]RunFinding{RunPeaks, RunDips}
		}
		s.add(Finding{&s.Runs[f.Run], kernel, whats[below(f.Off)], off})
	}
	slower, found, _ := trend.FindOutliers(seconds, times, false)
	for _, f := range found {
		s.add(Finding{Run: &s.Runs[f.Run], What: [2]RunFinding{RunSlow, RunFast}[below(f.Off)]})
	}
	for i := range s.Runs {
		r := &s.Runs[i]
		if i < len(offs) && !math.IsNaN(offs[i]) {
			r.Off = unit.Some(unit.Points(offs[i]))
		}
		if i < len(slower) && !math.IsNaN(slower[i]) {
			r.TimeRatio = unit.Some(math.Exp(slower[i]))
		}
	}
}

// panel returns a value of each kernel in each run, or NaN if there is no
// value.
func (s *Runs) panel(idle []bool, of func(k *KernelAcrossRuns, run int) float64) trend.Panel {
	p := make(trend.Panel, len(s.Kernels))
	for k := range s.Kernels {
		for run := range s.Runs {
			x := of(&s.Kernels[k], run)
			if idle[run] || math.IsInf(x, 0) {
				x = math.NaN()
			}
			p[k] = append(p[k], x)
		}
	}
	return p
}

func below(x float64) int {
	if x < 0 {
		return 1
	}
	return 0
}

// work returns the GPU time of the run's kernels, in seconds.
func (r *RunAcrossKernels) work() float64 { return float64(r.Summary.KernelTime.Or(0)) }
