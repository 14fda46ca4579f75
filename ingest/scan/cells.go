package scan

import "math/bits"

// rows passes the complete records between two offsets to the handler.
func (w *worker) rows(from, to int) {
	c, r := w.chunk, &w.row
	fields := bestFields
	if w.opt.plain {
		fields = plainFields
	}
	for from < to {
		w.ends[0] = uint32(from - 1)
		n := fields(c, from, w.ends[1:])
		stop := int(w.ends[n])
		end := stop
		if end > from && c.buf[end-1] == '\r' {
			end--
		}
		switch {
		case end == from && n == 1: // empty except for the line end
		case n < w.columns:
			w.spare.begin(c.lineOf(from))
			w.spare.feed(c.buf[from : stop+1])
			deliver(w.handler, r, w.spare)
		default:
			r.chunk, r.rec, r.buf, r.ends = c, nil, c.padded, w.ends
			r.Fields, r.Extra = n, n > w.columns && w.extra(end)
			r.ends[n] = uint32(end)
			r.scratch = r.scratch[:0]
			w.handler.Row(r)
		}
		from = stop + 1
	}
}

// plainFields stores the offsets at which the complete record's fields end,
// starting at from. It returns their number. It runs on any machine.
func plainFields(c *chunk, from int, to []uint32) (n int) {
	word := from >> 6
	before := ^uint64(0) << (from & 63)
	ends, lines := c.ends[word]&before, c.lines[word]&before
	for {
		// The loop visits the bits up to the first newline, or all bits if
		// there is none.
		for bit := ends & (lines ^ (lines - 1)); bit != 0; bit &= bit - 1 {
			to[n] = uint32(word<<6 | bits.TrailingZeros64(bit))
			n++
		}
		if lines != 0 {
			return n
		}
		word++
		ends, lines = c.ends[word], c.lines[word]
	}
}

// extra reports whether the record that ends at end has text beyond the
// header's columns.
func (w *worker) extra(end int) bool {
	for _, b := range w.chunk.buf[w.ends[w.columns]+1 : end] {
		if b != w.delim && b != '"' && b != '\r' {
			return true
		}
	}
	return false
}
