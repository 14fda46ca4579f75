package predict

import (
	"fmt"
	"strings"
	"testing"

	"occudiff/internal/testenv"
	"occudiff/predict/arch"
)

// TestExplain compares some launches' explanations with golden files. Their
// values were checked by hand.
func TestExplain(t *testing.T) {
	tests := []struct {
		name string
		d    *arch.Device
		l    Launch
	}{
		{"fan2", mtl112(), Launch{Global: size(2048, 2048), Local: size(1024, 1), SIMD: 32}},
		{"slm_large_grf", max1100(), Launch{Global: size(320 * 560 * 3), Local: size(320), SIMD: 32, SLM: 26 * kb, Barriers: 1, GRF: 256}},
		{"partial_idle_lanes", tgl(), Launch{Global: size(1000, 3), Local: size(100, 2), SIMD: 32}},
		{"barriers_without_grid", tgl(), Launch{Local: size(16), SIMD: 16, Barriers: 1, GroupSlots: 100}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			steps, err := Explain(tt.d, tt.l)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, s := range steps {
				mark := " "
				if s.Limiting {
					mark = "*"
				}
				fmt.Fprintf(&b, "%s %s = %s  [%s]\n", mark, s.Label, s.Value, s.Formula)
			}
			testenv.Golden(t, "testdata/explain_"+tt.name+".txt", []byte(b.String()))
		})
	}
	if _, err := Explain(tgl(), Launch{Local: size(640), SIMD: 8}); err == nil {
		t.Error("a launch that cannot run has an explanation")
	}
}

func TestWords(t *testing.T) {
	for v, want := range map[float64]string{1: "1", 146.2857: "146.29", 0.142857: "0.14", 0.005: "0.01", 0.0001: "0.0001", 0: "0"} {
		if got := decimal(v); got != want {
			t.Errorf("decimal(%v) = %q, want %q", v, got, want)
		}
	}
	if got := percent(0.0001) + ", " + percent(0.000493) + ", " + percent(0.0005) + ", " + percent(0); got != "0.01%, 0.049%, 0.1%, 0.0%" {
		t.Errorf("small percentages: %s", got)
	}
	if got := changeOf(SettingSLM, 26*kb, 1000).Text + "; " + changeOf(SettingSIMD, 0, 16).Text; got != "SLM per work-group 26 KB -> 1000 bytes; sub-group size 16" {
		t.Errorf("changes: %s", got)
	}
}
