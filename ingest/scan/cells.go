package scan

import "math/bits"

// rows gives the handler the records from one offset to another, all complete.
func (w *worker) rows(from, to int) {
	c, r := w.chunk, &w.row
	r.chunk, r.rec, r.buf = c, nil, c.buf
	for from < to {
		word := from >> 6
		low := ^uint64(0) << (from & 63)
		ends, lines := c.ends[word]&low, c.lines[word]&low
		first, n := ends, 0
		for lines == 0 {
			n += bits.OnesCount64(ends)
			word++
			ends, lines = c.ends[word], c.lines[word]
		}
		n += bits.OnesCount64(ends & (lines ^ (lines - 1))) // up to the newline
		next := word<<6 + bits.TrailingZeros64(lines) + 1
		end := next - 1
		if end > from && c.buf[end-1] == '\r' {
			end--
		}
		if end > from || n > 1 {
			r.start, r.Fields, r.Extra = from, n, false
			r.scratch = r.scratch[:0]
			switch {
			case n < w.need:
				w.fewCells(from, end)
			case n == w.columns && len(w.tail) > 0:
				w.cells(from, end, first, w.front)
				w.cellsFromEnd(next - 1)
			default:
				w.cells(from, end, first, w.runs)
			}
			if n > w.columns {
				r.Extra = w.extra(from, end)
			}
			w.handler.Row(r)
		}
		from = next
	}
}

// run is a number of selected columns side by side, and how many columns to pass over before them.
type run struct{ skip, count int }

func runs(sel []int) (rs []run) {
	for i, s := range sel {
		switch {
		case i == 0:
			rs = append(rs, run{s, 1})
		case s == sel[i-1]+1:
			rs[len(rs)-1].count++
		default:
			rs = append(rs, run{s - sel[i-1] - 1, 1})
		}
	}
	return rs
}

// cells finds the selected cells of the record at from, which has them all; ends is the rest of its first word.
func (w *worker) cells(from, end int, ends uint64, runs []run) {
	masks, spans := w.chunk.ends, w.row.spans
	word := from >> 6
	for _, run := range runs {
		if skip := run.skip; skip > 0 {
			n := bits.OnesCount64(ends)
			for skip > n {
				skip -= n
				word++
				ends = masks[word]
				n = bits.OnesCount64(ends)
			}
			for ; skip > 1; skip-- {
				ends &= ends - 1
			}
			from = word<<6 + bits.TrailingZeros64(ends) + 1
			ends &= ends - 1
		}
		now := spans[:run.count]
		for i := range now {
			for ends == 0 {
				word++
				ends = masks[word]
			}
			stop := word<<6 + bits.TrailingZeros64(ends)
			now[i] = span{int32(from), int32(stop)}
			from = stop + 1
			ends &= ends - 1
		}
		spans = spans[run.count:]
	}
	if n := len(w.row.spans); n > 0 { // the last field may have ended in \r\n
		last := &w.row.spans[n-1]
		last.end = min(last.end, int32(end))
	}
}

// cellsFromEnd finds the last selected cells of a record of all columns backwards from its newline.
func (w *worker) cellsFromEnd(stop int) {
	c, k := w.chunk, len(w.sel)
	for _, run := range w.tail {
		for range run.skip {
			stop = c.lastEnd(stop)
		}
		for range run.count {
			start := c.lastEnd(stop)
			k--
			w.row.spans[k] = span{int32(start + 1), int32(stop)}
			stop = start
		}
	}
}

// fewCells is cells of a record that lacks fields.
func (w *worker) fewCells(from, end int) {
	k, start := 0, from
	for column := 0; column < w.row.Fields && k < len(w.sel); column++ {
		stop := min(w.chunk.nextEnd(start), end)
		if w.sel[k] == column {
			w.row.spans[k] = span{int32(start), int32(stop)}
			k++
		}
		start = stop + 1
	}
	clear(w.row.spans[k:])
}

// extra says whether the record has text beyond the header's columns.
func (w *worker) extra(from, end int) bool {
	for range w.columns {
		from = w.chunk.nextEnd(from) + 1
	}
	for _, b := range w.chunk.buf[from:end] {
		if b != w.delim && b != '"' && b != '\r' {
			return true
		}
	}
	return false
}
