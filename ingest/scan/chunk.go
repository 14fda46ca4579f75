package scan

import (
	"bytes"
	"math/bits"
)

// A chunk is a block with its masks. Bit i in word w belongs to byte 64w+i.
type chunk struct {
	padded []byte // lead bytes, then buf
	buf    []byte // the block, padded with zeros to a whole word
	n      int    // block size in bytes
	index  int64
	// ends marks the delimiters. After resolve, it marks the delimiters and
	// newlines outside quotes, which are the field ends.
	ends []uint64
	// lines marks the newlines. After resolve, it marks only the newlines
	// outside quotes, which are the record ends.
	lines  []uint64
	quotes []uint64
	// all marks all newlines. It is copied from lines before the first newline
	// inside quotes is cleared.
	all    []uint64
	copied bool
	count  int // newlines in the block
	line   int // the first byte's physical line

	lineAt, lineNo int // lineOf's cursor: the line number at an offset
}

func newChunk(block int) *chunk {
	words := (block + 63) / 64
	m := make([]uint64, 4*words)
	padded := make([]byte, lead+words*64)
	return &chunk{
		padded: padded, buf: padded[lead:],
		ends: m[:words:words], lines: m[words : 2*words : 2*words],
		quotes: m[2*words : 3*words : 3*words], all: m[3*words:],
	}
}

func (c *chunk) bytes() []byte { return c.buf[:c.n] }

// set records that buf contains n bytes of the block with this index.
func (c *chunk) set(index int64, n int) {
	c.index, c.n, c.copied = index, n, false
	clear(c.buf[n : (n+63)&^63])
}

// words returns how many words the block occupies.
func (c *chunk) words() int { return (c.n + 63) / 64 }

// mark computes the masks.
func (c *chunk) mark(delim byte, masks func(*chunk, byte) int) {
	if c.count = 0; c.n == 0 {
		return
	}
	c.count = masks(c, delim)
	if tail := c.n & 63; tail != 0 {
		c.ends[c.words()-1] &= uint64(1)<<tail - 1 // the delimiter may be a zero byte
	}
}

// resolve clears the delimiters and newlines inside quotes, starting at a
// record's beginning, and merges the ones outside quotes into ends. It
// processes one word at a time, without a branch per quote.
//
// last is the offset after the last complete record's newline in this block, or
// from if there is none. ok is false if a quote does not follow RFC 4180: a
// quote opens at a field's beginning, and closes before a delimiter, a newline,
// or the quote that it escapes.
func (c *chunk) resolve(from int) (last int, ok bool) {
	words := c.words()
	allEnds, lines, quotes := c.ends[:words], c.lines[:words], c.quotes[:words]
	mask := ^uint64(0) << (from & 63)
	begins := uint64(1) << (from & 63) // bits after a delimiter, a newline, or a closing quote
	inside := uint64(0)                // all ones inside quotes
	closed := uint64(0)                // 1 if the previous word's last byte is a closing quote
	for w := from >> 6; w < len(quotes); w++ {
		q := quotes[w] & mask
		mask = ^uint64(0)
		in := q ^ q<<1
		in ^= in << 2
		in ^= in << 4
		in ^= in << 8
		in ^= in << 16
		in ^= in << 32
		in ^= inside
		opens, closes := q&in, q&^in
		ends := allEnds[w] | lines[w]
		begin := ends | closes
		if opens&^(begin<<1|begins)|(closes<<1|closed)&^(ends|opens) != 0 {
			return from, false
		}
		begins, closed = begin>>63, closes>>63
		inside = uint64(int64(in) >> 63)
		if lines[w]&in != 0 {
			c.keepLines()
			lines[w] &^= in
		}
		allEnds[w] = ends &^ in
	}
	return c.lastLine(from), true
}

// keepLines copies the newlines before the first newline inside quotes is
// cleared.
func (c *chunk) keepLines() {
	if !c.copied {
		copy(c.all[:c.words()], c.lines[:c.words()])
		c.copied = true
	}
}

// lastLine returns the offset after the last newline outside quotes, or from if
// there is none.
func (c *chunk) lastLine(from int) int {
	for w := c.words() - 1; w >= from>>6; w-- {
		if m := c.lines[w]; m != 0 {
			return max(from, w<<6+64-bits.LeadingZeros64(m))
		}
	}
	return from
}

// lineOf returns an offset's physical line. It is fast for ascending offsets.
func (c *chunk) lineOf(p int) int {
	all := c.lines
	if c.copied {
		all = c.all
	}
	if p < c.lineAt {
		c.lineAt, c.lineNo = 0, c.line
	}
	w, n := c.lineAt>>6, c.lineNo
	m := ^uint64(0) << (c.lineAt & 63)
	for ; w < p>>6; w++ {
		n += bits.OnesCount64(all[w] & m)
		m = ^uint64(0)
	}
	if rest := uint(p & 63); rest != 0 {
		n += bits.OnesCount64(all[w] & m & (uint64(1)<<rest - 1))
	}
	c.lineAt, c.lineNo = p, n
	return n
}

// lineAfter returns an offset's physical line. It is fast for an offset near
// the block's end.
func (c *chunk) lineAfter(p int) int {
	all := c.lines
	if c.copied {
		all = c.all
	}
	n := c.line + c.count
	for w := c.words() - 1; w >= p>>6; w-- {
		m := all[w]
		if w == p>>6 {
			m &= ^uint64(0) << (p & 63)
		}
		n -= bits.OnesCount64(m)
	}
	return n
}

// columnOf returns offset p's byte column in its line, from 1. A record that
// begins in the block begins a line.
func (c *chunk) columnOf(p int) int { return p - bytes.LastIndexByte(c.buf[:p], '\n') }
