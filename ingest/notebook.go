package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"occudiff/ingest/note"
)

// maxNotebook bounds a notebook that is read: pictures in it are text too.
const maxNotebook = 64 << 20

// fromNotebook replaces src.R by what the cells of a Jupyter notebook printed, when the file is one: the exercise of the
// seeds is a notebook, and its outputs are the logs and job files that its commands showed. Each line stands in the line
// that the file has it in, as long as the file has a line for each.
func fromNotebook(src *Source) (is bool, err error) {
	head, err := peek(src)
	if err != nil || !isNotebook(head) {
		return false, err
	}
	raw, err := io.ReadAll(io.LimitReader(src.R, maxNotebook+1))
	if err != nil {
		return true, err
	}
	pos := note.Pos{File: src.Path}
	if len(raw) > maxNotebook {
		return true, note.Faultf(codeUnknown, pos, "clear the outputs that are pictures, or give what the cells printed as a file",
			"the notebook is larger than %d MiB", maxNotebook>>20)
	}
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	n := &notebook{raw: raw, in: json.NewDecoder(bytes.NewReader(raw))}
	if err := n.value(nil, false); err != nil {
		pos.Line = 1 + bytes.Count(raw[:min(n.in.InputOffset(), int64(len(raw)))], []byte{'\n'})
		what := fmt.Sprintf("the notebook is no JSON here: %v", err)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			what = "the notebook is cut off here"
		}
		return true, note.Faultf(codeDamaged, pos, "save the notebook again", "%s", what)
	}
	if len(bytes.TrimSpace(n.out.Bytes())) == 0 {
		return true, note.Faultf(codeUnknown, pos, "run its cells and save it, or give what they print as a file",
			"no cell of the notebook has printed anything")
	}
	src.replace(&n.out)
	return true, nil
}

// ofNotebook says of a fault that it is about what the cells of a notebook printed.
func ofNotebook(notebook bool, err error) error {
	if f, ok := errors.AsType[*note.Fault](err); ok && notebook {
		n := *f
		n.Text, n.Pos.Column = "the outputs of this notebook: "+f.Text, 0
		return &n
	}
	return err
}

// isNotebook says whether a text is a notebook, by what stands near its beginning: other keys sort before none of these.
func isNotebook(head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	return bytes.HasPrefix(head, []byte("{")) && bytes.Contains(head, []byte(`"cell_type"`)) &&
		(bytes.Contains(head, []byte(`"cells"`)) || bytes.Contains(head, []byte(`"worksheets"`)))
}

// notebook goes through the JSON of a notebook token by token, to know the line of each text.
type notebook struct {
	raw     []byte
	in      *json.Decoder
	out     bytes.Buffer
	counted int64 // bytes of raw whose lines are in line
	line    int   // line ends of the file before the last token
	written int   // line ends of out
	open    bool  // the last line of out has no end yet
	depth   int   // of the value that is read
}

// value reads a value, whose keys in the objects around it are given, and writes it where it is an output; listed says
// that it is one of a list.
func (n *notebook) value(keys []string, listed bool) error {
	const deepest = 64 // a notebook has eight levels, and those of its data are few
	t, err := n.in.Token()
	if err != nil {
		return err
	}
	if n.depth++; n.depth > deepest {
		return fmt.Errorf("more than %d brackets stand within each other", deepest)
	}
	defer func() { n.depth-- }()
	switch t := t.(type) {
	case string:
		if printed(keys) {
			n.text(t)
		}
		if !listed {
			n.end()
		}
	case json.Delim:
		for n.in.More() {
			in := keys
			if t == '{' {
				key, err := n.in.Token()
				if err != nil {
					return err
				}
				in = append(keys[:len(keys):len(keys)], key.(string))
			}
			if err := n.value(in, t == '['); err != nil {
				return err
			}
		}
		if _, err = n.in.Token(); t == '[' && printed(keys) {
			n.end()
		}
	}
	return err
}

// printed says whether a value is what a cell printed: of outputs their text, and that of data as plain text. What a
// program wrote to standard error is among it.
func printed(keys []string) bool {
	at := strings.Join(keys, "/")
	return strings.HasSuffix(at, "cells/outputs/text") || strings.HasSuffix(at, "cells/outputs/data/text/plain")
}

// text writes a text, in its line of the file where it can.
func (n *notebook) text(s string) {
	at := n.in.InputOffset()
	n.line += bytes.Count(n.raw[n.counted:at], []byte{'\n'})
	n.counted = at
	for !n.open && n.written < n.line {
		n.out.WriteByte('\n')
		n.written++
	}
	n.out.WriteString(s)
	n.written += strings.Count(s, "\n")
	n.open = s != "" && !strings.HasSuffix(s, "\n")
}

// end ends an output, which may have no line end.
func (n *notebook) end() {
	if n.open {
		n.text("\n")
	}
}
