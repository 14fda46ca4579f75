package history

import (
	"context"
	"database/sql"
)

// Remove deletes a run with its rows. Its content may be added again. The names of series stay.
func (d *DB) Remove(ctx context.Context, id int64) error {
	return d.write(ctx, "removing a run from "+d.engine.where, func(tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, d.engine.bind(`DELETE FROM occudiff_run WHERE id = ?`), id)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			if err == nil {
				err = d.noRun(id)
			}
			return err
		}
		for _, table := range []string{"occudiff_kernel", "occudiff_input", "occudiff_content", "occudiff_accept",
			"occudiff_rename"} {
			if err := d.exec(ctx, tx, `DELETE FROM `+table+` WHERE run_id = ?`, id); err != nil {
				return err
			}
			d.at("removed")
		}
		return nil
	})
}
