package vtune

import (
	"math/bits"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/scan"
	"occudiff/ingest/unit"
)

// A quantity is a column's meaning. The order is significant: keys, times and
// counts, shares.
type quantity int

// Quantities. Starting with total they are numbers. From threads to barriers
// they are counts that are added up, and from measured to barrierStall shares.
const (
	task quantity = iota
	global
	local
	simd
	device
	stack

	total
	average
	count
	spill
	hostToDevice
	deviceToHost
	threads
	barriers

	measured
	peak
	peakWork
	peakSLM
	peakBarrier
	active
	stalled
	idle
	barrierStall

	quantities

	firstNumber = total
	firstCount  = threads
	firstShare  = measured
)

// spellings are a quantity's complete names in exports, with the usual one
// first. They are in lower case, without (%), and with xve instead of older
// GPUs' eu. Names are never matched partially, because the measured occupancy
// and the profiler's peak differ in only one word.
var spellings = [quantities][]string{
	task:    {"computing task", "source computing task", "gpu computing task", "task type"},
	global:  {"work size:global", "global"},
	local:   {"work size:local", "local"},
	simd:    {"computing task:simd width", "source computing task:simd width", "simd width"},
	device:  {"gpu adapter", "adapter", "device"},
	stack:   {"gpu stack", "stack", "gpu tile", "tile"},
	total:   {"computing task:total time", "source computing task:total time", "total time"},
	average: {"computing task:average time", "source computing task:average time", "average time"},
	count: {"computing task:instance count", "source computing task:instance count", "instance count",
		"task count"},
	spill:        {"computing task:spill memory size", "source computing task:spill memory size", "spill memory size"},
	hostToDevice: {"transfer size:host-to-device", "host-to-device"},
	deviceToHost: {"transfer size:device-to-host", "device-to-host"},
	threads:      {"computing threads started"},
	barriers:     {"gpu barriers"},
	measured:     {"xve threads occupancy", "occupancy"},
	peak:         {"peak xve threads occupancy"},
	peakWork:     {"peak xve threads occupancy:work size limit", "work size limit"},
	peakSLM:      {"peak xve threads occupancy:slm use limit", "slm use limit"},
	peakBarrier:  {"peak xve threads occupancy:barriers use limit", "barriers use limit"},
	active:       {"xve array:active", "active"},
	stalled:      {"xve array:stalled", "stalled"},
	idle:         {"xve array:idle", "idle"},
	barrierStall: {"xve stall reasons:barrier"},
}

// sampledShares are the shares that counters measure per launch. The other
// shares are the same for all launches.
var sampledShares = []quantity{measured, active, stalled, idle, barrierStall}

// shares returns a kernel's fields for the quantities that start with
// firstShare.
func shares(k *ingest.Kernel) [quantities - firstShare]*unit.Opt[unit.Ratio] {
	return [...]*unit.Opt[unit.Ratio]{measured - firstShare: &k.Measured, peak - firstShare: &k.Peak,
		peakWork - firstShare: &k.PeakWork, peakSLM - firstShare: &k.PeakSLM, peakBarrier - firstShare: &k.PeakBarrier,
		active - firstShare: &k.Active, stalled - firstShare: &k.Stalled, idle - firstShare: &k.Idle,
		barrierStall - firstShare: &k.BarrierStall}
}

// counts returns a kernel's fields for the quantities from firstCount to
// firstShare.
func counts(k *ingest.Kernel) [firstShare - firstCount]*unit.Opt[int64] {
	return [...]*unit.Opt[int64]{threads - firstCount: &k.Threads, barriers - firstCount: &k.Barriers}
}

// keyColumns are the possible names for an export's first column. A name
// precedes its own suffix.
var keyColumns = []string{"Source Computing Task", "GPU Computing Task", "Computing Task", "Task Type"}

// hostColumns are export column names that are grouped by host task. They
// identify such a header, and their values are not read.
var hostColumns = []string{"cpu time", "task time", "average task time"}

// extra reports whether no verdict needs a quantity.
func extra(q quantity) bool {
	return q >= spill && q < firstShare || q == barrierStall
}

// plain returns a header name in the same form as spellings. percent reports
// whether it contained (%). GPUs before Xe have execution units (EUs), and
// later ones have Xe vector engines (XVEs). The columns have the same meaning.
func plain(name string) (form string, percent bool) {
	form = strings.Join(strings.Fields(strings.ToLower(name)), " ")
	form, _ = ofSide(form)
	if f, ok := strings.CutSuffix(form, "(%)"); ok {
		form, percent = strings.TrimSpace(f), true
	}
	switch {
	case strings.HasPrefix(form, "eu "):
		form = "xve " + form[len("eu "):]
	case strings.HasPrefix(form, "peak eu "):
		form = "peak xve " + form[len("peak eu "):]
	}
	return form, percent
}

// Column prefixes in a difference report (vtune -report ... -r A -r B).
var sidePrefixes = []string{"difference:", "result 1:", "result 2:"}

// ofSide returns a difference report's column name without the result prefix,
// and 1 or 2 for a result, 0 for the difference, and -1 for any other column.
func ofSide(form string) (rest string, side int) {
	for side, prefix := range sidePrefixes {
		if rest, ok := strings.CutPrefix(form, prefix); ok {
			return strings.TrimSpace(rest), side
		}
	}
	return form, -1
}

// instructionPipe returns the pipe whose instructions a column counts, as in
// "XVE Instructions:ALU1 Instructions".
func instructionPipe(form string) (pipe string, ok bool) {
	pipe, ok = strings.CutPrefix(form, "xve instructions:")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(pipe, " instructions")
}

// find returns the quantity with a plain name. rank is 0 for the usual name,
// and higher for less common names. A header has about forty names and is read
// once, so a linear search is fast enough.
func find(form string) (q quantity, rank int, ok bool) {
	for q, names := range spellings {
		for rank, n := range names {
			if n == form {
				return quantity(q), rank, true
			}
		}
	}
	return 0, 0, false
}

// outside is VTune's name for the time between tasks. It has no launches.
const outside = "[Outside any task]"

// A counter is a column in addition to the occupancy: a stall reason, a
// pipeline, or a bandwidth. The thread-slot breakdown does not use counters.
// Potential speedups and explanations do.
type counter struct {
	index   int
	name    string
	form    string // "xve stall reasons:send"
	reason  string // "Send", as the header spells it; "" for a bandwidth or a pipe
	pipe    string // "ALU0"
	percent bool   // share of time
}

// mostCounters limits how many counter columns are read. No export has as many.
const mostCounters = 20

const (
	stallReasons = "xve stall reasons:"
	pipelines    = "xve pipelines:"
)

// bandwidth returns the field for a bandwidth column, in GB/s, or nil for any
// other column.
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

// addCounter adds a counter column. If two columns have the same name, it uses
// the first.
func (h *header) addCounter(index int, name, form string, percent bool) {
	c := counter{index: index, name: name, form: form, percent: percent}
	if _, ok := strings.CutPrefix(form, stallReasons); ok && percent {
		_, c.reason, _ = strings.Cut(name, ":")
		c.reason = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(c.reason), "(%)"))
	} else if pipe, ok := strings.CutPrefix(form, pipelines); ok && percent {
		if c.pipe = strings.ToUpper(strings.TrimSuffix(pipe, " active")); strings.Contains(pipe, " and ") {
			return // time when both are active, which limits nothing
		}
	}
	// A column such as "XVE Pipelines:(%)" names no pipeline.
	if c.reason == "" && c.pipe == "" && bandwidth(new(ingest.Counters), form) == nil {
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

// counted sums the rows' counters, weighted by time. It uses integers, so that
// the row order does not matter.
type counted struct {
	time   wide   // all rows
	sums   []wide // per counter: total of value x time
	absent []wide // time in rows without the counter; nil if there are none
}

// add adds a row's counters. A cell that is not a number is unknown, because no
// other value depends on it.
func (c *counted) add(a *adder, r *scan.Row, t nano) {
	if t <= 0 {
		return
	}
	h := a.h
	c.time.add(uint64(t))
	w, unusual := uint64(t), uint64(0) // one bit for each cell with an unusual form
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
		of, f := &h.counters[i], rateForm
		if of.percent {
			f = shareForm
		}
		if x, ok := a.read(r.Cell(of.index), of.index, of.name, f); ok && x >= 0 {
			c.sums[i].addProduct(uint64(x), w)
			continue
		}
		if c.absent == nil {
			c.absent = make([]wide, len(c.sums))
		}
		c.absent[i].add(w)
	}
}

// merge adds another worker's sums.
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

// countersOf returns a key's mean counters, or nil if no row has counters.
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
