package unit

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// The values write themselves at full precision, so that the head of an output may hold them as they are. Ratios are
// written as percentages, 0 to 100. What is absent is null, and so is NaN or an infinity, for which JSON has no number.

// MarshalJSON implements json.Marshaler.
func (s Seconds) MarshalJSON() ([]byte, error) { return AppendReal(nil, float64(s)), nil }

// MarshalJSON implements json.Marshaler.
func (r Ratio) MarshalJSON() ([]byte, error) { return AppendReal(nil, r.Percent()), nil }

// MarshalJSON implements json.Marshaler.
func (p Points) MarshalJSON() ([]byte, error) { return AppendReal(nil, float64(p)), nil }

// MarshalJSON implements json.Marshaler: the list of the dimensions, empty for the absent size.
func (s Size3) MarshalJSON() ([]byte, error) { return json.Marshal(s.n[:s.rank]) }

// MarshalJSON implements json.Marshaler.
func (o Opt[T]) MarshalJSON() ([]byte, error) {
	if x, ok := any(o.v).(float64); !o.ok || ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
		return []byte("null"), nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false) // whoever embeds the value decides that
	err := enc.Encode(o.v)
	return out.Bytes(), err
}

// AppendReal appends a number as encoding/json prints it: with an exponent only where the number is very small or very
// large. NaN and the infinities are null.
func AppendReal(b []byte, x float64) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
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
