package history

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
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
	if err == nil {
		err = d.verifyKeys(ctx)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w; --no-verify reads what is left", err)
	}
	return err
}

// recentRuns is how many runs are verified on a server.
const recentRuns = 600

// damage counts what is damaged among the runs behind number {behind}; {recent} says so where all are meant on a file.
var damage = []struct {
	what, count string
	ofFile      bool // of a file alone
}{
	// An index has no position, so that the first of the two reads the table.
	{"index says other kernels than its table", `SELECT COUNT(*) FROM
		(SELECT {sums} FROM occudiff_kernel WHERE position >= 0
		EXCEPT SELECT {sums} FROM occudiff_kernel INDEXED BY occudiff_kernel_run)`, true},
	{"runs have another number of kernels than was stored", `SELECT COUNT(*) FROM occudiff_run r WHERE id > {behind} AND
		kernels <> (SELECT COUNT(*) FROM occudiff_kernel k WHERE k.run_id = r.id AND k.time = r.time)`, false},
	{"kernels are of no run", `SELECT (SELECT COUNT(*) FROM occudiff_kernel{recent}) -
		(SELECT COALESCE(SUM(kernels), 0) FROM occudiff_run WHERE id > {behind})`, false},
	{"kernels are of no series", `SELECT (SELECT COUNT(*) FROM occudiff_kernel{recent}) -
		(SELECT COUNT(*) FROM occudiff_series s JOIN occudiff_kernel k ON k.series_id = s.id{recent})`, false},
	{"files or digests are of no run", `SELECT COUNT(*) FROM (SELECT run_id FROM occudiff_input WHERE run_id > {behind}
		UNION SELECT run_id FROM occudiff_content WHERE run_id > {behind}
		EXCEPT SELECT id FROM occudiff_run WHERE id > {behind}) x`, false},
	{"runs have no digest", `SELECT COUNT(*) FROM (SELECT id FROM occudiff_run WHERE id > {behind}
		EXCEPT SELECT run_id FROM occudiff_content WHERE run_id > {behind}) x`, false},
}

func (d *DB) lookForDamage(ctx context.Context) error {
	doing := "verifying the history " + d.engine.where
	answer, behind, recent := "", int64(0), ""
	var err error
	if d.engine.server {
		err = d.source().QueryRowContext(ctx, "SELECT COALESCE(MAX(id), 0) FROM occudiff_run").Scan(&behind)
		behind -= recentRuns
		recent = fmt.Sprint(" WHERE run_id > ", behind)
	} else {
		err = d.source().QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&answer)
	}
	if err == nil && answer != "" && answer != "ok" {
		return d.damaged(answer)
	}
	spell := strings.NewReplacer("{behind}", fmt.Sprint(behind), "{recent}", recent, "{sums}",
		"COUNT(*), SUM(series_id), SUM(run_id), SUM(series_id * (time % 65521)), SUM(run_id * (time % 65521))")
	for _, c := range damage {
		if err != nil || c.ofFile && d.engine.server {
			continue
		}
		var n int64
		err = d.source().QueryRowContext(ctx, spell.Replace(c.count)).Scan(&n)
		if err == nil && n != 0 {
			return d.damaged(fmt.Sprintf("%d %s", n, c.what))
		}
	}
	return d.engine.explain(doing, err)
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
