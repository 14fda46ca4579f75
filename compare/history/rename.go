package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// Rename says that a kernel has another name than before.
type Rename struct {
	Old, New string // names of tasks
	// Run is the run that brought the new name, where both differ only in parts that move when other code changes (see
	// names.Stable); 0 when somebody said it.
	Run  int64
	Time time.Time
}

// Renames lists what was renamed, in the order of it.
func (d *DB) Renames(ctx context.Context) (list []Rename, err error) {
	err = d.query(ctx, "reading the names in "+d.engine.where,
		`SELECT old_name, new_name, run_id, time FROM occudiff_rename ORDER BY id`, nil, func(rows *sql.Rows) error {
			var r Rename
			var us int64
			err := rows.Scan(&r.Old, &r.New, &r.Run, &us)
			r.Time = time.UnixMicro(us).UTC()
			list = append(list, r)
			return err
		})
	return list, err
}

// Rename gives all series of a kernel another name, those of runs that are added later under the old name too. Where
// there are series of the new name already, they become one with them. It is an error when a run has both.
func (d *DB) Rename(ctx context.Context, old, name string, now time.Time) error {
	return d.renameTo(ctx, Rename{Old: cleanText(old), New: cleanText(name), Time: now}, true)
}

// renameTo renames a kernel, which must be there when somebody names it.
func (d *DB) renameTo(ctx context.Context, r Rename, must bool) error {
	return d.write(ctx, "renaming a kernel in "+d.engine.where, func(tx *sql.Tx) error {
		names, err := d.tasks(ctx, tx, func(Key) bool { return true })
		switch {
		case err != nil:
			return err
		case must && !slices.Contains(names, r.Old):
			return fmt.Errorf("%w: %s has no %q; %s", errNoKernel, d.engine.where, r.Old, thereAre(names, r.Old))
		case r.New == "" || r.New == r.Old:
			return fmt.Errorf("%w: %q to %q is no other name", errNoKernel, r.Old, r.New)
		}
		if err := d.apart(ctx, tx, r); err != nil {
			return err
		}
		return d.rename(ctx, tx, r)
	})
}

// tasks lists the names of kernels, without their launch shapes, in the order of the alphabet.
func (d *DB) tasks(ctx context.Context, tx *sql.Tx, wanted func(Key) bool) (names []string, err error) {
	err = d.each(ctx, tx, `SELECT `+keyColumns+` FROM occudiff_series`, nil, func(rows *sql.Rows) error {
		k, err := scanKey(rows)
		if wanted(k) {
			names = append(names, k.Task)
		}
		return err
	})
	slices.Sort(names)
	return slices.Compact(names), err
}

// thereAre says which kernels there are, those first that have to do with a name that is none of them.
func thereAre(names []string, typed string) string {
	if k := parseName(typed); k.Task != typed && slices.Contains(names, k.Task) {
		return fmt.Sprintf("give it without its launch shape: %q", k.Task)
	}
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

// apart is the error of two names that a run has both, in whatever launch shapes.
func (d *DB) apart(ctx context.Context, tx *sql.Tx, r Rename) error {
	var run, old, other int64
	err := d.row(ctx, tx, `SELECT a.run_id, s.id, o.id FROM occudiff_series s JOIN occudiff_kernel a ON a.series_id = s.id
		JOIN occudiff_kernel b ON b.run_id = a.run_id JOIN occudiff_series o ON o.id = b.series_id
		WHERE s.task = ? AND o.task = ? ORDER BY a.run_id LIMIT 1`, r.Old, r.New).Scan(&run, &old, &other)
	if err == sql.ErrNoRows {
		return nil
	}
	var both []string
	if err == nil {
		err = d.each(ctx, tx, `SELECT `+keyColumns+` FROM occudiff_series WHERE id IN (?, ?) ORDER BY id`,
			[]any{old, other}, func(rows *sql.Rows) error {
				k, err := scanKey(rows)
				both = append(both, strconv.Quote(k.Name()))
				return err
			})
	}
	if slices.Sort(both); err == nil {
		err = fmt.Errorf("%w: run %d of %s has %s, so they are two kernels; nothing was changed", errBoth, run,
			d.engine.where, unit.Listed(both, "and"))
	}
	return err
}

// rename renames what is stored, and remembers it for what will be.
func (d *DB) rename(ctx context.Context, tx *sql.Tx, r Rename) error {
	type series struct {
		id  int64
		key Key
	}
	var of []series
	err := d.each(ctx, tx, `SELECT id, `+keyColumns+` FROM occudiff_series WHERE task = ? ORDER BY id`,
		[]any{r.Old}, func(rows *sql.Rows) error {
			var s series
			var err error
			s.key, err = scanKey(rows, &s.id)
			of = append(of, s)
			return err
		})
	for _, s := range of {
		if err == nil {
			s.key.Task = r.New
			err = d.mergeSeries(ctx, tx, s.id, s.key)
		}
	}
	// Earlier names of the old one are now names of the new one, which is not another name of itself.
	for _, c := range []struct {
		text string
		args []any
	}{
		{`UPDATE occudiff_rename SET new_name = ? WHERE new_name = ? AND run_id = 0`, []any{r.New, r.Old}},
		{`DELETE FROM occudiff_rename WHERE old_name IN (?, ?) AND run_id = 0`, []any{r.New, r.Old}},
	} {
		if err == nil {
			err = d.exec(ctx, tx, c.text, c.args...)
		}
	}
	if err != nil {
		return err
	}
	return d.insertRenames(ctx, tx, []Rename{r})
}

// insertRenames stores that kernels were renamed.
func (d *DB) insertRenames(ctx context.Context, tx *sql.Tx, list []Rename) error {
	var rows [][]any
	for _, r := range list {
		rows = append(rows, []any{r.Old, r.New, r.Run, r.Time.UnixMicro()})
	}
	return d.insert(ctx, tx, "occudiff_rename (old_name, new_name, run_id, time)", rows, "")
}

// mergeSeries gives a series another key. Where there is a series of that key, both become one.
// Rows, and what was accepted, go over to the series that has the key already.
func (d *DB) mergeSeries(ctx context.Context, tx *sql.Tx, id int64, k Key) error {
	var other, run int64
	err := d.row(ctx, tx, `SELECT id FROM occudiff_series WHERE identity = ?`, k.identity()).Scan(&other)
	if err == sql.ErrNoRows {
		return d.exec(ctx, tx, `UPDATE occudiff_series SET task = ?, program = ?, identity = ?, kernel_identity = ?,
			stable_identity = ? WHERE id = ?`, k.Task, k.Program, k.identity(), k.kernelIdentity(), k.stableIdentity(), id)
	}
	if err == nil && other == id { // another writer was faster
		return nil
	}
	if err == nil {
		err = d.row(ctx, tx, `SELECT COALESCE(MIN(a.run_id), 0) FROM occudiff_kernel a JOIN occudiff_kernel b
			ON b.run_id = a.run_id WHERE a.series_id = ? AND b.series_id = ?`, id, other).Scan(&run)
	}
	if err == nil && run != 0 {
		err = fmt.Errorf("%w: run %d of %s has %q by both names; nothing was changed", errBoth, run, d.engine.where,
			k.Name())
	}
	for _, text := range []string{`UPDATE occudiff_kernel SET series_id = ? WHERE series_id = ?`,
		`UPDATE occudiff_accept SET series_id = ? WHERE series_id = ?`} {
		if err == nil {
			err = d.exec(ctx, tx, text, other, id)
		}
	}
	if err != nil {
		return err
	}
	return d.exec(ctx, tx, `DELETE FROM occudiff_series WHERE id = ?`, id)
}

// renamed gives the rows of a run under the names that their kernels have now. A kernel keeps its name where the run
// has one of the other name too.
func (d *DB) renamed(ctx context.Context, tx *sql.Tx, rows []Row) ([]Row, error) {
	names := map[string]string{}
	err := d.each(ctx, tx, `SELECT old_name, new_name FROM occudiff_rename WHERE run_id = 0`, nil,
		func(rows *sql.Rows) error {
			var old, name string
			err := rows.Scan(&old, &name)
			names[old] = name
			return err
		})
	if err != nil || len(names) == 0 {
		return rows, err
	}
	rows = slices.Clone(rows) // a transaction may be repeated
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
	return rows, nil
}

// sameStableName are the rows of a run that have one stable name.
type sameStableName struct {
	fresh   []int // those without a series
	known   bool  // that there are others
	ordinal bool  // see names.Stable

	// The series of the name that no row has, the one with the latest run; several when there are more of that time.
	series  int64
	old     string
	last    int64
	several bool
}

// findRenamed finds among new kernels those that are there under a name that differs only in what moves when other code
// changes. ids has the series of the rows, 0 for a new one, and is filled in. A series is found only where nobody could
// mean another one: for the only new kernel of a stable name, and one series of it, or one that has later runs than the
// others. Where the name counts its likes, the run must have no other of them.
func (d *DB) findRenamed(ctx context.Context, tx *sql.Tx, rows []Row, program string, ids []int64) ([]Rename, error) {
	groups := map[string]*sameStableName{}
	var alike []any
	for i := range rows {
		identity := rows[i].stableIdentity()
		if identity == "" {
			continue
		}
		g := groups[identity]
		if g == nil {
			g = &sameStableName{}
			groups[identity] = g
			alike = append(alike, identity)
			_, g.ordinal = names.Stable(rows[i].Task)
		}
		if g.known = g.known || ids[i] != 0; ids[i] == 0 {
			g.fresh = append(g.fresh, i)
		}
	}
	alike = slices.DeleteFunc(alike, func(identity any) bool {
		g := groups[identity.(string)]
		return !names.Follows(len(g.fresh), g.ordinal, g.known)
	})
	if err := d.findSameStableName(ctx, tx, groups, alike, program, ids); err != nil {
		return nil, err
	}
	var moves []Rename
	for _, identity := range alike {
		g := groups[identity.(string)]
		if g.series == 0 || g.several {
			continue
		}
		i := g.fresh[0]
		k := rows[i].Key
		k.Program = program
		switch err := d.mergeSeries(ctx, tx, g.series, k); {
		case errors.Is(err, errBoth): // a run that was added meanwhile has both, so they are two
			continue
		case err != nil:
			return nil, err
		}
		ids[i] = g.series
		if r := (Rename{Old: g.old, New: k.Task}); r.Old != r.New && !slices.Contains(moves, r) {
			moves = append(moves, r)
		}
	}
	return moves, nil
}

// findSameStableName finds the series of stable names that no row of the run has.
func (d *DB) findSameStableName(ctx context.Context, tx *sql.Tx, groups map[string]*sameStableName, names []any, program string,
	taken []int64) error {
	for part := range slices.Chunk(names, d.engine.batch) {
		text := `SELECT s.stable_identity, s.id, s.task, (SELECT k.time FROM occudiff_kernel k WHERE k.series_id = s.id
			ORDER BY k.time DESC LIMIT 1) FROM occudiff_series s
			WHERE s.program IN (?, '') AND s.stable_identity IN (` + marks(len(part)) + `) ORDER BY s.id`
		err := d.each(ctx, tx, text, append([]any{program}, part...), func(rows *sql.Rows) error {
			var identity, task string
			var id int64
			var last sql.NullInt64
			err := rows.Scan(&identity, &id, &task, &last)
			g := groups[identity]
			if last.Valid && !slices.Contains(taken, id) && (g.series == 0 || last.Int64 >= g.last) {
				g.several = g.series != 0 && last.Int64 == g.last
				g.series, g.old, g.last = id, task, last.Int64
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
