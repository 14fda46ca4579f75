package history

import (
	"context"
	"database/sql"
	"slices"
	"time"
)

// Spans gives every series of the tasks that a run has, whatever the launch shape, device and driver, as it was when
// the run was added: what came before it and where that ended. First and last are those by time. With byAdding they are
// those that were added first and last, and their times are left out. Runs that do not count for the run are left out.
func (d *DB) Spans(ctx context.Context, run int64, byAdding bool) ([]Span, error) {
	// By task and not by key: what came before has another device, driver or launch shape.
	of := ` o.task IN
		(SELECT s.task FROM occudiff_kernel n JOIN occudiff_series s ON s.id = n.series_id WHERE n.run_id = ?)`
	var base []any
	for _, name := range d.options.Base {
		base = append(base, name)
	}
	counted := ` AND k.run_id IN (SELECT x.id FROM occudiff_run x WHERE x.branch IN (` + marks(len(base)+1) + `)
		OR x.branch = (SELECT y.branch FROM occudiff_run y WHERE y.id = ?))`
	upTo := append(append([]any{run, ""}, base...), run) // the values of one such condition
	end := func(column, order string) string {
		return `(SELECT k.` + column + ` FROM occudiff_kernel k WHERE k.series_id = o.id AND k.run_id <= ?` +
			counted + ` ORDER BY k.time` + order + `, k.run_id` + order + ` LIMIT 1), `
	}
	text := `SELECT o.id, ` + end("time", "") + end("run_id", "") + end("time", " DESC") + end("run_id", " DESC") +
		keyColumns + ` FROM occudiff_series o WHERE` + of + ` ORDER BY o.id`
	args := append(slices.Concat(upTo, upTo, upTo, upTo), run)
	if byAdding {
		text = `SELECT o.id, 0, MIN(k.run_id), 0, MAX(k.run_id), ` + keyColumns + `
			FROM occudiff_series o JOIN occudiff_kernel k ON k.series_id = o.id
			WHERE k.run_id <= ?` + counted + ` AND` + of + ` GROUP BY o.id ORDER BY o.id`
		args = append(upTo, run)
	}
	var spans []Span
	err := d.query(ctx, "reading the series of "+d.engine.where, text, args, func(rows *sql.Rows) error {
		var id int64
		var at [4]sql.NullInt64
		k, err := scanKey(rows, &id, &at[0], &at[1], &at[2], &at[3])
		if err == nil && at[0].Valid { // else all of its runs were added later
			spans = append(spans, Span{ID: id, Key: k, First: time.UnixMicro(at[0].Int64).UTC(), FirstRun: at[1].Int64,
				Last: time.UnixMicro(at[2].Int64).UTC(), Run: at[3].Int64})
		}
		return err
	})
	return spans, err
}
