package history

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"
)

// Added says what Add did.
type Added struct {
	// ID is of the run: the new one, or the one that is the same.
	ID int64
	// Stored is false when nothing was changed because the run is known.
	Stored bool
	// Known are the inputs that are part of run ID already, when it was not stored.
	Known []Input
	// Whole says that all of the content is known, and not only some of its files.
	Whole bool
	// Programs are those that have kernels of the run, when it does not name its own and they are several: nobody can
	// tell which one it is of, and its series are of none.
	Programs []string
	// Moved are the kernels whose name changed in what moves when other code does. Their series go on.
	Moved []Rename
}

// Add stores a run in one transaction. When one of the files that carry its rows is part of a stored run of which the
// same was said, nothing is changed and the answer says which.
func (d *DB) Add(ctx context.Context, run Run) (Added, error) {
	// Cleaned before the transaction: what is wrong with a run must not hold a lock meanwhile.
	run, err := clean(run)
	if err != nil {
		return Added{}, err
	}
	var added Added
	err = d.write(ctx, "adding a run to "+d.engine.where, func(tx *sql.Tx) error {
		var err error
		added, err = d.add(ctx, tx, run)
		return err
	})
	if err != nil {
		return Added{}, err
	}
	return added, nil
}

// add stores a clean run, unless its content is known.
func (d *DB) add(ctx context.Context, tx *sql.Tx, run Run) (Added, error) {
	var err error
	// Renamed first: a run that was stored under the old names must be known by the new ones.
	if run.Rows, err = d.renamed(ctx, tx, run.Rows); err != nil {
		return Added{}, err
	}
	known, err := d.stored(ctx, tx, run)
	if err != nil || known.ID != 0 {
		return known, err
	}
	p, err := d.begin(ctx, tx, &run)
	if err != nil {
		return Added{}, err
	}
	kernels := pending{db: d, tx: tx}
	if err = kernels.add(ctx, &run, p.ids); err == nil {
		err = kernels.insert(ctx)
	}
	return Added{ID: run.ID, Stored: true, Programs: p.programs, Moved: p.moved}, err
}

// begin stores all of a clean run that is not known but its rows, and gives their series. It sets the run's number.
func (d *DB) begin(ctx context.Context, tx *sql.Tx, run *Run) (p seriesIDs, err error) {
	if run.ID, err = d.addRun(ctx, tx, *run); err != nil {
		return p, err
	}
	d.at("run")
	if err := d.addInputs(ctx, tx, run.ID, *run); err != nil {
		return p, err
	}
	d.at("inputs")
	if p, err = d.seriesOf(ctx, tx, run.Rows); err != nil {
		return p, err
	}
	for i := range p.moved {
		p.moved[i].Run, p.moved[i].Time = run.ID, run.Time
	}
	d.at("series")
	return p, d.insertRenames(ctx, tx, p.moved)
}

// stored looks the run up. It is the same when the rows of one of its files are, and all that is said of it.
// It is asked within the transaction: two jobs may add one file at once, and the second has to see the first.
func (d *DB) stored(ctx context.Context, tx *sql.Tx, run Run) (found Added, err error) {
	inputs := carrying(run)
	for i, digest := range contents(run) {
		var id int64
		err := d.row(ctx, tx, `SELECT run_id FROM occudiff_content WHERE digest = ?`, digest).Scan(&id)
		if err != nil && err != sql.ErrNoRows {
			return Added{}, err
		}
		if found.ID = cmp.Or(found.ID, id); id != 0 && id == found.ID {
			if len(inputs) > 0 {
				found.Known = append(found.Known, inputs[i])
			}
		}
	}
	found.Whole = found.ID != 0 && len(found.Known) == len(inputs)
	return found, nil
}

// addRun inserts the run and gives its number.
func (d *DB) addRun(ctx context.Context, tx *sql.Tx, run Run) (id int64, err error) {
	err = d.row(ctx, tx, `INSERT INTO occudiff_run
		(time, kernels, frequency, label, host, job, device, driver, vtune, commit_id, branch, program)
		VALUES (`+marks(12)+`) RETURNING id`, run.Time.UnixMicro(), len(run.Rows), orNil(run.Frequency),
		run.Label, run.Host, run.JobID, run.Device, run.Driver, run.VTune, run.Commit, run.Branch, run.Program).
		Scan(&id)
	return id, err
}

// addInputs inserts the inputs and claims their content.
func (d *DB) addInputs(ctx context.Context, tx *sql.Tx, id int64, run Run) error {
	var rows [][]any
	for i, in := range run.Inputs {
		rows = append(rows, []any{id, i, in.Path, in.Kind, in.Digest, in.Rows, in.BadRows})
	}
	err := d.insert(ctx, tx, "occudiff_input (run_id, position, path, kind, digest, data_rows, bad_rows)", rows, "")
	if err != nil {
		return err
	}
	digests := contents(run)
	slices.Sort(digests)
	rows = nil
	for _, digest := range slices.Compact(digests) {
		rows = append(rows, []any{digest, id})
	}
	return d.insert(ctx, tx, "occudiff_content (digest, run_id)", rows, "")
}

// pending are kernels of runs on their way into the table.
type pending struct {
	db   *DB
	tx   *sql.Tx
	rows [][]any
}

// rowsAtOnce bounds the rows that are in memory as the table's, which take more than the run's.
const rowsAtOnce = 1 << 14

// add takes the kernels of a run, each of its series.
func (p *pending) add(ctx context.Context, run *Run, series []int64) error {
	at := run.Time.UnixMicro()
	for i := range run.Rows {
		r := &run.Rows[i]
		row := append(make([]any, 0, len(columns)+6), series[i], at, run.ID)
		for _, v := range r.Values {
			row = append(row, orNil(v))
		}
		if p.rows = append(p.rows, append(row, r.Verdict, r.Cause, i)); len(p.rows) == rowsAtOnce {
			if err := p.insert(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// insert inserts the rows in the order of the table's key, in which neighbors go to one page.
func (p *pending) insert(ctx context.Context) error {
	slices.SortFunc(p.rows, func(a, b []any) int {
		return cmp.Or(cmp.Compare(a[0].(int64), b[0].(int64)), cmp.Compare(a[1].(int64), b[1].(int64)),
			cmp.Compare(a[2].(int64), b[2].(int64)))
	})
	err := p.db.insert(ctx, p.tx, `occudiff_kernel (series_id, time, run_id, `+columnNames("", ", ")+
		`verdict, cause, position)`, p.rows, "")
	p.rows = p.rows[:0]
	return err
}

// insert inserts rows, many by statement: on a server every statement is a journey.
func (d *DB) insert(ctx context.Context, tx *sql.Tx, into string, rows [][]any, conflict string) error {
	text := func(n int) string {
		group := "(" + marks(len(rows[0])) + ")"
		return d.engine.bind("INSERT" + d.engine.orFail + " INTO " + into + " VALUES " +
			strings.Repeat(group+", ", n-1) + group + conflict)
	}
	var whole *sql.Stmt // of a whole batch
	// A statement is prepared where it is used twice at least; the driver of PostgreSQL keeps its own.
	if len(rows) >= 2*d.engine.batch && !d.engine.server {
		var err error
		if whole, err = tx.PrepareContext(ctx, text(d.engine.batch)); err != nil {
			return err
		}
		defer whole.Close()
	}
	for part := range slices.Chunk(rows, d.engine.batch) {
		var err error
		if args := slices.Concat(part...); whole != nil && len(part) == d.engine.batch {
			_, err = whole.ExecContext(ctx, args...)
		} else {
			_, err = tx.ExecContext(ctx, text(len(part)), args...)
		}
		if err != nil {
			return err
		}
		d.at("rows")
	}
	return nil
}
