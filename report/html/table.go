package html

import (
	"slices"
	"strconv"

	"occudiff/report"
)

const (
	// large is above how many rows the script shows only the first ones until somebody asks for more; the script knows
	// it, too.
	large = 500
	// longName is above how many characters names get a wider column.
	longName = 90
)

// columns gives the indexes of the columns that a page shows.
func columns(t *report.Table) []int {
	var list []int
	for i, c := range t.Columns {
		if c.In&report.Page != 0 {
			list = append(list, i)
		}
	}
	return list
}

// each reads the rows of a table.
func each(t *report.Table, read func(row int, cells []report.Cell)) {
	var cells []report.Cell
	for i := range t.Len {
		cells = t.Row(i, cells[:0])
		read(i, cells)
	}
}

// tables writes the tables of a section that have one of some forms.
func (p *page) tables(s *report.Section, forms ...report.Form) {
	var list []*report.Table
	for _, t := range s.Tables {
		if t.In&report.Page != 0 && t.Len > 0 && slices.Contains(forms, t.Form) {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return
	}
	switch forms[0] {
	case report.Tiles:
		for _, t := range list {
			p.tiles(t)
		}
	case report.Facts:
		p.raw("<div class=\"sheet facts\">")
		for _, t := range list {
			p.facts(t)
		}
		p.raw("</div>\n")
	default:
		p.raw("<div class=\"tables\">\n")
		for _, t := range list {
			p.grid(s, t)
		}
		p.raw("</div>\n")
	}
}

// tiles writes words with their counts, below a bar of the share that each has.
func (p *page) tiles(t *report.Table) {
	total, x := 0.0, 0.0
	each(t, func(_ int, cells []report.Cell) { total += float64(cells[1].Int) })
	p.raw(`<svg class="share" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">`)
	each(t, func(_ int, cells []report.Cell) {
		if n := float64(cells[1].Int); n > 0 && total > 0 {
			p.open("rect", "class", class(cells[0].Status), "x", strconv.FormatFloat(x, 'f', 2, 64), "y", "0",
				"width", strconv.FormatFloat(1000*n/total, 'f', 2, 64), "height", "10")
			p.close("rect")
			x += 1000 * n / total
		}
	})
	p.raw("</svg>\n<ul class=\"tiles\">")
	each(t, func(_ int, cells []report.Cell) {
		style := "tile " + class(cells[0].Status)
		if cells[1].Int == 0 {
			style += " zero"
		}
		p.open("li", "class", style)
		p.element("span", t.Columns[1].Print(cells[1]), "class", "count")
		p.element("span", t.Columns[0].Print(cells[0]), "class", "name")
		p.element("span", t.Columns[2].Print(cells[2]), "class", "meaning")
		p.raw("</li>\n")
	})
	p.raw("</ul>\n")
}

// facts writes names and values as a list, words and counts as a line.
func (p *page) facts(t *report.Table) {
	var list []fact
	each(t, func(_ int, cells []report.Cell) {
		f := fact{name: t.Columns[0].Print(cells[0]), value: t.Columns[1].Print(cells[1])}
		if len(cells) > 2 && cells[2].Kind != report.Absent {
			f.unit = t.Columns[2].Print(cells[2])
		}
		list = append(list, f)
	})
	if t.Form == report.Facts {
		p.list(list)
		p.raw("\n")
		return
	}
	p.raw("<p class=\"chips\">")
	p.text(t.Title)
	for _, f := range list {
		p.raw(" <span>")
		p.text(f.name + " ")
		p.element("b", f.value)
		p.raw("</span>")
	}
	p.raw("</p>\n")
}

// grid writes rows and columns; a browser with fields to filter them, which the script shows.
func (p *page) grid(s *report.Section, t *report.Table) {
	browser, shown := t.Form == report.Browser, columns(t)
	name, sheet, style := t.Title, "sheet", ""
	if name == "" {
		name = s.Title
	}
	if browser {
		sheet += " main"
	}
	if browser || len(t.Columns) > 3 && t.Len > 1 {
		style = "sorts"
	}
	if style != "" && t.Len > large {
		style += " large"
	}
	if browser && hasLongNames(t, shown) {
		style += " long"
	}
	p.open("div", "class", sheet)
	p.raw("\n")
	p.line("h3", t.Title)
	if browser {
		p.filter(t)
	}
	p.open("div", "class", "scroll", "role", "region", "aria-label", name+", table")
	p.open("table", "id", "t-"+t.Key, "class", style)
	p.raw("\n<thead><tr>")
	for _, i := range shown {
		p.heading(&t.Columns[i])
	}
	p.raw("</tr></thead>\n<tbody>\n")
	p.rows(t, shown)
	p.raw("</tbody></table></div>\n</div>\n")
}

// hasLongNames says whether names need a wider column.
func hasLongNames(t *report.Table, shown []int) (long bool) {
	if len(shown) > 0 {
		each(t, func(_ int, cells []report.Cell) { long = long || len(cells[shown[0]].Text) > longName })
	}
	return long
}

func (p *page) heading(c *report.Column) {
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
	p.open("th", "scope", "col", "data-kind", kind, "data-key", c.Key, "data-words", words)
	if c.Group != "" {
		p.element("small", c.Group)
		p.raw(" ")
	}
	p.text(c.Title)
	if c.Unit != "" {
		p.raw(" ")
		p.element("small", c.Unit, "class", "unit")
	}
	p.close("th")
}

// rows writes the rows, the first cell of each as its heading. The words of a row that an item explains lead to it.
// Tags that HTML needs no end for have none: there are thousands of them.
func (p *page) rows(t *report.Table, shown []int) {
	explained := p.explained[t]
	each(t, func(row int, cells []report.Cell) {
		id := ""
		if explained[row] {
			id = strconv.Itoa(row)
			p.open("tr", "id", "r"+id)
		} else {
			p.raw("<tr>")
		}
		for k, i := range shown {
			text := t.Columns[i].Print(cells[i])
			if k == 0 {
				p.raw("<th scope=row>")
			} else {
				p.open("td", "class", class(cells[i].Status))
			}
			switch {
			case id != "" && t.Columns[i].Role&report.Choice != 0:
				p.element("a", text, "href", "#k"+id)
			case k == 0 && row < len(t.Leads):
				p.element("a", text, "href", "#"+t.Leads[row])
			default:
				p.text(text)
			}
		}
		p.raw("\n")
	})
}

// filter writes the fields that choose rows: by any text, and by the words of a column in the order in which they come.
func (p *page) filter(t *report.Table) {
	p.raw(`<div class="filter" hidden><label>Filter <input type="search" id="filter-text" autocomplete="off" ` +
		`spellcheck="false" placeholder="kernel name or any text"></label>` + "\n")
	isChoice := func(c report.Column) bool { return c.Role&report.Choice != 0 && c.In&report.Page != 0 }
	if at := slices.IndexFunc(t.Columns, isChoice); at >= 0 {
		var words []string
		count := map[string]int{}
		each(t, func(_ int, cells []report.Cell) {
			word := t.Columns[at].Print(cells[at])
			if count[word] == 0 {
				words = append(words, word)
			}
			count[word]++
		})
		p.raw("<label>")
		p.text(t.Columns[at].Title)
		p.raw(` <select id="filter-verdict"><option value="">all</option>`)
		for _, word := range words {
			p.element("option", word+" ("+strconv.Itoa(count[word])+")", "value", word)
		}
		p.raw("</select></label>\n")
	}
	p.raw(`<button type="button" id="filter-clear">Clear</button>` + "\n" +
		`<output id="filter-status" aria-live="polite"></output></div>` + "\n")
}
