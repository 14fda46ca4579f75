package history

import (
	"cmp"
	"context"
	"database/sql"
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

// since gives the time from which the runs are read that may count for one, however many there are: twice as many of
// its program on its device as are looked back over, since those of other branches do not count.
func (d *DB) since(ctx context.Context, run int64) (since int64, err error) {
	text := `SELECT COALESCE((SELECT x.time FROM occudiff_run x WHERE x.id <= r.id AND x.time <= r.time
		AND x.device = r.device AND x.program = r.program
		ORDER BY x.time DESC LIMIT 1 OFFSET ?), ` + minTime + `) FROM occudiff_run r WHERE r.id = ?`
	err = d.query(ctx, "reading the runs of "+d.engine.where, text, []any{2 * mostRuns, run},
		func(rows *sql.Rows) error { return rows.Scan(&since) })
	return since, err
}

// ownRuns is how many runs of a branch count: enough to see that two in a row are bad, and too few to become what they
// are judged by.
const ownRuns = 3

// mostRuns is over how many runs of its program on its device a check looks back.
const mostRuns = 600

// candidate is a run on its way into a lineup.
type candidate struct {
	id, time int64
	at       int64 // its time, or an earlier one that its commit says
	commit   int   // its place among the commits; 0 is not known
	own      bool  // of a branch that is not the base
	branch   string
	// What it is of: runs of other programs say nothing of how far back to look.
	device, program string
}

// IsBase says whether runs of a branch are those that others are judged by.
func (d *DB) IsBase(branch string) bool {
	return branch == "" || slices.Contains(d.options.Base, branch)
}

// lineup gives the runs that count for a run, or for the base branch when run is 0.
func (d *DB) lineup(ctx context.Context, run int64) (*lineup, error) {
	d.lined.Lock()
	defer d.lined.Unlock()
	if run != 0 && run == d.lined.run {
		return d.lined.lineup, nil
	}
	since, err := int64(firstTime), error(nil)
	if run != 0 {
		if since, err = d.since(ctx, run); err != nil {
			return nil, err
		}
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
	places := make(map[string]int, len(d.options.Commits))
	for i, commit := range d.options.Commits {
		places[commit] = i + 1
	}
	var all []candidate
	var judged candidate
	text, args := `SELECT id, time, commit_id, branch, device, program FROM occudiff_run`, []any(nil)
	if run != 0 {
		text, args = text+` WHERE id <= ? AND time >= ?`, []any{run, since}
	}
	err := d.query(ctx, "reading the runs of "+d.engine.where, text+` ORDER BY time, id`, args,
		func(rows *sql.Rows) error {
			var c candidate
			var commit string
			err := rows.Scan(&c.id, &c.time, &commit, &c.branch, &c.device, &c.program)
			c.at, c.commit, c.own = c.time, places[commit], !d.IsBase(c.branch)
			if c.id == run {
				judged = c
			}
			all = append(all, c)
			return err
		})
	if err != nil {
		return nil, 0, err
	}
	counted := slices.Clone(all)
	counted = slices.DeleteFunc(counted, func(c candidate) bool { return c.own && c.branch != judged.branch })
	arrangeCommits(counted)
	if judged.commit != 0 {
		last := slices.IndexFunc(counted, func(c candidate) bool { return c.id == run })
		counted = counted[:last+1]
	}
	own := slices.IndexFunc(counted, func(c candidate) bool { return c.own })
	if own >= 0 {
		counted = slices.Delete(counted, own, max(own, len(counted)-ownRuns))
	}
	l := &lineup{place: make(map[int64]int, len(counted)), since: since}
	l.plain = slices.EqualFunc(all, counted, func(a, b candidate) bool { return a.id == b.id })
	for i, c := range counted {
		l.place[c.id] = i
	}
	like := slices.DeleteFunc(counted, func(c candidate) bool {
		return c.device != judged.device || c.program != judged.program
	})
	if recent := like[max(0, len(like)-mostRuns):]; len(recent) < len(like) && run != 0 {
		l.since = slices.MinFunc(recent, func(a, b candidate) int { return cmp.Compare(a.time, b.time) }).time
	}
	return l, len(like), nil
}

// arrangeCommits puts runs in the order of time into that of their commits: one that is dated after a run of a later
// commit goes before that.
// A job that ran late for an old commit is judged where that commit stands, or it would look like a drop of the newest.
func arrangeCommits(runs []candidate) {
	var known []*candidate
	for i := range runs {
		if runs[i].commit != 0 {
			known = append(known, &runs[i])
		}
	}
	slices.SortStableFunc(known, func(a, b *candidate) int { return cmp.Compare(a.commit, b.commit) })
	const end = 1<<63 - 1
	later, limit := int64(end), int64(end) // the earliest of this commit and later ones, and of later ones alone
	for i := len(known) - 1; i >= 0; i-- {
		if i+1 < len(known) && known[i].commit != known[i+1].commit {
			limit = later
		}
		known[i].at = min(known[i].time, limit-1)
		later = min(later, known[i].at)
	}
	slices.SortStableFunc(runs, func(a, b candidate) int {
		switch {
		case a.own != b.own && a.own:
			return 1
		case a.own != b.own:
			return -1
		}
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.time, b.time), cmp.Compare(a.id, b.id))
	})
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
