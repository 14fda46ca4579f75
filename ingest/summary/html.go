package summary

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"occudiff/ingest/table"
)

// maxToken is the longest piece of markup or text that is kept; the style sheet is the longest of a real report.
const maxToken = table.MaxLine

// page reads the HTML report: lists in lists, each item a `metric-name` and a `metric-value`, below it issues in
// words, further lists, or a table of `table-value` cells.
type page struct {
	z       *html.Tokenizer
	to      *builder
	line    int // of the token, from 1
	column  int
	lists   int // open lists: the depth of an item
	place   place
	skip    int // open elements whose text is no value: issues, recommendations
	text    strings.Builder
	name    string
	cells   []string
	header  bool
	inTable bool
	at      [2]int // line and column of the item or row
}

// place is what the text that is being read belongs to.
type place uint8

const (
	nowhere place = iota
	inName
	inValue
	inCell
	inBrand
)

func readHTML(r io.Reader, to *builder) error {
	p := &page{z: html.NewTokenizer(r), to: to, line: 1, column: 1}
	p.z.SetMaxBuf(maxToken)
	for {
		kind := p.z.Next()
		if kind == html.ErrorToken {
			return p.end()
		}
		// Counted before the token is taken: reading names and attributes changes raw in place.
		raw := p.z.Raw()
		lineBreaks, last := bytes.Count(raw, []byte("\n")), bytes.LastIndexByte(raw, '\n')
		switch kind {
		case html.TextToken:
			if p.place != nowhere && p.skip == 0 && p.text.Len() <= maxToken {
				p.text.Write(p.z.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			p.open(kind == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := p.z.TagName()
			p.close(string(name))
		}
		if p.line += lineBreaks; last >= 0 {
			p.column = len(raw) - last
		} else {
			p.column += len(raw)
		}
	}
}

// end is what to make of the end of the file: what was read before a fault counts.
func (p *page) end() error {
	err := p.z.Err()
	switch {
	case errors.Is(err, html.ErrBufferExceeded):
		p.to.bad.Add(p.to.at(p.line, p.column), "", "a piece of text or markup is longer than %d bytes; the rest of "+
			"the file is not read", maxToken)
	case err != io.EOF:
		return err
	}
	if p.inTable {
		p.to.endTable()
	}
	return nil
}

// open takes a start tag. The report closes empty values in the way of XML, which a browser would not heed.
func (p *page) open(closed bool) {
	tag, more := p.z.TagName()
	name := string(tag)
	class := ""
	for more {
		var key, val []byte
		if key, val, more = p.z.TagAttr(); string(key) == "class" {
			class = string(val)
		}
	}
	switch {
	case name == "ul" && !closed:
		p.lists++
	case name == "table":
		p.inTable, p.header = !closed, false
	case name == "tr":
		p.cells, p.header, p.at = p.cells[:0], false, [2]int{p.line, p.column}
	case name == "th" || name == "td":
		p.header = p.header || name == "th"
		p.begin(inCell)
	case name == "pre" || (name == "div" && class == "issues"):
		if !closed {
			p.skip++
		}
	case name == "div" && class == "brand":
		p.begin(inBrand)
	case name == "span" && class == "metric-name":
		p.at = [2]int{p.line, p.column}
		p.begin(inName)
	case name == "span" && strings.HasPrefix(class, "metric-value"):
		if p.begin(inValue); closed {
			p.close("span")
		}
	}
}

func (p *page) begin(where place) {
	p.place = where
	p.text.Reset()
}

// close takes an end tag.
func (p *page) close(name string) {
	// As a browser shows it: breaks and indentation within a value are of the markup.
	text := strings.Join(strings.Fields(p.text.String()), " ")
	switch {
	// Not below 0: a damaged file may close more lists than it opened.
	case name == "ul":
		p.lists = max(p.lists-1, 0)
	case name == "pre" || (name == "div" && p.skip > 0):
		p.skip = max(p.skip-1, 0)
	case name == "div" && p.place == inBrand:
		// The headline is the only place that names VTune's version.
		if _, version, ok := strings.Cut(text, "Profiler"); ok && strings.Contains(text, "VTune") {
			p.to.platform.VTune = strings.TrimSpace(version)
		}
		p.place = nowhere
	case name == "span" && p.place == inName:
		p.name = strings.TrimSuffix(text, ":")
		p.place = nowhere
	case name == "span" && p.place == inValue:
		p.to.metric(p.lists, p.name, text, p.to.at(p.at[0], p.at[1]))
		p.place = nowhere
	case (name == "th" || name == "td") && p.place == inCell:
		// Further cells are dropped, and the row keeps its place.
		if len(p.cells) < maxColumns {
			p.cells = append(p.cells, text)
		}
		p.place = nowhere
	case name == "tr" && p.inTable && p.header:
		p.to.startTable(p.cells)
	case name == "tr" && p.inTable && len(p.cells) > 0:
		p.to.row(p.cells, p.to.at(p.at[0], p.at[1]))
	case name == "table" && p.inTable:
		p.to.endTable()
		p.inTable = false
	}
}
