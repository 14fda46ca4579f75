package trackdoc

import (
	"fmt"
	"strings"

	"occudiff/compare/track"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// GoneValue is a kernel that a checked run lacks.
type GoneValue struct {
	Name  string            `json:"name"`
	Last  RefValue          `json:"last" jsonschema:"the last run that had it"`
	Share unit.Opt[float64] `json:"share_percent" jsonschema:"of the time of that run"`
}

func goneValue(g track.Gone) GoneValue {
	v := GoneValue{Name: g.Key.Name(), Last: *refValue(&g.Last)}
	if s, ok := g.Share.Value(); ok {
		v.Share = unit.Some(s.Percent())
	}
	return v
}

// goneText says of a kernel that is gone what it was.
// The share is of the last run that had it, for nobody knows what it would have held since.
func goneText(g *track.Gone) string {
	text := fmt.Sprintf("run %d was the last that had it", g.Last.Run)
	if s, ok := g.Share.Value(); ok {
		text = fmt.Sprintf("it held %.1f %% of the time of run %d, the last that had it", s.Percent(), g.Last.Run)
	}
	return text + "; track rename says which kernel it is now, track accept that it is to be gone"
}

// mattering are the kernels that are gone and held more than 1 % of the time.
// Kernels that a program runs now and then come and go; what held 1 % of the time was part of its work.
func mattering(c *track.Check) (list []*track.Gone) {
	for i := range c.Gone {
		if g := &c.Gone[i]; g.Matters() {
			list = append(list, g)
		}
	}
	return list
}

// goneFailure says which kernels that are gone fail the gate; nothing when none does.
func goneFailure(c *track.Check) string {
	list := mattering(c)
	if !c.FailGone || len(list) == 0 {
		return ""
	}
	names := report.ListOf(list, func(g *track.Gone) string {
		return report.CutMiddle(report.OneLine(g.Key.Name()), nameWidth)
	})
	return fmt.Sprintf("%s that held more than 1 %% of the time %s gone: %s",
		unit.Counted(len(list), "kernel", "kernels"), number(len(list), "is", "are"),
		strings.Join(report.Few(names, report.MostTasks), ", "))
}

// goneCases are the test cases of kernels that are gone.
func (c *check) goneCases(yield func(report.Case) bool) {
	for _, g := range mattering(c.Check) {
		// It has the class and name that it had while it ran, so that a CI system shows one test that began to fail.
		k := report.Case{Class: caseClass(g.Key), Name: report.OneLine(g.Key.Name()), Outcome: report.Skipped,
			Type: "missing", Message: "the kernel is gone", Text: goneText(g)}
		if c.FailGone {
			k.Outcome = report.Failed
		}
		if !yield(k) {
			return
		}
	}
}

// goneAnnotations are those of kernels that are gone.
func (c *check) goneAnnotations() (list []report.Annotation) {
	level := report.AnnotateWarning
	if c.FailGone {
		level = report.AnnotateError
	}
	for _, g := range mattering(c.Check) {
		list = append(list, report.Annotation{Level: level, Title: report.OneLine(g.Key.Name()) + ": gone",
			Message: report.UpperFirst(goneText(g)) + "."})
	}
	return list
}

// goneItems are what a page says of kernels that are gone.
func (c *check) goneItems() (items []report.Item) {
	list := mattering(c.Check)
	for _, g := range list[:min(len(list), report.MostTasks)] {
		items = append(items, report.Item{Lead: report.OneLine(g.Key.Name()), Status: report.Unsure,
			Text: "Gone: " + goneText(g) + "."})
	}
	return items
}
