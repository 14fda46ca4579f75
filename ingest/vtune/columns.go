package vtune

import (
	"math/bits"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/scan"
	"occudiff/ingest/unit"
)

// quantity is something that a column tells.
// Their order is used: keys, times and counts, shares.
type quantity int

// The quantities. Those from total on are numbers, those from measured to
// barrierStall are shares of a whole.
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
	firstShare  = measured
)

// spellings are the whole names that a quantity has in exports, the usual one
// first, without (%), in lower case and with xve where older GPUs have eu.
// Names are never matched in part: the measured occupancy and the profiler's
// peak differ in one word only.
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

// sampledShares are the shares that counters tell of each launch; the others
// are the same in all.
var sampledShares = []quantity{measured, active, stalled, idle, barrierStall}

// shares returns the fields of a kernel that the quantities from firstShare on
// are.
func shares(k *ingest.Kernel) [quantities - firstShare]*unit.Opt[unit.Ratio] {
	return [...]*unit.Opt[unit.Ratio]{measured - firstShare: &k.Measured, peak - firstShare: &k.Peak,
		peakWork - firstShare: &k.PeakWork, peakSLM - firstShare: &k.PeakSLM, peakBarrier - firstShare: &k.PeakBarrier,
		active - firstShare: &k.Active, stalled - firstShare: &k.Stalled, idle - firstShare: &k.Idle,
		barrierStall - firstShare: &k.BarrierStall}
}

// keyColumns are the names that the first column of an export may have, a
// longer one before its own end.
var keyColumns = []string{"Source Computing Task", "GPU Computing Task", "Computing Task", "Task Type"}

// hostColumns are names of exports that are grouped by host task. They make a
// header recognizable and are not read.
var hostColumns = []string{"cpu time", "task time", "average task time"}

// extra reports whether no verdict needs a quantity.
func extra(q quantity) bool {
	return q == spill || q == hostToDevice || q == deviceToHost || q == threads || q == barriers || q == barrierStall
}

// plain returns the form of a header name that spellings are in, and whether it
// said (%). GPUs before Xe have execution units (EU) where later ones have Xe
// vector engines (XVE); the columns mean the same.
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

// The prefixes of columns of a difference report (vtune -report ... -r A -r B).
var sidePrefixes = []string{"difference:", "result 1:", "result 2:"}

// ofSide takes the result off a column of a difference report: 1 or 2, 0 for
// the difference, -1 for any other column.
func ofSide(form string) (rest string, side int) {
	for side, prefix := range sidePrefixes {
		if rest, ok := strings.CutPrefix(form, prefix); ok {
			return strings.TrimSpace(rest), side
		}
	}
	return form, -1
}

// instructionPipe returns the pipe whose instructions a column counts: "XVE
// Instructions:ALU1 Instructions".
func instructionPipe(form string) (pipe string, ok bool) {
	pipe, ok = strings.CutPrefix(form, "xve instructions:")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(pipe, " instructions")
}

// find returns the quantity that a plain name means and how usual the name is
// for it, 0 the most. A header has some forty names and is read once, so
// nothing faster is needed.
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

// outside is what VTune calls the time between tasks: it has no launches.
const outside = "[Outside any task]"

// counter is a column of what is read next to occupancy: a reason of stalls, or
// a bandwidth. These are read next to the account and decide nothing in it:
// worth and the explanations take them.
type counter struct {
	index   int
	name    string
	form    string // "xve stall reasons:send"
	reason  string // "Send", as the header spells it; "" of a bandwidth and of a pipe
	pipe    string // "ALU0"
	percent bool   // it is a share of the time
}

// mostCounters bounds how many of these columns are read: no export has as
// many.
const mostCounters = 20

const (
	stallReasons = "xve stall reasons:"
	pipelines    = "xve pipelines:"
)

// bandwidth returns the place of a column of bandwidths, in GB/s, in a kernel;
// nil of any other column.
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
	c := counter{index: index, name: name, form: form, percent: percent}
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

// counted adds up the counters of rows, weighted by the time of these, in
// integers, so that rows may come in any order.
type counted struct {
	time   wide   // of all rows
	sums   []wide // of each counter: value x time
	absent []wide // time of the rows that lack it; nil as long as none does
}

// add adds the counters of a row. A cell that is no number is unknown: nothing
// else depends on it.
func (c *counted) add(a *adder, r *scan.Row, t nano) {
	if t <= 0 {
		return
	}
	h := a.h
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

// countersOf returns the means of a key, nil where no row has any.
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
