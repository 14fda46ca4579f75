package predict_test

import (
	"math/rand/v2"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

func builtin(t testing.TB) []*arch.Device {
	t.Helper()
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	list := table.Devices()
	devices := make([]*arch.Device, len(list))
	for i := range list {
		devices[i] = &list[i]
	}
	return devices
}

// TestBuiltinDevices checks every device in the built-in table. For every
// sub-group size and GRF mode, some launch must run. A copied device must have
// the same predictions.
func TestBuiltinDevices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ran := 0
	devices := builtin(t)
	for _, d := range devices {
		custom := *d
		custom.Key, custom.Name, custom.Source, custom.Confidence = "mine", "My GPU", "my file", "user"
		for _, simd := range d.SIMDWidths {
			for _, m := range d.GRFModes {
				for range 20 {
					l := predict.Launch{Local: unit.Size(1 + r.Int64N(256)), SIMD: simd, GRF: m.Registers, Barriers: r.IntN(2)}
					if d.XeCores > 0 {
						l.Global = unit.Size(1+r.Int64N(1<<20), 3)
					}
					if r.IntN(2) > 0 {
						l.SLM = unit.Bytes(r.Int64N(int64(d.SLMPerGroupMax)))
					}
					p, err := predict.Predict(d, l)
					if err != nil {
						t.Errorf("%s %+v: %v", d.Key, l, err)
						continue
					}
					if q, err := predict.Predict(&custom, l); err != nil || q != p {
						t.Errorf("%s %+v: %+v, a copy of the device %+v (%v)", d.Key, l, p, q, err)
					}
					ran++
				}
			}
		}
	}
	t.Logf("%d devices, %d launches, differences 0", len(devices), ran)
	if len(devices) < 70 {
		t.Errorf("%d devices", len(devices))
	}
}

// TestDriverRules checks every built-in device's additional limits. The largest
// work-group for a sub-group size and GRF mode must run, and one more work-item
// must be rejected as too large or as too many threads.
func TestDriverRules(t *testing.T) {
	largest := func(d *arch.Device, simd, registers int) int64 {
		n := int64(0)
		for x := int64(1); x <= int64(d.MaxGroupSize); x++ {
			if _, err := predict.Predict(d, predict.Launch{Local: unit.Size(x), SIMD: simd, GRF: registers}); err == nil {
				n = x
			} else {
				break
			}
		}
		return n
	}
	tests := []struct {
		key             string
		simd, registers int
		want            int64
		reason          string
	}{
		{"max1100", 16, 128, 1024, "no rule"},
		{"max1100", 16, 256, 512, "large GRF at SIMD16: 512 work-items"},
		{"max1550", 32, 256, 1024, "32 threads, the maximum for large GRF"},
		{"b580", 16, 128, 1024, "64 threads"},
		{"b580", 32, 128, 1024, "32 threads of 32"},
		{"b580", 16, 256, 512, "32 threads of 16"},
		{"lnl-64", 16, 256, 512, "large GRF at SIMD16"},
		{"b390", 16, 160, 768, "48 threads"},
		{"b390", 16, 192, 640, "40 threads"},
		{"b390", 16, 256, 512, "32 threads"},
		{"b390", 32, 128, 1024, "32 threads"},
		{"uhd-p630", 8, 128, 256, "the maximum of Gen9"},
		{"tgl-96", 8, 128, 512, "the maximum of Xe-LP"},
		{"a770", 8, 256, 512, "64 thread slots with large GRF"},
	}
	devices := map[string]*arch.Device{}
	for _, d := range builtin(t) {
		devices[d.Key] = d
	}
	for _, tt := range tests {
		d := devices[tt.key]
		if d == nil {
			t.Errorf("no device %s", tt.key)
			continue
		}
		if got := largest(d, tt.simd, tt.registers); got != tt.want {
			t.Errorf("%s SIMD%d GRF %d: %d work-items, want %d (%s)", tt.key, tt.simd, tt.registers, got, tt.want, tt.reason)
		}
	}
}
