package history

import (
	"context"
	"database/sql"
	"maps"
	"math"
	"slices"
	"time"

	"occudiff/ingest/unit"
)

// Series is a metric over time, oldest first. Runs without the metric have no point.
type Series struct {
	ID     int64
	Key    Key
	Points []Point
	// Ordered says that commits or branches say the order of the points, and not their times.
	Ordered bool
}

// List gives all runs, oldest first, with their inputs and without their rows.
func (d *DB) List(ctx context.Context) ([]Run, error) {
	return d.runs(ctx, "", nil)
}

// Around gives the runs that a check of some runs looks at, oldest first: neither with inputs nor with rows.
func (d *DB) Around(ctx context.Context, runs []int64) ([]Run, error) {
	first := int64(math.MaxInt64)
	for _, run := range runs {
		since, err := d.since(ctx, run, mostRuns)
		if err != nil {
			return nil, err
		}
		first = min(first, since)
	}
	return d.bareRuns(ctx, "WHERE time >= ? ORDER BY time, id", first)
}

// Newest gives the n runs that were added last, the last one first, without inputs and rows; all of them when n is 0.
func (d *DB) Newest(ctx context.Context, n int) ([]Run, error) {
	if n == 0 {
		return d.bareRuns(ctx, "ORDER BY id DESC")
	}
	return d.bareRuns(ctx, "ORDER BY id DESC LIMIT ?", n)
}

// bareRuns reads runs without their inputs.
func (d *DB) bareRuns(ctx context.Context, which string, args ...any) (runs []Run, err error) {
	err = d.query(ctx, "listing the runs of "+d.engine.where, runText+which, args, func(rows *sql.Rows) error {
		r, err := scanRun(rows)
		runs = append(runs, r)
		return err
	})
	return runs, err
}

// runs reads runs that meet a condition.
func (d *DB) runs(ctx context.Context, where string, args []any) ([]Run, error) {
	runs, err := d.bareRuns(ctx, where+` ORDER BY time, id`, args...)
	if err != nil {
		return nil, err
	}
	at := make(map[int64]int, len(runs))
	for i := range runs {
		at[runs[i].ID] = i
	}
	err = d.query(ctx, "listing the runs of "+d.engine.where, `SELECT run_id, path, kind, digest, data_rows,
		bad_rows FROM occudiff_input WHERE run_id IN (SELECT id FROM occudiff_run `+where+`)
		ORDER BY run_id, position`, args,
		func(rows *sql.Rows) error {
			var id int64
			var in Input
			err := rows.Scan(&id, &in.Path, &in.Kind, &in.Digest, &in.Rows, &in.BadRows)
			if i, ok := at[id]; ok { // a run may come in between the two selects
				runs[i].Inputs = append(runs[i].Inputs, in)
			}
			return err
		})
	return runs, err
}

// runText selects runs, as scanRun reads them.
const runText = `SELECT id, time, kernels, frequency,
	label, host, job, device, driver, vtune, commit_id, branch, program FROM occudiff_run `

// scanRun reads a run.
func scanRun(rows *sql.Rows) (r Run, err error) {
	var us int64
	var frequency sql.NullFloat64
	err = rows.Scan(&r.ID, &us, &r.Kernels, &frequency, &r.Label, &r.Host, &r.JobID, &r.Device, &r.Driver, &r.VTune,
		&r.Commit, &r.Branch, &r.Program)
	r.Time = time.UnixMicro(us).UTC()
	if frequency.Valid {
		r.Frequency = unit.Some(frequency.Float64)
	}
	return r, err
}

// DatedLater gives the run with the latest date that was added before a run, on its device and driver, and is dated
// after it, though not after until; nil when there is none. Two runs that name different programs have nothing in
// common.
func (d *DB) DatedLater(ctx context.Context, run *Run, until time.Time) (*Run, error) {
	runs, err := d.runs(ctx, `WHERE id = (SELECT id FROM occudiff_run WHERE id < ? AND device = ? AND driver = ?
		AND (program = ? OR program = '' OR ? = '') AND time > ? AND time <= ? ORDER BY time DESC, id DESC LIMIT 1)`,
		[]any{run.ID, run.Device, run.Driver, run.Program, run.Program, run.Time.UnixMicro(), until.UnixMicro()})
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	return &runs[0], nil
}

// Get reads a run with its rows, in the order in which they were added.
func (d *DB) Get(ctx context.Context, id int64) (Run, error) {
	runs, err := d.runs(ctx, "WHERE id = ?", []any{id})
	if err != nil {
		return Run{}, err
	}
	if len(runs) == 0 {
		return Run{}, d.noRun(id)
	}
	run := runs[0]
	run.Rows, err = d.rows(ctx, d.source(), id)
	return run, d.engine.explain("reading a run of "+d.engine.where, err)
}

// rows reads the rows of a run.
func (d *DB) rows(ctx context.Context, from source, run int64) (list []Row, err error) {
	text := `SELECT k.verdict, k.cause, ` + keyColumns + columnNames(", k.", "") + `
		FROM occudiff_kernel k JOIN occudiff_series s ON s.id = k.series_id WHERE k.run_id = ? ORDER BY k.position`
	err = d.each(ctx, from, text, []any{run}, func(rows *sql.Rows) error {
		var r Row
		var sizes [2]string
		err := scanValues(rows, &r.Values, &r.Verdict, &r.Cause, &r.Task, &sizes[0], &sizes[1], &r.SIMD, &r.Direction,
			&r.Device, &r.Driver, &r.Program)
		if err == nil {
			err = r.setSizes(sizes)
		}
		list = append(list, r)
		return err
	})
	return list, err
}

// scanValues reads the columns of the metrics behind some others.
func scanValues(rows *sql.Rows, values *Values, before ...any) error {
	var read [len(columns)]sql.NullFloat64
	for i := range read {
		before = append(before, &read[i])
	}
	err := rows.Scan(before...)
	for i, v := range read {
		values[i] = unit.Maybe(v.Float64, v.Valid)
	}
	return err
}

// EachSeries visits every series that has the metric, in the order in which they were first stored, with all of its
// points of the base branch. Only one series is in memory at a time. An error of visit ends the reading and is returned
// as it is.
func (d *DB) EachSeries(ctx context.Context, m Metric, visit func(Series) error) error {
	l, err := d.lineup(ctx, 0)
	if err != nil {
		return err
	}
	return d.eachSeries(ctx, m, l, visit)
}

// eachSeries visits every series that has the metric with its points of the runs that count.
func (d *DB) eachSeries(ctx context.Context, m Metric, l *lineup, visit func(Series) error) error {
	keys, err := d.keys(ctx, "", nil)
	if err != nil {
		return err
	}
	text := `SELECT series_id, time, run_id, ` + m.selected("") + `, verdict FROM occudiff_kernel
		WHERE ` + m.column() + ` IS NOT NULL ORDER BY series_id, time, run_id`
	return d.series(ctx, keys, text, nil, l, visit)
}

// Latest gives the series of a run with their last points among the runs that count for it and were added up to it, in
// their order: n of them, and those between with the verdict passOver, which do not count; "" passes over none. A
// series without a point of the run has no value of the metric in it, or the run is dated before n others.
func (d *DB) Latest(ctx context.Context, run int64, m Metric, n int, passOver string) ([]Series, error) {
	keys, err := d.keys(ctx, `WHERE id IN (SELECT series_id FROM occudiff_kernel WHERE run_id = ?)`, []any{run})
	if err != nil {
		return nil, err
	}
	l, err := d.lineup(ctx, run)
	if err != nil {
		return nil, err
	}
	if !l.plain {
		return d.latestOf(ctx, m, keys, l, run, n, passOver)
	}
	args := []any{run, run, run, l.since}
	counts := ""
	if passOver != "" {
		counts = `AND x.verdict <> ? `
		args = append(args, passOver)
	}
	column := m.column()
	// Per series one step back over n points in the key, then forward from there. One bound on the time: with two,
	// SQLite takes the other one, and makes that step for every point.
	text := `SELECT k.series_id, k.time, k.run_id, ` + m.selected("k.") + `, k.verdict
		FROM occudiff_kernel newest JOIN occudiff_kernel k ON k.series_id = newest.series_id
		WHERE newest.run_id = ? AND k.` + column + ` IS NOT NULL AND k.run_id <= ?
		AND k.time >= COALESCE(
			(SELECT x.time FROM occudiff_kernel x WHERE x.series_id = newest.series_id AND x.` + column + ` IS NOT NULL
			AND x.run_id <= ? AND x.time >= ? ` + counts + `ORDER BY x.time DESC, x.run_id DESC LIMIT 1 OFFSET ?), ?)
		ORDER BY k.series_id, k.time, k.run_id`
	var all []Series
	err = d.series(ctx, keys, text, append(args, n-1, l.since), l, func(s Series) error {
		s.Points = s.Points[cut(s.Points, n, passOver):] // runs of the moment of the first one
		all = append(all, s)
		return nil
	})
	return all, err
}

// latestOf is Latest where the database cannot pick the runs.
func (d *DB) latestOf(ctx context.Context, m Metric, keys map[int64]Key, l *lineup, run int64, n int,
	passOver string) (all []Series, err error) {
	ids := slices.Sorted(maps.Keys(keys))
	points, err := d.points(ctx, m, ids, l, l.since, run)
	for _, id := range ids {
		if p := points[id]; len(p) > 0 {
			all = append(all, Series{ID: id, Key: keys[id], Points: p[cut(p, n, passOver):], Ordered: true})
		}
	}
	return all, err
}

// Points gives the points of some series since a time among the runs that count for a run and were added up to it, in
// their order.
func (d *DB) Points(ctx context.Context, m Metric, ids []int64, since time.Time, run int64) (map[int64][]Point, error) {
	l, err := d.lineup(ctx, run)
	if err != nil {
		return nil, err
	}
	from := l.since
	if !since.IsZero() {
		from = max(from, since.UnixMicro())
	}
	return d.points(ctx, m, ids, l, from, run)
}

// points gives the points of some series since a time.
func (d *DB) points(ctx context.Context, m Metric, ids []int64, l *lineup, from, run int64) (
	map[int64][]Point, error) {
	all := map[int64][]Point{}
	for part := range slices.Chunk(ids, d.engine.batch) {
		args := []any{from, run}
		keys := map[int64]Key{}
		for _, id := range part {
			args = append(args, id)
			keys[id] = Key{}
		}
		text := `SELECT series_id, time, run_id, ` + m.selected("") + `, verdict FROM occudiff_kernel
			WHERE ` + m.column() + ` IS NOT NULL AND time >= ? AND run_id <= ?
				AND series_id IN (` + marks(len(part)) + `)
			ORDER BY series_id, time, run_id`
		err := d.series(ctx, keys, text, args, l, func(s Series) error {
			all[s.ID] = s.Points
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// cut gives where the last n points begin, and those between that do not count.
func cut(points []Point, n int, passOver string) int {
	for i := len(points) - 1; i >= 0; i-- {
		if passOver != "" && points[i].Verdict == passOver {
			continue
		}
		if n--; n == 0 {
			return i
		}
	}
	return 0
}

// firstTime is before any run, minTime the same in SQL.
const (
	firstTime = -9223372036854775807
	minTime   = "-9223372036854775807"
)

// keys reads the keys of series.
func (d *DB) keys(ctx context.Context, where string, args []any) (map[int64]Key, error) {
	keys := map[int64]Key{}
	err := d.query(ctx, "reading the series of "+d.engine.where,
		`SELECT id, `+keyColumns+` FROM occudiff_series `+where, args,
		func(rows *sql.Rows) error {
			var id int64
			k, err := scanKey(rows, &id)
			keys[id] = k
			return err
		})
	return keys, err
}

// keyColumns are those of a key, as scanKey reads them.
const keyColumns = "task, global_size, local_size, simd, direction, device, driver, program"

// scanKey reads a key behind some other columns.
func scanKey(rows *sql.Rows, before ...any) (k Key, err error) {
	var global, local string
	into := append(before, &k.Task, &global, &local, &k.SIMD, &k.Direction, &k.Device, &k.Driver, &k.Program)
	if err = rows.Scan(into...); err != nil {
		return k, err
	}
	return k, k.setSizes([2]string{global, local})
}

// setSizes reads the sizes of a launch, global and local.
func (k *Key) setSizes(text [2]string) (err error) {
	if k.Global, err = unit.ParseSize(text[0]); err == nil {
		k.Local, err = unit.ParseSize(text[1])
	}
	return err
}

// series groups rows of (series, time, run, value, beside, verdict) that come in order, those of runs that count.
func (d *DB) series(ctx context.Context, keys map[int64]Key, text string, args []any, l *lineup,
	visit func(Series) error) error {
	var s Series
	var stopped error
	words := map[string]string{} // one text for all points of a verdict
	flush := func() error {
		if len(s.Points) == 0 {
			return nil
		}
		key, ok := keys[s.ID]
		if !ok {
			return nil // stored after the keys were read
		}
		s.Key, s.Ordered = key, !l.plain
		if s.Points = l.arrange(s.Points); len(s.Points) == 0 {
			return nil
		}
		stopped = visit(s)
		return stopped
	}
	err := d.query(ctx, "reading the series of "+d.engine.where, text, args, func(rows *sql.Rows) error {
		var id, us, run int64
		var value float64
		var beside sql.NullFloat64
		var raw sql.RawBytes
		if err := rows.Scan(&id, &us, &run, &value, &beside, &raw); err != nil {
			return err
		}
		verdict, known := words[string(raw)]
		if !known {
			verdict = string(raw)
			words[verdict] = verdict
		}
		if id != s.ID {
			if err := flush(); err != nil {
				return err
			}
			s = Series{ID: id, Points: make([]Point, 0, len(s.Points)+1)}
		}
		p := Point{Run: run, Time: time.UnixMicro(us).UTC(), Value: value, Verdict: verdict}
		if beside.Valid {
			p.Beside = unit.Some(beside.Float64)
		}
		s.Points = append(s.Points, p)
		return nil
	})
	if stopped != nil {
		return stopped
	}
	if err != nil {
		return err
	}
	return flush()
}
