package unit

import (
	"math"
	"strconv"
	"strings"
)

// Thousands returns an integer for people, with a comma between groups of three
// digits: 1,234,567.
func Thousands(n int64) string {
	text := strconv.FormatInt(n, 10)
	digits := strings.TrimPrefix(text, "-")
	out := []byte(text[:len(text)-len(digits)])
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, digits[i])
	}
	return string(out)
}

// FormatCount returns a count with its noun: "1 kernel", "2,047 kernels".
func FormatCount[N ~int | ~int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(int64(n)) + " " + many
}

// Plural returns a count with a noun whose plural adds an s.
func Plural[N ~int | ~int64](n N, noun string) string { return FormatCount(n, noun, noun+"s") }

// JoinWords returns a list for a sentence, with "and" or "or" before the last
// word: "threads, slm and tail".
func JoinWords(words []string, before string) string {
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " " + before + " " + words[last]
	}
	return strings.Join(words, "")
}

// FormatBytes returns an memory use in KB if that is a whole number, and in
// bytes otherwise.
func FormatBytes(b Bytes) string {
	if b%1024 == 0 {
		return strconv.FormatInt(int64(b)/1024, 10) + " KB"
	}
	return strconv.FormatInt(int64(b), 10) + " bytes"
}

// FormatDuration returns a time with up to three significant digits in a
// suitable unit: 1.11 s, 1 ms, 2.2 us.
func FormatDuration(s Seconds) string {
	v := math.Abs(float64(s))
	switch {
	case v == 0:
		return "0 s"
	case v >= 0.9995:
		return significant(float64(s)) + " s"
	case v >= 0.9995e-3:
		return significant(float64(s)*1e3) + " ms"
	case v >= 0.9995e-6:
		return significant(float64(s)*1e6) + " us"
	}
	return significant(float64(s)*1e9) + " ns"
}

// significant returns a number with three significant digits and without an
// exponent. A longer whole number keeps all digits: 12,346.
func significant(x float64) string {
	if math.Abs(x) >= 999.5 {
		return Thousands(int64(math.Round(x)))
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	if err != nil {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
