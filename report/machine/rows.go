package machine

import (
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
	"occudiff/report"
)

// field is a field of the objects that rows are: a column, or an object of several.
type field struct {
	name   string
	column int // -1 of an object that no column stands for
	kind   report.Kind
	omit   bool // where it is absent
	fields []field
}

// fieldsOf puts columns into the objects that their paths name, in the order of the columns. The column of an object
// comes before those that are in it.
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
				at.fields = append(at.fields, field{name: name, column: -1, kind: report.Object})
			}
			at = &at.fields[k]
		}
		at.column, at.kind, at.omit = i, c.Kind, c.Optional
	}
	return root.fields
}

// fieldsOf remembers those of the columns that were met, since each row may have a table of its own.
func (j *jsonWriter) fieldsOf(columns []report.Column) []field {
	if len(columns) == 0 {
		return nil
	}
	fields, known := j.fields[&columns[0]]
	if !known {
		fields = fieldsOf(columns)
		j.fields[&columns[0]] = fields
	}
	return fields
}

// table appends rows as a list of objects. A long one is written while it is made.
func (j *jsonWriter) table(t *report.Table, indent string) {
	fields, inner, n := j.fieldsOf(t.Columns), indent+"  ", 0
	if t.One {
		for record := range t.Records() {
			j.object(fields, record, indent)
			return
		}
		j.buf = append(j.buf, "null"...)
		return
	}
	values := report.IsList(t.Columns)
	for record := range t.Records() {
		j.separate(n, '[', inner)
		n++
		if values {
			j.cell(record(0), inner)
			continue
		}
		j.object(fields, record, inner)
		if len(j.buf) >= 32<<10 {
			if j.flush(); j.err != nil {
				break
			}
		}
	}
	j.end(n, "[]", indent)
}

func (j *jsonWriter) object(fields []field, record report.Record, indent string) {
	inner, n := indent+"  ", 0
	for i := range fields {
		f := &fields[i]
		cell := report.Cell{Kind: report.Object}
		if f.column >= 0 {
			cell = record(f.column)
		}
		if f.omit && cell.Kind == report.Absent {
			continue
		}
		j.separate(n, '{', inner)
		n++
		j.buf = append(append(append(j.buf, '"'), f.name...), `": `...)
		switch {
		case len(f.fields) > 0 && cell.Kind != report.Absent:
			j.object(f.fields, record, inner)
		case f.kind == report.Size:
			j.size(cell.Text, inner)
		default:
			j.cell(cell, inner)
		}
	}
	j.end(n, "{}", indent)
}

// cell appends a value: numbers at full precision, null where it is absent.
func (j *jsonWriter) cell(c report.Cell, indent string) {
	switch c.Kind {
	case report.Text, report.Name:
		j.text(c.Text)
	case report.Bool:
		j.buf = strconv.AppendBool(j.buf, c.Text == "yes")
	case report.Integer:
		j.buf = strconv.AppendInt(j.buf, c.Int, 10)
	case report.Number, report.Percent, report.Points, report.Duration:
		j.buf = unit.AppendReal(j.buf, c.Num)
	case report.Array:
		if c.Rows != nil {
			j.table(c.Rows, indent)
			return
		}
		for i, word := range c.List {
			j.separate(i, '[', indent+"  ")
			j.text(word)
		}
		j.end(len(c.List), "[]", indent)
	default:
		j.buf = append(j.buf, "null"...)
	}
}

// size appends a launch size, which cells have as 512x512, as a list of its dimensions.
func (j *jsonWriter) size(text, indent string) {
	n := 0
	for dimension := range strings.SplitSeq(text, "x") {
		if dimension != "" {
			j.separate(n, '[', indent+"  ")
			j.buf = append(j.buf, dimension...)
			n++
		}
	}
	j.end(n, "[]", indent)
}
