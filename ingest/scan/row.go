package scan

import (
	"bytes"
	"encoding/binary"
)

// A Row is one record for a Handler. The Row and its cells are valid until the
// Handler returns.
type Row struct {
	Fields int // fields in the record
	// Extra reports that the record has more fields than the header, and that
	// any additional field is not empty.
	Extra bool
	// Open reports that the input ended inside a quote, which opened at
	// QuoteLine and QuoteColumn.
	Open bool
	// Unended reports that the input ended after a field without quotes, so
	// that the field may be truncated.
	Unended bool

	QuoteLine, QuoteColumn int

	buf []byte // lead unused bytes, then the text
	// ends are the offsets in the text at which the columns end, starting with
	// ends[1]. The next column begins one byte later. ends[0] is the byte
	// before the record.
	ends    []uint32
	chunk   *chunk // nil if rec assembled the record
	rec     *record
	scratch []byte
}

// raw returns a column's bytes as they are in the file.
func (r *Row) raw(column int) []byte { return r.RawRun(column, column) }

// Cell returns a selected column's unquoted text. It is empty if the record
// does not have the field.
func (r *Row) Cell(column int) []byte {
	b := r.raw(column)
	if len(b) > 1 && b[0] == '"' && r.chunk != nil {
		b = r.unquote(b[1 : len(b)-1])
	}
	if len(b) > MaxCell {
		b = b[:MaxCell]
	}
	return b
}

// Whole reports whether the record is inside one block, so that RawRun can
// return its bytes.
func (r *Row) Whole() bool { return r.chunk != nil }

// RawRun returns the bytes from one column's beginning to another's end. The
// record must be Whole.
func (r *Row) RawRun(first, last int) []byte {
	return r.buf[lead+r.ends[first]+1 : lead+r.ends[last+1]]
}

// lead is the number of bytes before a row's text. It allows reading any cell's
// last 16 bytes at once.
const lead = 16

// Tail returns a cell's last eight bytes as in the file, with the last byte in
// the highest position, and the cell's length. If the cell is shorter, the
// lower bytes are undefined.
func (r *Row) Tail(column int) (last uint64, length int) {
	// end is an int, because the compiler can prove that it does not overflow
	// below.
	end := int(r.ends[column+1])
	return binary.LittleEndian.Uint64(r.buf[end+8 : end+lead : end+lead]), end - int(r.ends[column]+1)
}

// LongTail returns the same as Tail and the eight bytes before the tail.
func (r *Row) LongTail(column int) (before, last uint64, length int) {
	end := int(r.ends[column+1])
	b := r.buf[end : end+lead : end+lead]
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), end - int(r.ends[column]+1)
}

// Long reports whether a cell is longer than MaxCell. Cell then returns only
// its beginning.
func (r *Row) Long(column int) bool {
	if r.chunk == nil {
		return r.rec.cell(column).long
	}
	b := r.raw(column)
	if len(b) > MaxCell && b[0] == '"' {
		b = r.unquote(b[1 : len(b)-1])
	}
	return len(b) > MaxCell
}

// unquote returns the text between two quotes without escapes: "" becomes a
// quote and \r\n becomes \n.
func (r *Row) unquote(b []byte) []byte {
	if bytes.IndexByte(b, '"') < 0 && bytes.IndexByte(b, '\r') < 0 {
		return b
	}
	from := len(r.scratch)
	for i := 0; i < len(b); i++ {
		c := b[i]
		if i+1 < len(b) && (c == '"' && b[i+1] == '"' || c == '\r' && b[i+1] == '\n') {
			i++
			c = b[i]
		}
		r.scratch = append(r.scratch, c)
	}
	return r.scratch[from:len(r.scratch):len(r.scratch)]
}

// Line returns the physical line on which the record begins.
func (r *Row) Line() int {
	if r.chunk == nil {
		return r.rec.line
	}
	return r.chunk.lineOf(int(r.ends[0] + 1))
}

// Position returns a cell's physical line and the byte in that line at which it
// begins, from 1. It returns 0, 0 if the record does not have the field.
func (r *Row) Position(column int) (line, at int) {
	if r.chunk == nil {
		c := r.rec.cell(column)
		return c.line, c.column
	}
	p := int(r.ends[column] + 1)
	return r.chunk.lineOf(p), r.chunk.columnOf(p)
}
