package unitrace

import "strings"

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
	private
	spill
	registers
	quantities // how many there are
)

// columnOf gives what a column of a table holds and how many of its units make the base unit: seconds, ratios. Metric
// names carry their unit in brackets. Names in capitals are those of Xe-HPC and Xe2, XveActive of Xe-LPG, EuActive of
// GPUs before.
func columnOf(name string) (q quantity, per float64, ok bool) {
	metric, unitText := name, ""
	if i := strings.LastIndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		metric, unitText = strings.TrimSpace(name[:i]), name[i+1:len(name)-1]
	}
	switch metric {
	case "Calls":
		return calls, 1, true
	case "Time (ns)":
		return total, 1e9, true
	case "Execute (ns)":
		return execute, 1e9, true
	case "GpuTime":
		return gpuTime, perSecond(unitText), true
	case "KernelTime", "Time": // of aggregated metrics and of kernel intervals
		return kernelTime, perSecond(unitText), true
	case "QueryBeginTime":
		return sampled, perSecond(unitText), true
	case "Start":
		return begin, perSecond(unitText), true
	case "End":
		return end, perSecond(unitText), true
	case "XVE_THREADS_OCCUPANCY_ALL", "XveThreadOccupancy", "EuThreadOccupancy":
		return occupancy, 100, true
	case "XVE_ACTIVE", "XveActive", "EuActive":
		return active, 100, true
	case "XVE_STALL", "XveStall", "EuStall":
		return stalled, 100, true
	case "XVE_COMPUTE_THREAD_COUNT", "CsThreads":
		return threads, 1, true
	case "XVE_BARRIER_MESSAGE_COUNT", "ShaderBarriers":
		return barriers, 1, true
	case "ASYNC_GPGPU_THREADGROUP_COUNT":
		return groups, 1, true
	case "ASYNC_GPGPU_THREAD_EXIT_COUNT":
		return exits, 1, true
	case "GlobalInstanceId":
		return instance, 1, true
	case "Device":
		return device, 1, true
	case "SubDeviceId":
		return subDevice, 1, true
	case "SIMD":
		return simd, 1, true
	case "SLM Per Work Group":
		return slm, 1, true
	case "Private Memory Per Thread":
		return private, 1, true
	case "Spill Memory Per Thread":
		return spill, 1, true
	case "Register File Size Per Thread":
		return registers, 1, true
	}
	return 0, 0, false
}

func perSecond(unitText string) float64 {
	switch unitText {
	case "us":
		return 1e6
	case "ms":
		return 1e3
	case "s":
		return 1
	}
	return 1e9
}
