package diffdoc

import (
	"strconv"

	"occudiff/compare/rundiff"
	"occudiff/report"
)

func median(s *rundiff.Sample, kind report.Kind) report.Cell {
	if x, ok := s.Median.Value(); ok {
		return report.NumCell(kind, x)
	}
	return report.Cell{}
}

func rawChange(d *rundiff.Delta, kind report.Kind) report.Cell {
	if x, ok := d.Change.Value(); ok {
		return report.NumCell(kind, x)
	}
	return report.Cell{}
}

// insignificant is what people read where a test found nothing.
const insignificant = "~"

func changeCell(d *rundiff.Delta, kind report.Kind) report.Cell {
	if d.Change.Present() && d.Insignificant() {
		return report.TextCell(insignificant)
	}
	return rawChange(d, kind)
}

func pCell(d *rundiff.Delta) report.Cell {
	if t, ok := d.Test.Value(); ok {
		return report.NumCell(report.Number, t.P)
	}
	return report.Cell{}
}

func significant3(d *rundiff.Delta) report.Cell {
	switch v, ok := d.Significant.Value(); {
	case !ok:
		return report.Cell{}
	case v:
		return report.TextCell("yes")
	}
	return report.TextCell("no")
}

func interval(s *rundiff.Sample) report.Cell {
	v, ok := s.Interval.Value()
	if !ok {
		return report.Cell{}
	}
	return report.TextCell(report.Decimal(v.Low, 1) + " to " + report.Decimal(v.High, 1))
}

func globalOf(l *rundiff.Launch) string { return l.Global.String() }
func localOf(l *rundiff.Launch) string  { return l.Local.String() }
func runsOf(l *rundiff.Launch) string   { return strconv.Itoa(l.Runs) }
func simdOf(l *rundiff.Launch) string {
	if n, ok := l.SIMD.Value(); ok {
		return strconv.Itoa(n)
	}
	return ""
}

func sideValue(r *rundiff.Row, side string, of func(*rundiff.Launch) string) string {
	l := r.Old
	if side == "new" {
		l = r.New
	}
	if l == nil {
		return ""
	}
	return of(l)
}

// bothSizes prints what both sides say, "16 -> 32" where they differ, what one says where the other says nothing.
func bothSizes(r *rundiff.Row, what string, of func(*rundiff.Launch) string) string {
	for _, c := range r.Changes {
		if c.What == what {
			return c.Old + " -> " + c.New
		}
	}
	if b := sideValue(r, "new", of); b != "" {
		return b
	}
	return sideValue(r, "old", of)
}

// label names a row briefly; rows of one name are told apart by their shape.
func (s *diffSet) label(r *rundiff.Row) string {
	name := s.brief[r.Task]
	if s.repeated[r.Task] {
		name += " " + diffShape(r)
	}
	return name
}
