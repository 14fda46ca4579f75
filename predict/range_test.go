package predict

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// dealtOut returns the share of idle XVEs over all waves, by placing the
// threads one by one.
func dealtOut(d *arch.Device, p *Prediction, threadsPerWave int64) float64 {
	xves, left, waves, idle := int64(d.XVEs()), p.Groups*p.ThreadsPerGroup, 0, 0.0
	for left > 0 {
		wave := min(left, threadsPerWave)
		left -= wave
		waves++
		busy := make([]bool, xves)
		next := make([]int64, d.XeCores)
		for thread := range wave {
			if p.Policy == Free {
				busy[thread%xves] = true
				continue
			}
			core := thread / p.ThreadsPerGroup % int64(d.XeCores)
			busy[core*int64(d.XVEPerXeCore)+next[core]%int64(d.XVEPerXeCore)] = true
			next[core]++
		}
		for _, b := range busy {
			if !b {
				idle++
			}
		}
	}
	return idle / float64(waves) / float64(xves)
}

// TestIdle compares real launches' predicted idle share with values computed by
// hand. For example, 28 work-groups with 32 threads fill a Meteor Lake with 7
// Xe-cores, and the last 4 of 256 work-groups leave 3 Xe-cores idle in one out
// of ten waves.
func TestIdle(t *testing.T) {
	for _, c := range []struct {
		name          string
		dev           *arch.Device
		l             Launch
		share, loaded float64
	}{
		{"GEMM", mtl112(), Launch{Global: unit.Size(512, 512), Local: unit.Size(512, 2), SIMD: 32, Policy: Whole}, 3.0 / 70, 64.0 / 67},
		{"GEMM, threads anywhere", mtl112(), Launch{Global: unit.Size(512, 512), Local: unit.Size(512, 2), SIMD: 32, Policy: Free}, 0, 64.0 / 70},
		{"Fan2", mtl112(), Launch{Global: unit.Size(2048, 2048), Local: unit.Size(1024, 1), SIMD: 32, Policy: Whole}, 0, 131072.0 / 896 / 147},
		{"half of a Max 1100", max1100(), Launch{Global: unit.Size(3584, 8), Local: unit.Size(64, 8), SIMD: 16, SLM: 8}, 0, 0.5},
		{"one thread", mtl112(), Launch{Global: unit.Size(1), Local: unit.Size(1), SIMD: 32}, 111.0 / 112, 1.0 / 8},
		{"four threads per Xe-core", mtl112(), Launch{Global: unit.Size(32 * 4 * 7), Local: unit.Size(128), SIMD: 32, Policy: Whole}, 0.75, 1.0 / 8},
	} {
		p, err := Predict(c.dev, c.l)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if i := p.Range(c.dev).Low; math.Abs(float64(i.Idle)-c.share) > 1e-12 || math.Abs(float64(i.BusyOccupancy)-c.loaded) > 1e-12 {
			t.Errorf("%s: %+v, want %v and %v", c.name, i, c.share, c.loaded)
		}
	}
}

// checkRange checks properties that every range has. Its ends agree with the
// prediction and are in order. It is a single point unless a partial wave
// follows a full one. The point nearest to any of its own points is that point.
func checkRange(t *testing.T, r *rand.Rand, p *Prediction, g *Range) {
	t.Helper()
	if g.Low.Average != p.Average || p.HasGrid() && p.AverageHigh < p.Average || p.AverageHigh > p.Peak {
		t.Fatalf("%+v: %+v", p, g)
	}
	whole := p.Waves <= 1 || p.LastWaveOccupancy == 0 || p.LastWaveOccupancy == p.Peak
	if whole && math.Abs(float64(p.AverageHigh-p.Average)) > 1e-12 {
		t.Fatalf("a range without a partial wave after a full one: %+v", p)
	}
	if !p.HasGrid() {
		return
	}
	at := g.at(g.shortest + (g.longest-g.shortest)*r.Float64())
	near := g.NearestBusy(at.BusyOccupancy)
	if math.Abs(float64(near.BusyOccupancy-at.BusyOccupancy)) > 1e-9 {
		t.Fatalf("%+v: nearest to %+v is %+v", g, at, near)
	}
	if near := g.NearestAverage(at.Average); math.Abs(float64(near.Average-at.Average)) > 1e-9 {
		t.Fatalf("%+v: nearest to %+v is %+v", g, at, near)
	}
	if a, b := g.NearestAverage(0).Average, g.NearestAverage(1).Average; a != g.Low.Average || b != g.High.Average {
		t.Fatalf("%+v: nearest to 0 and 1 are %v and %v", g, a, b)
	}
}

// TestRange checks the ranges of two launches whose measured values are inside:
// an n-body with 80,000 work-items in work-groups of 128 on two Tiger Lake
// Xe-cores (95.5% over 20 launches), and a GEMM on a Meteor Lake (97.2 to 97.9%
// within launches).
func TestRange(t *testing.T) {
	twoCores := *tgl()
	twoCores.XeCores = 2
	for _, c := range []struct {
		name                       string
		dev                        *arch.Device
		l                          Launch
		low, high, loaded, measure float64
	}{
		{"n-body", &twoCores, Launch{Global: unit.Size(80000), Local: unit.Size(128), SIMD: 32}, 93.0, 97.9, 97.9, 95.52},
		{"GEMM", mtl112(), Launch{Global: unit.Size(512, 512), Local: unit.Size(512, 2), SIMD: 32, Policy: Whole}, 91.4, 97.7, 98.8, 97.5},
	} {
		p, err := Predict(c.dev, c.l)
		if err != nil {
			t.Fatal(c.name, err)
		}
		g := p.Range(c.dev)
		for _, v := range []struct {
			what      string
			got, want float64
		}{{"low", g.Low.Average.Percent(), c.low}, {"high", p.AverageHigh.Percent(), c.high},
			{"high", g.High.Average.Percent(), c.high}, {"high loaded", g.High.BusyOccupancy.Percent(), c.loaded},
			{"nearest", g.NearestAverage(unit.FromPercent(c.measure)).Average.Percent(), c.measure}} {
			if math.Abs(v.got-v.want) > 0.06 {
				t.Errorf("%s: %s is %v, want %v", c.name, v.what, v.got, v.want)
			}
		}
	}
}

// TestIdleProperties places threads for random launches and checks properties
// that every launch has.
func TestIdleProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	dealt := 0
	for range 30000 {
		d := allDevices()[r.IntN(7)]
		l := randomLaunch(r, d)
		p, err := Predict(d, l)
		if err != nil {
			continue
		}
		g := p.Range(d)
		i := g.Low
		if !(i.Idle >= 0 && i.Idle < 1) || i.BusyOccupancy < p.Average || i.BusyOccupancy > 1 {
			t.Fatalf("%s %+v: %+v with an average of %v", d.Key, l, i, p.Average)
		}
		checkRange(t, r, &p, &g)
		if !p.HasGrid() {
			if i.Idle != 0 {
				t.Fatalf("%s %+v: %+v without a grid", d.Key, l, i)
			}
			continue
		}
		if p.Groups*p.ThreadsPerGroup > 20000 {
			continue
		}
		dealt++
		var s resolvedLaunch
		s.resolve(d, &l)
		if want := dealtOut(d, &p, p.capacity(d, s.modeSlots)); math.Abs(want-float64(i.Idle)) > 1e-9 {
			t.Fatalf("%s %+v: %v, placed one by one it is %v", d.Key, l, i.Idle, want)
		}
	}
	if dealt < 2000 {
		t.Errorf("only %d launches were placed", dealt)
	}
}

// TestLocalRangeRejected checks the reason: the size that cannot be divided, or
// a limit that applies to every work-group size. It must never be that the
// work-group size is missing.
func TestLocalRangeRejected(t *testing.T) {
	for _, c := range []struct {
		why    string
		launch Launch
		code   string
	}{
		{"a prime has no divisor that fills sub-groups", Launch{Global: unit.Size(1000003), SIMD: 16}, "no-local"},
		{"less than a sub-group", Launch{Global: unit.Size(8), SIMD: 16}, "no-local"},
		{"SLM that no work-group gets", Launch{Global: unit.Size(1 << 20), SIMD: 16, SLM: 4 << 20}, "slm-too-large"},
		{"a width that the device lacks", Launch{Global: unit.Size(1 << 20), SIMD: 64}, "simd-unsupported"},
		{"no width", Launch{Global: unit.Size(1 << 20)}, "no-simd"},
	} {
		_, _, tried, err := LocalRange(tgl(), c.launch)
		var refused *LaunchError
		if !errors.As(err, &refused) || refused.Code != c.code || tried != 0 {
			t.Errorf("%s: %v after %d sizes, want %s", c.why, err, tried, c.code)
		} else if strings.Contains(err.Error(), "has no work-group size") {
			t.Errorf("%s: %v requests an optional parameter", c.why, err)
		}
	}
	if _, _, tried, err := LocalRange(tgl(), Launch{Global: unit.Size(1 << 20), SIMD: 16}); tried == 0 || err != nil {
		t.Errorf("a launch that runs: %d sizes, %v", tried, err)
	}
}

// TestDriftingXeCores uses launches whose work-groups fill an Xe-core each.
// After two waves, the Xe-cores do not finish together, so that the last wave
// may be short. A profiler measured 95.5% for the first launch.
func TestDriftingXeCores(t *testing.T) {
	for _, c := range []struct {
		reason    string
		global    int64
		low, high float64
	}{
		{"121 work-groups, 6.05 waves", 121 * 1024, 100 * 6.05 / 7, 100 * (6 + 0.05*0.05) / 6.05},
		{"full waves have no range", 120 * 1024, 100, 100},
		{"after one wave they still finish together", 21 * 1024, 100 * 1.05 / 2, 100 * 1.05 / 2},
	} {
		p, err := Predict(b580(), Launch{Global: unit.Size(c.global), Local: unit.Size(1024), SIMD: 16, Barriers: 1})
		if err != nil || math.Abs(p.Average.Percent()-c.low) > 1e-9 || math.Abs(p.AverageHigh.Percent()-c.high) > 1e-9 {
			t.Errorf("%s: %.3f to %.3f, %v; want %.3f to %.3f", c.reason, p.Average.Percent(), p.AverageHigh.Percent(), err, c.low, c.high)
		}
	}
}
