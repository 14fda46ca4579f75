package summary

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"golang.org/x/net/html"
	"occudiff/ingest/note"
	"occudiff/ingest/table"
)

// maxToken is the maximum length for a piece of markup or text. The longest one
// in a real report is the style sheet.
const maxToken = table.MaxLine

// page reads the HTML report: nested lists, in which each item has a
// `metric-name` and a `metric-value`, followed by issues in words, further
// lists, or a table of `table-value` cells. The report closes empty values in
// XML style, which a browser would ignore.
type page struct {
	z            *html.Tokenizer
	to           *builder
	line, column int      // next token, from 1
	at           note.Pos // the current item's or row's position
}

func readHTML(r io.Reader, to *builder) error {
	p := &page{z: html.NewTokenizer(r), to: to, line: 1, column: 1}
	p.z.SetMaxBuf(maxToken)
	lists, name := 0, "" // open lists: an item's depth
	var cells []string
	header, inTable := false, false
	for {
		at := to.at(p.line, p.column)
		t := p.next()
		class := classOf(&t)
		opens := t.Type == html.StartTagToken || t.Type == html.SelfClosingTagToken
		switch {
		case t.Type == html.ErrorToken:
			return p.end()
		case t.Data == "ul" && t.Type == html.StartTagToken:
			lists++
		// not below 0, because a damaged file may close more lists than it
		// opened
		case t.Data == "ul" && t.Type == html.EndTagToken:
			lists = max(lists-1, 0)
		case aside(&t):
			p.text(&t)
		case opens && t.Data == "div" && class == "brand":
			// Only the headline contains VTune's version.
			if tool, version, ok := strings.Cut(p.text(&t), "Profiler"); ok && strings.Contains(tool, "VTune") {
				to.platform.VTune = strings.TrimSpace(version)
			}
		case opens && t.Data == "span" && class == "metric-name":
			p.at, name = at, strings.TrimSuffix(p.text(&t), ":")
		case opens && t.Data == "span" && strings.HasPrefix(class, "metric-value"):
			to.metric(lists, name, p.text(&t), p.at)
		case t.Data == "table":
			inTable = t.Type == html.StartTagToken
		case opens && t.Data == "tr":
			p.at, cells, header = at, nil, false
		case opens && (t.Data == "th" || t.Data == "td"):
			cells, header = append(cells, p.text(&t)), header || t.Data == "th"
		case t.Data == "tr" && inTable && header:
			to.startTable(cells)
		case t.Data == "tr" && inTable && len(cells) > 0:
			to.row(cells, p.at)
		}
	}
}

// next returns the next token.
func (p *page) next() html.Token {
	p.z.Next()
	raw := p.z.Raw() // count before calling Token, which changes the bytes in place
	if last := bytes.LastIndexByte(raw, '\n'); last >= 0 {
		p.line += bytes.Count(raw, []byte("\n"))
		p.column = len(raw) - last
	} else {
		p.column += len(raw)
	}
	return p.z.Token()
}

// text returns an element's text after its start tag, as a browser shows it:
// line breaks and indentation belong to the markup. It omits issues and
// recommendations inside the element.
func (p *page) text(of *html.Token) string {
	var text strings.Builder
	for skip := 0; of.Type == html.StartTagToken; {
		switch t := p.next(); {
		case t.Type == html.ErrorToken, t.Type == html.EndTagToken && t.Data == of.Data && skip == 0:
			return strings.Join(strings.Fields(text.String()), " ")
		case aside(&t):
			skip++
		case t.Type == html.EndTagToken && (t.Data == "pre" || t.Data == "div"):
			skip = max(skip-1, 0)
		case t.Type == html.TextToken && skip == 0:
			text.WriteString(t.Data)
		}
	}
	return ""
}

// aside reports whether a token begins issues or recommendations, whose text is
// not a value.
func aside(t *html.Token) bool {
	return t.Type == html.StartTagToken && (t.Data == "pre" || t.Data == "div" && classOf(t) == "issues")
}

func classOf(t *html.Token) string {
	for _, a := range t.Attr {
		if a.Key == "class" {
			return a.Val
		}
	}
	return ""
}

// end handles the file's end. The part before an error is used.
func (p *page) end() error {
	switch err := p.z.Err(); {
	case errors.Is(err, html.ErrBufferExceeded):
		p.to.bad.Add(p.to.at(p.line, p.column), "", "a piece of text or markup is longer than %d bytes; the rest of "+
			"the file is not read", maxToken)
	case err != io.EOF:
		return err
	}
	return nil
}
