package vtune

import (
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// quantity is something that a column tells.
// Their order is used: keys, times and counts, shares.
type quantity int

// The quantities. Those from total on are numbers, those from measured to barrierStall are shares of a whole.
const (
	task quantity = iota
	global
	local
	simd
	device

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

// spellings are the whole names that a quantity has in exports, the usual one first, without (%), in lower case and
// with xve where older GPUs have eu. Names are never matched in part: the measured occupancy and the profiler's peak
// differ in one word only.
var spellings = [quantities][]string{
	task:    {"computing task", "source computing task", "gpu computing task", "task type"},
	global:  {"work size:global", "global"},
	local:   {"work size:local", "local"},
	simd:    {"computing task:simd width", "source computing task:simd width", "simd width"},
	device:  {"gpu adapter", "adapter", "device"},
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

// sampledShares are the shares that counters tell of each launch; the others are the same in all.
var sampledShares = []quantity{measured, active, stalled, idle, barrierStall}

// shares gives the fields of a kernel that the quantities from firstShare on are.
func shares(k *ingest.Kernel) [quantities - firstShare]*unit.Opt[unit.Ratio] {
	return [...]*unit.Opt[unit.Ratio]{measured - firstShare: &k.Measured, peak - firstShare: &k.Peak,
		peakWork - firstShare: &k.PeakWork, peakSLM - firstShare: &k.PeakSLM, peakBarrier - firstShare: &k.PeakBarrier,
		active - firstShare: &k.Active, stalled - firstShare: &k.Stalled, idle - firstShare: &k.Idle,
		barrierStall - firstShare: &k.BarrierStall}
}

// keyColumns are the names that the first column of an export may have, a longer one before its own end.
var keyColumns = []string{"Source Computing Task", "GPU Computing Task", "Computing Task", "Task Type"}

// hostColumns are names of exports that are grouped by host task. They make a header recognizable and are not read.
var hostColumns = []string{"cpu time", "task time", "average task time"}

// plain gives the form of a header name that spellings are in, and whether it said (%).
// GPUs before Xe have execution units (EU) where later ones have Xe vector engines (XVE); the columns mean the same.
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

// ofSide takes the result off a column of a difference report: 1 or 2, 0 for the difference, -1 for any other column.
func ofSide(form string) (rest string, side int) {
	for side, prefix := range sidePrefixes {
		if rest, ok := strings.CutPrefix(form, prefix); ok {
			return strings.TrimSpace(rest), side
		}
	}
	return form, -1
}

// instructionPipe gives the pipe whose instructions a column counts: "XVE Instructions:ALU1 Instructions".
func instructionPipe(form string) (pipe string, ok bool) {
	pipe, ok = strings.CutPrefix(form, "xve instructions:")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(pipe, " instructions")
}

// find gives the quantity that a plain name means and how usual the name is for it, 0 the most.
// A header has some forty names and is read once, so nothing faster is needed.
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
