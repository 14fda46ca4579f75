package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"occudiff/ingest/unit"
)

// Records are kernels of runs on their way into a history, and what was said of it. A million kernels take about 150 MB:
// a history repeats few texts very often, so each is kept once, and a value that is absent takes no room.
type Records struct {
	Alone bool // the file had the column value alone
	Bad   int  // lines that cannot be used

	// IsDevice, when not nil, says whether a text is the key of a device. The run of several adapters of a device
	// ("max1100 GPU 0", "max1100 GPU 1") is then stored as one of that device.
	IsDevice func(key string) bool

	runs   []importedRun
	events []Record
	values []float64 // those of all lines that are there
	kernel int       // how many there are

	at    map[identity]int
	keys  map[kernelText]*Key
	texts map[string]string
}

// identity is what the lines of a run have in common. Device and driver tell runs apart only where no name does: a run
// may have several of them.
type identity struct {
	us                                  int64
	run, device, driver, label, program string
}

// kernelText is what a line says of its kernel.
type kernelText struct{ series, device, driver string }

// importedRun is a run without its rows, and its lines, of which they are made when it is stored.
type importedRun struct {
	Run
	lines []importedLine
}

type importedLine struct {
	key            *Key // one for all lines of a kernel
	verdict, cause string
	line           int
	first          int    // of its values
	has            uint64 // which of the columns they are of
}

// Len gives the number of kernels of all runs.
func (r *Records) Len() int { return r.kernel }

// Add appends a kernel of a run, or an event.
func (r *Records) Add(p Record) {
	if p.Event != "" {
		r.events = append(r.events, p)
		return
	}
	if r.at == nil {
		r.at, r.keys, r.texts = map[identity]int{}, map[kernelText]*Key{}, map[string]string{}
	}
	id := identity{us: p.Time.UnixMicro(), run: p.Run, label: p.Label, program: p.Program}
	if p.Run == "" {
		id.device, id.driver = p.Device, p.Driver
	}
	i, known := r.at[id]
	if !known {
		run := Run{Time: time.UnixMicro(id.us).UTC(), Label: r.text(p.Label), JobID: r.text(p.Run), Program: r.text(p.Program),
			Branch: r.text(p.Branch), Commit: r.text(p.Commit), Host: r.text(p.Host), VTune: r.text(p.VTune),
			Frequency: p.Frequency}
		i = len(r.runs)
		r.runs = append(r.runs, importedRun{Run: run})
		r.at[identity{id.us, run.JobID, r.text(id.device), r.text(id.driver), run.Label, run.Program}] = i
	}
	line := importedLine{r.key(p), r.text(p.Verdict), r.text(p.Cause), p.Line, len(r.values), 0}
	for i, o := range p.Values {
		if v, ok := o.Value(); ok {
			r.values = append(r.values, v)
			line.has |= 1 << i
		}
	}
	r.runs[i].lines = append(r.runs[i].lines, line)
	r.kernel++
}

// text gives the one copy of a text, which is not a piece of a longer line.
func (r *Records) text(s string) string {
	one, known := r.texts[s]
	if !known {
		one = strings.Clone(s)
		r.texts[one] = one
	}
	return one
}

// key gives what a line says of its kernel.
func (r *Records) key(p Record) *Key {
	of := kernelText{p.Series, p.Device, p.Driver}
	k, known := r.keys[of]
	if !known {
		of = kernelText{r.text(p.Series), r.text(p.Device), r.text(p.Driver)}
		key := parseName(of.series)
		key.Device, key.Driver = of.device, of.driver
		k, r.keys[of] = &key, &key
	}
	return k
}

// ordered gives the runs, oldest first. It is an error when a run has a kernel twice.
func (r *Records) ordered() ([]importedRun, error) {
	seen := map[*Key]int{} // the line of each kernel of a run
	for i := range r.runs {
		clear(seen)
		for _, l := range r.runs[i].lines {
			if first, twice := seen[l.key]; twice {
				return nil, fmt.Errorf("%w: lines %d and %d are the same series %q at the same time (%s); tell them apart in "+
					"the column `run`", errBadRun, first, l.line, l.key.Name(), r.runs[i].Time.Format(time.RFC3339))
			}
			seen[l.key] = l.line
		}
	}
	runs := slices.Clone(r.runs)
	slices.SortStableFunc(runs, func(a, b importedRun) int { return a.Time.Compare(b.Time) })
	return runs, nil
}

// withRows makes the rows of a run. Its device and driver are those that all rows share, or the device that all of their
// adapters are of.
func (r *Records) withRows(in *importedRun) Run {
	run := in.Run
	first := in.lines[0].key
	adapterOf, _, _ := strings.Cut(first.Device, " ")
	run.Device, run.Driver = first.Device, first.Driver
	run.Rows = make([]Row, len(in.lines))
	for i, l := range in.lines {
		run.Rows[i] = Row{Key: *l.key, Verdict: l.verdict, Cause: l.cause}
		for column, next := 0, l.first; l.has>>column != 0; column++ {
			if l.has>>column&1 != 0 {
				run.Rows[i].Values[column] = unit.Some(r.values[next])
				next++
			}
		}
		if l.key.Device != first.Device {
			run.Device = ""
		}
		if l.key.Driver != first.Driver {
			run.Driver = ""
		}
		if device, _, _ := strings.Cut(l.key.Device, " "); device != adapterOf {
			adapterOf = ""
		}
	}
	if adapterOf != "" && r.IsDevice != nil && r.IsDevice(adapterOf) {
		run.Device = cmp.Or(run.Device, adapterOf)
	}
	return run
}
