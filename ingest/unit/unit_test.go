package unit

import (
	"math"
	"strconv"
	"testing"
)

// TestPercentIsExact writes back every percentage that a profiler can print with one decimal, and some with six.
func TestPercentIsExact(t *testing.T) {
	for i := range 1006 {
		p, _ := strconv.ParseFloat(strconv.Itoa(i/10)+"."+strconv.Itoa(i%10), 64)
		if got := FromPercent(p).Percent(); got != p {
			t.Fatalf("%v came back as %v", p, got)
		}
	}
	for _, p := range []float64{0.00020258, 46.8018, 6.89741e-06, 99.999999} {
		if got := FromPercent(p).Percent(); math.Abs(got-p) > 1e-14*p {
			t.Errorf("%v came back as %v", p, got)
		}
	}
	if got := Ratio(1.0 / 7).Percent(); got != 100.0/7 && math.Abs(got-100.0/7) > 1e-14 {
		t.Errorf("1/7 is %v %%", got)
	}
}

func TestParseSize(t *testing.T) {
	for _, c := range []struct{ text, want, fault string }{
		{"512 x 512", "512x512", ""},
		{"512x512", "512x512", ""},
		{"512,512", "512x512", ""},
		{" 1024 x 1 ", "1024x1", ""},
		{"2048", "2048", ""},
		{"1 x 2 x 3", "1x2x3", ""},
		{"", "", ""},
		{"1x2x3x4", "", `size "1x2x3x4" has 4 dimensions; a launch has one to three`},
		{"0", "", `size "0": dimension 0 is below 1`},
		{"-4", "", `size "-4": dimension -4 is below 1`},
		{"4 x", "", `size "4 x" has an empty dimension; expected one to three numbers as in 512x512`},
		{"4 4", "", `size "4 4": "4 4" is not a whole number; expected one to three numbers as in 512x512`},
		{"1e3", "", `size "1e3": "1e3" is not a whole number; expected one to three numbers as in 512x512`},
		{"9223372036854775808", "", `size "9223372036854775808": dimension "9223372036854775808" is above 9223372036854775807`},
	} {
		s, err := ParseSize(c.text)
		if got := s.String(); got != c.want {
			t.Errorf("%q gives %q, want %q", c.text, got, c.want)
		}
		if (err == nil) != (c.fault == "") || (err != nil && err.Error() != c.fault) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.fault)
		}
	}
}

func TestItems(t *testing.T) {
	for _, c := range []struct {
		s    Size3
		want int64
		ok   bool
	}{
		{Size(512, 2), 1024, true},
		{Size3{}, 0, false},
		{Size(math.MaxInt64), math.MaxInt64, true},
		{Size(math.MaxInt64, 2), 0, false},
		{Size(1<<32, 1<<31), 0, false}, // 2^63 is one too many
		{Size(1<<31, 1<<31), 1 << 62, true},
	} {
		if got, ok := c.s.Items(); got != c.want || ok != c.ok {
			t.Errorf("%v has %d items, %v; want %d, %v", c.s, got, ok, c.want, c.ok)
		}
	}
	if d := Size(1024, 1).Dim(2); d != 1 {
		t.Errorf("a dimension that was not printed is %d, want 1", d)
	}
}

// TestAbsent keeps "not measured" apart from zero.
func TestAbsent(t *testing.T) {
	var o Opt[Ratio]
	if v, ok := o.Value(); v != 0 || ok || o.Present() || o.Or(0.5) != 0.5 {
		t.Errorf("the zero Opt is absent, got %v %v", v, ok)
	}
	if v, ok := Some(Ratio(0)).Value(); v != 0 || !ok {
		t.Error("a zero that was measured is there")
	}
}

func FuzzParseSize(f *testing.F) {
	for _, s := range []string{"512 x 512", "1,2,3", "×", "0x10", "9223372036854775807"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSize(text)
		if err != nil {
			return
		}
		if back, err := ParseSize(s.String()); err != nil || back != s {
			t.Errorf("%q gives %v, which reads back as %v %v", text, s, back, err)
		}
	})
}
