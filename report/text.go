package report

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// MaxListedTasks is the maximum number of kernels that a headline lists by name
// for one change.
const MaxListedTasks = 3

// FirstFew returns the first texts, followed by the number of the others: "3
// more". It does not modify the list, because the other texts may be needed
// elsewhere.
func FirstFew(list []string, most int) []string {
	if n := len(list) - most; n > 0 {
		list = append(list[:most:most], Thousands(n)+" more")
	}
	return list
}

// LabelWidth is the maximum width of a readable plot label.
const LabelWidth = 30

func UpperFirst(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}

// LowerFirst returns a name for use inside a sentence. A name that begins with
// two capitals stays as it is.
func LowerFirst(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && (s[1] < 'A' || s[1] > 'Z') {
		return string(s[0]-'A'+'a') + s[1:]
	}
	return s
}

// Shortest returns a number in its shortest form. For example, 5 or 0.1.
func Shortest[X ~float64](x X) string { return strconv.FormatFloat(float64(x), 'f', -1, 64) }

// none is printed for people instead of a missing value.
const none = "-"

// Print returns a cell as people read it: one decimal for percent and points, a
// comma between thousands, and a dash if it is absent.
func (c Column) Print(cell Cell) string {
	switch cell.Kind {
	case Integer:
		return Thousands(cell.Int)
	case Number, Duration:
		return Decimal(c.Scaled(cell), c.Decimals)
	case Percent:
		return Decimal(cell.Num, 1)
	case Points:
		return Signed(cell.Num)
	}
	if cell.Blank() {
		return none
	}
	return OneLine(cell.String())
}

// Thousands returns an integer with a comma between groups of three digits.
func Thousands[N ~int | ~int64](n N) string { return unit.Thousands(int64(n)) }

// Decimal returns a number with a fixed number of decimals, a comma between
// thousands, and no minus before zero.
func Decimal[X ~float64](x X, decimals int) string {
	s := strconv.FormatFloat(math.Abs(float64(x)), 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	if n, err := strconv.ParseInt(whole, 10, 64); err == nil { // a longer number is left as it is
		whole = Thousands(n)
	}
	s = whole
	if fraction != "" {
		s += "." + fraction
	}
	if x < 0 && strings.Trim(s, "0.,") != "" {
		return "-" + s
	}
	return s
}

// Round returns a number rounded to twelve digits. For example, in binary, 60.8
// - 60.5 is not exactly 0.3, and rounding hides the difference.
func Round(x float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		return x
	}
	return short
}

// Tidy returns a cell's number for machines: at full precision, without the
// noise of binary arithmetic. For example, 60.8 - 60.5 is 0.3 and not
// 0.29999999999999716, a share that differs from the others by -1.4e-17 is 0,
// and 99.51409135082604 stays.
//
// Digits are noise if they follow three zeros or nines after the first 10
// digits of a number. In a percentage, the three zeros or nines follow the
// first 9 decimals, because a percentage is a difference between numbers up to
// 100.
func Tidy(c Cell) float64 {
	if c.Kind == Percent || c.Kind == Points {
		if short, noise := strings.CutSuffix(strconv.FormatFloat(c.Num, 'f', 12, 64), "000"); noise {
			return parsed(short, c.Num) + 0 // no minus before zero
		}
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(c.Num, 'e', 12, 64), "e")
	if short, noise := strings.CutSuffix(mantissa, "000"); noise {
		return parsed(short+"e"+exponent, c.Num)
	}
	return c.Num
}

func parsed(text string, otherwise float64) float64 {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return otherwise
	}
	return x
}

// WithUnit returns a number with its unit, if it has one. For example, "3 ms"
// or "62.7%".
func WithUnit(number, unit string) string {
	if unit != "" && unit != "%" {
		number += " "
	}
	return number + unit
}

// Signed returns a number of percentage points with its sign, which is a plus
// for positive numbers.
func Signed[X ~float64](x X) string {
	s := Decimal(x, 1)
	if x > 0 && strings.Trim(s, "0.,") != "" {
		return "+" + s
	}
	return s
}

// Visible reports whether a character is visible and has no other effect. It is
// false for control characters, which could control a terminal, for characters
// that change the order of the text, and for noncharacters.
func Visible(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f:
		return true
	// characters that change the order
	case r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x61c:
		return false
	case r == 0x2028 || r == 0x2029: // some programs treat these as line breaks
		return false
	}
	return r != utf8.RuneError && !unicode.IsControl(r) && r&0xfffe != 0xfffe && (r < 0xfdd0 || r > 0xfdef)
}

// KernelName returns a kernel's name for people, on one line.
func KernelName(task string) string { return OneLine(names.Display(task)) }

// OneLine returns a text that is safe on one line. Line breaks and tabs become
// a space. Invalid UTF-8 and characters that are not Visible become the
// replacement character. A clean text is returned unchanged.
func OneLine(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !Visible(r) }) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", " ")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\v' || r == '\f' || r == 0x85 || r == 0x2028 || r == 0x2029:
			return ' '
		case !Visible(r):
			return utf8.RuneError
		}
		return r
	}, s)
}

// Clean returns a text that is safe on several lines. Characters that are
// neither Visible nor line breaks nor tabs become the replacement character.
func Clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' || Visible(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}

// Width returns the number of terminal columns that a text takes.
func Width(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}

const cutMark = names.Ellipsis

// CutMiddle shortens a text to a width by removing its middle, because both
// ends of a kernel's name distinguish it.
func CutMiddle(s string, width int) string {
	if Width(s) <= width {
		return s
	}
	if width <= len(cutMark)+1 {
		return cutMark[:max(0, min(width, len(cutMark)))]
	}
	room := width - len(cutMark)
	head := takeStart(s, room-room/2)
	return head + cutMark + takeEnd(s, room-Width(head))
}

// CutDistinct shortens texts to a width as CutMiddle does. If different texts
// would become equal, it keeps the part after their common prefix, because
// compilers distinguish the variants of a template in the middle of the name.
// Before cutting, it removes the parts of function signatures that do not
// distinguish any of them.
func CutDistinct(texts []string, width int) []string {
	texts = names.Short(texts, func(s string) bool { return Width(s) <= width })
	cut := make([]string, len(texts))
	alike := map[string][]int{}
	for i, s := range texts {
		cut[i] = CutMiddle(s, width)
		alike[cut[i]] = append(alike[cut[i]], i)
	}
	for _, group := range alike { // the order of the groups does not matter, because they share no texts
		first := texts[group[0]]
		if !slices.ContainsFunc(group, func(i int) bool { return texts[i] != first }) {
			continue
		}
		start, end := commonEnds(ListOf(group, func(i int) string { return texts[i] }))
		middle := 0
		for _, i := range group {
			middle = max(middle, Width(texts[i][start:len(texts[i])-end]))
		}
		head := first[:start]
		if room := width - middle - len(cutMark); Width(head) > room {
			head = takeStart(head, max(room-len(cutMark), width/3)) + cutMark
		}
		for _, i := range group {
			switch s := texts[i]; {
			case len(s) == start: // the whole text is the common prefix
			case Width(head+s[start:]) <= width:
				cut[i] = head + s[start:]
			case Width(head+s[start:len(s)-end])+len(cutMark) <= width:
				cut[i] = head + s[start:len(s)-end] + cutMark
			default:
				cut[i] = CutMiddle(takeStart(head+s[start:], width-len(cutMark))+cutMark, width)
			}
		}
	}
	return cut
}

// commonEnds returns the lengths of the common prefix and the common suffix of
// texts. It splits neither characters nor numbers.
func commonEnds(texts []string) (start, end int) {
	first := texts[0]
	start, end = len(first), len(first)
	for _, s := range texts {
		for start = min(start, len(s)); s[:start] != first[:start]; {
			start--
		}
		for end = min(end, len(s)); s[len(s)-end:] != first[len(first)-end:]; {
			end--
		}
	}
	isDigit := func(i int) bool { return first[i] >= '0' && first[i] <= '9' }
	for start > 0 && (start < len(first) && !utf8.RuneStart(first[start]) || isDigit(start-1)) {
		start--
	}
	for _, s := range texts { // in a short text, the prefix and the suffix may overlap
		end = min(end, len(s)-start)
	}
	for end > 0 && (!utf8.RuneStart(first[len(first)-end]) || isDigit(len(first)-end)) {
		end--
	}
	return start, end
}

// ShortName returns a kernel's name for a sentence, cut to a width.
func ShortName(task string, width int) string {
	return CutDistinct([]string{KernelName(task)}, width)[0]
}

// takeStart returns the longest prefix of s that fits a width, in whole
// characters as people see them.
func takeStart(s string, width int) string {
	end, used, state := 0, 0, -1
	for rest := s; rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if used += w; used > width {
			break
		}
		end += len(cluster)
	}
	return s[:end]
}

// takeEnd returns the longest suffix of s that fits a width.
func takeEnd(s string, width int) string {
	total, skipped, state := Width(s), 0, -1
	rest := s
	for rest != "" && total-skipped > width {
		var w int
		_, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		skipped += w
	}
	return rest
}

// SplitWidth splits a text after the characters that fit a width, at least one.
func SplitWidth(s string, width int) (head, rest string) {
	head = takeStart(s, width)
	if head == "" && s != "" {
		head, _, _, _ = uniseg.FirstGraphemeClusterInString(s, -1)
	}
	return head, s[len(head):]
}
