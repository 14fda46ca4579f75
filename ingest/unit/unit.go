// Package unit defines the values that all stages share: seconds, bytes,
// ratios, a launch size of up to three dimensions, and a value that may be
// absent.
//
// Values are stored in their base unit and converted only for output. For
// example, a [Ratio] is 0 to 1 inside the program and a percentage in every
// output. A value that was not measured is an absent [Opt], never a zero. The
// package also defines how a value is parsed and how it is written as JSON,
// once for all formats.
//
// The package does not know file formats, devices, or statistics.
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

// Seconds is a duration in seconds.
type Seconds float64

// A Ratio is a share from 0 to 1. Only outputs use percentages.
type Ratio float64

// FromPercent returns the ratio of a printed percentage.
func FromPercent(p float64) Ratio { return Ratio(p / 100) }

// Percent returns the ratio as a percentage, 0 to 100. It is the exact inverse
// of FromPercent for percentages with up to six decimals: a cell with 62.7 is
// written as 62.7 again, not as 62.699999999999996.
func (r Ratio) Percent() float64 {
	p := float64(r) * 100
	if short := math.Round(p*1e6) / 1e6; short/100 == float64(r) {
		return short
	}
	return p
}

// String returns the percentage as all messages print it: with one decimal,
// and without a minus before zero. For example, 0.9787 is "97.9%". A tie rounds to
// the even digit, as in VTune: 6.25 is "6.2%".
func (r Ratio) String() string {
	text := strconv.FormatFloat(r.Percent(), 'f', 1, 64)
	if text == "-0.0" {
		text = "0.0"
	}
	return text + "%"
}

// Points is a difference between two percentages, in percentage points.
type Points float64

// Float returns an optional quantity as a plain number in its base unit.
func Float[T ~float64 | ~int64](o Opt[T]) Opt[float64] {
	v, known := o.Value()
	return Maybe(float64(v), known)
}

// PercentOf returns an optional share in percent.
func PercentOf(o Opt[Ratio]) Opt[float64] {
	v, known := o.Value()
	return Maybe(v.Percent(), known)
}

// Minus returns r - b in percentage points.
func (r Ratio) Minus(b Ratio) Points { return Points(r.Percent() - b.Percent()) }

// MaxCount is the largest accepted number of launches, threads, or barriers. No
// real run comes near it, and every JSON reader represents all integers up to
// it exactly.
const MaxCount = 1 << 53

// An Opt is a value that may be absent, because "not measured" is not zero. The
// zero Opt is absent.
type Opt[T any] struct {
	v  T
	ok bool
}

// Some returns a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// NonZero returns v if it is above the zero value. Otherwise it returns an
// absent value. It is for sources in which zero means "not given".
func NonZero[T cmp.Ordered](v T) Opt[T] {
	var zero T
	return Maybe(v, v > zero)
}

// Value returns the value and reports whether it is present.
func (o Opt[T]) Value() (T, bool) { return o.v, o.ok }

// Or returns the value, or def if the value is absent.
func (o Opt[T]) Or(def T) T {
	if o.ok {
		return o.v
	}
	return def
}

// Present reports whether the value is present.
func (o Opt[T]) Present() bool { return o.ok }

// Maybe returns v if ok is true, and an absent value otherwise.
func Maybe[T any](v T, ok bool) Opt[T] {
	if !ok {
		return Opt[T]{}
	}
	return Some(v)
}

// Bytes is an memory use. 1 KB is always 1024 bytes.
type Bytes int64

// maxBytes is the largest amount that ParseBytes accepts: 1 TB. No GPU has that
// much memory.
const maxBytes = 1 << 40

// ParseBytes returns the memory use in a string: bytes, or a number with the
// unit B, K, KB, KiB, M, MB, or MiB. It accepts a fraction if the result is a
// whole number of bytes, for example 0.5K.
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
	// Accept only digits and a decimal point: 1e3 or 0x10 is more likely a typo
	// than an amount.
	x, err := strconv.ParseFloat(number, 64)
	if b := x * factor; err == nil && strings.Trim(number, "0123456789.") == "" && b <= maxBytes && b == math.Trunc(b) {
		return Bytes(b), nil
	}
	if strings.HasPrefix(number, "-") {
		return 0, fmt.Errorf("%q: an amount of memory cannot be below 0", text)
	}
	return 0, fmt.Errorf("%q: expected bytes, or an amount with a unit as in 16K", text)
}

// UnmarshalCSV implements gocsv.TypeUnmarshaller. An empty cell is 0.
func (b *Bytes) UnmarshalCSV(cell string) (err error) {
	if *b = 0; strings.TrimSpace(cell) != "" {
		*b, err = ParseBytes(cell)
	}
	return err
}

// The types marshal themselves at full precision, so that the JSON output can
// contain them directly. Ratios become percentages, 0 to 100. Absent values
// become null. NaN and infinities become null, too, because JSON has no number
// for them.

// MarshalJSON implements json.Marshaler.
func (s Seconds) MarshalJSON() ([]byte, error) { return number(float64(s)) }

// MarshalJSON implements json.Marshaler.
func (r Ratio) MarshalJSON() ([]byte, error) { return number(r.Percent()) }

// MarshalJSON implements json.Marshaler.
func (p Points) MarshalJSON() ([]byte, error) { return number(float64(p)) }

// MarshalJSON returns the dimension list, which is empty for the absent size.
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
	enc.SetEscapeHTML(false) // the enclosing value's encoder decides this
	err := enc.Encode(o.v)
	return out.Bytes(), err
}

// number returns a number as JSON. NaN and infinities are null.
func number(x float64) ([]byte, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(x)
}
