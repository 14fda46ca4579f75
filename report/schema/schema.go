// Package schema makes the JSON Schema of an output from the Go types that are written. It stands apart from package
// report so that a program that writes JSON and no schemas links none of it.
package schema

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
	"occudiff/compare"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
)

// Of makes the JSON Schema of an output from the Go types that are written, so that the two cannot drift apart:
// every field is required unless it is left out when empty, a pointer may be null, a list may not, and nothing else may
// be there. all are the outputs of the program; an output that holds another one names it.
func Of(o *report.Output, all []report.Output) (*jsonschema.Schema, error) {
	c := &contract{words: sharedWords(), ids: map[reflect.Type]string{}}
	maps.Copy(c.words, o.Words)
	for _, other := range all {
		for _, v := range other.Values {
			c.ids[reflect.TypeOf(v)] = other.ID
		}
	}
	var list []*jsonschema.Schema
	for _, v := range o.Values {
		t := reflect.TypeOf(v)
		s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: ownSchemas(t)})
		if err == nil {
			err = c.apply(s, t, t.Name())
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
		if s, err := Of(&all[i], all); err == nil {
			look(s)
		}
	}
	return list
}

// streamed is a Stream of any type.
type streamed interface{ Element() reflect.Type }

// unitSchemas are those of the values of package unit, which write themselves.
// They must follow AppendJSON of these types: a Ratio is written as a percentage, and what may be absent as null.
func unitSchemas() map[reflect.Type]*jsonschema.Schema {
	either := func(types ...string) *jsonschema.Schema { return &jsonschema.Schema{Types: types} }
	count := &jsonschema.Schema{Types: []string{"null", "integer"}, Minimum: jsonschema.Ptr(0.0)}
	return map[reflect.Type]*jsonschema.Schema{
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

// ownSchemas gives the schemas of what does not follow from a Go type alone: the values of package unit, and the
// streams in a type, which are lists of their elements.
// A stream is a struct to reflection. Its elements are named by its method Element, since the function in it has no
// type that a schema could take.
func ownSchemas(t reflect.Type) map[reflect.Type]*jsonschema.Schema {
	found := unitSchemas()
	var look func(reflect.Type)
	look = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice:
			look(t.Elem())
		case reflect.Struct:
			if e, ok := reflect.Zero(t).Interface().(streamed); ok {
				items, err := jsonschema.ForType(e.Element(), &jsonschema.ForOptions{TypeSchemas: unitSchemas()})
				if err == nil {
					found[t] = &jsonschema.Schema{Type: "array", Items: items}
				}
				return
			}
			for i := range t.NumField() {
				look(t.Field(i).Type)
			}
		}
	}
	look(t)
	return found
}

// sharedWords are those of values that several outputs hold.
// The keys are Type.field, with the name that the field has in JSON. The words come from the packages that write them,
// as far as these list them.
func sharedWords() map[string][]string {
	return map[string][]string{
		"NoteValue.severity":     {note.Info.String(), note.Warning.String(), note.Error.String()},
		"PredictionValue.policy": {"free", "whole"},
		"PredictionValue.limits": predict.Limit(^predict.Limit(0)).Names(),
		"CauseValue.name":        compare.Causes(),
		"CauseValue.confidence":  {"high", "medium", "low"},
	}
}

// contract adds to a schema what its Go type does not say: words, units, and that counts and places are not negative.
type contract struct {
	words map[string][]string
	ids   map[reflect.Type]string
}

// apply goes through a schema and its type side by side; at is Type.name of the field, for words and errors.
// A type that writes itself is an error: its Go fields say nothing of the output.
func (c *contract) apply(s *jsonschema.Schema, t reflect.Type, at string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		s.Format = "date-time"
		return nil
	case t == reflect.TypeFor[unit.Opt[string]]():
		c.enumerate(s, at)
		return nil
	case unitSchemas()[t] != nil:
		return nil
	case t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return fmt.Errorf("%s: %s writes itself, so its type says nothing of the output", at, t)
	}
	if e, ok := reflect.Zero(t).Interface().(streamed); ok {
		return c.apply(s.Items, e.Element(), at)
	}
	switch t.Kind() {
	case reflect.Struct:
		return c.object(s, t)
	case reflect.Slice, reflect.Array:
		s.Type, s.Types = "array", nil // an empty list is [], never null
		return c.apply(s.Items, t.Elem(), at)
	case reflect.Map:
		return c.apply(s.AdditionalProperties, t.Elem(), at)
	case reflect.String:
		c.enumerate(s, at)
	case reflect.Int, reflect.Int64: // sizes, lines, counts: never less than none
		s.Minimum = jsonschema.Ptr(0.0)
	}
	return nil
}

// enumerate lists the words that a text may hold.
func (c *contract) enumerate(s *jsonschema.Schema, at string) {
	for _, w := range c.words[at] {
		s.Enum = append(s.Enum, w)
	}
	if s.Enum != nil && slices.Contains(s.Types, "null") {
		s.Enum = append(s.Enum, nil)
	}
}

func (c *contract) object(s *jsonschema.Schema, t reflect.Type) error {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous || !f.IsExported() || name == "-":
			continue
		case name == "":
			return fmt.Errorf("%s.%s: the field has no JSON name", t, f.Name)
		}
		owner := t
		if len(f.Index) > 1 {
			owner = t.FieldByIndex(f.Index[:len(f.Index)-1]).Type
		}
		p := s.Properties[name]
		// The value tells readers which schema to hold the output against.
		if id := c.ids[owner]; id != "" && name == "schema" {
			p.Const = jsonschema.Ptr[any](id)
			continue
		}
		if err := c.apply(p, f.Type, owner.Name()+"."+name); err != nil {
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
