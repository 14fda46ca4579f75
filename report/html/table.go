package html

import (
	"slices"

	"occudiff/report"
)

const (
	// large is above how many rows the script shows only the first ones until somebody asks for more; the script knows
	// it, too.
	large = 500
	// veryLong is above how many bytes a name shows its first lines alone until somebody clicks it: names of lambdas in
	// templates have a thousand.
	veryLong = 160
)

// tables writes the tables of a section.
func (p *htmlWriter) tables(s *report.Section) {
	shown := func(t *report.Table) bool { return t.In&report.Page != 0 && t.Len > 0 }
	if !slices.ContainsFunc(s.Tables, shown) {
		return
	}
	p.raw("<div class=\"tables\">\n")
	for _, t := range s.Tables {
		if shown(t) {
			p.grid(s, t)
		}
	}
	p.raw("</div>\n")
}

// grid writes rows and columns; to a browser the script adds fields that filter them.
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
	if c.Role&report.Bar != 0 {
		kind = "n bar"
	}
	if c.Role&report.Choice != 0 {
		words = "choose"
	}
	p.put(`<th scope="col" data-kind="%" data-key="%" data-words="%">`, kind, c.Key, words)
	if c.Group != "" {
		p.put("<small>%</small> ", c.Group)
	}
	p.text(c.Title)
	if c.Unit != "" {
		p.put(` <small class="unit">%</small>`, c.Unit)
	}
	p.raw("</th>")
}

// row writes a row, the first cell as its heading. Tags that HTML needs no end for have none: there are thousands of
// them.
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
		folded := len(text) > veryLong && (i == 0 || t.Columns[i].Role&report.Code != 0)
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
