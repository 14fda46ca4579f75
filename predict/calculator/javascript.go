package calculator

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// The functions here are JavaScript's, by the rules of ECMA-262, because the calculator's answers depend on them: which
// texts are numbers, and how a tie is rounded.

// parseInt reads the leading integer of a text as JavaScript's parseInt does: `4096 items` is 4096, `16*4` is 16,
// `0x20` is 32, and a text that begins with no digit is NaN.
func parseInt(text string) float64 {
	s := strings.TrimLeftFunc(text, isSpace)
	negative := false
	if s != "" && (s[0] == '-' || s[0] == '+') {
		negative = s[0] == '-'
		s = s[1:]
	}
	hex := len(s) >= 2 && s[0] == '0' && s[1]|0x20 == 'x'
	if hex {
		s = s[2:]
	}
	n := 0
	for n < len(s) && isDigit(s[n], hex) {
		n++
	}
	if n == 0 {
		return math.NaN()
	}
	digits := s[:n]
	if hex {
		digits = "0x" + digits + "p0"
	}
	v, _ := strconv.ParseFloat(digits, 64) // the only error is the range, and then the value is +Inf as it should be
	if negative {
		return -v
	}
	return v
}

func isDigit(c byte, hex bool) bool {
	return '0' <= c && c <= '9' || hex && 'a' <= c|0x20 && c|0x20 <= 'f'
}

// isSpace is WhiteSpace and LineTerminator of ECMA-262; unicode.IsSpace differs from it by U+0085 and U+FEFF.
func isSpace(r rune) bool {
	switch r {
	case '\t', '\v', '\f', '\n', '\r', '\u2028', '\u2029', '\ufeff':
		return true
	}
	return unicode.Is(unicode.Zs, r)
}

// toNumber is JavaScript's Number(text) for the texts that parseInt finds no digit in: an empty one is 0, and `.5e9`
// and `Infinity` are numbers. All else is NaN.
func toNumber(text string) float64 {
	s := strings.TrimFunc(text, isSpace)
	if s == "" {
		return 0
	}
	body := strings.TrimLeft(s[:1], "+-") + s[1:]
	switch {
	case body == "Infinity":
	case len(body) >= 2 && body[0] == '.' && isDigit(body[1], false) && strings.Trim(body, "0123456789.eE+-") == "":
	default:
		return math.NaN()
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// toFixed2 rounds to two decimals as JavaScript's toFixed(2) does: by the exact binary value, and an exact tie up (away
// from zero below zero). 1.005 is 1 since it is a little less than it looks; 0.125 is 0.13, where Go's %.2f gives 0.12:
// only odd eighths tie, and strconv rounds those to even.
func toFixed2(x float64) float64 {
	if x < 0 {
		return -toFixed2(-x)
	}
	if x >= 1e21 || math.IsNaN(x) {
		return x
	}
	whole, fraction := math.Modf(x)
	text := strconv.FormatFloat(x, 'f', 2, 64)
	if _, part := math.Modf(fraction * 8); part == 0 {
		hundredths := int(fraction*100 + 0.5) // exact: an eighth times 100 has one binary decimal
		text = strconv.FormatFloat(whole, 'f', 0, 64) + "." + strconv.Itoa(100 + hundredths)[1:]
	}
	v, _ := strconv.ParseFloat(text, 64) // a number just printed
	return v
}

// truncated is parseInt of a number: JavaScript turns it into text first, so that above 1e21 and below 1e-6 only the
// digit before the `e` is left.
func truncated(x float64) float64 {
	a := math.Abs(x)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return math.NaN()
	case a != 0 && a < 1e-6 || a >= 1e21:
		return parseInt(strconv.FormatFloat(x, 'e', -1, 64))
	}
	return math.Trunc(x)
}
