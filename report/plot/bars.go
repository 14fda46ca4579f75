package plot

import (
	"strings"

	"occudiff/report"
)

// partPaint returns the paint of a part. No other element of a chart has this
// paint.
func partPaint(part int) paint { return part0 + paint(part)%(hue0-part0) }

// barField is the area for the bar of one row. The parts of the bar follow one
// another from left to right, up to 100%.
type barField struct {
	x           scale
	top, height float64
}

// interval draws the part of a bar between two values.
func (p *pen) interval(f barField, from, to float64, ink paint, tooltip string) {
	p.rect(f.x.at(from), f.top, f.x.at(to)-f.x.at(from), f.height, ink, tooltip)
}

// tick draws a vertical line at a value, inside the bar.
func (p *pen) tick(f barField, v, width float64, ink paint) {
	p.rect(min(f.x.at(v), f.x.end-width), f.top, width, f.height, ink, "")
}

// shares draws the parts of a bar and returns a description of them. A part
// with a negative value has no width.
func (p *pen) shares(f barField, b *report.StackedBars, shares []report.Share) string {
	var texts []string
	from := 0.0
	for _, s := range shares {
		if to := min(from+s.Value, 100); to > from {
			text := b.Parts[s.Part] + " " + report.Decimal(s.Value, 1) + "%"
			p.interval(f, from, to, partPaint(s.Part), text)
			texts = append(texts, text)
			from = to
		}
	}
	return strings.Join(texts, ", ")
}

// row draws the bars of a row, with the old bar above the new bar. It draws
// lines at 0, 50, and 100%, and the mark over the bars. It returns a
// description of the bars.
func (p *pen) row(f barField, b *report.StackedBars, r *report.StackedRow) string {
	var texts []string
	each := r.Each()
	one := f
	one.height = f.height / float64(max(len(each), 1))
	for i, bar := range each {
		one.top = f.top + float64(i)*one.height
		inner := one
		if len(each) > 1 {
			inner.height -= 1
		}
		text := p.shares(inner, b, bar.Shares)
		if len(each) > 1 {
			text = []string{"old: ", "new: "}[i] + text
		}
		texts = append(texts, text)
	}
	for _, tick := range []float64{0, 50, 100} {
		p.tick(f, tick, 0.4, axis)
	}
	if mark, known := r.Mark.Value(); known {
		to := r.MarkTo.Or(mark)
		p.tick(f, mark, markWidth, hue0)
		p.tick(f, to, markWidth, hue0)
		middle := barField{f.x, f.top + f.height/2 - 0.5, 1}
		p.interval(middle, mark, to, hue0, "")
		text := b.Mark + " " + report.Decimal(mark, 1)
		if to > mark {
			text += " to " + report.Decimal(to, 1)
		}
		texts = append(texts, text+"%")
	}
	return strings.Join(texts, "; ")
}

const markWidth = 1.2

// Bar returns one row of stacked bars for a table cell on a page, or nil for a
// row without parts.
func Bar(b *report.StackedBars, row int) []byte {
	r := &b.Rows[row]
	n := float64(len(r.Each()))
	if n == 0 {
		return nil
	}
	p := newPen(&report.Plot{}, Look{Inline: true}, 100)
	p.height = 10 * n
	whole := barField{scale{0, 100, 0, 100}, 0, p.height}
	label := p.row(whole, b, r)
	return p.svg(label, "preserveAspectRatio", "none")
}

// Swatch returns a small square in the color of a part, for a legend on a page.
// If the number of the part is negative, it returns the symbol of the marks.
func Swatch(part int) []byte {
	p := newPen(&report.Plot{}, Look{Inline: true}, 10)
	p.height = 10
	if part < 0 {
		p.rect(4, 0, 2, 10, hue0, "")
	} else {
		p.rect(0, 0, 10, 10, partPaint(part), "")
	}
	return p.svg("")
}

// drawBars returns a chart with a bar for each row, next to the row's name,
// over an axis from 0 to 100%.
func drawBars(plot *report.Plot, look Look) *pen {
	const rowHeight, barHeight = 30.0, 18.0
	b := plot.Bars
	p := newPen(plot, look, linesWidth)
	var keys []key
	for i, part := range b.Parts {
		if b.Shows(i) {
			keys = append(keys, key{part, func(at point) {
				p.rect(at.x-6, at.y-6, 12, 12, partPaint(i), "")
			}})
		}
	}
	if b.Marks() > 0 {
		keys = append(keys, key{b.Mark, func(at point) {
			p.rect(at.x-1, at.y-6, 2, 12, hue0, "")
		}})
	}
	y := p.legend(p.heading(), keys) + 8
	f := barField{x: scale{
		to:    100,
		start: min(260, p.width/3),
		end:   p.width - margin - 20,
	}}
	for i := range b.Rows {
		r := &b.Rows[i]
		n := float64(len(r.Each()))
		if n == 0 {
			continue
		}
		f.top = y
		f.height = barHeight * n
		name := fit(r.Name, textSize, f.x.start-margin-10)
		p.text(f.x.start-10, y+f.height/2+4, "end", textSize, text2, name)
		p.row(f, b, r)
		y += rowHeight - barHeight + f.height
	}
	for _, tick := range []float64{0, 25, 50, 75, 100} {
		label := report.Decimal(tick, 0) + "%"
		p.text(f.x.at(tick), y+8, "middle", tickSize, muted, label)
	}
	p.height = y + 20
	return p
}
