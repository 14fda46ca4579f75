package history

import "context"

// Remove deletes a run with its rows. Its content may be added again. The names of series stay.
func (d *DB) Remove(ctx context.Context, id int64) error {
	return d.write(ctx, "removing a run from "+d.engine.where, func(w *writing) {
		if w.exec(`DELETE FROM occudiff_run WHERE id = ?`, id) == 0 {
			w.fail("%w", d.noRun(id))
		}
		for _, table := range []string{"kernel", "input", "content", "accept", "rename"} {
			w.exec(`DELETE FROM occudiff_`+table+` WHERE run_id = ?`, id)
			w.at("removed")
		}
	})
}
