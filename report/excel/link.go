package excel

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"occudiff/report"
)

// link lets the first cells of the rows of a list lead to rows of another table. The library sets the first link, which
// makes the frame of the others; these the archive puts in, once all sheets are laid out: the library looks through all
// of a sheet's links for each that it adds.
func (b *book) link(sheet string, w *rowWriter) error {
	if w.linked == 0 {
		return nil
	}
	at, ok := b.target(w.table, w.first)
	if !ok {
		return nil
	}
	if err := b.file.SetCellHyperLink(sheet, address(1, w.top), at, "Location"); err != nil {
		return err
	}
	b.links[b.partName()] = func(out io.Writer) error { return b.writeLinks(out, w) }
	return nil
}

// target gives the cell that a row leads to: false when it stands on no sheet, or beyond the first of several.
func (b *book) target(t *report.Table, row int) (string, bool) {
	to := t.LinkRows[row]
	at, ok := b.placed[t.LinkTable]
	if !ok || at.row+to > b.maxRows {
		return "", false
	}
	return "'" + strings.ReplaceAll(at.sheet, "'", "''") + "'!A" + strconv.Itoa(at.row+to), true
}

func (b *book) writeLinks(out io.Writer, w *rowWriter) error {
	var buf bytes.Buffer
	for r := w.first + 1; r < w.first+w.linked; r++ {
		if at, ok := b.target(w.table, r); ok {
			fmt.Fprintf(&buf, `<hyperlink ref="A%d" location="%s"/>`, w.top+r-w.first, appendEscaped(nil, at))
		}
	}
	_, err := out.Write(buf.Bytes())
	return err
}
