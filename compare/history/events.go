package history

import (
	"context"
	"slices"
)

// exportEvents hands out what was accepted, and what somebody renamed.
func (d *DB) exportEvents(ctx context.Context, runs map[int64]*Run, names map[int64]string,
	visit func(Record) error) error {
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
		k := a.Key
		if a.Series == 0 {
			k = Key{Device: r.Device, Driver: r.Driver, Program: r.Program}
		}
		err := visit(Record{Event: eventAccepted, Series: k.Name(), Time: r.Time, Said: a.Time,
			Run: names[a.Run], Device: k.Device, Driver: k.Driver, Program: k.Program, Label: r.Label, Note: a.Note})
		if err != nil {
			return err
		}
	}
	for _, r := range renamed {
		if r.Run != 0 {
			continue
		}
		err := visit(Record{Event: eventRenamed, Series: r.Old, Note: r.New, Time: r.Time, Said: r.Time})
		if err != nil {
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

// importAccepts accepts what records say, unless it is said already. Its run is found as that of points is.
func (d *DB) importAccepts(ctx context.Context, records *Records) (done int, err error) {
	if !slices.ContainsFunc(records.events, func(e Record) bool { return e.Event == eventAccepted }) {
		return 0, nil
	}
	runs, err := d.List(ctx)
	if err != nil {
		return 0, err
	}
	known, err := d.Accepts(ctx)
	if err != nil {
		return 0, err
	}
	names := runNames(runs)
	for _, e := range records.events {
		if e.Event != eventAccepted {
			continue
		}
		key := parseName(e.Series)
		key.Device, key.Driver, key.Program = e.Device, e.Driver, e.Program
		for i := range runs {
			r := &runs[i]
			if names[r.ID] != e.Run || !r.Time.Equal(e.Time) || r.Label != e.Label {
				continue
			}
			same := func(a Accept) bool {
				return a.Run == r.ID && a.Time.Equal(e.Said) && (a.Series == 0) == (e.Series == "") &&
					(a.Series == 0 || a.Key == key)
			}
			if slices.ContainsFunc(known, same) {
				continue
			}
			matches := func(k Key) bool { return k == key }
			if e.Series == "" {
				matches = nil
			}
			if _, err := d.Accept(ctx, r.ID, matches, e.Note, e.Said); err != nil {
				return done, err
			}
			done++
		}
	}
	return done, nil
}
