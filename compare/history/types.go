package history

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/ingest/unit"
)

// Run is one profiler run with its provenance. Empty texts were not known, which is a value of its own and never a
// change.
type Run struct {
	ID   int64     // given when it is stored
	Time time.Time // of the collection; kept to the microsecond
	// TimeGiven says that the inputs or somebody said the time. It is part of the run's identity then, which the date
	// of a file is not. It is not stored.
	TimeGiven bool
	Label     string
	Host      string
	JobID     string
	Device    string // for rows that do not name one
	Driver    string
	VTune     string
	Commit    string
	Branch    string // empty for the base branch, too
	// Program is what ran, as the run says. A run that does not say is read as one of the only known program that has
	// its kernels.
	Program   string
	Frequency unit.Opt[float64] // the highest of the GPU's clock, in Hz
	Inputs    []Input
	// Kernels is the number of rows. List fills it and leaves Rows nil.
	Kernels int
	Rows    []Row
}

// Input is a file that the run was read from.
type Input struct {
	Path    string
	Kind    string
	Digest  string // of its bytes, for people
	Content string // a digest of the rows that were read of it, which is not stored; that of its bytes when empty
	Rows    int64
	BadRows int64
	// Carries says that kernel rows came from this file. Only such files make a run known again: a summary that lies
	// beside every run does not. When no input carries, all do. It is not stored either.
	Carries bool
}

// Key is what may be compared over time.
type Key struct {
	Task          string
	Global, Local unit.Size3
	SIMD          int // 0 when absent
	Direction     string
	Device        string
	Driver        string
	Program       string
}

// OnDevice is the key of a kernel and its launch on a device, whatever the driver and the program.
func (k Key) OnDevice() Key {
	k.Global, k.Local = k.Global.Trim(), k.Local.Trim()
	k.Driver, k.Program = "", ""
	return k
}

// Row is one kernel of a run. Verdict and cause are stored as they come.
type Row struct {
	Key // Device, Driver and Program may be left empty: the run's are taken then
	Values
	Verdict, Cause string
}

// Name gives the series' name without device, driver and program: `Fan2 [2048x2048 / 1024x1, SIMD32]`. parseName reads
// it back.
func (k Key) Name() string {
	if shape := k.Shape(); shape != "" {
		return k.Task + " [" + shape + "]"
	}
	return k.Task
}

// Shape gives the name without the task: `2048x2048 / 1024x1, SIMD32`.
func (k Key) Shape() string {
	parts := []string{k.Global.String(), "", k.Direction}
	if k.Local.Present() {
		parts[0] += " / " + k.Local.String()
	}
	if k.SIMD > 0 {
		parts[1] = "SIMD" + strconv.Itoa(k.SIMD)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// shapePattern is what Name puts behind the task.
var shapePattern = regexp.MustCompile(`(?s)^(.*) \[((?:\d+x?)*)(?: / (\d+(?:x\d+)*))?` +
	`(?:(?:, |\b|\[)?SIMD(\d+))?(?:(?:, )?(host-to-device|device-to-host))?\]$`)

// parseName reads a name that Name made. Any other text is the task as it stands.
func parseName(name string) Key {
	m := shapePattern.FindStringSubmatch(name)
	if m == nil {
		return Key{Task: name}
	}
	k := Key{Task: m[1], Direction: m[5]}
	k.Global, _ = unit.ParseSize(m[2])
	k.Local, _ = unit.ParseSize(m[3])
	k.SIMD, _ = strconv.Atoi(m[4])
	// Only a text that Name would print again is one of its texts, which those are not that cannot be read.
	if k.Name() != name {
		return Key{Task: name}
	}
	return k
}
