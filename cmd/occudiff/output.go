package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/report"
	"occudiff/report/excel"
	"occudiff/report/html"
	"occudiff/report/machine"
	"occudiff/report/plot"
	"occudiff/report/text"
)

// formWriter writes one form of an answer.
type formWriter func(io.Writer) error

// fileEndings are the endings of the files that every answer can be written into.
func fileEndings(more ...string) []string {
	return append([]string{".xlsx", ".md", ".html", ".json", ".csv"}, more...)
}

// perfettoEnding is the ending of a file for Perfetto.
const perfettoEnding = ".trace.json"

// endingOf gives the ending of a file, in lower case, which picks the way of writing.
func endingOf(path string) string {
	if path = strings.ToLower(path); strings.HasSuffix(path, perfettoEnding) {
		return perfettoEnding
	}
	return filepath.Ext(path)
}

// writers are the ways of writing an answer, by the ending of a file.
func writers(ans *report.Answer) map[string]formWriter {
	return map[string]formWriter{
		".xlsx": func(w io.Writer) error { return excel.Render(w, ans.Document()) },
		".md":   func(w io.Writer) error { return text.Markdown(w, ans.Document()) },
		".html": func(w io.Writer) error { return html.Render(w, ans.Document()) },
		".json": func(w io.Writer) error { return machine.JSON(w, ans.Value) },
		".csv":  func(w io.Writer) error { return machine.Table(w, ans.Table) },
		".xml":  func(w io.Writer) error { return machine.JUnit(w, ans.Tests()) },
		".svg":  func(w io.Writer) error { return svg(ans.Chart)(w) },
		perfettoEnding: func(w io.Writer) error {
			if ans.Trace == nil {
				return errors.New("a trace needs one run that says when its launches ran: give its result folder, or a " +
					"trace beside its export")
			}
			return machine.JSON(w, ans.Trace)
		},
	}
}

// openFiles checks the endings of files and opens them, for a command that reads inputs.
func openFiles(paths, endings, inputs []string, stopped func() error) (*outputFiles, error) {
	f := &outputFiles{inputs: inputs, stopped: stopped}
	for _, p := range paths {
		ending := endingOf(p)
		if ending == perfettoEnding && !slices.Contains(endings, perfettoEnding) {
			ending = ".json"
		}
		err := fmt.Errorf(": this command writes %s; the ending picks the format", strings.Join(endings, " "))
		if slices.Contains(endings, ending) {
			if _, err = f.open(p, ending); err == nil {
				continue
			}
			err = fmt.Errorf(" %w", err)
		}
		f.discard()
		return nil, fmt.Errorf("-o %s%w", p, err)
	}
	return f, nil
}

// write writes an answer into every file and puts them in place: all are written before any is.
func (f *outputFiles) write(ans *report.Answer) error {
	if err := f.addPlots(ans); err != nil {
		return err
	}
	by := writers(ans)
	return f.place(func(to *outputFile, w io.Writer) error {
		if to.own != nil {
			return to.own(w)
		}
		return by[to.ending](w)
	})
}

// writeAll writes the same into every file, whatever its ending is.
func (f *outputFiles) writeAll(write formWriter) error {
	return f.place(func(_ *outputFile, w io.Writer) error { return write(w) })
}

// print prints an answer in a format: table, or markdown, json, csv, or card where it has one. It may be long: nothing
// of it is held back.
func (f *outputFiles) print(w io.Writer, format string, ans *report.Answer, opt text.Options) error {
	by := writers(ans)
	by[".markdown"] = by[".md"]
	by[".card"] = func(w io.Writer) error { return machine.JSON(w, ans.Card()) }
	by[".table"] = func(w io.Writer) error { return text.Terminal(w, ans.Document(), opt) }
	out := bufio.NewWriterSize(stoppable{w, f.stopped}, 64<<10)
	if err := by["."+format](out); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("standard output: %w", err)
	}
	return nil
}

// names lists the files for a message, empty when there are none.
func (f *outputFiles) names() string {
	var names []string
	for _, file := range f.files {
		if !file.beside {
			names = append(names, file.path)
		}
	}
	return strings.Join(names, ", ")
}

// addPlots gives every Markdown file the plots of the report, in a folder beside it that has its name: report.files
// beside report.md. They are written and put in place with all other files.
func (f *outputFiles) addPlots(ans *report.Answer) error {
	for _, page := range f.files {
		if page.ending != ".md" {
			continue
		}
		doc := ans.Document()
		folder := strings.TrimSuffix(page.path, filepath.Ext(page.path)) + ".files"
		names := map[*report.Plot]string{}
		for p := range doc.Plots(report.Page) {
			if len(names) == 0 {
				if err := f.makeFolder(folder); err != nil {
					return fmt.Errorf("%s, the folder for the plots of %s, cannot be made: %w; give -o another name",
						folder, page.path, note.Reason(err))
				}
			}
			names[p] = url.PathEscape(filepath.Base(folder)) + "/" + url.PathEscape(p.Key) + ".svg"
			picture := filepath.Join(folder, p.Key+".svg")
			file, err := f.open(picture, ".svg")
			if err != nil {
				return fmt.Errorf("-o %s %w", picture, err)
			}
			file.own, file.beside = svg(p), true
		}
		page.own = func(w io.Writer) error {
			return text.MarkdownPlots(w, doc, func(p *report.Plot) string { return names[p] })
		}
	}
	return nil
}

func svg(p *report.Plot) formWriter {
	return func(w io.Writer) error {
		if p == nil {
			return errors.New("a chart shows one run, and these are several")
		}
		picture, err := plot.Draw(p, plot.Look{})
		if err == nil {
			_, err = w.Write(picture)
		}
		return err
	}
}
