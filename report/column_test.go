package report_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/report"
)

// cellAs is a defined column with the cell for a value.
type cellAs struct {
	report.Column
	cell report.Cell
}

// define returns a column with the options, and its cell for the value v.
func define[V report.Value](v V, options ...report.Option) cellAs {
	c := report.Define("k", "T", func(v *V) V { return *v }, options...)
	return cellAs{c.Column, c.Of(&v)}
}

// TestDefine checks that the kind, the unit, the null rule, and the cell of a
// column follow from its value type.
func TestDefine(t *testing.T) {
	for _, c := range []struct {
		reason string
		got    cellAs
		kind   report.Kind
		unit   string
		always bool
		cell   report.Cell
		shown  string
	}{
		{"a text", define("a\tb"), report.Text, "", true, report.Cell{Kind: report.Text, Text: "a\tb"}, "a b"},
		{"an empty text is a value", define(""), report.Text, "", true, report.Cell{Kind: report.Text}, ""},
		{"an empty text is absent", define("", report.NonZero), report.Text, "", false, report.Cell{}, "-"},
		{"the name of a kernel", define("_Z1kv", report.Name), report.Name, "", true, report.Cell{Kind: report.Name, Text: "_Z1kv"}, "k()"},
		{"a word with a status", define(report.Bad.Word("x")), report.Text, "", false,
			report.Cell{Kind: report.Text, Text: "x", Status: report.Bad}, "x"},
		{"no word", define(report.Word{}), report.Text, "", false, report.Cell{}, "-"},
		{"yes", define(true), report.Bool, "", true, report.Cell{Kind: report.Bool, Bool: true}, "yes"},
		{"no", define(false), report.Bool, "", true, report.Cell{Kind: report.Bool}, "no"},
		{"no is absent", define(false, report.NonZero), report.Bool, "", false, report.Cell{}, "-"},
		{"a count", define(1234), report.Integer, "", true, report.Cell{Kind: report.Integer, Int: 1234}, "1,234"},
		{"zero is a value", define(int64(0)), report.Integer, "", true, report.Cell{Kind: report.Integer}, "0"},
		{"zero is absent", define(0, report.NonZero), report.Integer, "", false, report.Cell{}, "-"},
		{"an amount of memory", define(unit.Bytes(2048)), report.Integer, "bytes", true, report.Cell{Kind: report.Integer, Int: 2048}, "2,048"},
		{"a number", define(1.25, report.Decimals(1)), report.Number, "", true, report.Cell{Kind: report.Number, Num: 1.25}, "1.2"},
		{"not a number", define(math.NaN()), report.Number, "", true, report.Cell{}, "-"},
		{"a number that is a percentage", define(50.0, report.Percent), report.Percent, "%", true, report.Cell{Kind: report.Percent, Num: 50}, "50.0"},
		{"a share", define(unit.Ratio(0.5)), report.Percent, "%", true, report.Cell{Kind: report.Percent, Num: 50}, "50.0"},
		{"percentage points", define(unit.Points(5)), report.Points, "points", true, report.Cell{Kind: report.Points, Num: 5}, "+5.0"},
		{"a time in its base unit", define(unit.Seconds(0.5)), report.Duration, "s", true, report.Cell{Kind: report.Duration, Num: 0.5}, "0"},
		{"a time in another unit", define(unit.Seconds(0.5), report.Unit("ms")), report.Duration, "ms", true,
			report.Cell{Kind: report.Duration, Num: 0.5}, "500"},
		{"a size", define(unit.Size(64, 2)), report.Size, "", true, report.Cell{Kind: report.Size, Size: unit.Size(64, 2)}, "64x2"},
		{"no size", define(unit.Size3{}), report.Size, "", true, report.Cell{Kind: report.Size}, "-"},
		{"words", define([]string{"a", "b"}), report.Array, "", true, report.Cell{Kind: report.Array, List: []string{"a", "b"}}, "a, b"},
		{"no words", define([]string{}), report.Array, "", true, report.Cell{Kind: report.Array, List: []string{}}, "-"},
		{"numbers", define([]int{8, 16}), report.Integers, "", true, report.Cell{Kind: report.Integers, Ints: []int64{8, 16}}, "8, 16"},
		{"amounts", define([]unit.Bytes{8}), report.Integers, "", true, report.Cell{Kind: report.Integers, Ints: []int64{8}}, "8"},
		{"an optional share", define(unit.Some(unit.Ratio(0.5))), report.Percent, "%", false, report.Cell{Kind: report.Percent, Num: 50}, "50.0"},
		{"an absent share", define(unit.Opt[unit.Ratio]{}), report.Percent, "%", false, report.Cell{}, "-"},
		{"an optional zero", define(unit.Some(0)), report.Integer, "", false, report.Cell{Kind: report.Integer}, "0"},
		{"an optional time", define(unit.Some(unit.Seconds(2))), report.Duration, "s", false, report.Cell{Kind: report.Duration, Num: 2}, "2"},
		{"an optional text", define(unit.Some("")), report.Text, "", false, report.Cell{Kind: report.Text}, ""},
		{"an option that is never absent", define(unit.Some(true), report.Always), report.Bool, "", true, report.Cell{Kind: report.Bool, Bool: true}, "yes"},
	} {
		if c.got.Kind != c.kind || c.got.Unit != c.unit || c.got.Is(report.Always) != c.always || !reflect.DeepEqual(c.got.cell, c.cell) {
			t.Errorf("%s: got %+v, want kind %d, unit %q, always %v, cell %+v", c.reason, c.got, c.kind, c.unit, c.always, c.cell)
		}
		if shown := c.got.Print(c.got.cell); shown != c.shown {
			t.Errorf("%s: people read %q, want %q", c.reason, shown, c.shown)
		}
	}
}

// TestPlace checks that the title and the options determine which outputs have
// a column.
func TestPlace(t *testing.T) {
	get := func(*int) int { return 1 }
	none := report.View(0)
	for _, c := range []struct {
		reason    string
		got       report.Column
		key, path string
		in        report.View
	}{
		{"a title", report.Define("a", "A", get).Column, "a", "a", report.All},
		{"no title", report.Define("a", "", get).Column, "", "a", none},
		{"no title, but in CSV", report.Define("a", "", get, report.Data).Column, "a", "a", report.Data},
		{"JSON alone", report.JSON("a", get).Column, "", "a", none},
		{"not in JSON", report.Shown("a", "A", get).Column, "a", "", report.All},
		{"a view", report.Shown("a", "A", get, report.Wide).Column, "a", "", report.Wide},
		{"another path", report.Define("a", "A", get, report.Path("b.c")).Column, "a", "b.c", report.All},
		{"in a list of details", report.Define("a", "A", get, report.Detail).Column, "", "a", report.Detail},
		{"taken out of all outputs but JSON", report.InJSON([]report.Col[int]{report.Define("a", "A", get)})[0].Column, "", "a", none},
		{"kept", report.InJSON([]report.Col[int]{report.Define("a", "A", get)}, "a")[0].Column, "a", "a", report.All},
		{"in a part", report.Within("x_", "x", func(n *int) *int { return n }, []report.Col[int]{report.Define("a", "A", get)})[0].Column,
			"x_a", "x.a", report.All},
		{"under another key", report.Define("a", "A", get).As(report.Key("b"), report.Kept).Column, "b", "a", report.Kept},
	} {
		if c.got.Key != c.key || c.got.Path != c.path || c.got.In != c.in {
			t.Errorf("%s: got %+v, want key %q, path %q, view %d", c.reason, c.got, c.key, c.path, c.in)
		}
	}
}

// TestExplanation checks the explanations of columns whose keys have a
// different meaning in JSON or in another table. A wrong explanation is worse
// than none.
func TestExplanation(t *testing.T) {
	for _, c := range []struct {
		reason string
		column report.Column
		want   string
	}{
		{"n is a number of runs in JSON", report.Column{Key: "n", Title: "#"}, "Number of the row"},
		{"time is a date in JSON", report.Column{Key: "time", Title: "Time"}, "Share of the time"},
		{"time is a date in a list of runs", report.Column{Key: "time", Path: "time", Title: "Time"}, "Date and time"},
		{"direction is the worse direction in a history", report.Column{Key: "direction", Path: "direction", Title: "Direction"},
			"Direction of a copy"},
		{"a title with a comma, which separates names in the glossary", report.Column{Key: "level", Title: "Before, after"},
			"Level before the finding, and level"},
		{"a column without a heading", report.Column{Key: "n", Title: " "}, ""},
	} {
		if got := c.column.Explanation(); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", c.reason, got)
		}
	}
}
