package report

import (
	"reflect"
	"strconv"
	"strings"

	"occudiff/ingest/unit"
)

// How a cell is made of a field is decided once per column, since a run that keeps every launch has millions of rows.

// place finds a value in a row, false where a pointer on the way is nil.
type place func(row reflect.Value) (reflect.Value, bool)

func itself(row reflect.Value) (reflect.Value, bool) { return row, true }

func (p place) field(i int) place {
	return func(row reflect.Value) (reflect.Value, bool) {
		v, ok := p(row)
		if !ok {
			return v, false
		}
		return v.Field(i), true
	}
}

func (p place) pointer() place {
	return func(row reflect.Value) (reflect.Value, bool) {
		v, ok := p(row)
		if !ok || v.IsNil() {
			return v, false
		}
		return v.Elem(), true
	}
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
	}
	return Text
}

// isOpt says whether a type is a unit.Opt: a value, and whether it is there.
func isOpt(t reflect.Type) bool {
	return strings.HasPrefix(t.Name(), "Opt[") && t.PkgPath() == reflect.TypeFor[unit.Ratio]().PkgPath()
}

// cellOf gives how cells are made of values of a type. Raw ones are in base units, the others in that of the column.
func cellOf(t reflect.Type, c *Column, raw bool) func(reflect.Value) Cell {
	kind := c.Kind
	switch {
	case t == reflect.TypeFor[Cell]():
		return func(v reflect.Value) Cell { return *v.Addr().Interface().(*Cell) }
	case reflect.PointerTo(t).Implements(reflect.TypeFor[celled]()):
		return func(v reflect.Value) Cell { return v.Addr().Interface().(celled).Cell() }
	case t == reflect.TypeFor[unit.Ratio]():
		return func(v reflect.Value) Cell { return RatioCell(unit.Ratio(v.Float())) }
	case t.Kind() == reflect.String:
		return func(v reflect.Value) Cell { return TextCell(v.String()) }
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return func(v reflect.Value) Cell { return IntCell(v.Int()) }
	case t.Kind() == reflect.Float64 && !raw && c.Unit == "us": // of seconds
		return func(v reflect.Value) Cell { return NumCell(kind, v.Float()*1e6) }
	case t.Kind() == reflect.Float64:
		return func(v reflect.Value) Cell { return NumCell(kind, v.Float()) }
	case t.Kind() == reflect.Pointer:
		elem := cellOf(t.Elem(), c, raw)
		return func(v reflect.Value) Cell {
			if v.IsNil() {
				return Cell{}
			}
			return elem(v.Elem())
		}
	case isOpt(t):
		elem := cellOf(t.Field(0).Type, c, raw)
		return func(v reflect.Value) Cell {
			if !v.Field(1).Bool() {
				return Cell{}
			}
			return elem(v.Field(0))
		}
	}
	return func(v reflect.Value) Cell {
		if !v.CanInterface() { // an Opt of them, which nobody has
			return Cell{}
		}
		return listCell(v.Addr().Interface())
	}
}

// listCell gives the cell of what has several parts.
func listCell(value any) Cell {
	switch x := value.(type) {
	case *[]string:
		return TextCell(strings.Join(*x, " "))
	case *[]int:
		return TextCell(Numbers(*x))
	case *[]int64: // a launch size
		return TextCell(sizeText(*x))
	case *unit.Size3:
		return TextCell(x.String())
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
