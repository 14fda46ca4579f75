package report

import (
	"strconv"
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

// CapAnnotations keeps what is shown: GitHub shows the first 10 of a level and step and drops the rest without a word,
// so the last one that fits counts those that do not.
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
