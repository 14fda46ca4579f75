package predict

import (
	"strconv"
	"strings"

	"occudiff/predict/arch"
)

// largeGRF is the register count from which the driver calls a kernel a large-GRF kernel.
const largeGRF = 256

// maxGroup gives the work-items that the driver admits in a work-group at a sub-group size and register count: the
// device's maximum, lowered by its further rules. 0 says that the device gives no maximum.
//
// The rules are pairs separated by spaces, commas or semicolons. A key names the kernels that a rule is for: `simd16`,
// `grf128`, `large_grf`, joined by `_` when all must hold and by `_or_` for alternatives; `other` takes what no rule before
// it took. The value of a `large_grf` rule counts work-items, any other counts threads, so that
// "large_grf_simd16=512 max_threads_per_wg.simd16_grf128=64 max_threads_per_wg.other=32" holds the rules of a B580.
// A pair that cannot be read says nothing: checking device files is for package arch.
func maxGroup(d *arch.Device, simd, registers int) int64 {
	most := int64(d.MaxGroupSize)
	if d.MaxGroupExtra == "" {
		return most
	}
	taken := false
	for rest := d.MaxGroupExtra; rest != ""; {
		var pair string
		pair, rest = nextPair(rest)
		key, value, ok := cutPair(pair)
		if !ok {
			continue
		}
		limit := value
		if !strings.HasPrefix(key, "large_grf") {
			key = strings.TrimLeft(strings.TrimPrefix(key, "max_threads_per_wg"), "._")
			limit *= int64(simd)
			if taken {
				continue
			}
		}
		if !ruleHolds(key, simd, registers) {
			continue
		}
		taken = taken || !strings.HasPrefix(key, "large_grf")
		if most == 0 || limit < most {
			most = limit
		}
	}
	return most
}

// mayExceed says whether a work-group is above the value of any rule, whichever kernels that rule is for, except that those
// for large GRF are told apart. Nearly no launch is, and then the rules need no reading.
func mayExceed(rules string, group, threads int64, registers int) bool {
	for rules != "" {
		i := strings.IndexByte(rules, '=')
		if i < 0 {
			return false
		}
		size := threads
		if i > 0 && rules[0] == 'l' { // large_grf counts work-items
			size = 0
			if registers >= largeGRF {
				size = group
			}
		}
		value := int64(0)
		for i++; i < len(rules) && rules[i]-'0' < 10 && value < 1<<32; i++ {
			value = value*10 + int64(rules[i]-'0')
		}
		if size > value {
			return true
		}
		for i < len(rules) && (rules[i] == ' ' || rules[i] == ',' || rules[i] == ';') {
			i++
		}
		rules = rules[i:]
	}
	return false
}

// nextPair takes the text up to the next separator.
func nextPair(text string) (pair, rest string) {
	for i := range len(text) {
		switch text[i] {
		case ' ', ',', ';':
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// cutPair reads key=value with a positive value.
func cutPair(pair string) (key string, value int64, ok bool) {
	key, text, ok := strings.Cut(pair, "=")
	if !ok {
		return "", 0, false
	}
	n, err := strconv.ParseInt(text, 10, 32)
	return key, n, err == nil && n > 0 && key != ""
}

// ruleHolds says whether a rule's key is for a kernel of this sub-group size and register count.
func ruleHolds(key string, simd, registers int) bool {
	holds := true
	for key != "" {
		var word string
		word, key, _ = strings.Cut(key, "_")
		switch {
		case word == "or":
			if holds {
				return true
			}
			holds = true
		case word == "large":
			holds = holds && registers >= largeGRF
			key = strings.TrimPrefix(strings.TrimPrefix(key, "grf"), "_")
		case word == "other":
		case strings.HasPrefix(word, "simd"):
			holds = holds && isNumber(word[len("simd"):], simd)
		case strings.HasPrefix(word, "grf"):
			holds = holds && isNumber(word[len("grf"):], registers)
		default:
			return false
		}
	}
	return holds
}

func isNumber(text string, n int) bool {
	v, err := strconv.Atoi(text)
	return err == nil && v == n
}
