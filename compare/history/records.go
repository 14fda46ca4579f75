package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Records are points on their way into a history. A million of them take 64 MB: a history repeats few texts very often,
// so each is kept once.
type Records struct {
	// IsDevice, when not nil, says whether a text is the key of a device. The run of several adapters of a device
	// ("max1100 GPU 0", "max1100 GPU 1") is then stored as one of that device.
	IsDevice func(key string) bool

	points []packed
	events []Record
	texts  []string
	number map[string]int32 // of each text
	keys   map[int32]Key    // that the names of series say
}

// packed is a Record whose texts are numbers.
// It has 64 bytes, of which a text takes four: a history of a million points names a few thousand kernels.
type packed struct {
	us                                                   int64
	value                                                float64
	series, run, device, driver, label, verdict, program int32
	branch, commit, host                                 int32
	line                                                 int32
}

// Add appends a point or an event.
func (r *Records) Add(p Record) {
	if p.Event != "" {
		r.events = append(r.events, p)
		return
	}
	r.points = append(r.points, packed{us: p.Time.UnixMicro(), value: p.Value, line: int32(p.Line),
		series: r.text(p.Series), run: r.text(p.Run), device: r.text(p.Device), driver: r.text(p.Driver),
		label: r.text(p.Label), verdict: r.text(p.Verdict), program: r.text(p.Program),
		branch: r.text(p.Branch), commit: r.text(p.Commit), host: r.text(p.Host)})
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
	p := r.points[i]
	return Record{Series: r.texts[p.series], Time: time.UnixMicro(p.us).UTC(), Value: p.value, Run: r.texts[p.run],
		Device: r.texts[p.device], Driver: r.texts[p.driver], Label: r.texts[p.label], Verdict: r.texts[p.verdict],
		Program: r.texts[p.program], Branch: r.texts[p.branch], Commit: r.texts[p.commit], Host: r.texts[p.host],
		Line: int(p.line)}
}

// group gives the indices of the points of each run, oldest run first. Device and driver tell runs apart only where no
// name does: a run may have several of them. Rows are made one run at a time: a million of them would take more memory
// than everything else.
func (r *Records) group() ([][]int32, error) {
	type identity struct {
		us                                  int64
		run, device, driver, label, program int32
	}
	var groups [][]int32
	at := map[identity]int{}
	for i, p := range r.points {
		if r.texts[p.series] == "" {
			return nil, fmt.Errorf("%w: line %d has no series; fill the column `series`", errBadRun, p.line)
		}
		id := identity{us: p.us, run: p.run, label: p.label, program: p.program}
		if r.texts[p.run] == "" {
			id.device, id.driver = p.device, p.driver
		}
		k, ok := at[id]
		if !ok {
			k = len(groups)
			at[id] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], int32(i))
	}
	for _, lines := range groups {
		type row struct{ series, device, driver int32 }
		seen := make(map[row]int32, len(lines))
		for _, i := range lines {
			p := r.points[i]
			key := row{p.series, p.device, p.driver}
			if first, twice := seen[key]; twice {
				at := time.UnixMicro(p.us).UTC().Format(time.RFC3339)
				return nil, fmt.Errorf("%w: lines %d and %d are the same series %q at the same time (%s); tell them"+
					" apart in the column `run`", errBadRun, r.points[first].line, p.line, r.texts[p.series], at)
			}
			seen[key] = i
		}
	}
	slices.SortStableFunc(groups, func(a, b []int32) int { return cmp.Compare(r.points[a[0]].us, r.points[b[0]].us) })
	return groups, nil
}

// run makes a run of some points.
func (r *Records) run(n *number, lines []int32) Run {
	first := r.At(int(lines[0]))
	run := Run{Time: first.Time, Label: first.Label, JobID: first.Run, Program: first.Program,
		Branch: first.Branch, Commit: first.Commit, Host: first.Host}
	for _, i := range lines {
		p := r.At(int(i))
		row := Row{Key: r.key(r.points[i].series), Verdict: p.Verdict}
		row.Device, row.Driver = p.Device, p.Driver
		n.set(&row, n.stored(p.Value))
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
