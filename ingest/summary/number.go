package summary

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/table"
	"occudiff/ingest/unit"
)

// absent reports whether a cell contains a text for a missing value.
func absent(text string) bool {
	return slices.Contains([]string{"", "[Unknown]", "N/A", "-"}, text)
}

// thousands matches a number with thousands separators: `2,047`.
var thousands = regexp.MustCompile(`^\d{1,3}(,\d{3})+(\.|$)`)

// parseNumber returns a number, optionally with thousands separators. It
// rejects other forms that strconv accepts.
func parseNumber(text string) (float64, error) {
	plain := text
	if thousands.MatchString(text) {
		plain = strings.ReplaceAll(text, ",", "")
	}
	x, err := strconv.ParseFloat(plain, 64)
	if err != nil || strings.Trim(plain, "0123456789.eE+-") != "" || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%s is not a number", table.Quote(text))
	}
	if x < 0 {
		return 0, fmt.Errorf("%s is below 0", text)
	}
	return x, nil
}

// parseDecimal returns a number that VTune prints with decimals. If it has a
// comma and no point, the comma is a decimal comma, as in `1,774s`.
func parseDecimal(text string) (float64, error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, ".") {
		if x, err := parseNumber(strings.Replace(text, ",", ".", 1)); err == nil {
			return x, nil
		}
	}
	return parseNumber(text)
}

// parseTime returns the time in `1.071s`, `38.2ms`, `12us`, `0s`.
func parseTime(text string) (none unit.Opt[unit.Seconds], err error) {
	if absent(text) {
		return none, nil
	}
	number := strings.TrimRight(text, "muns")
	per, known := map[string]float64{"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9}[text[len(number):]]
	if !known {
		return none, fmt.Errorf("time %s has no unit, s or ms", table.Quote(text))
	}
	x, err := parseDecimal(number)
	if err != nil {
		return none, fmt.Errorf("time %w", err)
	}
	return unit.Some(unit.Seconds(x / per)), nil
}

func parseCount(text string) (none unit.Opt[int64], err error) {
	if absent(text) {
		return none, nil
	}
	x, err := parseNumber(text)
	if err != nil {
		return none, err
	}
	if x != math.Trunc(x) || x >= 1<<53 {
		return none, fmt.Errorf("%s is not a whole number", table.Quote(text))
	}
	return unit.Some(int64(x)), nil
}

func parseSIMD(text string) (none unit.Opt[int], err error) {
	n, err := parseCount(text)
	v, ok := n.Value()
	switch {
	case err != nil:
		return none, fmt.Errorf("SIMD width %w", err)
	case !ok:
		return none, nil
	case v < 1 || v > 64:
		return none, fmt.Errorf("SIMD width %d is not from 1 to 64", v)
	}
	return unit.Some(int(v)), nil
}

// parsePercent returns the ratio in `62.7%` and `23.7% of peak value`.
func parsePercent(text string) (none unit.Opt[unit.Ratio], err error) {
	if absent(text) {
		return none, nil
	}
	number, _, ok := strings.Cut(text, "%")
	if !ok {
		return none, fmt.Errorf("percentage %s has no %% sign", table.Quote(text))
	}
	x, err := parseDecimal(number)
	if err != nil {
		return none, fmt.Errorf("percentage %w", err)
	}
	if x > 100.5 {
		return none, fmt.Errorf("%s%% is above 100%%", number)
	}
	return unit.Some(unit.FromPercent(x)), nil
}

// parseFrequency returns the frequency in `2.200 GHz`, in hertz.
func parseFrequency(text string) (none unit.Opt[float64], err error) {
	number, name, _ := strings.Cut(text, " ")
	scale, ok := map[string]float64{"GHz": 1e9, "MHz": 1e6, "kHz": 1e3, "KHz": 1e3, "Hz": 1}[strings.TrimSpace(name)]
	if !ok {
		return none, fmt.Errorf("frequency %s has no unit, GHz or MHz", table.Quote(text))
	}
	x, err := parseNumber(number)
	if err != nil {
		return none, fmt.Errorf("frequency %w", err)
	}
	return unit.Some(math.Round(x * scale)), nil
}
