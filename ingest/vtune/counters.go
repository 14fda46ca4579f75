package vtune

import (
	"math/bits"
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

// mostCounters bounds how many of these columns are read: no export has as many.
const mostCounters = 20

const (
	stallReasons = "xve stall reasons:"
	pipelines    = "xve pipelines:"
)

// bandwidth gives the place of a column of bandwidths, in GB/s, in a kernel; nil of any other column.
func bandwidth(c *ingest.Counters, form string) *unit.Opt[float64] {
	switch form {
	case "gpu memory bandwidth, gb/sec:read":
		return &c.MemoryRead
	case "gpu memory bandwidth, gb/sec:write":
		return &c.MemoryWrite
	case "gpu l3:average bandwidth, gb/s:read", "gpu l3:average bandwidth, gb/sec:read":
		return &c.L3Read
	case "gpu l3:average bandwidth, gb/s:write", "gpu l3:average bandwidth, gb/sec:write":
		return &c.L3Write
	}
	return nil
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
	} else if bandwidth(new(ingest.Counters), form) == nil {
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
	if t <= 0 {
		return
	}
	c.time.add(uint64(t))
	w, unusual := uint64(t), uint64(0) // a bit for each cell of another form
	shares, rates := c.sums[:len(h.percents)], c.sums[len(h.percents):][:len(h.rates)]
	for i, index := range h.percents {
		last, n := r.Tail(index)
		if tenths, bad := shortTenths(last, n); bad == 0 && uint(n-3) <= 2 {
			shares[i].addProduct(tenths*tenth, w)
		} else {
			unusual |= 1 << i
		}
	}
	for i, index := range h.rates {
		if x, ok := micros16(r.LongTail(index)); ok {
			rates[i].addProduct(x*(one/1000000), w)
		} else {
			unusual |= 1 << (len(shares) + i)
		}
	}
	for ; unusual != 0; unusual &= unusual - 1 {
		i := bits.TrailingZeros64(unusual)
		if x, ok := h.nano(r.Cell(h.counters[i].index)); ok && x >= 0 {
			c.sums[i].addProduct(uint64(x), w)
			continue
		}
		if c.absent == nil {
			c.absent = make([]wide, len(c.sums))
		}
		c.absent[i].add(w)
	}
}

// merge adds what another worker gathered.
func (c *counted) merge(o *counted) {
	c.time.addWide(o.time)
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
			*bandwidth(c, of.form) = unit.Some(mean)
		}
	}
	return c
}
