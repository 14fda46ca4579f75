package unitrace

import (
	"cmp"
	"strings"
)

// quantity is what a column holds.
type quantity uint8

const (
	calls quantity = iota
	total
	execute // total of a submission table
	gpuTime
	kernelTime
	sampled // when a sample was taken
	begin   // of a launch, and its end
	end
	occupancy
	active
	stalled
	threads
	barriers
	groups // counted one by one, and the threads that ended
	exits
	instance
	device
	subDevice
	simd
	slm
	spill
	registers
	quantities // how many there are
)

// columnNames are the columns of the quantities, and how many of their units make the base unit, a second or the whole;
// 0 for times, whose unit stands in brackets. Names in capitals are those of Xe-HPC and Xe2, XveActive of Xe-LPG,
// EuActive of GPUs before.
var columnNames = map[string]struct {
	quantity
	per float64
}{
	"Calls": {calls, 1}, "Time (ns)": {total, 1e9}, "Execute (ns)": {execute, 1e9},
	"GpuTime": {gpuTime, 0}, "QueryBeginTime": {sampled, 0}, "Start": {begin, 0}, "End": {end, 0},
	"KernelTime": {kernelTime, 0}, "Time": {kernelTime, 0}, // of aggregated metrics, of kernel intervals
	"XVE_THREADS_OCCUPANCY_ALL": {occupancy, 100}, "XveThreadOccupancy": {occupancy, 100},
	"EuThreadOccupancy": {occupancy, 100},
	"XVE_ACTIVE":        {active, 100}, "XveActive": {active, 100}, "EuActive": {active, 100},
	"XVE_STALL": {stalled, 100}, "XveStall": {stalled, 100}, "EuStall": {stalled, 100},
	"XVE_COMPUTE_THREAD_COUNT": {threads, 1}, "CsThreads": {threads, 1},
	"XVE_BARRIER_MESSAGE_COUNT": {barriers, 1}, "ShaderBarriers": {barriers, 1},
	"ASYNC_GPGPU_THREADGROUP_COUNT": {groups, 1}, "ASYNC_GPGPU_THREAD_EXIT_COUNT": {exits, 1},
	"GlobalInstanceId": {instance, 1}, "Device": {device, 1}, "SubDeviceId": {subDevice, 1}, "SIMD": {simd, 1},
	"SLM Per Work Group": {slm, 1}, "Spill Memory Per Thread": {spill, 1},
	"Register File Size Per Thread": {registers, 1},
}

// columnOf gives what a column of a table holds and how many of its units make the base unit. Names of metrics carry
// their unit in brackets.
func columnOf(name string) (q quantity, per float64, ok bool) {
	// Versions print both "Time (ns)" and "Time(ns)".
	metric, unitText := strings.Replace(name, "e(ns)", "e (ns)", 1), ""
	if i := strings.LastIndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		metric, unitText = strings.TrimSpace(name[:i]), name[i+1:len(name)-1]
	}
	c, ok := columnNames[metric]
	// Without a unit that is known it is nanoseconds, which [ns] is, too.
	if ok && c.per == 0 {
		c.per = cmp.Or(map[string]float64{"us": 1e6, "ms": 1e3, "s": 1}[unitText], 1e9)
	}
	return c.quantity, c.per, ok
}
