package main

import (
	"io"
	"sort"
	"strings"

	"occudiff/report"
	"occudiff/report/machine"
	"occudiff/report/markdown"
	"occudiff/report/terminal"
)

// answer is what a command has to say, in all the forms that it can be asked for.
type answer struct {
	doc   *report.Document
	value any           // for JSON
	table *report.Table // for CSV
	chart *report.Plot  // for SVG; nil when there is nothing to draw
}

// present writes an answer to the files and to standard output.
func (a *app) present(w answer, out *outputs) error {
	writers := map[string]writer{
		".md":   func(to io.Writer) error { return markdown.Render(to, w.doc) },
		".json": func(to io.Writer) error { return machine.JSON(to, w.value) },
		".csv":  func(to io.Writer) error { return machine.Table(to, w.table) },
		".svg":  plotWriter(w.doc, w.chart),
	}
	if err := a.deliver(w.doc, writers, out, terminal.Options{Width: a.width(), Color: a.useColor(), Rows: -1, Items: -1}); err != nil {
		return err
	}
	a.sayWrote(out)
	return nil
}

// wordList lists the words of a flag; the empty one is the default and goes without saying.
func wordList(words []string) string {
	var list []string
	for _, w := range words {
		if w != "" {
			list = append(list, w)
		}
	}
	return strings.Join(list, ", ")
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
