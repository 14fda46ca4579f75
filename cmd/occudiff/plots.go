package main

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"occudiff/report"
	"occudiff/report/markdown"
	"occudiff/report/outfile"
	"occudiff/report/plot"
)

// addPlots gives every Markdown file the plots of the report, in a folder beside it that has its name: report.files beside
// report.md. They are written and put in place with all other files.
func (o *outputs) addPlots(ans *report.Answer) error {
	for i, f := range o.files {
		if f.ending != ".md" || f.own != nil || !o.set.Replaces(i) {
			continue
		}
		doc := ans.Document()
		folder := strings.TrimSuffix(f.path, filepath.Ext(f.path)) + ".files"
		names := map[*report.Plot]string{}
		for p := range doc.Plots(report.Page) {
			if len(names) == 0 {
				if err := o.set.Folder(folder); err != nil {
					return usageErrorf("%s, the folder for the plots of %s, cannot be made: %v; give -o another name", folder, f.path, outfile.Reason(err))
				}
			}
			names[p] = url.PathEscape(filepath.Base(folder)) + "/" + url.PathEscape(p.Key) + ".svg"
			if err := o.attach(filepath.Join(folder, p.Key+".svg"), plotWriter(doc, p)); err != nil {
				return err
			}
		}
		f.own = func(w io.Writer) error {
			return markdown.RenderPlots(w, doc, func(p *report.Plot) string { return names[p] })
		}
	}
	return nil
}

func plotWriter(doc *report.Document, p *report.Plot) writer {
	return func(w io.Writer) error {
		svg, err := plot.Draw(doc, p, plot.Look{})
		if err == nil {
			_, err = w.Write(svg)
		}
		return err
	}
}

// attach opens a file that belongs to another one.
func (o *outputs) attach(path string, write writer) error {
	if err := o.open(path, filepath.Ext(path)); err != nil {
		return err
	}
	last := o.files[len(o.files)-1]
	last.own, last.beside = write, true
	return nil
}
