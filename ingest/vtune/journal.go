package vtune

import "encoding/binary"

// journal keeps the rows of a worker when every launch is wanted: a few bytes for each number instead of the hundreds
// that a Kernel takes.
// Lines are kept as differences and numbers in as few bytes as they need: about a tenth of a Kernel in memory.
type journal struct {
	fields  []field // of every number column
	blocks  [][]byte
	line    int // of the last row
	entries map[*entry]uint64
	list    []*entry
}

// journalBlock is how much is allocated at once, and let go at once when it has been read.
const journalBlock = 64 << 10

// launch is a row that was kept.
type launch struct {
	kernel int // its number in the file
	line   int
	v      values
}

// put adds a row; rows come by line.
func (j *journal) put(e *entry, line int, v *values) {
	n := len(j.blocks) - 1
	if n < 0 || cap(j.blocks[n])-len(j.blocks[n]) < (2+len(j.fields))*binary.MaxVarintLen64 {
		j.blocks = append(j.blocks, make([]byte, 0, journalBlock))
		n++
	}
	id, known := j.entries[e]
	if !known {
		if j.entries == nil {
			j.entries = map[*entry]uint64{}
		}
		id = uint64(len(j.list))
		j.entries[e] = id
		j.list = append(j.list, e)
	}
	b := binary.AppendUvarint(j.blocks[n], uint64(line-j.line))
	j.line = line
	b = binary.AppendUvarint(b, id)
	j.blocks[n] = packValues(b, j.fields, v)
}

// packValues appends the numbers of a row.
func packValues(b []byte, fields []field, v *values) []byte {
	for _, f := range fields {
		b = binary.AppendUvarint(b, pack(v[f.q]))
	}
	return b
}

// unpackValues reads what packValues appended, and gives what follows it.
func unpackValues(b []byte, fields []field, v *values) []byte {
	for _, f := range fields {
		u, n := binary.Uvarint(b)
		v[f.q], b = unpack(u), b[n:]
	}
	return b
}

// pack makes small numbers of what rows hold: none, counts, and shares and times of one decimal place.
// The lowest bit says which form follows, so that none is 0 and a percentage takes two bytes instead of six.
func pack(v int64) uint64 {
	switch {
	case v == none:
		return 0
	case v%tenth == 0:
		return uint64(v/tenth)<<1 + 2
	}
	return uint64(v)<<1 | 1
}

func unpack(u uint64) int64 {
	switch {
	case u == 0:
		return none
	case u&1 == 0:
		return int64(u/2-1) * tenth
	}
	return int64(u >> 1)
}

// reader gives the rows of a journal back, and lets go of what was read.
type reader struct {
	*journal
	kernels []int // of journal.list
	rest    []byte
	next    launch
	more    bool
}

// kernels are the numbers of its entries.
func (j *journal) read(kernels []int) *reader {
	r := &reader{journal: j, kernels: kernels}
	j.line = 0
	r.advance()
	return r
}

// advance makes the next row the current one.
func (r *reader) advance() {
	if len(r.rest) == 0 {
		if r.more = len(r.blocks) > 0; !r.more {
			return
		}
		// What was read is let go, while the kernels that are made of it grow.
		r.rest, r.blocks[0] = r.blocks[0], nil
		r.blocks = r.blocks[1:]
	}
	r.more = true
	r.line += int(r.number())
	r.next.line = r.line
	r.next.kernel = r.kernels[r.number()]
	r.next.v = noValues()
	r.rest = unpackValues(r.rest, r.fields, &r.next.v)
}

func (r *reader) number() uint64 {
	u, n := binary.Uvarint(r.rest)
	r.rest = r.rest[n:]
	return u
}
