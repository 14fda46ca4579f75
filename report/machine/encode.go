package machine

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"occudiff/report"
)

// encode appends a value whose lines after the first begin with indent. Structs, lists and tables are taken apart, and
// all else is left to encoding/json.
func (j *jsonWriter) encode(v reflect.Value, indent string) {
	switch {
	case !v.IsValid() || (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil():
		j.buf = append(j.buf, "null"...)
	case v.Type() == reflect.TypeFor[*report.Table]():
		j.table(v.Interface().(*report.Table), indent)
	case v.Type().Implements(reflect.TypeFor[json.Marshaler]()):
		j.plain(v, indent)
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		j.encode(v.Elem(), indent)
	case v.Kind() == reflect.Struct:
		j.fieldsOfStruct(v, indent)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8: // one that is nil is empty
		for i := range v.Len() {
			j.separate(i, '[', indent+"  ")
			j.encode(v.Index(i), indent+"  ")
		}
		j.end(v.Len(), "[]", indent)
	default:
		j.plain(v, indent)
	}
}

// fieldsOfStruct appends the fields that have a name. Names of a contract need no escapes. What is embedded is a value, and
// its fields stand where encoding/json puts them.
func (j *jsonWriter) fieldsOfStruct(v reflect.Value, indent string) {
	n := 0
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		value := v.FieldByIndex(f.Index)
		// The zero value is left out. encoding/json asks for an empty one, which differs for a list that is empty and not
		// nil.
		if !f.IsExported() || f.Anonymous || name == "-" || options == "omitempty" && value.IsZero() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		j.separate(n, '{', indent+"  ")
		n++
		j.buf = append(j.buf, `"`+name+`": `...)
		j.encode(value, indent+"  ")
	}
	j.end(n, "{}", indent)
}

// text appends a text, the usual one without a detour.
func (j *jsonWriter) text(s string) {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' || s[i] == '"' || s[i] == '\\' {
			j.plain(reflect.ValueOf(s), "")
			return
		}
	}
	j.buf = append(append(append(j.buf, '"'), s...), '"')
}

// plain leaves a value to encoding/json, and indents what follows its first line.
func (j *jsonWriter) plain(v reflect.Value, indent string) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(indent, "  ")
	if err := enc.Encode(v.Interface()); err != nil {
		j.fail(err)
		return
	}
	j.buf = append(j.buf, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
}
