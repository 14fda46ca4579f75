// Package vecadd reads the standard output of the oneAPI vec_add samples in the
// thread-mapping notebook and in the GPU optimization guide, alone or inside a
// DevCloud job's output file. The log contains host wall times for submit and
// wait. It contains neither the work-group size nor the sub-group size.
//
// The package does not know devices or what a time means for a kernel.
package vecadd

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// Format reads a vec_add sample's log.
var Format = ingest.Format{Kind: "vec_add", Description: "a vec_add log",
	Sniff: sniff, Read: readSource, Shared: true, RunAlone: true}

const (
	deviceMark = "Running on device:"
	sizeMark   = "Vector size:"
	wrongMark  = "Did not match" // printed by the guide's own check

	failed   = "the program may have failed: look at what it wrote to standard error"
	expected = "expected lines such as VectorAdd<12> completed on device - 0.0123 seconds"
)

// sniff reports whether the file contains a timing or the line that every
// sample prints first, after any other text. Files from `vtune -collect` or
// `unitrace` may contain such lines, too, but their formats come first.
func sniff(head []byte) bool {
	for line := range bytes.Lines(head) {
		text := strings.TrimSpace(string(table.Plain(line)))
		if strings.HasPrefix(text, deviceMark) || timingLine.MatchString(text) {
			return true
		}
	}
	return false
}

// readSource returns the file's content.
func readSource(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) (*ingest.File, error) {
	r := reader{in: table.NewLines(ctx, src, opt), file: &ingest.File{}, side: opt.Result}
	for r.in.Next() {
		r.line()
	}
	if err := r.in.Err(); err != nil {
		return nil, err
	}
	return r.finish(src.Path)
}

type reader struct {
	in   *table.Lines
	file *ingest.File
	bad  table.BadRows
	job  job
	// last is the last line that is neither empty nor in the frame. A failed
	// program prints its reason there.
	last string

	remarks []note.Note // notes about the times, each once
	wrong   note.Pos    // first line that reports a wrong sum
	wrongs  int64

	devices []ingest.Platform // devices that the log names, with what it prints about them
	now     int               // the current device's index in devices
	of      []int             // device index by timing
	// side is the requested device's number among those with timings. It is 0
	// if there is only one.
	side int
}

func (r *reader) line() {
	text := string(table.Plain(r.in.Text))
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || r.job.line(trimmed, &r.file.Platform) {
		return
	}
	if !r.job.ended {
		r.last = trimmed
	}
	parts := timingLine.FindStringSubmatchIndex(text)
	switch {
	case parts != nil:
		r.timing(text, parts)
	case cutLine.MatchString(trimmed):
		r.bad.Add(r.in.Pos(1), "", "the timing line ends early: %s; %s", table.Quote(trimmed), expected)
	case strings.Contains(text, wrongMark):
		if r.wrongs++; r.wrongs == 1 {
			r.wrong = r.in.Pos(1)
		}
	default:
		r.header(text)
	}
}

// header reads the two lines that precede the timings.
func (r *reader) header(text string) {
	if i := strings.Index(text, deviceMark); i >= 0 {
		name := strings.TrimSpace(text[i+len(deviceMark):])
		pos := r.in.Pos(table.RawColumn(r.in.Text, i))
		if name == "" {
			r.bad.Add(pos, "", "the device line names no device")
			return
		}
		r.now = slices.IndexFunc(r.devices, func(d ingest.Platform) bool { return d.Device == name })
		if r.now < 0 {
			r.now = len(r.devices)
			r.devices = append(r.devices, ingest.Platform{Device: strings.Clone(name), Pos: pos})
		}
	}
	if i := strings.Index(text, sizeMark); i >= 0 {
		number := strings.TrimSpace(text[i+len(sizeMark):])
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 1 {
			r.bad.Add(r.in.Pos(table.RawColumn(r.in.Text, i)), "", "vector size %s is not a whole number above 0",
				table.Quote(number))
			return
		}
		r.file.Platform.VectorSize = cmp.Or(r.file.Platform.VectorSize, unit.Some(n))
	}
}

func (r *reader) timing(text string, parts []int) {
	t, at, err := parseTiming(text, parts)
	if err != nil {
		r.bad.Add(r.in.Pos(table.RawColumn(r.in.Text, at)), "", "%v; %s", err, expected)
		return
	}
	t.Pos = r.in.Pos(table.RawColumn(r.in.Text, parts[2]))
	r.file.Timings, r.of = append(r.file.Timings, t), append(r.of, r.now)
	if t.UnitAsPrinted == ticksUnit {
		r.remark(note.Warningf("ticks-as-usecs", t.Pos,
			"all u-secs of this log are read this way; the printed numbers are kept, too",
			"the sample prints clock ticks, which are nanoseconds, and calls them u-secs: %s "+
				"u-secs is read as %s s", t.Printed, strconv.FormatFloat(float64(t.Seconds), 'g', 6, 64)))
	}
	// The notebook's VectorAdd<N> starts work-group g at g x vector size in
	// buffers with the size of one vector. The guide's kernels (VectorAdd2<N>
	// and later) start it at element g x 2^17 out of 105 x 2^17. That is within
	// bounds for all sizes that the guide launches.
	if t.Groups.Or(1) > 1 && strings.HasPrefix(t.Kernel, "VectorAdd<") {
		r.remark(note.Warningf("out-of-bounds", t.Pos,
			"the sample has this error; its times and occupancies include the out-of-bounds access", "%s and all kernels with more than one work-group read and write beyond their buffers: work-group g starts at "+
				"g times the vector size, but each buffer has the size of one vector", t.Kernel))
	}
}

// remark adds a warning that appears once per file.
func (r *reader) remark(n note.Note) {
	if !slices.ContainsFunc(r.remarks, func(o note.Note) bool { return o.Code == n.Code }) {
		r.remarks = append(r.remarks, n)
	}
}

// finish returns the file, or an error if nothing in it can be used.
func (r *reader) finish(path string) (*ingest.File, error) {
	f := r.file
	if err := r.oneDevice(); err != nil {
		return nil, err
	}
	f.Rows, f.BadRows = int64(len(f.Timings)), r.bad.Count
	f.Notes = append(f.Notes, r.bad.Notes()...)
	switch device := f.Platform.Device; {
	case f.Rows == 0 && (device == "" || r.bad.Count > 0):
		return nil, r.inputError(path)
	case f.Rows == 0: // another program's log still names the run's GPU
		f.Traits = ingest.Traits{NotARun: fmt.Sprintf("the log names the device %s but contains no timing; its "+
			"last line "+
			"is %s; %s", device, table.Quote(r.last), expected), Hint: failed}
	}
	if r.wrongs > 0 {
		r.remark(note.Warningf("wrong-result", r.wrong,
			"the times of a wrong calculation are not meaningful: fix the run first",
			"the sample reported wrong sums in %d lines", r.wrongs))
	}
	f.Notes = append(f.Notes, r.remarks...)
	return f, nil
}

// oneDevice selects one device and its timings. A log with timings for several
// devices contains as many runs.
func (r *reader) oneDevice() error {
	timed := slices.Compact(slices.Sorted(slices.Values(r.of)))
	switch {
	case len(r.devices) == 0:
		return nil
	case len(timed) == 0:
		timed = []int{0}
	case len(timed) > 1 && (r.side < 1 || r.side > len(timed)):
		names := make([]string, len(timed))
		for i, d := range timed {
			names[i] = r.devices[d].Device
		}
		return ingest.NewMultipleResultsError(len(timed), note.Errorf("two-devices", r.devices[timed[1]].Pos,
			"pass it to occudiff validate, which reads each device as a separate run, or split the log",
			"the log has timings of several devices: %s", unit.JoinWords(names, "and")))
	}
	device := timed[min(max(r.side, 1), len(timed))-1]
	var kept []ingest.Timing
	for i, t := range r.file.Timings {
		if r.of[i] == device {
			kept = append(kept, t)
		}
	}
	p := &r.file.Platform
	r.file.Timings = kept
	p.Device, p.DeviceFrom, p.Pos = r.devices[device].Device, "the log", r.devices[device].Pos
	return nil
}

func (r *reader) inputError(path string) error {
	pos := note.InFile(path)
	switch {
	case r.in.Number == 0 || (r.last == "" && !r.job.seen):
		return note.Errorf("empty-file", pos, "run the sample again and keep its standard output",
			"the log is empty; %s", expected)
	case r.bad.Count > 0:
		first := r.bad.Notes()[0]
		return note.Errorf("no-timings", first.Pos, "run the sample again and keep its standard output as it is",
			"none of the %d timing lines of the log can be used; the first: %s", r.bad.Count, first.Text)
	}
	return note.Errorf("no-timings", pos, failed, "the log contains no timing; %s", expected)
}
