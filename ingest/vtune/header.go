package vtune

import (
	"bytes"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/scan"
)

// A column is a header column that is read.
type column struct {
	name    string
	index   int  // index in the file
	rank    int  // its spelling's rank
	percent bool // the name contains (%)
	there   bool
}

// A field is a number's column.
type field struct {
	q     quantity
	index int // index in the file
}

// A header is the parsed header line. All workers share it, and it does not
// change while rows are read.
type header struct {
	pos     note.Pos
	delim   byte
	columns int // columns up to the last one with a name
	col     [quantities]column
	twice   []twice
	sel     []int // columns to read, ascending
	side    int   // which result of a difference report is read
	sides   bool  // the file is a difference report
	xves    bool  // used column names contain XVE, not EU
	host    bool  // has the columns that an export by host task has
	first   string
	like    string // an unknown name that may be the measured occupancy

	// The following fields are computed once by complete and used for every
	// row: the present columns by kind, and runs of key columns that are
	// adjacent in the file.
	counts, times, shares []field
	bare                  []quantity // shares whose name does not contain (%)
	instructions          []int      // columns that count a pipe's instructions
	alu1                  bool       // instructions counts only ALU1
	counters              []counter  // shares first
	percents, rates       []int      // their columns
	// moving are the shares without the profiler's peak and its limits, if
	// those are adjacent. Otherwise it is nil.
	moving []field
	key    []quantity
	runs   [][2]int // first and last column
}

// twice is a second column with the same name as a column that is read.
type twice struct {
	q     quantity
	index int
}

// add adds the header's next name.
func (h *header) add(index int, text []byte) {
	// No real name is this long. A header may have a million of them, so do not
	// parse the text.
	if len(text) > 200 {
		h.columns = index + 1
		return
	}
	name := strings.TrimSpace(string(bytes.ToValidUTF8(text, []byte("\ufffd"))))
	if name == "" {
		return
	}
	h.columns = index + 1
	if index == 0 {
		h.first = name
	}
	// From a difference report, read only one result's columns. The differences
	// do not belong to a run.
	if _, side := ofSide(strings.ToLower(name)); side >= 0 {
		h.sides = true
		if side != h.side {
			return
		}
	}
	form, percent := plain(name)
	if slices.Contains(hostColumns, form) {
		h.host = true
	}
	if pipe, ok := instructionPipe(form); ok {
		h.addInstructions(index, pipe)
	}
	h.addCounter(index, name, form, percent)
	q, rank, ok := find(form)
	// A future VTune may rename the column. The message then contains the
	// similar name instead of only "no measurement".
	if !ok && h.like == "" && strings.Contains(form, "occup") {
		h.like = name
	}
	if !ok || q == task && (index > mostBefore || h.col[task].there) {
		return
	}
	h.xves = h.xves || strings.Contains(name, "XVE ")
	c := &h.col[q]
	switch {
	// The usual spelling has priority, wherever it is. A column that was found
	// earlier under another spelling is a different column.
	case !c.there || rank < c.rank:
		*c = column{name: name, index: index, rank: rank, percent: percent, there: true}
		h.twice = slices.DeleteFunc(h.twice, func(t twice) bool { return t.q == q })
	// Limit the number, because a header with a million equal names must not
	// cause a million comparisons per row.
	case name == c.name && len(h.twice) < 100:
		h.twice = append(h.twice, twice{q: q, index: index})
	}
}

// addInstructions adds a pipe's instruction column. Only ALU1 is used if it is
// present, because every kernel uses ALU1 and copies do not. Otherwise all
// pipes are used. The count determines the instruction share that belongs to
// kernels. For that, it is more important that all rows use the same pipes than
// which pipes they are.
func (h *header) addInstructions(index int, pipe string) {
	switch {
	case h.alu1 || len(h.instructions) > 10:
		return
	case pipe == "alu1":
		h.alu1, h.instructions = true, nil
	}
	h.instructions = append(h.instructions, index)
}

// complete determines the columns that are read.
func (h *header) complete() {
	if h.col[total].there && h.col[count].there {
		h.col[average].there = false // it is rounded, so use it only if one of these is missing
	}
	for _, c := range h.col {
		if c.there {
			h.sel = append(h.sel, c.index)
		}
	}
	h.twice = slices.DeleteFunc(h.twice, func(t twice) bool { return !h.col[t.q].there })
	for _, t := range h.twice {
		h.sel = append(h.sel, t.index)
	}
	h.sel = append(h.sel, h.instructions...)
	h.sel = append(h.sel, h.columns-1) // see adder.cut
	var shares, rates []counter
	for _, c := range h.counters {
		if c.percent {
			shares, h.percents = append(shares, c), append(h.percents, c.index)
		} else {
			rates, h.rates = append(rates, c), append(h.rates, c.index)
		}
	}
	h.counters = append(shares, rates...)
	h.sel = slices.Concat(h.sel, h.percents, h.rates)
	slices.Sort(h.sel)
	h.sel = slices.Compact(h.sel) // barriers are a stall reason, too
	for q := range quantities {
		c := &h.col[q]
		f := field{q, c.index}
		switch {
		case !c.there:
		case q < firstNumber:
			h.key = append(h.key, q)
		case q == total || q == average:
			h.times = append(h.times, f)
		case q == hostToDevice || q == deviceToHost: // read only for rows without a launch size
		case q < firstShare:
			h.counts = append(h.counts, f)
		default:
			if h.shares = append(h.shares, f); !c.percent {
				h.bare = append(h.bare, q)
			}
		}
	}
	h.keyRuns()
	if h.steadySideBySide() {
		for _, f := range h.shares {
			if f.q < peak || f.q > peakBarrier {
				h.moving = append(h.moving, f)
			}
		}
	}
}

// steadySideBySide reports whether the profiler's peak and its limits are
// percentages in adjacent columns, in their usual order. Then a row's four cells
// are contiguous bytes, which can be compared with the previous row's cells in
// one step.
func (h *header) steadySideBySide() bool {
	for q := peak; q <= peakBarrier; q++ {
		if c := &h.col[q]; !c.there || !c.percent || c.index != h.col[peak].index+int(q-peak) {
			return false
		}
	}
	return true
}

// steadyRun returns the four cells' bytes.
func (h *header) steadyRun(r *scan.Row) []byte {
	return r.RawRun(h.col[peak].index, h.col[peakBarrier].index)
}

// keyRuns merges key columns that are adjacent in the file. In all known
// exports, task, sizes, and SIMD width are adjacent, so that a key is a single
// byte range.
func (h *header) keyRuns() {
	var indexes []int
	for _, q := range h.key {
		indexes = append(indexes, h.col[q].index)
	}
	slices.Sort(indexes)
	for i, x := range indexes {
		if i > 0 && indexes[i-1] == x-1 {
			h.runs[len(h.runs)-1][1] = x
			continue
		}
		h.runs = append(h.runs, [2]int{x, x})
	}
}

// has reports whether any of the columns is present.
func (h *header) has(any ...quantity) bool {
	return slices.ContainsFunc(any, func(q quantity) bool { return h.col[q].there })
}

// hostTasks reports whether the export is grouped by host task, that is,
// whether it has no GPU columns. The name Task Type is not sufficient, because
// an export by computing task may begin with it, too.
func (h *header) hostTasks() bool {
	return !h.has(global, simd, measured, peak, active, threads) &&
		(h.host || strings.EqualFold(h.first, "Task Type"))
}

// findHeader returns the first header line's offset and delimiter: its first
// field is a key column, and it contains another known column. Two names are
// required, because the first name alone may begin a sentence in a log.
// Messages from the vtune command may precede the header, even on the same
// line.
func findHeader(text []byte) (offset int, delim byte, ok bool) {
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte{'\n'})
		if i, d, ok := headerIn(line); ok {
			return offset + i, d, true
		}
		offset += len(text) - len(rest)
		text = rest
	}
	return 0, 0, false
}

const byteOrderMark = "\ufeff"

// headerIn returns the offset of a header at the beginning of a line, after a
// \r that overwrote the line, or directly after a message.
func headerIn(line []byte) (offset int, delim byte, ok bool) {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	start := len(line) - len(bytes.TrimPrefix(line, []byte(byteOrderMark)))
	if d, ok := headerAt(line[start:]); ok {
		return start, d, true
	}
	glued := isMessage(line[start:])
	if !glued && bytes.IndexByte(line, '\r') < 0 {
		return 0, 0, false
	}
	// Limit the search, because an unrelated file may have a line with
	// megabytes.
	for i := 1; i < min(len(line), 4096); i++ {
		if b := line[i]; (glued || line[i-1] == '\r') && (b == '"' || b == 'C' || b == 'S' || b == 'T') {
			if d, ok := headerAt(line[i:]); ok {
				return i, d, true
			}
		}
	}
	return 0, 0, false
}

// nextExport returns a rule that finds the header lines of further exports,
// because users write several exports into one file.
func (h *header) nextExport() scan.Break {
	delim := string(h.delim)
	starts := []string{byteOrderMark, "vtune:", "war:", "GPU Adap", `"GPU Adap`}
	if first := h.first; first != "" {
		first = (first + delim)[:min(len(first)+1, 8)]
		starts = append(starts, first, `"`+first)
	}
	for _, key := range keyColumns {
		key = key[:8]
		starts = append(starts, key, `"`+key, delim+key, delim+`"`+key)
	}
	return scan.Break{Starts: starts, Is: func(line []byte) bool {
		_, _, ok := headerIn(line)
		return ok
	}}
}

// isMessage reports whether a line is a message from the vtune command.
func isMessage(line []byte) bool {
	return bytes.HasPrefix(line, []byte("vtune:")) || bytes.HasPrefix(line, []byte("war:"))
}

// mostBefore is the maximum number of columns before the key column: adapter,
// stack, or queue if an export is grouped by them first, or a saved data
// frame's index.
const mostBefore = 2

// headerAt reports whether a line is a header. It returns the delimiter.
func headerAt(line []byte) (delim byte, ok bool) { return headerAfter(line, mostBefore) }

func headerAfter(line []byte, before int) (delim byte, ok bool) {
	if d, ok := keyedAt(line); ok || before == 0 {
		return d, ok
	}
	for i, d := range line[:min(len(line), 40)] {
		switch {
		case d == ' ' || d == '"' || isAlphanumeric(d):
			continue
		case d != '\r':
			key, ok := headerAfter(line[i+1:], before-1)
			// A number is not a column name: in VTune's CSV summary, it is a
			// level.
			return key, ok && key == d && (i == 0 || len(bytes.Trim(line[:i], `0123456789"`)) > 0)
		}
		break
	}
	return 0, false
}

// keyedAt reports whether a line begins with a key column's name and contains
// another known name. It returns the byte after the key column.
func keyedAt(line []byte) (delim byte, ok bool) {
	for _, key := range keyColumns {
		rest, quoted := bytes.CutPrefix(line, []byte(`"`+key+`"`))
		if !quoted {
			var found bool
			if rest, found = bytes.CutPrefix(line, []byte(key)); !found {
				continue
			}
		}
		if len(rest) == 0 {
			return 0, false
		}
		d := rest[0]
		// If a letter follows, it is a longer name, for example Computing
		// Tasks.
		if d == '"' || d == '\r' || !quoted && (d == ' ' || d == '_' || isAlphanumeric(d)) {
			return 0, false
		}
		return d, namesKnown(rest[1:], d)
	}
	return 0, false
}

func isAlphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' || b >= 0x80
}

// namesKnown reports whether a field in the line is a known name. It does not
// allocate, because Sniff calls it for every line at the beginning of a file.
func namesKnown(line []byte, delim byte) bool {
	for len(line) > 0 {
		var field []byte
		if line[0] == '"' {
			field, line, _ = bytes.Cut(line[1:], []byte{'"'})
			_, line, _ = bytes.Cut(line, []byte{delim})
		} else {
			field, line, _ = bytes.Cut(line, []byte{delim})
		}
		if len(field) > 200 {
			continue
		}
		form, _ := plain(string(field))
		if q, _, ok := find(form); ok && q != task || slices.Contains(hostColumns, form) {
			return true
		}
	}
	return false
}
