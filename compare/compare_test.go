package compare

import (
	"math"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// mtl112 returns the Meteor Lake device of the real runs: 7 Xe-cores x 16 XVE x
// 8 threads = 896 thread slots.
func mtl112() *arch.Device {
	return &arch.Device{Key: "mtl-112", XeCores: 7, XVEPerXeCore: 16, ThreadsPerXVE: 8, Tiles: 1,
		GRFModes:     []arch.GRFMode{{Registers: 128, ThreadsPerXVE: 8}, {Registers: 256, ThreadsPerXVE: 4}},
		SIMDWidths:   []int{8, 16, 32},
		SLMPerXeCore: 128 << 10, SLMPerGroupMax: 64 << 10, SLMSteps: []unit.Bytes{0, 1 << 10, 2 << 10, 4 << 10,
			8 << 10, 16 << 10, 32 << 10, 64 << 10},
		MaxGroupSize: 1024, GroupSlots: 128, BarrierSlots: []arch.SourcedCount{{Source: "calculator", Count: 128}}}
}

// gen9 returns a device with 3 x 8 x 7 = 168 thread slots. Each of its Xe-cores
// has 56 thread slots and 32 barrier slots.
func gen9() *arch.Device {
	d := *mtl112()
	d.Architecture = "Gen9"
	d.Key, d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE, d.GroupSlots, d.BarrierSlots = "gen9", 3, 8, 7, 56,
		[]arch.SourcedCount{{Source: "calculator", Count: 32}}
	d.GRFModes = []arch.GRFMode{{Registers: 128, ThreadsPerXVE: 7}}
	return &d
}

// b580 returns a device with 20 x 8 x 8 = 1280 thread slots.
func b580() *arch.Device {
	d := *mtl112()
	d.Key, d.XeCores, d.XVEPerXeCore, d.SIMDWidths, d.GroupSlots = "b580", 20, 8, []int{16, 32}, 64
	return &d
}

// max1100 returns a device with one stack of 56 x 8 x 8 thread slots.
func max1100() *arch.Device {
	d := *b580()
	d.Key, d.XeCores = "max1100", 56
	return &d
}

// max1550 returns a device with two stacks of 64 x 8 x 8 thread slots.
func max1550() *arch.Device {
	d := *mtl112()
	d.Key, d.XeCores, d.XVEPerXeCore, d.Tiles, d.SIMDWidths = "max1550", 128, 8, 2, []int{16, 32}
	return &d
}

// tgl returns a device with 6 x 16 x 7 thread slots.
func tgl() *arch.Device {
	d := *mtl112()
	d.Key, d.XeCores, d.ThreadsPerXVE, d.MaxGroupSize, d.GRFModes = "tgl", 6, 7, 512,
		[]arch.GRFMode{{Registers: 128, ThreadsPerXVE: 7}}
	return &d
}

// xe3 returns a device with 12 x 8 x 10 thread slots. A kernel of 128 registers
// can use only 8 of the 10 slots of an XVE.
func xe3() *arch.Device {
	d := *mtl112()
	d.Key, d.XeCores, d.XVEPerXeCore, d.ThreadsPerXVE, d.SIMDWidths, d.GroupSlots = "b390", 12, 8, 10, []int{16, 32}, 80
	d.GRFModes = []arch.GRFMode{{Registers: 96, ThreadsPerXVE: 10}, {Registers: 128, ThreadsPerXVE: 8},
		{Registers: 256, ThreadsPerXVE: 4}}
	return &d
}

// tell changes a field of a kernel row, so that each test case fits on one
// line.
type tell func(*ingest.Kernel)

func kernel(task, global, local string, simd int, n int64, total float64, more ...tell) ingest.Kernel {
	g, err := unit.ParseSize(global)
	if err != nil {
		panic(err)
	}
	l, err := unit.ParseSize(local)
	if err != nil {
		panic(err)
	}
	k := ingest.Kernel{Task: task, Global: g, Local: l}
	if simd > 0 {
		k.SIMD = unit.Some(simd)
	}
	if n > 0 {
		k.Instances, k.Total = unit.Some(n), unit.Some(unit.Seconds(total))
	}
	for _, m := range more {
		m(&k)
	}
	return k
}

func pct(o *unit.Opt[unit.Ratio], v float64) { *o = unit.Some(unit.FromPercent(v)) }

func measured(v float64) tell { return func(k *ingest.Kernel) { pct(&k.Measured, v) } }
func peak(v float64) tell     { return func(k *ingest.Kernel) { pct(&k.Peak, v) } }
func idle(v float64) tell     { return func(k *ingest.Kernel) { pct(&k.Idle, v) } }
func barrier(v float64) tell  { return func(k *ingest.Kernel) { pct(&k.BarrierStall, v) } }
func barriers(n int64) tell   { return func(k *ingest.Kernel) { k.Barriers = unit.Some(n) } }
func slmLimit(v float64) tell { return func(k *ingest.Kernel) { pct(&k.PeakSLM, v) } }

// TestOtherDevice checks runs in which no peak fits the device. The reason is
// another device, or a dimension that is missing from the sizes.
func TestOtherDevice(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	// The launches have 128, 224, and 896 threads. Their peaks come from a GPU
	// of 896 thread slots, but the run is compared with a device of 3,584
	// slots.
	a := kernel("a", "2048", "16", 16, 10, 1, measured(13), peak(14.3))
	b := kernel("b", "3584", "16", 16, 10, 1, measured(24), peak(25))
	full := kernel("full", "14336", "16", 16, 10, 1, measured(99), peak(100)) // 896 threads, which fill the real GPU
	counted := ingest.Platform{XVEs: unit.Some(448)}
	for _, c := range []struct {
		reason   string
		platform ingest.Platform
		kernels  []ingest.Kernel
		want     []string
	}{
		{"two launches are off by 4, and one that is full there fits a GPU that fits all", ingest.Platform{}, []ingest.Kernel{a, b, full}, []string{"model mismatch medium", "model mismatch medium", "model mismatch medium"}},
		{"one launch may lack a dimension", ingest.Platform{}, []ingest.Kernel{a}, []string{"launch size high"}},
		{"the missing dimension may be 2", ingest.Platform{}, []ingest.Kernel{kernel("a", "2048", "16", 16, 10, 1, measured(6), peak(7.1))}, []string{"launch size high"}},
		{"so may two of one size", ingest.Platform{}, []ingest.Kernel{a, kernel("a2", "2048", "16", 16, 20, 1, measured(13), peak(14.3))}, []string{"launch size high", "launch size high"}},
		{"factors of 4 and 8 are not of one GPU", ingest.Platform{}, []ingest.Kernel{a, kernel("c", "3584", "16", 16, 10, 1, measured(48), peak(50))}, []string{"launch size low", "launch size low"}},
		{"a launch that agrees says that the device is right", ingest.Platform{}, []ingest.Kernel{a, b, kernel("d", "7168", "16", 16, 10, 1, measured(12.5), peak(12.5))}, []string{"launch size low", "launch size low", ""}},
		{"one that is full but would not be there", ingest.Platform{}, []ingest.Kernel{a, b, kernel("e", "7168", "16", 16, 10, 1, measured(99), peak(100))}, []string{"launch size low", "launch size low", "launch size low"}},
		{"a summary counted the XVEs", counted, []ingest.Kernel{a, b}, []string{"launch size low", "launch size low"}},
	} {
		r, err := on(&ingest.Run{Kernels: c.kernels, Platform: c.platform}, table, "max1100", 0, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.Cause != nil && row.Cause.Name != CauseBelowTolerance {
				got[row.Task] = row.Cause.Name + " " + row.Cause.Confidence.String()
			}
		}
		for i, k := range c.kernels {
			if got[k.Task] != c.want[i] {
				t.Errorf("%s: %s is %q, want %q", c.reason, k.Task, got[k.Task], c.want[i])
			}
		}
	}
}

// TestOwnShareOfAdapter checks that tasks on other adapters do not reduce a
// kernel's own share. A task that names no adapter may have run on the kernel's
// adapter, so it does reduce the share.
func TestOwnShareOfAdapter(t *testing.T) {
	of := func(task, adapter string, seconds float64) ingest.Kernel {
		return kernel(task, "1048576", "256", 16, 10, seconds, measured(90),
			func(k *ingest.Kernel) { k.Device = adapter })
	}
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{of("a", "GPU 0", 3), of("b", "GPU 0", 1), of("c", "GPU 1", 4),
		of("d", "", 4)}}, given(max1100()), DefaultOptions())
	got := map[string]float64{}
	for i := range r.Rows {
		row := &r.Rows[i]
		c := row.Certainty
		got[row.Task] = float64(c.OwnShare.Or(-1))
	}
	want := map[string]float64{"a": 3. / 8, "b": 1. / 8, "c": 4. / 8, "d": 4. / 12}
	for task, share := range want {
		if math.Abs(got[task]-share) > 1e-12 {
			t.Errorf("%s has %v of its GPU's time, want %v", task, got[task], share)
		}
	}
}

// TestAdaptersConfidence checks the confidence that only some adapters worked.
// If their number is only inferred because it fits, the confidence is limited
// by the counters. If a summary counts the adapters that worked, it is not.
func TestAdaptersConfidence(t *testing.T) {
	fourOf := func(busy unit.Opt[int]) ingest.Platform {
		return ingest.Platform{Adapters: unit.Some(4), Stacks: unit.Some(1), BusyStacks: busy}
	}
	for _, c := range []struct {
		reason   string
		platform ingest.Platform
		launches int64
		own      float64 // share of instructions in rows of kernels
		want     string
	}{
		{"long launches, and the counters are the kernel's", fourOf(unit.Opt[int]{}), 10, 1, "medium"},
		{"half of the instructions stand in rows that are not kernels", fourOf(unit.Opt[int]{}), 10, 0.5, "low"},
		{"a launch is half an interval, next to another kernel", fourOf(unit.Opt[int]{}), 3000, 1, "low"},
		{"counted", fourOf(unit.Some(1)), 10, 0.5, "high"},
	} {
		k := kernel("k", "1048576", "512", 32, c.launches, 1, measured(24.5), peak(100), idle(75))
		other := kernel("other", "1048576", "512", 32, 10, 0.3, measured(24.5), peak(100), idle(75))
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k, other}, Platform: c.platform,
			Instructions: ingest.Instructions{Kernels: c.own * 1e9, All: 1e9}}, given(max1100()), DefaultOptions())
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.Task == "k" && (row.Cause == nil || row.Cause.Name != CauseAdapters ||
				row.Cause.Confidence.String() != c.want) {
				t.Errorf("%s: cause %+v, want %s with confidence %s", c.reason, row.Cause, CauseAdapters, c.want)
			}
		}
	}
}

// TestVerdictAndCause has a case for every verdict and cause. Cases named
// "real" have the values of real exports.
func TestVerdictAndCause(t *testing.T) {
	four := ingest.Platform{Adapters: unit.Some(4)}
	oneOfFour := ingest.Platform{Adapters: unit.Some(4), Stacks: unit.Some(1), BusyStacks: unit.Some(1)}
	cases := []struct {
		name, why  string
		dev        *arch.Device
		platform   ingest.Platform
		k          ingest.Kernel
		verdict    Verdict
		basis      Basis
		difference float64 // in points; NaN if absent
		cause      string
		because    string // part of the evidence, including its values
		others     int    // number of other tasks in the run
	}{
		{"Fan1", "real: 18 us launches next to a kernel that takes nearly all of the time", mtl112(), ingest.Platform{},
			kernel("Fan1", "2048", "16", 32, 2047, 0.037689, measured(19.9), peak(14.3), idle(70.8)),
			Unmeasurable, BasisMeasured, 19.9 - 100*128.0/896, CauseSampling,
			"A launch lasts 0.02 of an interval, and this kernel takes 4% of the GPU's time: up to 97% of the value can come from other tasks.", 1},
		{"one wave", "printed 14.3 for 14.2857: threads live as long as the launch, not longer", mtl112(), ingest.Platform{},
			kernel("k", "2048", "16", 32, 2000, 0.036, measured(14.3), peak(14.3)), Match, BasisMeasured,
			14.3 - 100*128.0/896, "", "", 0},
		{"Fan2", "real: launch-bound", mtl112(), ingest.Platform{},
			kernel("Fan2", "2048 x 2048", "1024 x 1", 32, 2047, 1.070996, measured(62.7), peak(100), idle(20.7)),
			Below, BasisMeasured, 62.7 - 100*(131072.0/896)/147, CauseGaps,
			"time between launches may be included, up to 16.4 of the missing points", 0},
		{"GEMM", "real: long and saturating agrees with the tail-aware average, 9.142857 waves in 10", mtl112(), ingest.Platform{},
			kernel("GEMM", "512 x 512", "512 x 2", 32, 128, 0.267795, measured(90.3), peak(100), idle(8.1)),
			Match, BasisMeasured, 90.3 - 100*(8192.0/896)/10, "", "", 0},
		{"selection", "real: 512 of 1280 thread slots where the cell has 64 threads", b580(), ingest.Platform{},
			kernel("gemm_kernel", "128 x 8", "64 x 8", 16, 50, 0.026427, peak(40)),
			Above, BasisPeak, 35, CauseLaunchSize,
			"512 threads of 1,280 thread slots, and the work-size cell (128x8 in work-groups of 64x8, SIMD 16) has 64 threads: a grid 8 times larger fits", 0},
		{"clamped shape", "a profiler's peak of 100 fits every larger grid: low confidence", b580(), ingest.Platform{},
			kernel("k", "10240", "512", 16, 10, 1, peak(100)), Above, BasisPeak, 50, CauseLaunchSize,
			"a grid 2 or more times larger fits", 0},
		{"wrong device", "no whole multiple fits", b580(), ingest.Platform{},
			kernel("k", "2048", "512", 16, 10, 1, peak(24.3)), Above, BasisPeak, 24.3 - 10, CauseModelMismatch,
			"The profiler's peak is 24.3% and the predicted peak 10.0% of 1,280 thread slots", 0},
		{"SLM by VTune", "half of 64 slots is one work-group of 32 threads", b580(), ingest.Platform{},
			kernel("k", "1048576", "512", 16, 10, 1, peak(50), slmLimit(50)), PeaksAgree, BasisPeak, 0, "", "", 0},
		{"SLM unknown", "45% of 64 slots is no number of work-groups of 32 threads", b580(), ingest.Platform{},
			kernel("k", "1048576", "512", 16, 10, 1, peak(45), slmLimit(45)), Below, BasisPeak, -55,
			CauseModelMismatch, "VTune limits it by SLM to 45.0%", 0},
		{"short", "fewer than 10 sampling intervals in all", mtl112(), ingest.Platform{},
			kernel("k", "1048576", "512", 32, 1, 0.004, measured(3)), Unmeasurable, BasisMeasured, math.NaN(),
			CauseSampling, "The whole kernel ran for 4 ms, less than 10 sampling intervals of 1 ms", 0},
		{"average alone", "how many launches there were is not known, and that they are short is", max1100(), ingest.Platform{},
			kernel("k", "4096", "256", 32, 0, 0, measured(90),
				func(k *ingest.Kernel) { k.Mean = unit.Some[unit.Seconds](1e-5) }),
			Unmeasurable, BasisMeasured, math.NaN(), CauseSampling,
			"A launch lasts 0.01 of an interval: up to 100% of the value can come from other tasks.", 1},
		{"queried", "real: hgemm, 9.2 ms in two launches, but its counters were read around each launch", max1100(), ingest.Platform{},
			kernel("hgemm", "3584x8x1", "64x8x1", 16, 2, 0.009238, measured(46.8372),
				func(k *ingest.Kernel) { k.Reading, k.SLM = ingest.AroundLaunch, unit.Some(unit.Bytes(8)) }),
			Match, BasisMeasured, 46.8372 - 50, "", "", 0},
		{"samples of one launch", "real: four samples, each taken within the launch, of a program that ran nothing else", gen9(), ingest.Platform{},
			kernel("GEMM", "512x512", "256x1", 32, 1, 0.00268, measured(97.1), func(k *ingest.Kernel) {
				k.Reading, k.Interval = ingest.SampledIn, unit.Some(unit.Seconds(0.00067))
			}), Match, BasisMeasured, math.NaN(), "", "", 0},
		{"overlap", "above what the launch can reach", mtl112(), ingest.Platform{},
			kernel("k", "2048", "16", 32, 10, 1, measured(60)), Above, BasisMeasured, 60 - 100*128.0/896,
			CauseConcurrentKernels, "above the predicted peak of 14.3%", 1},
		{"above, alone", "no second kernel can have run at the same time", mtl112(), ingest.Platform{},
			kernel("k", "2048", "16", 32, 10, 1, measured(60)), Above, BasisMeasured, 60 - 100*128.0/896,
			CauseUnexplained, "The inputs contain no other kernel", 0},
		{"adapters", "23.7 on one of four Max 1100 is 94.8", mtl112(), four,
			kernel("iso3dfd", "", "", 0, 100, 14.7, measured(23.7), peak(97)), Below, BasisMeasuredPeak, 23.7 - 97,
			CauseAdapters, "if 1 worked, 23.7% on average is 94.8% on those that worked", 0},
		{"adapters, nothing to compare", "real: the summary has no shape and no peak, but its table says that one of four worked", max1100(), oneOfFour,
			kernel("iso3dfd", "", "", 0, 0, 0, measured(23.7)), NoPrediction, "", math.NaN(), CauseAdapters,
			"and 1 worked: 23.7% on average is 94.8% on those that worked", 0},
		{"summary, no count", "real: Fan1 in a hotspots summary; without a launch count the claim is weak", mtl112(), ingest.Platform{},
			kernel("Fan1", "", "", 32, 0, 0, measured(19.9), peak(14.3)), Above, BasisMeasuredPeak, 5.6,
			CauseConcurrentKernels, "or launches are shorter than the sampling interval, which is not given", 1},
		{"summary, count", "real: Fan1 in an offload summary: 19 us launches above what all their threads are", mtl112(), ingest.Platform{},
			kernel("Fan1", "", "", 32, 2047, 0.038, measured(26.5), peak(14.3)), Unmeasurable, BasisMeasuredPeak,
			12.2, CauseSampling, "A launch lasts 0.02 of an interval, and this kernel takes 4% of the GPU's time",
			1},
		{"idle", "100 ms launches have 1% of their time outside at most: the rest of the idle time is within", mtl112(), ingest.Platform{},
			kernel("k", "1048576", "512", 32, 10, 1, measured(60), idle(38)), Below, BasisMeasured, math.NaN(),
			CauseImbalance, "XVEs were idle 38.0% of the time, and at most 1.0% of the time can be outside",
			0},
		{"imbalance", "busy array, many waves, barrier stalls", mtl112(), ingest.Platform{},
			kernel("k", "1048576", "512", 32, 10, 1, measured(70), idle(2), barrier(35)), Below, BasisMeasured,
			math.NaN(), CauseImbalance, "35.0% of the stalls are at barriers", 0},
		{"grf", "half the slots, and VTune's peak does not know", mtl112(), ingest.Platform{},
			kernel("k", "1048576", "512", 32, 10, 1, measured(49), peak(100), idle(1.5), barrier(2)), Below,
			BasisMeasured, math.NaN(), CauseGRF, "49.7% is predicted for a kernel compiled for 256 registers per thread (large GRF)", 0},
		{"grf without stalls", "a refit that fits says more than an imbalance for which there is no column", mtl112(), ingest.Platform{},
			kernel("k", "1048576", "512", 32, 10, 1, measured(49), peak(100), idle(1.5)), Below, BasisMeasured,
			math.NaN(), CauseGRF, "large GRF", 0},
		{"imbalance without stalls", "what is left when the array was busy and no refit fits", mtl112(), ingest.Platform{},
			kernel("k", "1048576", "512", 32, 10, 1, measured(70), idle(2)), Below, BasisMeasured, math.NaN(),
			CauseImbalance, "With 36.6 waves, a partial last wave costs little", 0},
		{"busy stacks", "a launch on one of two stacks leaves half of the XVEs idle, and only 1.5% are", max1550(), ingest.Platform{},
			kernel("k", "16777216", "512", 32, 10, 1, measured(49), idle(1.5), barrier(2),
				func(k *ingest.Kernel) { k.Registers = unit.Some(128) }),
			Below, BasisMeasured, math.NaN(), CauseSLM, "2 work-groups per Xe-core instead of 4", 0},
		{"simd", "twice the width halves the threads of a small grid, and the export has the width", mtl112(), ingest.Platform{},
			kernel("k", "8192", "512", 16, 10, 1, measured(28.4), idle(0.5), barrier(2)), Below, BasisMeasured,
			math.NaN(), CauseUnexplained, "", 0},
		{"explicit simd", "a thread for each work-item: 448 of 896. At SIMD 8 the idle XVEs would leave 12.5% of the others", mtl112(), ingest.Platform{},
			kernel("k", "448", "16", 1, 10, 1, measured(8), idle(0.5), barrier(2), barriers(5)), Below, BasisMeasured,
			8 - 50, CauseUnexplained, "None of the known causes fits", 0},
		{"unexplained", "nothing fits, and the text says what is missing", mtl112(), ingest.Platform{},
			kernel("k", "1048576", "512", 32, 10, 1, measured(30)), Below, BasisMeasured, math.NaN(),
			CauseUnexplained, "without the XVE array state", 0},
		{"grf known", "VTune does not know the register mode, so its 100 is no error of the device", mtl112(), ingest.Platform{},
			kernel("k", "1048576", "512", 32, 10, 1, measured(49), peak(100),
				func(k *ingest.Kernel) { k.Registers = unit.Some(256) }),
			Match, BasisMeasured, math.NaN(), "", "", 0},
		{"grf smaller", "an Xe3 kernel of 96 registers holds 10 threads where 8 are assumed", xe3(), ingest.Platform{},
			kernel("k", "4194304", "512", 32, 10, 1, measured(97), peak(100)), Above, BasisMeasured, math.NaN(),
			CauseGRF, "For 96 registers per thread, 99.7% is predicted", 0},
		{"idle contradicts", "60% cannot be loaded in 30% of the time: no loaded value, and no idle as cause", mtl112(), ingest.Platform{},
			kernel("k", "1048576", "512", 32, 10, 1, measured(60), idle(70)), Below, BasisMeasured, math.NaN(),
			CauseUnexplained, "60.0% was measured, but XVEs that are idle for 70.0% of the time leave at most 30.0%", 0},
		{"idle explains nothing", "0.2% idle is not why 94.9 of 100 are missing 5", mtl112(), ingest.Platform{},
			kernel("k", "7168000", "512", 32, 10, 1, measured(94.5), idle(0.2), barrier(2)), Below, BasisMeasured,
			math.NaN(), CauseUnexplained, "", 0},
		{"shape due to noise", "one thread more is 0.03 points: every peak fits some multiple", max1100(), ingest.Platform{},
			kernel("k", "16", "16", 16, 10, 1, peak(37.3)), Above, BasisPeak, math.NaN(), CauseModelMismatch,
			"the device or the launch size", 0},
		{"shape or device", "Fan1 on a GPU with four times the slots: both readings are named", max1100(), ingest.Platform{},
			kernel("Fan1", "2048", "16", 32, 2047, 1.037689, peak(14.3)), Above, BasisPeak, math.NaN(),
			CauseLaunchSize, "(or the GPU is one with about 895 thread slots: check the device)", 0},
		{"imbalance of one", "one thread a work-group waits for nobody", mtl112(), ingest.Platform{},
			kernel("k", "4194304", "32", 32, 10, 1, measured(70), idle(2), barrier(35)), Below, BasisMeasured,
			math.NaN(), CauseUnexplained, "", 0},
		{"no local", "the export lacks a column, and its peak is what is left to compare with", mtl112(), ingest.Platform{},
			kernel("k", "1048576", "", 32, 10, 1, measured(70), peak(100), idle(2)), NoPrediction, BasisMeasuredPeak, -30,
			"", "", 0},
		{"no global", "a launch of a bit more than one wave has half of its peak", mtl112(), ingest.Platform{},
			kernel("k", "", "256", 32, 10, 1, measured(45), peak(100), idle(2)), NoPrediction, BasisMeasuredPeak, -55,
			"", "", 0},
		{"no global, less than half", "no last wave costs more than half of the peak", mtl112(), ingest.Platform{},
			kernel("k", "", "256", 32, 10, 1, measured(44.9), peak(100), idle(2)), Below, BasisMeasuredPeak, -55.1,
			CauseUnexplained, "A partial last wave costs at most half of the peak. The rest is unknown without a prediction.", 0},
		{"no width", "half of a lower peak", mtl112(), ingest.Platform{},
			kernel("k", "4096", "16", 0, 10, 1, measured(10), peak(40)), Below, BasisMeasuredPeak, -30,
			CauseUnexplained, "A partial last wave costs at most half of the peak.", 0},
		{"no global, large GRF", "256 registers halve the peak before the last wave does", mtl112(), ingest.Platform{},
			kernel("k", "", "256", 32, 10, 1, measured(21), peak(100), idle(2), registers(256)), NoPrediction, BasisMeasuredPeak,
			-79, "", "", 0},
		{"no global, full", "no last wave is missing", mtl112(), ingest.Platform{},
			kernel("k", "", "256", 32, 10, 1, measured(97), peak(100), idle(2)), Match, BasisMeasuredPeak, -3, "", "", 0},
		{"barrier", "GPU Barriers say that a work-group has one at least: 32 barrier slots hold 32 of 56 threads, as VTune says itself", gen9(), ingest.Platform{},
			kernel("k", "1048576", "8", 8, 10, 1, measured(57), peak(57.1),
				func(k *ingest.Kernel) { k.Barriers = unit.Some(int64(131072)); pct(&k.PeakBarrier, 57.1) }),
			Match, BasisMeasured, 57 - 100*131072.0/(1366*168), "", "", 0},
		{"barriers by VTune", "28.6% of 56 slots are 16 work-groups of one thread", gen9(), ingest.Platform{},
			kernel("k", "1048576", "8", 8, 10, 1, measured(28), peak(28.6),
				func(k *ingest.Kernel) { k.Barriers = unit.Some(int64(131072)); pct(&k.PeakBarrier, 28.6) }),
			Match, BasisMeasured, math.NaN(), "", "", 0},
		{"barriers", "27.5% of 56 slots is no whole number", gen9(), ingest.Platform{},
			kernel("k", "1048576", "8", 8, 10, 1, measured(27), peak(27.5),
				func(k *ingest.Kernel) { k.Barriers = unit.Some(int64(131072)); pct(&k.PeakBarrier, 27.5) }),
			Below, BasisMeasured, math.NaN(), CauseModelMismatch, "no export has the barriers of a work-group.", 0},
		{"barrier, no limit", "as many barrier slots as threads", mtl112(), ingest.Platform{},
			kernel("k", "4194304", "32", 32, 10, 1, measured(99), peak(100),
				func(k *ingest.Kernel) { k.Barriers = unit.Some(int64(1000)) }), Match, BasisMeasured, math.NaN(), "",
			"", 0},
		{"grf that changes nothing", "64 threads leave an XVE far from full in any register mode; 70% idle takes the most", mtl112(), ingest.Platform{},
			kernel("k", "1024", "16", 32, 20, 0.98071, measured(1.1), peak(7.1), idle(70)), Below, BasisMeasured,
			math.NaN(), CauseImbalance, "XVEs were idle 70.0%", 0},
		{"idle takes less than residency", "3.5 of 7.1 while loaded is a half, 40% idle is less", mtl112(), ingest.Platform{},
			kernel("k", "2048", "512", 32, 500, 2.043255, measured(2.1), peak(7.1), idle(40)), Below, BasisMeasured,
			math.NaN(), CauseUnexplained, "", 0},
		{"simd that changes nothing", "two full waves at either width", max1550(), ingest.Platform{},
			kernel("k", "524288", "64", 32, 20, 0.98071, measured(94.8), idle(0.3)), Below, BasisMeasured, math.NaN(),
			CauseUnexplained, "", 0},
		{"stack that fits no better", "half of 24 and 24 are as far from 18 while loaded", max1550(), ingest.Platform{},
			kernel("k", "31456", "16", 16, 20, 0.98071, measured(17.9), idle(0.5),
				func(k *ingest.Kernel) { k.Registers = unit.Some(128) }), Below, BasisMeasured, math.NaN(),
			CauseUnexplained, "", 0},
		{"nothing seen", "0.0 allows threads of up to 27 us, and agrees with 100% idle", max1100(), ingest.Platform{},
			kernel("k", "1048576", "256", 32, 1, 0.5, measured(0), peak(100), idle(100)), Below, BasisMeasured,
			math.NaN(), CauseNoActivity, "No thread was seen on any XVE", 0},
		{"nothing seen, loaded", "0.0 in an array that was idle 9.6% is of another window", max1100(), ingest.Platform{},
			kernel("k", "1048576", "256", 32, 10, 0.5, measured(0), peak(100), idle(9.6)), Unmeasurable,
			BasisMeasured, math.NaN(), CauseSampling, "0.0% means that no thread was seen", 0},
		{"dispatch open", "0.1 may be 0.149: 4.4 us or 6.5 us", max1100(), ingest.Platform{},
			kernel("k", "1048576", "256", 32, 10, 0.4, measured(0.1), peak(100), idle(20)), Below, BasisMeasured,
			math.NaN(), CauseUnexplained, "", 0},
		{"dispatch, digit closed", "0.1 is at most 0.15: 4.9 us", max1100(), ingest.Platform{},
			kernel("k", "1048576", "256", 32, 10, 0.29, measured(0.1), peak(100), idle(20)), Below, BasisMeasured,
			math.NaN(), CauseDispatch, "The mean thread lifetime is 3.2 to 4 us", 0},
		{"life of one of four", "the profiler's 20% is of four adapters: 6.45 us, not 1.6", max1100(), oneOfFour,
			kernel("k", "1048576 x 100", "256 x 1", 32, 2000, 14.74, measured(20), peak(100), idle(76)), Below,
			BasisMeasured, math.NaN(), CauseAdapters,
			"1 worked: 20.0% on average is 80.0% on those that worked, idle 4.0% of the time", 0},
		{"life of unknown adapters", "nothing says how many worked: at most 4.8 us", max1100(), four,
			kernel("k", "1048576 x 100", "256 x 1", 32, 2000, 11, measured(20), peak(100), idle(76)), Below,
			BasisMeasured, math.NaN(), CauseAdapters,
			"if 1 worked, that leaves 75.0% of the XVEs idle, and 76.0% were.", 0},
		{"idle of one of four", "75 of 80% are adapters that did not work; the one that did was idle 20% of the time", max1100(), oneOfFour,
			kernel("k", "1048576 x 100", "256 x 1", 32, 2000, 14.74, measured(20), peak(100), idle(80)), Below,
			BasisMeasured, math.NaN(), CauseAdapters,
			"1 worked: 20.0% on average is 80.0% on those that worked, idle 20.0% of the time.", 0},
		{"idle contradicts one of four", "20% idle cannot be if three of four did not work: the summary is not of this kernel", max1100(), oneOfFour,
			kernel("k", "1048576 x 100", "256 x 1", 32, 2000, 14.74, measured(77), peak(100), idle(20)), Below,
			BasisMeasured, math.NaN(), CauseImbalance,
			"XVEs were idle 20.0% of the time, and at most 11.9% of the time can be outside", 0},
		{"shape beyond the cap", "work-groups of 15 threads that stay whole fill 60 of 64 slots: no grid reaches 100", max1100(), ingest.Platform{},
			kernel("k", "15360", "240", 16, 20, 0.98071, measured(20), peak(100), idle(1), barriers(5)), Below,
			BasisMeasured, math.NaN(), CauseModelMismatch,
			"The profiler's peak is 100.0% and the predicted peak 26.8%", 0},
		{"shape at the cap", "and any grid of 3360 threads or more reaches 93.75", max1100(), ingest.Platform{},
			kernel("k", "15360", "240", 16, 20, 0.98071, measured(20), peak(93.8), idle(1), barriers(5)), Below,
			BasisMeasured, math.NaN(), CauseLaunchSize,
			"is 3,360 threads of 3,584 thread slots, and the work-size cell (15360 in work-groups of 240, SIMD 16) has 960 threads: a grid 4 or more times larger fits", 0},
		{"overlap by a digit", "80.4 is how the peak of 80.357 is printed, so the launch alone reaches it", tgl(), ingest.Platform{},
			kernel("k", "4800", "240", 8, 20, 0.98, measured(80.4), peak(80.4), idle(1), barriers(5)), Above,
			BasisMeasured, math.NaN(), CauseConcurrentKernels,
			"above the predicted average of 62.5% and within the peak of 80.4%", 1},
		{"grf smaller, below the peak", "what it is above is named: the average, not the peak of 80", xe3(), ingest.Platform{},
			kernel("k", "33792", "512", 32, 10, 1, measured(79), peak(100)), Above, BasisMeasured, math.NaN(),
			CauseGRF, "is above the predicted average of 66.4%", 0},
		{"copy", "no launch size and a transfer's name", mtl112(), ingest.Platform{},
			kernel("zeCommandListAppendMemoryCopy", "", "", 0, 256, 0.03, measured(36.5), peak(0)), NotAKernel, "",
			math.NaN(), "", "", 0},
		{"no peak, no measurement", "a launch size alone", mtl112(), ingest.Platform{},
			kernel("k", "2048", "16", 32, 1, 1), NoMeasurement, "", math.NaN(), "", "", 0},
		{"no shape", "measured, but nothing to predict from", mtl112(), ingest.Platform{},
			kernel("k", "", "", 32, 1, 1, measured(50)), NoPrediction, "", math.NaN(), "", "", 0},
		{"does not fit", "a work-group above the maximum cannot be predicted", mtl112(), ingest.Platform{},
			kernel("k", "4096", "2048", 32, 1, 1, measured(50), peak(50)), NoPrediction, "", math.NaN(), "", "", 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			kernels := []ingest.Kernel{c.k}
			if c.others > 0 {
				beside := kernel("next to", "2048", "16", 32, 10, 1) // another task that takes 1 s
				kernels = append(kernels, beside)
			}
			r := Compare(&ingest.Run{Kernels: kernels, Platform: c.platform}, given(c.dev), DefaultOptions())
			var row *Row
			for i := range r.Rows {
				if r.Rows[i].Task == c.k.Task {
					row = &r.Rows[i]
				}
			}
			if row.Verdict != c.verdict || row.Basis != c.basis {
				t.Errorf("%s: verdict %q on basis %q, want %q on %q", c.why, row.Verdict, row.Basis, c.verdict, c.basis)
			}
			if d, ok := row.Difference.Value(); !math.IsNaN(c.difference) && (!ok ||
				math.Abs(float64(d)-c.difference) > 1e-9) {
				t.Errorf("%s: difference %v %v, want %v", c.why, d, ok, c.difference)
			}
			switch {
			case row.Cause == nil && c.cause != "":
				t.Errorf("%s: no cause, want %s", c.why, c.cause)
			case row.Cause != nil && (row.Cause.Name != c.cause || !strings.Contains(row.Cause.Evidence, c.because)):
				t.Errorf("%s: cause %q %q, want %q with %q", c.why, row.Cause.Name, row.Cause.Evidence, c.cause,
					c.because)
			}
		})
	}
}

// TestThreadLife checks the mean thread lifetime, which Little's law computes
// from the slots that the measured value covers.
func TestThreadLife(t *testing.T) {
	four, one, two := unit.Some(4), unit.Some(1), unit.Some(2)
	for _, c := range []struct {
		why      string
		dev      *arch.Device
		platform ingest.Platform
		more     tell
		times    float64 // multiple of the slots of the device
	}{
		{"one adapter", max1100(), ingest.Platform{}, nil, 1},
		{"one of four worked", max1100(), ingest.Platform{Adapters: four, Stacks: one, BusyStacks: one}, nil, 4},
		{"two of four worked, at once as far as we know", max1100(), ingest.Platform{Adapters: four, Stacks: one, BusyStacks: two}, nil, 2},
		{"nothing says how many worked", max1100(), ingest.Platform{Adapters: four}, nil, 1},
		{"more measured than one of four can hold", max1100(), ingest.Platform{Adapters: four, Stacks: one, BusyStacks: one}, measured(30), 1},
		{"the row names its adapter", max1100(), ingest.Platform{Adapters: four, Stacks: one, BusyStacks: one}, func(k *ingest.Kernel) { k.Device = "GPU 2" }, 1},
		{"counters read around each launch", max1100(), ingest.Platform{Adapters: four, Stacks: one, BusyStacks: one}, func(k *ingest.Kernel) { k.Reading = ingest.AroundLaunch }, 1},
		{"the table's device is both stacks", max1550(), ingest.Platform{Adapters: one, Stacks: two, BusyStacks: one}, nil, 1},
		{"one stack of four adapters of two", max1550(), ingest.Platform{Adapters: four, Stacks: two, BusyStacks: one}, measured(10), 4},
		{"nothing says how many stacks an adapter has", max1550(), ingest.Platform{Adapters: four, BusyStacks: one}, nil, 4},
	} {
		k := kernel("k", "1048576 x 100", "256 x 1", 32, 2000, 14.74, measured(20))
		if c.more != nil {
			c.more(&k)
		}
		row := &Compare(&ingest.Run{Kernels: []ingest.Kernel{k}, Platform: c.platform}, given(c.dev),
			DefaultOptions()).Rows[0]
		want := float64(k.Measured.Or(0)) * float64(c.dev.Slots()) * c.times * (14.74 / 2000) / 3276800
		if got := float64(row.ThreadLifetime.Or(0)); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.why, got, want)
		}
	}
}

// TestRowNotes checks the notes on values of a row that contradict each other.
func TestRowNotes(t *testing.T) {
	for _, c := range []struct {
		why  string
		k    ingest.Kernel
		want string // code of the note and beginning of its text
	}{
		{"nothing loaded in an array that was idle throughout is consistent", kernel("k", "1048576", "256", 32, 1, 0.5, measured(0), idle(100)), ""},
		{"60% in an array that was idle throughout is not", kernel("k", "1048576", "256", 32, 1, 0.5, measured(60), idle(100)), "idle-contradicts 60.0% was measured"},
		{"one thread", kernel("k", "1048576", "256", 32, 1, 0.5, func(k *ingest.Kernel) { k.Threads = unit.Some(int64(1)) }), "threads-started 1 thread was started, and 32,768 are predicted"},
		{"threads", kernel("k", "1048576", "256", 32, 1, 0.5, func(k *ingest.Kernel) { k.Threads = unit.Some(int64(2)) }), "threads-started 2 threads were started, and 32,768"},
	} {
		row := &Compare(&ingest.Run{Kernels: []ingest.Kernel{c.k}}, given(gen9()), DefaultOptions()).Rows[0]
		got := ""
		for _, n := range row.Notes {
			got += n.Code + " " + n.Text
		}
		if c.want == "" && got != "" || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: notes %q, want %q", c.why, got, c.want)
		}
	}
}

// TestTolerance checks both edges: a difference equal to the tolerance matches.
func TestTolerance(t *testing.T) {
	for _, c := range []struct {
		tolerance unit.Points
		want      Verdict
	}{{35, PeaksAgree}, {34.9, Above}} {
		o := DefaultOptions()
		o.Tolerance = c.tolerance
		k := kernel("gemm_kernel", "128 x 8", "64 x 8", 16, 50, 0.026427, peak(40))
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(b580()), o)
		if got := r.Rows[0].Verdict; got != c.want {
			t.Errorf("40 against 5 with tolerance %v: %s, want %s", c.tolerance, got, c.want)
		}
	}
}

// TestThreadsStarted checks that counted threads are compared only with
// launches whose number is known, and that were all counted.
func TestThreadsStarted(t *testing.T) {
	for _, c := range []struct {
		why  string
		tell tell
		want bool
	}{
		{"10 launches of 512 threads", func(k *ingest.Kernel) {}, false},
		{"16 launches would be needed", func(k *ingest.Kernel) { k.Threads = unit.Some[int64](8192) }, true},
		{"an average without a count", func(k *ingest.Kernel) {
			k.Instances, k.Total, k.Mean = unit.Opt[int64]{}, unit.Opt[unit.Seconds]{}, unit.Some[unit.Seconds](0.1)
		}, false},
		{"a count of some of them", func(k *ingest.Kernel) {
			k.Instances, k.Mean, k.Uneven = unit.Some[int64](3), unit.Some[unit.Seconds](0.1), true
		}, false},
	} {
		k := kernel("k", "16384", "256", 32, 10, 1, measured(50),
			func(k *ingest.Kernel) { k.Threads = unit.Some[int64](5120) }, c.tell)
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(gen9()), DefaultOptions())
		got := false
		for _, n := range r.Rows[0].Notes {
			got = got || n.Code == "threads-started"
		}
		if got != c.want {
			t.Errorf("%s: warned %v, want %v", c.why, got, c.want)
		}
	}
}

// TestOrder checks the order of rows: urgent rows first, then by time, and
// tasks that are not kernels last.
func TestOrder(t *testing.T) {
	run := &ingest.Run{Kernels: []ingest.Kernel{
		kernel("copy", "", "", 0, 1, 9, measured(1), func(k *ingest.Kernel) { k.Direction = names.HostToDevice }),
		kernel("matches", "1048576", "512", 32, 10, 5, measured(99)),
		kernel("low", "1048576", "512", 32, 10, 1, measured(30)),
		kernel("lower", "1048576", "512", 32, 10, 2, measured(20)),
	}}
	r := Compare(run, given(mtl112()), DefaultOptions())
	var got []string
	for i := range r.Rows {
		row := &r.Rows[i]
		got = append(got, row.Task)
	}
	if g := strings.Join(got, " "); g != "lower low matches copy" {
		t.Errorf("order %s", g)
	}
	s := r.Summary
	if s.Kernels != 3 || s.NotKernels != 1 || s.Matched != 1 || s.Below != 2 || s.Unexplained != 2 {
		t.Errorf("summary %+v", s)
	}
	// The differences were computed by hand: 2048 work-groups of 16 threads are
	// 36.571 waves, so the predicted average is 36.571/37 = 98.842% to 99.034%.
	avg := 100 * (32768.0 / 896) / 37
	if b, _ := s.Bias.Value(); math.Abs(float64(b)-(0+(30-avg)+(20-avg))/3) > 1e-9 {
		t.Errorf("bias %v", b)
	}
	if m, _ := s.MaxAbsolute.Value(); math.Abs(float64(m)-(avg-20)) > 1e-9 {
		t.Errorf("largest difference %v", m)
	}
}

// TestTimings checks that names in a log are joined with VTune's names, and
// that timings without an export have a prediction if the sizes are given.
func TestTimings(t *testing.T) {
	timings := []ingest.Timing{
		{Kernel: "VectorAdd<12>", Groups: unit.Some(int64(12)), Pos: note.Pos{File: "log", Line: 2}},
		{Kernel: "VectorAdd<1>", Groups: unit.Some(int64(1)), Pos: note.Pos{File: "log", Line: 3}},
		{Kernel: "VectorAdd1", Pos: note.Pos{File: "log", Line: 4}},
	}
	long := kernel("VectorAdd<(int)12, (int)256, (int)32>(int, sycl::_V1::queue&)", "3072", "256", 32, 1, 1, peak(12))
	other := kernel("VectorAdd<(int)120, (int)256, (int)32>(int)", "3072", "256", 32, 1, 1, peak(12))
	run := &ingest.Run{Kernels: []ingest.Kernel{other, long}, Timings: timings}
	o := DefaultOptions()
	r := Compare(run, given(mtl112()), o)
	if got := r.Timings[0].Row; got < 0 || r.Rows[got].Task != long.Task {
		t.Errorf("VectorAdd<12> joined to row %d", got)
	}
	if r.Timings[1].Row != -1 || len(r.Rows) != 2 {
		t.Errorf("without sizes a timing gets no row: %d, %d rows", r.Timings[1].Row, len(r.Rows))
	}
	if n := r.Notes[0]; n.Code != "timing-without-row" || !strings.HasPrefix(n.Text, "2 timings have no prediction") {
		t.Errorf("note %v", n)
	}
	if r.Notes[0].Pos.Line != 3 {
		t.Errorf("the note is at %v, want the first timing that has no row", r.Notes[0].Pos)
	}
	o.Local.Set("", unit.Size(256))
	o.SIMD.Set("", 32)
	if r = Compare(run, given(mtl112()), o); len(r.Notes) != 1 || r.Notes[0].Pos.Line != 4 ||
		!strings.Contains(r.Notes[0].Text, "has no number of work-groups") {
		t.Errorf("notes %v, want one at the timing that has no groups", r.Notes)
	}
	timings[1].Groups = unit.Some(int64(3)) // of 256 work-items each
	if row := Compare(run, given(mtl112()), o).Rows[2]; row.Global != unit.Size(768) {
		t.Errorf("3 work-groups of 256 are %v", row.Global)
	}
	timings[1].Groups = unit.Some(int64(1))
	o.Local.Set("nosuch", unit.Size(64))
	if n := Compare(run, given(mtl112()), o).Notes; n[0].Code != "no-such-kernel" || !strings.HasPrefix(n[0].Text,
		"a work-group size is given for nosuch") {
		t.Errorf("notes %v, want the name that no kernel has", n)
	}
	run.Platform.VectorSize = unit.Some(int64(13762560))
	r = Compare(run, given(mtl112()), o)
	row := r.Rows[r.Timings[1].Row]
	if !row.FromLog || row.Task != "VectorAdd<1>" || row.Global != unit.Size(256) || row.Verdict != NoMeasurement ||
		row.Instances.Present() {
		t.Errorf("row of a log: %+v", row)
	}
	if row := r.Rows[r.Timings[2].Row]; row.Global != unit.Size(13762560) {
		t.Errorf("VectorAdd1 works on the whole vector: %v", row.Global)
	}
	// If a log times a launch twice, the launch is still one row.
	run.Timings = append(run.Timings, ingest.Timing{Kernel: "VectorAdd<1>", Groups: unit.Some(int64(1)),
		Pos: note.Pos{File: "log", Line: 5}})
	again := Compare(run, given(mtl112()), o)
	if n := len(again.Rows); n != len(r.Rows) || again.Timings[3].Row != again.Timings[1].Row {
		t.Errorf("%d rows, of %d before the second time; timings %+v", n, len(r.Rows), again.Timings)
	}
}

// TestNoPrediction checks that a row without a prediction names the property
// that its launch lacks. The cases are in the order in which a user must
// provide the properties.
func TestNoPrediction(t *testing.T) {
	for _, c := range []struct {
		reason string
		d      *arch.Device
		k      ingest.Kernel
		says   string
		want   Verdict
	}{
		{"no device", nil, kernel("k", "114688", "256", 32, 10, 1, measured(50)), "the device is not known", NoPrediction},
		{"no global size", mtl112(), kernel("k", "", "256", 32, 10, 1, measured(50)), "no global work size", NoPrediction},
		{"no work-group size", mtl112(), kernel("k", "114688", "", 32, 10, 1, measured(50)), "no work-group size", NoPrediction},
		{"no SIMD width", mtl112(), kernel("k", "114688", "256", 0, 10, 1, measured(50)), "no SIMD width", NoPrediction},
		{"nor anything else", mtl112(), kernel("k", "", "", 0, 10, 1), "no global work size", NoMeasurement},
		{"a peak alone tells nothing without a launch", mtl112(), kernel("k", "", "", 0, 10, 1, peak(50)), "no global work size", NoPrediction},
		{"a copy is nothing to predict", mtl112(), kernel("zeCommandListAppendMemoryCopy", "", "", 0, 10, 1, measured(50)), "", NotAKernel},
	} {
		row := compared(t, c.d, DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{c.k}})
		if row.Predicted != nil || !strings.Contains(row.NoPrediction, c.says) ||
			(row.NoPrediction == "") != (c.says == "") || row.Verdict != c.want {
			t.Errorf("%s: %s, %q, want %s, %q", c.reason, row.Verdict, row.NoPrediction, c.want, c.says)
		}
	}
}

// TestPolicy checks that a policy is chosen only if its prediction agrees with
// the profiler's peak, and not if it is merely nearer. For example, work-groups
// of 20 threads fill 120 of 128 slots if they stay whole (93.75%), and all
// slots otherwise.
func TestPolicy(t *testing.T) {
	for _, c := range []struct {
		peak float64
		want predict.Policy
	}{{100, predict.Free}, {93.8, predict.Whole}, {80, predict.Free}} {
		// 6 work-groups of 20 threads fill 120 of 128 slots: 93.75%.
		k := kernel("k", "6400000", "640", 32, 10, 1, measured(90), peak(c.peak))
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(mtl112()), DefaultOptions())
		if p := r.Rows[0].Predicted; p == nil || p.Policy != c.want {
			t.Errorf("peak %v: %+v, want policy %v", c.peak, p, c.want)
		}
	}
}

// TestDeviceThatCannotBe checks that a peak below the predicted peak is not
// evidence against the device, if the export does not show the limits by SLM
// and barriers.
func TestDeviceThatCannotBe(t *testing.T) {
	low := kernel("k", "114688", "256", 32, 10, 1, measured(40), peak(40))
	none := func(k *ingest.Kernel) { pct(&k.PeakSLM, 100); pct(&k.PeakBarrier, 100) }
	for _, c := range []struct {
		reason string
		k      ingest.Kernel
		want   bool
	}{
		{"SLM may limit it", low, false},
		{"neither does", kernel("k", "114688", "256", 32, 10, 1, measured(40), peak(40), none), true},
		{"a peak above it is no limit's", kernel("k", "3584", "256", 32, 10, 1, measured(10), peak(16)), true},
		{"a grid of 4 times the size explains it", kernel("k", "3584", "256", 32, 10, 1, measured(40), peak(50)), false},
	} {
		var f Fit
		f.misfit(&Result{Device: mtl112(), Options: DefaultOptions()}, []ingest.Kernel{c.k})
		if (f.Contradiction != "") != c.want {
			t.Errorf("%s: %q", c.reason, f.Contradiction)
		}
	}
}
