package vtuneresult

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"

	"occudiff/ingest/note"
)

// readLaunches takes the launches from the first of the places that has them:
// the program's traces, whose times are on the samples' own clock; dicer.db;
// the traces with the times of timelinedb. Times on another clock are good to
// about 0.1 ms, which is too coarse for short launches; so the traces come
// first.
func (a *adapter) readLaunches() error {
	finalized := a.timeline()
	why := a.traced(nil)
	switch {
	case a.ctx.Err() != nil:
		return a.ctx.Err()
	case why == nil:
		a.from = "the traces of the program"
		return a.compareTimes(finalized)
	// A file that is cut short says that the folder was not copied whole: no
	// other place makes up for that.
	case isInputError(why, codeContradiction, codeCut):
		return why
	}
	a.tasks, a.launches = tasks{}, nil
	// Only finalizing makes the tables.
	database := path.Join(a.dir, "sqlite-db", "dicer.db")
	if info, err := fs.Stat(a.fs, database); err == nil && info.Size() > 0 {
		err = a.dicer(database)
		switch {
		case a.ctx.Err() != nil:
			return a.ctx.Err()
		case isInputError(err, codeContradiction):
			return err
		case err != nil:
			why = fmt.Errorf("%w; dicer.db: %w", why, err)
		case len(a.launches) > 0:
			a.from, a.loose = "dicer.db", true
			return nil
		}
	}
	// timelinedb holds times without names, and the traces names without times:
	// they go together by the order of launching.
	if len(finalized) > 0 && a.traced(finalized) == nil {
		a.from, a.loose = "the traces of the program, with the times of timelinedb", true
		return nil
	}
	a.tasks, a.launches = tasks{}, nil
	a.failed = why.Error()
	return nil
}

func isInputError(err error, codes ...string) bool {
	f, ok := errors.AsType[*note.InputError](err)
	return ok && slices.Contains(codes, f.Code)
}

// traced decodes the launches of all processes, with the finalized times where
// those of the GPU are missing.
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
		case isInputError(err, codeContradiction, codeCut):
			return err
		case err != nil:
			return fmt.Errorf("%s: %w", files[0], err)
		}
		a.launches = append(a.launches, launches...)
	}
	if len(a.launches) == 0 {
		return fmt.Errorf("data.* holds no trace of a Level Zero program")
	}
	return nil
}

// span is a launch as VTune finalized it, in VTune's own time: 0.1 ns since
// 2008.
type span struct{ start, end, instance uint64 }

// epoch is 2008 in 100 ns since 1970.
const epoch = 1199145600 * 10_000_000

// of returns a moment of VTune's own time on a clock.
func (c *clock) of(t uint64) uint64 {
	// In two parts: 0.1 ns since 2008 does not fit the 53 bits of a float.
	seconds := float64(int64(t/1000+epoch-c.real))/1e7 + float64(t%1000)/1e10
	return c.tick + uint64(int64(math.Round(seconds*float64(c.hertz))))
}

// maxApart is how much longer or shorter a finalized launch may be, in 0.1 ns;
// 2.3 us is the most that was seen.
const maxApart = 5e4

// compareTimes refuses finalized launches that are not those of the traces: one
// of the two is of another collection.
func (a *adapter) compareTimes(finalized []span) error {
	refused := func(format string, args ...any) error {
		return note.Errorf(codeContradiction, a.fs.pos(path.Join(a.dir, "sqlite-db", "timelinedb")),
			"delete sqlite-db, which VTune makes again, or "+tableHint, format, args...)
	}
	switch {
	case len(finalized) == 0:
		return nil
	case len(finalized) != len(a.launches):
		return refused("it has %d launches, and the program's traces have %d", len(finalized), len(a.launches))
	}
	// One difference is enough to say; the lists are in the same order, by the
	// number of the launch.
	for i, s := range finalized {
		l := &a.launches[i]
		long := float64(l.end-l.start) / float64(a.clock.hertz) * 1e10
		if d := long - float64(s.end-s.start); math.Abs(d) > maxApart {
			return refused("record %d: the launch takes %.1f us, and %.1f us in the program's traces", i+1,
				float64(s.end-s.start)/1e4, long/1e4)
		}
	}
	return nil
}

// Rows of timelinedb's instances by two paths: two groups, start, zeros, start,
// end, type, 0, 0xffff, instance, 0.
const (
	timelineVersion = "9"
	timelinePaths   = 2
	timelineRow     = 100
)

// timeline reads finalized launches. They are another word on what the traces
// say, so that what is not known of them is left alone: nothing is given then.
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
		// The length of a row depends on the number of paths, and only rows of
		// two were seen.
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

// rowsOf reads a file of timelinedb; false when a row of it is not as it should
// be.
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
		// Every constant of a row is checked: another version of the layout
		// must not pass for this one.
		zeros := !slices.ContainsFunc(row[16:64], func(b byte) bool { return b != 0 })
		if u64(8) != s.start || s.end <= s.start || !zeros || u32(84) != 0 || u32(88) != 0xffff || u32(96) != 0 {
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}
