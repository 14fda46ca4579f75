package excel

import (
	"math"
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
	name    // what an item is about
	wrapped // text over several lines
	linked  // leads to another cell
)

// style is all that tells one cell's look from another's.
// It is the key of a map, so it holds nothing but what can be compared.
type style struct {
	role     role
	kind     report.Kind
	decimals int
	left     bool // also of numbers among texts
	right    bool
	indent   int // of left, so that a unit stands off the number before it
	status   report.Status
	tiny     bool // points that round to zero: a sign would be a lie
}

// cellStyle is the style of a value in the column at place k of a sheet.
func cellStyle(k int, c *report.Column, v report.Cell) style {
	s := style{kind: v.Kind, decimals: c.Decimals, tiny: isTiny(v), left: !rightAligned(c), indent: indent(k, c),
		right: c.Kind == report.Size || c.RightAligned() && v.Kind == report.Text}
	if c.Wrap {
		s.role = wrapped
	}
	return s
}

// isTiny says that a difference is printed as 0.0 with one decimal.
func isTiny(c report.Cell) bool { return c.Kind == report.Points && math.Abs(c.Num) < 0.05 }

// colors of a status: text on ground.
// They are those of the spreadsheet's own styles Good, Bad and Neutral, with a darker text for Neutral: its contrast is
// too low.
func colors(s report.Status) (text, ground string) {
	switch s {
	case report.Good:
		return "006100", "C6EFCE"
	case report.Bad:
		return "9C0006", "FFC7CE"
	case report.Unsure:
		return "7F4A00", "FFEB9C"
	case report.Muted:
		return "6B6B6B", ""
	}
	return "", ""
}

const (
	headGround = "1F3864"
	headText   = "FFFFFF"
	ruleColor  = "BFBFBF"

	linkText = "0563C1"
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
	x := &excelize.Style{Alignment: &excelize.Alignment{Vertical: "top"}}
	if s.left {
		x.Alignment.Horizontal = "left"
		x.Alignment.Indent = s.indent
	}
	if s.right {
		x.Alignment.Horizontal = "right"
	}
	f := numberFormat(s.kind, s.decimals)
	if s.tiny {
		f = "0.0;0.0"
	}
	if f != "" {
		x.CustomNumFmt = &f
	}
	if text, _ := colors(s.status); text != "" {
		x.Font = font(false, 11, text)
	}
	switch s.role {
	case head:
		x.Font = font(true, 11, headText)
		x.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{headGround}}
		x.Alignment.Vertical, x.Alignment.WrapText = "center", true
	case title:
		x.Font = font(true, 16, headGround)
	case heading:
		x.Font = font(true, 12, headGround)
		x.Border = []excelize.Border{{Type: "bottom", Style: 1, Color: ruleColor}}
	case strong:
		x.Font = font(true, 11, "")
	case name:
		text, _ := colors(s.status)
		x.Font = font(true, 11, text)
		x.Alignment.WrapText = true
	case wrapped:
		x.Alignment.WrapText = true
	case linked:
		x.Font = font(false, 11, linkText)
		x.Font.Underline = "single"
	}
	return x
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
	// A difference has its sign, but for zero.
	case report.Points:
		return "+0.0;-0.0;0.0"
	case report.Number:
		if decimals == 0 {
			return "#,##0"
		}
		return "#,##0." + strings.Repeat("0", decimals)
	}
	return ""
}

// colorWords lets words color their cells, by rule, so that a changed cell changes its color.
func (b *book) colorWords(sheet, area string, words []report.Word) error {
	var rules []excelize.ConditionalFormatOptions
	for _, w := range words {
		text, ground := colors(w.Status)
		if text == "" {
			continue
		}
		id, ok := b.rules[w.Status]
		if !ok {
			look := &excelize.Style{Font: &excelize.Font{Color: text}}
			if ground != "" {
				look.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{ground}}
			}
			var err error
			if id, err = b.file.NewConditionalStyle(look); err != nil {
				return err
			}
			b.rules[w.Status] = id
		}
		quoted := `"` + strings.ReplaceAll(w.Text, `"`, `""`) + `"`
		rules = append(rules, excelize.ConditionalFormatOptions{Type: "cell", Criteria: "==", Format: &id,
			Value: quoted})
	}
	if len(rules) == 0 {
		return nil
	}
	return b.file.SetConditionalFormat(sheet, area, rules)
}
