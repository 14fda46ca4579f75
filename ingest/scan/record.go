package scan

import "slices"

// The byte machine's states.
const (
	fieldStart  uint8 = iota
	inPlain           // in a field that did not begin with a quote
	inQuotes          // in a quoted field
	afterQuote        // after a quote in a quoted field: the field's end, or half of ""
	afterReturn       // after a quote and \r: the record's end if \n follows
)

// A cell is a selected cell: its position in data and in the file.
type cell struct {
	start, end   uint32
	line, column int
	long         bool
}

// A record assembles one record from any number of pieces, byte by byte. It
// defines what a record means and reads the records that cross a block's end.
// All other records are read from the masks (worker.rows), which is much
// faster.
type record struct {
	delim   byte
	sel     []int // selected columns, ascending
	columns int   // header columns, to detect a cell without a column
	onField func(column int, text []byte)

	state    uint8
	keep     bool   // the current field is selected
	blank    bool   // the record contains nothing but a line end so far
	extra    bool   // a cell beyond the header's columns is not empty
	column   int    // the current field's index
	k        int    // the next selected column's index in sel
	fields   int    // field count, once the record is complete
	cells    []cell // cells in the columns of sel
	data     []byte // the cells' text, each followed by one byte
	buf      []byte // rowOf's buffer
	ends     []uint32
	start    int // index in data at which the current field begins
	over     int // the field's bytes beyond MaxCell
	line     int // line on which the record begins
	curLine  int
	curCol   int // the next byte's column in the line, from 1
	at       cell
	quoteAt  [2]int // the last opening quote's line and column
	returned bool   // the current plain field's last byte is \r
	unended  bool   // see Row.Unended
}

func newRecord(delim byte, sel []int, columns int) *record {
	return &record{delim: delim, sel: sel, columns: columns, cells: make([]cell, len(sel)), curCol: 1}
}

// begin starts a new record at a line's beginning.
func (r *record) begin(line int) {
	r.line, r.curLine, r.curCol = line, line, 1
	r.state, r.blank, r.extra, r.unended = fieldStart, true, false, false
	r.column, r.k, r.fields = 0, 0, 0
	r.data = r.data[:0]
	clear(r.cells)
	r.field()
}

// started reports whether a byte was read.
func (r *record) started() bool { return r.state != fieldStart || r.column > 0 }

// open reports whether the record is inside quotes.
func (r *record) open() bool { return r.state == inQuotes }

// field starts the next field.
func (r *record) field() {
	r.keep = r.onField != nil || (r.k < len(r.sel) && r.sel[r.k] == r.column)
	r.start, r.over, r.returned = len(r.data), 0, false
	r.at.line, r.at.column = r.curLine, r.curCol
}

// put adds a byte to the current field.
func (r *record) put(b byte) {
	r.returned = b == '\r'
	if r.column >= r.columns && b != '\r' && b != '"' && b != r.delim {
		r.extra = true
	}
	if !r.keep {
		return
	}
	if len(r.data)-r.start >= MaxCell {
		r.over++
		return
	}
	r.data = append(r.data, b)
}

// unput removes the last byte, which is a \r.
func (r *record) unput() {
	r.returned = false
	switch {
	case !r.keep:
	case r.over > 0:
		r.over--
	default:
		r.data = r.data[:len(r.data)-1]
	}
}

// end finishes the current field.
func (r *record) end() {
	switch {
	case r.blank:
	case r.onField != nil:
		r.onField(r.column, r.data)
		r.data = r.data[:0]
	case r.keep:
		r.cells[r.k] = cell{uint32(r.start), uint32(len(r.data)), r.at.line, r.at.column, r.over > 0}
		r.data = append(r.data, r.delim)
		r.k++
	}
	r.column++
}

// feed reads bytes up to the record's end. It returns how many bytes it used,
// and reports whether the record is complete.
func (r *record) feed(b []byte) (used int, done bool) {
	for i, c := range b {
		switch r.state {
		case fieldStart, inPlain:
			done = r.plain(c)
		case inQuotes:
			r.quoted(c)
		default:
			done = r.closing(c)
		}
		if c == '\n' {
			r.curLine++
			r.curCol = 1
		} else {
			r.curCol++
		}
		if done {
			r.fields = r.column
			return i + 1, true
		}
		if r.state == fieldStart {
			r.field()
		}
	}
	return len(b), false
}

func (r *record) plain(c byte) (done bool) {
	switch {
	case c == '\n':
		if r.returned {
			r.unput()
		}
		r.end()
		return true
	case c == r.delim:
		r.blank = false
		r.end()
		r.state = fieldStart
	case c == '"' && r.state == fieldStart:
		r.blank = false
		r.quoteAt = [2]int{r.curLine, r.curCol}
		r.state = inQuotes
	default:
		if c != '\r' || r.state == inPlain {
			r.blank = false
		}
		r.state = inPlain
		r.put(c)
	}
	return false
}

func (r *record) quoted(c byte) {
	switch {
	case c == '"':
		r.state = afterQuote
	case c == '\n' && r.returned:
		r.unput()
		r.put(c)
	default:
		r.put(c)
	}
}

func (r *record) closing(c byte) (done bool) {
	switch {
	case c == '\n':
		r.end()
		return true
	case r.state == afterReturn:
		r.put('"')
		r.put('\r')
		r.state = inQuotes
		r.quoted(c)
	case c == '"':
		r.put('"')
		r.state = inQuotes
	case c == r.delim:
		r.end()
		r.state = fieldStart
	case c == '\r':
		r.state = afterReturn
	default:
		r.put('"')
		r.put(c)
		r.state = inQuotes
	}
	return false
}

// rowOf returns a complete record's text and its column ends, in the same form
// as Row. Columns that the record does not have are empty.
func (r *record) rowOf() (buf []byte, ends []uint32) {
	r.ends = r.ends[:0]
	for k, c := range r.cells {
		if k >= r.k {
			c.start, c.end = uint32(len(r.data)), uint32(len(r.data))
			r.data = append(r.data, r.delim)
		}
		for len(r.ends) <= r.sel[k] {
			r.ends = append(r.ends, 0)
		}
		r.ends[r.sel[k]] = c.start - 1
		r.ends = append(r.ends, c.end)
	}
	r.buf = append(append(r.buf[:0], make([]byte, lead)...), r.data...)
	return r.buf, r.ends
}

// cell returns a selected column's cell.
func (r *record) cell(column int) cell {
	k, _ := slices.BinarySearch(r.sel, column)
	return r.cells[k]
}

// finish ends the record at the input's end. It returns false if the record is
// empty.
func (r *record) finish() bool {
	if !r.started() {
		return false
	}
	returned := r.state == inPlain && r.returned
	if returned {
		r.unput()
	}
	if r.blank {
		return false
	}
	open := r.open()
	r.unended = r.state == fieldStart || r.state == inPlain && !returned
	r.end()
	r.fields = r.column
	if !open {
		r.state = fieldStart
	}
	return true
}
