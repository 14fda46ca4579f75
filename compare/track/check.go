package track

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// Check is the result of the gate for one run, or for several runs that were
// added one after the other.
type Check struct {
	Judgment                      // series that have a value in one of the runs, with their points up to the run
	Run         history.Run       // the last checked run
	NotMeasured int               // number of kernels of this run without a value
	Changed     []Change          // changes of the machine in this run
	Others      bool              // the history also has runs of other devices or programs
	Shift       unit.Opt[float64] // median over the series of their distance from the median
}

// reach is the number of runs that a check reads. If a finding is open for
// longer, its level becomes the baseline.
const reach = 400

// CheckRuns returns the judgment of every series in some runs. Each run is
// judged from the runs up to it, in run order. If a series is in several of the
// runs, its worst verdict is returned. Of two equally bad verdicts, the later
// is returned. Dates are compared with now.
func CheckRuns(ctx context.Context, db *history.DB, ids []int64, m Metric, now time.Time) (*Check, error) {
	c := &Check{Judgment: Judgment{Metric: m, Where: db.Where()}}
	at := map[history.Key]int{}
	var j *judge
	for _, id := range ids {
		var err error
		if c.Run, err = db.Get(ctx, id); err != nil { // the run with its inputs
			return nil, err
		}
		if j, err = read(ctx, db, &c.Run, reach, m, now); err != nil {
			return nil, err
		}
		c.Checked, c.Refs, c.Renumbered = append(c.Checked, refOf(&c.Run)), j.runs, renumbered(j.panel)
		list, err := j.check(db.IsBase)
		if err != nil {
			return nil, err
		}
		c.NotMeasured = len(c.Run.Rows)
		for _, t := range list {
			if !t.Absent {
				c.NotMeasured--
			}
			i, known := at[t.Key]
			switch {
			case !known:
				at[t.Key] = len(c.Series)
				c.Series = append(c.Series, t)
			case badness(t) >= badness(c.Series[i]):
				c.Series[i] = t
			}
		}
	}
	c.Others = slices.ContainsFunc(j.panel.Runs, func(r history.Run) bool {
		return r.Device != c.Run.Device || !history.SameProgram(r.Program, c.Run.Program)
	})
	c.Clock, c.Shared = clockOf(j.panel.Runs, &c.Run, now), findShared(c.Series, j.panel.Runs)
	c.findMissing(db, j) // only for the last run
	if len(c.Series) == 0 {
		return nil, nothingToCheck(&c.Run, m, j.panel)
	}
	return c, nil
}

// badness returns the rank of a verdict for a gate. The worst verdict has the
// highest rank.
func badness(t *Series) int {
	return slices.Index([]trend.Outcome{trend.Alarm, trend.Regression}, t.Outcome())
}

// check returns the judged series for the run. All series of the run are judged
// together. The result also contains series that have an open finding and no
// value in the run, because a blank cell, a missing row, another driver, or
// another launch size does not mean that a kernel recovered.
func (j *judge) check(base func(branch string) bool) (list []*Series, err error) {
	all := j.series()
	if _, err := j.together(all); err != nil {
		return nil, err
	}
	for _, t := range all {
		t.Absent = !slices.ContainsFunc(t.Points, func(p history.Point) bool {
			return p.Run == j.run.ID || p.Run == j.adds
		})
		if t.Absent && !t.holds(all) {
			continue
		}
		if !base(j.run.Branch) {
			t.Branch = j.run.Branch
			t.OnBase = len(t.Open) > 0 &&
				!slices.ContainsFunc(t.Open, func(o Open) bool { return !base(o.FirstBad.Branch) })
		}
		list = append(list, t)
	}
	if err := j.judgeTimes(list); err != nil {
		return nil, err
	}
	addAlsoChanged(j.kernels, j.metric, list)
	j.nameCauses(list)
	return list, nil
}

// supplemented returns the earlier run whose kernels the given run measures
// again. Both runs have the same commit, program, and device, and the earlier
// run has all kernels of the given run and more. It returns 0 if there is no
// such run.
func supplemented(p *history.Panel, run *history.Run) (id int64) {
	for i := range p.Runs {
		if supplements(run, &p.Runs[i]) {
			id = max(id, p.Runs[i].ID)
		}
	}
	for i := range p.Kernels {
		if k := &p.Kernels[i]; id > 0 && k.At(run.ID) >= 0 && k.At(id) < 0 {
			return 0
		}
	}
	return id
}

// supplements reports whether a run may measure some of another run's kernels
// again.
func supplements(run, of *history.Run) bool {
	return run.Commit != "" && run.Commit == of.Commit && run.Branch == of.Branch && run.Device == of.Device &&
		run.Driver == of.Driver && run.Program == of.Program && of.ID < run.ID && of.Kernels > run.Kernels
}

// isSupplement reports whether a run measures some of another run's kernels
// again.
func isSupplement(p *history.Panel, run *history.Run) bool {
	return slices.ContainsFunc(p.Runs, func(of history.Run) bool { return supplements(run, &of) })
}

// Suspects returns the series without an open finding whose newest run is
// unlikely to be noise. Measuring them again distinguishes a burst from a drop.
func (c *Check) Suspects() (list []*Series) {
	for _, t := range c.Series {
		if t.Gate.Suspect && !t.Absent && len(t.Gate.Open) == 0 && t.Outcome() != Unmeasurable {
			list = append(list, t)
		}
	}
	return list
}

// NoCounter explains how to collect measured occupancy if no run has it. It
// returns "" for other metrics.
func NoCounter(m Metric) string {
	if m.Metric != history.Measured {
		return ""
	}
	return `no run has XVE Threads Occupancy; collect with "vtune -collect gpu-hotspots -- PROGRAM", ` +
		`for Gen9 with -knob characterization-mode=full-compute`
}

// nothingToCheck returns an error for a run without any value of the metric,
// because a gate that cannot fail is useless.
func nothingToCheck(run *history.Run, m Metric, p *history.Panel) error {
	var has []string
	for _, other := range history.Metrics() {
		if slices.ContainsFunc(run.Rows, func(r history.Row) bool { return r.Of(other).Present() }) {
			has = append(has, string(other))
		}
	}
	if len(has) == 0 {
		return fmt.Errorf("run %d has no value of any metric, so nothing can be checked; add exports with measured"+
			" occupancy or times", run.ID)
	}
	others := "choose the metric " + strings.Join(has, " or ")
	none := !slices.ContainsFunc(p.Kernels, func(k history.Kernel) bool { return len(k.Points(m.Metric)) > 0 })
	if text := NoCounter(m); text != "" && none {
		return fmt.Errorf("%s, so nothing can be checked; %s", text, others)
	}
	return fmt.Errorf("no kernel of run %d has a value of %s, so nothing can be checked; %s", run.ID, m.Metric, others)
}

// MissingKernel is a kernel that earlier runs have and a checked run lacks.
type MissingKernel struct {
	Key   history.Key
	Last  Ref                  // last run with the kernel
	Share unit.Opt[unit.Ratio] // share of all kernel time in that run; absent without times
}

// IsSignificant reports whether the kernel took more than 1% of the time, or an
// unknown share.
func (g *MissingKernel) IsSignificant() bool { return g.Share.Or(1) > 0.01 }

// missingAfterRuns is the number of earlier runs that determine whether a
// kernel belongs to the program.
const missingAfterRuns = 20

// findMissing finds the kernels that more than half of the earlier runs had and
// that this run lacks with any launch size. A kernel stays missing until it
// returns or the run is accepted. The earlier runs are runs of the same program
// on the base branch, on the same device with any driver.
func (c *Check) findMissing(db *history.DB, j *judge) {
	var before []*history.Run // earlier runs, newest first
	for i := len(j.panel.Runs) - 1; i >= 0; i-- {
		r := &j.panel.Runs[i]
		if r.ID < c.Run.ID && r.ID != j.adds && r.Device == c.Run.Device &&
			history.SameProgram(r.Program, c.Run.Program) && db.IsBase(r.Branch) && !isSupplement(j.panel, r) {
			before = append(before, r)
		}
	}
	if len(before) == 0 {
		return
	}
	c.findChanged(before)
	has := map[string]bool{} // tasks of the run, and of the run that it supplements
	groups, tasks := map[history.Key][]*history.Kernel{}, []history.Key(nil)
	for i := range j.panel.Kernels {
		k := &j.panel.Kernels[i]
		has[k.Key.Task] = has[k.Key.Task] || k.At(c.Run.ID) >= 0 || k.At(j.adds) >= 0
		of := kernelOf(k.Key)
		if groups[of] == nil {
			tasks = append(tasks, of)
		}
		groups[of] = append(groups[of], k)
	}
	for _, of := range tasks {
		g, missing := missingOf(groups[of], before)
		if has[of.Task] || !missing {
			continue
		}
		accepted := slices.ContainsFunc(j.panel.Accepts, func(a history.Accept) bool { // after the kernel went missing
			return !a.Noise && a.Run <= c.Run.ID && a.Run > g.Last.Run && slices.ContainsFunc(groups[of],
				func(k *history.Kernel) bool { return a.Covers(k.ID, k.Key) })
		})
		if !accepted {
			g.Share = share(j.panel, &g)
			c.MissingKernels = append(c.MissingKernels, g)
		}
	}
}

// missingOf reports whether more than half of the earlier runs had a kernel,
// which is given with all of its launch sizes. Only the runs up to the last run
// with the kernel are counted.
func missingOf(kernel []*history.Kernel, before []*history.Run) (g MissingKernel, missing bool) {
	runs, had := 0, 0
	for _, r := range before {
		at := slices.IndexFunc(kernel, func(k *history.Kernel) bool { return k.At(r.ID) >= 0 })
		if at < 0 && had == 0 {
			continue
		}
		if runs++; at >= 0 {
			if had++; had == 1 {
				g = MissingKernel{Key: kernel[at].Key, Last: refOf(r)}
			}
		}
		if runs == missingAfterRuns {
			break
		}
	}
	return g, 2*had > runs
}

// kernelOf returns a key for a kernel on a device that is the same for any
// launch size and driver.
func kernelOf(k history.Key) history.Key {
	return history.Key{Task: k.Task, Direction: k.Direction, Device: k.Device, Program: k.Program}
}

// share returns the share of time that a missing kernel took in the last run
// that had it.
func share(p *history.Panel, g *MissingKernel) unit.Opt[unit.Ratio] {
	own, all := 0.0, 0.0
	for i := range p.Kernels {
		k := &p.Kernels[i]
		if at := k.At(g.Last.Run); at >= 0 {
			t := k.Value(at, history.Total).Or(0)
			if all += t; kernelOf(k.Key) == kernelOf(g.Key) {
				own += t
			}
		}
	}
	return unit.Maybe(unit.Ratio(own/all), all > 0)
}

// Newest returns the most recently added runs in the order of adding. It
// returns at most n runs, or the runs after the last run of a commit. The
// commit may be shortened. It returns an error if there is no such run.
func Newest(ctx context.Context, db *history.DB, n int, commit string) (ids []int64, err error) {
	runs, err := db.Newest(ctx) // newest first
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("%s has no run to check; add one with 'occudiff track add PATH'", db.Where())
	}
	if err != nil {
		return nil, err
	}
	if commit != "" {
		at := slices.IndexFunc(runs, func(r history.Run) bool {
			return r.Commit != "" && (strings.HasPrefix(r.Commit, commit) || strings.HasPrefix(commit, r.Commit))
		})
		switch at {
		case -1:
			return nil, fmt.Errorf("%s has no run of this commit; 'occudiff track list' shows the commits", db.Where())
		case 0:
			return nil, fmt.Errorf("no run was added after run %d, the last one of that commit", runs[0].ID)
		}
		n = at
	}
	runs = runs[:min(n, len(runs))]
	for i := range slices.Backward(runs) {
		ids = append(ids, runs[i].ID)
	}
	return ids, nil
}
