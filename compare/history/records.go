package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"occudiff/ingest/unit"
)

// Records are kernels of runs on their way into a history. A million of them take 150 MB: a history repeats few texts
// very often, so each is kept once, and a value that is absent takes no room.
type Records struct {
	// Alone says that the file had the column value alone.
	Alone bool

	// IsDevice, when not nil, says whether a text is the key of a device. The run of several adapters of a device
	// ("max1100 GPU 0", "max1100 GPU 1") is then stored as one of that device.
	IsDevice func(key string) bool

	points []packed
	values []float64 // those of all points that are there
	events []Record
	texts  []string
	number map[string]int32 // of each text
	keys   map[int32]Key    // that the names of series say
}

// packed is a Record whose texts are numbers, a text for each of texts.
type packed struct {
	us        int64
	frequency unit.Opt[float64]
	series    int32
	text      [len(texts)]int32
	line      int32
	first     int    // of its values
	has       uint64 // which of the columns they are of
}

// Add appends a point or an event.
func (r *Records) Add(p Record) {
	if p.Event != "" {
		r.events = append(r.events, p)
		return
	}
	point := packed{us: p.Time.UnixMicro(), frequency: p.Frequency, line: int32(p.Line), series: r.text(p.Series),
		first: len(r.values)}
	for i, t := range texts {
		point.text[i] = r.text(*t.of(&p))
	}
	for i, o := range p.Values {
		if v, ok := o.Value(); ok {
			r.values = append(r.values, v)
			point.has |= 1 << i
		}
	}
	r.points = append(r.points, point)
}

// text gives a text's number.
func (r *Records) text(s string) int32 {
	n, ok := r.number[s]
	if !ok {
		if r.number == nil {
			r.number = map[string]int32{}
		}
		s = string([]byte(s)) // not a piece of a longer line
		n = int32(len(r.texts))
		r.texts = append(r.texts, s)
		r.number[s] = n
	}
	return n
}

// Len gives the number of points.
func (r *Records) Len() int { return len(r.points) }

// At gives point i; its time is UTC, to the microsecond.
func (r *Records) At(i int) Record {
	p := &r.points[i]
	record := Record{Series: r.texts[p.series], Time: time.UnixMicro(p.us).UTC(), Frequency: p.frequency,
		Line: int(p.line)}
	for i, t := range texts {
		*t.of(&record) = r.texts[p.text[i]]
	}
	next := p.first
	for i := range record.Values {
		if p.has&(1<<i) != 0 {
			record.Values[i] = unit.Some(r.values[next])
			next++
		}
	}
	return record
}

// group gives the indices of the points of each run, oldest run first. Device and driver tell runs apart only where no
// name does: a run may have several of them. Rows are made one run at a time: a million of them would take more memory
// than everything else.
func (r *Records) group() ([][]int32, error) {
	type identity struct {
		us                                  int64
		run, device, driver, label, program string
	}
	type kernel struct{ series, device, driver string }
	var groups [][]int32
	var seen []map[kernel]int // the line of each kernel of a run
	at := map[identity]int{}
	for i := range r.points {
		p := r.At(i)
		if p.Series == "" {
			return nil, fmt.Errorf("%w: line %d has no series; fill the column `series`", errBadRun, p.Line)
		}
		id := identity{us: p.Time.UnixMicro(), run: p.Run, label: p.Label, program: p.Program}
		if p.Run == "" {
			id.device, id.driver = p.Device, p.Driver
		}
		k, ok := at[id]
		if !ok {
			k = len(groups)
			at[id] = k
			groups, seen = append(groups, nil), append(seen, map[kernel]int{})
		}
		groups[k] = append(groups[k], int32(i))
		of := kernel{p.Series, p.Device, p.Driver}
		if first, twice := seen[k][of]; twice {
			return nil, fmt.Errorf("%w: lines %d and %d are the same series %q at the same time (%s); tell them apart in "+
				"the column `run`", errBadRun, first, p.Line, p.Series, p.Time.Format(time.RFC3339))
		}
		seen[k][of] = p.Line
	}
	slices.SortStableFunc(groups, func(a, b []int32) int { return cmp.Compare(r.points[a[0]].us, r.points[b[0]].us) })
	return groups, nil
}

// run makes a run of some points.
func (r *Records) run(lines []int32) Run {
	first := r.At(int(lines[0]))
	run := Run{Time: first.Time, Label: first.Label, JobID: first.Run, Program: first.Program, Branch: first.Branch,
		Commit: first.Commit, Host: first.Host, VTune: first.VTune, Frequency: first.Frequency}
	for _, i := range lines {
		p := r.At(int(i))
		row := Row{Key: r.key(r.points[i].series), Values: p.Values, Verdict: p.Verdict, Cause: p.Cause}
		row.Device, row.Driver = p.Device, p.Driver
		run.Rows = append(run.Rows, row)
	}
	run.Device, run.Driver = r.platform(run.Rows)
	return run
}

// key gives what the name of a series says.
func (r *Records) key(series int32) Key {
	k, known := r.keys[series]
	if !known {
		if r.keys == nil {
			r.keys = map[int32]Key{}
		}
		k = parseName(r.texts[series])
		r.keys[series] = k
	}
	return k
}

// platform gives what the rows of a run say of its device and driver: what all of them share, or the device that all of
// their adapters are of.
func (r *Records) platform(rows []Row) (device, driver string) {
	device, driver = rows[0].Device, rows[0].Driver
	word, _, _ := strings.Cut(device, " ")
	one := r.IsDevice != nil
	for i := range rows {
		if rows[i].Device != rows[0].Device {
			device = ""
		}
		if rows[i].Driver != rows[0].Driver {
			driver = ""
		}
		first, _, _ := strings.Cut(rows[i].Device, " ")
		one = one && first == word
	}
	if device == "" && one && word != "" && r.IsDevice(word) {
		device = word
	}
	return device, driver
}
