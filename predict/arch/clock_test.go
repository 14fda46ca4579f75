package arch

import (
	"math"
	"testing"

	"occudiff/ingest/unit"
)

// TestSamplingInterval checks that the interval is 2^n clock ticks and at most
// the requested interval. The first three intervals come from real files.
func TestSamplingInterval(t *testing.T) {
	const ms = 1e-3
	for _, c := range []struct {
		why        string
		mhz, asked float64
		want       float64
	}{
		{"Gen9, oneprof prints 682,666 ns", 12, ms, 8192 / 12e6},
		{"Xe-LPG, oneprof prints 853,333 ns", 19.2, ms, 16384 / 19.2e6},
		{"twice the clock, as some drivers count, is the same interval", 38.4, ms, 16384 / 19.2e6},
		{"Xe-HPC", 12.5, ms, 8192 / 12.5e6},
		{"a power of two is kept", 12.5, 8192 / 12.5e6, 8192 / 12.5e6},
		{"0.1 ms", 19.2, 0.1 * ms, 1024 / 19.2e6},
		{"50 us", 12, 0.05 * ms, 512 / 12e6},
		{"no clock is known", 0, ms, ms},
		{"fewer than two ticks", 12, 1e-7, 1e-7},
	} {
		d := Device{Clock: Clock{Hz: c.mhz * 1e6}}
		if got := d.SamplingInterval(unit.Seconds(c.asked)); math.Abs(float64(got)/c.want-1) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}

// TestClocks checks the clocks of the table. Each clock has a source, and an
// unknown clock is empty.
func TestClocks(t *testing.T) {
	want := map[string]float64{"Gen9": 12, "Gen9-LP": 19.2, "Xe-LP": 19.2, "Xe-HPG": 19.2, "Xe-LPG": 19.2, "Xe-LPG+": 19.2,
		"Xe-HPC": 12.5, "Xe2-LPG": 19.2, "Xe2-HPG": 19.2}
	for _, d := range builtin(t).Devices() {
		if d.Clock.Hz != want[d.Architecture]*1e6 || (d.Clock.Source == "") != (d.Clock.Hz == 0) {
			t.Errorf("%s (%s): %+v, want %v MHz with its source", d.Key, d.Architecture, d.Clock, want[d.Architecture])
		}
	}
	for _, cell := range []string{"fast", "neo:", ":12", "neo:-1", "neo:0", "neo:1e3", "neo:12.5.1", "NaN", "5000"} {
		if err := new(Clock).UnmarshalCSV(cell); err == nil {
			t.Errorf("%q is accepted as a clock", cell)
		}
	}
	var c Clock
	if err := c.UnmarshalCSV(" 25 "); err != nil || c != (Clock{"user", 25e6}) {
		t.Errorf("a bare number: %+v, %v", c, err)
	}
}
