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

// Schema makes the JSON Schema of an output from the Go types and the columns that are written, so that the two cannot
// drift apart: every field is required unless it is left out when empty, a pointer may be null, a list may not, and
// nothing else may be there. all are the outputs of the program; an output that holds another one names it.
func Schema(o *report.Output, all []report.Output) (*jsonschema.Schema, error) {
	c := &contract{ids: map[reflect.Type]string{}}
	for _, other := range all {
		for _, v := range other.Values {
			c.ids[reflect.TypeOf(v)] = other.ID
		}
	}
	var list []*jsonschema.Schema
	for _, v := range o.Values {
		t := reflect.TypeOf(v)
		s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: unitSchemas()})
		if err == nil {
			err = c.apply(s, reflect.ValueOf(v), t.Name())
		}
		if err != nil {
			return nil, fmt.Errorf("schema of %s: %w", o.ID, err)
		}
		list = append(list, s)
	}
	// A command with one form of output has it at the root; several are alternatives.
	root := list[0]
	if len(list) > 1 {
		root = &jsonschema.Schema{OneOf: list}
	}
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.ID = "urn:" + strings.ReplaceAll(o.ID, "/", ":")
	root.Title, root.Description = o.ID, "The output of `"+o.Command+"`: "+o.Text
	return root, nil
}

// Fields are the names of all fields, with what their schemas say of them.
// They are what 'occudiff explain' knows of JSON. An output without a schema gives none.
func Fields(all []report.Output) (list []report.Term) {
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
					list = append(list, report.Term{Name: name, Kind: "field", Means: report.UpperFirst(means)})
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

// rowSchema is the schema of the objects that the rows of a table are.
func rowSchema(fields []field, columns []report.Column) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for i := range fields {
		f := &fields[i]
		p := &jsonschema.Schema{}
		if f.column >= 0 {
			p = cellSchema(&columns[f.column])
		}
		if len(f.fields) > 0 {
			object := rowSchema(f.fields, columns)
			object.Description = p.Description
			if f.column >= 0 && !f.omit && !columns[f.column].Always {
				object.Type, object.Types = "", []string{"null", "object"}
			}
			p = object
		}
		describe(p, f.name)
		s.Properties[f.name] = p
		s.PropertyOrder = append(s.PropertyOrder, f.name)
		if !f.omit {
			s.Required = append(s.Required, f.name)
		}
	}
	return s
}

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
	case report.Size:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "integer"}
	case report.Array:
		s.Type, s.Items = "array", &jsonschema.Schema{Type: "string"}
		if report.IsList(c.Of) {
			s.Items = cellSchema(&c.Of[0])
		} else if c.Of != nil {
			s.Items = rowSchema(fieldsOf(c.Of), c.Of)
		}
	}
	if !c.Always && !c.Optional {
		s.Type, s.Types = "", []string{"null", s.Type}
	}
	return s
}

// unitSchemas are those of the values of package unit, which write themselves, and of tables, which their columns give.
// They must follow MarshalJSON of these types: a Ratio is written as a percentage, and what may be absent as null.
func unitSchemas() map[reflect.Type]*jsonschema.Schema {
	either := func(types ...string) *jsonschema.Schema { return &jsonschema.Schema{Types: types} }
	count := &jsonschema.Schema{Types: []string{"null", "integer"}, Minimum: jsonschema.Ptr(0.0)}
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[report.Table]():           {Type: "array"},
		reflect.TypeFor[unit.Ratio]():             {Type: "number"},
		reflect.TypeFor[unit.Points]():            {Type: "number"},
		reflect.TypeFor[unit.Seconds]():           {Type: "number"},
		reflect.TypeFor[unit.Opt[unit.Ratio]]():   either("null", "number"),
		reflect.TypeFor[unit.Opt[unit.Points]]():  either("null", "number"),
		reflect.TypeFor[unit.Opt[unit.Seconds]](): either("null", "number"),
		reflect.TypeFor[unit.Opt[float64]]():      either("null", "number"),
		reflect.TypeFor[unit.Opt[int]]():          count,
		reflect.TypeFor[unit.Opt[int64]]():        count,
		reflect.TypeFor[unit.Opt[unit.Bytes]]():   count,
		reflect.TypeFor[unit.Opt[bool]]():         either("null", "boolean"),
		reflect.TypeFor[unit.Opt[string]]():       either("null", "string"),
		reflect.TypeFor[unit.Size3]():             {Type: "array", Items: &jsonschema.Schema{Type: "integer"}},
	}
}

// contract adds to a schema what its Go type does not say: columns, units, and that counts and places are not negative.
type contract struct{ ids map[reflect.Type]string }

// apply goes through a schema and a value of its type side by side; at is Type.name of the field, for errors.
// A type that writes itself is an error: its Go fields say nothing of the output.
func (c *contract) apply(s *jsonschema.Schema, v reflect.Value, at string) error {
	t := v.Type()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
		if v.IsNil() {
			v = reflect.Zero(t)
		} else {
			v = v.Elem()
		}
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		s.Format = "date-time"
		return nil
	case t == reflect.TypeFor[report.Table]():
		table := v.Interface().(report.Table)
		columns := table.Columns
		if table.One {
			object := rowSchema(fieldsOf(columns), columns)
			if object.Description = s.Description; table.Len == 0 {
				object.Type, object.Types = "", []string{"null", "object"}
			}
			*s = *object
			return nil
		}
		if len(columns) == 0 {
			return fmt.Errorf("%s: a table without columns says nothing of the output", at)
		}
		s.Type, s.Types, s.Items = "array", nil, rowSchema(fieldsOf(columns), columns)
		return nil
	case unitSchemas()[t] != nil:
		return nil
	case t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return fmt.Errorf("%s: %s writes itself, so its type says nothing of the output", at, t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return c.object(s, v)
	case reflect.Slice, reflect.Array:
		s.Type, s.Types = "array", nil // an empty list is [], never null
		if v.Len() > 0 {
			return c.apply(s.Items, v.Index(0), at)
		}
		return c.apply(s.Items, reflect.Zero(t.Elem()), at)
	case reflect.Map:
		return c.apply(s.AdditionalProperties, reflect.Zero(t.Elem()), at)
	case reflect.Int, reflect.Int64: // sizes, lines, counts: never less than none
		s.Minimum = jsonschema.Ptr(0.0)
	}
	return nil
}

func (c *contract) object(s *jsonschema.Schema, v reflect.Value) error {
	t := v.Type()
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous || !f.IsExported() || name == "-":
			continue
		case name == "":
			return fmt.Errorf("%s.%s: the field has no JSON name", t, f.Name)
		}
		p := s.Properties[name]
		// The value tells readers which schema to hold the output against.
		owner := t
		if len(f.Index) > 1 {
			owner = t.FieldByIndex(f.Index[:len(f.Index)-1]).Type
		}
		if id := c.ids[owner]; id != "" && name == "schema" {
			p.Const = jsonschema.Ptr[any](id)
			continue
		}
		value, err := v.FieldByIndexErr(f.Index)
		if err != nil { // in a struct that is nil
			value = reflect.Zero(f.Type)
		}
		if err := c.apply(p, value, owner.Name()+"."+name); err != nil {
			return err
		}
		describe(p, name)
	}
	return nil
}

// describe adds what the contract says of fields of a name: their unit, and the bounds of sizes and places.
// Units are known by the ends of names, which is what the names of a contract are for; a description of the field
// itself wins.
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
