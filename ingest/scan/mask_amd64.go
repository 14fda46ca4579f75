package scan

import "golang.org/x/sys/cpu"

// masksAVX2 computes the masks of words of 64 bytes each and counts the
// newlines.
//
//go:noescape
func masksAVX2(buf *byte, words int, delim byte, ends, lines, quotes *uint64) (newlines int)

// bestMasks computes the masks of a chunk with AVX2 where the machine has it.
func bestMasks(c *chunk, delim byte) int {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasPOPCNT {
		return plainMasks(c, delim)
	}
	return masksAVX2(&c.buf[0], c.words(), delim, &c.ends[0], &c.lines[0], &c.quotes[0])
}

// fieldsAVX512 finds the ends of the fields of the record at from in masks that
// begin with its word. It writes up to 64 beyond the last.
//
//go:noescape
func fieldsAVX512(ends, lines *uint64, from int, to *uint32) (n int)

var hasAVX512 = cpu.X86.HasAVX512VBMI2 && cpu.X86.HasPOPCNT && cpu.X86.HasBMI1

// bestFields finds the ends of a record's fields with AVX-512 where the machine
// has it.
func bestFields(c *chunk, from int, to []uint32) int {
	if !hasAVX512 {
		return plainFields(c, from, to)
	}
	word := from >> 6
	return fieldsAVX512(&c.ends[word], &c.lines[word], from, &to[0])
}
