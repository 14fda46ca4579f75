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

// section is what a heading says of the tables below it. Versions of the tools
// differ in headings more than in tables, so it holds only what a table does
// not say itself.
type section struct {
	items  bool // OpenCL: the first braces of a name hold the global size in work-items, not work-groups
	other  bool // host functions, kernels on the CPU, raw counters: nothing of it is a kernel on the GPU
	raw    bool // samples of whatever ran
	device int  // of `=== Device #1 Metrics ===`
}

// heading returns the text of a line framed by `==`, as in `=== Kernel
// Properties ===` and `== L0 Backend: ==`.
func heading(trimmed string) (string, bool) {
	if len(trimmed) < 6 || !strings.HasPrefix(trimmed, "==") || !strings.HasSuffix(trimmed, "==") {
		return "", false
	}
	title := strings.TrimSpace(strings.Trim(trimmed, "="))
	return strings.TrimSpace(strings.TrimSuffix(title, ":")), title != ""
}

// sectionOf describes what a heading stands for, and false when it is not one
// of these tools.
func sectionOf(title string) (section, bool) {
	// All titles of the tools, also of tables without use here: a known title
	// ends what stood before it.
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

// kernelFirst begins the header of a table of kernels.
const kernelFirst = "Kernel,"

// The columns of reasons of stalls end so; versions of 2023 name the kernel and
// the instruction in one field, `f!0x000000c0`, below a header that begins with
// the instruction.
const (
	stallEvents  = "Stall[Events]"
	instruction  = "IP[Address],"
	inTheKernels = "!0x"
)

// isMessage reports whether a line is one of the tool's messages, which go to
// the same terminal as its tables.
func isMessage(trimmed string) bool {
	word, _, _ := strings.Cut(trimmed, "]")
	return slices.Contains([]string{"[INFO", "[WARNING", "[ERROR"}, word)
}

// kind is which table a header stands over.
type kind uint8

const (
	skipped    kind = iota // a table that says neither times nor occupancies of kernels
	stalling               // one row for an instruction: how often samples found it active, or stalled and why
	timing                 // one row for all launches: device timing, kernel submission
	properties             // of compiled kernels
	metrics                // one or more rows for a launch: metrics, intervals
)

// header is a table's header.
// The memory of a row is its own: a file has millions of rows under one header.
type header struct {
	kind   kind
	source source
	names  []string            // of the columns behind the kernel's name
	comma  bool                // one empty field more than names
	at     [quantities]int     // index behind the name, -1 when there is no such column
	per    [quantities]float64 // units to the base unit
	stalls []int               // columns of events, where the rows are instructions
	voids  []int               // columns that may say that the counters of a row are not to be used
	counts counts
	device int
	rows   int
	parts  []string // the fields of the current row
	start  []int    // where they start in the line

	launches map[string]names.Launch // those of names that came before: a table repeats few of them very often
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
	marker := false // of a stream of samples
	for i, name := range h.names {
		if base, _, _ := strings.Cut(name, "["); slices.Contains(voids, base) || strings.HasPrefix(base, "MidQuery") {
			h.voids = append(h.voids, i)
		}
		if strings.HasSuffix(name, stallEvents) {
			h.stalls = append(h.stalls, i)
		}
		marker = marker || name == "StreamMarker" || name == "ReportReason"
		// The first of several columns of a quantity counts.
		if q, per, ok := columnOf(name); ok && h.at[q] < 0 {
			h.at[q], h.per[q] = i, per
		}
	}
	// By the columns and not by the heading: files of metrics that newer
	// versions write have none.
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

// fields are the parts of a row.
type fields struct {
	*header
	launch names.Launch // what the name says
	nameAt int
	err    *rowError // the first that reading its numbers came upon
}

// mostLaunches bounds how many names of a table are remembered.
const mostLaunches = 4096

// split takes a row apart from its right end: a kernel's name may hold commas,
// and older versions do not quote it. items says that braces in it hold
// work-items.
func (h *header) split(text string, items bool) (f fields, bad *rowError) {
	end := len(strings.TrimRight(text, " \t"))
	body := text[:end]
	if h.comma && strings.HasSuffix(body, ",") {
		body = body[:len(body)-1]
	}
	want := len(h.names) + 1
	for i := range slices.Backward(h.names) {
		cut := strings.LastIndexByte(body, ',')
		// Older versions print the properties with a comma behind the first
		// number only and spaces behind the others. Names of kernels hold
		// spaces, but the fields behind them none.
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
	// A row with too few fields would take its missing ones from the name; a
	// quote that does not end the name tells.
	if last := strings.LastIndexByte(text, '"'); name[0] == '"' && name[len(name)-1] != '"' && last > f.nameAt {
		return f, badf(end, "the row has %d of %d fields", strings.Count(strings.TrimSuffix(text[last:end], ","), ",")+1, want)
	}
	if i := strings.LastIndexByte(name, ','); i >= 0 && !strings.HasSuffix(name, `"`) {
		// Too many fields leave a number at the end of the name, which no name
		// of a kernel has behind a comma without quotes.
		if _, err := strconv.ParseFloat(strings.TrimSpace(name[i+1:]), 64); err == nil {
			return f, badf(f.nameAt+i, "the row has more than %d fields", want)
		}
	}
	var known bool
	if f.launch, known = h.launches[name]; known {
		return f, nil
	}
	var err error
	name = strings.Clone(name) // not the whole row
	if f.launch, err = names.ParseLaunch(name, items); err != nil {
		return f, badf(f.nameAt, "%v", err)
	}
	if len(h.launches) < mostLaunches {
		h.launches[name] = f.launch
	}
	return f, nil
}

// number returns a quantity of the row in its base unit; absent when the table
// or the row does not have it. What is wrong with the first that is read stays
// in err.
func (f *fields) number(q quantity) (o unit.Opt[float64]) {
	if f.err != nil || !f.has(q) {
		return o
	}
	text := f.parts[f.at[q]]
	if slices.Contains([]string{"", "ANY", "unknown"}, text) { // as the tool says what it does not know
		return o
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
		f.err = f.badf(q, "%s is not a number", table.Quote(text))
	case x < 0:
		f.err = f.badf(q, "%s is below 0", text)
	case x > 1e18: // sums stay finite
		f.err = f.badf(q, "%s is out of range", text)
	default:
		o = unit.Some(x / f.per[q])
	}
	return o
}

// count is a number that must be whole.
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

// ratio is a percentage; hardware counters may exceed 100 by a rounding.
func (f *fields) ratio(q quantity) unit.Opt[float64] {
	o := f.number(q)
	if o.Or(0) > 1.005 {
		f.err = f.badf(q, "%s%% is more than the whole", f.parts[f.at[q]])
	}
	return o
}

func (f *fields) badf(q quantity, format string, args ...any) *rowError {
	return badf(f.start[f.at[q]], "column %s: %s", f.names[f.at[q]], fmt.Sprintf(format, args...))
}

// quantity is what a column holds.
type quantity uint8

const (
	calls quantity = iota
	total
	execute // total of a submission table
	gpuTime
	kernelTime
	sampled // when a sample was taken
	begin   // of a launch, and its end
	end
	occupancy // the means of a sample
	active
	stalled
	threads // its counts
	barriers
	groups // counted one by one, and the threads that ended
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

// columnNames are the columns of the quantities, and how many of their units
// make the base unit, a second or the whole; 0 for times, whose unit is in
// brackets. Names in capitals are those of Xe-HPC and Xe2, XveActive of Xe-LPG,
// EuActive of GPUs before.
var columnNames = map[string]struct {
	quantity
	per float64
}{
	"Calls": {calls, 1}, "Time (ns)": {total, 1e9}, "Execute (ns)": {execute, 1e9},
	"GpuTime": {gpuTime, 0}, "QueryBeginTime": {sampled, 0}, "Start": {begin, 0}, "End": {end, 0},
	"KernelTime": {kernelTime, 0}, "Time": {kernelTime, 0}, // of aggregated metrics, of kernel intervals
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

// columnOf returns what a column of a table holds and how many of its units
// make the base unit. Names of metrics carry their unit in brackets.
func columnOf(name string) (q quantity, per float64, ok bool) {
	// Versions print both "Time (ns)" and "Time(ns)".
	metric, unitText := strings.Replace(name, "e(ns)", "e (ns)", 1), ""
	if i := strings.LastIndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		metric, unitText = strings.TrimSpace(name[:i]), name[i+1:len(name)-1]
	}
	c, ok := columnNames[metric]
	// Without a unit that is known it is nanoseconds, which [ns] is, too.
	if ok && c.per == 0 {
		c.per = cmp.Or(map[string]float64{"us": 1e6, "ms": 1e3, "s": 1}[unitText], 1e9)
	}
	return c.quantity, c.per, ok
}
