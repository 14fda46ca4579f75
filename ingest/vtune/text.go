package vtune

import (
	"bytes"
	"context"
	"strings"

	"occudiff/ingest"
	"occudiff/ingest/scan"
	"occudiff/ingest/table"
)

// Text reads what vtune prints without -format csv: an export's columns, as a
// table under a dashed line. Values have units and thousands separators, and
// times have three decimals.
var Text = ingest.Format{Kind: Format.Kind, Description: Format.Description, Sniff: sniffText, Read: readTable}

// sniffText reports whether the text contains a header that begins with a key
// column, above a dashed line.
func sniffText(head []byte) bool {
	before := ""
	for line := range bytes.Lines(head) {
		text := textLine(line)
		if table.Dashes(text) != nil && before != "" {
			return true
		}
		before = textHeader(text)
	}
	return false
}

// readTable returns the table's content. It converts the table to an export, line by
// line, and reads that.
func readTable(ctx context.Context, src *ingest.Source, opt ingest.ReadOptions) (*ingest.File, error) {
	in := table.NewLines(ctx, src, opt)
	// The export reader reads it, so that both forms have the same rules,
	// messages, and positions.
	var out bytes.Buffer
	var columns *table.Dashed
	for header := ""; in.Next(); {
		text, before := textLine(in.Text), header
		header = textHeader(text)
		switch c := table.Dashes(text); {
		case c != nil && before != "":
			columns = c
			out.Truncate(out.Len() - 1) // the header's line
			writeRow(&out, c.Cells(before))
			out.WriteByte('\n')
		case columns == nil || text == "" || header != "" || isMessage([]byte(text)):
			out.WriteByte('\n')
		default:
			row := columns.Cells(text)
			switch {
			case strings.Join(row[1:], "") == "": // a task without values
				out.WriteByte('\n')
				continue
			case !columns.InColumns(text) || in.Cut:
				row = row[:1] // a single cell, which the export reader reports
			}
			writeRow(&out, row)
		}
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	s := scan.New(scan.Input{Size: int64(out.Len()), R: &out}, scan.Options{Threads: opt.Threads})
	f, err := read(ctx, src.Path, s, opt)
	if err != nil {
		return nil, err
	}
	f.ForgetColumns() // columns in the converted export, not in the file
	return f, nil
}

// writeRow writes an export's row.
func writeRow(out *bytes.Buffer, cells []string) {
	for i, c := range cells {
		cells[i] = strings.ReplaceAll(c, `"`, `""`)
	}
	out.WriteString(`"` + strings.Join(cells, `","`) + "\"\n")
}

// textLine returns a line as a terminal shows it.
func textLine(line []byte) string {
	text := strings.TrimRight(string(table.Plain(line)), " \t\r\n")
	return text[strings.LastIndexByte(text, '\r')+1:]
}

// textHeader returns the table header in a line, possibly after a message, or
// "".
func textHeader(line string) string {
	for _, key := range keyColumns {
		if i := strings.Index(line, key+"  "); i == 0 || i > 0 && isMessage([]byte(line)) {
			return line[i:]
		}
	}
	return ""
}
