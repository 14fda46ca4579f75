package excel

import (
	"strings"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
)

// role is what a cell is for, besides holding a value.
type role uint8

const (
	body role = iota
	head
	title
	heading
	strong
	wrapped // text over several lines
)

// style is all that tells one cell's look from another's.
// It is the key of a map, so it holds nothing but what can be compared.
type style struct {
	role     role
	kind     report.Kind
	decimals int
	side     string // left also of numbers among texts, right also of texts among numbers; empty: as the spreadsheet does
	indent   int    // of left, so that a text stands off the number before it
	status   report.Status
}

// cellStyle is the style of a value in the column at place k of a sheet.
func cellStyle(k int, c *report.Column, v report.Cell) style {
	s := style{kind: v.Kind, decimals: c.Decimals, status: v.Status}
	switch {
	case !rightAligned(c):
		s.side, s.indent = "left", min(k, 1)
	case c.Kind == report.Size || v.Kind == report.Text:
		s.side = "right"
	}
	if c.Wrap || v.Kind == report.Text && len(v.Text) > longText {
		s.role = wrapped
	}
	return s
}

// headStyle is that of a heading: on the side of its cells.
func headStyle(k int, c *report.Column) style {
	if rightAligned(c) {
		return style{role: head, side: "right"}
	}
	return style{role: head, side: "left", indent: min(k, 1)}
}

// colors of a status: text on ground.
// They are those of the spreadsheet's own styles Good, Bad and Neutral, with a darker text for Neutral: its contrast is
// too low.
var colors = [...]struct{ text, ground string }{report.Good: {"006100", "C6EFCE"}, report.Bad: {"9C0006", "FFC7CE"},
	report.Unsure: {"7F4A00", "FFEB9C"}, report.Muted: {"6B6B6B", ""}}

const (
	headGround = "1F3864"
	headText   = "FFFFFF"
	ruleColor  = "BFBFBF"
)

// style gives the number of a style, making it when it is new.
// A workbook has few looks and many cells; the library would compare a new style with all that it has.
func (b *book) style(s style) (int, error) {
	if id, ok := b.styles[s]; ok {
		return id, nil
	}
	id, err := b.file.NewStyle(s.build())
	if err == nil {
		b.styles[s] = id
	}
	return id, err
}

func (s style) build() *excelize.Style {
	// At the top, since a row may be several lines high and its figures belong to the first of them.
	x := &excelize.Style{Alignment: &excelize.Alignment{Vertical: "top", Horizontal: s.side, Indent: s.indent}}
	if f := numberFormat(s.kind, s.decimals); f != "" {
		x.CustomNumFmt = &f
	}
	if c := colors[s.status]; c.text != "" {
		x.Font = font(false, 11, c.text)
		if c.ground != "" {
			x.Fill = filled(c.ground)
		}
	}
	switch s.role {
	case head:
		x.Font = font(true, 11, headText)
		x.Fill = filled(headGround)
		x.Alignment.Vertical, x.Alignment.WrapText = "center", true
	case title:
		x.Font = font(true, 16, headGround)
	case heading:
		x.Font = font(true, 12, headGround)
		x.Border = []excelize.Border{{Type: "bottom", Style: 1, Color: ruleColor}}
	case strong:
		x.Font = font(true, 11, "")
	case wrapped:
		x.Alignment.WrapText = true
	}
	return x
}

func filled(color string) excelize.Fill {
	return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{color}}
}

// font names its family: programs fill in a missing one as they like.
func font(bold bool, size float64, color string) *excelize.Font {
	return &excelize.Font{Family: "Calibri", Bold: bold, Size: size, Color: color}
}

// numberFormat shows a number as people read it; the cell keeps all of it.
func numberFormat(k report.Kind, decimals int) string {
	switch k {
	case report.Integer, report.Size:
		return "#,##0"
	case report.Percent:
		return "0.0"
	// A difference has its sign, but for what is printed as zero.
	case report.Points:
		return "[>=0.05]+0.0;[<=-0.05]-0.0;0.0"
	case report.Number:
		if decimals == 0 {
			return "#,##0"
		}
		return "#,##0." + strings.Repeat("0", decimals)
	}
	return ""
}
