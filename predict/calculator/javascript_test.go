package calculator

import (
	"math"
	"math/big"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

func TestParseIntIsJavaScripts(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		text   string
		want   float64
		reason string
	}{
		{"4096", 4096, "a plain number"},
		{"4096 items", 4096, "reading stops at the first character that is no digit"},
		{"16*64", 16, "an operator is no digit"},
		{"1e3", 1, "there are no exponents in an integer"},
		{"1.9", 1, "nor decimals"},
		{" \t\u00a0\ufeff\u202812", 12, "leading white space by JavaScript's definition is skipped"},
		{"\u008512", nan, "U+0085 is white space for Go but not for JavaScript"},
		{"-12", -12, "a sign counts"},
		{"+12", 12, "either sign"},
		{"--12", nan, "one sign only"},
		{"- 12", nan, "and no space after it"},
		{"0x20", 32, "0x makes it hexadecimal"},
		{"-0X1fG", -31, "in either case, up to the first character that is no hexadecimal digit"},
		{"0x", nan, "0x alone has no digits"},
		{"010", 10, "a leading 0 is not octal"},
		{"0b11", 0, "nor is 0b binary"},
		{"", nan, "an empty text has no digits"},
		{"x", nan, "nor has a letter"},
		{"Infinity", nan, "parseInt does not know Infinity"},
		{"９", nan, "only ASCII digits count"},
		{"9007199254740993", 9007199254740992, "above 2^53 the nearest number, ties to even"},
		{"0x20000000000001", 9007199254740992, "also in hexadecimal"},
		{"1" + strings.Repeat("0", 400), math.Inf(1), "too large is Infinity"},
	} {
		if got := parseInt(c.text); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("parseInt(%q) = %v; want %v: %s", c.text, got, c.want, c.reason)
		}
	}
}

func TestToNumberIsJavaScripts(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		text   string
		want   float64
		reason string
	}{
		{"", 0, "an empty text is 0"},
		{" \n", 0, "so is white space"},
		{".5e4", 5000, "a number may begin with its point, which parseInt does not read"},
		{" -.5 ", -0.5, "with sign and spaces around"},
		{"Infinity", math.Inf(1), "a word for infinity"},
		{"-Infinity", math.Inf(-1), "with a sign"},
		{"infinity", nan, "in this spelling only"},
		{"inf", nan, "and not Go's"},
		{".e5", nan, "no digit"},
		{".5x", nan, "all of the text counts"},
		{".1_0", nan, "Go's digit separators are unknown"},
		{"abc", nan, "no number"},
		{".5e999", math.Inf(1), "too large"},
	} {
		if got := toNumber(c.text); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("toNumber(%q) = %v; want %v: %s", c.text, got, c.want, c.reason)
		}
	}
}

func TestToFixed2RoundsTheExactValueAndTiesUp(t *testing.T) {
	for _, c := range []struct {
		x, want float64
		reason  string
	}{
		{0.125, 0.13, "an exact tie goes up; Go's %.2f gives 0.12"},
		{0.375, 0.38, "up where half-to-even also goes up"},
		{2.625, 2.63, "up"},
		{0.875, 0.88, "up"},
		{1.005, 1, "the binary value is a little below the tie"},
		{8.345, 8.35, "the binary value is a little above the tie (8.3450000000000006394)"},
		{1.115, 1.11, "below, although 1.115*100 rounds to 111.5 and above"},
		{0.285, 0.28, "below, although 0.285*100 rounds up too"},
		{-0.125, -0.13, "below zero the magnitude is rounded"},
		{0, 0, "zero"},
		{2, 2, "whole"},
		{1e21, 1e21, "from 1e21 on toFixed prints the number as it is"},
		{123456789012345.125, 123456789012345.13, "a tie of a large number"},
		{1 << 50, 1 << 50, "large and whole"},
	} {
		if got := toFixed2(c.x); got != c.want {
			t.Errorf("toFixed2(%v) = %v; want %v: %s", c.x, got, c.want, c.reason)
		}
	}
	if got := toFixed2(math.NaN()); !math.IsNaN(got) {
		t.Errorf("toFixed2(NaN) = %v; want NaN", got)
	}
}

// toFixed2Reference is the definition: the integer n for which n/100 is nearest to the exact x, the larger one of two.
func toFixed2Reference(x float64) float64 {
	if x < 0 {
		return -toFixed2Reference(-x)
	}
	if x >= 1e21 || math.IsNaN(x) {
		return x
	}
	r := new(big.Rat).SetFloat64(x)
	r.Mul(r, big.NewRat(200, 1)).Add(r, big.NewRat(1, 1)) // floor(100x + 1/2) = floor((200x+1) / 2)
	n := new(big.Int).Quo(r.Num(), new(big.Int).Mul(r.Denom(), big.NewInt(2)))
	v, _ := new(big.Rat).SetFrac(n, big.NewInt(100)).Float64()
	return v
}

func FuzzToFixed2(f *testing.F) {
	for _, x := range []float64{0, 0.125, 1.005, 8.345, 1e15 + 0.125, 1 << 44, 1<<44 - 0.125, 1<<50 + 0.25, 1e21, -3.625, 5e-324, math.MaxFloat64} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return
		}
		if got, want := toFixed2(x), toFixed2Reference(x); got != want {
			t.Errorf("toFixed2(%v) = %v; want %v", x, got, want)
		}
	})
}

func TestTruncatedReadsNumbersAsText(t *testing.T) {
	for _, c := range []struct {
		x, want float64
		reason  string
	}{
		{2.99, 2, "decimals are cut"},
		{-2.99, -2, "toward zero"},
		{1e21, 1, "the text is 1e+21"},
		{1.5e-7, 1, "the text is 1.5e-7"},
		{1e-6, 0, "the text is 0.000001"},
		{1e20, 1e20, "the text has 21 digits"},
	} {
		if got := truncated(c.x); got != c.want {
			t.Errorf("truncated(%v) = %v; want %v: %s", c.x, got, c.want, c.reason)
		}
	}
	if got := truncated(math.Inf(1)); !math.IsNaN(got) {
		t.Errorf("truncated(+Inf) = %v; want NaN: the text is Infinity, which has no digit", got)
	}
}

func FuzzParseInt(f *testing.F) {
	for _, text := range []string{"", "0", "-0", "0x1F", "4096 items", "\ufeff 7", "99999999999999999999", "0x" + strings.Repeat("f", 300)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v := parseInt(text)
		if !math.IsNaN(v) && !math.IsInf(v, 0) && v != math.Trunc(v) {
			t.Errorf("parseInt(%q) = %v is not whole", text, v)
		}
		// What strconv accepts as a decimal integer is the same number for both.
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && float64(n) != v {
			t.Errorf("parseInt(%q) = %v; want %d", text, v, n)
		}
		if w := parseInt(text + "z"); w != v && !(math.IsNaN(v) && math.IsNaN(w)) {
			t.Errorf("parseInt(%q) = %v, but %v with a letter behind it", text, v, w)
		}
	})
}

// TestAgainstNode asks a real JavaScript engine, where there is one.
func TestAgainstNode(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skipf("no JavaScript engine to compare with: %v", err)
	}
	var script strings.Builder
	script.WriteString("const r=[];")
	var values []float64
	for i := range 4000 {
		x := float64(i)/800 + float64(i%7)*math.Nextafter(1e-3, 1)
		values = append(values, x, float64(i)/8, float64(i)*1234567.875)
	}
	for _, x := range values {
		script.WriteString("r.push(Number((" + strconv.FormatFloat(x, 'g', -1, 64) + ").toFixed(2)));")
	}
	script.WriteString("console.log(r.join('\\n'))")
	cmd := exec.Command(node, "-")
	cmd.Stdin = strings.NewReader(script.String())
	printed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(printed))
	if len(lines) != len(values) {
		t.Fatalf("node printed %d numbers; expected %d", len(lines), len(values))
	}
	for i, line := range lines {
		if want, err := strconv.ParseFloat(line, 64); err != nil || toFixed2(values[i]) != want {
			t.Errorf("toFixed2(%v) = %v; node has %s", values[i], toFixed2(values[i]), line)
		}
	}
	t.Logf("toFixed(2): %d numbers compared with node", len(values))
}
