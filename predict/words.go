package predict

import (
	"fmt"
	"strings"

	"occudiff/ingest/unit"
)

// ordinals are the number words that read better than digits.
const ordinals = "first second third fourth fifth sixth seventh eighth ninth tenth"

// ordinal words "a fifth", "an eighth", "a 21st".
func ordinal(n int64) string {
	if words := strings.Fields(ordinals); n >= 1 && n <= int64(len(words)) {
		if n == 8 {
			return "an " + words[n-1]
		}
		return "a " + words[n-1]
	}
	end := "th"
	if teens := n % 100; teens < 11 || teens > 13 {
		switch n % 10 {
		case 1:
			end = "st"
		case 2:
			end = "nd"
		case 3:
			end = "rd"
		}
	}
	article := "a "
	if n == 11 || n == 18 || n >= 80 && n < 90 {
		article = "an "
	}
	return fmt.Sprintf("%s%d%s", article, n, end)
}

// plural words a count with its noun.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Thousands(n) + " " + many
}

// verb and verbUse agree with what is counted: "1 barrier less admits", "48 work-items less admit", "2 KB less admits".
func verb(what string) string {
	if manyThings(what) {
		return "admit"
	}
	return "admits"
}

func verbUse(what string) string {
	if manyThings(what) {
		return "use"
	}
	return "uses"
}

func manyThings(what string) bool {
	return strings.Contains(what, "work-items") || strings.Contains(what, "barriers") || strings.Contains(what, "registers")
}

// move words "62.5 -> 78.1 %".
func move(from, to unit.Ratio) string {
	return strings.TrimSuffix(percent(from), " %") + " -> " + percent(to)
}

func join(names []string) string { return strings.Join(names, ", ") }
