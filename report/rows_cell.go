package report

import (
	"reflect"
	"strings"

	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// How the cell of a field is made is decided once per column: a run that keeps every launch has millions of rows of
// forty columns.

// maker makes the cell of a field.
type maker func(reflect.Value) Cell

func (f *rowField) cellOf(row reflect.Value) Cell {
	for _, i := range f.at {
		if row.Kind() == reflect.Pointer {
			if row.IsNil() {
				return Cell{}
			}
			row = row.Elem()
		}
		if row.Kind() == reflect.Array {
			row = row.Index(i)
		} else {
			row = row.Field(i)
		}
	}
	return f.cell(row)
}

// celled is a type that makes its own cells: a word with its status.
type celled interface{ Cell() Cell }

// worded is a type that knows the words that its column may hold.
type worded interface{ Words() []Word }

// kindOf says what the cells of a field are: texts, counts, or numbers of a unit.
func kindOf(t reflect.Type, unitText string) Kind {
	switch {
	case t == reflect.TypeFor[unit.Ratio]():
		return Percent
	case t == reflect.TypeFor[unit.Points]():
		return Points
	case t.Kind() == reflect.Pointer:
		return kindOf(t.Elem(), unitText)
	case isOpt(t):
		return kindOf(t.Field(0).Type, unitText)
	case t.Kind() == reflect.Float64 && unitText == "%":
		return Percent
	case t.Kind() == reflect.Float64 && unitText == "points":
		return Points
	case t.Kind() == reflect.Float64:
		return Number
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return Integer
	case t == reflect.TypeFor[unit.Size3]():
		return Size
	}
	return Text
}

// unitOf is the unit of the values of a type, where a heading names none.
func unitOf(t reflect.Type) string {
	switch {
	case isOpt(t):
		return unitOf(t.Field(0).Type)
	case t == reflect.TypeFor[unit.Ratio]():
		return "%"
	case t == reflect.TypeFor[unit.Points]():
		return "points"
	case t == reflect.TypeFor[unit.Seconds]():
		return "s"
	}
	return ""
}

// isOpt says whether a type is a unit.Opt: a value, and whether it is there.
func isOpt(t reflect.Type) bool {
	return strings.HasPrefix(t.Name(), "Opt[") && t.PkgPath() == reflect.TypeFor[unit.Ratio]().PkgPath()
}

// newMaker gives how cells are made of values of a type. Raw ones are in base units, the others in that of the column.
func newMaker(t reflect.Type, c *Column) maker {
	kind := c.Kind
	switch {
	case t == reflect.TypeFor[Cell]():
		return func(v reflect.Value) Cell { return *v.Addr().Interface().(*Cell) }
	case t == reflect.TypeFor[unit.Ratio]():
		return func(v reflect.Value) Cell { return RatioCell(unit.Ratio(v.Float())) }
	case isOpt(t):
		elem := newMaker(t.Field(0).Type, c)
		return func(v reflect.Value) Cell {
			if !v.Field(1).Bool() {
				return Cell{}
			}
			return elem(v.Field(0))
		}
	case reflect.PointerTo(t).Implements(reflect.TypeFor[celled]()):
		return func(v reflect.Value) Cell { return v.Addr().Interface().(celled).Cell() }
	}
	switch t.Kind() {
	case reflect.String:
		if t == reflect.TypeFor[Symbol]() {
			return func(v reflect.Value) Cell { return TextCell(names.Display(v.String())) }
		}
		return func(v reflect.Value) Cell { return TextCell(v.String()) }
	case reflect.Bool:
		return func(v reflect.Value) Cell { return TextCell(map[bool]string{true: "yes", false: "no"}[v.Bool()]) }
	case reflect.Int, reflect.Int64:
		return func(v reflect.Value) Cell { return IntCell(v.Int()) }
	case reflect.Float64:
		scale := 1.0
		if factor := map[string]float64{"us": 1e6, "ms": 1e3}[c.Unit]; factor > 0 &&
			(t == reflect.TypeFor[unit.Seconds]() || c.Unit == "us") { // of seconds
			scale = factor
		}
		if t == reflect.TypeFor[Rounded]() {
			return func(v reflect.Value) Cell { return NumCell(kind, Round(v.Float()*scale)) }
		}
		return func(v reflect.Value) Cell { return NumCell(kind, v.Float()*scale) }
	case reflect.Pointer:
		elem := newMaker(t.Elem(), c)
		return func(v reflect.Value) Cell {
			if v.IsNil() {
				return Cell{}
			}
			return elem(v.Elem())
		}
	}
	return func(v reflect.Value) Cell { return listCell(v.Addr().Interface()) }
}

// listCell gives the cell of what has several parts.
func listCell(value any) Cell {
	switch x := value.(type) {
	case *[]string:
		return TextCell(strings.Join(*x, ", "))
	case *[]int:
		return TextCell(numbers(*x))
	case *unit.Size3:
		return TextCell(x.String())
	}
	return Cell{}
}
