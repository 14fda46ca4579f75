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

// runNames gives each run the name under which its points are exported: its job, or its number where it has none. Of several
// runs with one name, time and label the first keeps it and the others get their numbers behind it, so that an export can be
// imported, and what was exported before keeps its names when runs are added. The runs come in the order of time and number.
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
		plain := r.JobID
		if plain == "" {
			plain = strconv.FormatInt(r.ID, 10)
		}
		names[r.ID] = plain
		if n := (name{r.Time.UnixMicro(), r.Label, plain}); taken[n] {
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
	metric  Metric
	records *Records
	done    Imported

	// The stored runs of the time that is being imported, with their names.
	there []Run
	names map[int64]string
	at    time.Time
}

// runs stores the batch.
func (in *importer) runs(ctx context.Context, batch [][]int32) error {
	// One import at a time on a server: two that bring two metrics of one run would both find it missing, and make it. The row
	// is read to lock it.
	var locked int
	if err := in.tx.QueryRowContext(ctx, `SELECT value FROM occudiff_meta WHERE name = 'schema'`+in.db.engine.forUpdate).Scan(&locked); err != nil {
		return err
	}
	for _, lines := range batch {
		if err := in.run(ctx, lines); err != nil {
			return err
		}
	}
	return nil
}

// run stores one run, or what a stored one has not of it.
func (in *importer) run(ctx context.Context, lines []int32) error {
	run, err := clean(in.records.run(in.metric, lines))
	if err != nil {
		return err
	}
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
	var first error
	content := contents(run)
	for _, old := range stored {
		n, err := in.compare(ctx, old, run.on(old), lines)
		if err != nil {
			return err
		}
		if n.contradiction == nil {
			return in.fill(ctx, old, content, n)
		}
		if first == nil {
			first = n.contradiction
		}
	}
	if first != nil {
		return first
	}
	if _, err := in.db.store(ctx, in.tx, run); err != nil {
		return err
	}
	in.done.Runs++
	in.done.Points += len(run.Rows)
	return nil
}

// on gives the rows of an imported run as those of a stored one: what they do not say of device and driver it does.
func (run *Run) on(old *Run) []Row {
	rows := slices.Clone(run.Rows)
	for i := range rows {
		rows[i].Device = cmp.Or(rows[i].Device, old.Device)
		rows[i].Driver = cmp.Or(rows[i].Driver, old.Driver)
	}
	return rows
}

// find gives the stored run that an imported one is: the one of its time and label that export would give its name.
// Without a name it may be any of those without a job that are of its device and driver.
func (in *importer) find(ctx context.Context, run *Run) ([]*Run, error) {
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
	rows, err := in.tx.QueryContext(ctx, in.db.engine.bind(`SELECT id, label, job, device, driver, kernels FROM occudiff_run
		WHERE time = ? ORDER BY id`+in.db.engine.forUpdate), at.UnixMicro())
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		r := Run{Time: at}
		if err := rows.Scan(&r.ID, &r.Label, &r.JobID, &r.Device, &r.Driver, &r.Kernels); err != nil {
			return err
		}
		in.there = append(in.there, r)
	}
	in.names = runNames(in.there)
	return rows.Err()
}

// news is what an import knows of a stored run.
type news struct {
	stored        []Row // of the run: keys only
	fresh         []Row // rows that are not there
	filled        []Row // rows that are there without the value, or without a verdict
	values        int   // new ones
	contradiction error // another value or verdict than the stored one
}

// compare says what imported rows add to a stored run.
func (in *importer) compare(ctx context.Context, old *Run, imported []Row, lines []int32) (news, error) {
	column, err := in.metric.column()
	if err != nil {
		return news{}, err
	}
	type point struct {
		value   sql.NullFloat64
		verdict string
	}
	var n news
	points := make(map[string]point, len(imported))
	rows, err := in.tx.QueryContext(ctx, in.db.engine.bind(`SELECT s.identity, s.device, s.driver, k.`+column+`, k.verdict
		FROM occudiff_kernel k JOIN occudiff_series s ON s.id = k.series_id WHERE k.run_id = ?`), old.ID)
	if err != nil {
		return news{}, err
	}
	defer rows.Close()
	for rows.Next() {
		var identity string
		var p point
		var key Key
		if err := rows.Scan(&identity, &key.Device, &key.Driver, &p.value, &p.verdict); err != nil {
			return news{}, err
		}
		points[identity] = p
		n.stored = append(n.stored, Row{Key: key})
	}
	if err := rows.Err(); err != nil {
		return news{}, err
	}
	for i, row := range imported {
		p, there := points[row.identity()]
		given := in.records.At(int(lines[i]))
		switch {
		case !there:
			n.fresh = append(n.fresh, row)
			n.values++
		case !p.value.Valid:
			n.filled = append(n.filled, row)
			n.values++
		case !sameValue(in.metric.point(p.value.Float64), given.Value):
			n.contradiction = in.differs(old, given, fmt.Sprintf("%s %v", in.metric, given.Value), fmt.Sprint(in.metric.point(p.value.Float64)))
			return n, nil
		case p.verdict != "" && row.Verdict != "" && p.verdict != row.Verdict:
			n.contradiction = in.differs(old, given, fmt.Sprintf("verdict %q", row.Verdict), strconv.Quote(p.verdict))
			return n, nil
		case p.verdict == "" && row.Verdict != "":
			n.filled = append(n.filled, row)
		}
	}
	return n, nil
}

// sameValue compares a stored value with one from a file: a spreadsheet keeps 15 digits.
func sameValue(a, b float64) bool {
	return math.Abs(a-b) <= 1e-12*math.Max(math.Abs(a), math.Abs(b))
}

// differs is the error of a point that is stored with another value or verdict.
func (in *importer) differs(old *Run, p Record, what, stored string) error {
	return fmt.Errorf("%w: line %d has %s for %q at %s, run %d of the history has %s; give another run another name in the column `run`, correct a run after `occudiff track remove %d`",
		ErrBadRun, p.Line, what, p.Series, p.Time.Format(time.RFC3339), old.ID, stored, old.ID)
}

// fill gives a stored run what it has not. content are the digests of what was imported.
func (in *importer) fill(ctx context.Context, old *Run, content []string, n news) error {
	if len(n.fresh)+len(n.filled) == 0 {
		in.done.KnownRuns++
		return nil
	}
	column, err := in.metric.column()
	if err != nil {
		return err
	}
	// The fresh ones first: they go behind the rows that are there.
	run := Run{ID: old.ID, Time: old.Time, Kernels: old.Kernels, Rows: append(n.fresh, n.filled...)}
	err = in.db.addRows(ctx, in.tx, run, ` ON CONFLICT (series_id, time, run_id) DO UPDATE SET
		`+column+` = COALESCE(occudiff_kernel.`+column+`, excluded.`+column+`),
		verdict = CASE occudiff_kernel.verdict WHEN '' THEN excluded.verdict ELSE occudiff_kernel.verdict END`)
	if err != nil {
		return err
	}
	if err := in.grow(ctx, old, n); err != nil {
		return err
	}
	// So that the same file is known at once the next time.
	for _, digest := range content {
		if err := in.db.insert(ctx, in.tx, "occudiff_content (digest, run_id)", [][]any{{digest, old.ID}}, " ON CONFLICT (digest) DO NOTHING"); err != nil {
			return err
		}
	}
	in.done.Runs++
	in.done.Filled++
	in.done.Points += n.values
	return nil
}

// grow counts the fresh rows of a stored run. One that was imported is then of what all of its rows say; what was read from
// files knows its device better.
func (in *importer) grow(ctx context.Context, old *Run, n news) error {
	if len(n.fresh) == 0 {
		return nil
	}
	device, driver := in.records.platform(append(n.stored, n.fresh...))
	if device != old.Device || driver != old.Driver {
		var inputs int
		err := in.tx.QueryRowContext(ctx, in.db.engine.bind(`SELECT COUNT(*) FROM occudiff_input WHERE run_id = ?`), old.ID).Scan(&inputs)
		if err != nil {
			return err
		}
		if inputs == 0 {
			old.Device, old.Driver = device, driver
		}
	}
	old.Kernels += len(n.fresh)
	_, err := in.tx.ExecContext(ctx, in.db.engine.bind(`UPDATE occudiff_run SET kernels = ?, device = ?, driver = ? WHERE id = ?`),
		old.Kernels, old.Device, old.Driver, old.ID)
	return err
}
