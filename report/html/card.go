package html

import (
	"strconv"
	"strings"

	"occudiff/report"
)

// fact is a figure with its name.
type fact struct{ name, value, unit string }

// list writes facts one after the other.
func (p *page) list(facts []fact) {
	p.raw("<dl>")
	for _, f := range facts {
		p.raw("<div>")
		p.element("dt", f.name)
		p.raw("<dd>")
		p.text(f.value)
		p.small(f.unit)
		p.raw("</dd></div>")
	}
	p.raw("</dl>")
}

// row gives the table that an item is about, nil when there is none.
func (p *page) row(it *report.Item) *report.Table {
	if t := p.doc.Table(it.Table); t != nil && it.Row < t.Len {
		return t
	}
	return nil
}

// card writes an item with the figures and the reasoning of its row. The reasoning of the first is open.
func (p *page) card(it *report.Item, first bool) {
	t, id := p.row(it), ""
	if t != nil {
		id = "k" + strconv.Itoa(it.Row)
	}
	finding, because, _ := strings.Cut(it.Text, ". ")
	p.open("article", "class", strings.TrimSpace("card "+class(it.Status)), "id", id)
	p.raw("\n<header>")
	p.element("h3", it.Lead)
	if it.Detail != "" {
		p.element("p", it.Detail, "class", "shape")
	}
	p.element("p", finding, "class", "finding")
	p.raw("</header>\n")
	p.line("p", because, "class", "because")
	p.raw("<div class=\"body\">")
	if t != nil {
		p.list(figures(t, it.Row))
	}
	p.raw("\n")
	if it.Plot != nil {
		p.figure(it.Plot, "")
	}
	p.raw("</div>\n")
	if it.Steps != nil {
		p.reasoning(it.Steps(), first)
	}
	p.raw("<p class=\"where\">")
	if it.Source != "" {
		p.text(it.Source + " ")
	}
	if t != nil {
		p.element("a", "row in the table", "href", "#r"+strconv.Itoa(it.Row))
	}
	p.raw("</p>\n</article>\n")
}

// short writes an item in a line.
func (p *page) short(it *report.Item) {
	id := ""
	if p.row(it) != nil {
		id = "k" + strconv.Itoa(it.Row)
	}
	p.open("p", "class", strings.TrimSpace("short "+class(it.Status)), "id", id)
	p.element("b", it.Lead)
	if it.Detail != "" {
		p.text(" (" + it.Detail + ")")
	}
	p.text(": " + it.Text)
	p.raw("</p>\n")
}

// figures gives what is known in a row and not said by its item.
func figures(t *report.Table, row int) (list []fact) {
	cells := t.Row(row, nil)
	for i, c := range t.Columns {
		if cells[i].Kind == report.Absent || c.Role&report.Named != 0 || c.In&report.Files == 0 {
			continue
		}
		list = append(list, fact{strings.TrimSpace(c.Group + " " + c.Title), c.Print(cells[i]), c.Unit})
	}
	return list
}

// reasoning writes steps, folded by the part that they belong to.
func (p *page) reasoning(steps []report.Step, open bool) {
	if len(steps) == 0 {
		return
	}
	p.raw("<div class=\"parts\">")
	for i, s := range steps {
		if i == 0 || steps[i-1].Part != s.Part {
			if i > 0 {
				p.raw("</tbody></table></details>\n")
			}
			p.raw("<details")
			if open {
				p.raw(" open")
			}
			p.raw(">")
			p.element("summary", s.Part+", step by step")
			p.raw("<table class=\"steps\"><tbody>")
		}
		binds := ""
		if s.Binds {
			binds = "binds"
		}
		p.open("tr", "class", binds)
		p.element("th", s.Label, "scope", "row")
		p.raw("<td>")
		p.text(s.Value)
		p.small(binds)
		p.raw("</td>")
		p.element("td", s.From)
		p.raw("</tr>\n")
	}
	p.raw("</tbody></table></details>\n</div>\n")
}
