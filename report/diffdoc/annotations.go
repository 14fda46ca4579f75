package diffdoc

import (
	"math"

	"occudiff/compare/rundiff"
	"occudiff/report"
)

// DiffAnnotations lists the regressions of a diff, at their rows of the new side.
func DiffAnnotations(d *rundiff.Result, level report.AnnotationLevel) []report.Annotation {
	var list []report.Annotation
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Verdict != rundiff.Regression || r.New == nil {
			continue
		}
		a := report.Annotation{Level: level, File: r.New.Pos.File, Line: r.New.Pos.Line,
			Title: report.KernelName(r.Task), Message: "Regression"}
		if c, ok := r.Measured.Change.Value(); ok {
			a.Message += " by " + report.Decimal(math.Abs(c), 1) + " points"
		}
		a.Message += "."
		if r.Because != "" {
			a.Message += " " + report.UpperFirst(report.OneLine(r.Because))
		}
		list = append(list, a)
	}
	return list
}
