package app_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"occudiff/cmd/page/app"
)

// TestDeviceChoices checks the limits in the form for several devices with
// different limits.
func TestDeviceChoices(t *testing.T) {
	list, err := app.DeviceChoices()
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[string]app.DeviceChoice{}
	for _, d := range list {
		if _, twice := byKey[d.Key]; twice || len(d.SIMD) == 0 || len(d.Registers) == 0 || d.SLM == 0 || d.MaxItems == 0 {
			t.Errorf("%+v: named twice, or a field has nothing to choose", d)
		}
		byKey[d.Key] = d
	}
	for _, c := range []struct {
		why  string
		want app.DeviceChoice
	}{
		{"two register modes", app.DeviceChoice{Key: "max1100", Name: "Intel(R) Data Center GPU Max 1100",
			Architecture: "Xe-HPC", SIMD: []int{16, 32}, Registers: []int{128, 256}, SLM: 128 << 10, MaxItems: 1024, Calculator: true}},
		{"one register mode, and unknown to Intel's calculator", app.DeviceChoice{Key: "kbl-gt4", Name: "KBL GT4 (Iris Pro 580)",
			Architecture: "Gen9", SIMD: []int{8, 16, 32}, Registers: []int{128}, SLM: 64 << 10, MaxItems: 256}},
	} {
		if d := cmp.Diff(c.want, byKey[c.want.Key]); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.why, d)
		}
	}
}
