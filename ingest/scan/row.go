package scan

import (
	"bytes"
	"encoding/binary"
)

// Row is a record as a Handler sees it. It and its cells are valid until the
// Handler returns.
type Row struct {
	Fields int  // how many fields the record has
	Extra  bool // it has more than the header, and one of those is not empty
	Open   bool // the input ended inside a quote that opened at QuoteLine, QuoteColumn
	// Unended reports that the input ended after a field without quotes, so
	// that the field may be cut.
	Unended bool

	QuoteLine, QuoteColumn int

	buf     []byte   // lead bytes of anything before the text
	ends    []uint32 // in the text: where each column ends, from 1 on; the next begins a byte behind. 0: a byte before the record
	chunk   *chunk   // nil: the record was put together by rec
	rec     *record
	scratch []byte
}

// raw returns the bytes of a column as they are in the file.
func (r *Row) raw(column int) []byte { return r.RawRun(column, column) }

// Cell returns the text of a selected column, unquoted; it is empty when the
// record has no such field.
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

// Whole states that the record lies in one block, so that RawRun has its bytes.
func (r *Row) Whole() bool { return r.chunk != nil }

// RawRun returns the bytes from the beginning of one column to the end of
// another, when the record is Whole.
func (r *Row) RawRun(first, last int) []byte {
	return r.buf[lead+r.ends[first]+1 : lead+r.ends[last+1]]
}

// lead is how many bytes are before the text of a row, so that the last of
// every cell can be looked at all at once.
const lead = 16

// Tail returns the length of a cell as it is in the file, and its last
// eight bytes, the last one in the highest byte. Of a shorter cell the lower
// bytes are anything.
func (r *Row) Tail(column int) (last uint64, length int) {
	end := int(r.ends[column+1]) // as an int, of which the compiler knows that it does not overflow here
	return binary.LittleEndian.Uint64(r.buf[end+8 : end+lead : end+lead]), end - int(r.ends[column]+1)
}

// LongTail is Tail with the eight bytes before those.
func (r *Row) LongTail(column int) (before, last uint64, length int) {
	end := int(r.ends[column+1])
	b := r.buf[end : end+lead : end+lead]
	return binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), end - int(r.ends[column]+1)
}

// Long states that a cell is longer than MaxCell, so that Cell gives its
// beginning only.
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

// unquote undoes what quoting does to the text between the quotes.
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

// Position returns the physical line of a cell and the byte of that line, from
// 1, at which it begins; 0, 0 when the record has no such field.
func (r *Row) Position(column int) (line, at int) {
	if r.chunk == nil {
		c := r.rec.cell(column)
		return c.line, c.column
	}
	p := int(r.ends[column] + 1)
	return r.chunk.lineOf(p), r.chunk.columnOf(p)
}
