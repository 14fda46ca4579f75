package html

import (
	"strconv"
	"strings"

	"occudiff/report"
)

// fact is a figure with its name.
type fact struct {
	name, value, unit string
	status            report.Status
}

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

// card writes an item with the figures and the reasoning of its row, all but the first folded.
func (p *htmlWriter) card(it *report.Item, open bool) {
	t, row := p.row(it)
	finding, because, _ := strings.Cut(it.Text, ". ")
	p.put(`<details class="%"`+id(row), strings.TrimSpace("card "+class(it.Status)), row)
	if open {
		p.raw(" open")
	}
	p.put("><summary><h3>%</h3>", it.Lead)
	if it.Detail != "" {
		p.put(` <span class="shape">%</span>`, it.Detail)
	}
	p.put(" <span class=\"finding\">%</span></summary>\n", finding)
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
		p.reasoning(it.Steps())
	}
	p.raw("<p class=\"where\">")
	if it.Source != "" {
		p.text(it.Source + " ")
	}
	if t != nil {
		p.put(`<a href="#r%">row in the table</a>`, row)
	}
	p.raw("</p>\n</details>\n")
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
		if cells[i].Kind == report.Absent || c.Role&report.Named != 0 || c.In&report.Page == 0 {
			continue
		}
		list = append(list, fact{name: strings.TrimSpace(c.Group + " " + c.Title), value: c.Print(cells[i]), unit: c.Unit})
	}
	return list
}

// reasoning writes steps, a table for each part that they belong to.
func (p *htmlWriter) reasoning(steps []report.Step) {
	if len(steps) == 0 {
		return
	}
	p.raw("<div class=\"reasoning\">")
	for i, s := range steps {
		if i == 0 || steps[i-1].Part != s.Part {
			if i > 0 {
				p.raw("</tbody></table>\n")
			}
			p.put("<table class=\"steps\"><caption>%, step by step</caption><tbody>", s.Part)
		}
		binds := ""
		if s.Binds {
			binds = "binds"
		}
		p.put(`<tr class="%"><th scope="row">%</th><td>%`+small(binds)+"</td>", binds, s.Label, s.Value, binds)
		p.put("<td>%</td></tr>\n", s.From)
	}
	p.raw("</tbody></table>\n</div>\n")
}
