package main

import (
	"os"
	"path/filepath"
	"strings"

	"occudiff/report/rundoc"

	"occudiff/report"
	"occudiff/report/machine"
)

// annotationsShown is how many annotations of a level GitHub shows of a step.
const annotationsShown = 10

// annotateLevels takes the levels from the gate: what fails the job is an error, the rest a warning.
func (a *app) annotateLevels() rundoc.AnnotateLevels {
	l := rundoc.AnnotateLevels{Mismatch: report.AnnotateWarning, Regression: report.AnnotateWarning}
	switch a.failOn {
	case "mismatch":
		l.Mismatch = report.AnnotateError
	case "model":
		l.Model = report.AnnotateError
	case "regression":
		l.Regression = report.AnnotateError
	}
	return l
}

// printAnnotations prints GitHub annotations when --annotations asks for them. They go to standard error, from which a runner
// reads them as well, because standard output carries results only; -q does not silence what was asked for.
func (a *app) printAnnotations(list []report.Annotation) error {
	if !a.annotate {
		return nil
	}
	list = report.CapAnnotations(list, annotationsShown)
	for i := range list {
		list[i].File = fromHere(list[i].File)
	}
	return machine.Annotations(a.raw, list)
}

// fromHere gives a path as GitHub wants it: relative to the working folder, where a job has its checkout, with slashes. What
// lies outside stays as it is, and standard input is no file.
func fromHere(path string) string {
	if path == "" || path == "-" {
		return ""
	}
	here, err := os.Getwd()
	if err != nil {
		return filepath.ToSlash(path)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	rel, err := filepath.Rel(here, full)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}
