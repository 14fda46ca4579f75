package unit

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// The values write themselves, so that a row struct may hold them as they are and its tags make JSON and CSV of it.
// Both have full precision. Ratios are written as percentages, 0 to 100. What is absent is null in JSON and an empty
// cell in CSV, and so is NaN or an infinity, for which JSON has no number.

// MarshalJSON implements json.Marshaler.
func (s Seconds) MarshalJSON() ([]byte, error) { return realJSON(float64(s)), nil }

// MarshalCSV implements gocsv.TypeMarshaller.
func (s Seconds) MarshalCSV() (string, error) { return realCSV(float64(s)), nil }

// MarshalJSON implements json.Marshaler.
func (r Ratio) MarshalJSON() ([]byte, error) { return realJSON(r.Percent()), nil }

// MarshalCSV implements gocsv.TypeMarshaller.
func (r Ratio) MarshalCSV() (string, error) { return realCSV(r.Percent()), nil }

// MarshalJSON implements json.Marshaler.
func (p Points) MarshalJSON() ([]byte, error) { return realJSON(float64(p)), nil }

// MarshalCSV implements gocsv.TypeMarshaller.
func (p Points) MarshalCSV() (string, error) { return realCSV(float64(p)), nil }

// MarshalJSON implements json.Marshaler: the list of the dimensions, empty for the absent size.
func (s Size3) MarshalJSON() ([]byte, error) { return json.Marshal(s.List()) }

// MarshalCSV implements gocsv.TypeMarshaller: 512x512, empty for the absent size.
func (s Size3) MarshalCSV() (string, error) { return s.String(), nil }

// MarshalJSON implements json.Marshaler.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if !o.ok {
		return []byte("null"), nil
	}
	switch v := any(o.v).(type) { // the usual ones without reflection
	case float64:
		return realJSON(v), nil
	case Seconds:
		return v.MarshalJSON()
	case Ratio:
		return v.MarshalJSON()
	case Points:
		return v.MarshalJSON()
	case int:
		return strconv.AppendInt(nil, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(nil, v, 10), nil
	}
	return json.Marshal(o.v)
}

// MarshalCSV implements gocsv.TypeMarshaller.
func (o Opt[T]) MarshalCSV() (string, error) {
	if !o.ok {
		return "", nil
	}
	switch v := any(o.v).(type) {
	case interface{ MarshalCSV() (string, error) }:
		return v.MarshalCSV()
	case float64:
		return realCSV(v), nil
	case int:
		return strconv.Itoa(v), nil
	case int64:
		return strconv.FormatInt(v, 10), nil
	}
	return fmt.Sprint(o.v), nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// realJSON prints a number as encoding/json does: with an exponent only where the number is very small or very large.
func realJSON(x float64) []byte {
	if !finite(x) {
		return []byte("null")
	}
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		b := strconv.AppendFloat(nil, x, 'e', -1, 64)
		if n := len(b); b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-09 becomes e-9
			b = append(b[:n-2], b[n-1])
		}
		return b
	}
	return strconv.AppendFloat(nil, x, 'f', -1, 64)
}

func realCSV(x float64) string {
	if !finite(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
