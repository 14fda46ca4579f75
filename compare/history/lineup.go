package history

import (
	"cmp"
	"context"
	"slices"
	"sync"
)

// lineup is the runs that count for one that is judged, in the order in which they are judged: those of the base branch
// before it, and the last of its own branch behind these. The order is that of their commits where the repository knows
// them, else of time.
// It stands in memory, since neither database knows the order of commits.
type lineup struct {
	place map[int64]int // of each run that counts
	// plain says that all runs count, in the order of time: then the database does the work.
	plain bool
	since int64 // the time before which runs are too many to be read
}

// lineups keeps the one that was asked for last: a check asks for it again and again.
type lineups struct {
	sync.Mutex
	run int64
	*lineup
}

// mostRuns is over how many runs of its program on its device a check looks back.
const mostRuns = 600

// lineup gives the runs that count for a run, or for the base branch when run is 0.
func (d *DB) lineup(ctx context.Context, run int64) (*lineup, error) {
	d.lined.Lock()
	defer d.lined.Unlock()
	if run != 0 && run == d.lined.run {
		return d.lined.lineup, nil
	}
	since, err := d.since(ctx, run, mostRuns)
	if err != nil {
		return nil, err
	}
	l, like, err := d.lineupSince(ctx, run, since)
	if err == nil && since != firstTime && like < mostRuns { // its commit is an old one, or most runs are of branches
		l, _, err = d.lineupSince(ctx, run, firstTime)
	}
	if err == nil {
		d.lined.run, d.lined.lineup = run, l
	}
	return l, err
}

// lineupSince gives the lineup among the runs since a time, and how many of them are of the program of the run on its
// device.
func (d *DB) lineupSince(ctx context.Context, run, since int64) (*lineup, int, error) {
	which, args := `ORDER BY time, id`, []any(nil)
	if run != 0 {
		which, args = `WHERE id <= ? AND time >= ? ORDER BY time, id`, []any{run, since}
	}
	all, err := d.bareRuns(ctx, which, args...)
	if err != nil {
		return nil, 0, err
	}
	var judged Run
	if at := slices.IndexFunc(all, func(r Run) bool { return r.ID == run }); at >= 0 {
		judged = all[at]
	}
	counted := d.counted(all, &judged)
	l := &lineup{place: make(map[int64]int, len(counted)), since: since}
	l.plain = slices.EqualFunc(all, counted, func(a Run, b candidate) bool { return a.ID == b.ID })
	for i, c := range counted {
		l.place[c.ID] = i
	}
	like := slices.DeleteFunc(counted, func(c candidate) bool {
		return c.Device != judged.Device || c.Program != judged.Program
	})
	if recent := like[max(0, len(like)-mostRuns):]; len(recent) < len(like) && run != 0 {
		l.since = slices.MinFunc(recent, func(a, b candidate) int { return cmp.Compare(a.time, b.time) }).time
	}
	return l, len(like), nil
}

// arrange gives the points of runs that count, in their order.
func (l *lineup) arrange(points []Point) []Point {
	if l.plain {
		return points
	}
	points = slices.DeleteFunc(points, func(p Point) bool { _, counts := l.place[p.Run]; return !counts })
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(l.place[a.Run], l.place[b.Run]) })
	return points
}
