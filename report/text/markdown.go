package text

import (
	"bufio"
	"io"
	"regexp"
	"strings"

	"occudiff/report"
)

// Markdown writes the report in a form that a code host renders well: tables,
// and plain text without code spans. The output depends only on the document.
// The map contains the addresses of the plots that have one, relative to the
// page.
func Markdown(w io.Writer, d *report.Document, pictures map[*report.Plot]string) error {
	p := &markdown{bufio.NewWriter(w), pictures}
	p.w.WriteString("# " + Escape(d.Title) + "\n")
	p.block(paragraph(d.Origin))
	if d.Summary != nil {
		p.summary(d.Summary)
	}
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Shown(report.Page) {
			p.section(s)
		}
	}
	return p.w.Flush()
}

// markdown writes blocks with an empty line between them. bufio keeps the first
// error until Flush.
type markdown struct {
	w      *bufio.Writer
	charts map[*report.Plot]string
}

// block writes a separate block, or nothing for an empty text.
func (p *markdown) block(text string) {
	if text != "" {
		p.w.WriteString("\n" + text + "\n")
	}
}

// summary writes the first part of a document.
func (p *markdown) summary(s *report.Summary) {
	p.block(paragraph(s.Headline))
	for _, text := range append([]string{s.Impact}, s.Notes...) {
		p.block(paragraph(text))
	}
	if s.Rows != nil {
		p.table(s.Rows)
	}
	for _, text := range append([]string{s.More}, s.Advice...) {
		p.block(paragraph(text))
	}
	if s.ConfirmReason != "" {
		p.block(paragraph(s.ConfirmReason + ":"))
	}
	p.list(report.ListOf(s.Confirm, func(c report.NextCommand) report.Item {
		return report.Item{Lead: strings.TrimSuffix(c.Rows, ":"), Text: c.Text()}
	}))
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
		p.block(p.chart(&s.Plots[i]))
	}
	if s.ItemsIn&report.Page != 0 {
		p.list(s.Items)
	}
}

// chart returns a link to a plot: ![Fan2: Measured occupancy, in
// %.](report.time-series-1.svg).
func (p *markdown) chart(plot *report.Plot) string {
	path := p.charts[plot]
	if path == "" {
		return ""
	}
	alt := plot.Title
	if plot.Text != "" {
		alt += ": " + plot.Text
	}
	return "![" + brackets(Escape(alt)) + "](" + path + ")"
}

// brackets escapes brackets that would end the text of a link.
func brackets(s string) string {
	// Escaped brackets come first in the list, so that they are not escaped
	// again.
	return strings.NewReplacer(`\[`, `\[`, `\]`, `\]`, "[", `\[`, "]", `\]`).Replace(s)
}

// list writes messages, one per line: - **Fan2** (2048x2048 in 1024x1, SIMD32):
// below by 36.8 points.
func (p *markdown) list(items []report.Item) { p.block(strings.Join(report.ListOf(items, item), "\n")) }

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

// paragraph returns a text with Markdown escaped, including characters that
// would make its first line a heading or a list.
func paragraph(text string) string {
	return begins.ReplaceAllString(Escape(text), `$1\$2$3`)
}

// Escape returns a text that is plain in Markdown: entities for HTML
// characters, backslashes before markup, one line, and no spaces at the ends. A
// backslash is doubled only if it would escape the next character. A closing
// bracket is escaped only if it would make a link or an image. Ordinary names
// therefore stay readable.
func Escape(s string) string {
	s = marks.Replace(backslashes.ReplaceAllString(strings.TrimSpace(report.OneLine(s)), "$1$1$2"))
	return splitCommands(s, `${1}\[`)
}

var (
	// backslashes matches backslashes that would escape the next character.
	backslashes = regexp.MustCompile(`(\\+)([[:punct:]])`)
	// begins matches the beginning of a heading or a list, or, with a second
	// colon, of a command for the CI job whose log contains it.
	begins = regexp.MustCompile(`^(?:([0-9]+)([.)])|([-#+=~:]))`)
	marks  = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`",
		"](", `\](`, "][", `\][`, "]:", `\]:`)
)

// table writes a table. Its columns are not padded, because a code host draws
// the table, and padding would require the width of every cell.
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
