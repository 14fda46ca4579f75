package rundoc

import (
	"occudiff/compare"
	"occudiff/report"
)

// AnnotateLevels says what a row's fault is to a job: an error when a gate on it was asked for, else a warning.
type AnnotateLevels struct {
	Mismatch report.AnnotationLevel // measured occupancy below or above the prediction
	// Model is for rows whose profiler's peak differs from the predicted peak and that match all the same. Empty leaves
	// them out.
	Model report.AnnotationLevel
	// Regression is for kernels that lost occupancy since another run.
	Regression report.AnnotationLevel
}

// Annotations lists what does not match, an annotation for each kernel, in the order of the rows; launches of one
// kernel that do not match for one cause have one together. Kernels that could not be judged are no mismatches.
// A runner shows few annotations of a step, so one for each launch would leave room for one kernel.
func Annotations(r *compare.Result, levels AnnotateLevels) []report.Annotation {
	var list []report.Annotation
	alike := launchGroups{}
	var into compare.Row
	for i, brief := range r.AllWithoutText() {
		level, byModel := annotationLevel(brief, r.Options, levels)
		if level == "" {
			continue
		}
		if r.PerLaunch() && !alike.add(groupOf(brief), len(list)) {
			continue
		}
		row := r.Row(i, &into)
		a := report.Annotation{Level: level, File: row.Pos.File, Line: row.Pos.Line, Title: testName(row),
			Message: report.UpperFirst(sentence(row))}
		if byModel {
			a.Message = "VTune's peak differs from the predicted peak by " +
				report.Signed(float64(row.PeakDifference.Or(0)), 1) +
				" points, more than " + report.Shortest(float64(r.Options.ModelTolerance)) +
				". Check --device, --xve and the launch shape."
		}
		list = append(list, a)
	}
	for _, a := range alike {
		if a.launches > 1 {
			list[a.item].Message += firstOf(a.launches)
		}
	}
	return list
}

// annotationLevel gives the level of a row's annotation, empty when it has none, and whether it is about the profiler's
// peak alone.
func annotationLevel(row *compare.Row, o compare.Options, levels AnnotateLevels) (level report.AnnotationLevel,
	byModel bool) {
	agrees, compared := row.ModelAgrees(o)
	offModel := compared && !agrees
	switch {
	case row.Verdict == compare.NotAKernel:
		return "", false
	case row.Verdict == compare.Below || row.Verdict == compare.Above:
		// A row that fails both gates is marked once, with the level of the gate that was asked for.
		if offModel && levels.Model == report.AnnotateError {
			return report.AnnotateError, false
		}
		return levels.Mismatch, false
	case offModel:
		return levels.Model, true
	}
	return "", false
}
