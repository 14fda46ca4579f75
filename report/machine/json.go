// Package machine writes results for programs: JSON and CSV at full precision,
// JUnit XML, and annotations. It contains no code for kernels, statistics, or
// formats for people.
package machine

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"occudiff/report"
)

// JSON writes the value of a JSON contract as indented JSON with a final
// newline. The output equals the output of encoding/json, except that a nil
// list is written as [] instead of null. Fields keep their order. Names are not
// escaped for HTML (`<` stays `<`), because the output is not part of a web
// page.
//
// Tables are written row by row, because a run that keeps every launch has more
// rows than fit in memory.
func JSON(w io.Writer, value any) error {
	out := bufio.NewWriterSize(w, 64<<10)
	err := json.MarshalWrite(out, value, json.Deterministic(true), jsontext.AllowDuplicateNames(true),
		jsontext.AllowInvalidUTF8(true), jsontext.EscapeForJS(true), jsontext.WithIndent("  "),
		json.WithMarshalers(json.MarshalToFunc(func(enc *jsontext.Encoder, t *report.Table) error {
			j := &rowWriter{Encoder: enc, fields: map[*report.Column][]field{}}
			j.table(t)
			return j.err
		})))
	out.WriteByte('\n')
	if err = cmp.Or(out.Flush(), err); err != nil { // an error of the writer comes before an error of encoding
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// field is a field of a row object: a column, or an object with several fields.
type field struct {
	name   string
	column int  // column index; -1 for an object without its own column
	omit   bool // omit the field if its value is absent
	fields []field
}

// fieldsOf returns the columns as a tree of objects and fields according to
// their paths, in column order. The column of an object comes before its
// fields.
func fieldsOf(columns []report.Column) []field {
	var root field
	for i := range columns {
		c := &columns[i]
		if c.Path == "" {
			continue
		}
		names, at := strings.Split(c.Path, "."), &root
		for _, name := range names {
			k := slices.IndexFunc(at.fields, func(f field) bool { return f.name == name })
			if k < 0 {
				k = len(at.fields)
				at.fields = append(at.fields, field{name: name, column: -1})
			}
			at = &at.fields[k]
		}
		at.column, at.omit = i, c.Is(report.Optional)
	}
	return root.fields
}

// rowWriter writes the rows of tables.
type rowWriter struct {
	*jsontext.Encoder
	fields map[*report.Column][]field // cache by first column, because the rows of a List share their columns
	err    error                      // first error
}

func (j *rowWriter) put(t jsontext.Token) {
	if j.err == nil {
		j.err = j.WriteToken(t)
	}
}

// table writes rows as a list of objects, or as a list of values if the only
// column has no name.
func (j *rowWriter) table(t *report.Table) {
	var fields []field
	if len(t.Columns) > 0 {
		var known bool
		if fields, known = j.fields[&t.Columns[0]]; !known {
			fields = fieldsOf(t.Columns)
			j.fields[&t.Columns[0]] = fields
		}
	}
	if t.One {
		for record := range t.Records() {
			j.object(fields, record)
			return
		}
		j.put(jsontext.Null)
		return
	}
	values := report.IsList(t.Columns)
	j.put(jsontext.BeginArray)
	for record := range t.Records() {
		switch {
		case j.err != nil:
			return
		case values:
			j.cell(record(0))
		default:
			j.object(fields, record)
		}
	}
	j.put(jsontext.EndArray)
}

func (j *rowWriter) object(fields []field, record report.Record) {
	j.put(jsontext.BeginObject)
	for i := range fields {
		f := &fields[i]
		cell := report.Cell{Kind: report.Object}
		if f.column >= 0 {
			cell = record(f.column)
		}
		if f.omit && cell.Kind == report.Absent {
			continue
		}
		j.put(jsontext.String(f.name))
		switch {
		case len(f.fields) > 0 && cell.Kind != report.Absent:
			j.object(f.fields, record)
		default:
			j.cell(cell)
		}
	}
	j.put(jsontext.EndObject)
}

// cell writes a value: numbers at full precision, and null if it is absent.
func (j *rowWriter) cell(c report.Cell) {
	switch c.Kind {
	case report.Text, report.Name:
		j.put(jsontext.String(c.Text))
	case report.Bool:
		j.put(jsontext.Bool(c.Bool))
	case report.Integer:
		j.put(jsontext.Int(c.Int))
	case report.Number, report.Percent, report.Points, report.Duration:
		j.put(jsontext.Float(c.Num))
	case report.Array:
		if c.Rows != nil {
			j.table(c.Rows)
			return
		}
		list(j, c.List, jsontext.String)
	case report.Integers:
		list(j, c.Ints, jsontext.Int)
	case report.Size:
		list(j, c.Size.List(), jsontext.Int)
	default:
		j.put(jsontext.Null)
	}
}

// list writes a list of values.
func list[V any](j *rowWriter, values []V, token func(V) jsontext.Token) {
	j.put(jsontext.BeginArray)
	for _, v := range values {
		j.put(token(v))
	}
	j.put(jsontext.EndArray)
}
