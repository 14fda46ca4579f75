package history

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Accept says that a level of occupancy is the one that is wanted from a run on: the baseline begins there.
// It is a statement about the history and changes no run: taking it back leaves everything as it was.
type Accept struct {
	ID   int64
	Run  int64
	Time time.Time // when it was said
	Note string
	// Series is the one it is said of, with its Key; 0 for all of the run's program on its device.
	Series int64
	Key    Key
	of     Run
}

// Covers says whether it is said of a series.
func (a *Accept) Covers(id int64, k Key) bool {
	if a.Series != 0 {
		return a.Series == id
	}
	return onDevice(&a.of, k) && (a.of.Program == "" || k.Program == "" || a.of.Program == k.Program)
}

// onDevice says whether a series is on the device of a run or one of its adapters.
func onDevice(run *Run, k Key) bool {
	return k.Device == run.Device || run.Device == "" || strings.HasPrefix(k.Device, run.Device+" ")
}

// Accepts lists what was accepted, in the order of it.
func (d *DB) Accepts(ctx context.Context) (list []Accept, err error) {
	keys, err := d.keys(ctx, `WHERE id IN (SELECT series_id FROM occudiff_accept)`, nil)
	if err != nil {
		return nil, err
	}
	text := `SELECT a.id, a.run_id, a.series_id, a.time, a.note, r.device, r.program
		FROM occudiff_accept a JOIN occudiff_run r ON r.id = a.run_id ORDER BY a.id`
	err = d.query(ctx, "reading what was accepted in "+d.engine.where, text, nil, func(rows *sql.Rows) error {
		var a Accept
		var us int64
		err := rows.Scan(&a.ID, &a.Run, &a.Series, &us, &a.Note, &a.of.Device, &a.of.Program)
		a.Time, a.Key = time.UnixMicro(us).UTC(), keys[a.Series]
		list = append(list, a)
		return err
	})
	return list, err
}

// Accept stores that the level of a run is accepted: of all kernels, or of those that match, whether the run has them
// or lacks them. It gives what was stored.
func (d *DB) Accept(ctx context.Context, run int64, matches func(Key) bool, note string, now time.Time) (
	list []Accept, err error) {
	err = d.write(ctx, "accepting a run of "+d.engine.where, func(tx *sql.Tx) error {
		of := Run{}
		err := d.row(ctx, tx, `SELECT device, program FROM occudiff_run WHERE id = ?`, run).
			Scan(&of.Device, &of.Program)
		if err == sql.ErrNoRows {
			err = d.noRun(run)
		}
		if err != nil {
			return err
		}
		all := Accept{Run: run, Time: now.UTC(), Note: cleanText(note), of: of}
		list = []Accept{all}
		if matches != nil {
			list = nil
			err = d.each(ctx, tx, `SELECT id, `+keyColumns+` FROM occudiff_series ORDER BY id`, nil,
				func(rows *sql.Rows) (err error) {
					one := all
					one.Key, err = scanKey(rows, &one.Series)
					if err == nil && all.Covers(0, one.Key) && matches(one.Key) {
						list = append(list, one)
					}
					return err
				})
			if err == nil && len(list) == 0 {
				var names []string
				names, err = d.tasks(ctx, tx, func(k Key) bool { return all.Covers(0, k) })
				err = cmp.Or(err, fmt.Errorf("%w: none of its names matches on the device of run %d of %s; %s", errNoKernel,
					run, d.engine.where, thereAre(names, "")))
			}
		}
		for i := 0; err == nil && i < len(list); i++ {
			a := &list[i]
			err = d.row(ctx, tx, `INSERT INTO occudiff_accept (run_id, series_id, time, note) VALUES (?, ?, ?, ?)
				RETURNING id`, a.Run, a.Series, a.Time.UnixMicro(), a.Note).Scan(&a.ID)
		}
		return err
	})
	return list, err
}

// Withdraw takes back what was accepted. What is not there any more is no error.
func (d *DB) Withdraw(ctx context.Context, list []Accept) error {
	return d.write(ctx, "taking back what was accepted in "+d.engine.where, func(tx *sql.Tx) error {
		for _, a := range list {
			if err := d.exec(ctx, tx, `DELETE FROM occudiff_accept WHERE id = ?`, a.ID); err != nil {
				return err
			}
		}
		return nil
	})
}
