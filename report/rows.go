package report

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Rows makes a table whose rows are values of a struct type. The type is declared once, and its tags say what every
// form of the output has of a field:
//
//	Peak unit.Opt[unit.Ratio] `json:"peak_percent" csv:"predicted_peak_percent" col:"Peak [%]; group=Predicted; drop=7"`
//
// json is the key in JSON, csv the key of the column where that is another one. A field with a csv or a col tag is a
// column; one without col is shown nowhere and stands in CSV alone. col begins with the heading and its unit, then
// options follow:
//
//	group=TEXT  the heading over neighboring columns that share it
//	brief=TEXT  the heading where space is dear
//	in=VIEWS    where the column is shown, of terminal, page and sheet with a plus between them; without it everywhere
//	drop=N      the order in which columns give way on a narrow terminal
//	decimals=N  of numbers
//	cut, fold   on a narrow terminal, long texts are cut, or broken into lines
//	wrap        a workbook breaks long texts into lines
//	role=ROLES  what a page does with the column beside printing it, of code, bar, choice, heat and named,
//	            with a plus between them
//	kind=KIND   of fields that are cells or make their own: text (also without it), integer, number, percent or points
//
// A field of a struct type, or of a pointer to one, stands for the fields of that struct if it is embedded or has the
// tag csv:",inline"; all of them are absent where the pointer is nil. With csv:"old,inline" their keys begin with old_.
//
// An array is a column for each element; their keys stand in its csv tag with blanks between them.
//
// keys choose the columns and their order, by either key of a field or by one without its unit, as in peak for
// peak_percent, and become the keys of the columns; without them the table has all columns in the order of the fields.
// What several tables show under other headings brings its own, with a colon between: "peak_percent: Peak [%]; drop=7".
// A column whose key is none of the field's brings that before an equals sign: "time=old_average_seconds". A key that
// no field has panics, as a regular expression in the program that is none: no input leads there.
func Rows[T any](key string, n int, row func(i int) T, keys ...string) *Table {
	return RowsInto(key, n, func(i int, into *T) { *into = row(i) }, keys...)
}

// List is Rows of rows that are there, for files.
func List[T any](key, title string, rows []T, keys ...string) *Table {
	t := Rows(key, len(rows), func(i int) T { return rows[i] }, keys...)
	t.Title, t.In = title, Files
	return t
}

// RowsInto is Rows for rows of which there may be millions: row fills row i in memory that held another one before.
func RowsInto[T any](key string, n int, row func(i int, into *T), keys ...string) *Table {
	return newRows(key, n, row, chosenFields(rowFields(reflect.TypeFor[T](), nil, ""), keys))
}

func appendCells(dst []Cell, fields []rowField, row reflect.Value) []Cell {
	for k := range fields {
		dst = append(dst, fields[k].cellOf(row))
	}
	return dst
}

func newRows[T any](key string, n int, row func(i int, into *T), fields []rowField) *Table {
	spare := sync.Pool{New: func() any { return new(T) }}
	of := func(fields []rowField) func(i int, dst []Cell) []Cell {
		return func(i int, dst []Cell) []Cell {
			into := spare.Get().(*T)
			row(i, into)
			dst = appendCells(dst, fields, reflect.ValueOf(into).Elem())
			spare.Put(into)
			return dst
		}
	}
	t := &Table{Key: key, Len: n, Main: n, In: Everywhere, Row: of(fields)}
	t.only = func(columns []int) func(int, []Cell) []Cell {
		var some []rowField
		for _, i := range columns {
			some = append(some, fields[i])
		}
		return of(some)
	}
	for _, f := range fields {
		t.Columns = append(t.Columns, f.column)
	}
	return t
}

// rowField is a field that may be a column.
type rowField struct {
	column Column
	json   string // its key in JSON
	typ    reflect.Type
	at     []int
	cell   maker
}

// rowFields lists the columns of a struct type; outer finds the struct in a row, and keys begin with prefix.
func rowFields(t reflect.Type, outer []int, prefix string) []rowField {
	var list []rowField
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(outer), i)
		key, option, _ := strings.Cut(f.Tag.Get("csv"), ",")
		if f.Anonymous || option == "inline" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			within := prefix
			if option == "inline" && key != "" && key != "-" {
				within += key + "_"
			}
			list = append(list, rowFields(inner, at, within)...)
			continue
		}
		json, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		heading, isColumn := f.Tag.Lookup("col")
		if key == "" && isColumn {
			key = json
		}
		switch {
		case key == "" && !isColumn:
			continue
		case key == "" || key == "-":
			key = strings.ToLower(f.Name)
		}
		key, json = prefix+key, prefix+json
		if f.Type.Kind() == reflect.Array {
			for k, key := range strings.Fields(key) {
				column := Column{Key: key, Kind: kindOf(f.Type.Elem(), "")}
				list = append(list, newField(column, "", f.Type.Elem(), append(slices.Clone(at), k)))
			}
			continue
		}
		column := Column{Key: key, Kind: kindOf(f.Type, "")}
		if isColumn {
			column = columnOf(key, heading, f.Type)
		}
		list = append(list, newField(column, json, f.Type, at))
	}
	return list
}

func newField(c Column, json string, t reflect.Type, at []int) rowField {
	return rowField{column: c, json: json, typ: t, at: at, cell: newMaker(t, &c)}
}

// chosenFields picks fields by their keys, all of them without any.
func chosenFields(all []rowField, keys []string) []rowField {
	if len(keys) == 0 {
		return all
	}
	var list []rowField
	for _, key := range keys {
		key, heading, own := strings.Cut(key, ": ")
		key, of, named := strings.Cut(key, "=")
		if !named {
			of = key
		}
		i := slices.IndexFunc(all, func(f rowField) bool {
			return f.column.Key == of || f.json == of || withoutUnit(f.column.Key) == of || withoutUnit(f.json) == of
		})
		if i < 0 { // a misspelled key is a fault of the program, which any use of the table shows
			panic("report: no field has the column " + of)
		}
		f := all[i]
		if own {
			f = newField(columnOf(key, heading, f.typ), f.json, f.typ, f.at)
		}
		f.column.Key = key
		list = append(list, f)
	}
	return list
}

func withoutUnit(key string) string {
	for _, unit := range []string{"_percent", "_points", "_seconds"} {
		key = strings.TrimSuffix(key, unit)
	}
	return key
}

// columnOf reads a col tag.
func columnOf(key, tag string, t reflect.Type) Column {
	parts := strings.Split(tag, ";")
	c := Column{Key: key, Title: strings.TrimSpace(parts[0]), In: Everywhere}
	if title, rest, ok := strings.Cut(c.Title, " ["); ok {
		c.Title, c.Unit = title, strings.TrimSuffix(rest, "]")
	}
	c.Kind = kindOf(t, c.Unit)
	for _, part := range parts[1:] {
		option, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch option {
		case "group":
			c.Group = value
		case "brief":
			c.Brief = value
		case "in":
			c.In = 0
			for word := range strings.SplitSeq(value, "+") {
				c.In |= map[string]View{"terminal": Terminal, "page": Page, "sheet": Sheet}[word]
			}
		case "drop":
			c.Drop, _ = strconv.Atoi(value)
		case "decimals":
			c.Decimals, _ = strconv.Atoi(value)
		case "kind":
			c.Kind = map[string]Kind{"text": Text, "integer": Integer, "number": Number, "percent": Percent,
				"points": Points}[value]
		case "cut":
			c.Cut = true
		case "fold":
			c.Fold = true
		case "wrap":
			c.Wrap = true
		case "role":
			for word := range strings.SplitSeq(value, "+") {
				c.Role |= map[string]Role{"code": Code, "bar": Bar, "choice": Choice, "heat": Heat,
					"named": Named}[word]
			}
		}
	}
	if c.Unit == "" {
		c.Unit = unitOf(t)
	}
	if w, ok := reflect.Zero(t).Interface().(worded); ok {
		c.Words = w.Words()
	}
	return c
}
