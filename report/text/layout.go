package text

import (
	"cmp"
	"slices"
	"strings"

	"occudiff/report"
)

const (
	gap = "  "
	// plainName is the width to which names are cut before a column is dropped.
	// After the last column was dropped, names are cut to readableName and then
	// to shortestName.
	plainName, readableName, shortestName = 24, 15, 6
	// readableText is the width to which a column of sentences is narrowed
	// before another column is dropped. After the last column was dropped, it
	// may be narrowed to shortestText.
	readableText, shortestText = 20, 12
	// narrowest is the smallest useful width of a column.
	narrowest = 4
	// foldedRows is the maximum number of rows of a table whose sentences take
	// a second line before a column is dropped. With more rows, some rows would
	// no longer be visible.
	foldedRows = 6
)

// column is a table column on a terminal.
type column struct {
	report.Column
	index       int // index in the table
	top, bottom string
	cells       []cell
	content     int // width of the widest cell
	plain       int // width of the widest cell after names are cut to plainName
	width       int
	hidden      bool
}

type cell struct {
	text   string
	status report.Status
}

// grid is a table on a terminal.
type grid struct {
	columns []*column
	rows    int
	dropped []string // headings of the dropped columns
}

// layOut returns the columns and their widths. If not all columns fit, headings
// that are wider than their cells take two lines. Names are cut so that they
// stay distinct, and sentences in few rows take a second line. Then columns are
// dropped in their drop order. After a wide column was dropped, columns that
// were dropped before it are added again if they fit. If bars is not nil, the
// bars are drawn in the rows.
func layOut(t *report.Table, rows, width int, bars *report.StackedBars) *grid {
	g, sentence := read(t, rows), textWidth
	if bars != nil {
		g.insertBars(bars)
	}
	if rows <= foldedRows {
		sentence = readableText
	}
	if width <= 0 || g.total() <= width {
		return g
	}
	for _, c := range g.columns {
		if report.Width(c.top) > c.content {
			c.top, c.bottom = stack(c.top)
			c.width = c.widest()
		}
	}
	fits := func() bool {
		for _, c := range g.columns {
			c.width = c.widest()
		}
		g.narrow(width, plainName, sentence)
		return g.total() <= width
	}
	var dropped []*column
	for !fits() {
		c := g.nextToDrop()
		if c == nil {
			break
		}
		c.hidden, dropped = true, append(dropped, c)
	}
	for _, c := range slices.Backward(dropped) {
		if c.hidden = false; !fits() {
			c.hidden = true
		}
	}
	fits()
	g.leaveOut(dropped)
	g.narrow(width, readableName, sentence)
	g.narrowSentences(width)
	g.narrow(width, shortestName, shortestText)
	g.squeeze(width)
	return g
}

// widest returns the width of the widest cell or heading line.
func (c *column) widest() int { return max(c.content, report.Width(c.top), report.Width(c.bottom)) }

// narrow removes excess width from names and sentences, starting at the right,
// down to the given widths.
func (g *grid) narrow(width, name, sentence int) {
	for _, c := range slices.Backward(g.columns) {
		least := c.width
		if c.Is(report.Cut) {
			least = min(name, c.plain)
		} else if c.Is(report.Fold) {
			least = sentence
		}
		least = max(least, report.Width(c.top), report.Width(c.bottom))
		c.width = max(min(c.width, c.width-(g.total()-width)), min(least, c.width))
	}
}

// narrowSentences repeatedly narrows the widest column of sentences by one
// character, so that all sentences stay readable.
func (g *grid) narrowSentences(width int) {
	for range g.total() - width {
		var widest *column
		for _, c := range g.columns {
			least := max(shortestText, report.Width(c.top), report.Width(c.bottom))
			if c.Is(report.Fold) && c.width > least && (widest == nil || c.width > widest.width) {
				widest = c
			}
		}
		if widest == nil {
			return
		}
		widest.width--
	}
}

// read returns the texts of the columns that a terminal shows.
func read(t *report.Table, rows int) *grid {
	g := &grid{rows: rows}
	for _, i := range t.ColumnsIn(report.Terminal) {
		g.columns = append(g.columns, &column{Column: t.Columns[i], index: i, cells: make([]cell, rows)})
	}
	var buf []report.Cell
	for i := range rows {
		buf = t.Row(i, buf[:0])
		for _, c := range g.columns {
			text := c.Print(buf[c.index])
			c.cells[i] = cell{text, buf[c.index].Status}
			c.content = max(c.content, report.Width(text))
		}
	}
	if total := t.TotalTexts(); total != nil {
		g.rows++
		for _, c := range g.columns {
			c.cells = append(c.cells, cell{text: total[c.index]})
			c.content = max(c.content, report.Width(total[c.index]))
		}
	}
	for _, c := range g.columns {
		if c.plain = c.content; c.Is(report.Cut) && c.content > plainName {
			c.plain = widestOf(c.cutTo(plainName))
		}
		c.top = report.OneLine(cmp.Or(c.Brief, c.Heading()))
		c.width = c.widest()
	}
	return g
}

// stack returns a heading in two lines, split at the space that makes it
// narrowest.
func stack(heading string) (top, bottom string) {
	top = heading
	for i := range len(heading) {
		// The heading is split only at spaces, because a part of a word is hard
		// to read.
		if heading[i] != ' ' {
			continue
		}
		if a, b := heading[:i], heading[i+1:]; max(len(a), len(b)) < max(len(top), len(bottom)) {
			top, bottom = a, b
		}
	}
	return top, bottom
}

func (g *grid) total() int {
	sum := -len(gap)
	for _, c := range g.columns {
		if !c.hidden {
			sum += c.width + len(gap)
		}
	}
	return sum
}

// nextToDrop returns the next column in the drop order, or nil if no column can
// be dropped.
func (g *grid) nextToDrop() (next *column) {
	for _, c := range g.columns {
		if c.Drop > 0 && !c.hidden && (next == nil || c.Drop < next.Drop) {
			next = c
		}
	}
	return next
}

// leaveOut removes the hidden columns from the grid, and records the headings
// of the removed columns.
func (g *grid) leaveOut(list []*column) {
	for _, c := range list {
		if title := c.Heading(); c.hidden && title != "" {
			g.dropped = append(g.dropped, title)
		}
	}
	g.columns = slices.DeleteFunc(g.columns, func(c *column) bool { return c.hidden })
}

// squeeze narrows columns from the right on a very narrow terminal, so that no
// line is wider.
func (g *grid) squeeze(width int) {
	for i := len(g.columns) - 1; i >= 0; i-- {
		if over := g.total() - width; over > 0 {
			c := g.columns[i]
			c.width -= min(over, max(c.width-narrowest, 0))
			c.top, c.bottom = report.CutMiddle(c.top, c.width), report.CutMiddle(c.bottom, c.width)
		}
	}
	// If the columns do not fit even at their smallest widths, the last columns
	// are removed, because the first columns matter most.
	for g.total() > width && len(g.columns) > 1 {
		g.columns = g.columns[:len(g.columns)-1]
	}
}

// shorten cuts the texts of columns that were narrowed. Names that differ still
// differ after the cut. A column becomes as narrow as its cut texts.
func (g *grid) shorten() {
	for _, c := range g.columns {
		if !c.Is(report.Cut) || c.content <= c.width {
			continue
		}
		texts := c.cutTo(c.width)
		c.width = max(report.Width(c.top), report.Width(c.bottom), widestOf(texts))
		for i, text := range texts {
			c.cells[i].text = text
		}
	}
}

// cutTo returns the texts of a column, cut to a width.
func (c *column) cutTo(width int) []string {
	return report.CutDistinct(report.ListOf(c.cells, func(x cell) string { return x.text }), width)
}

// widestOf returns the width of the widest text.
func widestOf(texts []string) (widest int) {
	for _, text := range texts {
		widest = max(widest, report.Width(text))
	}
	return widest
}

// lines returns the lines of the headings and the rows.
func (g *grid) lines(paint func(string, report.Status) string) (headings, rows []string) {
	g.shorten()
	var top, bottom []string
	for _, c := range g.columns {
		top = append(top, pad(c.top, c.width, c.RightAligned()))
		bottom = append(bottom, pad(c.bottom, c.width, c.RightAligned()))
	}
	headings = []string{strings.Join(top, gap)}
	if second := strings.Join(bottom, gap); strings.TrimSpace(second) != "" {
		headings = append(headings, second)
	}
	for row := range g.rows {
		for part, more := 0, true; more; part++ {
			var line string
			line, more = g.line(row, part, paint)
			rows = append(rows, line)
		}
	}
	return headings, rows
}

// line returns one line of a row, and reports whether a folded cell continues
// in the next line.
func (g *grid) line(row, part int, paint func(string, report.Status) string) (line string, more bool) {
	var b strings.Builder
	for i, c := range g.columns {
		if i > 0 {
			b.WriteString(gap)
		}
		parts := []string{c.cells[row].text}
		if c.Is(report.Fold) {
			parts = breakLines(c.cells[row].text, c.width)
		}
		text := ""
		if part < len(parts) {
			text = report.CutMiddle(parts[part], c.width)
		}
		more = more || part+1 < len(parts)
		fill := strings.Repeat(" ", c.width-report.Width(text))
		if c.RightAligned() {
			b.WriteString(fill + paint(text, c.cells[row].status))
		} else {
			b.WriteString(paint(text, c.cells[row].status) + fill)
		}
	}
	return b.String(), more
}
