package history

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"occudiff/ingest/unit"
)

// Imported is the result of Import.
type Imported struct {
	Runs, Kernels int // newly stored
	KnownRuns     int // already stored
	Events        int // newly accepted levels and renames
}

// importBatch is the number of runs per import transaction. All runs change the
// same pages, at the end of each series. So a transaction with 50 runs takes
// hardly longer than a transaction with one.
const importBatch = 50

// Import stores records as runs. Records with the same run, time, and label
// form one run. If they name no run, they must also have the same device and
// driver. A run that is already stored, from files or from another import, is
// not stored again, and different values for it are an error. Runs are stored
// completely. If an import ends early, the finished runs stay stored, and
// importing the same records again adds the rest.
func (d *DB) Import(ctx context.Context, records *Records) (done Imported, err error) {
	runs, err := records.ordered()
	if err != nil {
		return done, err
	}
	if done.Events, err = d.importRenames(ctx, records.events); err != nil {
		return done, err
	}
	for batch := range slices.Chunk(runs, importBatch) {
		next := done
		err := d.write(ctx, "importing runs into "+d.engine.where, func(w *writing) {
			in := &importer{pending: pending{writing: w}, records: records, done: &next}
			for i := range batch {
				in.run(&batch[i])
			}
			in.store()
		})
		if err != nil {
			return done, fmt.Errorf("after %d of %d runs: %w", done.Runs+done.KnownRuns, len(runs), err)
		}
		done = next
	}
	accepted, err := d.importAccepts(ctx, records.events)
	done.Events += accepted
	return done, err
}

// importer stores one batch of runs in a transaction.
type importer struct {
	pending // kernels of new runs
	records *Records
	done    *Imported

	// Stored runs that have the same time as the imported run, and their names.
	there []Run
	names map[int64]string
	at    time.Time
}

// run stores a run unless it is already stored.
func (in *importer) run(given *importedRun) {
	run, err := clean(in.records.withRows(given))
	if in.err = cmp.Or(in.err, err); in.err != nil {
		return
	}
	if in.rename(run.Rows); in.isStored(&run, given.lines) {
		in.done.KnownRuns++
		return
	}
	in.done.Runs++
	in.done.Kernels += len(run.Rows)
	series, _ := in.begin(&run)
	in.add(&run, series)
}

// isStored reports whether an imported run is already stored. The stored run
// must have the same time and label, and export must give it the same name. An
// imported run without a name matches a stored run without a job on the same
// device and driver. It is an error if the stored run has other values.
func (in *importer) isStored(run *Run, lines []importedLine) bool {
	// The runs of a file are sorted by time, so the stored runs with a time are
	// read only once.
	if !run.Time.Equal(in.at) {
		in.readRuns(run.Time)
	}
	var differs error // error for the first stored run that matches
	for i := range in.there {
		old := &in.there[i]
		same := in.names[old.ID] == run.JobID
		if run.JobID == "" {
			same = old.JobID == "" && old.Device == run.Device && old.Driver == run.Driver
		}
		if !same || old.Label != run.Label {
			continue
		}
		rows, err := in.rowsOf(in.ctx, in.tx, old.ID)
		if err == nil {
			err = contradiction(old, rows, run, lines)
		}
		if err == nil {
			return true
		}
		differs = cmp.Or(differs, err)
	}
	in.err = cmp.Or(in.err, differs)
	return false
}

// readRuns reads the stored runs with a time.
func (in *importer) readRuns(at time.Time) {
	in.at, in.there = at, nil
	in.each(runText+`WHERE time = ? ORDER BY id`, []any{at.UnixMicro()}, func(rows *sql.Rows) error {
		r, err := scanRun(rows)
		in.there = append(in.there, r)
		return err
	})
	in.names = runNames(in.there)
}

// contradiction returns an error if an imported run differs from a stored run,
// and nil if they are the same.
func contradiction(old *Run, stored []Row, run *Run, lines []importedLine) error {
	at := run.Time.Format(time.RFC3339)
	left := make(map[Key]*Row, len(stored))
	for i := range stored {
		left[ofRun(stored[i].Key, old)] = &stored[i]
	}
	for i := range run.Rows {
		k := ofRun(run.Rows[i].Key, old)
		if left[k] == nil {
			k = movedKey(left, k)
		}
		given, has := "", "no such kernel"
		if left[k] != nil {
			given, has = difference(&run.Rows[i], left[k])
		}
		if has != "" {
			return fmt.Errorf(
				"%w: line %d has %s%q at %s, but run %d of the history has %s; an import contains whole runs: give a different run a different name in the column `run`; to correct a run, remove it first with 'occudiff track remove %d'", errBadRun,
				lines[i].line, given, lines[i].key.Name(), at, old.ID, has, old.ID)
		}
		delete(left, k)
	}
	for i := range stored {
		if left[ofRun(stored[i].Key, old)] != nil {
			return fmt.Errorf(
				"%w: run %d of the history has %q, but the file does not have it at %s; an import contains whole runs: give a different run a different name in the column `run`", errBadRun, old.ID, stored[i].Name(), at)
		}
	}
	return nil
}

// ofRun returns the key that distinguishes lines and rows within one run. It
// has no program, because the history determines the program.
func ofRun(k Key, run *Run) Key {
	k.Program, k.Device, k.Driver = "", cmp.Or(k.Device, run.Device), cmp.Or(k.Driver, run.Driver)
	return k
}

// movedKey returns the current key of a kernel that was renamed since the
// export, if only one remaining kernel matches. Otherwise, it returns the
// kernel's own key.
func movedKey(left map[Key]*Row, k Key) Key {
	var of []Key
	for other := range left {
		if identity := other.stableIdentity(); identity != "" && identity == k.stableIdentity() {
			of = append(of, other)
		}
	}
	if len(of) != 1 {
		return k
	}
	return of[0]
}

// difference returns a value in which an imported row and a stored row differ:
// what the imported row has, and what the stored row has. It returns "" if the
// rows are equal.
func difference(given, stored *Row) (what, has string) {
	for i := range columns {
		a, b := given.Values[i], stored.Values[i]
		x, y := a.Or(0), b.Or(0)
		// A spreadsheet keeps only 15 digits, so a smaller difference is not a
		// change.
		if a.Present() != b.Present() || math.Abs(x-y) > 1e-12*math.Max(math.Abs(x), math.Abs(y)) {
			return fmt.Sprintf("%s %s for ", columns[i].Metric, valueText(a)), valueText(b)
		}
	}
	for _, t := range [][3]string{{"verdict", given.Verdict, stored.Verdict}, {"cause", given.Cause, stored.Cause}} {
		if t[1] != t[2] {
			return fmt.Sprintf("%s %q for ", t[0], t[1]), strconv.Quote(t[2])
		}
	}
	return "", ""
}

func valueText(o unit.Opt[float64]) string {
	if v, ok := o.Value(); ok {
		return fmt.Sprint(v)
	}
	return "none"
}

// runNames returns the name under which each run is exported: its job, or its
// number if it has no job. If several runs have the same name, time, and label,
// the first run keeps the name, and the others append their numbers. So an
// export can be imported again, and exported runs keep their names when runs
// are added. The runs are sorted by time and number.
func runNames(runs []Run) map[int64]string {
	type name struct {
		us         int64
		label, run string
	}
	taken := make(map[name]bool, len(runs))
	names := make(map[int64]string, len(runs))
	for i := range runs {
		r := &runs[i]
		number := strconv.FormatInt(r.ID, 10)
		n := name{r.Time.UnixMicro(), r.Label, cmp.Or(r.JobID, number)}
		for taken[n] {
			n.run += "#" + number
		}
		taken[n], names[r.ID] = true, n.run
	}
	return names
}

// Export passes every kernel of every run to visit, series by series, oldest
// first, and then the accepted runs and renames.
func (d *DB) Export(ctx context.Context, visit func(Record) error) error {
	runs, err := d.bareRuns(ctx, "ORDER BY time, id")
	if err != nil {
		return err
	}
	of := make(map[int64]*Record, len(runs)) // the values that all lines of a run share
	names := runNames(runs)
	for _, r := range runs {
		of[r.ID] = &Record{Run: names[r.ID], Time: r.Time, Label: r.Label, Branch: r.Branch, Program: r.Program,
			Commit: r.Commit, Host: r.Host, VTune: r.VTune, Frequency: r.Frequency, Device: r.Device, Driver: r.Driver}
	}
	keys, err := d.readKeys(ctx, d.source(), "")
	if err != nil {
		return d.engine.explain("reading the series of "+d.engine.where, err)
	}
	called := make(map[int64]string, len(keys))
	for id, k := range keys {
		called[id] = k.Name()
	}
	var stopped error
	err = d.query(ctx, "reading the kernels of "+d.engine.where, `SELECT series_id, run_id, verdict, cause`+
		columnNames(", ", "")+` FROM occudiff_kernel ORDER BY series_id, time, run_id`, nil, func(rows *sql.Rows) error {
		var series, run int64
		var row Row
		err := rows.Scan(append([]any{&series, &run, &row.Verdict, &row.Cause}, row.Values.fields()...)...)
		k, known := keys[series]
		if err != nil || of[run] == nil || !known {
			return err // the run was stored after the runs and keys were read
		}
		record := *of[run]
		record.Series, record.Device, record.Driver = called[series], k.Device, k.Driver
		record.Values, record.Verdict, record.Cause = row.Values, row.Verdict, row.Cause
		stopped = visit(record)
		return stopped
	})
	if err == nil {
		err = d.exportEvents(ctx, of, visit)
	}
	return cmp.Or(stopped, err)
}

// exportEvents passes the accepted runs and the renames to visit.
func (d *DB) exportEvents(ctx context.Context, runs map[int64]*Record, visit func(Record) error) error {
	accepted, err := d.Accepts(ctx)
	if err != nil {
		return err
	}
	renamed, err := d.Renames(ctx)
	if err != nil {
		return err
	}
	for _, a := range accepted {
		r := runs[a.Run]
		if r == nil {
			continue // the run was stored after the runs were read
		}
		e := Record{Event: eventAccepted, Time: r.Time, RecordedAt: a.Time, Run: r.Run, Label: r.Label, Note: a.Note,
			Device: r.Device, Driver: r.Driver, Program: r.Program}
		if a.Noise {
			e.Event = eventNoise
		}
		if a.Series != 0 {
			e.Series, e.Device, e.Driver, e.Program = a.Key.Name(), a.Key.Device, a.Key.Driver, a.Key.Program
		}
		if err := visit(e); err != nil {
			return err
		}
	}
	for _, r := range renamed {
		if r.Run != 0 {
			continue
		}
		renamed := Record{Event: eventRenamed, Series: r.Old, Note: r.New, Time: r.Time, RecordedAt: r.Time}
		if err := visit(renamed); err != nil {
			return err
		}
	}
	return nil
}

// importRenames applies the renames in the records, unless they are already
// applied. It runs before the rows are stored, so that the rows find the
// renamed series.
func (d *DB) importRenames(ctx context.Context, events []Record) (done int, err error) {
	known, err := d.Renames(ctx)
	if err != nil {
		return 0, err
	}
	for _, e := range events {
		same := func(r Rename) bool { return r.Old == e.Series && r.New == e.Note && r.Run == 0 }
		if e.Event != eventRenamed || slices.ContainsFunc(known, same) {
			continue
		}
		if err := d.renameTo(ctx, Rename{Old: e.Series, New: e.Note, Time: e.RecordedAt}, false); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// importAccepts accepts the runs in the records, unless they are already
// accepted.
func (d *DB) importAccepts(ctx context.Context, events []Record) (done int, err error) {
	runs, err := d.bareRuns(ctx, "ORDER BY time, id")
	if err != nil {
		return 0, err
	}
	known, err := d.Accepts(ctx)
	if err != nil {
		return 0, err
	}
	names := runNames(runs)
	for _, e := range events {
		at := slices.IndexFunc(runs, func(r Run) bool {
			return names[r.ID] == e.Run && r.Time.Equal(e.Time) && r.Label == e.Label
		})
		if !e.isAccept() || at < 0 {
			continue
		}
		key, all := parseName(e.Series), e.Series == ""
		key.Device, key.Driver, key.Program = e.Device, e.Driver, e.Program
		accept := Accept{Run: runs[at].ID, Note: e.Note, Time: e.RecordedAt, Noise: e.Event == eventNoise}
		if slices.ContainsFunc(known, func(a Accept) bool {
			return a.Run == accept.Run && a.Time.Equal(accept.Time) && a.Noise == accept.Noise &&
				(a.Series == 0) == all && (all || a.Key == key)
		}) {
			continue
		}
		matches := func(k Key) bool { return k == key }
		if all {
			matches = nil
		}
		if _, err := d.Accept(ctx, accept, matches); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}
