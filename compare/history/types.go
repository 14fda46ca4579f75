package history

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// Run is one profiler run with its provenance. An empty string means unknown,
// which is never reported as a change.
type Run struct {
	ID   int64     // set when the run is stored
	Time time.Time // time of the collection, in microseconds
	// TimeGiven is set if the inputs or the user gave the time. Only then is
	// the time part of the run's identity, because the date of a file can
	// change. TimeGiven is not stored.
	TimeGiven bool
	Label     string
	Host      string
	JobID     string
	Device    string // device of the rows that do not name a device
	Driver    string
	VTune     string
	Commit    string
	Branch    string // empty also for the base branch
	// Program is the program of the run. If it is empty, the run belongs to the
	// only known program that has its kernels.
	Program   string
	Frequency unit.Opt[float64] // highest GPU clock, in Hz
	Inputs    []Input
	// Kernels is the row count. List sets it and leaves Rows nil.
	Kernels int
	Rows    []Row
}

// Input is a file that the run was read from.
type Input struct {
	Path    string
	Kind    string
	Digest  string // digest of the file, for people
	Content string // digest of the rows that were read from the file, not stored; if empty, Digest is used
	Rows    int64
	BadRows int64
	// Contains is set if kernel rows came from this file. Only such files
	// identify a run, because the same summary may accompany every run. If no
	// input has Contains set, all inputs identify the run. Contains is not
	// stored.
	Contains bool
}

// Key identifies values that may be compared over time.
type Key struct {
	Task          string
	Global, Local unit.Size3
	SIMD          int // 0 if absent
	Direction     string
	Device        string
	Driver        string
	Program       string
}

// OnDevice returns the key of a kernel and its launch on a device, without
// driver and program.
func (k Key) OnDevice() Key {
	k.Global, k.Local = k.Global.Trim(), k.Local.Trim()
	k.Driver, k.Program = "", ""
	return k
}

// OnDevice reports whether a kernel that ran on one device belongs to a run on
// the other device. For example, "max1100 GPU 0" is an adapter of "max1100". A
// run without a device belongs to no device.
func OnDevice(kernel, run string) bool {
	return kernel == run || run != "" && strings.HasPrefix(kernel, run+" ")
}

// SameProgram reports whether two runs or kernels may belong to one program. An
// unknown program may be any program.
func SameProgram(a, b string) bool { return a == b || a == "" || b == "" }

// Row is one kernel in a run. Verdict and Cause are stored unchanged.
type Row struct {
	Key // if Device, Driver, or Program is empty, the value of the run applies
	Values
	Verdict, Cause string
}

// Name returns the name of the series without device, driver, and program:
// `Fan2 [2048x2048 / 1024x1, SIMD32]`. parseName parses it.
func (k Key) Name() string {
	if shape := k.Shape(); shape != "" {
		return k.Task + " [" + shape + "]"
	}
	return k.Task
}

// Shape returns the name without the task: `2048x2048 / 1024x1, SIMD32`.
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

// shapePattern matches the part that Name appends to the task.
var shapePattern = regexp.MustCompile(`(?s)^(.*) \[((?:\d+x?)*)(?: / (\d+(?:x\d+)*))?` +
	`(?:(?:, |\b|\[)?SIMD(\d+))?(?:(?:, )?(host-to-device|device-to-host))?\]$`)

// parseName returns the key for a name that Name returned. Any other string is
// a task.
func parseName(name string) Key {
	m := shapePattern.FindStringSubmatch(name)
	if m == nil {
		return Key{Task: name}
	}
	k := Key{Task: m[1], Direction: m[5]}
	k.Global, _ = unit.ParseSize(m[2])
	k.Local, _ = unit.ParseSize(m[3])
	k.SIMD, _ = strconv.Atoi(m[4])
	// Accept only a string that Name would return again.
	if k.Name() != name {
		return Key{Task: name}
	}
	return k
}

// carrying returns the inputs that identify a run: the inputs that contain its
// rows, otherwise all inputs.
func carrying(run Run) []Input {
	known := slices.DeleteFunc(slices.Clone(run.Inputs), func(in Input) bool { return in.Digest == "" })
	some := slices.ContainsFunc(known, func(in Input) bool { return in.Contains })
	return slices.DeleteFunc(known, func(in Input) bool { return some && !in.Contains })
}

// contents returns the digests that identify a run, one per carrying input.
// Each is computed from the rows of the input and the run's provenance, so a
// compressed copy, or a copy with other line ends, is the same run. If there
// are no inputs, it returns a digest of the run itself.
func contents(run Run) (list []string) {
	for _, in := range carrying(run) {
		list = append(list, run.recordedFields(cmp.Or(in.Content, in.Digest)))
	}
	if len(list) == 0 {
		list = append(list, run.recordedFields(run.digest()))
	}
	return list
}

// recordedFields returns a digest of the content and the run's provenance. The
// provenance is included because a reverted commit measures the same, but is
// another run.
func (run *Run) recordedFields(content string) string {
	given := ""
	if run.TimeGiven {
		given = run.Time.UTC().Format(time.RFC3339Nano)
	}
	return digestOf(content, given, run.Label, run.Host, run.JobID, run.Device, run.Driver, run.VTune, run.Commit,
		run.Branch, run.Program)
}

// digest returns a digest for a run without files. It covers the rows and the
// time, because the time may be the only difference from other runs.
func (run *Run) digest() string {
	h := sha256.New()
	put(h, run.Time.UTC().Format(time.RFC3339Nano))
	for i := range run.Rows {
		r := &run.Rows[i]
		numbers := make([]byte, 0, 8*len(columns))
		for _, o := range r.Values { // values are never NaN, so NaN can stand for an absent value
			numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(o.Or(math.NaN())))
		}
		put(h, r.identity(), r.Verdict, r.Cause, string(numbers))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// identity returns a digest of the whole key, and kernelIdentity of the key
// without its program.
func (k Key) identity() string {
	return digestOf(k.Task, k.Global.String(), k.Local.String(), fmt.Sprint(k.SIMD), k.Direction, k.Device, k.Driver,
		k.Program)
}

func (k Key) kernelIdentity() string {
	k.Program = ""
	return k.identity()
}

// stableIdentity returns a digest of the key without its program and with only
// the stable part of the task's name. It returns "" if the whole name is
// stable.
func (k Key) stableIdentity() string {
	stable, _ := names.Stable(k.Task)
	if stable == k.Task {
		return ""
	}
	k.Task = stable
	return k.kernelIdentity()
}

// digestOf returns a SHA-256 digest, so that identities are unique and two
// kernels cannot be made to share one.
func digestOf(texts ...string) string {
	h := sha256.New()
	put(h, texts...)
	return hex.EncodeToString(h.Sum(nil))
}

// put writes strings with their lengths, so that "a", "bc" and "ab", "c"
// differ.
func put(h hash.Hash, texts ...string) {
	for _, s := range texts {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(s))))
		io.WriteString(h, s)
	}
}

// orNil converts a value for the database: nil if it is absent.
func orNil[T any](o unit.Opt[T]) any {
	if v, ok := o.Value(); ok {
		return v
	}
	return nil
}

// clean checks a run and returns it in a form that both engines store alike. It
// changes the rows in place: strings become valid UTF-8 without NUL, times are
// rounded to microseconds, and each row names its device and driver.
func clean(run Run) (Run, error) {
	switch y := run.Time.Year(); {
	case run.Time.IsZero():
		return run, fmt.Errorf("%w: it has no time, so it has no place in a history; give the time of the collection",
			errBadRun)
	case y < 1900 || y > 9999:
		return run, fmt.Errorf("%w: its time is in the year %d; give the time of the collection", errBadRun, y)
	case len(run.Rows) == 0:
		return run, fmt.Errorf("%w: it has no kernel; add an export with computing tasks", errBadRun)
	}
	run.Time = run.Time.UTC().Truncate(time.Microsecond)
	cleanTexts(&run.Label, &run.Host, &run.JobID, &run.Device, &run.Driver, &run.VTune, &run.Commit, &run.Branch,
		&run.Program)
	if hz := run.Frequency.Or(0); math.IsNaN(hz) || math.IsInf(hz, 0) {
		run.Frequency = unit.Opt[float64]{}
	}
	run.Inputs = slices.Clone(run.Inputs)
	for i := range run.Inputs {
		in := &run.Inputs[i]
		cleanTexts(&in.Path, &in.Kind, &in.Digest, &in.Content)
	}
	seen := make(map[Key]int, len(run.Rows))
	for i := range run.Rows {
		r := &run.Rows[i]
		cleanTexts(&r.Task, &r.Direction, &r.Device, &r.Driver, &r.Program, &r.Verdict, &r.Cause)
		r.Device, r.Driver = cmp.Or(r.Device, run.Device), cmp.Or(r.Driver, run.Driver)
		r.Program = cmp.Or(r.Program, run.Program)
		if first, twice := seen[r.Key]; twice {
			return run, fmt.Errorf("%w: its rows %d and %d are the same kernel (%s); merge the launches of a kernel"+
				" first", errBadRun, first+1, i+1, r.Name())
		}
		seen[r.Key] = i
		for j, o := range r.Values { // SQLite would silently turn NaN into "absent"
			if v := o.Or(0); math.IsNaN(v) || math.IsInf(v, 0) {
				return run, fmt.Errorf(
					"%w: row %d (%s): %s is %v; leave it absent", errBadRun, i+1, r.Name(), columns[j].Metric, v)
			}
		}
	}
	run.Kernels = len(run.Rows)
	return run, nil
}

// cleanText replaces the bytes that PostgreSQL rejects in a string.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func cleanTexts(list ...*string) {
	for _, s := range list {
		*s = cleanText(*s)
	}
}
