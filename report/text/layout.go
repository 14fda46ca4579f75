package text

import (
	"slices"
	"strings"

	"occudiff/report"
)

const (
	gap = "  "
	// readableName is how far names are cut before a column gives way, shortestName how far after the last one did.
	readableName = 16
	shortestName = 6
	// readableText is how narrow a column of sentences becomes before another one gives way.
	readableText = 20
	// narrowest is the width below which a column says nothing.
	narrowest = 4
)

// column is a table column on the screen.
type column struct {
	report.Column
	index       int // in the table
	top, bottom string
	cells       []cell
	content     int // widest cell
	width       int
}

type cell struct {
	text   string
	status report.Status
}

// grid is a table on the screen. Neighbours with one Group share the heading in top of the first of them.
type grid struct {
	columns []*column
	rows    int
}

// layOut chooses the columns and their widths: headings take two lines and sentences several before names are cut,
// because that loses nothing; then columns give way in their order, then names become very short.
func layOut(t *report.Table, rows, width int) *grid {
	g := read(t, rows)
	g.headings(false)
	// One line of heading where there is room: it is the easier one to read.
	if width <= 0 || g.total() <= width {
		return g
	}
	g.headings(true)
	for !g.fit(width, readableName) {
		if !g.dropNext() {
			g.fit(width, shortestName)
			g.squeeze(width)
			break
		}
		g.headings(true)
	}
	return g
}

// foldedRows is how many rows of a screen may take a second line, so that all of it stays in sight.
const foldedRows = 6

// layOutScreen lays out the rows of a screen: names are cut first, since what is left of them tells them apart. Then
// sentences take a second line where there are few rows, those on the right first; else columns give way.
func layOutScreen(t *report.Table, width int) *grid {
	g := read(t, t.Len)
	g.headings(false)
	if width <= 0 || g.total() <= width {
		return g
	}
	g.narrow(width, 14, textWidth)
	if g.rows <= foldedRows {
		g.narrow(width, 14, readableText)
	}
	for g.total() > width && g.dropNext() {
		g.headings(false)
		g.narrow(width, 14, textWidth)
	}
	g.narrow(width, shortestName, 12)
	g.squeeze(width)
	return g
}

// narrow takes what is too wide from names and sentences, to no less than these widths, from the right.
func (g *grid) narrow(width, name, sentence int) {
	for _, c := range slices.Backward(g.columns) {
		least := max(c.width, len(c.top))
		if c.Cut {
			least = max(name, len(c.top))
		} else if c.Fold {
			least = max(sentence, len(c.top))
		}
		c.width = max(min(c.width, c.width-(g.total()-width)), min(least, c.width))
	}
}

// read takes the texts of the columns that a terminal shows.
func read(t *report.Table, rows int) *grid {
	g := &grid{rows: rows}
	for _, i := range t.ColumnsIn(report.Terminal) {
		c := t.Columns[i]
		c.Title, c.Brief, c.Group = report.OneLine(c.Title), report.OneLine(c.Brief), report.OneLine(c.Group)
		g.columns = append(g.columns, &column{Column: c, index: i, cells: make([]cell, rows)})
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
	return g
}

// headings sets the heading of every column, on two lines where stacked, and the widths that follow.
func (g *grid) headings(stacked bool) {
	for i, c := range g.columns {
		c.top, c.bottom = c.Brief, ""
		if c.top == "" {
			c.top = c.Title
			if c.Unit != "" {
				c.top += " [" + c.Unit + "]"
			}
		}
		// The common heading has the unit, and only the first column of the group has the heading.
		if c.Group != "" {
			c.top, c.bottom = "", c.Title
			if i == 0 || g.columns[i-1].Group != c.Group {
				c.top = c.Group
				if c.Unit != "" {
					c.top += " [" + c.Unit + "]"
				}
			}
			c.width = max(c.content, report.Width(c.bottom))
			continue
		}
		if stacked {
			c.top, c.bottom = stack(c.top)
		}
		c.width = max(c.content, report.Width(c.top), report.Width(c.bottom))
	}
	g.widenGroups()
}

// widenGroups gives the last column of a group what the common heading needs more.
func (g *grid) widenGroups() {
	for i := 0; i < len(g.columns); i++ {
		c := g.columns[i]
		if c.Group == "" {
			continue
		}
		span, last := c.width, i
		for last+1 < len(g.columns) && g.columns[last+1].Group == c.Group {
			last++
			span += len(gap) + g.columns[last].width
		}
		if more := report.Width(c.top) - span; more > 0 {
			g.columns[last].width += more
		}
		i = last
	}
}

// stack breaks a heading at the space that makes it narrowest.
func stack(heading string) (top, bottom string) {
	top = heading
	for i := range len(heading) {
		// Only at blanks: half a word is no word.
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
	sum := len(gap) * (len(g.columns) - 1)
	for _, c := range g.columns {
		sum += c.width
	}
	return sum
}

// fit says whether the grid fits when sentences are folded and names are cut, to no less than shortest, and narrows
// their columns.
func (g *grid) fit(width, shortest int) bool {
	over := g.total() - width
	narrow := func(c *column, least int) {
		if floor := max(least, len(c.top), len(c.bottom)); c.width > floor {
			take := max(min(over, c.width-floor), 0)
			c.width -= take
			over -= take
		}
	}
	for _, c := range g.columns {
		if c.Fold {
			// Sentences give way before names: they go on in the next line, while a name that is cut is lost.
			narrow(c, readableText)
		}
	}
	for _, c := range g.columns {
		if c.Cut {
			narrow(c, shortest)
		}
	}
	return over <= 0
}

// dropNext takes out the column that gives way next, false when none does any more.
func (g *grid) dropNext() bool {
	next := -1
	for i, c := range g.columns {
		if c.Drop > 0 && (next < 0 || c.Drop < g.columns[next].Drop) {
			next = i
		}
	}
	if next < 0 {
		return false
	}
	g.columns = slices.Delete(g.columns, next, next+1)
	return true
}

// squeeze narrows columns from the right on a terminal that is too narrow for anything, so that no line is wider.
func (g *grid) squeeze(width int) {
	for i := len(g.columns) - 1; i >= 0; i-- {
		if over := g.total() - width; over > 0 {
			c := g.columns[i]
			c.width -= min(over, max(c.width-narrowest, 0))
			c.top, c.bottom = report.CutMiddle(c.top, c.width), report.CutMiddle(c.bottom, c.width)
		}
	}
	// Narrower than all columns at their least: the first ones are what a table is about.
	for g.total() > width && len(g.columns) > 1 {
		g.columns = g.columns[:len(g.columns)-1]
	}
}

// shorten cuts the texts of columns that were cut, so that different names stay different.
func (g *grid) shorten() {
	for _, c := range g.columns {
		if !c.Cut || c.content <= c.width {
			continue
		}
		texts := make([]string, len(c.cells))
		for i := range c.cells {
			texts[i] = c.cells[i].text
		}
		for i, text := range report.CutApart(texts, c.width) {
			c.cells[i].text = text
		}
	}
}

// lines prints the grid.
func (g *grid) lines(paint func(string, report.Status) string) []string {
	g.shorten()
	lines := []string{g.topLine()}
	if bottom := g.bottomLine(); strings.TrimSpace(bottom) != "" {
		lines = append(lines, bottom)
	}
	for row := range g.rows {
		for part, more := 0, true; more; part++ {
			var line string
			line, more = g.line(row, part, paint)
			lines = append(lines, line)
		}
	}
	return lines
}

// line prints one line of a row, and says whether a folded cell goes on in the next.
func (g *grid) line(row, part int, paint func(string, report.Status) string) (line string, more bool) {
	var b strings.Builder
	for i, c := range g.columns {
		if i > 0 {
			b.WriteString(gap)
		}
		parts := []string{c.cells[row].text}
		if c.Fold {
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

// topLine prints the first line of the headings; a group's heading spans its columns.
func (g *grid) topLine() string {
	var parts []string
	for i := 0; i < len(g.columns); i++ {
		c := g.columns[i]
		span := c.width
		for c.Group != "" && i+1 < len(g.columns) && g.columns[i+1].Group == c.Group {
			i++
			span += len(gap) + g.columns[i].width
		}
		parts = append(parts, pad(c.top, span, c.RightAligned() && c.Group == ""))
	}
	return strings.Join(parts, gap)
}

func (g *grid) bottomLine() string {
	return strings.Join(report.ListOf(g.columns, func(c *column) string {
		return pad(c.bottom, c.width, c.RightAligned() && c.Group == "")
	}), gap)
}
