package track

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"occudiff/compare/history"
)

// Check is what the gate says of one run.
type Check struct {
	Metric      Metric
	Where       string // the history
	Run         history.Run
	Series      []*Series // that have a value in the run; points up to it
	NotMeasured int       // kernels of the run without one
	// Missing are kernels that the run before, of the same program on the same device and driver, had and this one does
	// not.
	Missing       []string
	MissingBefore int64 // that run
	// Unnamed are series that begin with the run because it names a device or driver that an earlier run did not, or
	// the other way round: nobody can tell whether anything changed.
	Unnamed       int
	UnnamedBefore history.Span // of one of them, up to its last run before
}

// CheckRun judges every series of a run.
func CheckRun(ctx context.Context, db *history.DB, id int64, m Metric) (*Check, error) {
	run, err := db.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	c := &Check{Metric: m, Where: db.Where(), Run: run}
	if err := c.read(ctx, db); err != nil {
		return nil, err
	}
	if len(c.Series) == 0 {
		return nil, nothingToCheck(&run, m)
	}
	c.NotMeasured = len(run.Rows) - len(c.Series)
	spans, err := db.Spans(ctx, id)
	if err != nil {
		return nil, err
	}
	wentOn := c.findBegins(spans)
	addFindings(run.Rows, c.Series)
	return c, c.findMissing(ctx, db, wentOn)
}

// read reads the last points of the series that have a value in the run, and judges it.
func (c *Check) read(ctx context.Context, db *history.DB) error {
	g := c.Metric.Gate
	// Enough for a streak of some length. A longer one needs more: each of its runs is held against what came before
	// it.
	for n := 3*g.Memory() + 1; ; n *= 4 {
		found, err := db.Latest(ctx, c.Run.ID, c.Metric.Metric, n, c.Metric.leaveOut())
		if err != nil {
			return err
		}
		c.Series = c.Series[:0]
		whole := true
		for _, s := range found {
			if s.Points[len(s.Points)-1].Run != c.Run.ID {
				continue
			}
			t := newSeries(s, c.Metric.leaveOut())
			if err := t.judge(g); err != nil {
				return err
			}
			t.LeftOut = t.leftOutOf(g.Memory())
			whole = whole && (len(t.Points) < n || t.Gate.InARow == 0 || t.Gate.Index-t.Gate.InARow >= g.Memory())
			c.Series = append(c.Series, t)
		}
		if whole {
			return nil
		}
	}
}

// leftOutOf gives the runs that were left out between the last n judged ones, all when there are no more than these.
func (t *Series) leftOutOf(n int) []history.Point {
	earlier := t.Points[:len(t.Points)-1]
	if len(earlier) <= n {
		return t.LeftOut
	}
	since := earlier[len(earlier)-n]
	return slices.DeleteFunc(t.LeftOut, func(p history.Point) bool { return before(p, since) })
}

// findBegins says what changed where the series begin, and counts those of which nobody can tell. It gives the keys
// that went on in another launch shape.
func (c *Check) findBegins(spans []history.Span) map[history.Key]bool {
	same := map[history.Key][]history.Span{}
	at := make(map[history.Key]int, len(spans))
	for i, s := range spans {
		same[kernelOf(s.Key)] = append(same[kernelOf(s.Key)], s)
		at[s.Key] = i
	}
	shapes, wentOn := reshaped(spans), map[history.Key]bool{}
	for _, t := range c.Series {
		own, others := spans[at[t.Key]], same[kernelOf(t.Key)]
		if i := predecessor(own, others); i >= 0 && !t.fromPlatform(others[i]) && own.First.Equal(own.Last) {
			c.Unnamed++
			c.UnnamedBefore = others[i]
		}
		if i, ok := shapes[at[t.Key]]; ok {
			t.fromShape(spans[i])
			wentOn[spans[i].Key] = true
		}
	}
	return wentOn
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
	return fmt.Errorf("no kernel of run %d has a %s value, so nothing can be checked; --metric %s has values",
		run.ID, m.Metric, strings.Join(has, " or "))
}

// sameProgram says whether two runs may be of one program.
func sameProgram(a, b string) bool { return a == b || a == "" || b == "" }

// findMissing finds the kernels that the run before, of the same program on the same device and driver, had and this one
// has not. Those that it has in another launch shape are not missing.
func (c *Check) findMissing(ctx context.Context, db *history.DB, wentOn map[history.Key]bool) error {
	runs, err := db.List(ctx)
	if err != nil {
		return err
	}
	for i := range runs { // oldest first
		if runs[i].ID == c.Run.ID {
			break
		}
		r := &runs[i]
		if r.Device == c.Run.Device && r.Driver == c.Run.Driver && sameProgram(r.Program, c.Run.Program) {
			c.MissingBefore = r.ID
		}
	}
	if c.MissingBefore == 0 {
		return nil
	}
	old, err := db.Get(ctx, c.MissingBefore)
	if err != nil {
		return err
	}
	now := make(map[history.Key]bool, len(c.Run.Rows))
	for i := range c.Run.Rows {
		now[c.Run.Rows[i].Key] = true
	}
	for i := range old.Rows {
		r := &old.Rows[i]
		if !now[r.Key] && !wentOn[r.Key] && c.Metric.In(r) {
			c.Missing = append(c.Missing, r.Name())
		}
	}
	return nil
}
