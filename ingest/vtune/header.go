package vtune

import (
	"bytes"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/scan"
)

// column is a column of the header that is read.
type column struct {
	name    string
	index   int  // in the file
	rank    int  // of its spelling
	percent bool // the name says (%)
	there   bool
}

// field is a number's column.
type field struct {
	q     quantity
	index int // in the file
}

// header is what the header line says. It is made once and read by all workers;
// nothing in it changes while rows are read.
type header struct {
	pos     note.Pos
	delim   byte
	columns int // up to the last that has a name
	col     [quantities]column
	twice   []twice
	sel     []int // columns to read, ascending
	side    int   // the result of a difference report that is read
	sides   bool  // it is such a report
	xves    bool  // a column that is read is named after XVEs, not EUs
	host    bool  // has columns of an export that is grouped by host task
	first   string
	like    string // a name that is not known and may be that of the measured occupancy

	// What complete finds out once, for every row: the columns that are there,
	// by kind, and those of the key, put together in runs that stand side by
	// side in the file.
	counts, times, shares []field
	bare                  []quantity // shares whose name does not say (%)
	instructions          []int      // columns that count the instructions of a pipe
	alu1                  bool       // those are of one pipe
	counters              []counter  // shares first
	percents, rates       []int      // their columns
	moving                []field    // shares without the profiler's peak and its limits, when these stand side by side
	key                   []quantity
	runs                  [][2]int // first and last column
}

// twice is a column that is read and whose name occurs again.
type twice struct {
	q     quantity
	index int
}

// add takes the next name of the header.
func (h *header) add(index int, text []byte) {
	if len(text) > 200 { // no name is as long; the text of a million of them need not be looked at twice
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
	// Of a difference report only the columns of one result are read: its
	// differences are of no run.
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
	// A future VTune may name the column otherwise. The message then names what
	// is there, instead of "no measurement".
	if !ok && h.like == "" && strings.Contains(form, "occup") {
		h.like = name
	}
	if !ok || q == task && (index > mostBefore || h.col[task].there) {
		return
	}
	h.xves = h.xves || strings.Contains(name, "XVE ")
	c := &h.col[q]
	switch {
	// The usual spelling wins, wherever it stands: what was found before under
	// another one is another column.
	case !c.there || rank < c.rank:
		*c = column{name: name, index: index, rank: rank, percent: percent, there: true}
		h.twice = slices.DeleteFunc(h.twice, func(t twice) bool { return t.q == q })
	// A header of a million equal names must not make a million look-ups for
	// each row.
	case name == c.name && len(h.twice) < 100:
		h.twice = append(h.twice, twice{q: q, index: index})
	}
}

// addInstructions takes the column of a pipe: that of ALU1 alone, which every
// kernel uses and copies do not, and all where it is missing. The count tells
// how much of what ran belongs to kernels; which pipe it is of matters less
// than that all rows have it.
func (h *header) addInstructions(index int, pipe string) {
	switch {
	case h.alu1 || len(h.instructions) > 10:
		return
	case pipe == "alu1":
		h.alu1, h.instructions = true, nil
	}
	h.instructions = append(h.instructions, index)
}

// complete decides which columns are read.
func (h *header) complete() {
	if h.col[total].there && h.col[count].there {
		h.col[average].there = false // rounded; only of use when one of them is missing
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
	h.sel = slices.Compact(h.sel) // barriers are a reason of stalls, too
	for q := range quantities {
		c := &h.col[q]
		f := field{q, c.index}
		switch {
		case !c.there:
		case q < firstNumber:
			h.key = append(h.key, q)
		case q == total || q == average:
			h.times = append(h.times, f)
		case q == hostToDevice || q == deviceToHost: // read for rows without a launch size only
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
// neighbors in the file, in their usual order and as percentages. Then the four
// cells of a row are one run of bytes, which is compared in one step with that
// of the row before.
func (h *header) steadySideBySide() bool {
	for q := peak; q <= peakBarrier; q++ {
		if c := &h.col[q]; !c.there || !c.percent || c.index != h.col[peak].index+int(q-peak) {
			return false
		}
	}
	return true
}

// steadyRun returns the bytes of those four cells.
func (h *header) steadyRun(r *scan.Row) []byte {
	return r.RawRun(h.col[peak].index, h.col[peakBarrier].index)
}

// keyRuns joins the columns of the key that are neighbors in the file. Task,
// sizes and SIMD width stand side by side in every export that was seen, so a
// key is one look at the file's bytes.
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

// has reports whether one of some columns is there.
func (h *header) has(any ...quantity) bool {
	return slices.ContainsFunc(any, func(q quantity) bool { return h.col[q].there })
}

// hostTasks reports whether the export is grouped by host task: no column is
// about the GPU. An export by computing task may begin with Task Type, too, so
// the absence of GPU columns decides.
func (h *header) hostTasks() bool {
	return !h.has(global, simd, measured, peak, active, threads) &&
		(h.host || strings.EqualFold(h.first, "Task Type"))
}

// findHeader looks for the header line: the first whose first field is a key
// column and that names another column that is known. Messages of the vtune
// command may be before it, also on the same line. Two names are asked for,
// since the first alone may begin a sentence of a log.
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

// headerIn looks for a header in a line: at its beginning, after a \r that
// rewrote the line, or glued to a message.
func headerIn(line []byte) (offset int, delim byte, ok bool) {
	line = bytes.TrimSuffix(line, []byte{'\r'})
	if rest, found := bytes.CutPrefix(line, []byte(byteOrderMark)); found {
		offset, delim, ok = headerIn(rest)
		return offset + len(byteOrderMark), delim, ok
	}
	if d, ok := headerAt(line); ok {
		return 0, d, true
	}
	glued := isMessage(line)
	if !glued && bytes.IndexByte(line, '\r') < 0 {
		return 0, 0, false
	}
	// Bounded: a line of a file that is no export may have megabytes.
	for i := 1; i < min(len(line), 4096); i++ {
		if b := line[i]; (glued || line[i-1] == '\r') && (b == '"' || b == 'C' || b == 'S' || b == 'T') {
			if d, ok := headerAt(line[i:]); ok {
				return i, d, true
			}
		}
	}
	return 0, 0, false
}

// nextExport describes the header lines of further exports: people write
// several exports into one file.
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

// isMessage reports whether a line is a message of the vtune command.
func isMessage(line []byte) bool {
	return bytes.HasPrefix(line, []byte("vtune:")) || bytes.HasPrefix(line, []byte("war:"))
}

// mostBefore is how many columns may come before that of the key: the adapter,
// the stack, or the queue if an export is grouped by them first, or the index
// that a data frame was saved with.
const mostBefore = 2

// headerAt reports whether a line is a header, and its delimiter.
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
			// A number is no name: VTune's summary in CSV has a level there.
			return key, ok && key == d && (i == 0 || len(bytes.Trim(line[:i], `0123456789"`)) > 0)
		}
		break
	}
	return 0, false
}

// keyedAt reports whether a line begins with the name of the key column, and
// the byte behind it.
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
		// What goes on with a letter is a longer name, as Computing Tasks would
		// be.
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

// namesKnown reports whether a field of the line is a known name. It reads
// fields without allocating: sniffing asks it of every line that a file begins
// with.
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
