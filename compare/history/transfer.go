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
	Series  string // Key.Name, or any other name
	Time    time.Time
	Value   float64 // in the metric's unit
	Run     string  // names the run; points of one time, device and driver without it are one run
	Device  string
	Driver  string
	Label   string
	Verdict string
	Program string
	Branch  string
	Commit  string
	Host    string
	// Event is empty for a point. Else the record says what was said of the history: "accept", of a series or, without
	// one, of all, from a run on, with the Note; or "rename", of a kernel from Series to Note. Value is the time of it
	// in Unix seconds.
	Event string
	Note  string
	Line  int // where it was read, for messages; 0 when nowhere
}

// The events.
const (
	eventAccepted = "accept"
	eventRenamed  = "rename"
)

// Imported says what Import did.
type Imported struct {
	Runs, Points int // that were stored, or were given values that they had not
	Filled       int // those of Runs that were there already
	KnownRuns    int // that had all of it already
	Events       int // what was accepted or renamed, and is not stored yet
}

const (
	// importBatch is the number of runs that one transaction of an import stores. All of them touch the same pages of
	// the table, those at the ends of the series, so that fifty of them cost hardly more than one.
	importBatch = 50
	// importRows is how many rows are kept in memory, to be inserted series by series.
	importRows = 1 << 14
)

// Import stores points of a metric as runs. Points with the same run, time and label are one run; without a run they
// must share device and driver too. A run that is stored already, from files or from another import, is not stored
// again: it is given the values that it lacks, and the same points twice change nothing. Another value than the
// stored one is an error. Runs are stored whole; when it ends early the ones before are kept, and importing the same
// points again adds the rest.
func (d *DB) Import(ctx context.Context, m Metric, records *Records) (Imported, error) {
	var done Imported
	number, err := m.number()
	if err != nil {
		return done, err
	}
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
			in = &importer{db: d, tx: tx, number: number, records: records, memo: newMemo()}
			return in.runs(ctx, batch)
		})
		if err != nil {
			return done, fmt.Errorf("after %d of %d runs: %w", done.Runs+done.KnownRuns, len(groups), err)
		}
		done.Runs += in.done.Runs
		done.Points += in.done.Points
		done.Filled += in.done.Filled
		done.KnownRuns += in.done.KnownRuns
	}
	accepted, err := d.importAccepts(ctx, records)
	done.Events += accepted
	return done, err
}

// Export hands out every point of a metric, series by series, oldest first, and then what was accepted and renamed.
func (d *DB) Export(ctx context.Context, m Metric, visit func(Record) error) error {
	runs, err := d.List(ctx)
	if err != nil {
		return err
	}
	names := runNames(runs)
	of := make(map[int64]*Run, len(runs))
	for i := range runs {
		of[runs[i].ID] = &runs[i]
	}
	err = d.eachSeries(ctx, m, &lineup{plain: true}, func(s Series) error {
		name := s.Key.Name()
		for _, p := range s.Points {
			run, ok := names[p.Run]
			if !ok {
				continue // stored after the runs were read
			}
			r := of[p.Run]
			err := visit(Record{Series: name, Time: p.Time, Value: p.Value, Run: run, Device: s.Key.Device,
				Driver: s.Key.Driver, Label: r.Label, Verdict: p.Verdict, Program: s.Key.Program, Branch: r.Branch,
				Commit: r.Commit, Host: r.Host})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.exportEvents(ctx, of, names, visit)
}
