package predict

import (
	"errors"
	"math"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

const kb = 1024

// kbSteps returns SLM allocation steps from sizes in KB.
func kbSteps(sizes ...int) []unit.Bytes {
	steps := make([]unit.Bytes, len(sizes))
	for i, s := range sizes {
		steps[i] = unit.Bytes(s) * kb
	}
	return steps
}

var (
	smallSteps = kbSteps(0, 1, 2, 4, 8, 16, 32, 64)
	largeSteps = kbSteps(0, 1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128)
)

// The devices of these tests were written by hand from the published
// architecture tables, so that an error in the built-in device table cannot
// hide an error in the model.
func gen9() *arch.Device {
	return &arch.Device{Key: "uhd-p630", Name: "UHD Graphics P630", Architecture: "Gen9", Tiles: 1, XeCores: 3, XVEPerXeCore: 8,
		GRFModes: []arch.GRFMode{{Registers: 128, ThreadsPerXVE: 7}}, ThreadsPerXVE: 7, RegisterBytes: 32,
		SIMDWidths: []int{8, 16, 32}, SLMPerXeCore: 64 * kb, SLMPerGroupMax: 64 * kb, SLMSteps: smallSteps,
		MaxGroupSize: 256, GroupSlots: 56, BarrierSlots: []arch.SourcedCount{{Source: "calculator", Count: 32}, {Source: "neo", Count: 32}}}
}

func tgl() *arch.Device {
	return &arch.Device{Key: "tgl-96", Name: "Iris Xe (Tiger Lake)", Architecture: "Xe-LP", Tiles: 1, XeCores: 6, XVEPerXeCore: 16,
		GRFModes: []arch.GRFMode{{Registers: 128, ThreadsPerXVE: 7}}, ThreadsPerXVE: 7, RegisterBytes: 32,
		SIMDWidths: []int{8, 16, 32}, SLMPerXeCore: 64 * kb, SLMPerGroupMax: 64 * kb, SLMSteps: smallSteps,
		MaxGroupSize: 512, GroupSlots: 112, BarrierSlots: []arch.SourcedCount{{Source: "calculator", Count: 64}, {Source: "neo", Count: 32}}}
}

func mtl112() *arch.Device {
	return &arch.Device{Key: "mtl-112", Name: "Arc Graphics (Meteor Lake)", Architecture: "Xe-LPG", Tiles: 1, XeCores: 7, XVEPerXeCore: 16,
		GRFModes: []arch.GRFMode{{Registers: 128, ThreadsPerXVE: 8}, {Registers: 256, ThreadsPerXVE: 4}}, ThreadsPerXVE: 8, RegisterBytes: 32,
		SIMDWidths: []int{8, 16, 32}, SLMPerXeCore: 128 * kb, SLMPerGroupMax: 64 * kb, SLMSteps: smallSteps,
		MaxGroupSize: 1024, GroupSlots: 128, BarrierSlots: []arch.SourcedCount{{Source: "calculator", Count: 128}, {Source: "neo", Count: 32}}}
}

func max1100() *arch.Device {
	return &arch.Device{Key: "max1100", Name: "Data Center GPU Max 1100", Architecture: "Xe-HPC", Tiles: 1, XeCores: 56, XVEPerXeCore: 8,
		GRFModes: []arch.GRFMode{{Registers: 128, ThreadsPerXVE: 8}, {Registers: 256, ThreadsPerXVE: 4}}, ThreadsPerXVE: 8, RegisterBytes: 64,
		SIMDWidths: []int{16, 32}, SLMPerXeCore: 128 * kb, SLMPerGroupMax: 128 * kb, SLMSteps: largeSteps,
		MaxGroupSize: 1024, GroupSlots: 64, BarrierSlots: []arch.SourcedCount{{Source: "calculator", Count: 64}, {Source: "neo", Count: 32}},
		GroupLimits: groupLimits("large_grf_simd16=512")}
}

func b580() *arch.Device {
	d := max1100()
	d.Key, d.Name, d.Architecture, d.XeCores, d.SLMPerXeCore = "b580", "Arc B580", "Xe2-HPG", 20, 160*kb
	d.GroupLimits = groupLimits("large_grf_simd16=512 max_threads_per_wg.simd16_grf128=64 max_threads_per_wg.other=32")
	return d
}

func b390() *arch.Device {
	d := max1100()
	d.Key, d.Name, d.Architecture, d.XeCores, d.SLMPerXeCore = "b390", "Arc B390", "Xe3", 12, 192*kb
	d.ThreadsPerXVE, d.GroupSlots = 10, 80
	d.GRFModes = []arch.GRFMode{{Registers: 96, ThreadsPerXVE: 10}, {Registers: 128, ThreadsPerXVE: 8},
		{Registers: 160, ThreadsPerXVE: 6}, {Registers: 192, ThreadsPerXVE: 5}, {Registers: 256, ThreadsPerXVE: 4}}
	d.GroupLimits = groupLimits("max_threads_per_wg.grf128_simd16=64;max_threads_per_wg.grf160=48;max_threads_per_wg.grf192=40;max_threads_per_wg.grf256_or_simd32=32")
	d.BarrierSlots = []arch.SourcedCount{{Source: "neo", Count: 32}}
	return d
}

// groupLimits returns parsed limits that are known to be valid.
func groupLimits(text string) []arch.GroupLimit {
	limits, err := arch.ParseGroupLimits(text)
	if err != nil {
		panic(err)
	}
	return limits
}

func size(dims ...int64) unit.Size3 { return unit.Size(dims...) }

// near reports whether ratios are equal, if one was computed by hand in another
// order.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

func TestPredict(t *testing.T) {
	tests := []struct {
		name   string
		d      *arch.Device
		l      Launch
		want   Prediction // the fields below are compared
		limits Limit
		reason string
	}{
		{"fan1", mtl112(), Launch{Global: size(2048), Local: size(16), SIMD: 32},
			Prediction{Policy: Free, ThreadsPerGroup: 1, Groups: 128, GroupsPerXeCore: 128, XeCore: 1, Peak: 128. / 896, Average: 128. / 896, Waves: 128. / 896, LastWaveOccupancy: 128. / 896, IdleLanes: 16},
			LimitGrid, "128 threads on 896 slots: no limit of an Xe-core is limiting"},
		{"fan2", mtl112(), Launch{Global: size(2048, 2048), Local: size(1024, 1), SIMD: 32},
			Prediction{Policy: Free, ThreadsPerGroup: 32, Groups: 4096, GroupsPerXeCore: 4, XeCore: 1, Peak: 1, Average: 131072. / 896 / 147, Waves: 131072. / 896, LastWaveOccupancy: 256. / 896},
			LimitThreads, "146.3 waves: the last wave costs half a point"},
		{"gemm", mtl112(), Launch{Global: size(512, 512), Local: size(512, 2), SIMD: 32},
			Prediction{Policy: Free, ThreadsPerGroup: 32, Groups: 256, GroupsPerXeCore: 4, XeCore: 1, Peak: 1, Average: 8192. / 896 / 10, Waves: 8192. / 896, LastWaveOccupancy: 128. / 896},
			LimitThreads | LimitTail, "9.14 waves: 91.43%"},
		{"tiger lake <44>", tgl(), Launch{Global: size(22528), Local: size(512), SIMD: 32},
			Prediction{Policy: Free, ThreadsPerGroup: 16, Groups: 44, GroupsPerXeCore: 7, XeCore: 1, Peak: 1, Average: 704. / 672 / 2, Waves: 704. / 672, LastWaveOccupancy: 32. / 672},
			LimitThreads | LimitTail, "published: 100% then 4.7%"},
		{"explicit simd", max1100(), Launch{Global: size(3584), Local: size(32), SIMD: 1},
			Prediction{Policy: Free, ThreadsPerGroup: 32, Groups: 112, GroupsPerXeCore: 2, XeCore: 1, Peak: 1, Average: 1, Waves: 1},
			LimitThreads, "each work-item of an ESIMD kernel is a thread, on every device"},
		{"odd work-groups, free", tgl(), Launch{Global: size(320 * 600), Local: size(320), SIMD: 8},
			Prediction{Policy: Free, ThreadsPerGroup: 40, Groups: 600, GroupsPerXeCore: 2, XeCore: 80. / 112, Peak: 1, Average: 24000. / 672 / 36, Waves: 24000. / 672, LastWaveOccupancy: 480. / 672},
			LimitThreads, "threads of a third work-group use what two leave"},
		{"odd work-groups, whole", tgl(), Launch{Global: size(320 * 600), Local: size(320), SIMD: 8, Barriers: 1},
			Prediction{Policy: Whole, ThreadsPerGroup: 40, Groups: 600, GroupsPerXeCore: 2, XeCore: 80. / 112, Peak: 80. / 112, Average: 80. / 112, Waves: 50},
			LimitThreads, "12 work-groups per wave, no partial last wave"},
		{"slm", max1100(), Launch{Local: size(320), SIMD: 32, SLM: 26 * kb},
			Prediction{Policy: Whole, ThreadsPerGroup: 10, GroupsPerXeCore: 4, SLMAllocated: 32 * kb, XeCore: 0.625},
			LimitSLM, "26 KB take 32 KB; no global size"},
		{"slm and threads", max1100(), Launch{Local: size(512), SIMD: 32, SLM: 32 * kb},
			Prediction{Policy: Whole, ThreadsPerGroup: 16, GroupsPerXeCore: 4, SLMAllocated: 32 * kb, XeCore: 1},
			LimitSLM | LimitThreads, "both equal N"},
		{"slm and grid", max1100(), Launch{Global: size(320 * 56), Local: size(320), SIMD: 32, SLM: 32 * kb},
			Prediction{Policy: Whole, ThreadsPerGroup: 10, Groups: 56, GroupsPerXeCore: 4, SLMAllocated: 32 * kb, XeCore: 0.625, Peak: 560. / 3584, Average: 560. / 3584, Waves: 0.25, LastWaveOccupancy: 560. / 3584},
			LimitGrid, "all work-groups are resident, so SLM is not limiting"},
		{"barriers", max1100(), Launch{Local: size(64), SIMD: 32, Barriers: 4},
			Prediction{Policy: Whole, ThreadsPerGroup: 2, GroupsPerXeCore: 16, XeCore: 0.5}, LimitBarriers, "64 slots / 4 barriers"},
		{"barrier slots given", max1100(), Launch{Local: size(64), SIMD: 32, Barriers: 4, BarrierSlots: 32},
			Prediction{Policy: Whole, ThreadsPerGroup: 2, GroupsPerXeCore: 8, XeCore: 0.25}, LimitBarriers, "32 slots / 4 barriers"},
		{"work-group slots given", tgl(), Launch{Global: size(32 * 1000), Local: size(32), SIMD: 8, GroupSlots: 16},
			Prediction{Policy: Free, ThreadsPerGroup: 4, Groups: 1000, GroupsPerXeCore: 16, XeCore: 64. / 112, Peak: 64. / 112, Average: 4000. / 11 / 672, Waves: 4000. / 384, LastWaveOccupancy: 160. / 672},
			LimitGroupSlots, "16 work-groups of 4 threads are 64 of 112 slots, wherever the threads go"},
		{"large GRF", max1100(), Launch{Global: size(1 << 20), Local: size(512), SIMD: 32, GRF: 256},
			Prediction{Policy: Free, ThreadsPerGroup: 16, Groups: 2048, GroupsPerXeCore: 2, XeCore: 0.5, Peak: 0.5, Average: 32768. / 3584 / 19, Waves: 32768. / 1792, LastWaveOccupancy: 512. / 3584},
			LimitThreads | LimitRegisters, "half the threads, shares of all slots"},
		{"large GRF under SLM", max1100(), Launch{Local: size(512), SIMD: 32, GRF: 256, SLM: 64 * kb},
			Prediction{Policy: Whole, ThreadsPerGroup: 16, GroupsPerXeCore: 2, SLMAllocated: 64 * kb, XeCore: 0.5},
			LimitThreads | LimitSLM, "without large GRF the SLM would still allow only two"},
		{"Xe3 default GRF", b390(), Launch{Global: size(1 << 20), Local: size(256), SIMD: 32},
			Prediction{Policy: Free, ThreadsPerGroup: 8, Groups: 4096, GroupsPerXeCore: 8, XeCore: 0.8, Peak: 0.8, Average: 32768. / 43 / 960, Waves: 32768. / 768, LastWaveOccupancy: 512. / 960},
			LimitThreads | LimitRegisters, "8 of 10 threads per XVE at 128 registers"},
		{"partial work-groups", tgl(), Launch{Global: size(1000, 3), Local: size(256, 2), SIMD: 32},
			Prediction{Policy: Free, ThreadsPerGroup: 16, Groups: 8, GroupsPerXeCore: 7, XeCore: 1, Peak: 128. / 672, Average: 128. / 672, Waves: 128. / 672, LastWaveOccupancy: 128. / 672, Partial: true},
			LimitGrid, "4 x 2 work-groups, the last of each dimension smaller"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Predict(tt.d, tt.l)
			if err != nil {
				t.Fatal(err)
			}
			sameFigures(t, p, tt.want, tt.reason)
			if p.Limits != tt.limits {
				t.Errorf("limits %v, want %v (%s)", p.Limits.Names(), tt.limits.Names(), tt.reason)
			}
		})
	}
}

// sameFigures compares counts exactly and ratios to their last digits.
func sameFigures(t *testing.T, p, w Prediction, reason string) {
	t.Helper()
	if p.Policy != w.Policy || p.ThreadsPerGroup != w.ThreadsPerGroup || p.Groups != w.Groups || p.GroupsPerXeCore != w.GroupsPerXeCore ||
		p.SLMAllocated != w.SLMAllocated || p.IdleLanes != w.IdleLanes || p.Partial != w.Partial {
		t.Errorf("counts: got %+v\nwant %+v (%s)", p, w, reason)
	}
	for _, v := range []struct {
		name      string
		got, want float64
	}{{"XeCore", float64(p.XeCore), float64(w.XeCore)}, {"Peak", float64(p.Peak), float64(w.Peak)},
		{"Average", float64(p.Average), float64(w.Average)}, {"Waves", p.Waves, w.Waves}, {"LastWaveOccupancy", float64(p.LastWaveOccupancy), float64(w.LastWaveOccupancy)}} {
		if !near(v.got, v.want) {
			t.Errorf("%s = %v, want %v (%s)", v.name, v.got, v.want, reason)
		}
	}
}

func TestPredictRejects(t *testing.T) {
	tests := []struct {
		name       string
		d          *arch.Device
		l          Launch
		code, text string
	}{
		{"no device", nil, Launch{Local: size(8), SIMD: 8}, "no-device",
			"no prediction without a device that has XVEs and thread slots (name a device, or complete the device file)"},
		{"no local", tgl(), Launch{SIMD: 8}, "no-local", "the launch has no work-group size (give the local size, for example 256 or 16x16)"},
		{"zero local", tgl(), Launch{Local: size(8, 0), SIMD: 8}, "size-not-positive",
			"the work-group size 8x0 has a dimension below 1 (every dimension has at least one work-item)"},
		{"negative global", tgl(), Launch{Global: size(-8), Local: size(8), SIMD: 8}, "size-not-positive",
			"the global size -8 has a dimension below 1 (every dimension has at least one work-item)"},
		{"overflow", tgl(), Launch{Global: size(1<<40, 1<<40), Local: size(8), SIMD: 8}, "size-overflow",
			"the global size 1099511627776x1099511627776 has more than 2^63-1 work-items (check the dimensions)"},
		{"thread overflow", tgl(), Launch{Global: size(math.MaxInt64, 1), Local: size(1, 16), SIMD: 8}, "size-overflow",
			"the global size 9223372036854775807x1 in work-groups of 2 threads needs more than 2^63-1 threads (check the global size)"},
		{"dimensions", tgl(), Launch{Global: size(1 << 20), Local: size(16, 16), SIMD: 16}, "dimensions-differ",
			"the global size 1048576 has 1 dimension, the work-group 16x16 has 2 (use a global size of 1024x1024, or a work-group of 256)"},
		{"dimensions of a size without a near square", tgl(), Launch{Global: size(1009), Local: size(16, 16), SIMD: 16}, "dimensions-differ",
			"the global size 1009 has 1 dimension, the work-group 16x16 has 2 (use a work-group of 256)"},
		{"three dimensions", tgl(), Launch{Global: size(512, 512), Local: size(4, 4, 4), SIMD: 16}, "dimensions-differ",
			"the global size 512x512 has 2 dimensions, the work-group 4x4x4 has 3 (use a work-group of 64)"},
		{"no simd", tgl(), Launch{Local: size(8)}, "no-simd", "the launch has no sub-group size (SIMD width) (give one that the device offers: 8, 16 and 32)"},
		{"negative simd", tgl(), Launch{Local: size(8), SIMD: -8}, "simd-unsupported",
			"Iris Xe (Tiger Lake) has no sub-group size (SIMD width) -8 (it offers 8, 16 and 32)"},
		{"no simd, no widths", &arch.Device{Key: "mine", XeCores: 1, XVEPerXeCore: 8, ThreadsPerXVE: 8}, Launch{Local: size(8)}, "no-simd",
			"the launch has no sub-group size (SIMD width) (give one that the device offers: 8, 16 and 32)"},
		{"local overflow", tgl(), Launch{Local: size(1<<40, 1<<40), SIMD: 8}, "size-overflow",
			"the work-group size 1099511627776x1099511627776 has more than 2^63-1 work-items (check the dimensions)"},
		{"simd", max1100(), Launch{Local: size(8), SIMD: 8}, "simd-unsupported",
			"Data Center GPU Max 1100 has no sub-group size (SIMD width) 8 (it offers 16 and 32)"},
		{"explicit simd, too many", max1100(), Launch{Local: size(128), SIMD: 1}, "too-many-threads",
			"a work-group of 128 threads (128 work-items at SIMD1) is above the 64 thread slots of an Xe-core (at most 64 work-items fit)"},
		{"grf", tgl(), Launch{Local: size(8), SIMD: 8, GRF: 256}, "grf-unsupported",
			"Iris Xe (Tiger Lake) has no mode with 256 registers per thread (it has 128)"},
		{"group", tgl(), Launch{Local: size(640), SIMD: 8}, "group-too-large",
			"a work-group of 640 work-items is above the 512 that Iris Xe (Tiger Lake) admits (at most 512 work-items fit)"},
		{"group by driver rule", max1100(), Launch{Local: size(1024), SIMD: 16, GRF: 256}, "group-too-large",
			"a work-group of 1024 work-items is above the 512 that Data Center GPU Max 1100 admits at SIMD16 and 256 registers per thread (at most 512 work-items fit, or SIMD32 or 128 registers per thread)"},
		{"threads", mtl112(), Launch{Local: size(1024), SIMD: 8, GRF: 256}, "too-many-threads",
			"a work-group of 128 threads (1024 work-items at SIMD8) is above the 64 thread slots of an Xe-core with 256 registers per thread (at most 512 work-items fit, or SIMD16 or SIMD32 or 128 registers per thread)"},
		{"slm", tgl(), Launch{Local: size(8), SIMD: 8, SLM: 65 * kb}, "slm-too-large",
			"65 KB of SLM per work-group are above the 64 KB that Iris Xe (Tiger Lake) allows for one work-group (at most 64 KB fit)"},
		{"negative slm", tgl(), Launch{Local: size(8), SIMD: 8, SLM: -1}, "slm-negative", "-1 bytes of SLM per work-group are below 0 (0 is none)"},
		{"barriers", tgl(), Launch{Local: size(8), SIMD: 8, Barriers: 65}, "too-many-barriers",
			"a work-group that uses 65 barriers needs more than the 64 barrier slots of an Xe-core (at most 64 fit)"},
		{"negative barriers", tgl(), Launch{Local: size(8), SIMD: 8, Barriers: -1}, "count-negative",
			"barriers -1, barrier slots 0 and work-group slots 0 must not be below 0 (0 means none used, or the device's own value)"},
		{"no Xe-cores", &arch.Device{Key: "cri", XVEPerXeCore: 8, ThreadsPerXVE: 8}, Launch{Global: size(8), Local: size(8), SIMD: 8}, "no-xe-cores",
			"the number of Xe-cores of cri is not known (give its XVE count, or leave the global size out to predict one Xe-core)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Predict(tt.d, tt.l)
			var refusal *LaunchError
			if !errors.As(err, &refusal) {
				t.Fatalf("error %v is not a *LaunchError", err)
			}
			if refusal.Code != tt.code || err.Error() != tt.text {
				t.Errorf("got  %s: %s\nwant %s: %s", refusal.Code, err, tt.code, tt.text)
			}
			if p != (Prediction{}) {
				t.Errorf("a rejected launch has a prediction: %+v", p)
			}
		})
	}
}

// TestGroupMaximum checks the driver's rules for large work-groups on B-series
// and Xe3 devices.
func TestGroupMaximum(t *testing.T) {
	tests := []struct {
		d               *arch.Device
		simd, registers int
		want            int64
	}{
		{max1100(), 16, 128, 1024}, {max1100(), 16, 256, 512}, {max1100(), 32, 256, 1024},
		{b580(), 16, 128, 1024}, {b580(), 16, 256, 512}, {b580(), 32, 128, 1024}, {b580(), 32, 256, 1024},
		{b390(), 16, 96, 1024}, {b390(), 16, 128, 1024}, {b390(), 16, 160, 768}, {b390(), 16, 192, 640}, {b390(), 16, 256, 512},
		{b390(), 32, 96, 1024}, {b390(), 32, 128, 1024}, {b390(), 32, 160, 1024},
		{tgl(), 8, 128, 512},
	}
	for _, tt := range tests {
		if got := maxGroupSize(tt.d, tt.simd, tt.registers); got != tt.want {
			t.Errorf("%s SIMD%d GRF %d: %d work-items, want %d", tt.d.Key, tt.simd, tt.registers, got, tt.want)
		}
	}
}

func BenchmarkPredict(b *testing.B) {
	for _, bb := range []struct {
		name string
		d    *arch.Device
		l    Launch
	}{
		{"free", tgl(), Launch{Global: size(13762560), Local: size(512), SIMD: 32}},
		{"whole", mtl112(), Launch{Global: size(2048, 2048), Local: size(16, 16), SIMD: 16, SLM: 5000, Barriers: 1}},
		{"extra", b580(), Launch{Global: size(2048, 2048), Local: size(1024, 1), SIMD: 32, SLM: 5000}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Predict(bb.d, bb.l); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
		})
	}
}
