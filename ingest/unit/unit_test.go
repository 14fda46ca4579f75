package unit

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"
)

// TestPercentIsExact writes back every percentage with one decimal that a
// profiler can print, and some with six decimals.
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
		t.Errorf("1/7 is %v%%", got)
	}
}

func TestParseSize(t *testing.T) {
	for _, c := range []struct{ text, want, fault string }{
		{"512 x 512", "512x512", ""},
		{"512x512", "512x512", ""},
		{"512,512", "512x512", ""},
		{"512 * 2", "512x2", ""},
		{" 1024 x 1 ", "1024x1", ""},
		{"2048", "2048", ""},
		{"1 x 2 x 3", "1x2x3", ""},
		{"", "", ""},
		{"1x2x3x4", "", `size "1x2x3x4" has 4 dimensions; a launch has one to three`},
		{"0", "", `size "0": dimension 0 is below 1`},
		{"-4", "", `size "-4": dimension -4 is below 1`},
		{"1,048,576", "", `size "1,048,576": dimension "048" begins with 0; commas separate dimensions, not thousands`},
		{"4 x", "", `size "4 x" has an empty dimension; expected one to three numbers as in 512x512`},
		{"4 4", "", `size "4 4": "4 4" is not a whole number; expected one to three numbers as in 512x512`},
		{"1e3", "", `size "1e3": "1e3" is not a whole number; expected one to three numbers as in 512x512`},
		{"9223372036854775808", "", `size "9223372036854775808": dimension "9223372036854775808" is above 9223372036854775807`},
	} {
		s, err := ParseSize(c.text)
		if got := s.String(); got != c.want {
			t.Errorf("%q is parsed as %q, want %q", c.text, got, c.want)
		}
		if (err == nil) != (c.fault == "") || (err != nil && err.Error() != c.fault) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.fault)
		}
	}
}

func TestParseBytes(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  Bytes
		fault string
	}{
		{"16384", 16384, ""}, {"16K", 16384, ""}, {"16k", 16384, ""}, {"16 KB", 16384, ""}, {"16KiB", 16384, ""}, {"0.5K", 512, ""},
		{" 65536 B ", 65536, ""}, {"2M", 2 << 20, ""}, {"1048576 MiB", 1 << 40, ""}, {"0", 0, ""},
		{"1.5", 0, `"1.5": expected bytes, or an amount with a unit as in 16K`},
		{"-1", 0, `"-1": an amount of memory cannot be below 0`},
		{"1e3", 0, `"1e3": expected bytes, or an amount with a unit as in 16K`},
		{"NaN", 0, `"NaN": expected bytes, or an amount with a unit as in 16K`},
		{"1,024", 0, `"1,024": expected bytes, or an amount with a unit as in 16K`},
		{"K", 0, `"K": expected bytes, or an amount with a unit as in 16K`},
		{"", 0, `"": expected bytes, or an amount with a unit as in 16K`},
		{"16G", 0, `"16G": expected bytes, or an amount with a unit as in 16K`},
		{"1048577M", 0, `"1048577M": expected bytes, or an amount with a unit as in 16K`},
		{"99999999999999999999", 0, `"99999999999999999999": expected bytes, or an amount with a unit as in 16K`},
	} {
		b, err := ParseBytes(c.text)
		if b != c.want || (err == nil) != (c.fault == "") || (err != nil && err.Error() != c.fault) {
			t.Errorf("%q is parsed as %d, %v; want %d, %q", c.text, b, err, c.want, c.fault)
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
		{Size(1<<32, 1<<31), 0, false}, // 2^63 overflows by one
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

// TestAbsent checks that "not measured" differs from zero.
func TestAbsent(t *testing.T) {
	var o Opt[Ratio]
	if v, ok := o.Value(); v != 0 || ok || o.Present() || o.Or(0.5) != 0.5 {
		t.Errorf("the zero Opt is present: %v %v", v, ok)
	}
	if v, ok := Some(Ratio(0)).Value(); v != 0 || !ok {
		t.Error("a measured zero is absent")
	}
}

// TestEncodings checks the JSON of every kind of value.
func TestEncodings(t *testing.T) {
	type text string
	for _, c := range []struct {
		reason string
		value  any
		json   string
	}{
		{"seconds", Seconds(1.25), "1.25"},
		{"small seconds have an exponent", Seconds(2.2e-9), "2.2e-9"},
		{"large seconds have an exponent", Seconds(1e22), "1e+22"},
		{"an exponent of three digits is kept", Seconds(1e-300), "1e-300"},
		{"a ratio is a percentage", FromPercent(62.7), "62.7"},
		{"points", Points(-0.5), "-0.5"},
		{"NaN is null", Ratio(math.NaN()), "null"},
		{"an infinity", Points(math.Inf(-1)), "null"},
		{"a size", Size(512, 1), "[512,1]"},
		{"no size", Size3{}, "[]"},
		{"absent", Opt[Ratio]{}, "null"},
		{"a measured zero", Some(Ratio(0)), "0"},
		{"an optional percentage", Some(Ratio(0.5)), "50"},
		{"optional seconds", Some(Seconds(0.001)), "0.001"},
		{"optional points", Some(Points(3)), "3"},
		{"an optional NaN", Some(math.NaN()), "null"},
		{"an optional number", Some(1.5), "1.5"},
		{"an optional count", Some(int64(1234567)), "1234567"},
		{"an optional int", Some(7), "7"},
		{"optional bytes", Some(Bytes(65536)), "65536"},
		{"an optional size", Some(Size(16, 16)), "[16,16]"},
		{"an optional string", Some(text("a<b")), `"a\u003cb"`},
	} {
		b, err := json.Marshal(c.value)
		if err != nil || string(b) != c.json {
			t.Errorf("%s: JSON %s, %v; want %s", c.reason, b, err, c.json)
		}
	}
	var b Bytes
	if err := b.UnmarshalCSV(" 64 KB "); err != nil || b != 65536 {
		t.Errorf("64 KB reads as %d, %v", b, err)
	}
	if err := b.UnmarshalCSV(" "); err != nil || b != 0 {
		t.Errorf("an empty cell reads as %d, %v", b, err)
	}
}

// TestNumbersWithoutJSON checks that each type writes NaN and infinities as
// null, because JSON has no numbers for them.
func TestNumbersWithoutJSON(t *testing.T) {
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, v := range []any{Seconds(x), Ratio(x), Points(x), Some(x), Some(Ratio(x))} {
			if got, err := json.Marshal(v); err != nil || string(got) != "null" {
				t.Errorf("%T of %v is %s, %v", v, x, got, err)
			}
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", math.MinInt64: "-9,223,372,036,854,775,808"} {
		if got := Thousands(n); got != want {
			t.Errorf("%d prints as %s, want %s", n, got, want)
		}
	}
}

func FuzzParseBytes(f *testing.F) {
	for _, s := range []string{"64K", "65536", "2 MiB", "0", "9223372036854775807M", "-1", "k", "0.5KB"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ParseBytes(text)
		if err != nil {
			return
		}
		if again, err := ParseBytes(strconv.FormatInt(int64(b), 10)); b < 0 || b > maxBytes || err != nil || again != b {
			t.Errorf("%q is parsed as %d, which is parsed again as %d, %v", text, b, again, err)
		}
	})
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
			t.Errorf("%q is parsed as %v, which is parsed again as %v %v", text, s, back, err)
		}
	})
}

func TestJoinWords(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{{nil, ""}, {[]string{"a"}, "a"}, {[]string{"a", "b"}, "a or b"}, {[]string{"a", "b", "c"}, "a, b or c"}} {
		if got := JoinWords(c.words, "or"); got != c.want {
			t.Errorf("%q: got %q, want %q", c.words, got, c.want)
		}
	}
}

// TestRatioString: all messages print a share with one decimal by one rule.
func TestRatioString(t *testing.T) {
	for _, c := range []struct {
		reason  string
		percent float64
		want    string
	}{
		{"one decimal", 97.87, "97.9%"},
		{"all of it", 100, "100.0%"},
		{"a tie rounds to the even digit, as in VTune", 6.25, "6.2%"},
		{"no minus before zero", -0.04, "0.0%"},
		{"a negative share, which is an error of the input", -0.06, "-0.1%"},
	} {
		if got := FromPercent(c.percent).String(); got != c.want {
			t.Errorf("%s: %v prints as %s, want %s", c.reason, c.percent, got, c.want)
		}
	}
}
