package predict

import (
	"math"
	"slices"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// varyAll returns settings that may all change.
func varyAll() VariableSettings {
	return VariableSettings{Local: true, SIMD: true, SLM: true, GRF: true}
}

func texts(steps []NextStep) []string {
	list := []string{}
	for _, s := range steps {
		list = append(list, s.Text)
	}
	return list
}

func TestNextSteps(t *testing.T) {
	tests := []struct {
		name   string
		d      *arch.Device
		l      Launch
		want   []string
		reason string
	}{
		{"SLM", max1100(), Launch{Local: size(320), SIMD: 32, SLM: 26 * kb},
			[]string{"2 KB less SLM per work-group: 5 work-groups per Xe-core instead of 4, Xe-core 62.5 -> 78.1%"}, "26 KB take 32; five times 24 KB fit 128"},
		{"SLM with threads", max1100(), Launch{Local: size(640), SIMD: 32, SLM: 40 * kb},
			[]string{"8 KB less SLM per work-group: 3 work-groups per Xe-core instead of 2, Xe-core 62.5 -> 93.8%"}, "40 KB take 48; threads admit three"},
		{"SLM and threads, slots full", max1100(), Launch{Local: size(512), SIMD: 32, SLM: 32 * kb}, []string{}, "nothing to gain"},
		{"SLM and barriers", max1100(), Launch{Local: size(320), SIMD: 32, SLM: 26 * kb, Barriers: 13},
			[]string{"2 KB less SLM per work-group: one more work-group would fit, but other limits prevent it: " +
				"barriers",
				"1 fewer barrier per work-group: one more work-group would fit, but other limits prevent it: " +
					"slm"}, "64 / 13 = 4, 64 / 12 = 5"},
		{"barriers", max1100(), Launch{Local: size(64), SIMD: 32, Barriers: 4},
			[]string{"1 fewer barrier per work-group: 21 work-groups per Xe-core instead of 16, Xe-core 50.0 -> 65.6%"}, "64 / 3 = 21"},
		{"threads, whole", tgl(), Launch{Local: size(320), SIMD: 8, Barriers: 1},
			[]string{"24 fewer work-items per work-group: 3 work-groups per Xe-core instead of 2, Xe-core 71.4 -> 99.1%",
				"128 more work-items per work-group: a larger share of the thread slots, Xe-core 71.4 -> " +
					"100.0%"}, "3 x 37 and 2 x 56 of 112"},
		{"threads, free", tgl(), Launch{Local: size(320), SIMD: 8}, []string{}, "other work-groups' threads use what is left"},
		{"slots", tgl(), Launch{Local: size(32), SIMD: 8, GroupSlots: 16},
			[]string{"24 more work-items per work-group: a larger share of the thread slots, Xe-core 57.1 -> " +
				"100.0%"}, "16 work-groups of 7 threads"},
		{"registers", b390(), Launch{Local: size(256), SIMD: 32},
			[]string{"96 registers per thread instead of 128: 10 work-groups per Xe-core instead of 8, Xe-core 80.0 -> 100.0%"}, "10 of 10 threads per XVE"},
		{"grid", mtl112(), Launch{Global: size(2048), Local: size(16), SIMD: 32},
			[]string{"768 more work-groups for a full GPU: peak 14.3 -> 100.0%"}, "896 slots"},
		{"tail", mtl112(), Launch{Global: size(512, 512), Local: size(512, 2), SIMD: 32},
			[]string{"24 more work-groups for a full last wave: average 91.4 -> 100.0%", "4 fewer work-groups for no partial wave: average 91.4 -> 100.0%"},
			"256 work-groups, 28 in a wave"},
		{"SLM, but the grid fills no more slots", max1100(), Launch{Global: size(57344), Local: size(1024), SIMD: 32, SLM: 100 * kb},
			[]string{"36 KB less SLM per work-group: 2 work-groups per Xe-core instead of 1, Xe-core 50.0 -> 100.0%, but the GPU's peak stays 50.0%, limited by grid"},
			"56 work-groups on 56 Xe-cores"},
		{"SLM, and the grid limits already", max1100(), Launch{Global: size(7168), Local: size(256), SIMD: 32, SLM: 60 * kb},
			[]string{"28 KB less SLM per work-group: 4 work-groups per Xe-core instead of 2, Xe-core 25.0 -> 50.0%, but the GPU's peak stays 6.2%, limited by grid",
				"84 more work-groups for a full GPU: peak 6.2 -> 25.0%"}, "28 work-groups on 56 Xe-cores"},
		{"SLM, and the grid gains less than an Xe-core", max1100(), Launch{Global: size(84 * 1024), Local: size(1024), SIMD: 32, SLM: 100 * kb},
			[]string{"36 KB less SLM per work-group: 2 work-groups per Xe-core instead of 1, average 37.5 -> 75.0%",
				"28 more work-groups for a full last wave: average 37.5 -> 50.0%", "28 fewer work-groups for no partial wave: average 37.5 -> 50.0%"},
			"84 work-groups of 32 threads in 3,584 slots"},
		{"SLM, and the grid has as many waves as before", max1100(), Launch{Global: size(320 * 56 * 6), Local: size(320), SIMD: 32, SLM: 26 * kb},
			[]string{"2 KB less SLM per work-group: 5 work-groups per Xe-core instead of 4, peak 62.5 -> 78.1%",
				"112 more work-groups for a full last wave: average 46.9 -> 62.5%", "112 fewer work-groups for no partial wave: average 46.9 -> 62.5%"},
			"6 work-groups per Xe-core are 2 waves of 4 or of 5"},
		{"another work-group size keeps the SLM per work-item", tgl(), Launch{Local: size(320), SIMD: 8, SLM: 10 * kb},
			[]string{"24 fewer work-items per work-group with 9472 bytes SLM: 3 work-groups per Xe-core instead of 2, Xe-core 71.4 -> 99.1%",
				"128 more work-items per work-group with 14 KB SLM: a larger share of the thread slots, Xe-core 71.4 -> 100.0%"}, "32 bytes per work-item"},
		{"rejected", tgl(), Launch{Local: size(640), SIMD: 8}, []string{}, "a launch that cannot run has no next step"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := texts(nextSteps(tt.d, tt.l, varyAll())); !slices.Equal(got, tt.want) {
				t.Errorf("got  %q\nwant %q (%s)", got, tt.want, tt.reason)
			}
		})
	}
}

func words(settings []Setting) []string {
	list := []string{}
	for i := range settings {
		list = append(list, settings[i].Words())
	}
	return list
}

func TestAdvise(t *testing.T) {
	barrier320 := Launch{Global: size(320 * 600), Local: size(320), SIMD: 8, Barriers: 1}
	tests := []struct {
		name   string
		d      *arch.Device
		l      Launch
		may    VariableSettings
		best   []string
		least  string
		fill   FullGrid
		reason string
	}{
		{"work-group", tgl(), barrier320, VariableSettings{Local: true},
			[]string{"work-group 128, sub-group 8: peak 100.0%, average 99.2%", "work-group 64, sub-group 8: peak 100.0%, average 99.2%",
				"work-group 32, sub-group 8: peak 100.0%, average 99.2%", "work-group 16, sub-group 8: peak 100.0%, average 99.2%"},
			"work-group 384, sub-group 8: peak 85.7%, average 85.0%", FullGrid{12, 12},
			"T = 16, 8, 4, 2 divide 112 and 192,000; 448 and 224 do not divide the grid"},
		{"nothing may change", tgl(), barrier320, VariableSettings{}, []string{"work-group 320, sub-group 8: peak 71.4%, average 71.4%"}, "", FullGrid{12, 12},
			"the only setting is the best"},
		{"sub-group", mtl112(), Launch{Global: size(2048), Local: size(16), SIMD: 32}, varyAll(),
			[]string{"work-group 16, sub-group 32: peak 14.3%, average 14.3%"}, "", FullGrid{896, 896}, "16 work-items are half a sub-group of 32 and two of 8, which would be more threads for the same work"},
		{"two dimensions", mtl112(), Launch{Global: size(512, 512), Local: size(512, 2), SIMD: 32}, VariableSettings{SIMD: true},
			[]string{"work-group 512 x 2, sub-group 32: peak 100.0%, average 91.4%"}, "", FullGrid{28, 28}, "four times the threads would make 36.6 waves, and no thread would do more"},
		{"wider sub-group", tgl(), Launch{Global: size(1000), Local: size(500), SIMD: 8}, VariableSettings{SIMD: true},
			[]string{"work-group 500, sub-group 8: peak 18.8%, average 18.8%"}, "", FullGrid{11, 32}, "wider sub-groups are tried"},
		{"SLM only", max1100(), Launch{Local: size(320), SIMD: 32, SLM: 26 * kb}, VariableSettings{SLM: true},
			[]string{"work-group 320, sub-group 32, SLM 16 KB: Xe-core 93.8%"}, "work-group 320, sub-group 32, SLM 24 KB: Xe-core 78.1%", FullGrid{224, 224}, "6 work-groups of 10 threads at 16 KB or less; 24 KB is the least change that helps"},
		{"the same SLM per work-item first", max1100(), Launch{Global: size(896 * 1024), Local: size(896), SIMD: 32, SLM: 56 * kb}, VariableSettings{Local: true, SLM: true},
			[]string{"work-group 1024, sub-group 32, SLM 64 KB: peak 100.0%, average 100.0%", "work-group 512, sub-group 32, SLM 32 KB: peak 100.0%, average 100.0%",
				"work-group 256, sub-group 32, SLM 16 KB: peak 100.0%, average 100.0%", "work-group 128, sub-group 32, SLM 8 KB: peak 100.0%, average 100.0%",
				"work-group 64, sub-group 32, SLM 4 KB: peak 100.0%, average 100.0%"},
			"work-group 1024, sub-group 32, SLM 64 KB: peak 100.0%, average 100.0%", FullGrid{112, 112}, "64 bytes per work-item; 512 work-items with 32 KB are better than 896 with less"},
		{"less SLM per work-item", tgl(), Launch{Global: size(81920), Local: size(320), SIMD: 8, SLM: 24 * kb}, VariableSettings{Local: true, SLM: true},
			[]string{"work-group 128, sub-group 8, SLM 8 KB: peak 100.0%, average 95.2%", "work-group 64, sub-group 8, SLM 4 KB: peak 100.0%, average 95.2%",
				"work-group 32, sub-group 8, SLM 2 KB: peak 100.0%, average 95.2%", "work-group 16, sub-group 8, SLM 1 KB: peak 100.0%, average 95.2%",
				"work-group 80, sub-group 8, SLM 4 KB: peak 98.2%, average 95.2%"}, "", FullGrid{12, 12}, "no size with 77 bytes per work-item does better"},
		{"a fixed SLM", tgl(), Launch{Global: size(81920), Local: size(320), SIMD: 8, SLM: 24 * kb}, VariableSettings{Local: true},
			[]string{"work-group 320, sub-group 8, SLM 24 KB: peak 71.4%, average 69.3%"}, "", FullGrid{12, 12}, "the user keeps the SLM per work-group"},
		{"large GRF", max1100(), Launch{Global: size(1 << 20), Local: size(256), SIMD: 16, GRF: 256}, varyAll(),
			[]string{"work-group 256, sub-group 16, 128 registers: peak 100.0%, average 96.2%"}, "work-group 256, sub-group 16, 128 registers: peak 100.0%, average 96.2%",
			FullGrid{112, 112}, "half the registers, all the threads"},
		{"cannot run", tgl(), Launch{Global: size(640 * 60), Local: size(640), SIMD: 8}, VariableSettings{SIMD: true}, []string{}, "", FullGrid{},
			"640 work-items are too many at any sub-group size"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, err := Advise(tt.d, tt.l, tt.may)
			if (err != nil) != (len(tt.best) == 0) || err != nil && (a.Rejection == nil || a.Current != nil) {
				t.Fatalf("error %v, refusal %v", err, a.Rejection)
			}
			if got := words(a.Best); !slices.Equal(got, tt.best) {
				t.Errorf("best %q\nwant %q (%s)", got, tt.best, tt.reason)
			}
			least := ""
			if a.Least != nil {
				least = a.Least.Words()
				if a.Least.changed != 1 {
					t.Errorf("a single change is %v", a.Least.Changes)
				}
			}
			if a.LessSLM != (tt.name == "less SLM per work-item" || tt.name == "SLM only") || a.SameSLM != nil {
				t.Errorf("less SLM %v, with the same SLM %v (%s)", a.LessSLM, a.SameSLM, tt.reason)
			}
			if least != tt.least || a.FullGrid != tt.fill {
				t.Errorf("least %q, fill %+v, want %q, %+v (%s)", least, a.FullGrid, tt.least, tt.fill, tt.reason)
			}
		})
	}
}

// TestAdviseCompletes checks that Advise chooses missing settings, and repairs
// a launch that cannot run.
func TestAdviseCompletes(t *testing.T) {
	a, err := Advise(tgl(), Launch{Global: size(1 << 20)}, VariableSettings{})
	if err != nil || a.Current != nil || len(a.Best) == 0 {
		t.Fatalf("%v, %+v", err, a)
	}
	if got, want := a.Best[0].Words(), "work-group 32, sub-group 32: peak 100.0%, average 99.5%"; got != want || a.Equal < len(a.Best) {
		t.Errorf("best %q of %d, want %q: of equals the largest sub-group, then the smallest work-group", got, a.Equal, want)
	}
	a, err = Advise(tgl(), Launch{Global: size(640 * 60), Local: size(640), SIMD: 8}, VariableSettings{Local: true})
	if err != nil || a.Least == nil {
		t.Fatalf("%v, %+v", err, a)
	}
	if got, want := a.Least.Words(), "work-group 512, sub-group 8: peak 100.0%, average 89.3%"; got != want {
		t.Errorf("least %q, want %q: the nearest that runs and divides 38,400", got, want)
	}
	if _, err := Advise(nil, Launch{}, varyAll()); err == nil {
		t.Error("advice without a device")
	}
}

// TestAdviseSameSLM checks the texts of the changes that keep or reduce the SLM
// per work-item, and the best setting that keeps it.
func TestAdviseSameSLM(t *testing.T) {
	l := Launch{Global: size(1920 * 100), Local: size(320), SIMD: 8, SLM: 24 * kb}
	a, err := Advise(tgl(), l, VariableSettings{Local: true, SLM: true})
	if err != nil || !a.LessSLM || a.SameSLM == nil {
		t.Fatalf("%v, %+v", err, a)
	}
	text := func(s *Setting) (text string) {
		for _, c := range s.Changes {
			text += c.Text + "; "
		}
		return text + s.Reached()
	}
	if got, want := text(&a.Best[0])+"\n"+text(a.SameSLM), "work-group size 320 -> 128; SLM per work-group 24 KB -> 8 KB (76.8 -> 64 bytes per work-item); peak 100.0%, average 99.2%\n"+
		"work-group size 320 -> 400; SLM per work-group 24 KB -> 30 KB (76.8 bytes per work-item, as now); peak 89.3%, average 89.3%"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	// An amount of four digits has no exponent.
	large := Launch{Global: size(1 << 20), Local: size(32), SIMD: 32, SLM: 60 * kb}
	a, err = Advise(max1100(), large, VariableSettings{SLM: true})
	if err != nil || a.Least == nil {
		t.Fatalf("%v, %+v", err, a)
	}
	if got, want := text(a.Least), "SLM per work-group 60 KB -> 32 KB (1920 -> 1024 bytes per work-item); peak 6.2%, average 6.2%"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestAdviseExplicitSIMD checks that Advise keeps the width of an ESIMD kernel.
func TestAdviseExplicitSIMD(t *testing.T) {
	a, err := Advise(max1100(), Launch{Global: size(3584), Local: size(24), SIMD: ExplicitSIMD}, varyAll())
	if err != nil || len(a.Best) == 0 {
		t.Fatalf("%v, %+v", err, a)
	}
	for _, s := range a.Best {
		if s.Launch.SIMD != ExplicitSIMD {
			t.Errorf("%s: another width is another kernel", s.Words())
		}
	}
}

// TestAdviseSearch compares Best with a brute-force search of every possible
// launch over a small grid.
func TestAdviseSearch(t *testing.T) {
	for _, d := range allDevices() {
		for _, l := range []Launch{
			{Global: size(9000), Local: size(100), SIMD: 16, SLM: 9 * kb},
			{Global: size(96, 96), Local: size(8, 4), SIMD: 16, Barriers: 3},
			{Global: size(50000), Local: size(50), SIMD: 32},
		} {
			a, err := Advise(d, l, varyAll())
			if err != nil {
				t.Fatal(err)
			}
			average, peak := bruteForce(d, l)
			var gotAverage, gotPeak unit.Ratio
			for _, s := range a.Best {
				average, peak := s.useful()
				gotAverage, gotPeak = max(gotAverage, average), max(gotPeak, peak)
			}
			if average-gotAverage > sameResult || peak-gotPeak > sameResult {
				t.Errorf("%s %+v: best average %v, peak %v; there are %v, %v", d.Key, l, gotAverage, gotPeak, average, peak)
			}
		}
	}
}

// TestAdviseOddGrids checks grids that cannot be divided into work-groups with
// complete sub-groups. Idle lanes must not count as occupancy.
func TestAdviseOddGrids(t *testing.T) {
	tests := []struct {
		d       *arch.Device
		l       Launch
		best    string
		partial bool // the last work-groups of the proposal are smaller
		reason  string
	}{
		{mtl112(), Launch{Global: size(4, 6), Local: size(1, 2), SIMD: 32}, "work-group 1 x 2, sub-group 32: peak 1.3%, average 1.3%", false,
			"24 work-items fill 24 lanes however they are grouped"},
		{tgl(), Launch{Global: size(100), Local: size(10), SIMD: 8}, "work-group 10, sub-group 8: peak 3.0%, average 3.0%", false,
			"100 work-items do not need 64 threads: 20 threads use as many lanes"},
		{tgl(), Launch{Global: size(24), Local: size(3), SIMD: 16}, "work-group 3, sub-group 16: peak 1.2%, average 1.2%", false,
			"24 is a multiple of 8 and of no larger sub-group, and smaller sub-groups are not tried"},
		{mtl112(), Launch{Global: size(1009), Local: size(448), SIMD: 16, Barriers: 1}, "", true, "864 work-items would take more threads, all of them without a work-item"},
		{max1100(), Launch{Global: size(1001, 1001), Local: size(7, 7), SIMD: 32}, "", true, "the proposal leaves smaller work-groups at the edge"},
	}
	for _, tt := range tests {
		a, err := Advise(tt.d, tt.l, VariableSettings{Local: true, SIMD: tt.l.SIMD == 16})
		if err != nil || len(a.Best) == 0 {
			t.Fatalf("%v, %+v", err, a)
		}
		if got := a.Best[0].Words(); tt.best != "" && got != tt.best {
			t.Errorf("%s: best %q, want %q (%s)", tt.l.Global, got, tt.best, tt.reason)
		}
		if got := slices.ContainsFunc(a.Best, func(s Setting) bool { return s.Prediction.Partial }); got != tt.partial {
			t.Errorf("%s: smaller last work-groups: %v (%s)", tt.l.Global, got, tt.reason)
		}
		now := Setting{Launch: tt.l, Prediction: *a.Current}
		average, _ := now.useful()
		if a.Least != nil {
			newAverage, newPeak := a.Least.useful()
			average, peak := now.useful()
			if max(newAverage.Minus(average), newPeak.Minus(peak)) < minGain {
				t.Errorf("%s: %s gains only idle lanes", tt.l.Global, a.Least.Words())
			}
		}
		for _, s := range a.Best {
			if got, _ := s.useful(); got < average-1e-9 {
				t.Errorf("%s: %s uses fewer lanes than now", tt.l.Global, s.Words())
			}
			for i := range 3 {
				if s.Launch.Local.Dim(i) > ceilDiv(tt.l.Global.Dim(i), int64(s.Launch.SIMD))*int64(s.Launch.SIMD) {
					t.Errorf("%s: %s is larger than the grid", tt.l.Global, s.Words())
				}
			}
		}
	}
}

// bruteForce returns the highest average and peak. It tries every work-group of
// up to three dimensions that divides the grid and leaves no idle lanes. It
// also tries the launch's own work-group, counting only the lanes in use.
func bruteForce(d *arch.Device, l Launch) (average, peak unit.Ratio) {
	own, _ := Predict(d, l)
	average, peak = (&Setting{Launch: l, Prediction: own}).useful()
	for _, simd := range slices.DeleteFunc(slices.Clone(d.SIMDWidths), func(simd int) bool { return simd < l.SIMD }) {
		for x := int64(1); x <= 1024; x++ {
			for y := int64(1); y*x <= 1024; y++ {
				if l.Global.Dim(0)%x != 0 || l.Global.Dim(1)%y != 0 || x*y%int64(simd) != 0 {
					continue
				}
				for _, m := range d.GRFModes {
					for _, slm := range append([]unit.Bytes{l.SLM}, d.SLMSteps...) {
						if slm > l.SLM || (slm == 0) != (l.SLM == 0) {
							continue
						}
						other := l
						other.Local, other.SIMD, other.GRF, other.SLM = size(x, y), simd, m.Registers, slm
						if p, err := Predict(d, other); err == nil {
							average, peak = max(average, p.Average), max(peak, p.Peak)
						}
					}
				}
			}
		}
	}
	return average, peak
}

func BenchmarkAdvise(b *testing.B) {
	d, l := b390(), Launch{Global: size(2048, 2048), Local: size(16, 16), SIMD: 16, SLM: 10 * kb}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Advise(d, l, varyAll()); err != nil {
			b.Fatal(err)
		}
	}
}

// TestDivisors compares the divisors with the result of trying every number.
func TestDivisors(t *testing.T) {
	for _, most := range []int64{0, 1, 2, 7, 512, 1024, 5000} {
		for _, n := range []int64{0, 1, 2, 3, 4, 16, 49, 97, 360, 1024, 1023, 4096 * 3, 9973, 9973 * 2, 65537, 1 << 40, 3 * (1 << 33), 999_983 * 1_000_003, math.MaxInt64} {
			var want []int64
			for x := int64(1); x <= min(n, most); x++ {
				if n%x == 0 {
					want = append(want, x)
				}
			}
			if got := divisorsUpTo(n, most); !slices.Equal(got, want) {
				t.Errorf("divisors of %d up to %d: %v, want %v", n, most, got, want)
			}
		}
	}
}
