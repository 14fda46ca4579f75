package calculator

import (
	"math"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"occudiff/internal/testenv"
)

func TestParseIntLikeJavaScript(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		text   string
		want   float64
		reason string
	}{
		{"4096", 4096, "a plain number"},
		{"4096 items", 4096, "reading stops at the first character that is not a digit"},
		{"16*64", 16, "an operator is not a digit"},
		{"1e3", 1, "there are no exponents in an integer"},
		{"1.9", 1, "nor decimals"},
		{" \t\u00a0\ufeff\u202812", 12, "leading white space by JavaScript's definition is skipped"},
		{"\u008512", nan, "U+0085 is white space for Go but not for JavaScript"},
		{"-12", -12, "a sign is part of the number"},
		{"+12", 12, "either sign"},
		{"--12", nan, "one sign only"},
		{"- 12", nan, "no space after the sign"},
		{"0x20", 32, "0x makes it hexadecimal"},
		{"-0X1fG", -31, "in either case, up to the first character that is not a hexadecimal digit"},
		{"0x", nan, "0x alone has no digits"},
		{"010", 10, "a leading 0 is not octal"},
		{"0b11", 0, "0b is not binary either"},
		{"", nan, "an empty text has no digits"},
		{"x", nan, "a letter is not a digit"},
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

func TestToFixed2RoundsTheExactValueAndTiesUp(t *testing.T) {
	for _, c := range []struct {
		x, want float64
		reason  string
	}{
		{0.125, 0.13, "an exact tie is rounded up; Go's %.2f prints 0.12"},
		{0.375, 0.38, "up where half-to-even also goes up"},
		{2.625, 2.63, "up"},
		{0.875, 0.88, "up"},
		{1.005, 1, "the binary value is a little below the tie"},
		{8.345, 8.35, "the binary value is a little above the tie (8.3450000000000006394)"},
		{1.115, 1.11, "below, although 1.115*100 rounds to 111.5 and above"},
		{0.285, 0.28, "below, although 0.285*100 rounds up too"},
		{0, 0, "zero"},
		{2, 2, "whole"},
		{123456789012345.125, 123456789012345.13, "a tie of a large number"},
		{1 << 50, 1 << 50, "large and whole"},
	} {
		if got := toFixed2(c.x); got != c.want {
			t.Errorf("toFixed2(%v) = %v; want %v: %s", c.x, got, c.want, c.reason)
		}
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
		// A decimal integer that strconv accepts has the same value in both.
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && float64(n) != v {
			t.Errorf("parseInt(%q) = %v; want %d", text, v, n)
		}
		if w := parseInt(text + "z"); w != v && !(math.IsNaN(v) && math.IsNaN(w)) {
			t.Errorf("parseInt(%q) = %v, but %v with a letter behind it", text, v, w)
		}
	})
}

// TestAgainstNode compares the functions with a real JavaScript engine.
func TestAgainstNode(t *testing.T) {
	node := testenv.Program(t, "node")
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
