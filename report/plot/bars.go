package plot

import (
	"math"
	"strings"

	"occudiff/report"
)

// partPaint is the paint of a part: each has one that nothing else has.
func partPaint(part int) paint { return part0 + paint(part)%(hue0-part0) }

// Bar draws one row of stacked bars, for a cell of a table on a page; nothing where the row has no parts. The parts lie
// from left to right, at most as far as the whole. A negative part takes no room.
func Bar(b *report.StackedBars, row int) []byte {
	p := newPen(&report.Plot{}, Look{Inline: true}, 100)
	var said []string
	from := 0.0
	for _, s := range b.Rows[row].Shares {
		if to := math.Min(from+s.Value, 100); to > from {
			p.rect(from, 0, to-from, 10, partPaint(s.Part), "")
			said = append(said, b.Parts[s.Part]+" "+report.Decimal(s.Value, 1)+"%")
			from = to
		}
	}
	if said == nil {
		return nil
	}
	return p.svg(100, 10, strings.Join(said, ", "), "preserveAspectRatio", "none")
}

// Swatch draws the color of a part, for a legend on a page.
func Swatch(part int) []byte {
	p := newPen(&report.Plot{}, Look{Inline: true}, 10)
	p.rect(0, 0, 10, 10, partPaint(part), "")
	return p.svg(10, 10, "")
}
