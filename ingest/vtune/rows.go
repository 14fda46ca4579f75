package vtune

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/bits"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/scan"
	"occudiff/ingest/unit"
)

// shown is how many bad rows get a note of their own.
const shown = 20

// adder is the part of one worker: it gets rows and adds them up by key.
type adder struct {
	h        *header
	instance bool // keep every row

	table   map[rowKey]*entry
	entries []*entry
	key     []byte
	row     *scan.Row

	rows, bad int64
	absent    values // a row without any number
	badNotes  []note.Note
	firsts    map[int]note.Note // the first in the file of what is said once, by its place in header.twice
	launches  ingest.Launches   // every row, of its entry, when they are kept
	partial   int64             // of bad: rows whose only fault is a share out of range
	largest   values            // of each column
	unread    bool              // a count of instructions

	_ [64]byte // keeps what two workers write out of one cache line
}

func newAdder(h *header, keep bool) *adder {
	return &adder{h: h, instance: keep, table: map[rowKey]*entry{}, firsts: map[int]note.Note{}, absent: noValues()}
}

// Row adds a row, or takes note of what is wrong with it.
func (a *adder) Row(r *scan.Row) {
	a.row = r
	// Too few fields, too many, or a quote that does not end: nothing says which cell is which.
	if r.Fields < a.h.columns || r.Extra || r.Open {
		if p := a.misshapen(r); p != nil {
			a.reject(p)
		}
		return
	}
	e, bad := a.find(r)
	if bad != nil {
		a.reject(bad)
		return
	}
	var v values
	shares := a.h.shares
	// The compiler takes the comparison as one of bytes, without making a text.
	steady := e.steady.raw != "" && r.Whole() && string(a.h.steadyRun(r)) == e.steady.raw
	if steady {
		shares = a.h.moving
	}
	if bad = a.numbers(r, shares, &v); bad != nil {
		a.reject(bad)
		if !bad.outside {
			return
		}
		a.partial++
	} else {
		a.good(e, &v)
	}
	t := v.seconds()
	if steady {
		e.steady.add(t)
	}
	for _, c := range a.h.instructions {
		n, ok := digits16(r.LongTail(c))
		if !ok {
			n = a.instructions(r.Cell(c))
		}
		e.instructions += n
	}
	if len(a.h.counters) > 0 {
		e.counters.add(r, a.h, t)
	}
	e.add(&v, shares, t)
}

// good takes note of a row without a fault. A row whose only fault is a share out of range is added all the same,
// without that share: it is a launch, and the totals of a kernel that has other rows would be short of its time and its
// threads.
func (a *adder) good(e *entry, v *values) {
	r := a.row
	a.rows++
	if e.good++; e.good == 1 {
		e.line = r.Line()
	}
	if len(a.h.twice) > 0 {
		a.compare(r)
	}
	switch {
	case a.instance:
		a.launches.Add(v.launch(e.number, r.Line()))
	case e.rows > 0 && e.steady.raw == "" && len(a.h.moving) > 0 && r.Whole():
		e.steady = steady{raw: string(a.h.steadyRun(r)), values: [4]nano(v[peak : peakBarrier+1])}
	}
}

// numbers reads all numbers of a row. The usual forms are read eight bytes at once, all others by number. A share out
// of range is absent, and a problem that the rest of the row does not suffer from.
func (a *adder) numbers(r *scan.Row, shares []field, v *values) *problem {
	*v = a.absent
	unusual := uint64(0) // a bit for each quantity
	for _, f := range shares {
		x, n := r.Tail(f.index)
		tenths, bad := shortTenths(x, n)
		// 0.0 to 100.0: three to five characters.
		if uint(n-3) > 2 || bad != 0 || tenths > largestShare/tenth {
			unusual |= 1 << f.q
		} else {
			v[f.q] = int64(tenths) * tenth
		}
	}
	for _, f := range a.h.times {
		x, n := r.Tail(f.index)
		s, ok := shortMicros(x)
		if v[f.q] = s * (one / 1000000); !ok || n != 8 {
			unusual |= 1 << f.q
		}
	}
	for _, f := range a.h.counts {
		s, ok := shortCount(r.Tail(f.index))
		if v[f.q] = s; !ok {
			unusual |= 1 << f.q
		}
	}
	var outside *problem
	for unusual != 0 {
		q := firstShare + quantity(bits.TrailingZeros64(unusual>>firstShare))
		if q >= quantities { // no share any more
			q = quantity(bits.TrailingZeros64(unusual))
		}
		unusual &^= 1 << q
		if p := a.number(r, q, v); p != nil && p.outside {
			outside = cmp.Or(outside, p)
		} else if p != nil {
			return p
		}
	}
	for _, q := range a.h.bare {
		a.largest[q] = max(a.largest[q], v[q])
	}
	return outside
}

// instructions reads any form of a count of instructions. They are of use in a sum alone, so a fault in one is no fault
// of its row, but it leaves the sum unknown.
func (a *adder) instructions(b []byte) uint64 {
	if unknown(b) {
		return 0
	}
	n, ok := parseCount(bytes.TrimSpace(b))
	if !ok || n < 0 || n > maxInstructions {
		a.unread = true
		return 0
	}
	return uint64(n)
}

const (
	tenth = one / 10
	// largestShare is what a percentage may reach by rounding and sampling.
	largestShare = 100*one + one/2
	// maxInstructions bounds what a row ran, so that a sum of rows fits: all XVEs of a large GPU run it in a day.
	maxInstructions = 1e17
)

// number reads any form of a number.
func (a *adder) number(r *scan.Row, q quantity, v *values) *problem {
	v[q] = none
	b := r.Cell(a.h.col[q].index)
	if len(b) == 0 {
		return nil
	}
	x, ok, most := int64(0), false, int64(math.MaxInt64)
	switch {
	case q >= firstShare:
		x, ok = a.h.nano(b)
		most = largestShare
	case q == total || q == average:
		x, ok = a.h.nano(b)
		most = maxSeconds * one
	default:
		x, ok = parseCount(b)
		most = unit.MaxCount
	}
	switch {
	case ok && x >= 0 && x <= most:
		v[q] = x
		return nil
	case unknown(b):
		return nil
	}
	p := a.wrong(q, b, ok && x < 0, ok && x > most)
	p.outside = ok && q >= firstShare
	return p
}

// compare looks whether columns of one name agree.
func (a *adder) compare(r *scan.Row) {
	for i, t := range a.h.twice {
		// One difference says it all; it is looked for until it is found, and then no more.
		if _, known := a.firsts[i]; known {
			continue
		}
		c := &a.h.col[t.q]
		x, y := r.Cell(c.index), r.Cell(t.index)
		if bytes.Equal(x, y) {
			continue
		}
		line := r.Line()
		a.firsts[i] = note.Note{Severity: note.Warning, Code: "duplicate-column",
			Pos: note.Pos{File: a.h.pos.File, Line: line},
			Text: fmt.Sprintf("the column %q occurs twice, as field %d and %d, with different values: %s and %s; the "+
				"first is used",
				c.name, c.index+1, t.index+1, shorten(x), shorten(y)),
			Hint: "select the column once when exporting"}
	}
}
