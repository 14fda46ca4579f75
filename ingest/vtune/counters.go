package vtune

import (
	"encoding/binary"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/scan"
	"occudiff/ingest/unit"
)

// counter is a column of what is read beside occupancy: a reason of stalls, or a bandwidth.
// These are read beside the account and decide nothing in it: worth and the explanations take them.
type counter struct {
	index   int
	form    string // "xve stall reasons:send"
	reason  string // "Send", as the header spells it; "" of a bandwidth and of a pipe
	pipe    string // "ALU0"
	percent bool   // it is a share of the time
}

// counterCell is where the cell of a counter is: the little that each row needs of it.
type counterCell struct {
	cell    int
	percent bool
}

// mostCounters bounds how many of these columns are read: no export has as many.
const mostCounters = 20

const (
	stallReasons = "xve stall reasons:"
	pipelines    = "xve pipelines:"
)

// bandwidths are the columns of bandwidths, in GB/s, and where a kernel has them.
func bandwidths(c *ingest.Counters) map[string]*unit.Opt[float64] {
	return map[string]*unit.Opt[float64]{
		"gpu memory bandwidth, gb/sec:read":     &c.MemoryRead,
		"gpu memory bandwidth, gb/sec:write":    &c.MemoryWrite,
		"gpu l3:average bandwidth, gb/s:read":   &c.L3Read,
		"gpu l3:average bandwidth, gb/s:write":  &c.L3Write,
		"gpu l3:average bandwidth, gb/sec:read": &c.L3Read, "gpu l3:average bandwidth, gb/sec:write": &c.L3Write,
	}
}

// addCounter takes a column of these; of two with one name the first.
func (h *header) addCounter(index int, name, form string, percent bool) {
	c := counter{index: index, form: form, percent: percent}
	if _, ok := strings.CutPrefix(form, stallReasons); ok && percent {
		_, c.reason, _ = strings.Cut(name, ":")
		c.reason = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(c.reason), "(%)"))
	} else if pipe, ok := strings.CutPrefix(form, pipelines); ok && percent {
		if c.pipe = strings.ToUpper(strings.TrimSuffix(pipe, " active")); strings.Contains(pipe, " and ") {
			return // when two are active at once, which bounds nothing
		}
	} else if bandwidths(new(ingest.Counters))[form] == nil {
		return
	}
	for i := range h.counters {
		if h.counters[i].form == form {
			return
		}
	}
	if len(h.counters) < mostCounters {
		h.counters = append(h.counters, c)
	}
}

// counted adds up the counters of rows, weighted by the time of these, in integers, so that rows may come in any order.
type counted struct {
	time   wide   // of all rows
	sums   []wide // of each counter: value x time
	absent []wide // time of the rows that lack it; nil as long as none does
}

// add adds the counters of a row. A cell that is no number is unknown: nothing else depends on it.
func (c *counted) add(r *scan.Row, h *header, t nano) {
	if c.sums == nil {
		c.sums = make([]wide, len(h.counters))
	}
	if t <= 0 {
		return
	}
	c.time.add(uint64(t))
	sums, w := c.sums[:len(h.counterCells)], uint64(t)
	for i, of := range h.counterCells {
		last, n := r.Tail(of.cell)
		if of.percent {
			if tenths, bad := shortTenths(last, n); bad == 0 && uint(n-3) <= 2 {
				sums[i].addProduct(tenths*tenth, w)
				continue
			}
		} else if x, ok := micros16(r.RawRun(of.cell, of.cell), last); ok {
			sums[i].addProduct(x*(one/1000000), w)
			continue
		}
		c.addSlowly(i, len(sums), h, r.Cell(of.cell), w)
	}
}

// addSlowly adds a cell of any form.
func (c *counted) addSlowly(i, of int, h *header, cell []byte, t uint64) {
	if x, ok := h.nano(cell); ok && x >= 0 {
		c.sums[i].addProduct(uint64(x), t)
		return
	}
	if c.absent == nil {
		c.absent = make([]wide, of)
	}
	c.absent[i].add(t)
}

// micros16 reads a number with six decimal places, the form of bandwidths, of eight to sixteen bytes, the last eight of
// which are given besides. ok is false for any other form, right or wrong.
func micros16(b []byte, last uint64) (v uint64, ok bool) {
	n := len(b)
	if n < 8 || n > 16 {
		return 0, false
	}
	low, ok := shortMicros(last)
	// What stands before the last eight, behind as many zeros as make it eight digits.
	high, digits := digits8((binary.LittleEndian.Uint64(b) ^ zeros8) << uint(128-8*n))
	return uint64(high)*1e7 + uint64(low), ok && digits
}

// merge adds what another worker gathered.
func (c *counted) merge(o *counted) {
	c.time.addWide(o.time)
	if c.sums == nil { // none of its rows could be used
		c.sums = make([]wide, len(o.sums))
	}
	if c.absent == nil && o.absent != nil {
		c.absent = make([]wide, len(o.sums))
	}
	for i := range o.sums {
		c.sums[i].addWide(o.sums[i])
	}
	for i := range o.absent {
		c.absent[i].addWide(o.absent[i])
	}
}

// countersOf gives the means of a key, nil where no row has any.
func (r *result) countersOf(e *entry) *ingest.Counters {
	var c *ingest.Counters
	for i := range e.counters.sums {
		time := e.counters.time
		if e.counters.absent != nil {
			time = time.minus(e.counters.absent[i])
		}
		if time.zero() {
			continue
		}
		if c == nil {
			c = new(ingest.Counters)
		}
		mean, of := e.counters.sums[i].over(time), &r.h.counters[i]
		if of.pipe != "" {
			c.Pipes = append(c.Pipes, ingest.Pipe{Name: of.pipe, Active: unit.FromPercent(mean)})
		} else if of.reason != "" {
			c.Stalls = append(c.Stalls, ingest.Stall{Reason: of.reason, Share: unit.FromPercent(mean)})
		} else {
			*bandwidths(c)[of.form] = unit.Some(mean)
		}
	}
	return c
}
