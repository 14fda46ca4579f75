package report

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"occudiff/ingest/symbol"
	"occudiff/ingest/unit"
)

// How the cell of a field is made is decided once per column, and the field is then found by its offset and not by
// reflection: a run that keeps every launch has millions of rows of forty columns.

// place says where a field is in a row: an offset from its start, and one more for each pointer that is followed on the
// way.
type place []uintptr

func (p place) field(f reflect.StructField) place {
	to := slices.Clone(p)
	to[len(to)-1] += f.Offset
	return to
}

func (p place) pointer() place { return append(slices.Clone(p), 0) }

// of gives the field of a row, nil where a pointer on the way is nil.
func (p place) of(row unsafe.Pointer) unsafe.Pointer {
	row = unsafe.Add(row, p[0])
	for _, offset := range p[1:] {
		if row = *(*unsafe.Pointer)(row); row == nil {
			return nil
		}
		row = unsafe.Add(row, offset)
	}
	return row
}

// maker makes the cell of a field that it is given the address of.
type maker func(unsafe.Pointer) Cell

func (f *rowField) cellOf(row unsafe.Pointer) Cell {
	if p := f.at.of(row); p != nil {
		return f.cell(p)
	}
	return Cell{}
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
func newMaker(t reflect.Type, c *Column, raw bool) maker {
	kind := c.Kind
	switch {
	case t == reflect.TypeFor[Cell]():
		return func(p unsafe.Pointer) Cell { return *(*Cell)(p) }
	case t == reflect.TypeFor[unit.Ratio]():
		return func(p unsafe.Pointer) Cell { return RatioCell(*(*unit.Ratio)(p)) }
	case isOpt(t):
		elem, there := newMaker(t.Field(0).Type, c, raw), t.Field(1).Offset
		return func(p unsafe.Pointer) Cell {
			if !*(*bool)(unsafe.Add(p, there)) {
				return Cell{}
			}
			return elem(p)
		}
	case reflect.PointerTo(t).Implements(reflect.TypeFor[celled]()):
		return func(p unsafe.Pointer) Cell { return reflect.NewAt(t, p).Interface().(celled).Cell() }
	}
	switch t.Kind() {
	case reflect.String:
		if t == reflect.TypeFor[Symbol]() && !raw {
			return func(p unsafe.Pointer) Cell { return TextCell(symbol.Display(*(*string)(p))) }
		}
		return func(p unsafe.Pointer) Cell { return TextCell(*(*string)(p)) }
	case reflect.Bool:
		return func(p unsafe.Pointer) Cell { return TextCell(map[bool]string{true: "yes", false: "no"}[*(*bool)(p)]) }
	case reflect.Int:
		return func(p unsafe.Pointer) Cell { return IntCell(*(*int)(p)) }
	case reflect.Int64:
		return func(p unsafe.Pointer) Cell { return IntCell(*(*int64)(p)) }
	case reflect.Float64:
		scale := 1.0
		if factor := map[string]float64{"us": 1e6, "ms": 1e3}[c.Unit]; !raw && factor > 0 &&
			(t == reflect.TypeFor[unit.Seconds]() || c.Unit == "us") { // of seconds
			scale = factor
		}
		if t == reflect.TypeFor[Rounded]() && !raw {
			return func(p unsafe.Pointer) Cell { return NumCell(kind, Round(*(*float64)(p)*scale)) }
		}
		return func(p unsafe.Pointer) Cell { return NumCell(kind, *(*float64)(p)*scale) }
	case reflect.Pointer:
		elem := newMaker(t.Elem(), c, raw)
		return func(p unsafe.Pointer) Cell {
			if p = *(*unsafe.Pointer)(p); p == nil {
				return Cell{}
			}
			return elem(p)
		}
	}
	between := ", "
	if raw {
		between = " "
	}
	return func(p unsafe.Pointer) Cell { return listCell(reflect.NewAt(t, p).Interface(), between) }
}

// listCell gives the cell of what has several parts; between stands between words.
func listCell(value any, between string) Cell {
	switch x := value.(type) {
	case *[]string:
		return TextCell(strings.Join(*x, between))
	case *[]int:
		return TextCell(Numbers(*x))
	case *unit.Size3:
		return TextCell(x.String())
	}
	return Cell{}
}
