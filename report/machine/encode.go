package machine

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/report"
)

// encoder appends the values of one type. How is decided once per type, not once per value.
type encoder func(j *jsonWriter, v reflect.Value, indent string)

// appender is a value of package unit.
// It writes its own bytes into the buffer; MarshalJSON would make a slice for each value.
type appender interface{ AppendJSON(b []byte) []byte }

func (j *jsonWriter) encoderOf(t reflect.Type) encoder {
	if e := j.encoders[t]; e != nil {
		return e
	}
	j.encoders[t] = encodePlain // of a type that holds itself
	e := j.newEncoder(t)
	j.encoders[t] = e
	return e
}

func (j *jsonWriter) newEncoder(t reflect.Type) encoder {
	switch {
	case t == reflect.TypeFor[*report.Table]():
		return func(j *jsonWriter, v reflect.Value, indent string) {
			if v.IsNil() {
				j.buf = append(j.buf, "null"...)
				return
			}
			j.table(v.Interface().(*report.Table), indent)
		}
	case reflect.PointerTo(t).Implements(reflect.TypeFor[appender]()) && t.Kind() != reflect.Pointer:
		return encodeAppender
	// Asked for the pointer, since methods may have either receiver.
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()),
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return encodePlain
	}
	switch t.Kind() {
	case reflect.String:
		return encodeString
	case reflect.Int, reflect.Int64:
		return func(j *jsonWriter, v reflect.Value, _ string) { j.buf = strconv.AppendInt(j.buf, v.Int(), 10) }
	case reflect.Float64:
		return func(j *jsonWriter, v reflect.Value, indent string) {
			if x := v.Float(); x-x == 0 { // neither NaN nor an infinity, for which encoding/json gives an error
				j.buf = unit.Points(x).AppendJSON(j.buf)
				return
			}
			encodePlain(j, v, indent)
		}
	case reflect.Interface:
		return func(j *jsonWriter, v reflect.Value, indent string) { j.encode(v.Elem(), indent) }
	case reflect.Pointer:
		elem := j.encoderOf(t.Elem())
		return func(j *jsonWriter, v reflect.Value, indent string) {
			if v.IsNil() {
				j.buf = append(j.buf, "null"...)
				return
			}
			elem(j, v.Elem(), indent)
		}
	case reflect.Slice: // one that is nil is empty
		if t.Elem().Kind() != reflect.Uint8 {
			return listEncoder(j.encoderOf(t.Elem()))
		}
	case reflect.Struct:
		return j.structEncoder(t)
	}
	return encodePlain
}

func listEncoder(elem encoder) encoder {
	return func(j *jsonWriter, v reflect.Value, indent string) {
		inner := indent + "  "
		for i := range v.Len() {
			j.separate(i, '[', inner)
			elem(j, v.Index(i), inner)
		}
		j.end(v.Len(), "[]", indent)
	}
}

// structEncoder writes the fields that have a name. Names of a contract need no escapes.
// Embedded structs are values: the way to a field through a pointer would panic. Their fields stand where encoding/json
// puts them.
func (j *jsonWriter) structEncoder(t reflect.Type) encoder {
	type field struct {
		name      string
		index     []int
		encode    encoder
		omitEmpty bool
	}
	var fields []field
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && name != "-" {
			if name == "" {
				name = f.Name
			}
			fields = append(fields, field{`"` + name + `": `, f.Index, j.encoderOf(f.Type), options == "omitempty"})
		}
	}
	return func(j *jsonWriter, v reflect.Value, indent string) {
		inner, n := indent+"  ", 0
		for i := range fields {
			f := &fields[i]
			value := v.Field(f.index[0])
			for _, k := range f.index[1:] {
				value = value.Field(k)
			}
			// The zero value is left out. encoding/json asks for an empty one, which differs for a list that is empty
			// and not nil.
			if f.omitEmpty && value.IsZero() {
				continue
			}
			j.separate(n, '{', inner)
			n++
			j.buf = append(j.buf, f.name...)
			f.encode(j, value, inner)
		}
		j.end(n, "{}", indent)
	}
}

func encodeAppender(j *jsonWriter, v reflect.Value, indent string) {
	if !v.CanAddr() {
		// What stands in an interface or a map has no address, which methods of pointers need.
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		v = p.Elem()
	}
	at := len(j.buf)
	j.buf = v.Addr().Interface().(appender).AppendJSON(j.buf)
	if j.buf[at] == '[' { // a list goes over several lines
		j.indent(j.buf[at:], at, indent)
	}
}

func encodeString(j *jsonWriter, v reflect.Value, _ string) { j.text(v.String()) }

// text appends a text, the usual one without a detour.
func (j *jsonWriter) text(s string) {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			encodePlain(j, reflect.ValueOf(s), "")
			return
		}
	}
	j.buf = append(append(append(j.buf, '"'), s...), '"')
}

// encodePlain leaves a value to encoding/json.
func encodePlain(j *jsonWriter, v reflect.Value, indent string) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v.Interface()); err != nil {
		j.fail(err)
		return
	}
	j.indent(bytes.TrimSuffix(b.Bytes(), []byte("\n")), len(j.buf), indent)
}

// indent puts compact JSON at a place of the output, with what follows its first line indented.
func (j *jsonWriter) indent(compact []byte, at int, indent string) {
	j.spare.Reset()
	if err := json.Indent(&j.spare, compact, indent, "  "); err != nil {
		j.fail(err)
	}
	j.buf = append(j.buf[:at], j.spare.Bytes()...)
}
