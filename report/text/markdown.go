package text

import (
	"bufio"
	"io"
	"regexp"
	"strings"

	"occudiff/report"
)

// Markdown writes the report as it reads well on a code host: tables, plain
// text without code spans. The same document gives the same bytes. charts are
// the addresses of the plots that have one, as seen from the page.
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

// markdown writes blocks with an empty line between them; bufio keeps the first
// error until Flush.
type markdown struct {
	w      *bufio.Writer
	charts map[*report.Plot]string
}

// block writes a block of its own, nothing for an empty one.
func (p *markdown) block(text string) {
	if text != "" {
		p.w.WriteString("\n" + text + "\n")
	}
}

// summary writes what an answer begins with.
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

// chart links a plot: ![Fan2: Measured occupancy, in
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

// brackets escapes those that would end the text of a link.
func brackets(s string) string {
	// What is escaped already comes first in the list, so that it is passed
	// over.
	return strings.NewReplacer(`\[`, `\[`, `\]`, `\]`, "[", `\[`, "]", `\]`).Replace(s)
}

// list writes messages, a line each: - **Fan2** (2048x2048 in 1024x1, SIMD32):
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

// paragraph escapes a text and what would make its first line a heading or a
// list.
func paragraph(text string) string {
	return begins.ReplaceAllString(Escape(text), `$1\$2$3`)
}

// Escape makes a text plain in Markdown: entities for what HTML would take,
// backslashes before what marks up, one line, and no spaces at the ends. A
// backslash is doubled only where it would escape what follows, a closing
// bracket escaped only where it would make a link or a chart, so that ordinary
// names read as they are.
func Escape(s string) string {
	s = marks.Replace(backslashes.ReplaceAllString(strings.TrimSpace(report.OneLine(s)), "$1$1$2"))
	return splitCommands(s, `${1}\[`)
}

var (
	// backslashes are those that would escape what follows them.
	backslashes = regexp.MustCompile(`(\\+)([[:punct:]])`)
	// begins is what begins a heading or a list, or with a second colon a
	// command of the CI job whose log this is in.
	begins = regexp.MustCompile(`^(?:([0-9]+)([.)])|([-#+=~:]))`)
	marks  = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`",
		"](", `\](`, "][", `\][`, "]:", `\]:`)
)

// table writes a table. Its columns are not padded: a code host draws it, and
// padding would measure every cell first.
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
