package calculator_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"occudiff/predict/calculator"
)

func TestRejections(t *testing.T) {
	d, err := builtin(t).Find("fam:gen12", 96)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		global, local string
		simd          int
		class         string
		text          string
		reason        string
	}{
		{"4096", "256", 16, "", "", "a result has no rejection"},
		{"abc", "256", 16, "bad_global", `global size "abc" has a part that does not begin with a digit; write it as 4096, 1024,256 or 256*256*64`, "not a number"},
		{" ", "256", 16, "bad_global", `global size " " has a part that does not begin with a digit; write it as 4096, 1024,256 or 256*256*64`, "a space is not an empty text"},
		{"4096", "16,", 16, "bad_wg", `work-group size "16," has a part that does not begin with a digit; write it as 256, 16,16 or 4,4,4`, "an empty part"},
		{"4096", "513", 16, "wg_too_big", `work-group size "513" is above the 512 work-items that fam:gen12 allows`, "one too many; that it does not divide is not looked at"},
		{"x", "513", 16, "bad_global+wg_too_big", `global size "x" has a part that does not begin with a digit; write it as 4096, 1024,256 or 256*256*64; ` +
			`work-group size "513" is above the 512 work-items that fam:gen12 allows`, "messages accumulate"},
		{"x", "y", 16, "bad_global+bad_wg", `global size "x" has a part that does not begin with a digit; write it as 4096, 1024,256 or 256*256*64; ` +
			`work-group size "y" has a part that does not begin with a digit; write it as 256, 16,16 or 4,4,4`, "both sizes"},
		{"4096", "48", 16, "wg_not_dividing", `work-group size "48" does not divide global size "4096"; the calculator does not support a smaller last work-group`, "4096 = 85 x 48 + 16"},
		{"0", "0", 16, "wg_not_dividing", `work-group size "0" does not divide global size "0"; the calculator does not support a smaller last work-group`, "nothing divides by 0"},
		{"1,2,3,4", "256", 16, "silent", `a size has more than three parts (global "1,2,3,4", work-group "256"); the calculator then shows nothing at all`, "four parts"},
		{"4096", "1,2,3,4", 16, "silent", `a size has more than three parts (global "4096", work-group "1,2,3,4"); the calculator then shows nothing at all`, "four parts of the work-group"},
		{"1*2*3*4", "x", 16, "bad_wg", `work-group size "x" has a part that does not begin with a digit; write it as 256, 16,16 or 4,4,4`, "another message breaks the silence"},
		{"4096", "256", 0, "bad_simd", `sub-group size 0 is below 1; the form offers 32 16 8`, "would divide by zero"},
	} {
		in := calculator.Input{Global: c.global, Local: c.local, SIMD: c.simd}
		out := calculator.Run(&d, in)
		if got := out.Rejection.String(); got != c.class {
			t.Errorf("%q %q: class %q; want %q: %s", c.global, c.local, got, c.class, c.reason)
		}
		if got := out.Rejection.Explain(&d, in); got != c.text {
			t.Errorf("%q %q:\n got %s\nwant %s", c.global, c.local, got, c.text)
		}
	}
}

// TestKnownBugs checks the calculator's errors that the project's own model
// must not repeat.
func TestKnownBugs(t *testing.T) {
	table := builtin(t)
	run := func(key string, in calculator.Input) calculator.Output {
		d, err := table.Find(key, 0)
		if err != nil {
			t.Fatal(err)
		}
		return calculator.Run(&d, in)
	}
	in := calculator.Input{Global: "1024", Local: "1024", SIMD: 16}
	if byID, byFamily := run("pci:E20B", in), run("fam:xe2_hpg", in); byID.XeCorePercent != 0 || byFamily.XeCorePercent != 100 {
		t.Errorf("B580 by id %v%%, by family %v%%; want 0 (32 threads per Xe-core) and 100 (64)", byID.XeCorePercent, byFamily.XeCorePercent)
	}
	g := run("fam:gen12", calculator.Input{Global: "32", Local: "32", SIMD: 32}).GPU
	if g.PeakPercent >= g.AveragePercent {
		t.Errorf("one thread on Tiger Lake: peak %v, average %v; the calculator's rounding puts the average above the peak", g.PeakPercent, g.AveragePercent)
	}
	over := run("fam:gen12", calculator.Input{Global: "512", Local: "256", SIMD: 16, SLMKB: 65}).GPU
	if !math.IsNaN(over.Waves) || over.PeakPercent != 0 {
		t.Errorf("65 KB of SLM: waves %v, peak %v; the calculator has NaN and 0", over.Waves, over.PeakPercent)
	}
}

// TestOccupancyStaysInRange checks random forms with positive numbers.
func TestOccupancyStaysInRange(t *testing.T) {
	configurations := builtin(t).Configurations()
	random := rand.New(rand.NewPCG(1, 2))
	for range 50_000 {
		d := configurations[random.IntN(len(configurations))]
		local := 1 + random.IntN(d.MaxGroupSize)
		in := calculator.Input{
			Global: strconv.Itoa(local * random.IntN(100_000)), Local: strconv.Itoa(local),
			SIMD: d.SIMDWidths[random.IntN(len(d.SIMDWidths))], SLMKB: random.IntN(d.SLMKBPerGroup + 1),
			Barrier: random.IntN(2) == 0, LargeGRF: random.IntN(2) == 0,
		}
		out := calculator.Run(&d, in)
		if out.Rejection != 0 {
			t.Fatalf("%s %+v is refused: %s", d.Key, in, out.Rejection)
		}
		g := cmp.Or(out.GPU, &calculator.GPU{})
		for _, p := range []float64{out.XeCorePercent, g.PeakPercent, g.AverageExact} {
			if !(p >= 0 && p <= 100*(1+1e-12)) {
				t.Errorf("%s %+v: %v%% is not within 0..100", d.Key, in, p)
			}
		}
		if g.AverageExact > g.PeakPercent*(1+1e-12) {
			t.Errorf("%s %+v: unrounded average %v is above the peak %v", d.Key, in, g.AverageExact, g.PeakPercent)
		}
		if len(out.LimitedBy) == 0 {
			t.Errorf("%s %+v: nothing limits", d.Key, in)
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add("81920", "256", 16, 64, false, false)
	f.Add("-5*2", "-1,3", 8, -1, true, true)
	f.Add("4096 items", "0x10", 32, 1<<40, true, false)
	f.Add("", "1e400", 1, 0, false, true)
	f.Add("99999999999999999999*99999999999999999999999*9", "7", 3, 3, true, true)
	configurations := builtin(f).Configurations()
	f.Fuzz(func(t *testing.T, global, local string, simd, slm int, barrier, grf bool) {
		in := calculator.Input{Global: global, Local: local, SIMD: simd, SLMKB: slm, Barrier: barrier, LargeGRF: grf}
		for i := 0; i < len(configurations); i += 7 {
			d := configurations[i]
			out := calculator.Run(&d, in)
			if (out.Rejection != 0) != (out.Rejection.Explain(&d, in) != "") {
				t.Errorf("%s %+v: refusal %q without a text, or a text without a refusal", d.Key, in, out.Rejection)
			}
			if out.Rejection == 0 && out.GroupItems > float64(d.MaxGroupSize) {
				t.Errorf("%s %+v: a work-group of %v work-items was taken", d.Key, in, out.GroupItems)
			}
		}
	})
}

func BenchmarkRun(b *testing.B) {
	d, err := builtin(b).Find("fam:gen12", 96)
	if err != nil {
		b.Fatal(err)
	}
	in := calculator.Input{Global: "320640", Local: "128", SIMD: 16, SLMKB: 5, Barrier: true}
	b.ReportAllocs()
	for b.Loop() {
		if out := calculator.Run(&d, in); out.Rejection != 0 {
			b.Fatal(out.Rejection)
		}
	}
}

func BenchmarkBuiltin(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := calculator.Builtin(); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleRun() {
	table, err := calculator.Builtin()
	if err != nil {
		fmt.Println(err)
		return
	}
	tigerLake, err := table.Find("fam:gen12", 96)
	if err != nil {
		fmt.Println(err)
		return
	}
	out := calculator.Run(&tigerLake, calculator.Input{Global: "512*48", Local: "512", SIMD: 32})
	g := out.GPU
	fmt.Printf("%v work-groups per Xe-core (%s), peak %.1f%%, %v waves, average %.1f%%\n",
		out.GroupsPerCore, strings.Join(out.LimitedBy, "+"), g.PeakPercent, g.Waves, g.AveragePercent)
	// Output: 7 work-groups per Xe-core (threads), peak 100.0%, 1.14 waves, average 57.0%
}
