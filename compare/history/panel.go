package history

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
	"unique"

	"occudiff/ingest/unit"
)

// Panel contains the runs that count for a run, and the kernels of these runs.
// A check, a report, and a gate replay each read it once.
//
// The counting runs are the runs of the base branch, followed by the last few
// runs of the run's own branch. They are in commit order if the repository has
// the commits, otherwise in time order. The panel is sorted in memory, because
// the databases do not know the commit order.
type Panel struct {
	Runs    []Run    // sorted in the order in which they are judged, without inputs and rows
	Kernels []Kernel // sorted in the order in which they were first stored; each is in at least one run
	Accepts []Accept // accepted levels up to the run, in the same order
	// Ordered is set if the order of the runs follows commits or branches
	// instead of their times.
	Ordered bool

	place map[int64]int // index in Runs by run number
}

// Kernel is a series over the runs of a panel. If the device, driver, or launch
// size changes, a new kernel begins.
type Kernel struct {
	ID  int64 // the series' number
	Key Key
	In  []Occurrence // runs that have the kernel, in the order of the runs

	panel *Panel
}

// Occurrence is a run that has the kernel, with or without values. Place is the
// index of the run in the panel.
type Occurrence struct {
	Place   int
	Verdict string // verdict as it was stored

	values [len(columns)]float64 // NaN if the row has no value, or if the metric was not requested
}

// Panel returns the runs that count for a run. These are the last n runs (all
// if n is 0) of its program on its device, ending with the run itself, and the
// other runs between them. The panel has every kernel on the device that may
// belong to the program, and all kernels of the run. If run is 0, it has the
// last n runs of the base branch, the last runs of the branch in the options,
// and all their kernels. The panel has only the given metrics.
func (d *DB) Panel(ctx context.Context, run int64, n int, metrics ...Metric) (*Panel, error) {
	p := &Panel{place: map[int64]int{}}
	if err := d.count(ctx, p, run, n); err != nil {
		return nil, err
	}
	keys, err := d.askedKeys(ctx, p, run)
	if err == nil {
		err = d.readKernels(ctx, p, run, n, keys, metrics)
	}
	if err == nil {
		p.Accepts, err = d.Accepts(ctx)
	}
	branch := d.options.Branch // a level accepted on a branch applies only to that branch
	if run != 0 && err == nil {
		branch = p.Runs[p.place[run]].Branch
	}
	p.Accepts = slices.DeleteFunc(p.Accepts, func(a Accept) bool {
		// A check of an earlier run uses only the levels that were accepted up
		// to that run.
		return run != 0 && a.Run > run || !d.IsBase(a.of.Branch) && a.of.Branch != branch
	})
	return p, err
}

// Place returns the place of a run. ok is false if the run does not count.
func (p *Panel) Place(run int64) (place int, ok bool) {
	place, ok = p.place[run]
	return place, ok
}

// At returns a run's index in the kernel's occurrences, or -1.
func (k *Kernel) At(run int64) int {
	if place, counts := k.panel.place[run]; counts {
		i, has := slices.BinarySearchFunc(k.In, place, func(in Occurrence, at int) int { return in.Place - at })
		if has {
			return i
		}
	}
	return -1
}

// Point is one run's value of a metric.
type Point struct {
	Run     int64
	Time    time.Time
	Value   float64 // value in the unit of the metric
	Verdict string  // verdict of the row, as it was stored
}

// Value returns the value of a metric at an occurrence.
func (k *Kernel) Value(i int, m Metric) unit.Opt[float64] {
	v := k.In[i].values[m.index()]
	return unit.Maybe(v, !math.IsNaN(v))
}

// Points returns the points of a metric in run order. Runs without the metric
// have no point.
func (k *Kernel) Points(m Metric) (list []Point) {
	for i := range k.In {
		v, ok := k.Value(i, m).Value()
		if !ok {
			continue
		}
		r := &k.panel.Runs[k.In[i].Place]
		list = append(list, Point{r.ID, r.Time, v, k.In[i].Verdict})
	}
	return list
}

// ownRuns is the maximum number of runs that count per branch. That is enough
// to show two bad runs in a row, but too few for the branch's own runs to
// become the baseline.
const ownRuns = 3

// candidate is a run that may become part of a panel.
type candidate struct {
	*Run
	at     int64 // time of the run, or an earlier time derived from its commit
	commit int   // index among the commits, starting with 1; 0 if unknown
	own    bool  // the run is not on the base branch
}

// count sets the panel's runs: the last n runs of the program on the device,
// and the runs between them.
func (d *DB) count(ctx context.Context, p *Panel, run int64, n int) error {
	all, err := d.bareRuns(ctx, `WHERE id <= ? ORDER BY time, id`, cmp.Or(run, math.MaxInt64))
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(r Run) bool { return r.ID == run })
	if at < 0 && run != 0 {
		return d.noRun(run)
	}
	judged := Run{Branch: d.options.Branch}
	if at >= 0 {
		judged = all[at]
	} else if b := judged.Branch; b != "" && !slices.ContainsFunc(all, func(r Run) bool { return r.Branch == b }) {
		return fmt.Errorf("%w: %s has no run of the branch %q; 'occudiff track list --format json' prints the branches",
			errNoRun, d.engine.where, b)
	}
	counted := d.counted(all, &judged)
	p.Ordered = !slices.EqualFunc(all, counted, func(a Run, b candidate) bool { return a.ID == b.ID })
	is := func(c candidate) bool { return run == 0 || c.Device == judged.Device && c.Program == judged.Program }
	first, like := len(counted), 0
	for first > 0 && (n == 0 || like < n) {
		if first--; is(counted[first]) {
			like++
		}
	}
	p.Runs = make([]Run, 0, len(counted)-first)
	for i, c := range counted {
		if i >= first || c.ID == run { // a run with a wrong clock may be far from the other runs
			p.place[c.ID] = len(p.Runs)
			p.Runs = append(p.Runs, *c.Run)
		}
	}
	return nil
}

// counted returns the runs that count for a run, in their order.
func (d *DB) counted(all []Run, judged *Run) []candidate {
	places := make(map[string]int, len(d.options.Commits))
	for i, commit := range d.options.Commits {
		places[commit] = i + 1
	}
	var list []candidate
	for i := range all {
		r := &all[i]
		own := !d.IsBase(r.Branch)
		if !own || r.Branch == judged.Branch {
			list = append(list, candidate{r, r.Time.UnixMicro(), places[r.Commit], own})
		}
	}
	arrangeCommits(list)
	last := slices.IndexFunc(list, func(c candidate) bool { return c.ID == judged.ID })
	switch {
	case places[judged.Commit] != 0:
		list = list[:last+1]
	case last >= 0 && list[last].own: // even if its clock differs, the checked run is the last run of its branch
		list = append(slices.Delete(slices.Clone(list), last, last+1), list[last])
	}
	if own := slices.IndexFunc(list, func(c candidate) bool { return c.own }); own >= 0 {
		list = slices.Delete(list, own, max(own, len(list)-ownRuns))
	}
	return list
}

// arrangeCommits moves runs from time order to commit order: a run that is
// dated after a run of a later commit moves before that run. So a late job for
// an old commit is judged at that commit's place, and does not look like a drop
// in the newest commit.
func arrangeCommits(runs []candidate) {
	var known []*candidate
	for i := range runs {
		if runs[i].commit != 0 {
			known = append(known, &runs[i])
		}
	}
	slices.SortStableFunc(known, func(a, b *candidate) int { return cmp.Compare(a.commit, b.commit) })
	const end = 1<<63 - 1
	later, limit := int64(end), int64(end) // earliest time of this and later commits, and of later commits only
	for i := len(known) - 1; i >= 0; i-- {
		if i+1 < len(known) && known[i].commit != known[i+1].commit {
			limit = later
		}
		known[i].at = min(known[i].at, limit-1)
		later = min(later, known[i].at)
	}
	slices.SortStableFunc(runs, func(a, b candidate) int {
		switch {
		case a.own != b.own && a.own:
			return 1
		case a.own != b.own:
			return -1
		}
		return cmp.Or(cmp.Compare(a.at, b.at), a.Time.Compare(b.Time), cmp.Compare(a.ID, b.ID))
	})
}

// IsBase reports whether the runs of a branch are a baseline for other
// branches.
func (d *DB) IsBase(branch string) bool {
	return branch == "" || slices.Contains(d.options.Base, branch)
}

// askedKeys returns the keys of the series to read.
func (d *DB) askedKeys(ctx context.Context, p *Panel, run int64) (map[int64]Key, error) {
	doing := "reading the series of " + d.engine.where
	keys, err := d.readKeys(ctx, d.source(), "")
	if err != nil || run == 0 {
		return keys, d.engine.explain(doing, err)
	}
	judged := p.Runs[p.place[run]]
	type kernel struct{ task, direction string }
	has := map[kernel]bool{}
	text := `SELECT series_id FROM occudiff_kernel WHERE run_id = ?`
	err = d.query(ctx, doing, text, []any{run}, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		has[kernel{keys[id].Task, keys[id].Direction}] = true
		return err
	})
	for id, k := range keys {
		here := OnDevice(k.Device, judged.Device) && SameProgram(k.Program, judged.Program)
		if !here && !has[kernel{k.Task, k.Direction}] {
			delete(keys, id)
		}
	}
	return keys, err
}

// readKernels reads the rows of the kernels. It skips runs that do not count,
// and runs that were stored after the list of runs was read.
func (d *DB) readKernels(ctx context.Context, p *Panel, run int64, n int, keys map[int64]Key, metrics []Metric) error {
	doing, text := "reading the series of "+d.engine.where, `SELECT series_id, run_id, verdict`
	var series, of int64
	var verdict sql.RawBytes
	into := []any{&series, &of, &verdict}
	var values Values
	for i := range columns {
		if slices.ContainsFunc(metrics, func(m Metric) bool { return m.index() == i }) {
			text += ", " + string(columns[i].Metric)
			into = append(into, (*number)(&values[i]))
		}
	}
	at := map[int64]int{} // index in Kernels for each series
	read := func(rows *sql.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		place, counts := p.place[of]
		key, known := keys[series]
		if !counts || !known {
			return nil
		}
		i, there := at[series]
		if !there {
			i, at[series] = len(p.Kernels), len(p.Kernels)
			p.Kernels = append(p.Kernels, Kernel{ID: series, Key: key, panel: p})
		}
		k := &p.Kernels[i]
		// All rows with the same verdict share one string.
		in := Occurrence{Place: place, Verdict: unique.Make(string(verdict)).Value()}
		for i, v := range values {
			in.values[i] = v.Or(math.NaN())
		}
		k.In = append(k.In, in)
		return nil
	}
	// The rows are read without an order, because a server needs longer to sort
	// them than to read them.
	defer func() {
		slices.SortFunc(p.Kernels, func(a, b Kernel) int { return cmp.Compare(a.ID, b.ID) })
		p.sortRuns()
	}()
	text += ` FROM occudiff_kernel`
	if run == 0 && n == 0 {
		return d.query(ctx, doing, text, nil, read)
	}
	since, last := int64(math.MaxInt64), run
	for i := range p.Runs {
		since = min(since, p.Runs[i].Time.UnixMicro())
		last = max(last, p.Runs[i].ID)
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(keys)), d.engine.batch) {
		where := ` WHERE time >= ? AND run_id <= ? AND series_id IN (` + marks(len(part)) + `)`
		if err := d.query(ctx, doing, text+where, append([]any{since, last}, anyOf(part)...), read); err != nil {
			return err
		}
	}
	return nil
}

// sortRuns sorts each kernel's occurrences in run order.
func (p *Panel) sortRuns() {
	for i := range p.Kernels {
		slices.SortFunc(p.Kernels[i].In, func(a, b Occurrence) int { return cmp.Compare(a.Place, b.Place) })
	}
}
