package vtune

import (
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/scan"
	"occudiff/ingest/unit"
)

// counter is a column of what is read beside occupancy: a reason of stalls, or a bandwidth.
// These are read beside the account and decide nothing in it: worth and the explanations take them.
type counter struct {
	index, cell int
	form        string // "xve stall reasons:send"
	reason      string // "Send", as the header spells it; "" of a bandwidth and of a pipe
	pipe        string // "ALU0"
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
	c := counter{index: index, form: form}
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

// counted adds up a counter over rows, weighted by their time, in integers, so that rows may come in any order.
type counted struct{ sum, time wide }

// addCounters adds the counters of a row. A cell that is no number is unknown: nothing else depends on it.
func (e *entry) addCounters(r *scan.Row, h *header, t nano) {
	if e.counters == nil {
		e.counters = make([]counted, len(h.counters))
	}
	if t <= 0 {
		return
	}
	for i := range h.counters {
		if x, ok := h.nano(r.Cell(h.counters[i].cell)); ok && x >= 0 {
			e.counters[i].sum.addProduct(uint64(x), uint64(t))
			e.counters[i].time.add(uint64(t))
		}
	}
}

// mergeCounters adds what another worker gathered.
func (e *entry) mergeCounters(o *entry) {
	if e.counters == nil { // none of its rows could be used
		e.counters = o.counters
		return
	}
	for i := range o.counters {
		e.counters[i].sum.addWide(o.counters[i].sum)
		e.counters[i].time.addWide(o.counters[i].time)
	}
}

// countersOf gives the means of a key, nil where no row has any.
func (r *result) countersOf(e *entry) *ingest.Counters {
	var c *ingest.Counters
	for i := range e.counters {
		if e.counters[i].time.zero() {
			continue
		}
		if c == nil {
			c = new(ingest.Counters)
		}
		mean, of := e.counters[i].sum.over(e.counters[i].time), &r.h.counters[i]
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
