package computeunit_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict/computeunit"
)

// The OpenCL occupancy notes work through four kernels. Model and values are
// theirs.
func Example() {
	table, err := computeunit.Builtin()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, kernel := range []struct {
		platform string
		launch   computeunit.Launch
	}{
		{"gen11", computeunit.Launch{GroupSize: 48, SLM: 768, SubgroupSize: 8, RegisterBytes: 384}},
		{"gen11", computeunit.Launch{GroupSize: 64, SLM: 384, SubgroupSize: 16, RegisterBytes: 256}},
		{"rtx2080ti", computeunit.Launch{GroupSize: 128, SLM: 384, SubgroupSize: 32, RegisterBytes: 300}},
		{"mali_g52", computeunit.Launch{GroupSize: 32, SLM: 768, SubgroupSize: 8, RegisterBytes: 256}},
	} {
		p, err := table.Find(kernel.platform)
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := p.Predict(kernel.launch)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %d work-groups, %.2f%% (%s)\n", p.Key, r.Groups, r.Occupancy.Percent(), strings.Join(r.Limits, "+"))
	}
	// Output:
	// gen11: 9 work-groups, 96.43% (subgroups)
	// gen11: 14 work-groups, 100.00% (registers+subgroups)
	// rtx2080ti: 6 work-groups, 37.50% (registers)
	// mali_g52: 12 work-groups, 100.00% (registers+subgroups)
}

func ExamplePlatform_Advise() {
	table, err := computeunit.Builtin()
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := table.Find("rtx2080ti")
	if err != nil {
		fmt.Println(err)
		return
	}
	advice, err := p.Advise(computeunit.Target{SubgroupSize: unit.Some[int64](32)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range advice.Settings {
		fill, _ := s.Fill.Value()
		fmt.Printf("work-group %d: %.0f%%, up to %d register bytes per work-item and %d bytes of SLM, %d work-groups fill the GPU\n",
			s.GroupSize, s.Occupancy.Percent(), s.MaxRegisterBytes, s.MaxSLM, fill)
	}
	// Output:
	// work-group 128: 100%, up to 128 register bytes per work-item and 4096 bytes of SLM, 1088 work-groups fill the GPU
	// work-group 256: 100%, up to 128 register bytes per work-item and 8192 bytes of SLM, 544 work-groups fill the GPU
	// work-group 512: 100%, up to 128 register bytes per work-item and 16384 bytes of SLM, 272 work-groups fill the GPU
	// work-group 1024: 100%, up to 128 register bytes per work-item and 32768 bytes of SLM, 136 work-groups fill the GPU
}

func TestPredictRejectsInvalidNumbers(t *testing.T) {
	p := find(t, builtin(t), "gen11")
	for _, c := range []struct {
		launch computeunit.Launch
		want   string
		reason string
	}{
		{computeunit.Launch{SubgroupSize: 8}, "work-group size is 0; expected 1 to 1073741824", "no work-item"},
		{computeunit.Launch{GroupSize: 8}, "sub-group size is 0; expected 1 to 1073741824", "would divide by zero"},
		{computeunit.Launch{GroupSize: -8, SubgroupSize: 8}, "work-group size is -8; expected 1 to 1073741824", "negative"},
		{computeunit.Launch{GroupSize: 8, SubgroupSize: 8, SLM: -1}, "SLM per work-group is -1; expected 0 to 1073741824", "negative SLM"},
		{computeunit.Launch{GroupSize: 1 << 30, SubgroupSize: 8, RegisterBytes: 1 << 40},
			"register bytes per work-item is 1099511627776; expected 0 to 1073741824", "the product would overflow"},
	} {
		if _, err := p.Predict(c.launch); err == nil || err.Error() != c.want {
			t.Errorf("%+v: got %v; want %q: %s", c.launch, err, c.want, c.reason)
		}
	}
}

func TestKernelThatDoesNotFit(t *testing.T) {
	p := find(t, builtin(t), "gen11")
	for _, c := range []struct {
		launch computeunit.Launch
		limits string
		reason string
	}{
		{computeunit.Launch{GroupSize: 32, SubgroupSize: 16, SLM: 65537}, "slm", "more SLM than the subslice has"},
		{computeunit.Launch{GroupSize: 64, SubgroupSize: 32, RegisterBytes: 129}, "registers", "one byte over 4096/32: spilled"},
		{computeunit.Launch{GroupSize: 57 * 8, SubgroupSize: 8}, "subgroups", "57 sub-groups for 56 states"},
		{computeunit.Launch{GroupSize: 57 * 8, SubgroupSize: 8, SLM: 65537}, "slm+subgroups", "all limits that apply are listed"},
	} {
		r, err := p.Predict(c.launch)
		if err != nil || r.Groups != 0 || r.Occupancy != 0 || strings.Join(r.Limits, "+") != c.limits {
			t.Errorf("%+v: %d work-groups by %s, %v; want 0 by %s: %s", c.launch, r.Groups, r.Limits, err, c.limits, c.reason)
		}
	}
}

func randomLaunch(random *rand.Rand) computeunit.Launch {
	return computeunit.Launch{
		GroupSize: 1 + random.Int64N(1024), SubgroupSize: 1 << random.IntN(7),
		SLM: unit.Bytes(random.Int64N(70000) * random.Int64N(2)), RegisterBytes: unit.Bytes(random.Int64N(600)),
	}
}

func TestProperties(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	predict := func(p computeunit.Platform, l computeunit.Launch) computeunit.Result {
		r, err := p.Predict(l)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, key := range builtin(t).Keys() {
		p := find(t, builtin(t), key)
		for range 5000 {
			l := randomLaunch(random)
			r := predict(p, l)
			if r.Occupancy < 0 || r.Occupancy > 1 || r.Lanes <= 0 || r.Lanes > 1 || len(r.Limits) == 0 {
				t.Errorf("%s %+v: occupancy %v, lanes %v, limits %q", p.Key, l, r.Occupancy, r.Lanes, r.Limits)
			}
			if padded, ok := r.ByRegistersPadded.Value(); ok && padded > r.ByRegisters.Or(0) {
				t.Errorf("%s %+v: a filled last sub-group admits more work-groups (%d)", p.Key, l, padded)
			}
			more := l
			more.SLM += unit.Bytes(1 + random.Int64N(1000))
			more.RegisterBytes += unit.Bytes(1 + random.Int64N(50))
			more.GroupSize += random.Int64N(100)
			if after := predict(p, more); after.Groups > r.Groups {
				t.Errorf("%s: %+v admits %d work-groups, but %+v admits %d", p.Key, l, r.Groups, more, after.Groups)
			}
		}
	}
}

// TestAdviseAgainstSearch tries every sub-group and work-group size, and every
// amount around the maxima that Advise returns.
func TestAdviseAgainstSearch(t *testing.T) {
	for _, key := range builtin(t).Keys() {
		p := find(t, builtin(t), key)
		advice, err := p.Advise(computeunit.Target{})
		if err != nil {
			t.Fatal(err)
		}
		if !advice.Full {
			t.Errorf("%s: no setting reaches 100%%", p.Key)
		}
		found := map[[2]int64]computeunit.Setting{}
		for _, s := range advice.Settings {
			found[[2]int64{s.SubgroupSize, s.GroupSize}] = s
		}
		full := 0
		for _, offered := range p.SubgroupSizes {
			sg := int64(offered)
			for size := sg; size <= int64(cmp.Or(p.MaxGroupSize, 1<<20)) && size <= int64(p.Blocks*p.SubgroupsPerBlock)*sg; size++ {
				r, err := p.Predict(computeunit.Launch{GroupSize: size, SubgroupSize: sg})
				if err != nil {
					t.Fatal(err)
				}
				if r.Occupancy != 1 || r.Lanes != 1 {
					continue
				}
				full++
				s, ok := found[[2]int64{sg, size}]
				if !ok {
					t.Errorf("%s: %d/%d reaches 100%% but is not advised", p.Key, size, sg)
					continue
				}
				checkMaxima(t, p, s)
			}
		}
		if full != len(advice.Settings) {
			t.Errorf("%s: %d settings reach 100%%; %d are advised", p.Key, full, len(advice.Settings))
		}
		t.Logf("%s: %d settings reach 100%%", p.Key, full)
	}
}

func checkMaxima(t *testing.T, p computeunit.Platform, s computeunit.Setting) {
	t.Helper()
	l := computeunit.Launch{GroupSize: s.GroupSize, SubgroupSize: s.SubgroupSize, SLM: s.MaxSLM, RegisterBytes: s.MaxRegisterBytes}
	if r, err := p.Predict(l); err != nil || r.Occupancy != s.Occupancy || r.Groups != s.Groups {
		t.Errorf("%s: %+v at its maxima has %d work-groups, %v", p.Key, s, r.Groups, err)
	}
	for _, over := range []computeunit.Launch{
		{GroupSize: s.GroupSize, SubgroupSize: s.SubgroupSize, SLM: s.MaxSLM + 1},
		{GroupSize: s.GroupSize, SubgroupSize: s.SubgroupSize, RegisterBytes: s.MaxRegisterBytes + 1},
	} {
		if r, err := p.Predict(over); err != nil || r.Groups >= s.Groups {
			t.Errorf("%s: %+v keeps its %d work-groups with %+v, %v", p.Key, s, s.Groups, over, err)
		}
	}
}

func TestAdviseWithFixedUse(t *testing.T) {
	table := builtin(t)
	for _, c := range []struct {
		platform string
		want     computeunit.Target
		full     bool
		size     int64 // first setting
		subgroup int64
		groups   int64
		reason   string
	}{
		{"gen11", computeunit.Target{RegisterBytes: unit.Some[unit.Bytes](256)}, true, 32, 8, 14,
			"7168 register bytes per sub-group state at SIMD8 hold 256 per work-item; work-groups of 4 sub-groups are the first of at most 16 that fill 56"},
		{"gen11", computeunit.Target{RegisterBytes: unit.Some[unit.Bytes](384), SLM: unit.Some[unit.Bytes](768)}, true, 32, 8, 14,
			"384 bytes fit at SIMD8 only"},
		{"rtx2080ti", computeunit.Target{RegisterBytes: unit.Some[unit.Bytes](300)}, false, 96, 32, 9,
			"262144/300 is 873 work-items, 27 sub-groups: 16 work-groups of 1 and 13 of 2 stay below, 9 of 3 are the first to reach it"},
		{"gen11", computeunit.Target{GroupSize: unit.Some[int64](24)}, false, 24, 8, 16,
			"3 sub-groups at SIMD8 x 16 work-groups is 48 of 56; at SIMD16 it is 2 x 16"},
	} {
		p := find(t, table, c.platform)
		a, err := p.Advise(c.want)
		if err != nil || len(a.Settings) == 0 {
			t.Fatalf("%s %+v: %+v, %v", c.platform, c.want, a, err)
		}
		s := a.Settings[0]
		if a.Full != c.full || s.GroupSize != c.size || s.SubgroupSize != c.subgroup || s.Groups != c.groups {
			t.Errorf("%s %+v: full %t, first %+v; want full %t, %d/%d with %d work-groups: %s",
				c.platform, c.want, a.Full, s, c.full, c.size, c.subgroup, c.groups, c.reason)
		}
	}
}

func TestAdviseReportsMissingValues(t *testing.T) {
	p := find(t, builtin(t), "gen11")
	p.SubgroupSizes = nil
	want := `platform "gen11" lists no sub-group sizes; give one, or fill the column subgroup_sizes of its platform file`
	if _, err := p.Advise(computeunit.Target{}); err == nil || err.Error() != want {
		t.Errorf("got %v; want %q", err, want)
	}
	a, err := p.Advise(computeunit.Target{SubgroupSize: unit.Some[int64](8), SLM: unit.Some[unit.Bytes](1 << 20)})
	if err != nil || len(a.Settings) != 0 || a.Full {
		t.Errorf("1 MiB of SLM: %+v, %v; want no setting", a, err)
	}
	if _, err := p.Advise(computeunit.Target{SubgroupSize: unit.Some[int64](0)}); err == nil {
		t.Error("sub-group size 0 returns advice")
	}
}

func TestSpread(t *testing.T) {
	p := find(t, builtin(t), "gen11") // 8 subslices
	r, err := p.Predict(computeunit.Launch{GroupSize: 64, SLM: 384, SubgroupSize: 16, RegisterBytes: 256})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		groups              int64
		peak, tail, average unit.Ratio
		reason              string
	}{
		{112, 1, 0, 1, "8 x 14 work-groups fill the GPU"},
		{336, 1, 0, 1, "a multiple has no tail"},
		{56, 0.5, 0.5, 0.5, "half of a wave is the only wave"},
		{140, 1, 0.25, 0.625, "1.25 waves take two: (1 + 0.25) / 2"},
	} {
		s, err := p.GridOccupancy(r, c.groups)
		if err != nil {
			t.Fatal(err)
		}
		if s.Fill != unit.Some[int64](112) || s.Peak != unit.Some(c.peak) || s.Tail != unit.Some(c.tail) || s.Average != unit.Some(c.average) {
			t.Errorf("%d work-groups: %+v; want %+v: %s", c.groups, s, c, c.reason)
		}
	}
}

func TestSpreadErrors(t *testing.T) {
	p := find(t, builtin(t), "gen11")
	fits, _ := p.Predict(computeunit.Launch{GroupSize: 64, SubgroupSize: 16})
	tooBig, _ := p.Predict(computeunit.Launch{GroupSize: 64, SubgroupSize: 16, SLM: 1 << 20})
	unknown := p
	unknown.ComputeUnits = 0
	for _, c := range []struct {
		platform computeunit.Platform
		result   computeunit.Result
		groups   int64
		want     string
	}{
		{unknown, fits, 1, `platform "gen11" has no number of compute units; fill the column compute_units of its platform file`},
		{p, tooBig, 1, `no work-group of this kernel fits on a compute unit of platform "gen11" (slm)`},
	} {
		if _, err := c.platform.GridOccupancy(c.result, c.groups); err == nil || err.Error() != c.want {
			t.Errorf("got %v; want %q", err, c.want)
		}
	}
	if s, err := p.GridOccupancy(fits, 0); err != nil || s != (computeunit.GridOccupancy{Fill: unit.Some[int64](112)}) {
		t.Errorf("without a number of work-groups: %+v, %v; want what fills the GPU alone", s, err)
	}
}

func BenchmarkPredict(b *testing.B) {
	p := find(b, builtin(b), "gen11")
	l := computeunit.Launch{GroupSize: 48, SLM: 768, SubgroupSize: 8, RegisterBytes: 384}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Predict(l); err != nil {
			b.Fatal(err)
		}
	}
}
