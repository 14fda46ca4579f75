package machine

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"occudiff/report"
)

// Schema returns the JSON Schema of an output. It is derived from the Go types
// and columns, so it always agrees with the output. Every field is required
// unless it is omitted when empty. A pointer may be null, but a list may not.
// Fields that are not in the schema are not allowed. all contains all outputs
// of the program, because the schema of an output refers to the schemas of the
// outputs that it contains.
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
	// If an output has one form, the schema of the form is the root. If it has
	// several forms, the root lists them as alternatives.
	root := list[0]
	if len(list) > 1 {
		root = &jsonschema.Schema{OneOf: list}
	}
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.ID = "urn:" + strings.ReplaceAll(o.ID, "/", ":")
	explain(root, o.Name)
	root.Title, root.Description = o.ID, "The output of `"+o.Command+"`: "+o.Text
	return root, nil
}

// explain adds descriptions to the properties of an object at a path,
// recursively.
func explain(s *jsonschema.Schema, path string) {
	if s == nil {
		return
	}
	for name, p := range s.Properties {
		at := path + "." + name
		p.Description = report.Describe(at)
		explain(p, at)
	}
	for _, one := range append(s.OneOf, s.Items) {
		explain(one, path)
	}
}

// contract contains the schema IDs of the outputs by value type.
type contract map[reflect.Type]string

// schemaOf returns the schema for a type. v is a value with this type, because
// the schema also needs the columns of its tables. A type with its own JSON
// method is an error unless columns have it, too, because its fields do not
// describe the output.
func (c contract) schemaOf(v reflect.Value) (s *jsonschema.Schema, err error) {
	if column, known := report.ColumnFor(v.Type()); known {
		return cellSchema(&column), nil
	}
	s = &jsonschema.Schema{}
	switch x := v.Interface().(type) {
	case *report.Table:
		return tableSchema(x), nil
	case json.Marshaler, encoding.TextMarshaler:
		if v.Kind() != reflect.Pointer {
			return nil, fmt.Errorf("%T writes itself, so its type does not describe the output", x)
		}
	}
	switch v.Kind() {
	case reflect.Pointer:
		elem := v.Elem()
		if v.IsNil() {
			elem = reflect.Zero(v.Type().Elem())
		}
		if s, err = c.schemaOf(elem); err == nil {
			orNull(s)
		}
	case reflect.Slice: // an empty list is written as [], never as null
		elem := reflect.Zero(v.Type().Elem())
		if v.Len() > 0 {
			elem = v.Index(0)
		}
		s.Type = "array"
		s.Items, err = c.schemaOf(elem)
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
		// Programs that read the output select the schema by the field
		// "schema".
		if id := c[v.FieldByIndex(f.Index[:len(f.Index)-1]).Type()]; id != "" && name == "schema" {
			p.Const = jsonschema.Ptr[any](id)
		}
		addProperty(s, name, p, options != "omitempty")
	}
	return s, nil
}

// tableSchema returns the schema for a table's rows, or for its single row.
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

// rowSchema returns the schema for a table row.
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
			if f.column >= 0 && !f.omit && !columns[f.column].Is(report.Always) {
				orNull(object)
			}
			p = object
		}
		addProperty(s, f.name, p, !f.omit)
	}
	return s
}

// closedObject returns the schema of an object without properties. The object
// allows only the properties that the caller adds.
func closedObject() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
}

func addProperty(s *jsonschema.Schema, name string, p *jsonschema.Schema, required bool) {
	limit(p, name)
	s.Properties[name] = p
	s.PropertyOrder = append(s.PropertyOrder, name)
	if required {
		s.Required = append(s.Required, name)
	}
}

// orNull changes a schema so that it also allows null.
func orNull(s *jsonschema.Schema) { s.Type, s.Types = "", []string{"null", s.Type} }

// cellSchema returns the schema for the values of a column.
func cellSchema(c *report.Column) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "number"}
	switch c.Kind {
	case report.Text, report.Name:
		s.Type = "string"
	case report.Bool:
		s.Type = "boolean"
	case report.Integer: // sizes, lines, counts: never negative
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

// limit adds the minimum and maximum values of sizes and positions to a schema.
func limit(p *jsonschema.Schema, name string) {
	switch name {
	case "global", "local":
		p.MaxItems, p.Items.Minimum = jsonschema.Ptr(3), jsonschema.Ptr(1.0)
	case "line", "column":
		p.Minimum = jsonschema.Ptr(1.0) // positions start at 1; an unknown position is null
	}
}
