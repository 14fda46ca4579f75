package html

import (
	"slices"
	"strings"

	"occudiff/report"
	"occudiff/report/plot"
)

const (
	// openSections is the number of open sections below a headline.
	openSections = 4
	// phoneWidth is the width of a plot on a phone.
	phoneWidth = 340
)

// class returns the CSS class for a status.
func class(s report.Status) string {
	return [...]string{report.Good: "good", report.Bad: "bad", report.Unsure: "unsure", report.Muted: "muted"}[s]
}

// section writes a heading and its content, folded or open, and leaves out
// texts that the top of the page already has.
func (p *htmlWriter) section(s *report.Section, folded bool) {
	end := "</section>\n"
	if folded {
		end = "</details>\n"
		p.put("<details id=\"%\" class=\"part\"><summary><h2>%</h2>", s.Key, s.Title)
		p.raw("</summary>\n")
	} else {
		p.put("<section id=\"%\" aria-labelledby=\"h-%\">\n", s.Key, s.Key)
		p.put("<h2 id=\"h-%\">%</h2>\n", s.Key, s.Title)
	}
	for _, text := range s.Text {
		above := p.doc.Summary == nil && (text == p.doc.Closing || slices.Contains(p.doc.Headline, text))
		if !above {
			p.line(`<p class="text">%</p>`, text)
		}
	}
	p.tables(s)
	if len(s.Plots) > 0 { // next to each other if there is room
		p.raw("<div class=\"figures\">\n")
		for i := range s.Plots {
			p.figure(&s.Plots[i])
		}
		p.raw("</div>\n")
	}
	if s.ItemsIn&report.Page != 0 && len(s.Items) > 0 {
		p.items(s.Items)
	}
	p.raw(end)
}

// figure writes a plot twice: for wide screens and for phones.
func (p *htmlWriter) figure(f *report.Plot) {
	p.put(`<figure id="plot-%"><figcaption><b>%</b>`, f.Key, f.Title)
	if f.Text != "" {
		p.put(" <span>%</span>", f.Text)
	}
	p.raw("</figcaption>\n")
	for _, screen := range []struct {
		class string
		width float64
	}{{"window", 0}, {"phone", phoneWidth}} {
		svg, err := plot.Draw(f, plot.Look{Inline: true, Width: screen.width})
		if err != nil && p.err == nil {
			p.err = err
		}
		p.put(`<div class="%">%</div>`, screen.class, markup(svg)) // the drawing escapes every text
	}
	p.raw("</figure>\n")
}

// items writes messages as a list.
func (p *htmlWriter) items(items []report.Item) {
	p.raw("<ul class=\"notes\">\n")
	for i := range items {
		it := &items[i]
		p.put(`<li class="%">`, class(it.Status))
		if it.Lead != "" {
			p.put("<b>%</b> ", it.Lead)
		}
		p.text(it.Text)
		if it.Detail != "" {
			p.put(` <span class="where">%</span>`, it.Detail)
		}
		p.raw("</li>\n")
	}
	p.raw("</ul>\n")
}

const (
	// large is a number of rows. If a table has more, the script shows only the
	// first ones until the reader requests more. The script has the same
	// number.
	large = 500
	// veryLong is a length in bytes. For a longer name, the page shows only the
	// first lines until the reader clicks the name. Names of lambdas in
	// templates can have a thousand bytes.
	veryLong = 160
)

// tables writes the tables of a section.
func (p *htmlWriter) tables(s *report.Section) {
	list := s.TablesIn(report.Page)
	if len(list) == 0 {
		return
	}
	p.raw("<div class=\"tables\">\n")
	for _, t := range list {
		p.grid(s, t)
	}
	p.raw("</div>\n")
}

// grid writes a table as rows and columns. If the table's form is Browser, the
// script adds fields that filter the rows.
func (p *htmlWriter) grid(s *report.Section, t *report.Table) {
	browser, columns := t.Form == report.Browser, len(t.Columns)
	t = t.Shown(report.Page)
	name, sheet, style := t.Title, "sheet", ""
	if name == "" {
		name = s.Title
	}
	if browser {
		sheet += " main"
	}
	if browser || columns > 3 && t.Len > 1 {
		style = "sorts"
	}
	if style != "" && t.Len > large {
		style += " large"
	}
	p.put("<div class=\"%\">\n", sheet)
	p.line("<h3>%</h3>", t.Title)
	p.put("<div class=\"scroll\" role=\"region\" aria-label=\"%, table\"><table id=\"t-%\" class=\"%\">\n<thead><tr>",
		name, t.Key, style)
	for i := range t.Columns {
		p.heading(&t.Columns[i])
	}
	p.raw("</tr></thead>\n<tbody>\n")
	for cells := range t.All() {
		p.row(t, cells)
	}
	p.raw("</tbody></table></div>\n</div>\n")
}

func (p *htmlWriter) heading(c *report.Column) {
	kind, words := "t", ""
	if c.RightAligned() {
		kind = "n"
	}
	if c.Is(report.Bar) {
		kind = "n bar"
	}
	if c.Is(report.Choice) {
		words = "choose"
	}
	p.put(`<th scope="col" data-kind="%" data-key="%" data-words="%" title="%">`, kind, c.Key, words,
		c.Explanation())
	if c.Group != "" {
		p.put("<small>%</small> ", c.Group)
	}
	p.text(c.Title)
	if c.Unit != "" {
		p.put(` <small class="unit">%</small>`, c.Unit)
	}
	p.raw("</th>")
}

// row writes a table row, with its first cell as the heading. It leaves out the
// end tags that HTML does not require, because a page may have thousands of
// rows.
func (w writer) row(t *report.Table, cells []report.Cell) {
	w.raw("<tr>")
	for i := range cells {
		text := t.Columns[i].Print(cells[i])
		switch {
		case i > 0:
			w.put(`<td class="%">`, class(cells[i].Status))
		case t.Columns[i].RightAligned():
			w.raw("<th scope=row class=n>")
		default:
			w.raw("<th scope=row>")
		}
		folded := len(text) > veryLong && (i == 0 || t.Columns[i].Is(report.Code))
		if folded {
			w.raw("<span class=fold tabindex=0>")
		}
		w.text(text)
		if folded {
			w.raw("</span>")
		}
	}
	w.raw("\n")
}

// summary writes the first part of a document. This part is visible without
// scrolling, both in a wide window and on a phone.
func (p *htmlWriter) summary(s *report.Summary) {
	p.line(`<p class="lead">%</p>`, s.Headline)
	p.line(`<p class="means">%</p>`, s.Impact)
	for _, text := range s.Notes {
		p.line(`<p class="caution">%</p>`, text)
	}
	if s.Rows != nil {
		p.nextCommands(s)
	}
	p.line(`<p class="sub">%</p>`, s.More)
	for _, text := range s.Advice {
		p.line(`<p class="do">%</p>`, text)
	}
	if len(s.Confirm) == 0 {
		return
	}
	p.line(`<h2 class="sure">%</h2>`, s.ConfirmReason)
	p.raw("<ul class=\"checks\">\n")
	for _, c := range s.Confirm {
		p.put(`<li><span class="rows">%</span> `, c.Rows)
		if c.Prose {
			p.put("<span>%</span></li>\n", c.Command)
			continue
		}
		p.raw("<code>")
		for i, word := range strings.Split(c.Command, " ") { // a line must not break within a word
			p.put([]string{"<span>%</span>", " <span>%</span>"}[min(i, 1)], word)
		}
		p.put("</code>"+small(c.Result)+"</li>\n", c.Result)
	}
	p.raw("</ul>\n")
}

// nextCommands writes the rows of a summary, each with a bar of its thread-slot
// breakdown. Each cell has a class made from its column's key, so that the
// style can arrange the cells on a phone, where they are below each other.
func (p *htmlWriter) nextCommands(s *report.Summary) {
	t := s.Rows.Shown(report.Page)
	name := max(slices.IndexFunc(t.Columns, func(c report.Column) bool { return c.Is(report.Code) }), 0)
	// The bars come before the first column of sentences, so that the numbers
	// are on their left.
	bars := -1
	if s.Bars != nil {
		bars = slices.IndexFunc(t.Columns, func(c report.Column) bool { return c.Is(report.Fold) })
	}
	p.raw("<table class=\"answers\" id=\"t-screen\">\n<thead><tr>")
	for i, c := range t.Columns {
		if i == bars {
			p.put(`<th scope="col" class="c-bar" title="%">Thread slots`+
				`<span class="axis"><i>0</i><i>50</i><i>100%</i></span></th>`, report.Describe("slot_breakdown"))
		}
		p.put(`<th scope="col" class="%" title="%">%`+small(c.Unit)+"</th>", columnClass(&c), c.Explanation(), c.Title,
			c.Unit)
	}
	p.raw("</tr></thead>\n<tbody>\n")
	row := 0
	for cells := range t.All() {
		p.raw("<tr>")
		for i, c := range t.Columns {
			if i == bars {
				p.put(`<td class="c-bar">%</td>`, markup(plot.Bar(s.Bars, row)))
			}
			p.summaryCell(&c, i == name, class(cells[i].Status), c.Print(cells[i]))
		}
		p.raw("</tr>\n")
		row++
	}
	p.raw("</tbody>")
	if total := t.TotalTexts(); len(total) > 0 {
		p.raw("\n<tfoot><tr>")
		for i, c := range t.Columns {
			if i == bars {
				p.raw(`<td class="c-bar"></td>`)
			}
			p.summaryCell(&c, i == name, "", total[i])
		}
		p.raw("</tr></tfoot>")
	}
	p.raw("</table>\n")
	if s.Bars != nil {
		p.raw(`<p class="bars">`)
		for i, part := range s.Bars.Parts {
			if s.Bars.Shows(i) {
				p.put("<span>% %</span>\n", markup(plot.Swatch(i)), part)
			}
		}
		if s.Bars.Marks() > 0 {
			p.put("<span>% %</span>\n", markup(plot.Swatch(-1)), s.Bars.Mark)
		}
		if s.Bars.HasOld() {
			p.raw("<span>upper bar: old run, lower bar: new run</span>\n")
		}
		p.raw("</p>\n")
	}
}

// summaryCell writes a cell of the summary. A cell with the kernel's name is
// the heading of its row.
func (p *htmlWriter) summaryCell(c *report.Column, isName bool, status, text string) {
	tag := "td"
	if isName {
		tag = `th scope="row"`
	}
	p.put("<"+tag+` class="%" data-title="%">%</`+tag[:2]+">", strings.TrimSpace(columnClass(c)+" "+status),
		c.Heading(), text)
}

func columnClass(c *report.Column) string {
	if c.RightAligned() {
		return "n c-" + c.Key
	}
	return "c-" + c.Key
}
