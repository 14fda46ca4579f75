package diffdoc

import (
	"occudiff/compare/diff"
	"occudiff/report"
)

// DiffAnnotations lists the regressions of a diff, at their rows of the new side.
func DiffAnnotations(d *diff.Result, level report.AnnotationLevel) []report.Annotation {
	var list []report.Annotation
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Verdict != diff.Regression {
			continue
		}
		a := report.Annotation{Level: level, File: r.New.File.Or(""), Line: r.New.Line.Or(0),
			Title: report.KernelName(r.Task), Message: "Regression: " + fell(r) + " points."}
		if because := r.Because.Or(""); because != "" {
			a.Message += " " + report.UpperFirst(report.OneLine(because))
		}
		list = append(list, a)
	}
	return list
}
