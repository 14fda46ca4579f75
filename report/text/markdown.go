package text

import (
	"bufio"
	"io"
	"strings"

	"occudiff/report"
)

// Markdown writes the report as it reads well on a code host: tables, plain text without code spans. The same document
// gives the same bytes. path gives the address of a plot's picture as seen from the page, nil where there are none.
func Markdown(w io.Writer, d *report.Document, path func(*report.Plot) string) error {
	p := &markdown{bufio.NewWriter(w), path}
	p.w.WriteString("# " + Escape(d.Title) + "\n")
	if d.Screen != nil {
		p.screen(d.Screen)
	}
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Shown(report.Page) {
			p.section(s)
		}
	}
	return p.w.Flush()
}

// markdown writes blocks with an empty line between them; bufio keeps the first error until Flush.
type markdown struct {
	w    *bufio.Writer
	path func(*report.Plot) string
}

// block writes a block of its own.
func (p *markdown) block(text string) { p.w.WriteString("\n" + text + "\n") }

// screen writes what an answer begins with.
func (p *markdown) screen(s *report.Screen) {
	p.block(paragraph(s.Line))
	for _, text := range append([]string{s.Means}, s.Notes...) {
		if text != "" {
			p.block(paragraph(text))
		}
	}
	if s.Rows != nil {
		p.table(s.Rows)
	}
	for _, text := range append([]string{s.More}, s.Do...) {
		if text != "" {
			p.block(paragraph(text))
		}
	}
	if len(s.Sure) == 0 {
		return
	}
	if s.Ask != "" {
		p.block(paragraph(s.Ask + ":"))
	}
	for i, c := range s.Sure {
		line := item(report.Item{Lead: strings.TrimSuffix(c.Rows, ":"), Text: checkText(c)})
		if i == 0 {
			p.block(strings.TrimRight(line, "\n"))
		} else {
			p.w.WriteString(line + "\n")
		}
	}
}

func (p *markdown) section(s *report.Section) {
	p.block("## " + Escape(s.Title))
	for _, text := range s.Text {
		p.block(paragraph(text))
	}
	for _, t := range s.Tables {
		if t.In&report.Page == 0 || t.Len == 0 {
			continue
		}
		if t.Title != "" {
			p.block("### " + Escape(t.Title))
		}
		p.table(t)
	}
	for i := range s.Plots {
		if picture := p.picture(&s.Plots[i]); picture != "" {
			p.block(picture)
		}
	}
	if s.ItemsIn&report.Page == 0 || len(s.Items) == 0 {
		return
	}
	for i, it := range s.Items {
		if line := item(it); i == 0 {
			p.block(line)
		} else {
			p.w.WriteString(line + "\n")
		}
	}
}

// picture links a plot: ![Fan2: Measured occupancy, in %.](report.time-series-1.svg).
func (p *markdown) picture(plot *report.Plot) string {
	if p.path == nil {
		return ""
	}
	path := p.path(plot)
	if path == "" {
		return ""
	}
	alt := plot.Title
	if plot.Text != "" {
		alt += ": " + plot.Text
	}
	return "![" + brackets(Escape(alt)) + "](" + path + ")"
}

// brackets escapes those that would end the text of a link.
func brackets(s string) string {
	// What is escaped already comes first in the list, so that it is passed over.
	return strings.NewReplacer(`\[`, `\[`, `\]`, `\]`, "[", `\[`, "]", `\]`).Replace(s)
}

// item is a line of a list: - **Fan2** (2048x2048 in 1024x1, SIMD32): below by 36.8 points.
func item(it report.Item) string {
	line := "- "
	if lead := Escape(it.Lead); lead != "" {
		line += "**" + lead + "**"
	}
	if it.Detail != "" {
		line += " (" + Escape(it.Detail) + ")"
	}
	if len(line) > 2 {
		line += ": "
	}
	return line + Escape(it.Text)
}

// paragraph escapes a text and what would make its first line a heading or a list.
func paragraph(text string) string {
	text = Escape(text)
	if text == "" {
		return text
	}
	// a colon: two begin a command of a CI job, in the log of which this may stand
	if strings.IndexByte("#+-=~:", text[0]) >= 0 {
		return `\` + text
	}
	if digits := strings.TrimLeft(text, "0123456789"); digits != text &&
		(strings.HasPrefix(digits, ".") || strings.HasPrefix(digits, ")")) {
		return text[:len(text)-len(digits)] + `\` + digits
	}
	return text
}

// Escape makes a text plain in Markdown: entities for what HTML would take, backslashes before what marks up, one
// line, and no spaces at the ends. A backslash is doubled only where it would escape what follows, a closing bracket
// escaped only where it would make a link or a picture, so that ordinary names read as they are.
func Escape(s string) string {
	s = strings.TrimSpace(report.OneLine(s))
	if !strings.ContainsAny(s, "<>&|*_`\\[]") {
		return s
	}
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; c {
		case '<':
			b.WriteString("&lt;")
		case '>':
			b.WriteString("&gt;")
		case '&':
			b.WriteString("&amp;")
		case '|', '*', '_', '`':
			b.WriteByte('\\')
			b.WriteByte(c)
		case '\\':
			b.WriteByte(c)
			if i+1 < len(s) && isPunctuation(s[i+1]) {
				b.WriteByte(c)
			}
		case '[':
			if i > 0 && s[i-1] == '#' { // ##[ is such a command, too
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case ']':
			if i+1 < len(s) && strings.IndexByte("([:", s[i+1]) >= 0 {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// isPunctuation says whether a backslash before c is an escape in Markdown.
func isPunctuation(c byte) bool {
	return c > ' ' && c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z' && c < 0x7f
}

// table writes a table. Its columns are not padded: a code host draws it, and padding would measure every cell first.
func (p *markdown) table(t *report.Table) {
	t = t.Shown(report.Page)
	if len(t.Columns) == 0 {
		return
	}
	p.w.WriteByte('\n')
	for _, c := range t.Columns {
		p.w.WriteString("| " + Escape(c.Heading()) + " ")
	}
	p.w.WriteString("|\n")
	for i := range t.Columns {
		if t.Columns[i].RightAligned() {
			p.w.WriteString("| --: ")
		} else {
			p.w.WriteString("| --- ")
		}
	}
	p.w.WriteString("|\n")
	for cells := range t.All() {
		for i := range cells {
			p.w.WriteString("| " + Escape(t.Columns[i].Print(cells[i])) + " ")
		}
		p.w.WriteString("|\n")
	}
}
