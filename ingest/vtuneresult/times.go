package vtuneresult

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"occudiff/ingest/note"
)

// readLaunches reads the launches from the first source that has them: the
// program's traces, whose times are on the samples' own clock; dicer.db; or the
// traces with timelinedb's times. Times on another clock are exact only to
// about 0.1 ms, which is not sufficient for short launches. Therefore the
// traces come first.
func (a *adapter) readLaunches() error {
	finalized := a.timeline()
	why := a.traced(nil)
	switch {
	case a.ctx.Err() != nil:
		return a.ctx.Err()
	case why == nil:
		a.from = "the traces of the program"
		return a.compareTimes(finalized)
	// A truncated file means that the folder was not copied completely. No
	// other source can replace it.
	case note.HasCode(why, codeContradiction, codeCut):
		return why
	}
	a.tasks, a.launches = tasks{}, nil
	// Only a finalized result has the tables.
	database := path.Join(a.dir, "sqlite-db", "dicer.db")
	if info, err := fs.Stat(a.fs, database); err == nil && info.Size() > 0 {
		err = a.dicer(database)
		switch {
		case a.ctx.Err() != nil:
			return a.ctx.Err()
		case note.HasCode(err, codeContradiction):
			return err
		case err != nil:
			why = fmt.Errorf("%w; dicer.db: %w", why, err)
		case len(a.launches) > 0:
			a.from, a.loose = "dicer.db", true
			return nil
		}
	}
	// timelinedb contains times without names, and the traces contain names
	// without times. They are matched in launch order.
	if len(finalized) > 0 && a.traced(finalized) == nil {
		a.from, a.loose = "the traces of the program, with the times of timelinedb", true
		return nil
	}
	a.tasks, a.launches = tasks{}, nil
	a.failed = why.Error()
	return nil
}

// traced decodes all processes' launches. It uses the finalized times if the
// GPU's times are missing.
func (a *adapter) traced(finalized []span) error {
	a.tasks, a.launches = tasks{}, nil
	for _, files := range processes(a.data) {
		d := decoder{adapter: a, files: files}
		err := d.read()
		var launches []launch
		if err == nil {
			launches, err = d.pair(finalized)
		}
		switch {
		case note.HasCode(err, codeContradiction, codeCut):
			return err
		case err != nil:
			return fmt.Errorf("%s: %w", files[0], err)
		}
		a.launches = append(a.launches, launches...)
	}
	if len(a.launches) == 0 {
		return fmt.Errorf("data.* contains no trace of a Level Zero program")
	}
	return nil
}

// A span is a finalized launch in VTune's own time: 0.1 ns since 2008.
type span struct{ start, end, instance uint64 }

// epoch is the year 2008 in 100 ns since 1970.
const epoch = 1199145600 * 10_000_000

// of returns a time in VTune's own unit as clock ticks.
func (c *clock) of(t uint64) uint64 {
	// Convert in two parts, because 0.1 ns since 2008 does not fit into a
	// float's 53 bits.
	seconds := float64(int64(t/1000+epoch-c.real))/1e7 + float64(t%1000)/1e10
	return c.tick + uint64(int64(math.Round(seconds*float64(c.hertz))))
}

// maxApart is the largest accepted difference between a finalized and a traced
// launch duration, in 0.1 ns. The largest known difference is 2.3 us.
const maxApart = 5e4

// compareTimes returns an error if the finalized launches differ from the
// traced launches, because either belongs to another collection.
func (a *adapter) compareTimes(finalized []span) error {
	refused := func(format string, args ...any) error {
		return note.Errorf(codeContradiction, a.fs.pos(path.Join(a.dir, "sqlite-db", "timelinedb")),
			"delete sqlite-db, which VTune makes again, or "+tableHint, format, args...)
	}
	switch {
	case len(finalized) == 0:
		return nil
	case len(finalized) != len(a.launches):
		return refused("it has %d launches, but the program's traces have %d", len(finalized), len(a.launches))
	}
	// Report only the first difference. Both lists are sorted by launch number.
	for i, s := range finalized {
		l := &a.launches[i]
		long := float64(l.end-l.start) / float64(a.clock.hertz) * 1e10
		if d := long - float64(s.end-s.start); math.Abs(d) > maxApart {
			return refused("record %d: the launch takes %.1f us, but %.1f us in the program's traces", i+1,
				float64(s.end-s.start)/1e4, long/1e4)
		}
	}
	return nil
}

// The layout of timelinedb's instance rows with two paths: two groups, start,
// zeros, start, end, type, 0, 0xffff, instance, 0.
const (
	timelineVersion = "9"
	timelinePaths   = 2
	timelineRow     = 100
)

// timeline returns the finalized launches. They only confirm the traces, so it
// returns nothing if the layout is unknown.
func (a *adapter) timeline() (list []span) {
	dir := path.Join(a.dir, "sqlite-db", "timelinedb")
	var directory struct {
		Version string `xml:"version,attr"`
		Entries []struct {
			Key   string `xml:"key,attr"`
			Value string `xml:"value,attr"`
		} `xml:"dbEntry"`
	}
	if decodeXML(a.fs, path.Join(dir, "directory.xml"), &directory) != nil || directory.Version != timelineVersion {
		return nil
	}
	for _, e := range directory.Entries {
		// A row's length depends on its path count, and only rows with two
		// paths are known.
		if !strings.HasPrefix(e.Key, "GROUP_DEF(type:2 gpu_compute_task_data /") ||
			strings.Count(e.Key, "::") != timelinePaths || strings.Contains(e.Value, "/") {
			continue
		}
		files, _ := fs.Glob(a.fs, path.Join(dir, e.Value, "instance", "*", "*"))
		for _, name := range files {
			if path.Base(name) == "mapping.xml" {
				continue
			}
			rows, ok := a.rowsOf(name)
			if !ok || len(list)+len(rows) > maxLaunches {
				return nil
			}
			list = append(list, rows...)
		}
	}
	slices.SortFunc(list, func(a, b span) int { return cmp.Compare(a.instance, b.instance) })
	return list
}

// rowsOf returns the rows in a timelinedb file. It returns false if a row does
// not have the expected layout.
func (a *adapter) rowsOf(name string) (list []span, ok bool) {
	f, err := a.fs.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxLaunches*timelineRow))
	if err != nil || len(b)%timelineRow != 0 {
		return nil, false
	}
	for row := range slices.Chunk(b, timelineRow) {
		u32 := func(at int) uint32 { return binary.LittleEndian.Uint32(row[at:]) }
		u64 := func(at int) uint64 { return binary.LittleEndian.Uint64(row[at:]) }
		s := span{u64(64), u64(72), uint64(u32(92))}
		// Check every constant in a row, so that another layout version is not
		// accepted.
		zeros := !slices.ContainsFunc(row[16:64], func(b byte) bool { return b != 0 })
		if u64(8) != s.start || s.end <= s.start || !zeros || u32(84) != 0 || u32(88) != 0xffff || u32(96) != 0 {
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}
