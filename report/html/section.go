package html

import (
	"slices"

	"occudiff/report"
	"occudiff/report/plot"
)

const (
	// openSections is how many sections are open below a headline.
	openSections = 4
	// phoneWidth is what a phone has for a plot.
	phoneWidth = 340
)

// class is the style of a status.
func class(s report.Status) string {
	return [...]string{report.Good: "good", report.Bad: "bad", report.Unsure: "unsure", report.Muted: "muted"}[s]
}

// section writes a heading and what stands under it, folded or not, but for what the top of the page has said already.
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
		above := p.doc.Screen == nil && (text == p.doc.Closing || slices.Contains(p.doc.Headline, text))
		if !above {
			p.line(`<p class="text">%</p>`, text)
		}
	}
	p.tables(s)
	if len(s.Plots) > 0 { // side by side where there is room
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

// figure writes a plot, for wide screens and for phones.
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
		p.put(`<div class="%">%</div>`, screen.class, markup(svg)) // the drawing escapes every text that it shows
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
