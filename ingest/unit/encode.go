package unit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// The values write themselves, so that a row struct may hold them as they are and its tags make JSON and CSV of it.
// Both have full precision. Ratios are written as percentages, 0 to 100. What is absent is null in JSON and an empty
// cell in CSV, and so is NaN or an infinity, for which JSON has no number.

// AppendJSON appends what MarshalJSON gives.
func (s Seconds) AppendJSON(b []byte) []byte { return appendReal(b, float64(s)) }

// MarshalJSON implements json.Marshaler.
func (s Seconds) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// MarshalCSV implements gocsv.TypeMarshaller.
func (s Seconds) MarshalCSV() (string, error) { return realCSV(float64(s)), nil }

// AppendJSON appends what MarshalJSON gives.
func (r Ratio) AppendJSON(b []byte) []byte { return appendReal(b, r.Percent()) }

// MarshalJSON implements json.Marshaler.
func (r Ratio) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// MarshalCSV implements gocsv.TypeMarshaller.
func (r Ratio) MarshalCSV() (string, error) { return realCSV(r.Percent()), nil }

// AppendJSON appends what MarshalJSON gives.
func (p Points) AppendJSON(b []byte) []byte { return appendReal(b, float64(p)) }

// MarshalJSON implements json.Marshaler.
func (p Points) MarshalJSON() ([]byte, error) { return p.AppendJSON(nil), nil }

// MarshalCSV implements gocsv.TypeMarshaller.
func (p Points) MarshalCSV() (string, error) { return realCSV(float64(p)), nil }

// AppendJSON appends what MarshalJSON gives.
func (s Size3) AppendJSON(b []byte) []byte {
	b = append(b, '[')
	for i := range int(s.rank) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, s.n[i], 10)
	}
	return append(b, ']')
}

// MarshalJSON implements json.Marshaler: the list of the dimensions, empty for the absent size.
func (s Size3) MarshalJSON() ([]byte, error) { return s.AppendJSON(nil), nil }

// MarshalCSV implements gocsv.TypeMarshaller: 512x512, empty for the absent size.
func (s Size3) MarshalCSV() (string, error) { return s.String(), nil }

// AppendJSON appends what MarshalJSON gives.
func (o Opt[T]) AppendJSON(b []byte) []byte {
	if !o.ok {
		return append(b, "null"...)
	}
	switch v := any(o.v).(type) { // the usual ones without reflection
	case float64:
		return appendReal(b, v)
	case Seconds:
		return v.AppendJSON(b)
	case Ratio:
		return v.AppendJSON(b)
	case Points:
		return v.AppendJSON(b)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case int64:
		return strconv.AppendInt(b, v, 10)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)                // whoever embeds the value decides that
	if err := enc.Encode(o.v); err != nil { // there is no Opt of such a type
		return append(b, "null"...)
	}
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...)
}

// MarshalJSON implements json.Marshaler.
func (o Opt[T]) MarshalJSON() ([]byte, error) { return o.AppendJSON(nil), nil }

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

// appendReal prints a number as encoding/json does: with an exponent only where the number is very small or very large.
func appendReal(b []byte, x float64) []byte {
	if !finite(x) {
		return append(b, "null"...)
	}
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		b = strconv.AppendFloat(b, x, 'e', -1, 64)
		if n := len(b); b[n-4] == 'e' && b[n-3] == '-' && b[n-2] == '0' { // e-09 becomes e-9
			b = append(b[:n-2], b[n-1])
		}
		return b
	}
	return strconv.AppendFloat(b, x, 'f', -1, 64)
}

func realCSV(x float64) string {
	if !finite(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}
