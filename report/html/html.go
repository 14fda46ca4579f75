// Package html renders a report as one page that needs no network, no fonts,
// and no foreign scripts. If the browser does not run the page's script, the
// tables are plain. The script sorts and filters them.
//
// The page begins with the summary: a sentence, a row for each kernel, and the
// commands to run next. The sections below the summary are folded.
//
// The page is written from top to bottom by a small writer that escapes every
// text. The package does not use html/template, because it would add too much
// to the size of a program for the browser. A test compares the writer with
// html/template. Each plot is drawn twice, for wide screens and for phones, and
// the style shows one of them. Sections and rows have the document's order
// until a reader changes it. The package contains no code for kernels,
// statistics, or sorting, and no name of a section or column.
package html

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html"
	"io"
	"strconv"
	"strings"

	"occudiff/report"
	"occudiff/report/plot"
)

//go:embed page.css
var pageStyle string

//go:embed page.js
var pageScript string

// Render writes the report. The output depends only on the document.
func Render(w io.Writer, d *report.Document) error {
	p := newHTMLWriter(w, d)
	p.head()
	p.body()
	return cmp.Or(p.err, p.Flush())
}

// Fragment writes the content of the page without its frame, for a page that
// shows several reports. The returned styles are for the columns of the
// report's tables. The results of Style and Script are the same for all
// reports.
func Fragment(w io.Writer, d *report.Document) (styles string, err error) {
	p := newHTMLWriter(w, d)
	p.content()
	return p.columnStyles(), cmp.Or(p.err, p.Flush())
}

// Style returns the style of every page, including the colors of plots on light
// and dark pages. Printed pages use the light colors.
func Style() string {
	return ":root{" + plot.Variables(false) + "}\n@media screen and (prefers-color-scheme:dark){:root{" +
		plot.Variables(true) + "}}\n" + pageStyle
}

// Script returns the script that sorts and filters the tables of a page. If a
// part of the page is added later, send it the event "report", so that the
// script handles its tables.
func Script() string { return pageScript }

func newHTMLWriter(w io.Writer, d *report.Document) *htmlWriter {
	p := &htmlWriter{writer: writer{bufio.NewWriterSize(w, 64<<10)}, doc: d}
	for i := range d.Sections {
		if d.Sections[i].Shown(report.Page) {
			p.sections = append(p.sections, &d.Sections[i])
		}
	}
	return p
}

// htmlWriter writes one document and keeps the state of writing it.
type htmlWriter struct {
	writer
	doc      *report.Document
	sections []*report.Section
	err      error // first error while drawing a plot
}

func (p *htmlWriter) head() {
	title := p.doc.Title
	if p.doc.Subject != "" {
		title += " - " + p.doc.Subject
	}
	style := Style() + p.columnStyles()
	p.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; script-src %; style-src %; `+
		`img-src data:; base-uri &#39;none&#39;; form-action &#39;none&#39;">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="occudiff %">
<title>%</title>
<link rel="icon" href="data:,">
<style>%</style>
<script>%</script>
</head>
`, Hash(pageScript), Hash(style), p.doc.Version, title, markup(style), markup(pageScript))
}

// Hash returns the hash of a style or script in the form for a content security
// policy. With the hashes in its policy, a page accepts only this style and
// this script, even if others were injected.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// columnStyles returns one style rule per column. Rules per column make a page
// smaller than a style in each cell.
func (p *htmlWriter) columnStyles() string {
	var b strings.Builder
	for _, s := range p.sections {
		for _, t := range s.Tables {
			for k, i := range t.ColumnsIn(report.Page) {
				cells := "#t-" + t.Key + " tr>:nth-child(" + strconv.Itoa(k+1) + ")"
				if t.Columns[i].RightAligned() {
					b.WriteString(cells + "{text-align:right}\n")
				}
				if t.Columns[i].Is(report.Code) {
					b.WriteString(cells + ":not(thead *){font-family:var(--mono);font-size:.9em}\n")
				}
			}
		}
	}
	return b.String()
}

// Logo is the name of the program in pages.
const Logo = `<span class="brand"><svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">` +
	`<rect x="1" y="9" width="4" height="10" rx="1"/><rect x="8" y="5" width="4" height="14" rx="1"/>` +
	`<rect x="15" y="1" width="4" height="18" rx="1"/></svg>occudiff</span>`

func (p *htmlWriter) body() {
	p.put("<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header class=\"wrap\">%</header>\n"+
		"<main id=\"main\" class=\"wrap\">\n", markup(Logo))
	p.content()
	p.put("</main>\n<footer class=\"wrap\">occudiff %. This file needs no network and sends nothing.</footer>\n"+
		"</body>\n</html>\n", p.doc.Version)
}

// content writes the summary and the sections. If there is a summary, it
// contains the result, so the sections below it are folded. Open sections and
// the large chart of a history are not folded.
func (p *htmlWriter) content() {
	p.raw("<div class=\"hero\">\n")
	p.line("<h1>%</h1>", p.doc.Title)
	p.line(`<p class="where">%</p>`, p.doc.Origin)
	if p.doc.Summary != nil {
		p.summary(p.doc.Summary)
	} else {
		p.line(`<p class="lead">%</p>`, p.doc.Closing)
		for _, line := range p.doc.Headline {
			p.line(`<p class="sub">%</p>`, line)
		}
	}
	p.raw("</div>\n")
	for i, s := range p.sections {
		large := len(s.Plots) > 0 && s.Plots[0].TimeSeries != nil && s.Plots[0].TimeSeries.Large
		p.section(s, (p.doc.Summary != nil || i >= openSections) && !large && !s.Open)
	}
	if !p.doc.Date.IsZero() {
		p.line(`<p class="where">%</p>`, "Collected "+p.doc.Date.Format("2006-01-02 15:04:05 MST"))
	}
}

// writer writes HTML. It escapes texts and attribute values. bufio keeps the
// first error until Flush.
type writer struct{ *bufio.Writer }

// raw writes HTML without escaping it.
func (w writer) raw(markup string) { w.WriteString(markup) }

// text writes a text, with invisible characters replaced.
func (w writer) text(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '&' || c == '<' || c == '>' || c == '"' || c == '\'' {
			w.raw(html.EscapeString(report.Clean(s)))
			return
		}
	}
	w.raw(s) // the usual case
}

// markup is valid HTML.
type markup string

// put writes the format, in which each % is replaced by one of the values.
// Texts are escaped. An attribute is left out if its value begins with an empty
// text.
func (w writer) put(format string, values ...any) {
	for _, v := range values {
		before, after, _ := strings.Cut(format, "%")
		if v == "" && strings.HasSuffix(before, `="`) {
			before, after = before[:strings.LastIndexByte(before, ' ')], after[1:]
		}
		w.raw(before)
		format = after
		switch v := v.(type) {
		case string:
			w.text(v)
		case markup:
			w.raw(string(v))
		case int:
			w.raw(strconv.Itoa(v))
		}
	}
	w.raw(format)
}

// line writes a text in an element on its own line, or nothing for an empty
// text.
func (w writer) line(format, text string) {
	if text != "" {
		w.put(format+"\n", text)
	}
}

// small returns an element for an explanation of the text before it, or "" for
// an empty text.
func small(text string) string {
	if text == "" {
		return ""
	}
	return " <small>%</small>"
}
