// Package machine writes results for programs: JSON and CSV at full precision, JUnit XML and annotations. It does not
// know kernels, statistics or how anything is shown to people.
package machine

import (
	"bufio"
	"fmt"
	"io"
	"reflect"

	"occudiff/report"
)

// JSON writes a value of a contract as indented JSON with a final newline, in the bytes of encoding/json, but that no
// list is null: one that is nil is empty. Fields keep their order, and names keep their characters: `<` stays `<`,
// because the output is not put into a web page.
//
// It has an encoder of its own for tables, which are written row by row: a run that keeps every launch has more rows
// than should be in memory.
func JSON(w io.Writer, value any) error {
	j := &jsonWriter{w: bufio.NewWriterSize(w, 64<<10), fields: map[*report.Column][]field{}}
	j.encode(reflect.ValueOf(value), "")
	j.buf = append(j.buf, '\n')
	j.flush()
	if j.err == nil {
		j.err = j.w.Flush()
	}
	if j.err != nil {
		return fmt.Errorf("writing JSON: %w", j.err)
	}
	return nil
}

// jsonWriter collects the output in buf and writes that between the elements of long lists.
// An error ends a table early and nothing else: what follows it is made and not written.
type jsonWriter struct {
	w      *bufio.Writer
	buf    []byte
	fields map[*report.Column][]field // of tables whose columns many rows share
	err    error                      // the first one
}

func (j *jsonWriter) flush() {
	if j.err == nil {
		_, j.err = j.w.Write(j.buf)
	}
	j.buf = j.buf[:0]
}

func (j *jsonWriter) fail(err error) {
	if j.err == nil {
		j.err = err
	}
}

// separate begins the nth part of a list or an object on a line of its own.
func (j *jsonWriter) separate(n int, open byte, indent string) {
	if n > 0 {
		open = ','
	}
	j.buf = append(append(j.buf, open, '\n'), indent...)
}

// end closes a list or an object of n parts.
func (j *jsonWriter) end(n int, brackets, indent string) {
	if n == 0 {
		j.buf = append(j.buf, brackets...)
		return
	}
	j.buf = append(append(append(j.buf, '\n'), indent...), brackets[1])
}
