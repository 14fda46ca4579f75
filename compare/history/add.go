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
	if id, err = d.addRun(ctx, tx, run); err != nil {
		return 0, nil, err
	}
	d.at("run")
	if err := d.addInputs(ctx, tx, id, run); err != nil {
		return 0, nil, err
	}
	d.at("inputs")
	run.ID, run.Kernels = id, 0
	series, programs, err := d.seriesOf(ctx, tx, run.Rows)
	if err != nil {
		return 0, nil, err
	}
	return id, programs, d.addRows(ctx, tx, run, series, "")
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

// addRows inserts the kernels of run.ID, each into its series, in the order of the table's key, behind the run.Kernels
// that it has already.
func (d *DB) addRows(ctx context.Context, tx *sql.Tx, run Run, series []int64, conflict string) error {
	d.at("series")
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
	slices.SortFunc(rows, func(a, b []any) int { return cmp.Compare(a[0].(int64), b[0].(int64)) })
	return d.insert(ctx, tx, `occudiff_kernel (series_id, time, run_id, `+columns("")+
		`, instances, verdict, basis, cause, confidence, position)`, rows, conflict)
}

// insert inserts rows, many by statement: on a server every statement is a journey.
func (d *DB) insert(ctx context.Context, tx *sql.Tx, into string, rows [][]any, conflict string) error {
	for part := range slices.Chunk(rows, d.engine.batch) {
		group := "(" + marks(len(part[0])) + ")"
		text := "INSERT INTO " + into + " VALUES " + strings.Repeat(group+", ", len(part)-1) + group + conflict
		if err := d.exec(ctx, tx, text, slices.Concat(part...)...); err != nil {
			return err
		}
		d.at("rows")
	}
	return nil
}
