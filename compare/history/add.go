package history

import (
	"cmp"
	"context"
	"slices"
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
func (d *DB) Add(ctx context.Context, run Run) (added Added, err error) {
	// Cleaned before the transaction: what is wrong with a run must not hold a lock meanwhile.
	if run, err = clean(run); err != nil {
		return Added{}, err
	}
	err = d.write(ctx, "adding a run to "+d.engine.where, func(w *writing) { added = w.add(run) })
	if err != nil {
		return Added{}, err
	}
	return added, nil
}

// add stores a clean run, unless its content is known.
func (w *writing) add(run Run) Added {
	// Renamed first: a run that was stored under the old names must be known by the new ones.
	run.Rows = w.renamed(run.Rows)
	if known := w.stored(run); known.ID != 0 {
		return known
	}
	series := w.begin(&run)
	kernels := pending{writing: w}
	kernels.add(&run, series.ids)
	kernels.store()
	return Added{ID: run.ID, Stored: true, Programs: series.programs, Moved: series.moved}
}

// begin stores all of a clean run that is not known but its rows, and gives their series. It sets the run's number.
func (w *writing) begin(run *Run) seriesIDs {
	w.one(`INSERT INTO occudiff_run
		(time, kernels, frequency, label, host, job, device, driver, vtune, commit_id, branch, program)
		VALUES (`+marks(12)+`) RETURNING id`, []any{run.Time.UnixMicro(), len(run.Rows), orNil(run.Frequency), run.Label,
		run.Host, run.JobID, run.Device, run.Driver, run.VTune, run.Commit, run.Branch, run.Program}, &run.ID)
	w.at("run")
	w.addInputs(run)
	w.at("inputs")
	series := w.seriesOf(run.Rows)
	for i := range series.moved {
		series.moved[i].Run, series.moved[i].Time = run.ID, run.Time
	}
	w.at("series")
	w.insertRenames(series.moved)
	return series
}

// stored looks the run up. It is the same when the rows of one of its files are, and all that is said of it.
// It is asked within the transaction: two jobs may add one file at once, and the second has to see the first.
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

// pending are kernels of runs on their way into the table.
type pending struct {
	*writing
	rows [][]any
}

// rowsAtOnce bounds the rows that are in memory as the table's, which take more than the run's.
const rowsAtOnce = 1 << 14

// add takes the kernels of a run, each of its series.
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

// store inserts the rows in the order of the table's key, in which neighbors go to one page.
func (p *pending) store() {
	slices.SortFunc(p.rows, func(a, b []any) int {
		return cmp.Or(cmp.Compare(a[0].(int64), b[0].(int64)), cmp.Compare(a[1].(int64), b[1].(int64)),
			cmp.Compare(a[2].(int64), b[2].(int64)))
	})
	p.insert(`occudiff_kernel (series_id, time, run_id, `+columnNames("", ", ")+`verdict, cause, position)`, p.rows)
	p.rows = p.rows[:0]
}
