package text

import (
	"bufio"
	"io"
	"regexp"
	"strings"

	"occudiff/report"
)

// Markdown writes the report in a form that a code host renders well: with
// tables, and with code spans for names and commands. The output depends only
// on the arguments. The map contains the addresses of plots, relative to the
// page. A plot without an address is left out.
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
	p.block(strings.Join(report.ListOf(s.Confirm, check), "\n"))
}

func (p *markdown) section(s *report.Section) {
	p.block("## " + Escape(s.Title))
	for _, text := range s.Text {
		p.block(paragraph(text))
	}
	for _, t := range s.TablesIn(report.Page) {
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

// chart returns a link to a plot, for example ![Fan2: Measured occupancy, in
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

// list writes messages, one per line, for example - **Fan2** (2048x2048 in
// 1024x1, SIMD32): below by 36.8 points.
func (p *markdown) list(items []report.Item) { p.block(strings.Join(report.ListOf(items, item), "\n")) }

// check returns a command to run as a list item, for example - **1, 3**:
// `unitrace ./app` (result).
func check(c report.NextCommand) string {
	line := "- "
	if c.Rows != "" {
		line += strong(strings.TrimSuffix(c.Rows, ":")) + ": "
	}
	if c.Prose {
		line += Escape(c.Command)
	} else {
		line += code(c.Command)
	}
	if c.Result != "" {
		line += " (" + Escape(c.Result) + ")"
	}
	return line
}

func item(it report.Item) string {
	line := "- "
	if it.Code {
		line += "**" + code(it.Lead) + "**"
	} else {
		line += strong(it.Lead)
	}
	if it.Detail != "" {
		line += " (" + Escape(it.Detail) + ")"
	}
	if len(line) > 2 {
		line += ": "
	}
	return line + Escape(it.Text)
}

// paragraph returns a text with Markdown escaped. It also escapes characters
// that would make the text a heading or a list.
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
	// begins matches the characters that begin a heading or a list. It also
	// matches a colon, because two colons begin a command for a CI job whose
	// log contains the text.
	begins = regexp.MustCompile(`^(?:([0-9]+)([.)])|([-#+=~:]))`)
	marks  = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`",
		"](", `\](`, "][", `\][`, "]:", `\]:`)
)

// firstColumns is the number of columns for which a code host has room. The
// other columns are in a second table.
const firstColumns = 10

// table writes a table, in two parts if it has many columns. The first column,
// which names the rows, is in both.
func (p *markdown) table(t *report.Table) {
	lead, n := t.Lead(report.Page, firstColumns)
	columns := lead.ColumnsIn(report.Page)
	if len(columns) == 0 {
		return
	}
	if len(columns) <= firstColumns { // all columns fit, so they keep their order
		p.columns(t, t.ColumnsIn(report.Page))
		return
	}
	p.columns(lead, columns[:n])
	p.block("More columns:")
	p.columns(lead, append([]int{columns[0]}, columns[n:]...))
}

// columns writes some columns of a table. The cells are not padded, because a
// code host draws the table anyway, and padding would require the width of
// every cell.
func (p *markdown) columns(t *report.Table, list []int) {
	heading, rule := "\n", ""
	for _, i := range list {
		heading += "| " + Escape(t.Columns[i].Heading()) + " "
		if t.Columns[i].RightAligned() {
			rule += "| --: "
		} else {
			rule += "| --- "
		}
	}
	p.w.WriteString(heading + "|\n" + rule + "|\n")
	for row := range t.Len {
		for _, i := range list {
			p.w.WriteString("| " + cellText(&t.Columns[i], t.Cell(row, i)) + " ")
		}
		p.w.WriteString("|\n")
	}
	if total := t.TotalTexts(); len(total) > 0 {
		for _, i := range list {
			p.w.WriteString("| " + strong(total[i]) + " ")
		}
		p.w.WriteString("|\n")
	}
}

// cellText returns the text of a cell. Names of a program become code spans.
func cellText(c *report.Column, cell report.Cell) string {
	if c.Is(report.Code) && !cell.Blank() {
		return code(c.Print(cell))
	}
	return Escape(c.Print(cell))
}

// code returns a code span. It returns plain text if the text contains a
// character that would end the span or a table cell, or a command for a CI job.
func code(text string) string {
	text = strings.TrimSpace(report.OneLine(text))
	if text == "" || strings.ContainsAny(text, "`|\\") || jobCommand.MatchString(text) {
		return Escape(text)
	}
	return "`" + text + "`"
}

// strong returns a text in bold.
func strong(text string) string {
	if text = Escape(text); text != "" {
		text = "**" + text + "**"
	}
	return text
}
