package report

import (
	"iter"
	"reflect"
	"strconv"
	"strings"
)

// Answer is what a command has to say, in every form that it can be asked for. A form that is nil cannot be asked for.
type Answer struct {
	Doc   *Document         // for people: terminal, Markdown, HTML, workbook
	Value any               // of the JSON contract; a Stream in it is written row by row
	Table *Table            // for CSV
	Tests func() *TestSuite // for JUnit; made when it is asked for
	Chart *Plot             // for SVG
}

// Stream is a list whose elements are made while they are written: a run that keeps every launch has more of them than
// should be in memory at once.
type Stream[T any] struct{ Seq iter.Seq[T] }

// Each gives the elements one by one, for writers that do not know their type.
func (s Stream[T]) Each(yield func(any) bool) {
	for x := range s.Seq {
		if !yield(x) {
			return
		}
	}
}

// Element is the type of the elements.
func (s Stream[T]) Element() reflect.Type { return reflect.TypeFor[T]() }

// Flat makes a table, for CSV, of the fields of T that have a csv tag, in their order. A field with a tag csv:",inline" is a
// pointer to a struct whose fields take its place, and are absent where it is nil.
func Flat[T any](key string, n int, row func(i int) T) *Table {
	fields := flatFields(reflect.TypeFor[T](), nil)
	t := &Table{Key: key, Len: n, Row: func(i int, dst []Cell) []Cell {
		v := reflect.ValueOf(row(i))
		for _, f := range fields {
			dst = append(dst, f.cell(v))
		}
		return dst
	}}
	for _, f := range fields {
		t.Columns = append(t.Columns, Column{Key: f.key})
	}
	return t
}

// flatField is one column: where the value stands, as indexes of fields from the outermost struct on.
type flatField struct {
	key  string
	path [][]int // a pointer is followed between two elements
}

func flatFields(t reflect.Type, outer [][]int) []flatField {
	var list []flatField
	for _, f := range reflect.VisibleFields(t) {
		key, option, _ := strings.Cut(f.Tag.Get("csv"), ",")
		path := append(outer[:len(outer):len(outer)], f.Index)
		switch {
		case option == "inline":
			list = append(list, flatFields(f.Type.Elem(), path)...)
		case key != "":
			list = append(list, flatField{key, path})
		}
	}
	return list
}

func (f *flatField) cell(v reflect.Value) Cell {
	for i, index := range f.path {
		if i > 0 {
			if v.IsNil() {
				return Cell{}
			}
			v = v.Elem()
		}
		v = v.FieldByIndex(index)
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return Cell{}
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.String:
		return TextCell(v.String())
	case reflect.Int, reflect.Int64:
		return IntCell(v.Int())
	case reflect.Float64:
		return NumCell(Number, v.Float())
	}
	switch list := v.Interface().(type) {
	case []int64:
		return TextCell(sizeText(list))
	case []string:
		return TextCell(strings.Join(list, " "))
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
