package history

import (
	"context"
	"database/sql"
	"fmt"
)

// verify looks for damage that reading would not notice, because it makes rows, runs or whole series disappear: pages
// that do not fit together, rows without their run or series, runs without some of their rows, keys that are not what
// their digest says. It reads all keys and indexes; for a million rows that takes 2 s on a file. A number that has
// become another number is not found. Each statement sees one state, so that a writer beside it is no damage.
//
// A server looks after its pages itself, and may hold a hundred million rows, which take minutes to read: there the
// runs that were added last are verified, and the keys.
func (d *DB) verify(ctx context.Context) error {
	err := d.lookForDamage(ctx)
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w; --no-verify reads what is left", err)
	}
	return err
}

// recentRuns is how many runs are verified on a server.
const recentRuns = 600

func (d *DB) lookForDamage(ctx context.Context) error {
	doing := "verifying the history " + d.engine.where
	// An index has no position, so that the first of the two reads the table.
	recent := func(string) string { return "" } // a condition on the number of a run
	if d.engine.server {
		var last int64
		err := d.source().QueryRowContext(ctx, "SELECT COALESCE(MAX(id), 0) FROM occudiff_run").Scan(&last)
		if err != nil {
			return d.engine.explain(doing, err)
		}
		recent = func(column string) string { return fmt.Sprint(column, " > ", last-recentRuns) }
	}
	const sums = "COUNT(*), SUM(series_id), SUM(run_id), SUM(series_id * (time % 65521)), SUM(run_id * (time % 65521))"
	if !d.engine.server {
		var answer string
		if err := d.source().QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&answer); err != nil {
			return d.engine.explain(doing, err)
		}
		if answer != "ok" {
			return d.damaged(answer)
		}
	}
	for _, c := range []struct {
		what, count string
		fileOnly    bool
	}{
		{"runs have another number of kernels than was stored", `SELECT COUNT(*) FROM occudiff_run r WHERE kernels <>
			(SELECT COUNT(*) FROM occudiff_kernel k WHERE k.run_id = r.id AND k.time = r.time)` + recent(" AND id"),
			false},
		{"kernels are of no run", `SELECT (SELECT COUNT(*) FROM occudiff_kernel` + recent(" WHERE run_id") + `) -
			(SELECT COALESCE(SUM(kernels), 0) FROM occudiff_run` + recent(" WHERE id") + `)`, false},
		{"kernels are of no series", `SELECT (SELECT COUNT(*) FROM occudiff_kernel` + recent(" WHERE run_id") + `) -
			(SELECT COUNT(*) FROM occudiff_series s JOIN occudiff_kernel k ON k.series_id = s.id` +
			recent(" WHERE run_id") + `)`, false},
		{"index says other kernels than its table", `SELECT COUNT(*) FROM
			(SELECT ` + sums + ` FROM occudiff_kernel WHERE position >= 0
			EXCEPT SELECT ` + sums + ` FROM occudiff_kernel INDEXED BY occudiff_kernel_run)`, true},
		{"files are of no run", `SELECT COUNT(*) FROM occudiff_input WHERE NOT EXISTS
			(SELECT 1 FROM occudiff_run WHERE id = run_id)` + recent(" AND run_id"), false},
		{"digests are of no run", `SELECT COUNT(*) FROM occudiff_content WHERE NOT EXISTS
			(SELECT 1 FROM occudiff_run WHERE id = run_id)` + recent(" AND run_id"), false},
		{"runs have no digest", `SELECT COUNT(*) FROM occudiff_run WHERE NOT EXISTS
			(SELECT 1 FROM occudiff_content WHERE run_id = id)` + recent(" AND id"), false},
	} {
		if c.fileOnly && d.engine.server {
			continue
		}
		var n int64
		if err := d.source().QueryRowContext(ctx, c.count).Scan(&n); err != nil {
			return d.engine.explain(doing, err)
		}
		if n != 0 {
			return d.damaged(fmt.Sprintf("%d %s", n, c.what))
		}
	}
	return d.verifyKeys(ctx, doing)
}

// verifyKeys holds the keys of all series against their digests.
func (d *DB) verifyKeys(ctx context.Context, doing string) error {
	wrong := 0
	text := `SELECT identity, kernel_identity, ` + keyColumns + ` FROM occudiff_series`
	err := d.query(ctx, doing, text, nil, func(rows *sql.Rows) error {
		var identity, kernel string
		k, err := scanKey(rows, &identity, &kernel)
		if err == nil && (k.identity() != identity || k.kernelIdentity() != kernel) {
			wrong++
		}
		return err
	})
	if err == nil && wrong > 0 {
		err = d.damaged(fmt.Sprintf("%d series are not what their digest says", wrong))
	}
	return err
}

// damaged is the error of a history in which something is missing.
func (d *DB) damaged(what string) error {
	return fmt.Errorf("%w: %s: %s; restore a copy", errDamaged, d.engine.where, what)
}
