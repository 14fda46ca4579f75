package summary

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"occudiff/ingest/lines"
	"occudiff/ingest/unit"
)

// absent says whether a cell says that there is no value.
func absent(text string) bool {
	switch text {
	case "", "[Unknown]", "N/A", "-":
		return true
	}
	return false
}

// parseNumber reads a number with thousands separators: `2,047`. Other texts that strconv takes are none here.
func parseNumber(text string) (float64, error) {
	plain := text
	if strings.Contains(text, ",") {
		whole, fraction, _ := strings.Cut(text, ".")
		for i, group := range strings.Split(whole, ",") {
			if (i > 0 && len(group) != 3) || group == "" || len(group) > 3 {
				return 0, fmt.Errorf("%s is not a number", lines.Quote(text))
			}
		}
		plain = strings.ReplaceAll(whole, ",", "")
		if fraction != "" {
			plain += "." + fraction
		}
	}
	x, err := strconv.ParseFloat(plain, 64)
	if err != nil || strings.Trim(plain, "0123456789.eE+-") != "" || math.IsInf(x, 0) {
		return 0, fmt.Errorf("%s is not a number", lines.Quote(text))
	}
	if x < 0 {
		return 0, fmt.Errorf("%s is below 0", text)
	}
	return x, nil
}

// parseTime reads `1.071s`, `38.2ms`, `12us`, `0s`.
func parseTime(text string) (unit.Opt[unit.Seconds], error) {
	if absent(text) {
		return unit.Opt[unit.Seconds]{}, nil
	}
	for _, u := range []struct {
		suffix string
		per    float64
	}{{"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}, {"s", 1}} {
		number, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		x, err := parseNumber(strings.TrimSpace(number))
		if err != nil {
			return unit.Opt[unit.Seconds]{}, fmt.Errorf("time %w", err)
		}
		return unit.Some(unit.Seconds(x / u.per)), nil
	}
	return unit.Opt[unit.Seconds]{}, fmt.Errorf("time %s has no unit, s or ms", lines.Quote(text))
}

func parseCount(text string) (unit.Opt[int64], error) {
	if absent(text) {
		return unit.Opt[int64]{}, nil
	}
	x, err := parseNumber(text)
	if err != nil {
		return unit.Opt[int64]{}, err
	}
	if x != math.Trunc(x) || x >= 1<<53 {
		return unit.Opt[int64]{}, fmt.Errorf("%s is not a whole number", lines.Quote(text))
	}
	return unit.Some(int64(x)), nil
}

func parseSIMD(text string) (unit.Opt[int], error) {
	n, err := parseCount(text)
	v, ok := n.Value()
	switch {
	case err != nil:
		return unit.Opt[int]{}, fmt.Errorf("SIMD width %w", err)
	case !ok:
		return unit.Opt[int]{}, nil
	case v < 1 || v > 64:
		return unit.Opt[int]{}, fmt.Errorf("SIMD width %d is not from 1 to 64", v)
	}
	return unit.Some(int(v)), nil
}

// parsePercent reads `62.7%` and `23.7% of peak value`.
func parsePercent(text string) (unit.Opt[unit.Ratio], error) {
	if absent(text) {
		return unit.Opt[unit.Ratio]{}, nil
	}
	number, _, ok := strings.Cut(text, "%")
	if !ok {
		return unit.Opt[unit.Ratio]{}, fmt.Errorf("percentage %s has no %% sign", lines.Quote(text))
	}
	x, err := parseNumber(strings.TrimSpace(number))
	if err != nil {
		return unit.Opt[unit.Ratio]{}, fmt.Errorf("percentage %w", err)
	}
	if x > 100.5 {
		return unit.Opt[unit.Ratio]{}, fmt.Errorf("%s %% is more than the whole", number)
	}
	return unit.Some(unit.FromPercent(x)), nil
}

// parseFrequency reads `2.200 GHz` into hertz.
func parseFrequency(text string) (unit.Opt[float64], error) {
	number, unitText, _ := strings.Cut(text, " ")
	scale, ok := 0.0, true
	switch strings.TrimSpace(unitText) {
	case "GHz":
		scale = 1e9
	case "MHz":
		scale = 1e6
	case "kHz", "KHz":
		scale = 1e3
	case "Hz":
		scale = 1
	default:
		ok = false
	}
	if !ok {
		return unit.Opt[float64]{}, fmt.Errorf("frequency %s has no unit, GHz or MHz", lines.Quote(text))
	}
	x, err := parseNumber(number)
	if err != nil {
		return unit.Opt[float64]{}, fmt.Errorf("frequency %w", err)
	}
	return unit.Some(math.Round(x * scale)), nil
}
