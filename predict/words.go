package predict

import (
	"strings"

	"github.com/dustin/go-humanize"

	"occudiff/ingest/unit"
)

// ordinal words "a fifth", "an eighth", "a 21st".
func ordinal(n int64) string {
	const words = "first second third fourth fifth sixth seventh eighth ninth tenth"
	text := humanize.Ordinal(int(n))
	if small := strings.Fields(words); n >= 1 && n <= int64(len(small)) {
		text = small[n-1]
	}
	if n == 8 || n == 11 || n == 18 || n >= 80 && n < 90 {
		return "an " + text
	}
	return "a " + text
}

// plural words a count with its noun.
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return unit.Thousands(n) + " " + many
}

// verb and verbUse agree with what is counted: "1 barrier less admits", "48 work-items less admit", "2 KB less admits".
func verb(what string) string { return "admit" + singular(what) }

func verbUse(what string) string { return "use" + singular(what) }

// singular is the ending of a verb for one thing.
func singular(what string) string {
	for _, many := range []string{"work-items", "barriers", "registers"} {
		if strings.Contains(what, many) {
			return ""
		}
	}
	return "s"
}

// move words "62.5 -> 78.1 %".
func move(from, to unit.Ratio) string {
	return strings.TrimSuffix(percent(from), " %") + " -> " + percent(to)
}

func join(names []string) string { return strings.Join(names, ", ") }
