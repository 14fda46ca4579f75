package summary

import (
	"cmp"
	"slices"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// text reads the report for terminals: indented metrics, and tables under a
// dashed line whose runs are the columns.
type text struct {
	to     *builder
	before string // last line, which is the header if dashes follow
	table  *table.Dashed
}

func (t *text) line(in *table.Lines, line string) {
	line = progress(strings.TrimRight(line, " \t\r"))
	trimmed := strings.TrimSpace(line)
	before := t.before
	t.before = line
	if c := table.Dashes(line); c != nil && before != "" {
		t.table = c
		t.to.startTable(c.Cells(before))
		return
	}
	at := t.to.at(in.Number, len(line)-len(strings.TrimLeft(line, " "))+1)
	switch {
	case trimmed == "":
		t.table = nil
	case t.table != nil && t.table.InColumns(line): // otherwise the table has ended without a blank line
		t.to.row(t.table.Cells(line), at)
	case trimmed[0] == '|': // a value's explanation, in words
	default:
		t.table = nil
		name, value, ok := strings.Cut(trimmed, ": ")
		if !ok {
			name = strings.TrimSuffix(trimmed, ":")
		}
		t.to.metric(at.Column-1, name, strings.TrimSpace(value), at)
	}
}

// progress returns a line without vtune's progress messages. On a terminal,
// `vtune: Executing actions 75 % Generating a report` is overwritten. In a
// file, it precedes the report's first line.
func progress(line string) string {
	if i := strings.LastIndexByte(line, '\r'); i >= 0 {
		line = line[i+1:]
	}
	if !strings.HasPrefix(line, "vtune: ") {
		return line
	}
	for _, first := range []string{elapsedMark, platformHead} {
		if i := strings.Index(line, first); i >= 0 {
			return line[i:]
		}
	}
	return ""
}

// printedTable is the current table.
type printedTable struct {
	row    func(cells []string, pos note.Pos) // nil for a table that is not used
	header []string
	merged []bool // whether this table has already named a task, by index in builder.tasks
}

// rowsOf returns the function that adds the rows below a header, or nil if they
// are not used.
func (b *builder) rowsOf(header []string) func(cells []string, pos note.Pos) {
	switch {
	case len(header) > 0 && header[0] == "Computing Task" && slices.Contains(header, "Total Time"):
		return b.task
	case slices.Contains(header, "GPU Stack") && slices.Contains(header, "GPU Adapter"):
		return b.stackRow
	}
	return nil
}

func (b *builder) startTable(header []string) {
	// Tasks that this table adds are after merged's end, so they are never
	// merged with its later rows.
	b.table = printedTable{row: b.rowsOf(header), merged: make([]bool, len(b.tasks))}
	// The CSV's headers contain (%), the other forms do not.
	for _, name := range header {
		b.table.header = append(b.table.header, strings.TrimSuffix(name, "(%)"))
	}
}

func (b *builder) row(cells []string, pos note.Pos) {
	if b.table.row != nil {
		b.table.row(cells, pos)
	}
}

// stackRow counts adapters and their stacks.
func (b *builder) stackRow(cells []string, _ note.Pos) {
	adapter, stack := b.cell(cells, "GPU Adapter"), b.cell(cells, "GPU Stack")
	if adapter == "" || stack == "" {
		return
	}
	// Use sets, because an adapter has a row per stack.
	b.adapters[adapter] = true
	// Stacks are numbered within an adapter.
	b.stacks[adapter+"\x00"+stack] = true
	idle, err := parsePercent(b.cell(cells, "XVE Array Idle", "EU Array Idle"))
	if share, ok := idle.Value(); err == nil && ok {
		b.stateRows++
		if share < alwaysIdle {
			b.busyStacks++
		}
	}
}

// alwaysIdle is the minimum idle share for a stack without work. The report
// prints shares to 0.1%.
const alwaysIdle unit.Ratio = 0.9995

func (b *builder) cell(cells []string, names ...string) string {
	for _, name := range names {
		if i := slices.Index(b.table.header, name); i >= 0 && i < len(cells) {
			return cells[i]
		}
	}
	return ""
}

// cellOf parses the first column with any of these names.
func cellOf[T any](b *builder, cells []string, parse func(string) (unit.Opt[T], error), to *unit.Opt[T],
	names ...string) (err error) {
	*to, err = parse(b.cell(cells, names...))
	return err
}

// task adds a row in a computing task table. The HTML report omits empty cells
// at a row's end.
func (b *builder) task(cells []string, pos note.Pos) {
	k := ingest.Kernel{Task: strings.Clone(cells[0]), Pos: pos} // cloned, so that the line is not kept in memory
	switch {
	case k.Task == "":
		b.bad.Add(pos, "", "the row names no computing task")
		return
	case len(cells) > len(b.table.header):
		b.bad.Add(pos, "", "the row has %d cells, but the header has %d", len(cells), len(b.table.header))
		return
	case k.Task == "[Others]": // the sum over the tasks that are not listed
		return
	}
	// In offload reports, the total includes the transfers. VTune 2022.0 uses
	// other names for the time and the peak.
	err := cmp.Or(
		cellOf(b, cells, parseTime, &k.Total, "Execution Time", "Execution", "Total Time"),
		cellOf(b, cells, parseCount, &k.Instances, "Instance Count"),
		cellOf(b, cells, parseSIMD, &k.SIMD, "SIMD Width"),
		cellOf(b, cells, parsePercent, &k.Peak,
			"Peak XVE Threads Occupancy", "Peak EU Threads Occupancy", "Peak Occupancy"),
		cellOf(b, cells, parsePercent, &k.Measured, "XVE Threads Occupancy", "EU Threads Occupancy", "Occupancy"))
	if err != nil {
		b.bad.Add(pos, "", "task %s: %v", table.Quote(k.Task), err)
		return
	}
	if peak, ok := k.Peak.Value(); ok && peak == 0 {
		// A peak of 0 is printed for tasks that are not kernels. It is not a
		// real value.
		k.Peak = unit.Opt[unit.Ratio]{}
	}
	b.rows++
	b.merge(k)
}

// merge adds the values for a task from another table in the report. Within one
// table, equal names are different tasks.
func (b *builder) merge(k ingest.Kernel) {
	for _, i := range b.byName[k.Task] {
		old := &b.tasks[i]
		// A task with SIMD16 in one table and SIMD32 in another is two kernels.
		// A task without a SIMD width fits both.
		if i >= len(b.table.merged) || b.table.merged[i] || old.SIMD.Or(k.SIMD.Or(0)) != k.SIMD.Or(old.SIMD.Or(0)) {
			continue
		}
		b.table.merged[i] = true
		// All tables belong to one collection, so the first value is as good as
		// any other.
		old.Total, old.Instances = cmp.Or(old.Total, k.Total), cmp.Or(old.Instances, k.Instances)
		old.SIMD, old.Peak = cmp.Or(old.SIMD, k.SIMD), cmp.Or(old.Peak, k.Peak)
		old.Measured = cmp.Or(old.Measured, k.Measured)
		return
	}
	b.byName[k.Task] = append(b.byName[k.Task], len(b.tasks))
	b.tasks = append(b.tasks, k)
}
