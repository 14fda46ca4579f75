// Package machine writes results for programs: JSON and CSV at full precision. It does not know kernels, statistics or
// how anything is shown to people.
package machine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"occudiff/report/rundoc"
)

// JSON writes a value of a contract as indented JSON with a final newline. Fields keep their order, and names keep
// their characters: `<` stays `<`, because the output is not put into a web page.
func JSON(w io.Writer, value any) error {
	if err := encoder(w).Encode(value); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

func encoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc
}

// noRows is a list of rows that JSONRows fills. Nothing else looks like it: no text of JSON holds a quote as it is.
const noRows = `"rows": []`

// JSONRows is JSON of a value whose lists of rows are empty and are filled while they are written, because a run that keeps
// every launch has more of them than should be in memory: the first empty list gets the first rows, and so on.
func JSONRows(w io.Writer, value any, rows ...iter.Seq[rundoc.ValidateRow]) error {
	var frame bytes.Buffer
	if err := encoder(&frame).Encode(value); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	rest := frame.Bytes()
	for _, list := range rows {
		head, tail, ok := bytes.Cut(rest, []byte(noRows))
		if !ok {
			return fmt.Errorf("writing JSON: %d lists of rows for fewer empty ones", len(rows))
		}
		rest = tail
		indent := head[bytes.LastIndexByte(head, '\n')+1:]
		if _, err := w.Write(append(head[:len(head):len(head)], noRows[:len(noRows)-1]...)); err != nil {
			return fmt.Errorf("writing JSON: %w", err)
		}
		if err := jsonList(w, string(indent), list); err != nil {
			return fmt.Errorf("writing JSON: %w", err)
		}
	}
	if _, err := w.Write(rest); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// jsonList writes the elements of a list that stands at an indent, and its end.
func jsonList(w io.Writer, indent string, rows iter.Seq[rundoc.ValidateRow]) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent+"  ", "  ")
	before := "\n" + indent + "  "
	after := ""
	for row := range rows {
		b.Reset()
		b.WriteString(before)
		if err := enc.Encode(row); err != nil {
			return err
		}
		if _, err := w.Write(b.Bytes()[:b.Len()-1]); err != nil {
			return err
		}
		before, after = ",\n"+indent+"  ", "\n"+indent
	}
	_, err := io.WriteString(w, after+"]")
	return err
}
