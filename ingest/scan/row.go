package scan

import (
	"bytes"
	"encoding/binary"
)

// Row is a record as a Handler sees it. It and its cells are valid until the Handler returns.
type Row struct {
	Fields int  // how many fields the record has
	Extra  bool // it has more than the header, and one of those is not empty
	Open   bool // the input ended inside a quote that opened at QuoteLine, QuoteColumn

	QuoteLine, QuoteColumn int

	spans   []span
	buf     []byte
	start   int    // offset of the record in buf
	chunk   *chunk // nil: the record was put together by rec
	rec     *record
	scratch []byte
}

type span struct{ start, end int32 }

// Cell gives the text of the selected column i (an index into the columns given to Rows), unquoted; nil when the record
// has no such field, or when it is empty.
func (r *Row) Cell(i int) []byte {
	s := r.spans[i]
	b := r.buf[s.start:s.end]
	if len(b) > 1 && b[0] == '"' && r.chunk != nil {
		b = r.unquote(b[1 : len(b)-1])
	}
	if len(b) > MaxCell {
		b = b[:MaxCell]
	}
	return b
}

// Whole says that the record lies in one block, so that RawRun has its bytes.
func (r *Row) Whole() bool { return r.chunk != nil }

// RawRun gives the bytes from the beginning of the selected column i to the end of j, which must follow it in the file
// without a gap, when the record is Whole.
func (r *Row) RawRun(i, j int) []byte {
	return r.buf[r.spans[i].start:r.spans[j].end]
}

// Tail gives the length of a cell as it stands in the file, and its last eight bytes, the last one in the highest byte.
// Of a shorter cell the lower bytes are anything.
func (r *Row) Tail(i int) (last uint64, length int) {
	s := r.spans[i]
	if s.end < 8 {
		return r.earlyTail(s), int(s.end - s.start)
	}
	return binary.LittleEndian.Uint64(r.buf[s.end-8 : s.end]), int(s.end - s.start)
}

// earlyTail is Tail of a cell in the first bytes of the buffer.
func (r *Row) earlyTail(s span) uint64 {
	var b [8]byte
	copy(b[8-s.end:], r.buf[:s.end])
	return binary.LittleEndian.Uint64(b[:])
}

// quoted says that a cell stands in quotes.
func (r *Row) quoted(i int) bool {
	s := r.spans[i]
	return r.chunk != nil && s.end > s.start && r.buf[s.start] == '"'
}

// Long says that a cell is longer than MaxCell, so that Cell gives its beginning only.
func (r *Row) Long(i int) bool {
	if r.chunk == nil {
		return r.rec.cells[i].long
	}
	s := r.spans[i]
	if s.end-s.start <= MaxCell {
		return false
	}
	if !r.quoted(i) {
		return true
	}
	return len(r.unquote(r.buf[s.start+1:s.end-1])) > MaxCell
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

// Line gives the physical line on which the record begins.
func (r *Row) Line() int {
	if r.chunk == nil {
		return r.rec.line
	}
	return r.chunk.lineOf(r.start)
}

// Position gives the physical line of a cell and the byte of that line, from 1, at which it begins; 0, 0 when the
// record has no such field.
func (r *Row) Position(i int) (line, column int) {
	if r.chunk == nil {
		return r.rec.cells[i].line, r.rec.cells[i].column
	}
	p := int(r.spans[i].start)
	if p == 0 && r.spans[i].end == 0 && i > 0 {
		return 0, 0
	}
	return r.chunk.lineOf(p), r.chunk.columnOf(p)
}
