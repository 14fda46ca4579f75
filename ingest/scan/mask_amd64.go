package scan

import "golang.org/x/sys/cpu"

// masksAVX2 computes the masks of words of 64 bytes each and counts the newlines.
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
