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
)

// runNames gives each run the name under which its points are exported: its job, or its number where it has none. Of
// several runs with one name, time and label the first keeps it and the others get their numbers behind it, so that
// an export can be imported, and what was exported before keeps its names when runs are added. The runs come in the
// order of time and number.
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

// importer stores the runs of one batch in a transaction.
type importer struct {
	db      *DB
	tx      *sql.Tx
	number  *number // of the metric
	records *Records
	done    Imported
	memo    *memo
	rows    [][]any // of new runs, which are inserted together

	// The stored runs of the time that is being imported, with their names.
	there []Run
	names map[int64]string
	at    time.Time
}

// runs stores the batch.
func (in *importer) runs(ctx context.Context, batch [][]int32) error {
	// One import at a time on a server: two that bring two metrics of one run would both find it missing, and make it.
	// The row is read to lock it.
	var locked int
	text := `SELECT value FROM occudiff_meta WHERE name = 'schema'` + in.db.engine.forUpdate
	err := in.db.row(ctx, in.tx, text).Scan(&locked)
	for i := 0; err == nil && i < len(batch); i++ {
		err = in.run(ctx, batch[i])
	}
	if err == nil {
		err = in.insertRows(ctx)
	}
	return err
}

// insertRows inserts the rows of the new runs so far.
func (in *importer) insertRows(ctx context.Context) error {
	rows := in.rows
	in.rows = nil
	return in.db.insertRows(ctx, in.tx, rows, "")
}

// run stores one run, or what a stored one lacks of it.
func (in *importer) run(ctx context.Context, lines []int32) error {
	run, err := clean(in.records.run(in.number, lines))
	if err == nil {
		run.Rows, err = in.db.renamed(ctx, in.tx, run.Rows)
	}
	if err != nil {
		return err
	}
	run.memo = in.memo
	run.contents = contents(run)
	known, err := in.db.known(ctx, in.tx, run)
	if err != nil {
		return err
	}
	if known.ID != 0 {
		in.done.KnownRuns++
		return nil
	}
	stored, err := in.find(ctx, &run)
	if err != nil {
		return err
	}
	var contradiction error // of the first of them
	// Several runs may have the time, and one that agrees is enough: what another one contradicts is no fault then.
	for _, old := range stored {
		n, err := in.compare(ctx, old, run.on(old), lines)
		if err != nil {
			return err
		}
		if n.contradiction == nil {
			return in.fill(ctx, old, contents(run), n)
		}
		if contradiction == nil {
			contradiction = n.contradiction
		}
	}
	if contradiction != nil {
		return contradiction
	}
	return in.store(ctx, run)
}

// store stores a run that is not there, but for its rows, which follow with those of the others.
func (in *importer) store(ctx context.Context, run Run) error {
	p, err := in.db.begin(ctx, in.tx, &run)
	if err != nil {
		return err
	}
	in.rows = append(in.rows, kernelRows(run, p.ids)...)
	in.done.Runs++
	in.done.Points += len(run.Rows)
	// Inserted by the thousand: a statement each would be most of the time of an import.
	if len(in.rows) < importRows {
		return nil
	}
	return in.insertRows(ctx)
}

// on gives the rows of an imported run as those of a stored one, which knows device and driver where they do not say.
func (run *Run) on(old *Run) []Row {
	rows := slices.Clone(run.Rows)
	for i := range rows {
		rows[i].Device = cmp.Or(rows[i].Device, old.Device)
		rows[i].Driver = cmp.Or(rows[i].Driver, old.Driver)
	}
	return rows
}

// find gives the stored runs that an imported one may be: the one of its time and label that export would give its
// name. Without a name it may be any of those without a job on its device and driver.
func (in *importer) find(ctx context.Context, run *Run) ([]*Run, error) {
	// Lines of a file are mostly by time, so the runs of one time are read once.
	if !run.Time.Equal(in.at) {
		if err := in.readRuns(ctx, run.Time); err != nil {
			return nil, err
		}
	}
	var found []*Run
	for i := range in.there {
		old := &in.there[i]
		same := in.names[old.ID] == run.JobID
		if run.JobID == "" {
			same = old.JobID == "" && old.Device == run.Device && old.Driver == run.Driver
		}
		if same && old.Label == run.Label {
			found = append(found, old)
		}
	}
	return found, nil
}

// readRuns reads the stored runs of a time, and keeps them from being removed until the end of the transaction.
func (in *importer) readRuns(ctx context.Context, at time.Time) error {
	in.at, in.there = at, nil
	text := `SELECT id, label, job, device, driver, kernels FROM occudiff_run WHERE time = ? ORDER BY id` +
		in.db.engine.forUpdate
	err := in.db.each(ctx, in.tx, text, []any{at.UnixMicro()}, func(rows *sql.Rows) error {
		r := Run{Time: at}
		err := rows.Scan(&r.ID, &r.Label, &r.JobID, &r.Device, &r.Driver, &r.Kernels)
		in.there = append(in.there, r)
		return err
	})
	in.names = runNames(in.there)
	return err
}

// news is what an import knows of a stored run.
// An import is compared with the whole run before anything of it is written, so that a contradiction leaves no half.
type news struct {
	stored        []Row   // of the run: device and driver only
	fresh         []Row   // rows that are not there
	filled        []Row   // rows that are there without the value, or without a verdict
	series        []int64 // of filled
	values        int     // new ones
	contradiction error   // another value or verdict than the stored one
}

// storedPoint is what a stored run has of a kernel.
type storedPoint struct {
	value   sql.NullFloat64
	verdict string
	series  int64
	stable  string
}

// points gives what a stored run has of its kernels, and their keys, by the kernels' identities. Imported rows whose
// name it has not may be of kernels whose name moved since they were exported.
func (in *importer) points(ctx context.Context, old *Run, imported []Row) (map[string]storedPoint, []Row, error) {
	points := make(map[string]storedPoint, len(imported))
	var stored []Row
	text := `SELECT s.kernel_identity, s.stable_identity, s.id, s.device, s.driver, s.program, k.verdict, k.` +
		in.number.column + ` FROM occudiff_kernel k JOIN occudiff_series s ON s.id = k.series_id WHERE k.run_id = ?`
	err := in.db.each(ctx, in.tx, text, []any{old.ID}, func(rows *sql.Rows) error {
		var kernel string
		var p storedPoint
		var key Key
		err := rows.Scan(&kernel, &p.stable, &p.series, &key.Device, &key.Driver, &key.Program, &p.verdict, &p.value)
		points[kernel] = p
		stored = append(stored, Row{Key: key})
		return err
	})
	named, elsewhere := make(map[string]bool, len(imported)), map[string][]storedPoint{}
	for i := range imported {
		named[in.memo.of(imported[i].Key).kernel] = true
	}
	for kernel, p := range points {
		if p.stable != "" && !named[kernel] {
			elsewhere[p.stable] = append(elsewhere[p.stable], p)
		}
	}
	for i := 0; i < len(imported) && len(elsewhere) > 0; i++ {
		kernel := in.memo.of(imported[i].Key).kernel
		of := elsewhere[imported[i].stableIdentity()]
		// Only where one kernel can be meant.
		if _, there := points[kernel]; !there && len(of) == 1 {
			points[kernel] = of[0]
		}
	}
	return points, stored, err
}

// compare says what imported rows add to a stored run.
func (in *importer) compare(ctx context.Context, old *Run, imported []Row, lines []int32) (n news, err error) {
	points, stored, err := in.points(ctx, old, imported)
	if err != nil {
		return n, err
	}
	n.stored = stored
	for i, row := range imported {
		p, there := points[in.memo.of(row.Key).kernel]
		given := in.records.At(int(lines[i]))
		value := in.number.point(p.value.Float64)
		switch {
		case !there:
			row.Program = n.stored[0].Program // of one run
			n.fresh = append(n.fresh, row)
			n.values++
		case !p.value.Valid:
			n.fill(row, p.series)
			n.values++
		case !sameValue(value, given.Value):
			what := fmt.Sprintf("%s %v", in.number.metric, given.Value)
			n.contradiction = differs(old, given, what, fmt.Sprint(value))
			return n, nil
		case p.verdict != "" && row.Verdict != "" && p.verdict != row.Verdict:
			n.contradiction = differs(old, given, fmt.Sprintf("verdict %q", row.Verdict), strconv.Quote(p.verdict))
			return n, nil
		case p.verdict == "" && row.Verdict != "":
			n.fill(row, p.series)
		}
	}
	return n, nil
}

func (n *news) fill(row Row, series int64) {
	n.filled, n.series = append(n.filled, row), append(n.series, series)
}

// sameValue compares a stored value with one from a file: a spreadsheet keeps 15 digits.
func sameValue(a, b float64) bool {
	return math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b))
}

// differs is the error of a point that is stored with another value or verdict.
func differs(old *Run, p Record, what, stored string) error {
	return fmt.Errorf("%w: line %d has %s for %q at %s, run %d of the history has %s; give another run another name"+
		" in the column `run`, correct a run after 'occudiff track remove %d'",
		errBadRun, p.Line, what, p.Series, p.Time.Format(time.RFC3339), old.ID, stored, old.ID)
}

// fill gives a stored run what it lacks. content are the digests of what was imported.
func (in *importer) fill(ctx context.Context, old *Run, content []string, n news) error {
	if len(n.fresh)+len(n.filled) == 0 {
		in.done.KnownRuns++
		return nil
	}
	// The fresh ones first: they go behind the rows that are there.
	run := Run{ID: old.ID, Time: old.Time, Kernels: old.Kernels, Rows: append(n.fresh, n.filled...)}
	var p placed
	if len(n.fresh) > 0 {
		var err error
		if p, err = in.db.seriesOf(ctx, in.tx, n.fresh, in.memo, true); err != nil {
			return err
		}
	}
	column := in.number.column
	in.db.at("series")
	err := in.db.insertRows(ctx, in.tx, kernelRows(run, append(p.ids, n.series...)), `
		ON CONFLICT (series_id, time, run_id) DO UPDATE SET
		`+column+` = COALESCE(occudiff_kernel.`+column+`, excluded.`+column+`),
		verdict = CASE occudiff_kernel.verdict WHEN '' THEN excluded.verdict ELSE occudiff_kernel.verdict END`)
	if err == nil && len(n.fresh) > 0 {
		err = in.grow(ctx, old, n)
	}
	// So that the same file is known at once the next time.
	for i := 0; err == nil && i < len(content); i++ {
		err = in.db.insert(ctx, in.tx, "occudiff_content (digest, run_id)", [][]any{{content[i], old.ID}},
			" ON CONFLICT (digest) DO NOTHING")
	}
	if err != nil {
		return err
	}
	in.done.Runs++
	in.done.Filled++
	in.done.Points += n.values
	return nil
}

// grow counts the fresh rows of a stored run. An imported run has the device and driver that all of its rows name; a
// run that was read from files knows its device better.
func (in *importer) grow(ctx context.Context, old *Run, n news) error {
	device, driver := in.records.platform(append(n.stored, n.fresh...))
	if device != old.Device || driver != old.Driver {
		var inputs int
		err := in.db.row(ctx, in.tx, `SELECT COUNT(*) FROM occudiff_input WHERE run_id = ?`, old.ID).Scan(&inputs)
		if err != nil {
			return err
		}
		if inputs == 0 {
			old.Device, old.Driver = device, driver
		}
	}
	old.Kernels += len(n.fresh)
	return in.db.exec(ctx, in.tx, `UPDATE occudiff_run SET kernels = ?, device = ?, driver = ? WHERE id = ?`,
		old.Kernels, old.Device, old.Driver, old.ID)
}
