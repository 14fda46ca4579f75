package machine

import (
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// Schema makes the JSON Schema of an output from the Go types and the columns
// that are written, so that the two cannot drift apart: every field is required
// unless it is left out when empty, a pointer may be null, a list may not, and
// nothing else may be there. all are the outputs of the program; an output that
// holds another one names it.
func Schema(o *report.Schema, all []report.Schema) (*jsonschema.Schema, error) {
	c := contract{}
	for _, other := range all {
		for _, v := range other.Values {
			c[reflect.TypeOf(v)] = other.ID
		}
	}
	var list []*jsonschema.Schema
	for _, v := range o.Values {
		s, err := c.schemaOf(reflect.ValueOf(v))
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", o.ID, err)
		}
		list = append(list, s)
	}
	// A command with one form of output has it at the root; several are
	// alternatives.
	root := list[0]
	if len(list) > 1 {
		root = &jsonschema.Schema{OneOf: list}
	}
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.ID = "urn:" + strings.ReplaceAll(o.ID, "/", ":")
	root.Title, root.Description = o.ID, "The output of `"+o.Command+"`: "+o.Text
	return root, nil
}

// Fields are the names of all fields, with what their schemas say of them. They
// are what 'occudiff explain' knows of JSON. An output without a schema gives
// none.
func Fields(all []report.Schema) (list []report.Term) {
	known := map[string]bool{}
	for i := range all {
		var look func(s *jsonschema.Schema)
		look = func(s *jsonschema.Schema) {
			if s == nil {
				return
			}
			for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
				p := s.Properties[name]
				means := strings.TrimPrefix(p.Description+". In the JSON of "+all[i].Command+".", ". ")
				// A field that means the same in several outputs is one term.
				if !known[name+means] {
					known[name+means] = true
					list = append(list, report.Term{Name: name, Kind: "field", Meaning: report.UpperFirst(means)})
				}
				look(p)
			}
			look(s.Items)
			for _, one := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
				look(one)
			}
		}
		if s, err := Schema(&all[i], all); err == nil {
			look(s)
		}
	}
	return list
}

// contract has the names of the outputs, by the types of their values.
type contract map[reflect.Type]string

// schemaOf is the schema of the values of a type. v is one of them: what a
// table in it has of columns counts. A type that writes itself is an error
// unless it is known here: its fields say nothing of the output.
func (c contract) schemaOf(v reflect.Value) (*jsonschema.Schema, error) {
	if t, ok := v.Interface().(*report.Table); ok {
		return tableSchema(t), nil
	}
	elem, optional := v, v.Kind() == reflect.Pointer
	if value := v.MethodByName("Value"); value.IsValid() { // of unit.Opt
		elem, optional = reflect.Zero(value.Type().Out(0)), true
	} else if optional && v.IsNil() {
		elem = reflect.Zero(v.Type().Elem())
	} else if optional {
		elem = v.Elem()
	}
	if optional {
		s, err := c.schemaOf(elem)
		if err == nil {
			orNull(s)
		}
		return s, err
	}
	s := &jsonschema.Schema{}
	switch v.Interface().(type) {
	case unit.Ratio, unit.Points, unit.Seconds:
		s.Type = "number"
	case unit.Size3:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "integer"}
	case time.Time:
		s.Type, s.Format = "string", "date-time"
	case json.Marshaler, encoding.TextMarshaler:
		return nil, fmt.Errorf("%s writes itself, so its type says nothing of the output", v.Type())
	default:
		return c.plainSchema(v)
	}
	return s, nil
}

// plainSchema is the schema of a type that encoding/json knows.
func (c contract) plainSchema(v reflect.Value) (s *jsonschema.Schema, err error) {
	s = &jsonschema.Schema{}
	switch v.Kind() {
	case reflect.String:
		s.Type = "string"
	case reflect.Bool:
		s.Type = "boolean"
	case reflect.Float64:
		s.Type = "number"
	case reflect.Int, reflect.Int64: // sizes, lines, counts: never less than none
		s.Type, s.Minimum = "integer", jsonschema.Ptr(0.0)
	case reflect.Slice: // an empty list is [], never null
		elem := reflect.Zero(v.Type().Elem())
		if v.Len() > 0 {
			elem = v.Index(0)
		}
		s.Type = "array"
		s.Items, err = c.schemaOf(elem)
	case reflect.Map:
		s.Type = "object"
		s.AdditionalProperties, err = c.schemaOf(reflect.Zero(v.Type().Elem()))
	case reflect.Struct:
		return c.structSchema(v)
	default:
		err = fmt.Errorf("%s is no type of JSON", v.Type())
	}
	return s, err
}

func (c contract) structSchema(v reflect.Value) (*jsonschema.Schema, error) {
	s := closedObject()
	for _, f := range reflect.VisibleFields(v.Type()) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous || !f.IsExported() || name == "-":
			continue
		case name == "":
			return nil, fmt.Errorf("%s.%s: the field has no JSON name", v.Type(), f.Name)
		}
		p, err := c.schemaOf(v.FieldByIndex(f.Index))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		p.Description = f.Tag.Get("jsonschema")
		// The value tells readers which schema to hold the output against.
		if id := c[v.FieldByIndex(f.Index[:len(f.Index)-1]).Type()]; id != "" && name == "schema" {
			p.Const = jsonschema.Ptr[any](id)
		}
		addProperty(s, name, p, options != "omitempty")
	}
	return s, nil
}

// tableSchema is the schema of the rows of a table, or of its one row.
func tableSchema(t *report.Table) *jsonschema.Schema {
	row := rowSchema(fieldsOf(t.Columns), t.Columns)
	switch {
	case !t.One:
		return &jsonschema.Schema{Type: "array", Items: row}
	case t.Len == 0:
		orNull(row)
	}
	return row
}

// rowSchema is the schema of the objects that the rows of a table are.
func rowSchema(fields []field, columns []report.Column) *jsonschema.Schema {
	s := closedObject()
	for i := range fields {
		f := &fields[i]
		p := &jsonschema.Schema{}
		if f.column >= 0 {
			p = cellSchema(&columns[f.column])
		}
		if len(f.fields) > 0 {
			object := rowSchema(f.fields, columns)
			object.Description = p.Description
			if f.column >= 0 && !f.omit && !columns[f.column].Is(report.Always) {
				orNull(object)
			}
			p = object
		}
		addProperty(s, f.name, p, !f.omit)
	}
	return s
}

// closedObject is the schema of an object without other properties than those
// that are added.
func closedObject() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
}

func addProperty(s *jsonschema.Schema, name string, p *jsonschema.Schema, required bool) {
	describe(p, name)
	s.Properties[name] = p
	s.PropertyOrder = append(s.PropertyOrder, name)
	if required {
		s.Required = append(s.Required, name)
	}
}

// orNull lets a value be null.
func orNull(s *jsonschema.Schema) { s.Type, s.Types = "", []string{"null", s.Type} }

// cellSchema is the schema of the values of a column.
func cellSchema(c *report.Column) *jsonschema.Schema {
	s := &jsonschema.Schema{Description: c.Doc, Type: "number"}
	switch c.Kind {
	case report.Text, report.Name:
		s.Type = "string"
	case report.Bool:
		s.Type = "boolean"
	case report.Integer: // sizes, lines, counts: never less than none
		s.Type, s.Minimum = "integer", jsonschema.Ptr(0.0)
	case report.Size, report.Integers:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "integer"}
	case report.Array:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "string"}
		if report.IsList(c.Of) {
			s.Items = cellSchema(&c.Of[0])
		} else if c.Of != nil {
			s.Items = rowSchema(fieldsOf(c.Of), c.Of)
		}
	}
	if !c.Is(report.Always | report.Optional) {
		orNull(s)
	}
	return s
}

// describe adds what the contract says of fields of a name: their unit, and the
// bounds of sizes and places. Units are known by the ends of names, which is
// what the names of a contract are for; a description of the field itself wins.
func describe(p *jsonschema.Schema, name string) {
	switch name {
	case "global", "local":
		p.MaxItems, p.Items.Minimum = jsonschema.Ptr(3), jsonschema.Ptr(1.0)
	case "line", "column":
		p.Minimum = jsonschema.Ptr(1.0) // a place that is not known is null
	}
	for _, u := range [][2]string{
		{"_percent", "percent, 0..100"}, {"_points", "percentage points"}, {"seconds", "seconds"}, {"_bytes", "bytes"},
	} {
		if p.Description == "" && strings.HasSuffix(name, u[0]) {
			p.Description = u[1]
		}
	}
}
