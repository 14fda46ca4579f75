package report

import (
	"iter"
	"reflect"
)

// Answer is what a command has to say, in every form that it can be asked for. A form that is nil cannot be asked for.
type Answer struct {
	Doc     *Document         // for people: terminal, Markdown, HTML, workbook; Document gives it
	Make    func() *Document  // makes Doc when it is asked for, where that takes long
	Version string            // of occudiff, for a document that does not have it
	Value   any               // of the JSON contract; a Stream in it is written row by row
	Table   *Table            // for CSV
	Tests   func() *TestSuite // for JUnit; made when it is asked for
	Chart   *Plot             // for SVG
	Trace   any               // events over time, for Perfetto
	Card    func() *Card      // for agents and comments of CI
}

// Document gives the form for people.
func (a *Answer) Document() *Document {
	if a.Doc == nil && a.Make != nil {
		a.Doc = a.Make()
	}
	if a.Doc != nil && a.Doc.Version == "" {
		a.Doc.Version = a.Version
	}
	return a.Doc
}

// Stream is a list whose elements are made while they are written: a run that keeps every launch has more of them than
// should be in memory at once. An element is good until the next one.
type Stream[T any] struct{ Seq iter.Seq[*T] }

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
