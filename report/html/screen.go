package html

import (
	"slices"
	"strings"

	"occudiff/report"
	"occudiff/report/plot"
)

// screen writes what an answer begins with: it is the first thing to see on a wide window and on a phone.
func (p *htmlWriter) screen(s *report.Screen) {
	p.line(`<p class="lead">%</p>`, s.Line)
	p.line(`<p class="means">%</p>`, s.Means)
	for _, text := range s.Notes {
		p.line(`<p class="caution">%</p>`, text)
	}
	if s.Rows != nil {
		p.answers(s)
	}
	p.line(`<p class="sub">%</p>`, s.More)
	for _, text := range s.Do {
		p.line(`<p class="do">%</p>`, text)
	}
	if len(s.Sure) == 0 {
		return
	}
	p.line(`<h2 class="sure">%</h2>`, s.Ask)
	p.raw("<ul class=\"checks\">\n")
	for _, c := range s.Sure {
		p.put(`<li><span class="rows">%</span> <code>`, c.Rows)
		for i, word := range strings.Split(c.Command, " ") { // a line may not end within one
			p.put([]string{"<span>%</span>", " <span>%</span>"}[min(i, 1)], word)
		}
		p.put("</code>"+small(c.Gives)+"</li>\n", c.Gives)
	}
	p.raw("</ul>\n")
}

// answers writes the rows, each with a bar of where its thread slots went. A column is known to the style by its key: on
// a phone the cells of a row stand below each other.
func (p *htmlWriter) answers(s *report.Screen) {
	view := report.Terminal // what decides
	if s.Rows.Form == report.Facts {
		view = report.Page // of which a terminal says some in its first line
	}
	t := s.Rows.Shown(view)
	name := max(slices.IndexFunc(t.Columns, func(c report.Column) bool { return c.Role&report.Code != 0 }), 0)
	p.raw("<table class=\"answers\" id=\"t-screen\">\n<thead><tr>")
	for _, c := range t.Columns {
		if c.Key == barsBefore && s.Bars != nil {
			p.raw(`<th scope="col" class="c-bar">Thread slots</th>`)
		}
		p.put(`<th scope="col" class="%">%`+small(c.Unit)+"</th>", columnClass(&c), c.Title, c.Unit)
	}
	p.raw("</tr></thead>\n<tbody>\n")
	row := 0
	for cells := range t.All() {
		p.raw("<tr>")
		for i, c := range t.Columns {
			if c.Key == barsBefore && s.Bars != nil {
				p.put(`<td class="c-bar">%</td>`, markup(plot.Bar(s.Bars, row)))
			}
			tag := "td"
			if i == name {
				tag = `th scope="row"`
			}
			p.put("<"+tag+` class="%" data-title="%">%</`+tag[:2]+">", strings.TrimSpace(columnClass(&c)+" "+class(cells[i].Status)),
				c.Heading(), c.Print(cells[i]))
		}
		p.raw("</tr>\n")
		row++
	}
	p.raw("</tbody></table>\n")
	if s.Bars != nil {
		p.raw(`<p class="bars">`)
		for i, part := range s.Bars.Parts {
			if s.Bars.Shows(i) {
				p.put("<span>% %</span>\n", markup(plot.Swatch(i)), part)
			}
		}
		p.raw("</p>\n")
	}
}

func columnClass(c *report.Column) string {
	if c.RightAligned() {
		return "n c-" + c.Key
	}
	return "c-" + c.Key
}

// barsBefore is the column before which the bars stand: figures on their left, words on their right.
const barsBefore = "why"
