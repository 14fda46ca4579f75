package table

import (
	"strings"
	"unicode/utf8"
)

// Dashed are the columns of a table that is printed under a line of dashes, whose runs they are, counted in characters.
type Dashed struct{ from, to []int }

// Dashes gives the columns under a header, nil when the line is not made of runs of dashes.
func Dashes(line string) *Dashed {
	if !strings.Contains(line, "---") || strings.Trim(line, " -") != "" {
		return nil
	}
	c := &Dashed{}
	for i := 0; i < len(line); i++ {
		if line[i] == '-' && (i == 0 || line[i-1] == ' ') {
			c.from = append(c.from, i)
		}
		if line[i] == '-' && (i+1 == len(line) || line[i+1] == ' ') {
			c.to = append(c.to, i+1)
		}
	}
	return c
}

// Cells cuts a line at the gaps between the columns. The last column has no end. Not bytes: a name of a
// kernel may hold characters of several bytes, and VTune pads by characters.
func (c *Dashed) Cells(line string) []string {
	runes := []rune(line)
	out := make([]string, len(c.from))
	for i := range c.from {
		end := len(runes)
		if i+1 < len(c.from) {
			end = min(end, c.from[i+1])
		}
		if from := min(c.from[i], len(runes)); from < end {
			out[i] = strings.TrimSpace(string(runes[from:end]))
		}
	}
	return out
}

// Holds says whether a line has the form of a row: nothing before the first column or in the gaps, and more than a
// name. The next metric of a summary begins at the left edge, too; what tells it is that it is as short as a name, or
// that its text runs over a gap.
func (c *Dashed) Holds(line string) bool {
	if utf8.RuneCountInString(line) <= c.to[0] {
		return false
	}
	runes := []rune(line)
	blank := func(from, to int) bool {
		return from >= len(runes) || strings.TrimSpace(string(runes[from:min(to, len(runes))])) == ""
	}
	if !blank(0, c.from[0]) {
		return false
	}
	for i := 1; i < len(c.from); i++ {
		if !blank(c.to[i-1], c.from[i]) {
			return false
		}
	}
	return true
}
