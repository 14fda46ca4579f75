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

// Imported says what Import did.
type Imported struct {
	Runs, Kernels int // that were stored
	KnownRuns     int // that were there already
	Events        int // what was accepted or renamed, and is not stored yet
}

const (
	// importBatch is the number of runs that one transaction of an import stores. All of them touch the same pages of
	// the table, those at the ends of the series, so that fifty of them cost hardly more than one.
	importBatch = 50
	// importRows is how many rows are kept in memory, to be inserted series by series.
	importRows = 1 << 14
)

// Import stores records as runs. Those with the same run, time and label are one run; without a run they must share
// device and driver too. A run that is stored already, from files or from another import, is not stored again; that it
// is stored with other values is an error. Runs are stored whole; when it ends early the ones before are kept, and
// importing the same records again adds the rest.
func (d *DB) Import(ctx context.Context, records *Records) (done Imported, err error) {
	groups, err := records.group()
	if err != nil {
		return done, err
	}
	if done.Events, err = d.importRenames(ctx, records.events); err != nil {
		return done, err
	}
	for batch := range slices.Chunk(groups, importBatch) {
		var in *importer
		err := d.write(ctx, "importing runs into "+d.engine.where, func(tx *sql.Tx) error {
			in = &importer{db: d, tx: tx, records: records}
			return in.runs(ctx, batch)
		})
		if err != nil {
			return done, fmt.Errorf("after %d of %d runs: %w", done.Runs+done.KnownRuns, len(groups), err)
		}
		done.Runs += in.done.Runs
		done.Kernels += in.done.Kernels
		done.KnownRuns += in.done.KnownRuns
	}
	accepted, err := d.importAccepts(ctx, records)
	done.Events += accepted
	return done, err
}

// importer stores the runs of one batch in a transaction.
type importer struct {
	db      *DB
	tx      *sql.Tx
	records *Records
	done    Imported
	rows    [][]any // of new runs, which are inserted together

	// The stored runs of the time that is being imported, with their names.
	there []Run
	names map[int64]string
	at    time.Time
}

// runs stores the batch.
func (in *importer) runs(ctx context.Context, batch [][]int32) error {
	// One import at a time on a server: two that bring the same run would both find it missing, and make it. The row is
	// read to lock it.
	var locked int
	text := `SELECT value FROM occudiff_meta WHERE name = 'schema'` + in.db.engine.forUpdate
	err := in.db.row(ctx, in.tx, text).Scan(&locked)
	for i := 0; err == nil && i < len(batch); i++ {
		err = in.run(ctx, batch[i])
	}
	if err == nil {
		err = in.db.insertRows(ctx, in.tx, in.rows)
	}
	return err
}

// run stores one run, unless it is there.
func (in *importer) run(ctx context.Context, lines []int32) error {
	run, err := clean(in.records.run(lines))
	if err == nil {
		run.Rows, err = in.db.renamed(ctx, in.tx, run.Rows)
	}
	if err != nil {
		return err
	}
	known, err := in.db.stored(ctx, in.tx, run)
	if err == nil && known.ID == 0 {
		known.ID, err = in.find(ctx, &run, lines)
	}
	if err != nil {
		return err
	}
	if known.ID != 0 {
		in.done.KnownRuns++
		return nil
	}
	p, err := in.db.begin(ctx, in.tx, &run)
	if err != nil {
		return err
	}
	in.rows = append(in.rows, kernelRows(run, p.ids)...)
	in.done.Runs++
	in.done.Kernels += len(run.Rows)
	// Inserted by the thousand: a statement each would be most of the time of an import.
	if len(in.rows) < importRows {
		return nil
	}
	rows := in.rows
	in.rows = nil
	return in.db.insertRows(ctx, in.tx, rows)
}

// find gives the stored run that an imported one is: the one of its time and label that export would give its name, or,
// without a name, one of those without a job on its device and driver. It is 0 where there is none, and an error where
// it says something else.
func (in *importer) find(ctx context.Context, run *Run, lines []int32) (int64, error) {
	// Lines of a file are mostly by time, so the runs of one time are read once.
	if !run.Time.Equal(in.at) {
		if err := in.readRuns(ctx, run.Time); err != nil {
			return 0, err
		}
	}
	var differs error // of the first of them
	for i := range in.there {
		old := &in.there[i]
		same := in.names[old.ID] == run.JobID
		if run.JobID == "" {
			same = old.JobID == "" && old.Device == run.Device && old.Driver == run.Driver
		}
		if !same || old.Label != run.Label {
			continue
		}
		other, err := in.compare(ctx, old, run.Rows, lines)
		if err != nil || other == nil {
			return old.ID, err
		}
		differs = cmp.Or(differs, other)
	}
	return 0, differs
}

// readRuns reads the stored runs of a time, and keeps them from being removed until the end of the transaction.
func (in *importer) readRuns(ctx context.Context, at time.Time) error {
	in.at, in.there = at, nil
	err := in.db.each(ctx, in.tx, runText+`WHERE time = ? ORDER BY id`+in.db.engine.forUpdate, []any{at.UnixMicro()},
		func(rows *sql.Rows) error {
			r, err := scanRun(rows)
			in.there = append(in.there, r)
			return err
		})
	in.names = runNames(in.there)
	return err
}

// compare says what imported rows say otherwise than a stored run.
func (in *importer) compare(ctx context.Context, old *Run, imported []Row, lines []int32) (differs, err error) {
	rows, err := in.db.rows(ctx, in.tx, old.ID)
	if err != nil {
		return nil, err
	}
	// The program of a series is the history's to say.
	plain := func(k Key) Key {
		k.Program, k.Device, k.Driver = "", cmp.Or(k.Device, old.Device), cmp.Or(k.Driver, old.Driver)
		return k
	}
	left := make(map[Key]*Row, len(rows))
	for i := range rows {
		left[plain(rows[i].Key)] = &rows[i]
	}
	var moved []int
	for i := range imported {
		k := plain(imported[i].Key)
		if row, there := left[k]; there {
			delete(left, k)
			if differs := in.differs(old, int(lines[i]), row, &imported[i]); differs != nil {
				return differs, nil
			}
			continue
		}
		moved = append(moved, i)
	}
	for _, i := range moved { // those whose name moved since they were exported
		p := in.records.At(int(lines[i]))
		identity := plain(imported[i].Key).stableIdentity()
		var of []Key
		for k := range left {
			if identity != "" && k.stableIdentity() == identity {
				of = append(of, k)
			}
		}
		if len(of) != 1 { // one kernel can be meant
			return in.contradiction(old, p, "", "", "not this kernel"), nil
		}
		if differs := in.differs(old, int(lines[i]), left[of[0]], &imported[i]); differs != nil {
			return differs, nil
		}
		delete(left, of[0])
	}
	for i := range rows {
		if left[plain(rows[i].Key)] != nil {
			p := in.records.At(int(lines[0]))
			return fmt.Errorf("%w: run %d of the history has %q, and the file does not have it at %s; an import brings "+
				"whole runs: give another run another name in the column `run`", errBadRun, old.ID, rows[i].Name(),
				p.Time.Format(time.RFC3339)), nil
		}
	}
	return nil, nil
}

// differs is the error of an imported kernel that is stored with another value, verdict or cause.
func (in *importer) differs(old *Run, line int, stored, given *Row) error {
	value := func(o unit.Opt[float64]) string {
		if v, ok := o.Value(); ok {
			return fmt.Sprint(v)
		}
		return "none"
	}
	p := in.records.At(line)
	for i := range columns {
		if a, b := stored.Values[i], given.Values[i]; !sameValue(a, b) {
			return in.contradiction(old, p, string(columns[i].Metric), value(b), value(a))
		}
	}
	if stored.Verdict != given.Verdict {
		return in.contradiction(old, p, "verdict", strconv.Quote(given.Verdict), strconv.Quote(stored.Verdict))
	}
	if stored.Cause != given.Cause {
		return in.contradiction(old, p, "cause", strconv.Quote(given.Cause), strconv.Quote(stored.Cause))
	}
	return nil
}

// sameValue compares a stored value with one from a file: a spreadsheet keeps 15 digits.
func sameValue(a, b unit.Opt[float64]) bool {
	x, ok1 := a.Value()
	y, ok2 := b.Value()
	return ok1 == ok2 && math.Abs(x-y) <= 1e-12*math.Max(math.Abs(x), math.Abs(y))
}

// contradiction is the error of a line that says something else than a stored run.
func (in *importer) contradiction(old *Run, p Record, what, given, stored string) error {
	if what != "" {
		what += " " + given + " for "
	}
	return fmt.Errorf("%w: line %d has %s%q at %s, run %d of the history has %s; an import brings whole runs: give another"+
		" run another name in the column `run`, correct a run after 'occudiff track remove %d'", errBadRun, p.Line, what,
		p.Series, p.Time.Format(time.RFC3339), old.ID, stored, old.ID)
}

// runNames gives each run the name under which it is exported: its job, or its number where it has none. Of several runs
// with one name, time and label the first keeps it and the others get their numbers behind it, so that an export can be
// imported, and what was exported before keeps its names when runs are added. The runs come in the order of time and
// number.
func runNames(runs []Run) map[int64]string {
	type name struct {
		us         int64
		label, run string
	}
	taken := make(map[name]bool, len(runs))
	names := make(map[int64]string, len(runs))
	var twice []*Run
	for i := range runs {
		r := &runs[i]
		names[r.ID] = cmp.Or(r.JobID, strconv.FormatInt(r.ID, 10))
		if n := (name{r.Time.UnixMicro(), r.Label, names[r.ID]}); taken[n] {
			twice = append(twice, r)
		} else {
			taken[n] = true
		}
	}
	for _, r := range twice {
		n := name{r.Time.UnixMicro(), r.Label, names[r.ID]}
		for taken[n] {
			n.run += "#" + strconv.FormatInt(r.ID, 10)
		}
		taken[n] = true
		names[r.ID] = n.run
	}
	return names
}

// Export hands out every kernel of every run, series by series, oldest first, and then what was accepted and renamed.
func (d *DB) Export(ctx context.Context, visit func(Record) error) error {
	runs, err := d.List(ctx)
	if err != nil {
		return err
	}
	names := runNames(runs)
	of := make(map[int64]*Run, len(runs))
	for i := range runs {
		of[runs[i].ID] = &runs[i]
	}
	keys, err := d.keys(ctx, "", nil)
	if err != nil {
		return err
	}
	called := make(map[int64]string, len(keys))
	for id, k := range keys {
		called[id] = k.Name()
	}
	var stopped error
	err = d.query(ctx, "reading the kernels of "+d.engine.where, `SELECT series_id, run_id, verdict, cause`+
		columnNames(", ", "")+` FROM occudiff_kernel ORDER BY series_id, time, run_id`, nil, func(rows *sql.Rows) error {
		var series, run int64
		var record Record
		err := scanValues(rows, &record.Values, &series, &run, &record.Verdict, &record.Cause)
		k, r := keys[series], of[run]
		if _, known := called[series]; err != nil || r == nil || !known {
			return err // stored after the runs and keys were read
		}
		record.Series, record.Device, record.Driver, record.Program = called[series], k.Device, k.Driver, k.Program
		record.Time, record.Run, record.Label, record.Branch = r.Time, names[run], r.Label, r.Branch
		record.Commit, record.Host, record.VTune, record.Frequency = r.Commit, r.Host, r.VTune, r.Frequency
		stopped = visit(record)
		return stopped
	})
	if err == nil {
		err = d.exportEvents(ctx, of, names, visit)
	}
	return cmp.Or(stopped, err)
}
