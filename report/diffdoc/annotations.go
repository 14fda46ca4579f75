package diffdoc

import (
	"occudiff/compare/rundiff"
	"occudiff/report"
)

// DiffAnnotations lists the regressions of a diff, at their rows of the new side.
func DiffAnnotations(d *rundiff.Result, level report.AnnotationLevel) []report.Annotation {
	var list []report.Annotation
	for i := range d.Len() {
		if d.Verdict(i) != rundiff.Regression {
			continue
		}
		// Verdicts are looked up before rows are made: of a million kernels few regress, and making a row compares its
		// samples again.
		r := d.Row(i, nil)
		level := level
		// The gate does not fail on it, so it is no error either, whatever level was asked for.
		if !r.Proven() {
			level = report.AnnotateWarning
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
