package history

import (
	"context"
	"database/sql"
	"time"

	"occudiff/ingest/unit"
)

// List gives all runs, oldest first, with their inputs and without their rows.
func (d *DB) List(ctx context.Context) ([]Run, error) {
	return d.runs(ctx, "", nil)
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
