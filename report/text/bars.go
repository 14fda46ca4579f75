package text

import (
	"math"
	"slices"
	"strings"

	"occudiff/report"
)

const (
	barsFrom = 120 // smallest terminal width that has room for bars
	barWidth = 20  // columns of a bar: 5% each
)

// blocks are the characters that draw the parts of a bar, in the order of the
// parts. markChar draws the marks.
var blocks = []rune("\u2588\u2593\u2591\u2592-.")

const markChar = '|'

// insertBars adds a column of bars before the last columns, which contain
// sentences.
func (g *grid) insertBars(b *report.StackedBars) {
	c := &column{Column: report.Column{Drop: 1}, top: "0%" + pad("100%", barWidth-2, true), width: barWidth,
		content: barWidth}
	for row := range g.rows {
		text := ""
		if row < len(b.Rows) {
			text = bar(&b.Rows[row])
		}
		c.cells = append(c.cells, cell{text: text})
	}
	at := slices.IndexFunc(g.columns, func(c *column) bool { return c.Is(report.Fold) })
	if at < 0 {
		at = len(g.columns)
	}
	g.columns = slices.Insert(g.columns, at, c)
}

// bar returns the bar of a row as characters. If the row has bars of two runs,
// it returns the new run's bar.
func bar(r *report.StackedRow) string {
	place := func(v float64) int { return int(math.Round(min(max(v, 0), 100) / 100 * barWidth)) }
	if len(r.Shares) == 0 {
		return ""
	}
	line := []rune(strings.Repeat(" ", barWidth))
	from := 0.0
	for _, s := range r.Shares {
		for i := place(from); i < place(from+s.Value); i++ {
			line[i] = blocks[s.Part%len(blocks)]
		}
		from += max(s.Value, 0)
	}
	if mark, known := r.Mark.Value(); known {
		for _, end := range []float64{mark, r.MarkTo.Or(mark)} {
			line[min(place(end), barWidth-1)] = markChar
		}
	}
	return string(line)
}

// barLegend returns the meanings of the characters in the bars.
func barLegend(b *report.StackedBars) string {
	var texts []string
	for i, part := range b.Parts {
		if b.Shows(i) {
			texts = append(texts, string(blocks[i%len(blocks)])+" "+part)
		}
	}
	if b.Marks() > 0 {
		texts = append(texts, string(markChar)+" "+b.Mark)
	}
	text := strings.Join(texts, gap)
	if b.HasOld() {
		text += " (bars of the new run)"
	}
	return text
}
