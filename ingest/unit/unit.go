// Package unit holds the values that every stage shares: seconds, bytes,
// ratios, a launch size of up to three dimensions, and a value that may be
// absent.
//
// A value is kept in its base unit and changes it only on paper: [Ratio] is 0
// to 1 inside the program and a percentage in every output. A value that was
// not measured is an absent [Opt], never a zero. How a value is read from text
// and written as JSON is defined here too, once for all formats.
//
// The package is a leaf: it knows no file format, device or statistic.
package unit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Seconds is a time span.
type Seconds float64

// Ratio is a share, 1 is the whole. Percent exists only on paper.
type Ratio float64

// FromPercent turns a printed percentage into a ratio.
func FromPercent(p float64) Ratio { return Ratio(p / 100) }

// Percent returns 0..100. It is the exact inverse of FromPercent for
// percentages of up to six decimals, so that a cell that reads 62.7 is written
// as 62.7 again and not as 62.699999999999996.
func (r Ratio) Percent() float64 {
	p := float64(r) * 100
	if short := math.Round(p*1e6) / 1e6; short/100 == float64(r) {
		return short
	}
	return p
}

// Points is a difference of two percentages, in percentage points.
type Points float64

// Minus returns the difference a - b in percentage points.
func (r Ratio) Minus(b Ratio) Points { return Points(r.Percent() - b.Percent()) }

// MaxCount is the largest number of launches, threads or barriers that is
// believed: no run comes near it, and all numbers up to it are exact in
// whatever reads JSON.
const MaxCount = 1 << 53

// Opt is a value that may be absent: "not measured" is not zero. The zero Opt
// is absent.
type Opt[T any] struct {
	v  T
	ok bool
}

// Some is a value that is there.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// NonZero is absent for the zero value and what is below it, where those mean
// that nobody said.
func NonZero[T cmp.Ordered](v T) Opt[T] {
	var zero T
	return Maybe(v, v > zero)
}

// Value returns the value and whether it is there.
func (o Opt[T]) Value() (T, bool) { return o.v, o.ok }

// Or returns the value, or def when it is absent.
func (o Opt[T]) Or(def T) T {
	if o.ok {
		return o.v
	}
	return def
}

// Present reports whether there is a value.
func (o Opt[T]) Present() bool { return o.ok }

// Maybe is a value where ok says that there is one.
func Maybe[T any](v T, ok bool) Opt[T] {
	if !ok {
		return Opt[T]{}
	}
	return Some(v)
}

// Bytes is an amount of memory; 1 KB is 1024 bytes throughout.
type Bytes int64

// maxBytes bounds an amount that is read, 1 TB: no GPU has more of anything.
const maxBytes = 1 << 40

// ParseBytes reads an amount of memory: bytes, or a number with the unit B, K,
// KB, KiB, M, MB or MiB. A fraction is taken where it makes whole bytes, as in
// 0.5K.
func ParseBytes(text string) (Bytes, error) {
	number, factor := strings.TrimSpace(text), 1.0
	for _, u := range []struct {
		suffix string
		factor float64
	}{{"KIB", 1 << 10}, {"KB", 1 << 10}, {"K", 1 << 10}, {"MIB", 1 << 20}, {"MB", 1 << 20}, {"M", 1 << 20}, {"B", 1}} {
		if rest, ok := strings.CutSuffix(strings.ToUpper(number), u.suffix); ok {
			number, factor = strings.TrimSpace(rest), u.factor
			break
		}
	}
	// Only digits and a point: a number such as 1e3 or 0x10 is more likely a
	// typo than an amount.
	x, err := strconv.ParseFloat(number, 64)
	if b := x * factor; err == nil && strings.Trim(number, "0123456789.") == "" && b <= maxBytes && b == math.Trunc(b) {
		return Bytes(b), nil
	}
	if strings.HasPrefix(number, "-") {
		return 0, fmt.Errorf("%q: an amount of memory is not below 0", text)
	}
	return 0, fmt.Errorf("%q: expected bytes, or an amount with a unit as in 16K", text)
}

// UnmarshalCSV implements gocsv.TypeUnmarshaller; an empty cell is 0.
func (b *Bytes) UnmarshalCSV(cell string) (err error) {
	if *b = 0; strings.TrimSpace(cell) != "" {
		*b, err = ParseBytes(cell)
	}
	return err
}

// The values write themselves at full precision, so that the head of an output
// may hold them as they are. Ratios are written as percentages, 0 to 100. What
// is absent is null, and so is NaN or an infinity, for which JSON has no
// number.

// MarshalJSON implements json.Marshaler.
func (s Seconds) MarshalJSON() ([]byte, error) { return number(float64(s)) }

// MarshalJSON implements json.Marshaler.
func (r Ratio) MarshalJSON() ([]byte, error) { return number(r.Percent()) }

// MarshalJSON implements json.Marshaler.
func (p Points) MarshalJSON() ([]byte, error) { return number(float64(p)) }

// MarshalJSON implements json.Marshaler: the list of the dimensions, empty for
// the absent size.
func (s Size3) MarshalJSON() ([]byte, error) { return json.Marshal(s.n[:s.rank]) }

// MarshalJSON implements json.Marshaler.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.ok {
		return []byte("null"), nil
	}
	if x, ok := any(o.v).(float64); ok {
		return number(x)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // whoever embeds the value decides that
	err := enc.Encode(o.v)
	return out.Bytes(), err
}

// number is a number in JSON; NaN and the infinities are null.
func number(x float64) ([]byte, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(x)
}
