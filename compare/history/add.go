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
	// ID is of the run: the new one, or the one that holds the content already.
	ID int64
	// Stored is false when nothing was changed because the content is known.
	Stored bool
	// Known are the inputs that are part of run ID already, when it was not stored.
	Known []Input
	// Whole says that all of the content is known, and not only some of its files.
	Whole bool
	// Programs are those that have kernels of the run, when it does not name its own and they are several: nobody can
	// tell which one it is of, and its series are of none.
	Programs []string
}

// Add stores a run in one transaction. When one of the files that carry its rows is part of a stored run, nothing is
// changed and the answer says which.
func (d *DB) Add(ctx context.Context, run Run) (Added, error) {
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
	known, err := d.known(ctx, tx, run)
	if err != nil || known.ID != 0 {
		return known, err
	}
	id, programs, err := d.store(ctx, tx, run)
	if err != nil {
		return Added{}, err
	}
	return Added{ID: id, Stored: true, Programs: programs}, nil
}

// store stores a clean run that is not known. It gives its number and the programs that it may be of (see Added).
func (d *DB) store(ctx context.Context, tx *sql.Tx, run Run) (id int64, programs []string, err error) {
	if id, err = d.begin(ctx, tx, run); err != nil {
		return 0, nil, err
	}
	run.ID, run.Kernels = id, 0
	series, programs, err := d.seriesOf(ctx, tx, run.Rows, newMemo())
	if err != nil {
		return 0, nil, err
	}
	d.at("series")
	return id, programs, d.insertRows(ctx, tx, kernelRows(run, series), "")
}

// begin stores all of a run but its rows.
func (d *DB) begin(ctx context.Context, tx *sql.Tx, run Run) (id int64, err error) {
	if id, err = d.addRun(ctx, tx, run); err != nil {
		return 0, err
	}
	d.at("run")
	if err := d.addInputs(ctx, tx, id, run); err != nil {
		return 0, err
	}
	d.at("inputs")
	return id, nil
}

// known looks the content up. A file is known by its bytes or by its text.
func (d *DB) known(ctx context.Context, tx *sql.Tx, run Run) (Added, error) {
	holders := map[string]int64{} // by digest
	digests := contents(run)
	for _, digest := range digests {
		var id int64
		err := d.row(ctx, tx, `SELECT run_id FROM occudiff_content WHERE digest = ?`, digest).Scan(&id)
		if err != nil && err != sql.ErrNoRows {
			return Added{}, err
		}
		holders[digest] = id
	}
	inputs := carrying(run)
	if len(inputs) == 0 {
		id := holders[digests[0]]
		return Added{ID: id, Whole: id != 0}, nil
	}
	var found Added
	for _, in := range inputs {
		id := cmp.Or(holders[in.Digest], holders[in.Content])
		if found.ID = cmp.Or(found.ID, id); id != 0 && id == found.ID {
			found.Known = append(found.Known, in)
		}
	}
	found.Whole = found.ID != 0 && len(found.Known) == len(inputs)
	return found, nil
}

// addRun inserts the run and gives its number.
func (d *DB) addRun(ctx context.Context, tx *sql.Tx, run Run) (id int64, err error) {
	err = d.row(ctx, tx, `INSERT INTO occudiff_run
		(time, kernels, frequency, label, host, job, device, driver, vtune, commit_id, program)
		VALUES (`+marks(11)+`) RETURNING id`, run.Time.UnixMicro(), len(run.Rows), orNil(run.Frequency),
		run.Label, run.Host, run.JobID, run.Device, run.Driver, run.VTune, run.Commit, run.Program).Scan(&id)
	return id, err
}

// addInputs inserts the inputs and claims their content.
func (d *DB) addInputs(ctx context.Context, tx *sql.Tx, id int64, run Run) error {
	var rows [][]any
	for i, in := range run.Inputs {
		carries := 0
		if in.Carries {
			carries = 1
		}
		rows = append(rows, []any{id, i, in.Path, in.Kind, in.Digest, in.Rows, in.BadRows, carries})
	}
	into := "occudiff_input (run_id, position, path, kind, digest, data_rows, bad_rows, carries)"
	err := d.insert(ctx, tx, into, rows, "")
	if err != nil {
		return err
	}
	rows = nil
	for _, digest := range contents(run) {
		rows = append(rows, []any{digest, id})
	}
	return d.insert(ctx, tx, "occudiff_content (digest, run_id)", rows, "")
}

// kernelRows are the kernels of run.ID as rows of the table, each of its series, behind the run.Kernels that it has
// already.
func kernelRows(run Run, series []int64) [][]any {
	at := run.Time.UnixMicro()
	rows := make([][]any, len(run.Rows))
	for i := range run.Rows {
		r := &run.Rows[i]
		row := append(make([]any, 0, len(numbers)+9), series[i], at, run.ID)
		for k := range numbers {
			row = append(row, numbers[k].value(r))
		}
		rows[i] = append(row, orNil(r.Instances), r.Verdict, r.Basis, r.Cause, r.Confidence, run.Kernels+i)
	}
	return rows
}

// insertRows inserts such rows in the order of the table's key, in which neighbors go to one page.
func (d *DB) insertRows(ctx context.Context, tx *sql.Tx, rows [][]any, conflict string) error {
	slices.SortFunc(rows, func(a, b []any) int {
		return cmp.Or(cmp.Compare(a[0].(int64), b[0].(int64)), cmp.Compare(a[1].(int64), b[1].(int64)),
			cmp.Compare(a[2].(int64), b[2].(int64)))
	})
	return d.insert(ctx, tx, `occudiff_kernel (series_id, time, run_id, `+columns("")+
		`, instances, verdict, basis, cause, confidence, position)`, rows, conflict)
}

// insert inserts rows, many by statement: on a server every statement is a journey.
func (d *DB) insert(ctx context.Context, tx *sql.Tx, into string, rows [][]any, conflict string) error {
	text := func(n int) string {
		group := "(" + marks(len(rows[0])) + ")"
		return d.engine.bind("INSERT" + d.engine.orFail + " INTO " + into + " VALUES " +
			strings.Repeat(group+", ", n-1) + group + conflict)
	}
	var whole *sql.Stmt // of a whole batch
	if len(rows) >= 2*d.engine.batch {
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
