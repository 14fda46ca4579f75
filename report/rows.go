package report

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// Rows makes a table whose rows are values of a struct type. The type is declared once, and its tags say what every form of
// the output has of a field:
//
//	Peak unit.Opt[unit.Ratio] `json:"peak_percent" csv:"predicted_peak_percent" col:"Peak [%]; group=Predicted; drop=7"`
//
// json is the key in JSON, csv the key of the column where that is another one. A field with a csv or a col tag is a column;
// one without col is shown nowhere and stands in CSV alone. col begins with the heading and its unit, then options follow:
//
//	group=TEXT  the heading over neighboring columns that share it
//	brief=TEXT  the heading where space is dear
//	in=VIEWS    where the column is shown, of terminal, page and sheet with a plus between them; without it everywhere
//	drop=N      the order in which columns give way on a narrow terminal
//	decimals=N  of numbers
//	cut, wrap   long texts may be cut, or broken into lines
//
// A field of a struct type, or of a pointer to one, stands for the fields of that struct if it is embedded or has the tag
// csv:",inline"; all of them are absent where the pointer is nil.
//
// keys choose the columns and their order, by either key of a field, and become the keys of the columns; without them the
// table has all columns in the order of the fields.
func Rows[T any](key string, n int, row func(i int) T, keys ...string) *Table {
	fields := chosenFields(rowFields(reflect.TypeFor[T](), nil), keys)
	t := &Table{Key: key, Len: n, Main: n, In: Terminal | Page | Sheet, Row: func(i int, dst []Cell) []Cell {
		v := reflect.ValueOf(row(i))
		for k := range fields {
			dst = append(dst, fields[k].cell(v))
		}
		return dst
	}}
	for _, f := range fields {
		t.Columns = append(t.Columns, f.column)
	}
	return t
}

// rowField is a field that may be a column.
type rowField struct {
	column Column
	json   string // its key in JSON
	path   []int  // of field numbers, from the row on; a pointer is followed between two of them
}

// rowFields lists the columns of a struct type that stands at a place in a row.
func rowFields(t reflect.Type, at []int) []rowField {
	var list []rowField
	for i := range t.NumField() {
		f := t.Field(i)
		path := append(at[:len(at):len(at)], i)
		key, option, _ := strings.Cut(f.Tag.Get("csv"), ",")
		if f.Anonymous || option == "inline" {
			inner := f.Type
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			list = append(list, rowFields(inner, path)...)
			continue
		}
		json, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		heading, isColumn := f.Tag.Lookup("col")
		if key == "" && !isColumn {
			continue
		}
		if key == "" {
			key = json
		}
		field := rowField{column: Column{Key: key, Kind: kindOf(f.Type, "")}, json: json, path: path}
		if isColumn {
			field.column = columnOf(key, heading, f.Type)
		}
		list = append(list, field)
	}
	return list
}

// chosenFields picks fields by their keys, all of them without any.
func chosenFields(all []rowField, keys []string) []rowField {
	if len(keys) == 0 {
		return all
	}
	var list []rowField
	for _, key := range keys {
		i := slices.IndexFunc(all, func(f rowField) bool { return f.column.Key == key || f.json == key })
		if i >= 0 {
			f := all[i]
			f.column.Key = key
			list = append(list, f)
		}
	}
	return list
}

// columnOf reads a col tag.
func columnOf(key, tag string, t reflect.Type) Column {
	parts := strings.Split(tag, ";")
	c := Column{Key: key, Title: strings.TrimSpace(parts[0]), In: Terminal | Page | Sheet}
	if title, rest, ok := strings.Cut(c.Title, " ["); ok {
		c.Title, c.Unit = title, strings.TrimSuffix(rest, "]")
	}
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
		case "cut":
			c.Cut = true
		case "wrap":
			c.Wrap = true
		}
	}
	c.Kind = kindOf(t, c.Unit)
	return c
}

// kindOf says what the cells of a field are: texts, counts, or numbers of a unit.
func kindOf(t reflect.Type, unitText string) Kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[unit.Ratio](), reflect.TypeFor[unit.Opt[unit.Ratio]]():
		return Percent
	case reflect.TypeFor[unit.Points](), reflect.TypeFor[unit.Opt[unit.Points]]():
		return Points
	case reflect.TypeFor[unit.Opt[int]](), reflect.TypeFor[unit.Opt[int64]]():
		return Integer
	case reflect.TypeFor[unit.Opt[float64]](), reflect.TypeFor[unit.Opt[unit.Seconds]]():
		t = reflect.TypeFor[float64]()
	}
	switch {
	case t.Kind() == reflect.Float64 && unitText == "%":
		return Percent
	case t.Kind() == reflect.Float64 && unitText == "points":
		return Points
	case t.Kind() == reflect.Float64:
		return Number
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return Integer
	}
	return Text
}

// cell gives the value of a field in a row.
func (f *rowField) cell(v reflect.Value) Cell {
	for _, i := range f.path {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return Cell{}
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return Cell{}
		}
		v = v.Elem()
	}
	switch {
	case v.Kind() == reflect.String:
		return TextCell(v.String())
	case v.CanInt():
		return IntCell(v.Int())
	case v.CanFloat() && v.Type() != reflect.TypeFor[unit.Ratio]():
		return NumCell(f.column.Kind, v.Float())
	}
	return valueCell(v.Interface(), f.column.Kind)
}

// valueCell gives the cell of a value that is no plain text or number.
func valueCell(value any, kind Kind) Cell {
	switch x := value.(type) {
	case Cell:
		return x
	case []string:
		return TextCell(strings.Join(x, " "))
	case []int:
		return TextCell(Numbers(x))
	case []int64: // a launch size
		return TextCell(sizeText(x))
	case unit.Size3:
		return TextCell(x.String())
	case unit.Ratio:
		return RatioCell(x)
	case unit.Opt[unit.Ratio]:
		return OptPercent(x)
	case unit.Opt[unit.Points]:
		return OptPoints(x)
	case unit.Opt[unit.Seconds]:
		return OptSeconds(x, 1)
	case unit.Opt[float64]:
		if n, ok := x.Value(); ok {
			return NumCell(kind, n)
		}
	case unit.Opt[int]:
		return OptInt(x)
	case unit.Opt[int64]:
		return OptInt(x)
	}
	return Cell{}
}

// sizeText prints a launch size, 512x512.
func sizeText(size []int64) string {
	var b []byte
	for i, n := range size {
		if i > 0 {
			b = append(b, 'x')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return string(b)
}
