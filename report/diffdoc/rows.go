package diffdoc

import (
	"strconv"
	"strings"

	"occudiff/compare/diff"
	"occudiff/report"
)

// insignificant is what people read where a test found nothing.
const insignificant = "~"

func changeCell(d *diff.Delta, kind report.Kind) report.Cell {
	change := d.Change
	// Times are compared as new / old, occupancies as a difference in points.
	if d.Ratio.Present() {
		change = d.Ratio
	}
	switch x, ok := change.Value(); {
	case !ok:
		return report.Cell{}
	case d.Insignificant():
		// No number: a reader would take a change that chance explains for a result.
		return report.TextCell(insignificant)
	default:
		return report.NumCell(kind, x)
	}
}

func interval(s *diff.Sample) string {
	if !s.Low.Present() {
		return ""
	}
	return report.Decimal(s.Low.Or(0), 1) + " to " + report.Decimal(s.High.Or(0), 1)
}

// bothSides prints what both sides say of a launch, "16 -> 32" where they differ, what one says where the other says
// nothing.
func bothSides(r *diff.Row, what string) string {
	for _, c := range r.Changes {
		if c.What == what {
			return c.Old + " -> " + c.New
		}
	}
	for _, l := range []*diff.Launch{r.New, r.Old} {
		if l == nil {
			continue
		}
		text := l.Global.String()
		switch n, known := l.SIMD.Value(); {
		case what == diff.ChangeLocal:
			text = l.Local.String()
		case what == diff.ChangeSIMD && known:
			text = strconv.Itoa(n)
		case what == diff.ChangeSIMD:
			text = ""
		}
		if text != "" {
			return text
		}
	}
	return ""
}

// shapeText tells kernels of one name apart: "2048x2048 in 1024x1, SIMD 16 -> 32".
func shapeText(r *diff.Row) string {
	text := bothSides(r, diff.ChangeGlobal)
	if l := bothSides(r, diff.ChangeLocal); l != "" {
		text = strings.TrimPrefix(text+" in "+l, " in ")
	}
	if n := bothSides(r, diff.ChangeSIMD); n != "" {
		text = strings.TrimPrefix(text+", SIMD"+n, ", ")
	}
	return text
}
