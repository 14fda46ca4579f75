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

// counted is what a change changes, with how many of it there are: its verb depends on that.
type counted struct {
	n    int64
	text string
}

// countOf counts things whose plural adds an s.
func countOf(n int64, noun, of string) counted { return counted{n, unit.Plural(n, noun) + of} }

// verb gives the verb its number: "1 fewer barrier admits", "48 fewer work-items admit".
func (c counted) verb(word string) string {
	if c.n == 1 {
		return word + "s"
	}
	return word
}

// move gives "62.5 -> 78.1 %".
func move(from, to unit.Ratio) string {
	return strings.TrimSuffix(percent(from), " %") + " -> " + percent(to)
}

func join(names []string) string { return strings.Join(names, ", ") }
