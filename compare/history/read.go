package history

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"occudiff/ingest/unit"
)

// List returns all runs, oldest first, with inputs but without rows.
func (d *DB) List(ctx context.Context) ([]Run, error) {
	return d.runs(ctx, "", nil)
}

// Newest returns all runs without inputs and rows, the most recently added run
// first.
func (d *DB) Newest(ctx context.Context) ([]Run, error) {
	return d.bareRuns(ctx, "ORDER BY id DESC")
}

// DatedFrom returns the runs dated at or after a time, in the same form as
// Newest.
func (d *DB) DatedFrom(ctx context.Context, t time.Time) ([]Run, error) {
	return d.bareRuns(ctx, "WHERE time >= ? ORDER BY id DESC", t.UnixMicro())
}

// bareRuns returns runs without their inputs.
func (d *DB) bareRuns(ctx context.Context, which string, args ...any) (runs []Run, err error) {
	err = d.query(ctx, "listing the runs of "+d.engine.where, runText+which, args, func(rows *sql.Rows) error {
		r, err := scanRun(rows)
		runs = append(runs, r)
		return err
	})
	return runs, err
}

// runs returns the runs that meet a condition.
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
			if i, ok := at[id]; ok { // another process may add a run between the two selects
				runs[i].Inputs = append(runs[i].Inputs, in)
			}
			return err
		})
	return runs, err
}

// runText selects runs for scanRun.
const runText = `SELECT id, time, kernels, frequency,
	label, host, job, device, driver, vtune, commit_id, branch, program FROM occudiff_run `

// scanRun returns a run.
func scanRun(rows *sql.Rows) (r Run, err error) {
	err = rows.Scan(&r.ID, (*micros)(&r.Time), &r.Kernels, (*number)(&r.Frequency), &r.Label, &r.Host, &r.JobID,
		&r.Device, &r.Driver, &r.VTune, &r.Commit, &r.Branch, &r.Program)
	return r, err
}

// Get returns a run with its rows, in the order they were added.
func (d *DB) Get(ctx context.Context, id int64) (Run, error) {
	runs, err := d.runs(ctx, "WHERE id = ?", []any{id})
	if err != nil {
		return Run{}, err
	}
	if len(runs) == 0 {
		return Run{}, d.noRun(id)
	}
	run := runs[0]
	run.Rows, err = d.rowsOf(ctx, d.source(), id)
	return run, d.engine.explain("reading a run of "+d.engine.where, err)
}

// rowsOf returns a run's rows.
func (d *DB) rowsOf(ctx context.Context, from source, run int64) (list []Row, err error) {
	text := `SELECT k.verdict, k.cause, ` + keyColumns + columnNames(", k.", "") + `
		FROM occudiff_kernel k JOIN occudiff_series s ON s.id = k.series_id WHERE k.run_id = ? ORDER BY k.position`
	err = d.scanEach(ctx, from, text, []any{run}, func(rows *sql.Rows) error {
		var r Row
		err := rows.Scan(slices.Concat([]any{&r.Verdict, &r.Cause}, r.Key.fields(), r.Values.fields())...)
		list = append(list, r)
		return err
	})
	return list, err
}

// readKeys returns the keys of series, by series number.
func (d *DB) readKeys(ctx context.Context, from source, where string, args ...any) (map[int64]Key, error) {
	keys := map[int64]Key{}
	err := d.scanEach(ctx, from, `SELECT id, `+keyColumns+` FROM occudiff_series `+where, args, func(rows *sql.Rows) error {
		var id int64
		var k Key
		err := rows.Scan(append([]any{&id}, k.fields()...)...)
		keys[id] = k
		return err
	})
	return keys, err
}

// keyColumns names the columns of a key, in the order of Key.fields.
const keyColumns = "task, global_size, local_size, simd, direction, device, driver, program"

func (k *Key) fields() []any {
	return []any{&k.Task, (*size)(&k.Global), (*size)(&k.Local), &k.SIMD, &k.Direction, &k.Device, &k.Driver,
		&k.Program}
}

// fields returns the metrics' columns, for scanning.
func (v *Values) fields() []any {
	list := make([]any, len(v))
	for i := range v {
		list[i] = (*number)(&v[i])
	}
	return list
}

// The following types read columns whose stored type differs from the field's
// type.
type (
	micros time.Time         // stored as microseconds since 1970
	size   unit.Size3        // stored as a string
	number unit.Opt[float64] // stored as NULL if absent
)

// Scan implements sql.Scanner.
func (m *micros) Scan(value any) error {
	us, ok := value.(int64)
	*m = micros(time.UnixMicro(us).UTC())
	return mistyped(value, ok)
}

// Scan implements sql.Scanner.
func (s *size) Scan(value any) error {
	text, ok := value.(string)
	parsed, err := unit.ParseSize(text)
	*s = size(parsed)
	return cmp.Or(mistyped(value, ok), err)
}

// Scan implements sql.Scanner.
func (n *number) Scan(value any) error {
	x, ok := value.(float64)
	*n = number(unit.Maybe(x, ok))
	return mistyped(value, ok || value == nil)
}

// mistyped returns an error if ok is false. A column that this program wrote
// cannot have such a value, so the file is damaged.
func mistyped(value any, ok bool) error {
	if ok {
		return nil
	}
	return fmt.Errorf("a cell holds %v", value)
}
