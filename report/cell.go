package report

import (
	"cmp"
	"math"
	"reflect"
	"strconv"
	"strings"

	"occudiff/ingest/names"
	"occudiff/ingest/unit"
)

// Kind is the kind of a cell's value. It determines how the value is printed.
type Kind uint8

// The kinds. The zero value of a Cell is Absent, because a missing measurement
// must not be printed as the number 0.
const (
	Absent   Kind = iota
	Text          // Cell.Text
	Name          // Cell.Text, a kernel name as in the input; demangled for people
	Size          // Cell.Size, empty if the launch size is unknown
	Integers      // Cell.Ints
	Array         // Cell.List or Cell.Rows
	Bool          // Cell.Bool; people read yes or no
	Object        // only in JSON: an object; its fields are the columns whose path begins with its path
	Integer       // Cell.Int, with thousands separators for people
	Number        // Cell.Num, printed with the column's decimals
	Percent       // Cell.Num, 0..100, one decimal
	Points        // Cell.Num, percentage points, one decimal and a sign
	Duration      // Cell.Num, seconds; people see the column's unit and decimals
)

// Status is the color that repeats a verdict's meaning.
type Status uint8

// The statuses of a value.
const (
	Plain  Status = iota
	Good          // matches
	Bad           // does not match
	Unsure        // undetermined
	Muted         // not of interest
)

// Cell is one table value in its base unit at full precision.
type Cell struct {
	Kind   Kind
	Status Status
	Bool   bool
	Text   string
	Num    float64
	Int    int64
	Size   unit.Size3
	Ints   []int64
	List   []string
	Rows   *Table // only in JSON
}

// Word is a text with a status. A Word with an empty text is an absent value.
type Word struct {
	Text   string
	Status Status
}

// Word returns text as a Word with status s.
func (s Status) Word(text string) Word { return Word{text, s} }

// Value lists the value types that a column accepts.
type Value interface {
	string | bool | int | int64 | float64 | unit.Bytes | unit.Ratio | unit.Points | unit.Seconds | unit.Size3 |
		[]string | []int | []unit.Bytes | Word | unit.Opt[string] | unit.Opt[bool] | unit.Opt[int] | unit.Opt[int64] |
		unit.Opt[float64] | unit.Opt[unit.Bytes] | unit.Opt[unit.Ratio] | unit.Opt[unit.Points] | unit.Opt[unit.Seconds]
}

// ColumnFor returns a column with the properties that follow from the type of
// its values. It reports whether a column accepts that type.
func ColumnFor(of reflect.Type) (c Column, known bool) {
	c.Traits = Always
	if value, optional := of.MethodByName("Value"); optional { // a unit.Opt
		of, c.Traits = value.Type.Out(0), 0
	}
	switch v := reflect.Zero(of).Interface().(type) {
	case Word:
		c.Kind, c.Traits = Text, 0
	case unit.Bytes:
		c.Kind, c.Unit = Integer, "bytes"
	default:
		c.Kind = cellOf(v).Kind // the kind of a present value
	}
	return c, c.Kind != Absent
}

// cellOf returns the cell for a value.
func cellOf(v any) Cell {
	switch v := v.(type) {
	case string:
		return Cell{Kind: Text, Text: v}
	case Word:
		return StatusCell(v.Text, v.Status)
	case bool:
		return Cell{Kind: Bool, Bool: v}
	case int:
		return IntCell(v)
	case int64:
		return IntCell(v)
	case unit.Bytes:
		return IntCell(v)
	case float64:
		return NumCell(Number, v)
	case unit.Ratio:
		return NumCell(Percent, v.Percent())
	case unit.Points:
		return NumCell(Points, float64(v))
	case unit.Seconds:
		return NumCell(Duration, float64(v))
	case unit.Size3:
		return Cell{Kind: Size, Size: v}
	case []string:
		return Cell{Kind: Array, List: v}
	case []int:
		return intsCell(v)
	case []unit.Bytes:
		return intsCell(v)
	case unit.Opt[string]:
		return optCell(v)
	case unit.Opt[bool]:
		return optCell(v)
	case unit.Opt[int]:
		return optCell(v)
	case unit.Opt[int64]:
		return optCell(v)
	case unit.Opt[float64]:
		return optCell(v)
	case unit.Opt[unit.Bytes]:
		return optCell(v)
	case unit.Opt[unit.Ratio]:
		return optCell(v)
	case unit.Opt[unit.Points]:
		return optCell(v)
	case unit.Opt[unit.Seconds]:
		return optCell(v)
	}
	return Cell{}
}

func optCell[V Value](o unit.Opt[V]) Cell {
	if v, ok := o.Value(); ok {
		return cellOf(v)
	}
	return Cell{}
}

func intsCell[N ~int | ~int64](list []N) Cell {
	return Cell{Kind: Integers, Ints: ListOf(list, func(n N) int64 { return int64(n) })}
}

// TextCell returns a text cell, which is absent if the text is empty.
func TextCell(s string) Cell {
	if s == "" {
		return Cell{}
	}
	return Cell{Kind: Text, Text: s}
}

// StatusCell returns a text cell with a status. It is absent if the text is
// empty.
func StatusCell(s string, status Status) Cell {
	c := TextCell(s)
	c.Status = status
	return c
}

// IntCell returns a cell with a count.
func IntCell[T ~int | ~int64](n T) Cell { return Cell{Kind: Integer, Int: int64(n)} }

// NumCell returns a cell with a number. For NaN and infinities, the cell is
// absent, because no output format has them.
func NumCell(kind Kind, x float64) Cell {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Cell{}
	}
	return Cell{Kind: kind, Num: x}
}

// ValueCell returns the cell for a value, as a column has it.
func ValueCell[V Value](v V) Cell { return cellOf(v) }

// isZero reports whether a value is empty or a number that is not positive.
func (c *Cell) isZero() bool {
	return c.Int <= 0 && c.Num <= 0 && c.Text == "" && !c.Bool && !c.Size.Present() && len(c.List) == 0
}

// Blank reports whether people see only a dash instead of a value.
func (c Cell) Blank() bool {
	switch c.Kind {
	case Name:
		return c.Text == ""
	case Size:
		return !c.Size.Present()
	case Array, Integers:
		return len(c.List)+len(c.Ints) == 0
	}
	return c.Kind == Absent
}

// String returns the printed form of a cell that is not a number.
func (c Cell) String() string {
	switch c.Kind {
	case Name:
		return names.Display(c.Text)
	case Size:
		return c.Size.String()
	case Array, Integers:
		return strings.Join(c.Words(), ", ")
	case Bool:
		if c.Bool {
			return "yes"
		}
		return "no"
	}
	return c.Text
}

// Words returns the elements of a list.
func (c Cell) Words() []string {
	if c.Kind == Integers {
		return ListOf(c.Ints, func(n int64) string { return strconv.FormatInt(n, 10) })
	}
	return c.List
}

// scales are the factors from seconds to a column's unit.
var scales = map[string]float64{"ms": 1e3, "us": 1e6}

// Scaled returns a cell's number in the column's unit.
func (c Column) Scaled(v Cell) float64 {
	if v.Kind == Duration {
		return v.Num * cmp.Or(scales[c.Unit], 1)
	}
	return v.Num
}
