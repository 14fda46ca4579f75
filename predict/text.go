package predict

import (
	"fmt"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// ParseLaunch returns the launch with the fields global, local, simd, slm,
// barriers, and grf. text returns the text of a field, and "" for a field that
// was not given. Sizes may have units, for example 80K for 81,920 work-items.
// An error begins with the name of the field.
func ParseLaunch(text func(field string) string) (l Launch, err error) {
	size := func(field string) (s unit.Size3) {
		if err != nil {
			return s
		}
		given := text(field)
		if s, err = unit.ParseSize(given); err != nil { // most sizes have no unit
			s, err = unit.ParseSize(unit.ExpandCounts(given))
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", field, err)
		}
		return s
	}
	count := func(field string, least int) (n int) {
		if err == nil {
			n, err = ParseCount(field, text(field), least)
		}
		return n
	}
	l.Global, l.Local = size("global"), size("local")
	l.SIMD, l.Barriers, l.GRF = count("simd", 1), count("barriers", 0), count("grf", 1)
	if err == nil {
		if err = l.SLM.UnmarshalCSV(text("slm")); err != nil {
			err = fmt.Errorf("slm %w", err)
		}
	}
	return l, err
}

// ParseCount returns the whole number in the text of a field, or 0 if the text
// is empty. It returns an error for a number below least.
func ParseCount(field, text string, least int) (int, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return 0, fmt.Errorf("%s %q: expected a whole number from %d", field, text, least)
	}
	return n, nil
}
