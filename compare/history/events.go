package history

import (
	"context"
	"slices"
)

// exportEvents hands out what was accepted, and what somebody renamed.
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
			continue // stored after the runs were read
		}
		e := Record{Event: eventAccepted, Time: r.Time, Said: a.Time, Run: r.Run, Label: r.Label, Note: a.Note,
			Device: r.Device, Driver: r.Driver, Program: r.Program}
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
		if err := visit(Record{Event: eventRenamed, Series: r.Old, Note: r.New, Time: r.Time, Said: r.Time}); err != nil {
			return err
		}
	}
	return nil
}

// importRenames renames what records say, unless it is said already.
// Renames come before the points, so that these find the series of the new names.
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
		if err := d.renameTo(ctx, Rename{Old: e.Series, New: e.Note, Time: e.Said}, false); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}

// importAccepts accepts what records say, unless it is said already. Its run is found as that of kernels is.
func (d *DB) importAccepts(ctx context.Context, events []Record) (done int, err error) {
	if len(events) == 0 {
		return 0, nil
	}
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
		if e.Event != eventAccepted || at < 0 {
			continue
		}
		key, all := parseName(e.Series), e.Series == ""
		key.Device, key.Driver, key.Program = e.Device, e.Driver, e.Program
		if slices.ContainsFunc(known, func(a Accept) bool {
			return a.Run == runs[at].ID && a.Time.Equal(e.Said) && (a.Series == 0) == all && (all || a.Key == key)
		}) {
			continue
		}
		matches := func(k Key) bool { return k == key }
		if all {
			matches = nil
		}
		if _, err := d.Accept(ctx, runs[at].ID, matches, e.Note, e.Said); err != nil {
			return done, err
		}
		done++
	}
	return done, nil
}
