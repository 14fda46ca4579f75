package vtune

import (
	"bytes"
	"math"
	"strconv"
)

// nano is a number as a multiple of 1e-9. Times, percentages and shares are read and added as such: integers add up to
// the same sum in any order, so the result does not depend on how many threads shared the work, and a printed decimal
// of up to nine places is exact.
type nano = int64

const (
	one = 1_000_000_000
	// maxSeconds bounds a time, so that it and its products with shares fit the accumulators.
	maxSeconds = 1_000_000_000
)

// parseNano reads a decimal number, rounding what is finer than 1e-9; ok is false for what is no number or not below
// 9.2e9.
func parseNano(b []byte) (v nano, ok bool) {
	whole, i := int64(0), 0
	for ; i < len(b); i++ {
		d := b[i] - '0'
		if d > 9 {
			break
		}
		whole = whole*10 + int64(d)
	}
	if i == len(b) && i > 0 && i <= 9 {
		return whole * one, true
	}
	if i == 0 || i > 9 || b[i] != '.' {
		return slowNano(b)
	}
	i++
	places := len(b) - i
	if places > 9 || places == 0 {
		return slowNano(b)
	}
	for ; i < len(b); i++ {
		d := b[i] - '0'
		if d > 9 {
			return slowNano(b)
		}
		whole = whole*10 + int64(d)
	}
	return whole * tens[9-places], true
}

const (
	zeros8   = 0x3030303030303030
	overNine = 0x7676767676767676 // added to a digit keeps the highest bit clear, added to more sets it
	pairs    = 0x000000ff000000ff
	highest  = 0x8080808080808080
)

// digits8 gives the number that eight digits (0..9, the first in the lowest byte) make; ok is false when one is none.
func digits8(y uint64) (v int64, ok bool) {
	ok = (y+overNine|y)&highest == 0
	y = y*10 + y>>8
	y = ((y&pairs)*(100+1000000<<32) + (y>>16&pairs)*(1+10000<<32)) >> 32
	return int64(uint32(y)), ok
}

// shortTenths reads a number of one to three digits, a point and one decimal place, the form of all shares, from the
// last eight bytes of its cell, whose length n is 3 to 5. It gives the number in tenths; bad is not 0 for any other
// form, right or wrong.
func shortTenths(x uint64, n int) (tenths, bad uint64) {
	const point = ('.' ^ '0') << 24
	shift := uint(64-8*n) & 63
	y := ((x^zeros8)>>shift<<shift)>>24 ^ point // bytes: three digits, 0 for the point, the decimal
	bad = (y + 0x767f767676 | y) & (highest >> 24)
	y = y&0xffffff | y>>32<<24 // the four digits
	y = y*10 + y>>8            // bytes 0 and 2: two digits each
	return (y&0xff)*100 + y>>16&0xff, bad
}

// shortMicros reads a number of eight bytes with six decimal places, the form of times below ten seconds, in millionths.
func shortMicros(x uint64) (v int64, ok bool) {
	y := x ^ zeros8
	v, ok = digits8(y>>16<<16 | y&0xff<<8)
	return v, ok && byte(y>>8) == '.'^'0'
}

// shortCount reads a whole number of at most eight digits.
func shortCount(x uint64, n int) (int64, bool) {
	if n == 1 {
		d := x>>56 - '0'
		return int64(d), d <= 9
	}
	if n < 1 || n > 8 {
		return 0, false
	}
	return digits8((x ^ zeros8) & lastOf[n])
}

// lastOf has the masks that keep the last n bytes of eight.
var lastOf = [9]uint64{0, 0xff << 56, 0xffff << 48, 0xffffff << 40, 0xffffffff << 32, 0xffffffffff << 24,
	0xffffffffffff << 16, 0xffffffffffffff << 8, 1<<64 - 1}

// digits16 reads a whole number of at most sixteen digits, whose length is n, from its last sixteen bytes; ok is false
// for any other form, right or wrong.
func digits16(before, last uint64, n int) (v uint64, ok bool) {
	if n < 1 || n > 16 {
		return 0, false
	}
	low, ok := digits8((last ^ zeros8) & lastOf[min(n, 8)])
	high, more := digits8((before ^ zeros8) & lastOf[max(n-8, 0)])
	return uint64(high)*1e8 + uint64(low), ok && more
}

// micros16 reads a number with six decimal places, the form of bandwidths, whose length n is 8 to 16, from its last
// sixteen bytes, in millionths. ok is false for any other form, right or wrong.
func micros16(before, last uint64, n int) (v uint64, ok bool) {
	if n < 8 || n > 16 {
		return 0, false
	}
	low, ok := shortMicros(last)
	high, more := digits8((before ^ zeros8) & lastOf[n-8])
	return uint64(high)*1e7 + uint64(low), ok && more
}

var tens = [10]int64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

func slowNano(b []byte) (nano, bool) {
	f, ok := parseFloat(b)
	if !ok || math.Abs(f) >= 9.2e9 {
		return 0, false
	}
	return int64(math.Round(f * one)), true
}

// parseFloat reads a decimal number, also one with an exponent or spaces around it; not the words and the hexadecimal
// digits that strconv takes.
func parseFloat(b []byte) (float64, bool) {
	b = bytes.Trim(b, " ")
	if len(b) > 400 {
		return 0, false
	}
	for _, c := range b {
		if c-'0' > 9 && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(string(b), 64)
	return f, err == nil
}

// parseCount reads a whole number; ok is false for what is none or not below 2^63. Negative ones are read.
func parseCount(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return slowCount(b)
	}
	var v int64
	for _, c := range b {
		d := c - '0'
		if d > 9 {
			return slowCount(b)
		}
		v = v*10 + int64(d)
	}
	return v, true
}

func slowCount(b []byte) (int64, bool) {
	if len(b) <= 20 {
		if v, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			return v, true
		}
	}
	f, ok := parseFloat(b)
	if !ok || f != math.Trunc(f) || math.Abs(f) >= 1<<63 {
		return 0, false
	}
	return int64(f), true
}
