package html

import (
	"fmt"
	"html/template"
	"iter"
	"slices"
	"strconv"
	"strings"

	"occudiff/report"
	"occudiff/report/plot"
)

// detailed is how many items show the figures and the reasoning of their row: with more, a page of thousands of kernels
// would be too large to open. The others show their sentence; every figure is in the workbook, too.
const detailed = 100

// large is above how many rows the script shows only the first ones until somebody asks for more; the script knows it, too.
const large = 500

const (
	// tallRows is above how many rows a plot of bars scrolls beside the others.
	tallRows = 14
	// longName is above how many characters names get a wider column.
	longName = 90
)

// section is a section with what the template needs to show it.
type section struct {
	*report.Section
	Summary bool
	Tiles   []tile
	Facts   []pair
	Chips   []pair
	Tables  []*table
	Figures []figure
	Items   iter.Seq[item]
	Count   int // of the items
	Cards   bool
	Left    int // items without figures
}

// tile is a count with its name.
type tile struct {
	Name, Count, Meaning string
	Class                string
	Zero                 bool
	X, Width             float64 // of the share in the bar, 0 to 1000
}

// figure is a drawn plot.
type figure struct {
	Key, Title, Text string
	Wide, Tall       bool
	SVG              template.HTML
}

func newSection(d *report.Document, s *report.Section) (*section, error) {
	v := &section{Section: s, Summary: s.Key == report.SectionSummary}
	for _, t := range s.Tables {
		switch {
		case t.In&report.Page == 0 || t.Len == 0:
		case v.Summary && t.Key == "verdicts":
			v.Tiles = tiles(t)
		case v.Summary && t.Key == "figures":
			v.Facts = pairs(t)
		case v.Summary && t.Key == "causes":
			v.Chips = pairs(t)
		default:
			v.Tables = append(v.Tables, newTable(d, s, t))
		}
	}
	for i := range s.Plots {
		f, err := newFigure(d, &s.Plots[i])
		if err != nil {
			return nil, err
		}
		v.Figures = append(v.Figures, f)
	}
	if s.ItemsIn&report.Page != 0 && len(s.Items) > 0 {
		v.Count = len(s.Items)
		v.Cards = slices.ContainsFunc(s.Items, func(it report.Item) bool { return it.Table != "" })
		if v.Cards {
			v.Left = max(len(s.Items)-detailed, 0)
		}
		var err error
		if v.Items, err = items(d, s); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func newFigure(d *report.Document, p *report.Plot) (figure, error) {
	svg, err := plot.Draw(d, p, plot.Look{Inline: true})
	// The drawing escapes every text that it shows.
	wide := p.Scatter == nil && p.LevelChart == nil
	return figure{p.Key, p.Title, p.Text, wide, wide && p.Rows > tallRows, template.HTML(svg)}, err
}

// tiles are the rows of a table of words and counts.
func tiles(t *report.Table) []tile {
	var list []tile
	var cells []report.Cell
	total, x := 0.0, 0.0
	for row := range t.Len {
		cells = t.Row(row, cells[:0])
		total += float64(cells[1].Int)
	}
	for row := range t.Len {
		cells = t.Row(row, cells[:0])
		n := tile{Name: t.Columns[0].Print(cells[0]), Count: t.Columns[1].Print(cells[1]), Meaning: t.Columns[2].Print(cells[2]),
			Class: class(cells[0].Status), Zero: cells[1].Int == 0, X: x}
		if total > 0 {
			n.Width = 1000 * float64(cells[1].Int) / total
		}
		x += n.Width
		list = append(list, n)
	}
	return list
}

// pairs are the rows of a table of names and values, and units where there is a third column.
func pairs(t *report.Table) []pair {
	var list []pair
	var cells []report.Cell
	for row := range t.Len {
		cells = t.Row(row, cells[:0])
		p := pair{Name: t.Columns[0].Print(cells[0]), Value: t.Columns[1].Print(cells[1])}
		if len(cells) > 2 && cells[2].Kind != report.Absent {
			p.Unit = t.Columns[2].Print(cells[2])
		}
		list = append(list, p)
	}
	return list
}

// class is the style of a status.
func class(s report.Status) string {
	switch s {
	case report.Good:
		return "good"
	case report.Bad:
		return "bad"
	case report.Unsure:
		return "unsure"
	case report.Muted:
		return "muted"
	}
	return ""
}

// table is a table with what the template needs to show it.
type table struct {
	*report.Table
	Name    string // its title, or that of its section
	Heads   []head
	Main    bool // the table that sorts and filters
	Sorts   bool
	Long    bool // names are so long that they need a wider column
	Large   bool // so many rows that the script shows the first ones only
	Choices []choice
	columns []int
	links   map[int]bool // rows that an item explains
}

type head struct {
	Key, Group, Title, Unit, Kind string
	Words                         bool
}

// choice is a word of the filter with how many rows have it.
type choice struct {
	Word  string
	Count int
}

// wordColumn is the column whose words can be chosen from and lead to the items, -1 where a page shows none.
func wordColumn(t *report.Table) int {
	for _, key := range []string{"finding", "verdict"} {
		if i := t.Column(key); i >= 0 && t.Columns[i].In&report.Page != 0 {
			return i
		}
	}
	return -1
}

func newTable(d *report.Document, s *report.Section, t *report.Table) *table {
	v := &table{Table: t, Name: t.Title, Main: t.Key == report.SectionKernels, links: map[int]bool{}}
	if v.Name == "" {
		v.Name = s.Title
	}
	v.Large = t.Len > large
	v.Sorts = v.Main || len(t.Columns) > 3 && t.Len > 1
	for i, c := range t.Columns {
		if c.In&report.Page == 0 {
			continue
		}
		kind := "t"
		if c.RightAligned() {
			kind = "n"
		}
		if c.Key == "measured" && v.Main {
			kind = "n bar"
		}
		v.columns = append(v.columns, i)
		v.Heads = append(v.Heads, head{c.Key, c.Group, c.Title, c.Unit, kind, v.Main && i == wordColumn(t)})
	}
	if v.Main {
		for i := range d.Sections {
			for _, it := range d.Sections[i].Items {
				if it.Table == t.Key {
					v.links[it.Row] = true
				}
			}
		}
		v.Choices = choices(t)
		var cells []report.Cell
		for row := 0; row < t.Len && !v.Long && len(v.columns) > 0; row++ {
			cells = t.Row(row, cells[:0])
			v.Long = len(cells[v.columns[0]].Text) > longName
		}
	}
	return v
}

// choices are the words of the verdict column in the order in which they come.
func choices(t *report.Table) []choice {
	at := wordColumn(t)
	if at < 0 {
		return nil
	}
	var list []choice
	index := map[string]int{}
	var cells []report.Cell
	for row := range t.Len {
		cells = t.Row(row, cells[:0])
		word := t.Columns[at].Print(cells[at])
		i, ok := index[word]
		if !ok {
			i = len(list)
			index[word] = i
			list = append(list, choice{Word: word})
		}
		list[i].Count++
	}
	return list
}

// row is one row of a table; ID and Link are empty where nothing explains it.
type row struct {
	ID, Link string
	Cells    []cell
}

type cell struct {
	Text, Class string
	Head        bool // the row's name
	Link        string
}

// Rows makes the rows one after the other.
func (t *table) Rows() iter.Seq[row] {
	return func(yield func(row) bool) {
		var cells []report.Cell
		words := wordColumn(t.Table)
		r := row{Cells: make([]cell, len(t.columns))}
		for i := range t.Len {
			cells = t.Row(i, cells[:0])
			r.ID = ""
			if t.links[i] {
				r.ID = "r" + strconv.Itoa(i)
			}
			for k, c := range t.columns {
				out := cell{Text: t.Columns[c].Print(cells[c]), Class: class(cells[c].Status), Head: k == 0 && t.Main}
				if r.ID != "" && c == words {
					out.Link = "#k" + strconv.Itoa(i)
				}
				r.Cells[k] = out
			}
			if !yield(r) {
				return
			}
		}
	}
}

// alignment writes the style of the columns of numbers.
func (t *table) alignment(b *strings.Builder) {
	var list []string
	for k, c := range t.columns {
		if t.Columns[c].RightAligned() {
			list = append(list, fmt.Sprintf("#t-%s tr>:nth-child(%d)", t.Key, k+1))
		}
	}
	if len(list) > 0 {
		b.WriteString(strings.Join(list, ",") + "{text-align:right}\n")
	}
}
