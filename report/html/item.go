package html

import (
	"iter"
	"strconv"
	"strings"

	"occudiff/report"
)

// item is a message with, for the first ones, the figures and the reasoning of the row that it is about.
type item struct {
	report.Item
	Class   string
	ID, Row string // of itself and of the row; empty when it is about none
	Short   bool   // without figures
	Finding string // the first sentence, and the rest
	Because string
	Figures []pair
	Parts   []part
	Waves   *figure
	Source  string
}

type pair struct{ Name, Value, Unit string }

// part is the steps of one part of a reasoning.
type part struct {
	Name  string
	Steps []report.Step
}

// items makes the items one after the other; plots are drawn before, so that an error stops the page at its start.
func items(d *report.Document, s *report.Section) (iter.Seq[item], error) {
	waves := map[int]*figure{}
	for i := range s.Items {
		if p := s.Items[i].Plot; p != nil {
			f, err := newFigure(d, p)
			if err != nil {
				return nil, err
			}
			waves[i] = &f
		}
	}
	return func(yield func(item) bool) {
		for i, it := range s.Items {
			v := item{Item: it, Class: class(it.Status), Short: i >= detailed, Waves: waves[i]}
			v.Finding, v.Because, _ = strings.Cut(it.Text, ". ")
			if t := d.Table(it.Table); t != nil && it.Row < t.Len {
				v.ID, v.Row = "k"+strconv.Itoa(it.Row), "r"+strconv.Itoa(it.Row)
				if !v.Short {
					v.Figures, v.Source = figures(t, it.Row)
				}
			}
			if it.Steps != nil && !v.Short {
				v.Parts = parts(it.Steps())
			}
			if !yield(v) {
				return
			}
		}
	}, nil
}

// leftOut are the columns that an item says already, in its name or in its text.
func leftOut(key string) bool {
	switch key {
	case "task", "global", "local", "simd", "finding", "verdict", "cause", "because", "label", "confidence", "file", "line", "device", "basis", "policy":
		return true
	}
	return false
}

// figures gives what is known in a row, and where it is from.
func figures(t *report.Table, row int) (list []pair, source string) {
	cells := t.Row(row, nil)
	for i, c := range t.Columns {
		if cells[i].Kind == report.Absent || leftOut(c.Key) || c.In&(report.Page|report.Sheet) == 0 {
			continue
		}
		name := c.Title
		if c.Group != "" {
			name = c.Group + " " + c.Title
		}
		list = append(list, pair{name, c.Print(cells[i]), c.Unit})
	}
	if f := t.Column("file"); f >= 0 && cells[f].Kind != report.Absent {
		source = t.Columns[f].Print(cells[f])
		if l := t.Column("line"); l >= 0 && cells[l].Kind != report.Absent {
			source += ", line " + t.Columns[l].Print(cells[l])
		}
	}
	return list, source
}

// parts cuts steps where their part changes.
func parts(steps []report.Step) []part {
	var list []part
	for _, s := range steps {
		if len(list) == 0 || list[len(list)-1].Name != s.Part {
			list = append(list, part{Name: s.Part})
		}
		p := &list[len(list)-1]
		p.Steps = append(p.Steps, s)
	}
	return list
}
