package ingest

import (
	"hash/maphash"
	"math/bits"
)

// interner numbers different values in the order in which they are first met. It holds each once, and finds them by
// open addressing. A map was tried and left: it is 19 lines shorter and holds each value again, so that half a million
// names take 165 bytes each where they take 73.
type interner[T comparable] struct {
	n      int
	blocks []*[internBlock]T
	table  []uint32 // one more than a number, 0 where free
	seed   maphash.Seed
	last   uint32 // the number given last: neighbors are often alike
}

const internBlock = 1 << 5

func (t *interner[T]) value(number uint32) *T {
	return &t.blocks[number/internBlock][number%internBlock]
}

func (t *interner[T]) number(v T) uint32 {
	if t.n > 0 && *t.value(t.last) == v {
		return t.last
	}
	if t.n*2 >= len(t.table) {
		t.grow()
	}
	at := t.slot(v)
	if t.table[at] == 0 {
		if t.n == len(t.blocks)*internBlock {
			t.blocks = append(t.blocks, new([internBlock]T))
		}
		*t.value(uint32(t.n)) = v
		t.n++
		t.table[at] = uint32(t.n)
	}
	t.last = t.table[at] - 1
	return t.last
}

// slot gives the place of a value in the table, or the free one where it belongs.
func (t *interner[T]) slot(v T) int {
	mask := len(t.table) - 1
	at := int(maphash.Comparable(t.seed, v)) & mask
	for t.table[at] > 0 && *t.value(t.table[at] - 1) != v {
		at = (at + 1) & mask
	}
	return at
}

func (t *interner[T]) grow() {
	if t.table == nil {
		t.seed = maphash.MakeSeed()
	}
	t.table = make([]uint32, max(16, 2<<bits.Len(uint(t.n))))
	for i := range uint32(t.n) {
		t.table[t.slot(*t.value(i))] = i + 1
	}
}

// renumbering hands out new numbers in the order in which the old ones are asked for.
type renumbering struct {
	to []uint32 // one more than the new number of each old one, 0 while it has none
	n  uint32
}

// number gives the new number, and whether it is asked for the first time.
func (r *renumbering) number(old uint32) (number uint32, first bool) {
	if r.to[old] == 0 {
		r.n++
		r.to[old], first = r.n, true
	}
	return r.to[old] - 1, first
}

// arrange moves each value to its new number, all of which are known; r is used up by it. The table is made again when
// a value is looked for.
func (t *interner[T]) arrange(r *renumbering) {
	for i := range r.to {
		if r.to[i] == 0 {
			continue
		}
		held, to := *t.value(uint32(i)), r.to[i]-1
		r.to[i] = 0
		for int(to) != i {
			*t.value(to), held = held, *t.value(to)
			to, r.to[to] = r.to[to]-1, 0
		}
		*t.value(to) = held
	}
	t.table, t.last = nil, 0
}
