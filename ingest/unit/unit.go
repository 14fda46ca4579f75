// Package unit holds the values that every stage shares: seconds, bytes, ratios, a launch size of up to three
// dimensions, and a value that may be absent.
//
// A value is kept in its base unit and changes it only on paper: [Ratio] is 0 to 1 inside the program and a
// percentage in every output. A value that was not measured is an absent [Opt], never a zero. How a value is read
// from text and written as JSON is defined here too, once for all formats.
//
// The package is a leaf: it knows no file format, device or statistic.
package unit

import (
	"cmp"
	"math"
)

// Seconds is a time span.
type Seconds float64

// Ratio is a share, 1 is the whole. Percent exists only on paper.
type Ratio float64

// FromPercent turns a printed percentage into a ratio.
func FromPercent(p float64) Ratio { return Ratio(p / 100) }

// Percent gives 0..100. It is the exact inverse of FromPercent for percentages of up to six decimals, so that a cell
// that reads 62.7 is written as 62.7 again and not as 62.699999999999996.
func (r Ratio) Percent() float64 {
	p := float64(r) * 100
	if short := math.Round(p*1e6) / 1e6; short/100 == float64(r) {
		return short
	}
	return p
}

// Points is a difference of two percentages, in percentage points.
type Points float64

// Minus gives the difference a - b in percentage points.
func (r Ratio) Minus(b Ratio) Points { return Points(r.Percent() - b.Percent()) }

// MaxCount is the largest number of launches, threads or barriers that is believed: no run comes near it, and all
// numbers up to it are exact in whatever reads JSON.
const MaxCount = 1 << 53

// Opt is a value that may be absent: "not measured" is not zero. The zero Opt is absent.
type Opt[T any] struct {
	v  T
	ok bool
}

// Some is a value that is there.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// NonZero is absent for the zero value and what is below it, where those mean that nobody said.
func NonZero[T cmp.Ordered](v T) Opt[T] {
	var zero T
	return Maybe(v, v > zero)
}

// Value gives the value and whether it is there.
func (o Opt[T]) Value() (T, bool) { return o.v, o.ok }

// Or gives the value, or def when it is absent.
func (o Opt[T]) Or(def T) T {
	if o.ok {
		return o.v
	}
	return def
}

// Present says whether there is a value.
func (o Opt[T]) Present() bool { return o.ok }

// Maybe is a value where ok says that there is one.
func Maybe[T any](v T, ok bool) Opt[T] {
	if !ok {
		return Opt[T]{}
	}
	return Some(v)
}
