package predict

import (
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// ordinal gives "a fifth", "an eighth", "a 21st".
func ordinal(n int64) string {
	const words = "first second third fourth fifth sixth seventh eighth ninth tenth"
	text := strconv.FormatInt(n, 10) + "th"
	if last := n % 10; n/10%10 != 1 && last >= 1 && last <= 3 {
		text = text[:len(text)-2] + []string{"st", "nd", "rd"}[last-1]
	}
	if small := strings.Fields(words); n >= 1 && n <= int64(len(small)) {
		text = small[n-1]
	}
	if n == 8 || n == 11 || n == 18 || n >= 80 && n < 90 {
		return "an " + text
	}
	return "a " + text
}

// plural gives a count with its noun.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Thousands(n) + " " + many
}

// agree gives the verb the number of what is counted: "1 fewer barrier admits", "48 fewer work-items admit", "2 KB less
// admits".
func agree(verb, what string) string {
	for _, many := range []string{"work-items", "work-groups", "barriers", "registers"} {
		if strings.Contains(what, many) {
			return verb
		}
	}
	return verb + "s"
}

// move gives "62.5 -> 78.1 %".
func move(from, to unit.Ratio) string {
	return strings.TrimSuffix(percent(from), " %") + " -> " + percent(to)
}

func join(names []string) string { return strings.Join(names, ", ") }
