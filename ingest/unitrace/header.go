package unitrace

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/names"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// A section contains the properties that a heading determines for the tables
// below it. Headings depend on a tool's version more than tables do, so it
// contains only what the table itself does not.
type section struct {
	// items is for OpenCL: a name's first braces contain the global size in
	// work-items, not work-groups.
	items bool
	// other is for host functions, kernels on the CPU, and raw counters:
	// nothing in it is a kernel on the GPU.
	other  bool
	raw    bool // samples without a task
	device int  // from `=== Device #1 Metrics ===`
}

// heading returns the text that is framed by `==` in a line, as in `=== Kernel
// Properties ===` and `== L0 Backend: ==`.
func heading(trimmed string) (string, bool) {
	if len(trimmed) < 6 || !strings.HasPrefix(trimmed, "==") || !strings.HasSuffix(trimmed, "==") {
		return "", false
	}
	title := strings.TrimSpace(strings.Trim(trimmed, "="))
	return strings.TrimSpace(strings.TrimSuffix(title, ":")), title != ""
}

// sectionOf returns a heading's section. It returns false if the heading does
// not belong to these tools.
func sectionOf(title string) (section, bool) {
	// List all of the tools' titles, including tables that are not used,
	// because a known title ends the previous table.
	switch title {
	case "Device Timing Summary", "Device Timing Results", "Kernel Properties", "Kernel Submission Summary",
		"Kernel Submission Results",
		"L0 Backend", "Kernel Metrics", "Aggregated Kernel Metrics", "Query Kernel Metrics", "Raw Kernel Intervals",
		"Profiling Results":
		return section{}, true
	case "CL GPU Backend", "GPU Backend", "CL Backend":
		return section{items: true}, true
	case "CL CPU Backend", "CPU Backend", "API Timing Summary", "API Timing Results":
		return section{other: true}, true
	case "Raw Metrics":
		return section{other: true, raw: true}, true
	}
	if number, ok := strings.CutPrefix(title, "Device #"); ok {
		number, ok = strings.CutSuffix(number, " Metrics")
		if n, err := strconv.Atoi(number); ok && err == nil && n >= 0 {
			return section{device: n}, true
		}
	}
	return section{}, false
}

// kernelFirst begins a kernel table's header.
const kernelFirst = "Kernel,"

// stallEvents is the suffix of columns with stall reasons. In versions from
// 2023, one field contains the kernel and the instruction, `f!0x000000c0`, and
// the header begins with the instruction.
const (
	stallEvents  = "Stall[Events]"
	instruction  = "IP[Address],"
	inTheKernels = "!0x"
)

// isMessage reports whether a line is a message from the tool, which prints
// messages and tables to the same terminal.
func isMessage(trimmed string) bool {
	word, _, _ := strings.Cut(trimmed, "]")
	return slices.Contains([]string{"[INFO", "[WARNING", "[ERROR"}, word)
}

// kind is the table kind below a header.
type kind uint8

const (
	skipped    kind = iota // contains neither times nor kernel occupancies
	stalling               // one row per instruction: how often samples found it active, or stalled with a reason
	timing                 // one row for all launches: device timing, kernel submission
	properties             // compiled kernels' properties
	metrics                // one or more rows per launch: metrics, intervals
)

// A header is a table's header. It owns the current row's memory, because a
// file has millions of rows with one header.
type header struct {
	kind   kind
	source source
	names  []string            // column names after the kernel name
	comma  bool                // rows have one more empty field than names
	at     [quantities]int     // index after the kernel name, or -1 if there is no such column
	per    [quantities]float64 // units per base unit
	stalls []int               // event columns, if the rows are instructions
	voids  []int               // columns that may mark a row's counters as invalid
	counts counts
	device int
	rows   int
	parts  []string // the current row's fields
	start  []int    // their offsets in the line

	launches map[string]names.Launch // parsed names; a table repeats a few names very often
}

func newHeader(text string, deviceNumber int) *header {
	h := &header{device: deviceNumber, launches: map[string]names.Launch{}}
	for q := range h.at {
		h.at[q] = -1
	}
	for name := range strings.SplitSeq(text, ",") {
		h.names = append(h.names, strings.TrimSpace(name))
	}
	h.names = h.names[1:]
	// Some versions end each line with a comma.
	if n := len(h.names); n > 0 && h.names[n-1] == "" {
		h.names, h.comma = h.names[:n-1], true
	}
	h.parts, h.start, h.counts = make([]string, len(h.names)), make([]int, len(h.names)), countsOf(h.names)
	marker := false // the table is a sample stream
	for i, name := range h.names {
		if base, _, _ := strings.Cut(name, "["); slices.Contains(voids, base) || strings.HasPrefix(base, "MidQuery") {
			h.voids = append(h.voids, i)
		}
		if strings.HasSuffix(name, stallEvents) {
			h.stalls = append(h.stalls, i)
		}
		marker = marker || name == "StreamMarker" || name == "ReportReason"
		// If a quantity has several columns, use the first.
		if q, per, ok := columnOf(name); ok && h.at[q] < 0 {
			h.at[q], h.per[q] = i, per
		}
	}
	// Determine the kind from the columns, not from the heading, because newer
	// versions' metric files have no heading.
	measures := h.has(gpuTime) || h.has(occupancy)
	switch {
	case len(h.stalls) > 0:
		h.kind = stalling
	case measures && h.has(kernelTime):
		h.kind, h.source = metrics, fromAggregate
	case measures && marker:
		h.kind, h.source = metrics, fromSamples
	case measures:
		h.kind, h.source = metrics, fromQuery
	case h.has(kernelTime):
		h.kind, h.source = metrics, fromIntervals
	case h.has(calls) && h.has(total):
		h.kind, h.source = timing, fromTiming
	case h.has(calls) && h.has(execute):
		h.kind, h.source = timing, fromSubmission
	case h.has(slm) || h.has(spill) || h.has(private) || h.has(registers):
		h.kind = properties
	}
	return h
}

func (h *header) has(q quantity) bool { return h.at[q] >= 0 }

// fields are a row's parts.
type fields struct {
	*header
	launch names.Launch // parsed kernel name
	nameAt int
	err    *rowError // first error from parsing its numbers
}

// mostLaunches limits how many parsed names are kept per table.
const mostLaunches = 4096

// split returns a row's parts, starting at its right end, because a kernel name
// may contain commas and older versions do not quote it. items means that the
// braces in the name contain work-items.
func (h *header) split(text string, items bool) (f fields, bad *rowError) {
	end := len(strings.TrimRight(text, " \t"))
	body := text[:end]
	if h.comma && strings.HasSuffix(body, ",") {
		body = body[:len(body)-1]
	}
	want := len(h.names) + 1
	for i := range slices.Backward(h.names) {
		cut := strings.LastIndexByte(body, ',')
		// Older versions print properties with a comma after the first number
		// and only spaces after the others. Kernel names may contain spaces,
		// but the fields after them do not.
		if h.kind == properties {
			cut = strings.LastIndexAny(body, ", \t")
		}
		if cut < 0 {
			return f, badf(end, "the row has %d of %d fields", want-1-i, want)
		}
		field := body[cut+1:]
		h.parts[i] = strings.TrimSpace(field)
		h.start[i] = cut + 1 + len(field) - len(strings.TrimLeft(field, " \t"))
		body = body[:cut]
		if h.kind == properties {
			body = strings.TrimSuffix(strings.TrimRight(body, " \t"), ",")
		}
	}
	name := strings.TrimSpace(body)
	f = fields{header: h, nameAt: len(body) - len(strings.TrimLeft(body, " \t"))}
	if name == "" {
		return f, badf(f.nameAt, "the row names no kernel")
	}
	// If a row has too few fields, the missing ones would be taken from the
	// name. A quote that is not at the name's end reveals this.
	if last := strings.LastIndexByte(text, '"'); name[0] == '"' && name[len(name)-1] != '"' && last > f.nameAt {
		found := strings.Count(strings.TrimSuffix(text[last:end], ","), ",") + 1
		return f, badf(end, "the row has %d of %d fields", found, want)
	}
	if i := strings.LastIndexByte(name, ','); i >= 0 && !strings.HasSuffix(name, `"`) {
		// If a row has too many fields, the name ends with a number. An
		// unquoted kernel name has no number after a comma.
		if _, err := strconv.ParseFloat(strings.TrimSpace(name[i+1:]), 64); err == nil {
			return f, badf(f.nameAt+i, "the row has more than %d fields", want)
		}
	}
	var known bool
	if f.launch, known = h.launches[name]; known {
		return f, nil
	}
	var err error
	name = strings.Clone(name) // do not keep the complete row in memory
	if f.launch, err = names.ParseLaunch(name, items); err != nil {
		return f, badf(f.nameAt, "%v", err)
	}
	if len(h.launches) < mostLaunches {
		h.launches[name] = f.launch
	}
	return f, nil
}

// number returns a quantity in the row in its base unit. It is absent if the
// table or the row does not have it. The first parsing error is stored in err.
func (f *fields) number(q quantity) (o unit.Opt[float64]) {
	if f.err != nil || !f.has(q) {
		return o
	}
	text := f.parts[f.at[q]]
	if slices.Contains([]string{"", "ANY", "unknown"}, text) { // texts for an unknown value
		return o
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
		f.err = f.badf(q, "%s is not a number", table.Quote(text))
	case x < 0:
		f.err = f.badf(q, "%s is below 0", text)
	case x > 1e18: // so that sums stay finite
		f.err = f.badf(q, "%s is out of range", text)
	default:
		o = unit.Some(x / f.per[q])
	}
	return o
}

// count returns a quantity that must be a whole number.
func (f *fields) count(q quantity) (o unit.Opt[int64]) {
	x, ok := f.number(q).Value()
	switch {
	case !ok:
	case x > unit.MaxCount:
		f.err = f.badf(q, "%s is more than %s", f.parts[f.at[q]], unit.Thousands(unit.MaxCount))
	case x != math.Trunc(x):
		f.err = f.badf(q, "%s is not a whole number", table.Quote(f.parts[f.at[q]]))
	default:
		o = unit.Some(int64(x))
	}
	return o
}

// ratio returns a percentage as a ratio. Hardware counters may exceed 100
// slightly because of rounding.
func (f *fields) ratio(q quantity) unit.Opt[float64] {
	o := f.number(q)
	if o.Or(0) > 1.005 {
		f.err = f.badf(q, "%s%% is above 100%%", f.parts[f.at[q]])
	}
	return o
}

func (f *fields) badf(q quantity, format string, args ...any) *rowError {
	return badf(f.start[f.at[q]], "column %s: %s", f.names[f.at[q]], fmt.Sprintf(format, args...))
}

// A quantity is a column's meaning.
type quantity uint8

const (
	calls quantity = iota
	total
	execute // total in a submission table
	gpuTime
	kernelTime
	sampled // a sample's time
	begin   // a launch's start, followed by its end
	end
	occupancy // a sample's means
	active
	stalled
	threads // a sample's counts
	barriers
	groups // work-groups counted exactly, followed by the threads that ended
	exits
	instance
	device
	subDevice
	simd
	slm
	spill
	private
	registers
	quantities // how many there are
)

// columnNames maps column names to quantities. per is the number of the
// column's units in the base unit, a second or the whole. For example, it is 1e9
// for ns. It is 0 for times, whose unit is in brackets. Names in capitals belong
// to Xe-HPC and Xe2, XveActive to Xe-LPG, and EuActive to earlier GPUs.
var columnNames = map[string]struct {
	quantity
	per float64
}{
	"Calls": {calls, 1}, "Time (ns)": {total, 1e9}, "Execute (ns)": {execute, 1e9},
	"GpuTime": {gpuTime, 0}, "QueryBeginTime": {sampled, 0}, "Start": {begin, 0}, "End": {end, 0},
	"KernelTime": {kernelTime, 0}, "Time": {kernelTime, 0}, // in aggregated metrics and in kernel intervals
	"XVE_THREADS_OCCUPANCY_ALL": {occupancy, 100}, "XveThreadOccupancy": {occupancy, 100},
	"EuThreadOccupancy": {occupancy, 100},
	"XVE_ACTIVE":        {active, 100}, "XveActive": {active, 100}, "EuActive": {active, 100},
	"XVE_STALL": {stalled, 100}, "XveStall": {stalled, 100}, "EuStall": {stalled, 100},
	"XVE_COMPUTE_THREAD_COUNT": {threads, 1}, "CsThreads": {threads, 1},
	"XVE_BARRIER_MESSAGE_COUNT": {barriers, 1}, "ShaderBarriers": {barriers, 1},
	"ASYNC_GPGPU_THREADGROUP_COUNT": {groups, 1}, "ASYNC_GPGPU_THREAD_EXIT_COUNT": {exits, 1},
	"GlobalInstanceId": {instance, 1}, "Device": {device, 1}, "SubDeviceId": {subDevice, 1}, "SIMD": {simd, 1},
	"SLM Per Work Group": {slm, 1}, "Spill Memory Per Thread": {spill, 1}, "Private Memory Per Thread": {private, 1},
	"Register File Size Per Thread": {registers, 1},
}

// columnOf returns a column's quantity and how many of its units are in the
// base unit. Metric names contain their unit in brackets.
func columnOf(name string) (q quantity, per float64, ok bool) {
	// Some versions print "Time (ns)" and others "Time(ns)".
	metric, unitText := strings.Replace(name, "e(ns)", "e (ns)", 1), ""
	if i := strings.LastIndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		metric, unitText = strings.TrimSpace(name[:i]), name[i+1:len(name)-1]
	}
	c, ok := columnNames[metric]
	// The default unit is nanoseconds, which [ns] is, too.
	if ok && c.per == 0 {
		c.per = cmp.Or(map[string]float64{"us": 1e6, "ms": 1e3, "s": 1}[unitText], 1e9)
	}
	return c.quantity, c.per, ok
}
