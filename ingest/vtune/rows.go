package vtune

import (
	"bytes"
	"cmp"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/scan"
	"occudiff/ingest/unit"
)

// shown is the number of bad rows with their own note.
const shown = 20

// An adder is one worker's state. It receives rows and adds them by key.
type adder struct {
	h        *header
	instance bool // keep every row

	table   map[rowKey]*entry
	entries []*entry
	key     []byte
	row     *scan.Row

	rows, bad int64
	absent    values // a row without any number
	badNotes  []note.Note
	// firsts contains notes that are reported once, at their first position in
	// the file. The key is the subject: an index in header.twice, the marks of
	// a number with two interpretations, or a code.
	firsts   map[any]note.Note
	launches ingest.Launches // every row, by its entry's number, if single launches are kept
	partial  int64           // bad rows whose only error is a share out of range
	largest  values          // largest value per column
	unread   bool            // an instruction count could not be read
	signs    uint64          // one bit for each share that has a cell with %
	certain  marks           // how marks are used in numbers with only one interpretation
	points   uint64          // decimal mark positions that all rows' last cells share, see cut
	emptyEnd bool            // a row has an empty last cell
	all      []*adder        // all workers' adders
	cells    int64           // unreadable cells in used rows

	_ [64]byte // keeps two workers' data in different cache lines
}

// Row adds a row, or records its problem.
func (a *adder) Row(r *scan.Row) {
	a.row = r
	// With too few or too many fields, or an open quote, cells cannot be
	// assigned to columns.
	if r.Fields < a.h.columns || r.Extra || r.Open {
		if p := a.misshapen(r); p != nil {
			a.reject(p)
		}
		return
	}
	if a.points != 0 || r.Unended {
		if bad := a.lastCell(r); bad != nil {
			a.reject(bad)
			return
		}
	}
	e, bad := a.find(r)
	if bad != nil {
		a.reject(bad)
		return
	}
	v := a.absent
	shares := a.h.shares
	// The compiler compares the bytes without allocating a string.
	steady := e.steady.raw != "" && r.Whole() && string(a.h.steadyRun(r)) == e.steady.raw
	if steady {
		shares = a.h.moving
	}
	switch bad = a.numbers(r, shares, &v); {
	case bad == nil && a.h.sides && max(v[total], v[average], v[count], v[measured]) <= 0:
		return // only the other result of the difference report has the task
	case bad == nil:
		a.good(e, &v)
	case bad.outside:
		a.reject(bad)
		a.partial++
	default:
		a.reject(bad)
		return
	}
	t := v.seconds()
	if steady {
		e.steady.add(t)
	}
	for _, c := range a.h.instructions {
		n, ok := digits16(r.LongTail(c))
		if !ok {
			n = a.instructions(r.Cell(c), c)
		}
		e.instructions += n
	}
	if len(a.h.counters) > 0 {
		e.counters.add(a, r, t)
	}
	e.add(&v, shares, t)
}

// pointsIn returns a mask with each byte's highest bit that is a decimal mark,
// in the last eight bytes of an n-byte cell.
func pointsIn(x uint64, n int) uint64 {
	const ones = 0x0101010101010101
	x = (x | 2*ones) ^ '.'*ones // ',' is '.' without the second bit
	// The usual test for a zero byte. The byte above a zero byte may be wrong.
	return (x - ones) &^ x & highest & lastOf(n)
}

// lastCell records the decimal mark's position in the last cell, as long as it
// is the same in all rows.
func (a *adder) lastCell(r *scan.Row) *problem {
	x, n := r.Tail(a.h.columns - 1)
	switch {
	case r.Unended:
		return a.cut(r.Cell(a.h.columns-1), x, n)
	case n == 0:
		a.emptyEnd = true
	default:
		a.points &= pointsIn(x, n)
	}
	return nil
}

// cut returns the problem with a last line that has no line end. VTune ends
// every line, and prints a column with the same number of decimals in all rows.
// Therefore a last cell whose decimal mark has a different position is
// truncated. If the other rows do not determine the position, cut adds a note
// instead.
func (a *adder) cut(cell []byte, x uint64, n int) *problem {
	points := pointsIn(x, n)
	rows, all, empty := int64(0), ^uint64(0), false
	for _, o := range a.all {
		rows, all, empty = rows+o.rows, all&o.points, empty || o.emptyEnd
	}
	last := a.h.columns - 1
	p := &problem{index: last, text: fmt.Sprintf("the file ends in the last cell, %s, without a line end",
		shorten(cell)), hint: "the file may be cut off: export it again; if the file is complete, add a line end"}
	switch known := rows > 1 && all != 0; {
	case known && points&all != 0:
		return nil
	case known && (len(cell) > 0 || !empty && !unknown(a.cell(a.row, global))): // copies lack some values
		p.text += ", and other rows have more decimals there"
		return p
	}
	a.first(codeUnended, note.Warningf(codeUnended, a.at(last), p.hint,
		"%s: the file may be cut off, and rows may be missing", p.text))
	return nil
}

// Subjects of notes in adder.firsts.
const (
	codeUnended    = "unended-line"
	codeUnreadable = "unreadable-cell"
	codeInvalid    = "invalid-text"
	codeJoined     = "joined-exports"
)

// first keeps a note, unless an earlier one about its subject is known.
func (a *adder) first(about any, n note.Note) {
	if known, ok := a.firsts[about]; !ok || before(n.Pos, known.Pos) {
		a.firsts[about] = n
	}
}

// at returns the position of the current row's cell.
func (a *adder) at(column int) note.Pos {
	line, at := a.row.Position(column)
	return note.Pos{File: a.h.pos.File, Line: line, Column: at}
}

// merge adds another worker's counts and notes. Its entries and launches remain
// separate.
func (a *adder) merge(o *adder) {
	a.rows, a.bad, a.partial, a.cells = a.rows+o.rows, a.bad+o.bad, a.partial+o.partial, a.cells+o.cells
	a.unread, a.signs, a.certain = a.unread || o.unread, a.signs|o.signs, a.certain|o.certain
	a.badNotes = append(a.badNotes, o.badNotes...)
	for q, x := range o.largest {
		a.largest[q] = max(a.largest[q], x)
	}
	for about, n := range o.firsts {
		a.first(about, n)
	}
}

// good records a row without an error. A row whose only error is a share out of
// range is added without that share, but not recorded here: it is a launch, and
// without it its kernel's time and threads would be too small.
func (a *adder) good(e *entry, v *values) {
	r := a.row
	a.rows++
	if e.good++; e.good == 1 {
		e.line = r.Line()
	}
	if e.good <= mostRepeats {
		e.remember(v, r)
	}
	if len(a.h.twice) > 0 {
		a.compare(r)
	}
	switch {
	case a.instance:
		a.launches.Add(v.launch(e.number, r.Line()))
	case e.rows > 0 && e.steady.raw == "" && len(a.h.moving) > 0 && r.Whole():
		e.steady = steady{raw: string(a.h.steadyRun(r)), values: [4]nano(v[peak : peakBarrier+1])}
	}
}

// numbers parses all numbers in a row into v, whose elements must be none. It
// parses usual forms eight bytes at a time, and all other forms with number. A
// share out of range is absent, and its problem does not affect the other
// cells.
func (a *adder) numbers(r *scan.Row, shares []field, v *values) *problem {
	unusual := uint64(0) // one bit per quantity
	for _, f := range shares {
		x, n := r.Tail(f.index)
		tenths, bad := shortTenths(x, n)
		// 0.0 to 100.0 has three to five characters.
		if uint(n-3) > 2 || bad != 0 || tenths > largestShare/tenth {
			unusual |= 1 << f.q
		} else {
			v[f.q] = int64(tenths) * tenth
		}
	}
	if a.certain&decimalPoint == 0 && bits.OnesCount64(unusual) < len(shares) {
		a.certain |= decimalPoint
	}
	for _, f := range a.h.times {
		x, n := r.Tail(f.index)
		s, ok := shortMicros(x)
		if v[f.q] = s * (one / 1000000); !ok || n != 8 {
			unusual |= 1 << f.q
		}
	}
	for _, f := range a.h.counts {
		s, ok := shortCount(r.Tail(f.index))
		if v[f.q] = s; !ok {
			unusual |= 1 << f.q
		}
	}
	var outside *problem
	for unusual != 0 {
		q := firstShare + quantity(bits.TrailingZeros64(unusual>>firstShare))
		if q >= quantities { // only quantities below firstShare are left
			q = quantity(bits.TrailingZeros64(unusual))
		}
		unusual &^= 1 << q
		switch p := a.number(r, q, v); {
		case p == nil:
		case extra(q):
			a.leaveOut(p)
		case p.outside:
			outside = cmp.Or(outside, p)
		default:
			return p
		}
	}
	for _, q := range a.h.bare {
		a.largest[q] = max(a.largest[q], v[q])
	}
	return outside
}

// instructions returns an instruction count in any form. The counts are used
// only in a sum, so an invalid count is not an error in the row, but makes the
// sum unknown.
func (a *adder) instructions(b []byte, column int) uint64 {
	if unknown(b) {
		return 0
	}
	n, ok := a.read(bytes.TrimSpace(b), column, "XVE Instructions", countForm)
	if !ok || n < 0 || n > maxInstructions {
		a.unread = true
		return 0
	}
	return uint64(n)
}

const (
	tenth = one / 10
	// largestShare is the largest percentage that rounding and sampling can
	// cause.
	largestShare = 100*one + one/2
	// maxInstructions limits a row's count, so that sums do not overflow. All
	// XVEs on a large GPU need a day to execute as many.
	maxInstructions = 1e17
)

// number returns a number in any form.
func (a *adder) number(r *scan.Row, q quantity, v *values) *problem {
	v[q] = none
	c := &a.h.col[q]
	b := r.Cell(c.index)
	if len(b) == 0 {
		return nil
	}
	x, ok := a.read(b, c.index, c.name, formOf(q))
	most := int64(unit.MaxCount)
	switch {
	case q >= firstShare:
		most = largestShare
		if bytes.IndexByte(b, '%') >= 0 {
			a.signs |= 1 << q
		}
	case q == total || q == average:
		most = maxSeconds * one
	}
	switch {
	case ok && x >= 0 && x <= most:
		v[q] = x
		return nil
	case unknown(b):
		return nil
	}
	p := a.wrong(q, b, ok && x < 0, ok && x > most)
	p.outside = ok && q >= firstShare
	return p
}

// leaveOut records an unreadable cell that no verdict needs. Its value is
// skipped, and the row is used.
func (a *adder) leaveOut(p *problem) {
	if a.cells++; a.cells == 1 {
		a.first(codeUnreadable, note.Warningf(codeUnreadable, a.at(p.index), p.hint, "%s", p.text))
	}
}

// compare checks whether columns with the same name agree.
func (a *adder) compare(r *scan.Row) {
	for i, t := range a.h.twice {
		// One difference per column is sufficient, so stop comparing after it
		// is found.
		if _, known := a.firsts[i]; known {
			continue
		}
		c := &a.h.col[t.q]
		x, y := r.Cell(c.index), r.Cell(t.index)
		if bytes.Equal(x, y) {
			continue
		}
		a.first(i, note.Warningf("duplicate-column", note.Pos{File: a.h.pos.File, Line: r.Line()},
			"select the column once when exporting",
			"the column %q occurs twice, as field %d and %d, with different values: %s and %s; the first is used",
			c.name, c.index+1, t.index+1, shorten(x), shorten(y)))
	}
}

// rowKey identifies a row's key by its cells, see adder.rawKey.
type rowKey struct {
	raw  string
	rest uint64
}

// find returns the entry for a row's key. It compares the cell bytes. A key
// with two spellings gets two entries, which newResult merges.
func (a *adder) find(r *scan.Row) (*entry, *problem) {
	dir := a.direction(r)
	raw, rest := a.rawKey(r, dir)
	if e := a.table[rowKey{string(raw), rest}]; e != nil { // the compiler allocates no string
		return e, nil
	}
	e, p := a.entry(r, dir)
	if p != nil {
		return nil, p
	}
	e.number = len(a.entries)
	a.table[rowKey{string(raw), rest}] = e
	a.entries = append(a.entries, e)
	return e, nil
}

// direction returns a copy's direction, host-to-device or device-to-host, from
// the transferred bytes. Exports use the same name for both. Kernels have no
// direction, even if data was transferred while they ran.
func (a *adder) direction(r *scan.Row) string {
	if !unknown(a.cell(r, global)) {
		return names.NoDirection
	}
	var moved values
	for _, q := range []quantity{hostToDevice, deviceToHost} {
		if moved[q] = none; a.h.col[q].there {
			if p := a.number(r, q, &moved); p != nil {
				a.leaveOut(p)
			}
		}
	}
	switch {
	case moved[hostToDevice] > 0 && moved[deviceToHost] <= 0:
		return names.HostToDevice
	case moved[deviceToHost] > 0 && moved[hostToDevice] <= 0:
		return names.DeviceToHost
	}
	return names.NoDirection
}

// rawKey returns bytes and a number that differ if the key cells differ. If the
// key is contiguous, and perhaps one short cell elsewhere (the SIMD width), the
// bytes are taken directly from the file.
func (a *adder) rawKey(r *scan.Row, dir string) (raw []byte, rest uint64) {
	if len(dir) > 0 {
		rest = uint64(dir[0]) << 56
	}
	runs := a.h.runs
	if !r.Whole() || len(runs) > 2 || len(runs) == 2 && runs[1][0] != runs[1][1] {
		return a.longKey(r), rest
	}
	short := uint64(1) << 48
	if len(runs) == 2 {
		x, n := r.Tail(runs[1][0])
		if n > 4 {
			return a.longKey(r), rest
		}
		short = uint64(n+2)<<48 | x>>1>>(63-8*n)
	}
	return r.RawRun(runs[0][0], runs[0][1]), rest | short
}

// longKey returns a key's concatenated cells.
func (a *adder) longKey(r *scan.Row) []byte {
	key := a.key[:0]
	for _, q := range a.h.key {
		cell := r.Cell(a.h.col[q].index)
		key = append(key, cell...)
		// The length after each cell keeps different keys different.
		key = append(key, byte(len(cell)), byte(len(cell)>>8), byte(len(cell)>>16))
	}
	a.key = key
	return key
}

// unknown reports whether a cell is empty or contains VTune's text for an
// unknown value.
func unknown(b []byte) bool {
	b = bytes.TrimSpace(b)
	return len(b) == 0 || string(b) == "[Unknown]"
}

// cell returns a column's text, or nil if the column is missing.
func (a *adder) cell(r *scan.Row, q quantity) []byte {
	if !a.h.col[q].there {
		return nil
	}
	return r.Cell(a.h.col[q].index)
}

// entry returns a new entry for a key.
func (a *adder) entry(r *scan.Row, dir string) (*entry, *problem) {
	c := &a.h.col[task]
	name := r.Cell(c.index)
	if r.Long(c.index) {
		return nil, &problem{index: c.index, text: fmt.Sprintf("%q is longer than %d bytes; expected the name of a "+
			"computing task, not %s",
			c.name, scan.MaxCell, shorten(name)), hint: "a quote may be missing its other half"}
	}
	if len(bytes.TrimSpace(name)) == 0 {
		return nil, &problem{index: c.index, text: fmt.Sprintf("%q is empty; expected the name of a computing task",
			c.name), hint: correctHint}
	}
	e := &entry{sums: &sums{spill: none}}
	if n := len(a.h.counters); n > 0 {
		e.counters.sums = make([]wide, n)
	}
	line := r.Line()
	e.Task, e.Direction = a.clean(name, line), dir
	var p *problem
	if e.Global, p = a.size(r, global); p != nil {
		return nil, p
	}
	if e.Local, p = a.size(r, local); p != nil {
		return nil, p
	}
	if b := bytes.TrimSpace(a.cell(r, simd)); !unknown(b) {
		n, ok := a.read(b, a.h.col[simd].index, a.h.col[simd].name, countForm)
		if !ok || n < 1 || n > 1<<20 {
			return nil, a.wrong(simd, b, false, false)
		}
		e.SIMD = int(n)
	}
	e.Device = a.clean(bytes.TrimSpace(a.cell(r, device)), line)
	if s := a.clean(bytes.TrimSpace(a.cell(r, stack)), line); !unknown([]byte(s)) {
		if strings.Trim(s, "0123456789") == "" {
			s = "stack " + s
		}
		e.Device, e.oneStack = strings.TrimSpace(e.Device+" "+s), true
	}
	return e, nil
}

func (a *adder) size(r *scan.Row, q quantity) (ingest.Size3, *problem) {
	b := a.cell(r, q)
	if unknown(b) {
		return ingest.Size3{}, nil
	}
	c := &a.h.col[q]
	text, ok := a.plainSize(b, c)
	// A size with many digits belongs to another column. The message shows only
	// its beginning.
	if !ok || len(b) > 200 {
		return ingest.Size3{}, &problem{index: c.index, text: fmt.Sprintf("%q is %s; expected one to three numbers as "+
			"in 512 x 512", c.name, shorten(b)), hint: correctHint}
	}
	s, err := unit.ParseSize(text)
	if err != nil {
		return s, &problem{index: c.index, text: fmt.Sprintf("%q: %v", c.name, err), hint: correctHint}
	}
	return s, nil
}

// plainSize returns a size without thousands separators. VTune separates
// dimensions with " x " and never with a comma: "57,344" has one dimension.
func (a *adder) plainSize(b []byte, c *column) (plain string, ok bool) {
	text := string(b)
	if !strings.ContainsAny(text, ",.'\u00a0\u202f\u2009\u2019\ufffd") {
		return text, true
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("xX*\u00d7", r) })
	for i, p := range parts {
		n, ok := a.read([]byte(strings.TrimSpace(p)), c.index, c.name, countForm)
		if !ok {
			return "", false
		}
		parts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(parts, "x"), true
}

// clean returns a name as valid text. It adds a note if it changed the name.
func (a *adder) clean(b []byte, line int) string {
	if utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 {
		return string(b)
	}
	a.first(codeInvalid, note.Warningf(codeInvalid, note.Pos{File: a.h.pos.File, Line: line},
		"the file may be damaged or in another encoding: export it again",
		"a name contains bytes that are not UTF-8 text, here and perhaps below; they are shown as \ufffd"))
	return strings.ReplaceAll(strings.ToValidUTF8(string(b), "\ufffd"), "\x00", "\ufffd")
}
