package history

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/ingest/names"
)

// Rename is a change of a kernel's name.
type Rename struct {
	Old, New string // task names
	// Run is the run with the new name, if the names differ only in parts that
	// change with other code (see names.Stable). It is 0 if a user renamed the
	// kernel.
	Run  int64
	Time time.Time
}

// Renames returns all renames, oldest first.
func (d *DB) Renames(ctx context.Context) (list []Rename, err error) {
	err = d.query(ctx, "reading the names in "+d.engine.where,
		`SELECT old_name, new_name, run_id, time FROM occudiff_rename ORDER BY id`, nil, func(rows *sql.Rows) error {
			var r Rename
			err := rows.Scan(&r.Old, &r.New, &r.Run, (*micros)(&r.Time))
			list = append(list, r)
			return err
		})
	return list, err
}

// Rename renames a kernel in all its series. Series that runs add later under
// the old name are renamed, too. Series that already have the new name are
// merged with the renamed series. It returns an error if a run has both
// kernels.
func (d *DB) Rename(ctx context.Context, old, name string, now time.Time) error {
	return d.renameTo(ctx, Rename{Old: cleanText(old), New: cleanText(name), Time: now}, true)
}

// renameTo renames a kernel. must is set if a user names the kernel, because it
// then has to exist.
func (d *DB) renameTo(ctx context.Context, r Rename, must bool) error {
	return d.write(ctx, "renaming a kernel in "+d.engine.where, func(w *writing) {
		var run int64
		series := w.keys("WHERE task = ?", r.Old)
		switch {
		case must && len(series) == 0:
			var names []string
			for _, k := range w.keys("") {
				names = append(names, k.Task)
			}
			w.fail("%w: %s has no %q; %s", errNoKernel, w.engine.where, r.Old, thereAre(names, r.Old))
		case r.New == "" || r.New == r.Old:
			w.fail("%w: %q cannot be renamed to %q; give another name", errNoKernel, r.Old, r.New)
		case w.one(`SELECT a.run_id FROM occudiff_series s JOIN occudiff_kernel a ON a.series_id = s.id
			JOIN occudiff_kernel b ON b.run_id = a.run_id JOIN occudiff_series o ON o.id = b.series_id
			WHERE s.task = ? AND o.task = ? ORDER BY a.run_id LIMIT 1`, []any{r.Old, r.New}, &run):
			w.fail("%w: run %d of %s has %q and %q, so they are two kernels; nothing was changed", errBoth, run,
				w.engine.where, r.Old, r.New)
		}
		for _, id := range slices.Sorted(maps.Keys(series)) {
			k := series[id]
			k.Task = r.New
			w.mergeSeries(id, k)
		}
		// Earlier names that led to the old name now lead to the new name. The
		// new name itself must not lead elsewhere.
		w.exec(`UPDATE occudiff_rename SET new_name = ? WHERE new_name = ? AND run_id = 0`, r.New, r.Old)
		w.exec(`DELETE FROM occudiff_rename WHERE old_name IN (?, ?) AND run_id = 0`, r.New, r.Old)
		w.insertRenames([]Rename{r})
	})
}

// thereAre lists the existing kernels for a message. Names that are similar to
// the unknown name come first.
func thereAre(names []string, typed string) string {
	if k := parseName(typed); k.Task != typed && slices.Contains(names, k.Task) {
		return fmt.Sprintf("give it without its launch size: %q", k.Task)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	const most = 8
	part := func(a, b string) bool { return b != "" && strings.Contains(strings.ToLower(a), strings.ToLower(b)) }
	near := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return !part(s, typed) && !part(typed, s) })
	if len(near) > 0 {
		names = near
	}
	var list []string
	for _, name := range names[:min(most, len(names))] {
		list = append(list, strconv.Quote(name))
	}
	switch {
	case len(names) == 0:
		return "it has no kernel"
	case len(names) > most:
		list = append(list, fmt.Sprintf("and %d more, which 'occudiff track export' lists", len(names)-most))
	}
	return "it has " + strings.Join(list, ", ")
}

// insertRenames stores renames.
func (w *writing) insertRenames(list []Rename) {
	var rows [][]any
	for _, r := range list {
		rows = append(rows, []any{r.Old, r.New, r.Run, r.Time.UnixMicro()})
	}
	w.insert("occudiff_rename (old_name, new_name, run_id, time)", rows)
}

// mergeSeries changes the key of a series. If a series with that key already
// exists, the rows and accepted levels move to that series. No run may be in
// both series.
func (w *writing) mergeSeries(id int64, k Key) {
	var other int64
	if !w.one(`SELECT id FROM occudiff_series WHERE identity = ?`, []any{k.identity()}, &other) {
		w.exec(`UPDATE occudiff_series SET task = ?, program = ?, identity = ?, kernel_identity = ?,
			stable_identity = ? WHERE id = ?`, k.Task, k.Program, k.identity(), k.kernelIdentity(), k.stableIdentity(), id)
		return
	}
	w.exec(`UPDATE occudiff_kernel SET series_id = ? WHERE series_id = ?`, other, id)
	w.exec(`UPDATE occudiff_accept SET series_id = ? WHERE series_id = ?`, other, id)
	w.exec(`DELETE FROM occudiff_series WHERE id = ?`, id)
}

// rename replaces old names in a run's rows with the kernels' current names. A
// kernel keeps its name if the run also has a kernel with the other name.
func (w *writing) rename(rows []Row) {
	names := map[string]string{}
	w.each(`SELECT old_name, new_name FROM occudiff_rename WHERE run_id = 0`, nil, func(rows *sql.Rows) error {
		var old, name string
		err := rows.Scan(&old, &name)
		names[old] = name
		return err
	})
	there := make(map[Key]bool, len(rows))
	for i := range rows {
		there[rows[i].Key] = true
	}
	for i := range rows {
		k := rows[i].Key
		if name, old := names[k.Task]; old {
			if k.Task = name; !there[k] {
				rows[i].Key, there[k] = k, true
			}
		}
	}
}

// findRenamed finds the series of new kernels that exist under a changed name.
// The names may differ only in the parts that change with other code. ids
// contains the series of each row, or 0 for a new series, and findRenamed sets
// it. A series is found only if the match is unambiguous: the run has one new
// kernel with the stable name, and the stable name has one series, or one
// series with later runs than the others. If the name contains a number, the
// run must have no other kernel with the stable name.
func (w *writing) findRenamed(rows []Row, program string, ids []int64) (moves []Rename) {
	identities := make([]string, len(rows))
	fresh, known := map[string]int{}, map[string]bool{}
	for i := range rows {
		identities[i] = rows[i].stableIdentity()
		if known[identities[i]] = known[identities[i]] || ids[i] != 0; ids[i] == 0 {
			fresh[identities[i]]++
		}
	}
	type found struct {
		series, last int64 // series is 0 if no series matches, or several match
		task         string
	}
	from := map[string]*found{} // the series that each stable name's new kernel continues
	for i, identity := range identities {
		_, ordinal := names.Stable(rows[i].Task)
		if identity != "" && ids[i] == 0 && names.Continues(fresh[identity], ordinal, known[identity]) {
			from[identity] = &found{last: math.MinInt64}
		}
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(from)), w.engine.batch) {
		w.each(`SELECT s.stable_identity, s.id, s.task, MAX(k.time) FROM occudiff_series s
			JOIN occudiff_kernel k ON k.series_id = s.id
			WHERE s.program IN (?, '') AND s.stable_identity IN (`+marks(len(part))+`)
			GROUP BY s.stable_identity, s.id, s.task`, append([]any{program}, anyOf(part)...), func(rows *sql.Rows) error {
			var id, at int64
			var identity, task string
			err := rows.Scan(&identity, &id, &task, &at)
			switch f := from[identity]; {
			case err != nil || slices.Contains(ids, id) || at < f.last:
			case at == f.last:
				f.series = 0
			default:
				*f = found{id, at, task}
			}
			return err
		})
	}
	for i, identity := range identities {
		f := from[identity]
		if f == nil || f.series == 0 || ids[i] != 0 {
			continue
		}
		k := rows[i].Key
		k.Program = program
		w.mergeSeries(f.series, k)
		ids[i] = f.series
		if r := (Rename{Old: f.task, New: k.Task}); r.Old != r.New && !slices.Contains(moves, r) {
			moves = append(moves, r)
		}
	}
	return moves
}

// Accept is a level that was accepted starting with a run: the baseline
// restarts at that run. An Accept does not change the run, so it can be
// withdrawn.
type Accept struct {
	ID   int64
	Run  int64
	Time time.Time // when the level was accepted
	Note string
	// Noise is set if the runs of the open findings were accepted as noise. The
	// baseline then continues, and these runs count as part of the kernel's
	// scatter.
	Noise bool
	// Series is the accepted series, with its Key. It is 0 if the level was
	// accepted for all series of the run's program on its device.
	Series int64
	Key    Key
	of     Run
}

// Covers reports whether a level was accepted for the series.
func (a *Accept) Covers(id int64, k Key) bool {
	if a.Series != 0 {
		return a.Series == id
	}
	return OnDevice(k.Device, a.of.Device) && SameProgram(k.Program, a.of.Program)
}

// Accepts returns the accepted runs in the order of acceptance.
func (d *DB) Accepts(ctx context.Context) (list []Accept, err error) {
	doing := "reading what was accepted in " + d.engine.where
	keys, err := d.readKeys(ctx, d.source(), `WHERE id IN (SELECT series_id FROM occudiff_accept)`)
	if err != nil {
		return nil, d.engine.explain(doing, err)
	}
	text := `SELECT a.id, a.run_id, a.series_id, a.time, a.note, a.noise, r.device, r.program, r.branch
		FROM occudiff_accept a JOIN occudiff_run r ON r.id = a.run_id ORDER BY a.id`
	err = d.query(ctx, doing, text, nil, func(rows *sql.Rows) error {
		var a Accept
		err := rows.Scan(&a.ID, &a.Run, &a.Series, (*micros)(&a.Time), &a.Note, &a.Noise, &a.of.Device, &a.of.Program,
			&a.of.Branch)
		a.Key = keys[a.Series]
		list = append(list, a)
		return err
	})
	return list, err
}

// Accept stores that a run is accepted, either for all kernels or for the
// matching kernels, even if the run lacks these kernels. It returns the stored
// levels.
func (d *DB) Accept(ctx context.Context, all Accept, matches func(Key) bool) (list []Accept, err error) {
	err = d.write(ctx, "accepting a run of "+d.engine.where, func(w *writing) {
		run := all.Run
		all.Time, all.Note = all.Time.UTC(), cleanText(all.Note)
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
			noise := 0
			if a.Noise {
				noise = 1
			}
			w.one(`INSERT INTO occudiff_accept (run_id, series_id, time, note, noise) VALUES (?, ?, ?, ?, ?) RETURNING id`,
				[]any{a.Run, a.Series, a.Time.UnixMicro(), a.Note, noise}, &a.ID)
		}
	})
	return list, err
}

// acceptSome returns an Accept for each kernel that matches.
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

// Withdraw deletes accepted levels. It is not an error to withdraw a level
// twice.
func (d *DB) Withdraw(ctx context.Context, list []Accept) error {
	return d.write(ctx, "taking back what was accepted in "+d.engine.where, func(w *writing) {
		for _, a := range list {
			w.exec(`DELETE FROM occudiff_accept WHERE id = ?`, a.ID)
		}
	})
}
