package ingest

import (
	"encoding/binary"
	"math"
	"math/bits"
)

const blockRows = 1 << 8

// block holds the rows of a list from one multiple of blockRows to the next. Of the numbers that are not the same in
// all of them, a row has a record with as few bytes for each as the largest takes.
type block struct {
	n       int
	same    [numbers]uint64 // the numbers of the first row
	columns [numbers]column
	width   int    // of a record, in bytes
	records []byte // and spare bytes behind them, so that any number can be read with the seven that follow it
}

// column is where in a record a number is, and how it is written there.
type column struct {
	place, size uint8 // in bytes; none while all rows have the number of the first
	raw         bool  // as it is, because a row has one that cannot be packed
}

const spare = 8

// packing is how the numbers of a column become small ones.
type packing uint8

const (
	asItIs     packing = iota
	sinceFirst         // by how much it is above that of the first row
	shares             // as tenths of a percent
	times              // in nanoseconds
)

var packings = [numbers]packing{numberLine: sinceFirst, numberTotal: times, numberMean: times, numberMeasured: shares,
	numberActive: shares, numberStalled: shares, numberIdle: shares, numberBarrierStall: shares}

// tenths are the shares of so many tenths of a percent: reading them is faster than dividing.
var tenths = func() (list [1 << 10]uint64) {
	for i := range list {
		list[i] = math.Float64bits(float64(i) / 10 / 100)
	}
	return list
}()

// pack makes a small number of a number; false where unpack would not give that back.
func (p packing) pack(v, first uint64) (code uint64, ok bool) {
	switch p {
	case sinceFirst:
		return v - first, v >= first
	case shares:
		code = uint64(int64(math.Round(math.Float64frombits(v) * 1000)))
		return code, code < uint64(len(tenths)) && tenths[code] == v
	case times:
		f := math.Round(math.Float64frombits(v) * 1e9)
		if !(f >= 0 && f < 1<<53) {
			return 0, false
		}
		code = uint64(f)
		return code, math.Float64bits(f/1e9) == v
	}
	return v, true
}

func (p packing) unpack(code, first uint64) uint64 {
	switch p {
	case sinceFirst:
		return first + code
	case shares:
		return tenths[code]
	case times:
		return math.Float64bits(float64(code) / 1e9)
	}
	return code
}

// number gives one number of a row.
func (b *block) number(at, c int) uint64 {
	col := &b.columns[c]
	if col.size == 0 {
		return b.same[c]
	}
	code := binary.LittleEndian.Uint64(b.records[at*b.width+int(col.place):]) & col.mask()
	if col.raw {
		return code
	}
	return packings[c].unpack(code, b.same[c])
}

// get fills in the numbers of a row.
func (b *block) get(at int, v *[numbers]uint64) {
	*v = b.same
	record := b.records[at*b.width : (at+1)*b.width+spare]
	for c := range b.columns {
		col := &b.columns[c]
		if col.size == 0 {
			continue
		}
		code := binary.LittleEndian.Uint64(record[col.place:]) & col.mask()
		if !col.raw {
			code = packings[c].unpack(code, b.same[c])
		}
		v[c] = code
	}
}

func (c *column) mask() uint64 { return math.MaxUint64 >> ((64 - 8*c.size) & 63) }

// set replaces a row, or adds one behind the last.
func (b *block) set(at int, v *[numbers]uint64) {
	if b.n == 0 {
		b.same = *v
	}
	columns, wider := b.columns, false
	for c := range v {
		wider = columns[c].admit(v[c], b.same[c], packings[c]) || wider
	}
	if wider {
		b.rewrite(columns)
	}
	if at == b.n {
		b.grow()
		b.n++
	}
	b.put(at, v)
}

// admit makes room for a number, and says whether there was too little.
func (c *column) admit(v, first uint64, p packing) bool {
	if c.raw || c.size == 0 && v == first {
		return false
	}
	code, ok := p.pack(v, first)
	if ok && c.size == 0 { // the rows so far have the number of the first
		var least uint64
		least, ok = p.pack(first, first)
		code |= least
	}
	if !ok {
		c.raw, c.size = true, 8
		return true
	}
	size := uint8(max(bits.Len64(code)+7, 8) / 8)
	if size <= c.size {
		return false
	}
	c.size = size
	return true
}

// rewrite writes the records anew, in columns that take more.
func (b *block) rewrite(columns [numbers]column) {
	width := 0
	for c := range columns {
		columns[c].place = uint8(width)
		width += int(columns[c].size)
	}
	to := block{n: b.n, same: b.same, columns: columns, width: width}
	to.records = make([]byte, to.capacity()*width+spare)
	var v [numbers]uint64
	for i := range b.n {
		b.get(i, &v)
		to.put(i, &v)
	}
	*b = to
}

// capacity is how many rows the records have room for when they are made anew.
func (b *block) capacity() int { return min(max(8, 2*b.n), blockRows) }

// grow makes room for another row.
func (b *block) grow() {
	if need := (b.n+1)*b.width + spare; need > len(b.records) {
		records := make([]byte, b.capacity()*b.width+spare)
		copy(records, b.records)
		b.records = records
	}
}

// put writes the numbers of a row for which there is room.
func (b *block) put(at int, v *[numbers]uint64) {
	for c := range v {
		col := &b.columns[c]
		if col.size == 0 {
			continue
		}
		code := v[c]
		if !col.raw {
			code, _ = packings[c].pack(code, b.same[c])
		}
		to := b.records[at*b.width+int(col.place):]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(to)&^col.mask()|code)
	}
}
