package scan

import "golang.org/x/sys/cpu"

// masksAVX2 returns the newline count after computing masks for 64-byte words.
//
//go:noescape
func masksAVX2(buf *byte, words int, delim byte, ends, lines, quotes *uint64) (newlines int)

// bestMasks returns the newline count after computing a chunk's masks, with
// AVX2 if the machine supports it.
func bestMasks(c *chunk, delim byte) int {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasPOPCNT {
		return plainMasks(c, delim)
	}
	return masksAVX2(&c.buf[0], c.words(), delim, &c.ends[0], &c.lines[0], &c.quotes[0])
}

// fieldsAVX512 stores the field ends for the record at from, and returns their
// number. The masks begin with the record's word. It writes up to 64 entries
// after the last one.
//
//go:noescape
func fieldsAVX512(ends, lines *uint64, from int, to *uint32) (n int)

var hasAVX512 = cpu.X86.HasAVX512VBMI2 && cpu.X86.HasPOPCNT && cpu.X86.HasBMI1

// bestFields stores a record's field ends, with AVX-512 if the machine supports
// it, and returns their number.
func bestFields(c *chunk, from int, to []uint32) int {
	if !hasAVX512 {
		return plainFields(c, from, to)
	}
	word := from >> 6
	return fieldsAVX512(&c.ends[word], &c.lines[word], from, &to[0])
}
