// Package unitrace reads the output from Intel's Level Zero and OpenCL tracers:
// unitrace, and its predecessors onetrace, oneprof, ze_tracer, and cl_tracer.
// It reads device timings, kernel properties, and kernel metrics from complete
// reports, and from the metric files that newer versions write. It does not
// know devices, expected occupancies, or other profilers' results for the same
// kernels.
package unitrace

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// Format reads a report from unitrace or one of its predecessors.
var Format = ingest.Format{Kind: "unitrace", Description: "unitrace output", Sniff: sniff, Read: readSource}

const (
	expected = "expected a device timing, kernel properties or kernel metrics table"
	hint     = "make one with: unitrace -d -v -q -o report.txt ./program"
)

// sniff reports whether the file contains a heading that only these tools
// print, or one of their table headers.
func sniff(head []byte) bool {
	for line := range bytes.Lines(head) {
		text := strings.TrimSpace(strings.TrimPrefix(string(table.Plain(line)), "\ufeff"))
		if title, ok := heading(text); ok {
			if _, known := sectionOf(title); known {
				return true
			}
		}
		if isTimeline(text) || strings.HasPrefix(text, kernelFirst) && newHeader(text, 0).kind != skipped {
			return true
		}
	}
	return false
}

// readSource returns the file's content.
func readSource(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) (*ingest.File, error) {
	r := &reader{in: table.NewLines(ctx, src, opt), path: src.Path, opt: opt,
		headers: map[tableKey]*header{}, index: map[kernelKey]*kernelSums{},
		props: map[ingest.Key]int{}, stallsOf: map[string]int{}, xves: map[int]bool{},
		seriesOf: map[*kernelSums]int{}, launch: launch{tiles: map[int64]float64{}}}
	for r.in.Next() {
		r.line()
	}
	if err := r.in.Err(); err != nil {
		return nil, err
	}
	r.endNumbered()
	r.endLaunch()
	return r.finish()
}

// A reader reads a file line by line and assembles rows into kernels. The
// tables are mixed with a program's output, so only the line itself shows its
// meaning.
type reader struct {
	in      *table.Lines
	path    string
	opt     ingest.ReadOptions
	bad     table.BadRows
	invalid invalid
	section section
	items   bool // the last GPU backend's setting
	header  *header
	headers map[tableKey]*header // headers that were read before; some versions repeat them for each launch
	rows    int64
	titles  int      // headings from these tools
	reports int      // device timing reports
	second  note.Pos // the second one's position
	skipped note.Pos // first kernel table without useful columns

	xves      map[int]bool // XVE counts that the rows' counters cover
	index     map[kernelKey]*kernelSums
	order     []*kernelSums
	launch    launch
	launches  ingest.Launches // single launches, if requested, by their kernelSums' number
	eachFrom  source          // these launches' source table
	props     map[ingest.Key]int
	propsList []ingest.Kernel
	stalls    []ingest.TaskStalls
	stallsOf  map[string]int // index in stalls
	trace     ingest.Trace
	samples   []ingest.Samples
	sampled   int // total samples
	seriesOf  map[*kernelSums]int
	numbered  numbered
}

// tableKey distinguishes tables whose rows are read differently.
type tableKey struct {
	header  string
	section section
}

// mostHeaders limits how many headers are kept.
const mostHeaders = 64

// line reads a line. The case order is important: the tool prints to the
// program's terminal, so lines from the program and other threads may be inside
// tables.
func (r *reader) line() {
	text := string(table.Plain(r.in.Text))
	trimmed := strings.TrimSpace(text)
	title, isTitle := heading(trimmed)
	// Rows with samples without a task contain no kernel name. They are read
	// like rows with the name NoKernel.
	raw := r.section.raw && r.opt.Samples
	switch {
	case trimmed == "":
		r.blank()
	case isTitle:
		r.heading(title)
	// The timeline is printed while the program runs, so it may be anywhere.
	case isTimeline(trimmed) && !r.in.Cut:
		r.count(r.timeline(text))
	case raw && strings.HasPrefix(trimmed, "SubDeviceId,"):
		r.startTable("Kernel," + trimmed)
	case raw && r.header != nil:
		r.row("NoKernel," + trimmed)
	case r.section.other:
	case strings.HasPrefix(trimmed, kernelFirst):
		r.startTable(text)
	case strings.HasPrefix(trimmed, instruction):
		r.startTable("Kernel," + trimmed)
	case r.header == nil || r.header.kind == skipped || isMessage(trimmed):
	case r.in.Cut:
		r.bad.Add(r.in.Pos(table.MaxLine), "", "the line is longer than %d bytes", table.MaxLine)
	default:
		r.row(text)
	}
}

func (r *reader) heading(title string) {
	r.endLaunch()
	r.header = nil
	s, known := sectionOf(title)
	if known {
		r.titles++
	}
	if strings.HasPrefix(title, "Device Timing") {
		if r.reports++; r.reports == 2 {
			r.second = r.in.Pos(1)
		}
	}
	switch {
	// Properties follow their backend's timings and print names in the same
	// way.
	case title == "Kernel Properties":
		s.items = r.items
	case known && !s.other:
		r.items = s.items
	}
	r.section = s
}

// blank ends a launch in a metric table, which separates launches by blank
// lines. It ends any other table.
func (r *reader) blank() {
	r.endLaunch()
	// A blank line between a header and its first row does not end the table.
	if r.header != nil && r.header.kind != metrics && r.header.rows > 0 {
		r.header = nil
	}
}

func (r *reader) startTable(text string) {
	// A header that is repeated before each row in a launch (one per tile) does
	// not end the launch. A blank line does.
	h, known := r.headers[tableKey{text, r.section}]
	if !known {
		if len(r.headers) == mostHeaders {
			clear(r.headers)
		}
		h = newHeader(text, r.section.device)
		r.headers[tableKey{text, r.section}] = h
	}
	if r.header != h {
		r.header, h.rows = h, 0
	}
	if r.header.kind == skipped && r.skipped.Line == 0 {
		r.skipped = r.in.Pos(1)
	}
}

func (r *reader) row(text string) {
	h := r.header
	h.rows++
	// Separate the instruction from the name, so that both forms have the same
	// fields.
	if i := strings.LastIndex(text, inTheKernels); i > 0 && h.kind == stalling {
		text = text[:i] + "," + text[i+1:]
	}
	f, err := h.split(text, r.section.items)
	if err == nil {
		switch h.kind {
		case timing:
			err = r.timing(&f)
		case properties:
			err = r.properties(&f)
		case metrics:
			err = r.metrics(&f)
		case stalling:
			err = r.stalled(&f)
		}
	}
	r.count(err)
}

// count counts a row. If there is an error, the row is bad.
func (r *reader) count(err *rowError) {
	if err == nil {
		r.rows++
		return
	}
	// Convert the index to a column in the file, which contains escape
	// sequences that the parsed text does not.
	r.bad.Add(r.in.Pos(table.RawColumn(r.in.Text, err.at)), "", "%s", err.text)
}

// A rowError is an error in a row and its position.
type rowError struct {
	at   int // index in the line
	text string
}

func badf(at int, format string, args ...any) *rowError {
	return &rowError{at, fmt.Sprintf(format, args...)}
}

// finish returns the file, or an error if nothing in it can be used.
func (r *reader) finish() (*ingest.File, error) {
	f := &ingest.File{Input: ingest.Input{Rows: r.rows, BadRows: r.bad.Count,
		Traits: ingest.Traits{NoLaunchSize: true}}, Trace: &r.trace, Samples: r.samples, Props: r.propsList,
		Stalls: r.shares(), Notes: append(r.bad.Notes(), r.invalid.notes()...)}
	// with several GPUs, the number belongs to none
	if counted := slices.Collect(maps.Keys(r.xves)); len(counted) == 1 {
		f.Platform.CountedXVEs = unit.Some(counted[0])
	}
	if err := r.into(f); err != nil {
		return nil, err
	}
	if len(f.Kernels) == 0 && len(f.Props)+len(f.Stalls)+len(f.Samples) == 0 {
		return nil, r.inputError()
	}
	f.Traits.NotARun, f.Traits.Hint = contents(f), "trace its launches, too: unitrace -d -v -q -o report.txt ./program"
	// A program that starts other programs has a report for each, so several
	// reports are not an error.
	if r.reports > 1 {
		f.Notes = append(f.Notes, note.Warningf("several-reports", r.second, "put each run into its own file",
			"the file contains %d device timing reports, which are added: this is correct for the "+
				"processes of one run, but wrong for several runs", r.reports))
	}
	return f, nil
}

// contents returns a description for a file that has neither launches nor
// occupancy, for the error if a run has only this file.
func contents(f *ingest.File) string {
	tasks, list := map[string]bool{}, []string{}
	has := func(name string, any bool) {
		if any {
			list = append(list, name)
		}
	}
	var all ingest.Kernel
	for i := range f.Props {
		tasks[f.Props[i].Task] = true
		mostProperties(&all, &f.Props[i])
	}
	for _, s := range f.Stalls {
		tasks[s.Task] = true
	}
	for _, s := range f.Samples {
		tasks[s.Key.Task] = true
	}
	has("registers", all.Registers.Present())
	has("SLM", all.SLM.Present())
	has("spill", all.Spill.Present())
	has("private memory", all.Private.Present())
	has("stalls", len(f.Stalls) > 0)
	has("samples", len(f.Samples) > 0)
	return fmt.Sprintf("the file names %s, with %s, but contains neither launches nor their occupancy",
		unit.FormatCount(len(tasks), "kernel", "kernels"), unit.JoinWords(list, "and"))
}

func (r *reader) inputError() error {
	pos := note.InFile(r.path)
	switch {
	case r.in.Number == 0:
		return note.Errorf("empty-file", pos, hint, "the file is empty; %s", expected)
	case r.bad.Count > 0:
		first := r.bad.Notes()[0]
		return note.Errorf("no-kernels", first.Pos, hint, "none of the %d rows can be used; the first: %s", r.bad.Count,
			first.Text)
	case r.skipped.Line > 0:
		return note.Errorf("no-kernels", r.skipped, "collect the group ComputeBasic, or give the device timing report",
			"this table of kernels contains neither times nor occupancies; expected columns such as GpuTime[ns] and "+
				"XVE_THREADS_OCCUPANCY_ALL[%%]")
	case r.titles > 0:
		return note.Errorf("no-kernels", pos,
			"ask for device timings (-d) or metrics (-q), and let the program wait for its queue or events before it "+
				"ends: unitrace loses kernels that are pending then",
			"the report contains no kernel; %s", expected)
	}
	return note.Errorf("no-kernels", pos, hint, "no table of kernels found; %s", expected)
}
