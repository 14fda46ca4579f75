package history

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"
)

// Record is one point as `track import` and `track export` exchange it.
type Record struct {
	Series string // Key.Name, or any other name
	Time   time.Time
	Value  float64 // in the metric's unit
	Run    string  // names the run; points of one time without it are one run
	Device string
	Driver string
	Label  string
	Line   int // where it was read, for messages; 0 when nowhere
}

// Imported says what Import did.
type Imported struct {
	Runs, Points int // stored
	KnownRuns    int // that were stored already
}

// importBatch is the number of runs that one transaction of an import stores. Runs of one time touch the same pages of
// the table, so that twenty of them cost hardly more than one.
const importBatch = 20

// Import stores points of a metric as runs. Points with the same run, time, device, driver and label are one run. The
// same points twice change nothing. Runs are stored whole; when it ends early the ones before are kept, and importing the
// same points again adds the rest.
func (d *DB) Import(ctx context.Context, m Metric, records *Records) (Imported, error) {
	var done Imported
	if _, err := m.column(); err != nil {
		return done, err
	}
	groups, err := records.group()
	if err != nil {
		return done, err
	}
	for batch := range slices.Chunk(groups, importBatch) {
		var now Imported
		err := d.write(ctx, "importing runs into "+d.engine.where, func(tx *sql.Tx) error {
			now = Imported{}
			for _, lines := range batch {
				if err := d.importRun(ctx, tx, records.run(m, lines), &now); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return done, fmt.Errorf("after %d of %d runs: %w", done.Runs+done.KnownRuns, len(groups), err)
		}
		done = Imported{done.Runs + now.Runs, done.Points + now.Points, done.KnownRuns + now.KnownRuns}
	}
	return done, nil
}

// importRun stores one run within a batch.
func (d *DB) importRun(ctx context.Context, tx *sql.Tx, run Run, done *Imported) error {
	run, err := clean(run)
	if err != nil {
		return err
	}
	added, err := d.add(ctx, tx, run)
	switch {
	case err != nil:
		return err
	case added.Stored:
		done.Runs++
		done.Points += len(run.Rows)
	default:
		done.KnownRuns++
	}
	return nil
}

// Export hands out every point of a metric, series by series, oldest first.
func (d *DB) Export(ctx context.Context, m Metric, visit func(Record) error) error {
	runs, err := d.List(ctx)
	if err != nil {
		return err
	}
	byID := make(map[int64]Run, len(runs))
	for _, r := range runs {
		byID[r.ID] = r
	}
	return d.EachSeries(ctx, m, func(s Series) error {
		name := s.Key.Name()
		for _, p := range s.Points {
			r := byID[p.Run]
			record := Record{Series: name, Time: p.Time, Value: p.Value, Run: r.JobID, Device: s.Key.Device, Driver: s.Key.Driver, Label: r.Label}
			if record.Run == "" {
				record.Run = fmt.Sprint(p.Run)
			}
			if err := visit(record); err != nil {
				return err
			}
		}
		return nil
	})
}
