package plot

import (
	"math"
	"strings"

	"occudiff/report"
)

const (
	rowsWidth = 760.0
	// nameWidth is the room for names left of the rows; in a narrow picture they stand above.
	nameWidth = 215.0
	// valueWidth is the room for values right of the field.
	valueWidth = 44.0
	// spanHeight is that of the bar of a row, spanNumbers that of the numbers below it.
	spanHeight, spanNumbers = 16.0, 13.0
)

// rows is a field of rows from top to bottom, each with a name.
type rows struct {
	*pen
	field
	height float64 // of a row without its name and the air around it
	pitch  float64 // from row to row
}

// newRows gives a field below a height.
func (p *pen) newRows(top float64, n int, height float64) *rows {
	r := &rows{pen: p, height: height, pitch: height + 12}
	r.field = newField(margin+nameWidth, top+4, p.width-valueWidth, 0)
	if p.narrow() {
		r.x.start, r.pitch = margin, height+28
	}
	r.y.start = r.y.end + float64(max(n, 1))*r.pitch
	return r
}

// begin writes the name of a row, with what tells it apart from others, and gives the top of the row.
func (r *rows) begin(row int, name, detail string) float64 {
	y := r.y.end + float64(row)*r.pitch
	if r.narrow() {
		r.text(margin, y+16, "", textSize, text2, fit(strings.TrimSpace(name+" "+detail), textSize, r.width-2*margin))
		return y + 22
	}
	middle := y + 6 + r.height/2 + 4
	if detail != "" {
		middle -= 7
		r.text(r.x.start-9, middle+14, "end", tickSize, muted, fit(detail, tickSize, nameWidth-9))
	}
	r.text(r.x.start-9, middle, "end", textSize, text2, fit(name, textSize, nameWidth-9))
	return y + 6
}

// partPaint is the paint of a part: its own, or that of its status.
func partPaint(parts []report.Part, i int) paint {
	if i < 0 || i >= len(parts) {
		return muted
	}
	p := parts[i]
	if p.Hue > 0 {
		return part0 + paint((p.Hue-1)%int(hue0-part0))
	}
	if p.Status == report.Muted {
		return level1
	}
	return statusPaint(p.Status, line1)
}

// partKeys is the legend of the parts that a bar shows.
func (p *pen) partKeys(bars *report.StackedBars) (keys []key) {
	for i, part := range bars.Parts {
		if bars.Shows(i) {
			keys = append(keys, key{part.Name, p.swatch(partPaint(bars.Parts, i))})
		}
	}
	return keys
}

// stack is where the parts of a row lie from left to right, at most as far as the whole. A negative part takes no room.
func stack(b *report.StackedBars, row int, whole float64, part func(p int, from, to float64, value string)) {
	from := 0.0
	for _, s := range b.Rows[row].Shares {
		to := math.Min(from+math.Max(s.Value, 0), whole)
		if to > from && s.Part >= 0 && s.Part < len(b.Parts) {
			part(s.Part, from, to, report.Decimal(s.Value, 1))
			from = to
		}
	}
}

// drawStackedBars draws the parts of each row one after the other, with their values below them where there is room.
func drawStackedBars(plot *report.Plot, look Look) []byte {
	p, data := newPen(plot, look, rowsWidth), plot.StackedBars
	r := p.newRows(p.legend(p.heading(), p.partKeys(data)), len(data.Rows), spanHeight+spanNumbers)
	_, r.x.to = span(0, math.Max(plot.Max, 0))
	p.xAxis(&r.field, withUnit(data.X, plot.Unit), 0)
	for i, row := range data.Rows {
		y := r.begin(i, row.Name, row.Detail)
		stack(data, i, r.x.to, func(part int, from, to float64, value string) {
			left, right := r.x.at(from), r.x.at(to)
			p.rect(left, y, right-left-0.8, spanHeight, partPaint(data.Parts, part),
				row.Name+": "+data.Parts[part].Name+" "+value+" "+plot.Unit)
			if textWidth(value, tickSize) < right-left {
				p.text(left, y+spanHeight+11, "", tickSize, muted, value)
			}
		})
	}
	return p.picture(r.y.start + axisHeight)
}

// Bar draws one row of stacked bars alone, for a cell of a table on a page; nothing where the row has no parts.
func Bar(b *report.StackedBars, row int) []byte {
	p := newPen(&report.Plot{}, Look{Inline: true}, 100)
	var said []string
	stack(b, row, 100, func(part int, from, to float64, value string) {
		p.rect(from, 0, to-from, 10, partPaint(b.Parts, part), "")
		said = append(said, b.Parts[part].Name+" "+value+" %")
	})
	if said == nil {
		return nil
	}
	return p.svg(100, 10, strings.Join(said, ", "), "preserveAspectRatio", "none")
}

// Swatch draws the color of a part, for a legend on a page.
func Swatch(b *report.StackedBars, part int) []byte {
	p := newPen(&report.Plot{}, Look{Inline: true}, 10)
	p.rect(0, 0, 10, 10, partPaint(b.Parts, part), "")
	return p.svg(10, 10, "")
}
