// Package html renders a report as one page that needs nothing else: no network, no font, no script of others. Without its
// script the tables are plain tables; with it they sort and filter. It does not know kernels, statistics or sorting; the
// order of rows is the document's until a reader asks for another.
package html

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"strings"

	"occudiff/report"
	"occudiff/report/plot"
)

//go:embed page.tmpl
var pageTemplate string

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// Render writes the report. The same document gives the same bytes.
func Render(w io.Writer, d *report.Document) error {
	t, err := template.New("page").Parse(pageTemplate)
	if err != nil {
		return err
	}
	p, err := newPage(d)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 64<<10)
	if err := t.Execute(b, p); err != nil {
		return err
	}
	return b.Flush()
}

// page is what the template shows.
type page struct {
	Doc      *report.Document
	Title    string
	Policy   string
	Style    template.CSS
	Script   template.JS
	Date     string
	Sections []*section
}

func newPage(d *report.Document) (*page, error) {
	p := &page{Doc: d, Title: d.Title, Script: template.JS(pageScript)}
	if d.Subject != "" {
		p.Title += " - " + d.Subject
	}
	if !d.Date.IsZero() {
		p.Date = d.Date.Format("2006-01-02 15:04:05 MST")
	}
	for _, s := range inOrder(d) {
		v, err := newSection(d, s)
		if err != nil {
			return nil, err
		}
		p.Sections = append(p.Sections, v)
	}
	style := colours() + pageStyle + p.alignment()
	p.Style = template.CSS(style)
	p.Policy = "default-src 'none'; script-src " + hash(pageScript) + "; style-src " + hash(style) + "; img-src data:; base-uri 'none'; form-action 'none'"
	return p, nil
}

// inOrder gives the sections of a page. The kernels that do not match stand after the table, whose rows lead to them.
func inOrder(d *report.Document) []*report.Section {
	var list []*report.Section
	var later *report.Section
	for i := range d.Sections {
		s := &d.Sections[i]
		switch {
		case !s.Shown(report.Page):
		case s.Key == report.SectionAttention && d.Table(report.SectionKernels) != nil:
			later = s
		default:
			list = append(list, s)
			if s.Key == report.SectionKernels && later != nil {
				list, later = append(list, later), nil
			}
		}
	}
	if later != nil {
		list = append(list, later)
	}
	return list
}

// hash names a text in a content security policy: only this style and this script count, whatever else got in.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// colours are the variables of the plots, on a light and on a dark page; paper is light.
func colours() string {
	return ":root{" + plot.Variables(false) + "}\n@media screen and (prefers-color-scheme:dark){:root{" + plot.Variables(true) + "}}\n"
}

// alignment is the style of the columns that hold numbers: said once per column, not once per cell.
func (p *page) alignment() string {
	var b strings.Builder
	for _, s := range p.Sections {
		for _, t := range s.Tables {
			t.alignment(&b)
		}
	}
	return b.String()
}
