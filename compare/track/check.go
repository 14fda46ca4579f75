package track

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"occudiff/compare/history"
	"occudiff/compare/trend"
)

// Check is what the gate says of one run, or of several that were added one after the other.
type Check struct {
	Judgment                // of the series that have a value in one of the runs; points up to it
	Run         history.Run // the last one
	NotMeasured int         // its kernels without one
	// Missing are kernels that the run before, of the same program on the same device, had and this one does not.
	Missing       []string
	MissingBefore int64 // that run
}

// reach is how many runs a check looks back at: a finding that is open for longer is of the past.
const reach = 400

// CheckRuns judges every series of some runs, each as it was when it was added. They come in that order. Of a series in
// several of them the worst verdict counts, of equal ones the last. now is the time that dates are held against.
func CheckRuns(ctx context.Context, db *history.DB, ids []int64, m Metric, now time.Time) (*Check, error) {
	c := &Check{Judgment: Judgment{Metric: m, Where: db.Where()}}
	at := map[history.Key]int{}
	var j *judge
	for _, id := range ids {
		var err error
		if c.Run, err = db.Get(ctx, id); err != nil { // its inputs, too
			return nil, err
		}
		var moved []Renumbered
		if j, moved, err = read(ctx, db, &c.Run, reach, m, now); err != nil {
			return nil, err
		}
		c.Checked, c.Refs, c.Renumbered = append(c.Checked, refOf(&c.Run)), j.runs, lately(moved, j.panel.Runs)
		list, err := c.judge(j, db.IsBase)
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
	c.Clock, c.Shared = clockOf(j.panel.Runs, &c.Run, now), findShared(c.Series, j.panel.Runs)
	c.findGone(db, j) // of the last run
	if len(c.Series) == 0 {
		return nil, nothingToCheck(&c.Run, m)
	}
	return c, nil
}

// badness orders verdicts by what they mean for a gate.
func badness(t *Series) int {
	return slices.Index([]trend.Outcome{trend.Alarm, trend.Regression}, t.Outcome())
}

// judge judges the series of one run.
func (c *Check) judge(j *judge, base func(string) bool) ([]*Series, error) {
	all, err := j.check()
	if err != nil {
		return nil, err
	}
	var list []*Series
	for _, t := range all {
		if !t.Absent || t.holds(all) {
			list = append(list, t)
		}
	}
	for _, t := range list {
		t.OnBase = len(t.Open) > 0 && !base(j.run.Branch) &&
			!slices.ContainsFunc(t.Open, func(o Open) bool { return !base(o.FirstBad.Branch) })
	}
	addMoved(j.kernels, j.metric, list)
	return list, nil
}

// supplemented gives the run of which another one measures some kernels again: the one before it of its commit, of its
// program on its device, which has all of its kernels and more. 0 when there is none.
func supplemented(p *history.Panel, run *history.Run) (id int64) {
	for i := range p.Runs {
		if supplements(run, &p.Runs[i]) {
			id = max(id, p.Runs[i].ID)
		}
	}
	for i := range p.Kernels {
		if k := &p.Kernels[i]; id > 0 && in(p, k, run.ID) >= 0 && in(p, k, id) < 0 {
			return 0
		}
	}
	return id
}

// supplements says whether a run may measure some kernels of another one again.
func supplements(run, of *history.Run) bool {
	return run.Commit != "" && run.Commit == of.Commit && run.Branch == of.Branch && run.Device == of.Device &&
		run.Driver == of.Driver && run.Program == of.Program && of.ID < run.ID && of.Kernels > run.Kernels
}

// isSupplement says whether a run measures some kernels of another one again.
func isSupplement(p *history.Panel, run *history.Run) bool {
	return slices.ContainsFunc(p.Runs, func(of history.Run) bool { return supplements(run, &of) })
}

// Suspects are the series whose newest run is one that hardly comes by chance, and of which nothing is open: measuring
// them again tells a burst from a drop.
func (c *Check) Suspects() (list []*Series) {
	for _, t := range c.Series {
		if t.Gate.Suspect && !t.Absent && len(t.Gate.Open) == 0 && t.Outcome() != Unmeasurable {
			list = append(list, t)
		}
	}
	return list
}

// nothingToCheck is the error of a run without any value of the metric: a gate that can never fail helps nobody.
func nothingToCheck(run *history.Run, m Metric) error {
	var has []string
	for _, other := range history.Metrics() {
		if slices.ContainsFunc(run.Rows, func(r history.Row) bool { return other.In(&r) }) {
			has = append(has, string(other))
		}
	}
	if len(has) == 0 {
		return fmt.Errorf("run %d has no value of any metric, so nothing can be checked; add exports with measured"+
			" occupancy or times", run.ID)
	}
	return fmt.Errorf("no kernel of run %d has a value of %s, so nothing can be checked; --metric %s has values",
		run.ID, m.Metric, strings.Join(has, " or "))
}
