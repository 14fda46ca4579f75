// Package text writes a report as text. For a terminal, it writes the
// application and device, the kernels that need attention first, the causes,
// and one closing sentence. For Markdown, it writes the whole document. The
// package contains no code for kernels, statistics, or files. It only decides
// how to use the available width.
package text

import (
	"bufio"
	"io"
	"regexp"
	"strings"

	"occudiff/report"
)

// Options describe the properties of the output. The zero value is suitable for
// output to a pipe.
type Options struct {
	Width   int  // columns of the terminal, at least 20; 0 sets no limit
	Color   bool // repeat verdicts in color, and print results and headings in bold
	Bars    bool // draw bars of block characters if there is room
	Verbose bool // print everything, not only the summary
}

// The maximum numbers of table rows and explanations, which fill one or two
// screens. They do not apply if the whole document is shown. Rows that need
// attention come first, so the least important rows are left out. A line
// contains the number of rows that were left out.
const (
	mostRows  = 50
	mostItems = 15
)

// textWidth is the maximum width at which a paragraph is still readable.
const textWidth = 132

// Terminal writes the terminal's part of a report: headline, table,
// explanations, and closing line.
func Terminal(w io.Writer, d *report.Document, opt Options) error {
	p := &printer{w: bufio.NewWriter(w), opt: opt, whole: d.Whole}
	if d.Summary != nil {
		p.summary(d.Summary)
		if !opt.Verbose {
			return p.w.Flush()
		}
		p.line("")
	}
	for _, line := range d.Headline {
		p.wrap("", line, report.Plain)
	}
	// Some parts have a short form for the terminal and a long form for files.
	// With -v, the terminal shows the long form instead.
	long := opt.Verbose && d.Summary == nil
	shown := func(s *report.Section, in report.View) bool {
		return !(long && s.In == report.Terminal) && (in&report.Terminal != 0 || long && in&report.Page != 0)
	}
	for i := range d.Sections {
		for _, t := range d.Sections[i].Tables {
			if shown(&d.Sections[i], t.In) && t.Main > 0 {
				p.line("")
				p.table(t)
			}
		}
	}
	for i := range d.Sections {
		if s := &d.Sections[i]; shown(s, s.ItemsIn) && len(s.Items) > 0 {
			p.line("")
			if d.Titled {
				p.wrap("", s.Title, report.Plain)
			}
			p.items(s.Items)
		}
	}
	if d.Closing != "" {
		p.line("")
	}
	p.wrap("", d.Closing, report.Plain)
	return p.w.Flush()
}

// printer writes lines. bufio keeps the first error until Flush.
type printer struct {
	w     *bufio.Writer
	opt   Options
	whole bool // show all rows and items
	begun bool // a line was printed
}

// line prints a line. An empty line is printed only after another line.
func (p *printer) line(text string) {
	if text == "" && !p.begun {
		return
	}
	p.begun = true
	p.w.WriteString(strings.TrimRight(inert(text), " "))
	p.w.WriteByte('\n')
}

// paint returns a text in the color of a status if colors are enabled.
func (p *printer) paint(text string, status report.Status) string {
	// These are the ECMA-48 colors that every terminal supports: green, red,
	// yellow, and faint. The terminal's settings determine the shades.
	code := [...]string{report.Good: "32", report.Bad: "31", report.Unsure: "33", report.Muted: "2"}[status]
	if !p.opt.Color || code == "" || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *printer) table(t *report.Table) {
	shown := t.Main
	if !p.whole {
		shown = min(shown, mostRows)
	}
	g := layOut(t, shown, p.opt.Width, nil)
	p.grid(g)
	if len(g.dropped) > 0 {
		p.wrap("", "Columns left out: "+strings.Join(report.FirstFew(g.dropped, mostDropped), ", ")+
			". A wider terminal or -o FILE shows them.", report.Muted)
	}
	if rest := t.Main - shown; rest > 0 {
		p.wrap("", "... and "+report.Thousands(rest)+" more: a file has them all (-o report.xlsx).", report.Plain)
	}
}

// mostDropped is the maximum number of dropped columns that are listed by name
// below a table.
const mostDropped = 6

// grid prints a table with its headings in bold.
func (p *printer) grid(g *grid) {
	headings, rows := g.lines(p.paint)
	for _, line := range headings {
		p.line(p.bold(line))
	}
	for _, line := range rows {
		p.line(line)
	}
}

// bold returns a text in bold if colors are enabled.
func (p *printer) bold(text string) string {
	if !p.opt.Color || text == "" {
		return text
	}
	return "\x1b[1m" + strings.TrimRight(text, " ") + "\x1b[0m"
}

// strong prints a paragraph in bold.
func (p *printer) strong(text string) {
	if text == "" {
		return
	}
	for _, line := range breakLines(text, p.textWidth()) {
		p.line(p.bold(line))
	}
}

func (p *printer) items(items []report.Item) {
	shown := len(items)
	if !p.whole {
		shown = min(shown, mostItems)
	}
	count := map[string]int{}
	widest := 0
	leads := make([]string, shown)
	for i, it := range items[:shown] {
		count[it.Lead]++
		leads[i] = report.OneLine(it.Lead)
		widest = max(widest, report.Width(leads[i]))
	}
	// Names take at most 25% of the line, because readers need the text next to
	// them.
	widest = min(widest, max(p.textWidth()/4, 8))
	leads = report.CutDistinct(leads, widest)
	for i, it := range items[:shown] {
		text := it.Text
		// A launch size is noise unless it distinguishes kernels with the same
		// name.
		if count[it.Lead] > 1 && it.Detail != "" {
			text = "(" + it.Detail + ") " + text
		}
		p.wrap(pad(leads[i], widest, false)+"  ", text, it.Status)
	}
	if rest := len(items) - shown; rest > 0 {
		p.wrap("", "... and "+report.Thousands(rest)+" more explanations: a file has them all (-o report.md).",
			report.Plain)
	}
}

// Paragraph returns a text after a lead. The text begins at column indent, in
// its first line and in all other lines. width is the terminal's width, or 0
// for no limit.
func Paragraph(lead string, indent int, text string, width int) string {
	var b strings.Builder
	p := &printer{w: bufio.NewWriter(&b), opt: Options{Width: width}}
	p.wrap(pad(lead, indent-2, false)+"  ", text, report.Plain)
	_ = p.w.Flush() // cannot fail, because the buffer is in memory
	return b.String()
}

func (p *printer) textWidth() int {
	if p.opt.Width <= 0 {
		return textWidth
	}
	return min(p.opt.Width, textWidth)
}

// wrap prints a text after a lead. All lines of the text begin in the same
// column, after the lead. A line break in the text begins a new line. An empty
// text prints nothing.
func (p *printer) wrap(lead, text string, status report.Status) {
	if lead+text == "" {
		return
	}
	lead = report.OneLine(lead)
	if indent := report.Width(lead); indent > p.textWidth()/2 { // there is too little room next to a long lead
		p.line(lead)
		lead = gap
	}
	indent := report.Width(lead)
	room := max(p.textWidth()-indent, 1)
	name := strings.TrimRight(lead, " ")
	start := p.paint(name, status) + lead[len(name):]
	for paragraph := range strings.SplitSeq(text, "\n") {
		for _, line := range breakLines(paragraph, room) {
			p.line(start + line)
			start = strings.Repeat(" ", indent)
		}
	}
}

// breakLines breaks a text at spaces into lines of at most the given width. A
// word that is longer than a line is broken, too.
func breakLines(text string, width int) []string {
	var lines []string
	line, used := "", 0
	for _, word := range words.FindAllString(report.OneLine(text), -1) {
		word = strings.TrimSpace(word)
		w := report.Width(word)
		switch {
		case line == "":
			line, used = word, w
		case used+1+w <= width:
			line, used = line+" "+word, used+1+w
		default:
			lines = append(lines, line)
			line, used = word, w
		}
		// One word may be wider than the line, for example a mangled name or a
		// path.
		for used > width {
			head, rest := report.SplitWidth(line, width)
			if rest == "" {
				break
			}
			lines = append(lines, head)
			line, used = rest, report.Width(rest)
		}
	}
	return append(lines, line)
}

// words matches the words of a text. A number and its unit are one word: "26
// us".
var words = regexp.MustCompile(`[0-9.,+-]+\s+(?:s|ms|us|ns|%|KB|MB|points|slots)[.,;:)]*(?:\s+|$)|\S+`)

// pad returns a text filled with spaces to a width. The spaces are on the left
// if right is true, as for numbers.
func pad(text string, width int, right bool) string {
	fill := strings.Repeat(" ", max(width-report.Width(text), 0))
	if right {
		return fill + text
	}
	return text + fill
}

// summary writes the first part of a document.
func (p *printer) summary(s *report.Summary) {
	p.strong(s.Headline)
	p.wrap("", s.Impact, report.Plain)
	for _, note := range s.Notes {
		p.wrap("", note, report.Unsure)
	}
	switch {
	case s.Rows == nil:
	case s.Rows.Form == report.Facts:
		p.facts(s)
		return
	default:
		p.line("")
		bars := s.Bars
		if !p.opt.Bars || p.opt.Width < barsFrom {
			bars = nil
		}
		p.grid(layOut(s.Rows, s.Rows.Len, p.opt.Width, bars))
		if s.More != "" {
			p.wrap("", s.More+" (--top N or -o FILE shows them)", report.Plain)
		}
		if bars != nil {
			p.wrap("", barLegend(bars), report.Muted)
		}
	}
	for _, text := range s.Advice {
		p.line("")
		p.wrap("", text, report.Plain)
	}
	if len(s.Confirm) > 0 {
		p.line("")
		p.strong(s.ConfirmReason)
		p.checks(s.Confirm)
	}
	if s.Hint != "" {
		p.line("")
		p.wrap("", s.Hint, report.Muted)
	}
}

// checks writes commands, each after the numbers of the rows that it applies
// to.
func (p *printer) checks(list []report.NextCommand) {
	widest := 0
	for _, c := range list {
		widest = max(widest, len(c.Rows))
	}
	for _, c := range list {
		lead := ""
		if widest > 0 {
			lead = pad(c.Rows, widest, false) + gap
		}
		p.command(lead, c)
	}
}

// command writes a command after a lead. A command is not wrapped, because a
// shell would end it at the line break.
func (p *printer) command(lead string, c report.NextCommand) {
	text := p.fitting(lead, c)
	if c.Prose {
		p.wrap(lead, text, report.Plain)
		return
	}
	p.line(lead + report.OneLine(text))
}

// fitting returns a command with its expected result if both fit into a line,
// otherwise the command alone.
func (p *printer) fitting(lead string, c report.NextCommand) string {
	if text := c.Text(); report.Width(lead+text) <= p.textWidth() {
		return text
	}
	return c.Command
}

// facts writes the single row of a summary, one line per column, and the
// commands that confirm it.
func (p *printer) facts(s *report.Summary) {
	cells := s.Rows.Row(0, nil)
	const sure = "Confirm:"
	indent := len(sure) + len(gap)
	for i, c := range s.Rows.Columns {
		if c.In&report.Terminal != 0 && !cells[i].Blank() {
			indent = max(indent, len(c.Title)+1+len(gap))
		}
	}
	for i, c := range s.Rows.Columns {
		if c.In&report.Terminal != 0 && !cells[i].Blank() {
			p.wrap(pad(c.Title+":", indent, false), c.Print(cells[i]), cells[i].Status)
		}
	}
	for i, c := range s.Confirm {
		lead := ""
		if i == 0 {
			lead = sure
		}
		p.command(pad(lead, indent, false), c)
	}
}
