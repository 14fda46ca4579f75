package history

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Added is the result of Add.
type Added struct {
	// ID is the number of the new run, or of the stored run with the same
	// content.
	ID int64
	// Stored is false if nothing was changed because the run is known.
	Stored bool
	// Known are the inputs that run ID already contains, if the new run was not
	// stored.
	Known []Input
	// Whole is set if the entire content is already stored, not only some of
	// the files.
	Whole bool
	// Programs lists the programs that have the run's kernels. It is set only
	// if the run names no program and several programs have its kernels. The
	// run's program is then unknown, so its series have no program.
	Programs []string
	// Moved lists the kernels whose names changed only in parts that change
	// with other code. Their series continue.
	Moved []Rename
}

// Add stores a run in one transaction. If a file with the run's rows already
// belongs to a stored run with the same provenance, nothing is changed, and the
// result names the file.
func (d *DB) Add(ctx context.Context, run Run) (added Added, err error) {
	// The run is checked before the transaction, so that an invalid run does
	// not hold a lock.
	if run, err = clean(run); err == nil {
		err = d.write(ctx, "adding a run to "+d.engine.where, func(w *writing) { added = w.add(run) })
	}
	return added, err
}

// add stores a clean run, unless its content is known.
func (w *writing) add(run Run) Added {
	// The kernels are renamed first, so that a run that was stored under the
	// old names is recognized under the new names.
	w.rename(run.Rows)
	if known := w.stored(run); known.ID != 0 {
		return known
	}
	series, added := w.begin(&run)
	kernels := pending{writing: w}
	kernels.add(&run, series)
	kernels.store()
	return added
}

// begin stores a clean run without its rows and returns the series for the
// rows. It sets the run's number. If the run is already stored, begin changes
// nothing.
func (w *writing) begin(run *Run) (series []int64, added Added) {
	w.one(`INSERT INTO occudiff_run
		(time, kernels, frequency, label, host, job, device, driver, vtune, commit_id, branch, program)
		VALUES (`+marks(12)+`) RETURNING id`, []any{run.Time.UnixMicro(), len(run.Rows), orNil(run.Frequency), run.Label,
		run.Host, run.JobID, run.Device, run.Driver, run.VTune, run.Commit, run.Branch, run.Program}, &run.ID)
	w.at("run")
	w.addInputs(run)
	w.at("inputs")
	series, programs, moved := w.seriesOf(run.Rows)
	for i := range moved {
		moved[i].Run, moved[i].Time = run.ID, run.Time
	}
	w.at("series")
	w.insertRenames(moved)
	return series, Added{ID: run.ID, Stored: true, Programs: programs, Moved: moved}
}

// stored looks up whether a run is already stored. Two runs are the same if
// they have the same provenance and share the rows from one file. The lookup is
// part of the transaction, because two jobs may add one file at once, and the
// second job must see the run of the first.
func (w *writing) stored(run Run) (found Added) {
	inputs := carrying(run)
	for i, digest := range contents(run) {
		var id int64
		if !w.one(`SELECT run_id FROM occudiff_content WHERE digest = ?`, []any{digest}, &id) {
			continue
		}
		if found.ID = cmp.Or(found.ID, id); id == found.ID && len(inputs) > 0 {
			found.Known = append(found.Known, inputs[i])
		}
	}
	found.Whole = found.ID != 0 && len(found.Known) == len(inputs)
	return found
}

// addInputs inserts the inputs and claims their content.
func (w *writing) addInputs(run *Run) {
	var inputs, claimed [][]any
	for i, in := range run.Inputs {
		inputs = append(inputs, []any{run.ID, i, in.Path, in.Kind, in.Digest, in.Rows, in.BadRows})
	}
	for _, digest := range slices.Compact(slices.Sorted(slices.Values(contents(*run)))) {
		claimed = append(claimed, []any{digest, run.ID})
	}
	w.insert("occudiff_input (run_id, position, path, kind, digest, data_rows, bad_rows)", inputs)
	w.insert("occudiff_content (digest, run_id)", claimed)
}

// pending contains rows that wait to be stored.
type pending struct {
	*writing
	rows [][]any
}

// rowsAtOnce limits how many rows are in memory in the form of the table, which
// needs more memory than the form of the run.
const rowsAtOnce = 1 << 14

// add adds a run's kernels with their series.
func (p *pending) add(run *Run, series []int64) {
	at := run.Time.UnixMicro()
	for i := range run.Rows {
		r := &run.Rows[i]
		row := append(make([]any, 0, len(columns)+6), series[i], at, run.ID)
		for _, v := range r.Values {
			row = append(row, orNil(v))
		}
		if p.rows = append(p.rows, append(row, r.Verdict, r.Cause, i)); len(p.rows) == rowsAtOnce {
			p.store()
		}
	}
}

// store inserts the rows in the order of the table's key, so that neighbors
// share a page.
func (p *pending) store() {
	slices.SortFunc(p.rows, func(a, b []any) int {
		return slices.CompareFunc(a[:3], b[:3], func(x, y any) int { return cmp.Compare(x.(int64), y.(int64)) })
	})
	p.insert(`occudiff_kernel (series_id, time, run_id, `+columnNames("", ", ")+`verdict, cause, position)`, p.rows)
	p.rows = p.rows[:0]
}

// writing is an open transaction. After its first error it does nothing, like a
// bufio.Writer, so that callers need not check each step.
type writing struct {
	*DB
	ctx context.Context
	tx  *sql.Tx
	err error
}

// write runs f in one transaction, which is stored completely or not at all.
// Only one writer runs at a time, so values that the writer looked up stay true
// until its end. SQLite begins its transactions as immediate transactions (see
// sqliteDSN), and on a server, each writer takes a lock.
func (d *DB) write(ctx context.Context, doing string, f func(w *writing)) error {
	if d.options.ReadOnly {
		return fmt.Errorf("%s: %w, nothing was changed: it was opened for reading", doing, errReadOnly)
	}
	tx, err := d.sql.BeginTx(ctx, &sql.TxOptions{Isolation: d.engine.writes})
	if err != nil {
		return d.engine.explain(doing, ended(ctx, err))
	}
	w := &writing{d, ctx, tx, nil}
	if d.engine.server {
		w.exec(fmt.Sprint("SET LOCAL lock_timeout = ", d.options.Wait.Milliseconds()))
		w.exec("SELECT pg_advisory_xact_lock(1868784501)") // any number that other programs do not use as a lock
	}
	d.at("begun")
	if f(w); w.err == nil {
		d.at("before commit")
		w.err = tx.Commit()
		d.at("after commit")
	}
	if w.err != nil {
		// Report the error that stopped the transaction, not the error of a
		// lost connection.
		_ = tx.Rollback()
	}
	return d.engine.explain(doing, ended(ctx, w.err))
}

// ended returns the error of a context that has ended. database/sql also
// watches the context, so either error may come first.
func ended(ctx context.Context, err error) error {
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// at calls the step function of the options. Tests use it to stop at a place in
// a transaction.
func (d *DB) at(name string) {
	if d.options.step != nil {
		d.options.step(name)
	}
}

// fail ends the transaction with an error, unless it has failed already.
func (w *writing) fail(format string, args ...any) {
	w.err = cmp.Or(w.err, fmt.Errorf(format, args...))
}

// exec runs a statement and returns how many rows changed.
func (w *writing) exec(text string, args ...any) (changed int64) {
	if w.err != nil {
		return 0
	}
	done, err := w.tx.ExecContext(w.ctx, w.engine.bind(text), args...)
	if err == nil {
		changed, err = done.RowsAffected()
	}
	w.err = err
	return changed
}

// one reads a single row and reports whether there is one.
func (w *writing) one(text string, args []any, into ...any) bool {
	if w.err != nil {
		return false
	}
	err := w.tx.QueryRowContext(w.ctx, w.engine.bind(text), args...).Scan(into...)
	if err != sql.ErrNoRows {
		w.err = err
	}
	return err == nil
}

// each runs a select and passes each row to scan.
func (w *writing) each(text string, args []any, scan func(rows *sql.Rows) error) {
	if w.err == nil {
		w.err = w.scanEach(w.ctx, w.tx, text, args, scan)
	}
}

// keys returns the keys of the selected series.
func (w *writing) keys(where string, args ...any) (keys map[int64]Key) {
	if w.err == nil {
		keys, w.err = w.readKeys(w.ctx, w.tx, where, args...)
	}
	return keys
}

// insert inserts rows, many per statement, because each statement to a server
// is a round trip.
func (w *writing) insert(into string, rows [][]any) {
	for part := range slices.Chunk(rows, w.engine.batch) {
		group := "(" + marks(len(part[0])) + ")"
		w.exec("INSERT"+w.engine.orFail+" INTO "+into+" VALUES "+strings.Repeat(group+", ", len(part)-1)+group,
			slices.Concat(part...)...)
		w.at("rows")
	}
}

// marks returns n placeholders, for example "?, ?, ?".
func marks(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// stored is a series as it is in the tables.
type stored struct {
	id      int64
	program string
}

// seriesOf returns the series number of each row, and adds the missing series.
//
// A series includes its program if the program is known. Rows without a program
// join the series of the only program that has their kernels. When a program is
// named for the first time, its kernels' series that have no program become its
// series, so that earlier runs continue. If several programs have the kernels,
// the rows get series without a program, and the programs are returned.
func (w *writing) seriesOf(rows []Row) (ids []int64, programs []string, moved []Rename) {
	kernels := make([]string, len(rows))
	for i := range rows {
		kernels[i] = rows[i].kernelIdentity()
	}
	known := w.lookUp(kernels)
	program := rows[0].Program // all rows of a run have the same program, or none
	if program == "" {
		if programs = programsOf(known); len(programs) == 1 {
			program, programs = programs[0], nil
		}
	}
	ids = make([]int64, len(rows))
	for i, kernel := range kernels {
		id, adopt := find(known[kernel], program)
		if ids[i] = id; adopt {
			k := rows[i].Key
			k.Program = program
			w.mergeSeries(id, k)
		}
	}
	if slices.Contains(ids, 0) {
		moved = w.findRenamed(rows, program, ids)
		w.makeSeries(rows, kernels, program, ids)
	}
	return ids, programs, moved
}

// makeSeries adds the missing series.
func (w *writing) makeSeries(rows []Row, kernels []string, program string, ids []int64) {
	var fresh [][]any
	var missing []string
	for i, kernel := range kernels {
		if ids[i] == 0 {
			k := rows[i].Key
			k.Program = program
			missing = append(missing, kernel)
			fresh = append(fresh, []any{k.identity(), kernel, k.stableIdentity(), k.Task, k.Global.String(),
				k.Local.String(), k.SIMD, k.Direction, k.Device, k.Driver, k.Program})
		}
	}
	w.insert("occudiff_series (identity, kernel_identity, stable_identity, "+keyColumns+")", fresh)
	known := w.lookUp(missing)
	for i, kernel := range kernels {
		if ids[i] == 0 {
			ids[i], _ = find(known[kernel], program)
		}
	}
}

// programsOf returns the programs that have one of the kernels.
func programsOf(known map[string][]stored) []string {
	programs := map[string]bool{}
	for _, of := range known {
		for _, s := range of {
			programs[s.program] = true
		}
	}
	delete(programs, "")
	return slices.Sorted(maps.Keys(programs))
}

// find searches a kernel's series for the series of a program and returns its
// number, or 0 if there is none. adopt is set if the kernel has only one series
// and that series has no program.
func find(of []stored, program string) (id int64, adopt bool) {
	for _, s := range of {
		if s.program == program {
			return s.id, false
		}
	}
	if len(of) == 1 && of[0].program == "" {
		return of[0].id, true
	}
	return 0, false
}

// lookUp returns the series by kernel.
func (w *writing) lookUp(kernels []string) map[string][]stored {
	known := make(map[string][]stored, len(kernels))
	for part := range slices.Chunk(kernels, w.engine.batch) {
		text := `SELECT kernel_identity, id, program FROM occudiff_series WHERE kernel_identity IN (` +
			marks(len(part)) + `) ORDER BY id`
		w.each(text, anyOf(part), func(rows *sql.Rows) error {
			var kernel string
			var s stored
			err := rows.Scan(&kernel, &s.id, &s.program)
			if !slices.Contains(known[kernel], s) { // two rows of one kernel can be in two chunks
				known[kernel] = append(known[kernel], s)
			}
			return err
		})
	}
	return known
}

// anyOf returns values as arguments.
func anyOf[T any](list []T) []any {
	args := make([]any, len(list))
	for i, x := range list {
		args[i] = x
	}
	return args
}

// Remove deletes a run with its rows. Its content may be added again. Series
// names stay.
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
