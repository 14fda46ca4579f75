package report

import (
	"math"
	"strconv"

	"occudiff/compare"
)

// Annotation is a message that a code host shows beside a line of a file.
type Annotation struct {
	Level   AnnotationLevel
	File    string // as it was given; empty when the message is about no file
	Line    int    // from 1; 0 when it is not known
	Title   string // one line
	Message string
}

// AnnotationLevel says how much an annotation matters.
type AnnotationLevel string

// The levels, by GitHub's words.
const (
	AnnotateError   AnnotationLevel = "error"   // it fails the job
	AnnotateWarning AnnotationLevel = "warning" // it does not
	AnnotateNotice  AnnotationLevel = "notice"
)

// AnnotateLevels says what a row's fault is to a job: an error when a gate on it was asked for, else a warning.
type AnnotateLevels struct {
	Mismatch AnnotationLevel // measured occupancy below or above the prediction
	// Model is for rows whose profiler's peak differs from the predicted peak and that match all the same. Empty leaves
	// them out.
	Model AnnotationLevel
	// Regression is for kernels that lost occupancy since another run.
	Regression AnnotationLevel
}

// Annotations lists what does not match, an annotation for each kernel, in the order of the rows; launches of one kernel
// that do not match for one cause have one together. Kernels that could not be judged are no mismatches.
func Annotations(r *compare.Result, levels AnnotateLevels) []Annotation {
	var list []Annotation
	alike := map[likeness]*likes{}
	var into compare.Row
	for i, skimmed := range r.Skim() {
		level, byModel := annotationLevel(skimmed, r.Options, levels)
		if level == "" {
			continue
		}
		if l := likenessOf(skimmed); r.KeepsLaunches() && !first(alike, l, len(list)) {
			continue
		}
		row := r.Row(i, &into)
		a := Annotation{Level: level, File: row.Pos.File, Line: row.Pos.Line, Title: testName(row), Message: upperFirst(sentence(row))}
		if byModel {
			a.Message = "VTune's peak differs from the predicted peak by " + signed(float64(row.ModelDifference.Or(0)), 1) +
				" points, more than " + plain(float64(r.Options.ModelTolerance)) + ". Check --device, --xve and the launch shape."
		}
		list = append(list, a)
	}
	for _, a := range alike {
		if a.n > 1 {
			list[a.item].Message += longestOf(a.n)
		}
	}
	return list
}

// annotationLevel gives the level of a row's annotation, empty when it has none, and whether it is about the profiler's peak
// alone.
func annotationLevel(row *compare.Row, o compare.Options, levels AnnotateLevels) (level AnnotationLevel, byModel bool) {
	agrees, compared := row.ModelAgrees(o)
	offModel := compared && !agrees
	switch {
	case row.Verdict == compare.NotAKernel:
		return "", false
	case row.Verdict == compare.Below || row.Verdict == compare.Above:
		if offModel && levels.Model == AnnotateError {
			return AnnotateError, false
		}
		return levels.Mismatch, false
	case offModel:
		return levels.Model, true
	}
	return "", false
}

// CapAnnotations keeps what is shown: GitHub shows the first 10 of a level and step and drops the rest without a word, so the
// last one that fits counts those that do not.
func CapAnnotations(list []Annotation, most int) []Annotation {
	total, seen := map[AnnotationLevel]int{}, map[AnnotationLevel]int{}
	for _, a := range list {
		total[a.Level]++
	}
	var kept []Annotation
	for _, a := range list {
		n := total[a.Level]
		switch seen[a.Level]++; {
		case n <= most || seen[a.Level] < most:
			kept = append(kept, a)
		case seen[a.Level] == most:
			kept = append(kept, Annotation{Level: a.Level, Title: strconv.Itoa(n-most+1) + " more",
				Message: Thousands(int64(n-most+1)) + " more like these; the report lists them all."})
		}
	}
	return kept
}

// DiffAnnotations lists the regressions of a diff, at their rows of the new side.
func DiffAnnotations(d *compare.DiffResult, level AnnotationLevel) []Annotation {
	var list []Annotation
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.Verdict != compare.DiffRegression || r.New == nil {
			continue
		}
		a := Annotation{Level: level, File: r.New.Pos.File, Line: r.New.Pos.Line, Title: OneLine(r.Task), Message: "Regression"}
		if c, ok := r.Measured.Change.Value(); ok {
			a.Message += " by " + Decimal(math.Abs(c), 1) + " points"
		}
		a.Message += "."
		if r.Because != "" {
			a.Message += " " + upperFirst(OneLine(r.Because))
		}
		list = append(list, a)
	}
	return list
}
