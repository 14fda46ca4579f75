package history

import (
	"context"
	"database/sql"
	"fmt"
)

// verify looks for damage of a file that reading would not notice, because it makes rows, runs or whole series disappear:
// pages that do not fit together, rows without their run or series, runs without some of their rows, keys that are not
// what their digest says. It reads all keys and indexes; for a million rows that takes 2 s. A number that has become
// another number is not found. Each statement sees one state, so that a writer beside it is no damage. A server looks
// after its pages itself.
func (d *DB) verify(ctx context.Context) error {
	if d.engine.server {
		return nil
	}
	err := d.lookForDamage(ctx)
	if err == nil {
		err = d.verifyKeys(ctx)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w; --no-verify reads what is left", err)
	}
	return err
}

const sums = "COUNT(*), SUM(series_id), SUM(run_id), SUM(series_id * (time % 65521)), SUM(run_id * (time % 65521))"

// damage counts what is damaged.
var damage = []struct{ what, count string }{
	// An index has no position, so that the first of the two reads the table.
	{"index says other kernels than its table", `SELECT COUNT(*) FROM
		(SELECT ` + sums + ` FROM occudiff_kernel WHERE position >= 0
		EXCEPT SELECT ` + sums + ` FROM occudiff_kernel INDEXED BY occudiff_kernel_run)`},
	{"runs have another number of kernels than was stored", `SELECT COUNT(*) FROM occudiff_run r WHERE
		kernels <> (SELECT COUNT(*) FROM occudiff_kernel k WHERE k.run_id = r.id AND k.time = r.time)`},
	{"kernels are of no run", `SELECT (SELECT COUNT(*) FROM occudiff_kernel) -
		(SELECT COALESCE(SUM(kernels), 0) FROM occudiff_run)`},
	{"kernels are of no series", `SELECT (SELECT COUNT(*) FROM occudiff_kernel) -
		(SELECT COUNT(*) FROM occudiff_series s JOIN occudiff_kernel k ON k.series_id = s.id)`},
	{"files or digests are of no run", `SELECT COUNT(*) FROM (SELECT run_id FROM occudiff_input
		UNION SELECT run_id FROM occudiff_content EXCEPT SELECT id FROM occudiff_run)`},
	{"runs have no digest", `SELECT COUNT(*) FROM
		(SELECT id FROM occudiff_run EXCEPT SELECT run_id FROM occudiff_content)`},
}

func (d *DB) lookForDamage(ctx context.Context) error {
	var pages string
	err := d.source().QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&pages)
	if err == nil && pages != "ok" {
		return d.damaged(pages)
	}
	for _, c := range damage {
		var n int64
		if err == nil {
			err = d.source().QueryRowContext(ctx, c.count).Scan(&n)
		}
		if n != 0 {
			return d.damaged(fmt.Sprintf("%d %s", n, c.what))
		}
	}
	return d.engine.explain("verifying the history "+d.engine.where, err)
}

// verifyKeys holds the keys of all series against their digests.
func (d *DB) verifyKeys(ctx context.Context) error {
	wrong := 0
	text := `SELECT identity, kernel_identity, ` + keyColumns + ` FROM occudiff_series`
	err := d.query(ctx, "verifying the history "+d.engine.where, text, nil, func(rows *sql.Rows) error {
		var identity, kernel string
		var k Key
		err := rows.Scan(append([]any{&identity, &kernel}, k.fields()...)...)
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
