package scan

import (
	"encoding/binary"
	"math/bits"
)

const (
	ones   = 0x0101010101010101
	high   = 0x8080808080808080
	spread = 0x0102040810204080 // moves each byte's lowest bit into the highest byte
)

// plainMasks returns the newline count after computing a chunk's masks, eight
// bytes at a time. It runs on any machine.
func plainMasks(c *chunk, delim byte) (newlines int) {
	d, l, q := uint64(delim)*ones, uint64('\n')*ones, uint64('"')*ones
	for w := range c.words() {
		b := c.buf[w*64 : w*64+64]
		var dm, lm, qm uint64
		for i := 0; i < 8; i++ {
			x := binary.LittleEndian.Uint64(b[i*8:])
			dm |= zeros(x^d) << (8 * i)
			lm |= zeros(x^l) << (8 * i)
			qm |= zeros(x^q) << (8 * i)
		}
		c.ends[w], c.lines[w], c.quotes[w] = dm, lm, qm
		newlines += bits.OnesCount64(lm)
	}
	return newlines
}

// zeros returns one bit per byte in x, which is set if the byte is zero.
func zeros(x uint64) uint64 {
	x = ^((x&^uint64(high) + ^uint64(high)) | x | ^uint64(high))
	return (x >> 7) * spread >> 56
}
