package html

import (
	"strconv"
	"strings"

	"occudiff/report"
)

// fact is a figure with its name.
type fact struct{ name, value, unit string }

// list writes facts one after the other.
func (p *htmlWriter) list(facts []fact) {
	p.raw("<dl>")
	for _, f := range facts {
		p.put("<div><dt>%</dt><dd>%"+small(f.unit)+"</dd></div>", f.name, f.value, f.unit)
	}
	p.raw("</dl>")
}

// row gives the table that an item is about and the key of its row, nothing when there is none.
func (p *htmlWriter) row(it *report.Item) (t *report.Table, key string) {
	if t = p.doc.Table(it.Table); t != nil && it.Row < t.Len {
		return t, strconv.Itoa(it.Row)
	}
	return nil, ""
}

// card writes an item with the figures and the reasoning of its row. The reasoning of the first is open.
func (p *htmlWriter) card(it *report.Item, first bool) {
	t, row := p.row(it)
	finding, because, _ := strings.Cut(it.Text, ". ")
	p.put(`<article class="%"`+id(row)+">\n<header><h3>%</h3>", strings.TrimSpace("card "+class(it.Status)), row,
		it.Lead)
	if it.Detail != "" {
		p.put(`<p class="shape">%</p>`, it.Detail)
	}
	p.put("<p class=\"finding\">%</p></header>\n", finding)
	p.line(`<p class="because">%</p>`, because)
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
		p.put(`<a href="#r%">row in the table</a>`, row)
	}
	p.raw("</p>\n</article>\n")
}

// id is where the row of a table leads to.
func id(row string) string {
	if row == "" {
		return "%"
	}
	return ` id="k%"`
}

// short writes an item in a line.
func (p *htmlWriter) short(it *report.Item) {
	_, row := p.row(it)
	p.put(`<p class="%"`+id(row)+">", strings.TrimSpace("short "+class(it.Status)), row)
	p.put("<b>%</b>", it.Lead)
	if it.Detail != "" {
		p.put(" (%)", it.Detail)
	}
	p.put(": %</p>\n", it.Text)
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
func (p *htmlWriter) reasoning(steps []report.Step, open bool) {
	if len(steps) == 0 {
		return
	}
	details := "<details>"
	if open {
		details = "<details open>"
	}
	p.raw("<div class=\"parts\">")
	for i, s := range steps {
		if i == 0 || steps[i-1].Part != s.Part {
			if i > 0 {
				p.raw("</tbody></table></details>\n")
			}
			p.put(details+"<summary>%, step by step</summary><table class=\"steps\"><tbody>", s.Part)
		}
		binds := ""
		if s.Binds {
			binds = "binds"
		}
		p.put(`<tr class="%"><th scope="row">%</th><td>%`+small(binds)+"</td>", binds, s.Label, s.Value, binds)
		p.put("<td>%</td></tr>\n", s.From)
	}
	p.raw("</tbody></table></details>\n</div>\n")
}
