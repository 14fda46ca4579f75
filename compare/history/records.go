package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Records are kernels of runs on their way into a history, and what was said of it.
type Records struct {
	Alone bool // the file had the column value alone
	Bad   int  // lines that cannot be used

	// IsDevice, when not nil, says whether a text is the key of a device. The run of several adapters of a device
	// ("max1100 GPU 0", "max1100 GPU 1") is then stored as one of that device.
	IsDevice func(key string) bool

	runs   []importedRun
	events []Record
	kernel int // how many there are

	at   map[identity]int
	keys map[kernelText]*Key
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
	key *Key // one for all lines of a kernel
	Values
	verdict, cause string
	line           int
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
		r.at, r.keys = map[identity]int{}, map[kernelText]*Key{}
	}
	id := identity{us: p.Time.UnixMicro(), run: p.Run, label: p.Label, program: p.Program}
	if p.Run == "" {
		id.device, id.driver = p.Device, p.Driver
	}
	i, known := r.at[id]
	if !known {
		i, r.at[id] = len(r.runs), len(r.runs)
		r.runs = append(r.runs, importedRun{Run: Run{Time: time.UnixMicro(id.us).UTC(), Label: p.Label, JobID: p.Run,
			Program: p.Program, Branch: p.Branch, Commit: p.Commit, Host: p.Host, VTune: p.VTune, Frequency: p.Frequency}})
	}
	of := kernelText{p.Series, p.Device, p.Driver}
	k, known := r.keys[of]
	if !known {
		key := parseName(p.Series)
		key.Device, key.Driver = p.Device, p.Driver
		k, r.keys[of] = &key, &key
	}
	r.runs[i].lines = append(r.runs[i].lines, importedLine{k, p.Values, p.Verdict, p.Cause, p.Line})
	r.kernel++
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
		run.Rows[i] = Row{*l.key, l.Values, l.verdict, l.cause}
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
