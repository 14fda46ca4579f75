package diffdoc

import (
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
		level := level
		if !r.Proven() {
			level = report.AnnotateWarning
		}
		a := report.Annotation{Level: level, File: r.New.Pos.File, Line: r.New.Pos.Line,
			Title: report.KernelName(r.Task), Message: "Regression: " + fell(r) + " points."}
		if r.Because != "" {
			a.Message += " " + report.UpperFirst(report.OneLine(r.Because))
		}
		list = append(list, a)
	}
	return list
}
