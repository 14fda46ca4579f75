package excel

import (
	"strings"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

// mostWords is the maximum number of different words in a column whose words
// get colors. A column with more words contains texts instead of verdicts, and
// has no colors.
const mostWords = 60

// annotate sets the properties that must be set before a table's rows are
// written: comments that explain the headings, data bars, and colors by value
// and by word.
func (b *book) annotate(sheet string, o *block) error {
	for k := range o.table.Columns {
		c, cell := &o.table.Columns[k], address(k+1, o.row)
		if text := c.Explanation(); text != "" && c.Title != "" {
			lines := uint(len(text)/40 + 2)
			if err := b.file.AddComment(sheet, excelize.Comment{Cell: cell, Author: "occudiff", Text: text,
				Width: 280, Height: lines * 18}); err != nil {
				return err
			}
		}
		rules, err := b.rules(o.table, k)
		if err != nil {
			return err
		}
		if len(rules) > 0 && o.table.Len > 0 {
			cells := address(k+1, o.row+1) + ":" + address(k+1, o.row+o.rows()-1)
			if err := b.file.SetConditionalFormat(sheet, cells, rules); err != nil {
				return err
			}
		}
	}
	return nil
}

// rules returns the conditional formats of a column. All scales go from 0 to
// 100, so that the same bar or color means the same value in every column and
// workbook.
func (b *book) rules(t *report.Table, k int) ([]excelize.ConditionalFormatOptions, error) {
	scale := excelize.ConditionalFormatOptions{Type: "2_color_scale", Criteria: "=", MinType: "num", MinValue: "0",
		MaxType: "num", MaxValue: "100", MinColor: "#FFFFFF", MaxColor: "#6FA8FF"}
	switch c := &t.Columns[k]; {
	case c.Is(report.Heat):
		return []excelize.ConditionalFormatOptions{scale}, nil
	case c.Is(report.Bar):
		scale.Type, scale.BarColor = "data_bar", "#9DC3F5"
		return []excelize.ConditionalFormatOptions{scale}, nil
	case c.Kind != report.Text:
		return nil, nil
	}
	return b.wordRules(t, k)
}

// wordRules returns a rule for each word that has a status. With rules, the
// colors stay right after a reader edits or sorts the cells.
func (b *book) wordRules(t *report.Table, k int) (rules []excelize.ConditionalFormatOptions, err error) {
	seen := map[string]bool{}
	for row := range t.Len {
		cell := t.Cell(row, k)
		look := colors[cell.Status]
		if look.text == "" || seen[cell.Text] {
			continue
		}
		if seen[cell.Text] = true; len(seen) > mostWords {
			break
		}
		id, known := b.words[cell.Status]
		if !known {
			format := &excelize.Style{Font: &excelize.Font{Color: look.text}}
			if look.ground != "" {
				format.Fill = filled(look.ground)
			}
			if id, err = b.file.NewConditionalStyle(format); err != nil {
				return nil, err
			}
			b.words[cell.Status] = id
		}
		rules = append(rules, excelize.ConditionalFormatOptions{Type: "cell", Criteria: "==",
			Value: `"` + strings.ReplaceAll(cell.Text, `"`, `""`) + `"`, Format: &id})
	}
	return rules, nil
}
