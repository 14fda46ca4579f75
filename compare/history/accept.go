package history

import (
	"context"
	"database/sql"
	"maps"
	"slices"
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
	doing := "reading what was accepted in " + d.engine.where
	keys, err := d.readKeys(ctx, d.source(), `WHERE id IN (SELECT series_id FROM occudiff_accept)`)
	if err != nil {
		return nil, d.engine.explain(doing, err)
	}
	text := `SELECT a.id, a.run_id, a.series_id, a.time, a.note, r.device, r.program
		FROM occudiff_accept a JOIN occudiff_run r ON r.id = a.run_id ORDER BY a.id`
	err = d.query(ctx, doing, text, nil, func(rows *sql.Rows) error {
		var a Accept
		err := rows.Scan(&a.ID, &a.Run, &a.Series, (*micros)(&a.Time), &a.Note, &a.of.Device, &a.of.Program)
		a.Key = keys[a.Series]
		list = append(list, a)
		return err
	})
	return list, err
}

// Accept stores that the level of a run is accepted: of all kernels, or of those that match, whether the run has them
// or lacks them. It gives what was stored.
func (d *DB) Accept(ctx context.Context, run int64, matches func(Key) bool, note string, now time.Time) (
	list []Accept, err error) {
	err = d.write(ctx, "accepting a run of "+d.engine.where, func(w *writing) {
		all := Accept{Run: run, Time: now.UTC(), Note: cleanText(note)}
		if !w.one(`SELECT device, program FROM occudiff_run WHERE id = ?`, []any{run}, &all.of.Device, &all.of.Program) {
			w.fail("%w", d.noRun(run))
			return
		}
		list = []Accept{all}
		if matches != nil {
			list = w.acceptSome(all, matches)
		}
		for i := range list {
			a := &list[i]
			w.one(`INSERT INTO occudiff_accept (run_id, series_id, time, note) VALUES (?, ?, ?, ?) RETURNING id`,
				[]any{a.Run, a.Series, a.Time.UnixMicro(), a.Note}, &a.ID)
		}
	})
	return list, err
}

// acceptSome gives what is accepted of each kernel that matches.
func (w *writing) acceptSome(all Accept, matches func(Key) bool) (list []Accept) {
	var names []string
	keys := w.keys("")
	for _, id := range slices.Sorted(maps.Keys(keys)) {
		one := all
		if one.Series, one.Key = id, keys[id]; !all.Covers(0, one.Key) {
			continue
		}
		if names = append(names, one.Key.Task); matches(one.Key) {
			list = append(list, one)
		}
	}
	if len(list) == 0 {
		w.fail("%w: none of its names matches on the device of run %d of %s; %s", errNoKernel, all.Run, w.engine.where,
			thereAre(names, ""))
	}
	return list
}

// Withdraw takes back what was accepted. What is not there any more is no error.
func (d *DB) Withdraw(ctx context.Context, list []Accept) error {
	return d.write(ctx, "taking back what was accepted in "+d.engine.where, func(w *writing) {
		for _, a := range list {
			w.exec(`DELETE FROM occudiff_accept WHERE id = ?`, a.ID)
		}
	})
}
