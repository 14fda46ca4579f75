package history

import (
	"context"
	"database/sql"
	"time"
)

// Absence is a kernel that a run has.
type Absence struct {
	Run int64
	Key Key
}

// Absences lists, since a time, which runs of the program of a run on its device have which kernels that it has in no
// launch shape.
func (d *DB) Absences(ctx context.Context, run *Run, since time.Time) (list []Absence, err error) {
	// SQLite takes the tables of a CROSS JOIN in their order, and leaves series out before their rows are read.
	text := `SELECT k.run_id, ` + keyColumns + ` FROM occudiff_series s CROSS JOIN occudiff_kernel k
		WHERE k.series_id = s.id AND k.time >= ? AND k.run_id < ? AND (? = '' OR s.device = ? OR s.device LIKE ?)
		AND (s.program = ? OR s.program = '' OR ? = '') AND s.task NOT IN
		(SELECT o.task FROM occudiff_kernel n JOIN occudiff_series o ON o.id = n.series_id WHERE n.run_id = ?)
		ORDER BY s.id, k.time`
	args := []any{since.UnixMicro(), run.ID, run.Device, run.Device, run.Device + " %", run.Program,
		run.Program, run.ID}
	err = d.query(ctx, "reading the kernels of "+d.engine.where, text, args, func(rows *sql.Rows) error {
		var a Absence
		var err error
		a.Key, err = scanKey(rows, &a.Run)
		list = append(list, a)
		return err
	})
	return list, err
}
