package calculator

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
)

// The functions here are JavaScript's, by the rules of ECMA-262, because the calculator's answers depend on them: which
// texts are numbers, and how a tie is rounded. Texts that mean something to Number() only (`.5e9`, `Infinity`) and
// numbers whose text has an exponent (from 1e21 on) were followed too, and left: no form is filled so.

// leadingInt is what parseInt reads of a text: its white space is that of ECMA-262, which differs from unicode.IsSpace
// by U+0085 and U+FEFF.
var leadingInt = regexp.MustCompile(`^[\s\v\p{Zs}\x{2028}\x{2029}\x{feff}]*([+-]?)(?:0[xX]([0-9a-fA-F]*)|([0-9]+))`)

// parseInt reads the leading integer of a text as JavaScript's parseInt does: `4096 items` is 4096, `16*4` is 16,
// `0x20` is 32, and a text that begins with no digit is NaN.
func parseInt(text string) float64 {
	m := leadingInt.FindStringSubmatch(text)
	if m == nil || m[2] == "" && m[3] == "" {
		return math.NaN()
	}
	digits := m[3]
	if m[2] != "" {
		digits = "0x" + m[2] + "p0"
	}
	v, _ := strconv.ParseFloat(m[1]+digits, 64) // the only error is the range, and then the value is Inf, too
	return v
}

// toFixed2 rounds to two decimals as JavaScript's toFixed(2) does: to the hundredths nearest to the exact binary value,
// and to the larger of two. 1.005 is 1 since it is a little less than it looks; 0.125 is 0.13, where Go's %.2f gives
// 0.12. x is finite and not below 0.
func toFixed2(x float64) float64 {
	r := new(big.Rat).SetFloat64(x)
	r.Mul(r, big.NewRat(200, 1)).Add(r, big.NewRat(1, 1)) // floor(100x + 1/2) = floor((200x+1) / 2)
	n := new(big.Int).Quo(r.Num(), new(big.Int).Mul(r.Denom(), big.NewInt(2)))
	v, _ := new(big.Rat).SetFrac(n, big.NewInt(100)).Float64()
	return v
}
