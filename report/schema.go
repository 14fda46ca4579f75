package report

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// draft is the dialect of the schemas.
const draft = "https://json-schema.org/draft/2020-12/schema"

// Schema is a JSON Schema, or a part of one. Its fields stand in the order in which people read them.
type Schema struct {
	Dialect     string      `json:"$schema,omitempty"`
	ID          string      `json:"$id,omitempty"`
	Title       string      `json:"title,omitempty"`
	Description string      `json:"description,omitempty"`
	Ref         string      `json:"$ref,omitempty"`
	Type        any         `json:"type,omitempty"` // a word, or a list of words
	Const       string      `json:"const,omitempty"`
	Enum        []any       `json:"enum,omitempty"`
	Format      string      `json:"format,omitempty"`
	Minimum     *int        `json:"minimum,omitempty"`
	Properties  *properties `json:"properties,omitempty"`
	Required    []string    `json:"required,omitempty"`
	Additional  any         `json:"additionalProperties,omitempty"` // false, or the schema of a map's values
	Items       *Schema     `json:"items,omitempty"`
	MaxItems    *int        `json:"maxItems,omitempty"`
	AnyOf       []*Schema   `json:"anyOf,omitempty"`
	OneOf       []*Schema   `json:"oneOf,omitempty"`
	Defs        *properties `json:"$defs,omitempty"`
}

// properties are schemas by name, in order.
type properties struct{ list []property }

type property struct {
	name   string
	schema *Schema
}

func (p *properties) find(name string) *Schema {
	for _, x := range p.list {
		if x.name == name {
			return x.schema
		}
	}
	return nil
}

// MarshalJSON implements json.Marshaler; a Go map would lose the order.
func (p *properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range p.list {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(x.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(x.schema)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// SchemaOf makes the schema of an output from the Go types that are written, so that the two cannot drift apart: every field is
// required unless it is left out when empty, a pointer may be null, nothing else may be there. Words come from a table.
func SchemaOf(o *Output) (*Schema, error) {
	g := &schemaMaker{names: map[reflect.Type]string{}, defs: &properties{}, words: schemaWords(), notes: schemaNotes(), ids: map[reflect.Type]string{}}
	for _, other := range Outputs() {
		for _, v := range other.values {
			g.ids[reflect.TypeOf(v)] = other.ID
		}
	}
	root := &Schema{}
	if len(o.values) == 1 {
		s, err := g.object(reflect.TypeOf(o.values[0]))
		if err != nil {
			return nil, err
		}
		root = s
	} else {
		for _, v := range o.values {
			s, err := g.schema(reflect.TypeOf(v), "")
			if err != nil {
				return nil, err
			}
			root.OneOf = append(root.OneOf, s)
		}
	}
	root.Dialect, root.ID = draft, "urn:"+strings.ReplaceAll(o.ID, "/", ":")
	root.Title, root.Description = o.ID, "The output of `"+o.Command+"`: "+o.Text
	if len(g.defs.list) > 0 {
		root.Defs = g.defs
	}
	return root, nil
}

// schemaMaker makes one schema; structs become definitions.
type schemaMaker struct {
	names map[reflect.Type]string
	defs  *properties
	words map[string][]string
	notes map[string]string
	ids   map[reflect.Type]string
}

// schema gives the schema of a type; field is Type.name of the field that has it.
func (g *schemaMaker) schema(t reflect.Type, field string) (*Schema, error) {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &Schema{Type: "string", Format: "date-time"}, nil
	case t.Kind() == reflect.Pointer:
		s, err := g.schema(t.Elem(), field)
		if err != nil {
			return nil, err
		}
		return nullable(s), nil
	case t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return nil, fmt.Errorf("schema of %s: %s writes itself, so its type says nothing of the output", field, t)
	}
	switch t.Kind() {
	case reflect.Struct:
		return g.ref(t)
	case reflect.Slice, reflect.Array:
		items, err := g.schema(t.Elem(), field)
		return &Schema{Type: "array", Items: items}, err
	case reflect.Map:
		values, err := g.schema(t.Elem(), field)
		return &Schema{Type: "object", Additional: values}, err
	case reflect.String:
		return g.text(field), nil
	case reflect.Bool:
		return &Schema{Type: "boolean"}, nil
	case reflect.Float32, reflect.Float64:
		return &Schema{Type: "number"}, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		zero := 0 // whatever is counted here, sizes, lines and work-groups, it is never less than none
		return &Schema{Type: "integer", Minimum: &zero}, nil
	}
	return nil, fmt.Errorf("schema of %s: there is none for a %s", field, t)
}

// text is a string, one of the table's words where it has some.
func (g *schemaMaker) text(field string) *Schema {
	s := &Schema{Type: "string"}
	for _, w := range g.words[field] {
		s.Enum = append(s.Enum, w)
	}
	return s
}

// nullable allows null besides.
func nullable(s *Schema) *Schema {
	word, simple := s.Type.(string)
	if !simple {
		return &Schema{AnyOf: []*Schema{s, {Type: "null"}}}
	}
	s.Type = []string{word, "null"}
	if s.Enum != nil {
		s.Enum = append(s.Enum, nil)
	}
	return s
}

// ref refers to the definition of a struct, which is made on the way.
func (g *schemaMaker) ref(t reflect.Type) (*Schema, error) {
	name, known := g.names[t]
	if !known {
		if name = t.Name(); name == "" || g.defs.find(name) != nil {
			return nil, fmt.Errorf("schema of %s: a type with a name of its own was expected", t)
		}
		g.names[t] = name
		place := len(g.defs.list)
		g.defs.list = append(g.defs.list, property{name, &Schema{}})
		s, err := g.object(t)
		if err != nil {
			return nil, err
		}
		g.defs.list[place].schema = s
	}
	return &Schema{Ref: "#/$defs/" + name}, nil
}

// object is the schema of a struct.
func (g *schemaMaker) object(t reflect.Type) (*Schema, error) {
	s := &Schema{Type: "object", Properties: &properties{}, Additional: false}
	if err := g.fields(t, s); err != nil {
		return nil, err
	}
	return s, nil
}

// fields adds the fields of a struct; those of an embedded one are written as its own.
func (g *schemaMaker) fields(t reflect.Type, s *Schema) error {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "" && f.Type.Kind() == reflect.Struct:
			if err := g.fields(f.Type, s); err != nil {
				return err
			}
			continue
		case tag == "-" || !f.IsExported():
			continue
		case tag == "":
			return fmt.Errorf("schema of %s.%s: the field has no JSON name", t, f.Name)
		}
		field, err := g.field(t, f.Type, tag)
		if err != nil {
			return err
		}
		s.Properties.list = append(s.Properties.list, property{tag, field})
		if o := strings.Split(options, ","); !slices.Contains(o, "omitempty") && !slices.Contains(o, "omitzero") {
			s.Required = append(s.Required, tag)
		}
	}
	return nil
}

func (g *schemaMaker) field(owner, t reflect.Type, name string) (*Schema, error) {
	key := owner.Name() + "." + name
	if id := g.ids[owner]; id != "" && name == "schema" {
		return &Schema{Const: id}, nil
	}
	s, err := g.schema(t, key)
	if err != nil {
		return nil, err
	}
	switch name {
	case "global", "local":
		three, one := 3, 1
		s.MaxItems, s.Items.Minimum = &three, &one
	case "line", "column":
		one := 1 // a place that is not known is null
		s.Minimum = &one
	}
	if s.Description = g.notes[key]; s.Description == "" {
		s.Description = unitNote(name)
	}
	return s, nil
}

// unitNote says the unit that a name ends in.
func unitNote(name string) string {
	for _, u := range [][2]string{{"_percent", "percent, 0..100"}, {"_points", "percentage points"}, {"seconds", "seconds"}, {"_bytes", "bytes"}} {
		if strings.HasSuffix(name, u[0]) {
			return u[1]
		}
	}
	return ""
}
