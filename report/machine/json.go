// Package machine writes results for programs: JSON and CSV at full precision, JUnit XML and annotations. It does not know
// kernels, statistics or how anything is shown to people.
package machine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"
)

// JSON writes a value of a contract as indented JSON with a final newline. Fields keep their order, and names keep
// their characters: `<` stays `<`, because the output is not put into a web page. Streams are written element by element.
func JSON(w io.Writer, value any) error {
	out := &jsonWriter{w: bufio.NewWriterSize(w, 64<<10), streams: map[reflect.Type]bool{}}
	err := out.value(reflect.ValueOf(value), "")
	if err == nil {
		err = out.w.WriteByte('\n')
	}
	if err == nil {
		err = out.w.Flush()
	}
	if err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// stream is a report.Stream of any type.
type stream interface{ Each(yield func(any) bool) }

// jsonWriter writes what holds a stream piece by piece, as encoding/json would with an indent of two spaces, and leaves all
// else to it.
type jsonWriter struct {
	w       *bufio.Writer
	buf     bytes.Buffer
	streams map[reflect.Type]bool // whether a type holds a stream
}

func (j *jsonWriter) value(v reflect.Value, indent string) error {
	if !v.IsValid() || !j.holdsStream(v.Type()) {
		return j.plain(v, indent)
	}
	if s, ok := v.Interface().(stream); ok {
		return j.list(s.Each, indent)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return j.plain(v, indent)
		}
		return j.value(v.Elem(), indent)
	case reflect.Slice:
		return j.list(func(yield func(any) bool) {
			for i := range v.Len() {
				if !yield(v.Index(i).Interface()) {
					return
				}
			}
		}, indent)
	}
	return j.object(v, indent)
}

// object writes a struct one of whose fields is or holds a stream. Each field has a name of its own in the tag.
func (j *jsonWriter) object(v reflect.Value, indent string) error {
	before := "{\n" + indent + "  "
	for i := range v.NumField() {
		_, err := j.w.WriteString(before + strconv.Quote(v.Type().Field(i).Tag.Get("json")) + ": ")
		if err != nil {
			return err
		}
		if err := j.value(v.Field(i), indent+"  "); err != nil {
			return err
		}
		before = ",\n" + indent + "  "
	}
	_, err := j.w.WriteString("\n" + indent + "}")
	return err
}

func (j *jsonWriter) list(each func(func(any) bool), indent string) (err error) {
	before, after := "[\n"+indent+"  ", "[]"
	each(func(x any) bool {
		if _, err = j.w.WriteString(before); err == nil {
			err = j.value(reflect.ValueOf(x), indent+"  ")
		}
		before, after = ",\n"+indent+"  ", "\n"+indent+"]"
		return err == nil
	})
	if err == nil {
		_, err = j.w.WriteString(after)
	}
	return err
}

// plain writes a value by encoding/json.
func (j *jsonWriter) plain(v reflect.Value, indent string) error {
	var value any
	if v.IsValid() {
		value = v.Interface()
	}
	j.buf.Reset()
	enc := json.NewEncoder(&j.buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, "  ")
	if err := enc.Encode(value); err != nil {
		return err
	}
	_, err := j.w.Write(bytes.TrimSuffix(j.buf.Bytes(), []byte("\n")))
	return err
}

func (j *jsonWriter) holdsStream(t reflect.Type) bool {
	if t.Implements(reflect.TypeFor[stream]()) {
		return true
	}
	holds, known := j.streams[t]
	if known {
		return holds
	}
	j.streams[t] = false // a type that holds itself
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		holds = j.holdsStream(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			holds = holds || j.holdsStream(t.Field(i).Type)
		}
	}
	j.streams[t] = holds
	return holds
}
