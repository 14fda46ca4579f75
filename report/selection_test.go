package report_test

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"occudiff/report"
	"occudiff/report/internal/sample"
)

func TestSelection(t *testing.T) {
	rows := []report.Candidate{{Task: "b", Value: 1}, {Task: "copy", Other: true, Value: 9},
		{Task: "c", Value: math.NaN()},
		{Task: "_ZN2ns1aEv", Value: 3}} // demangled: ns::a
	for _, test := range []struct {
		reason string
		show   report.Selection
		want   []int
		left   string
	}{
		{"all", report.Selection{}, []int{0, 1, 2, 3}, ""},
		{"by value, rows without one last", report.Selection{Sort: report.SortTime}, []int{3, 0, 2, 1}, ""},
		{"by the name that people read", report.Selection{Sort: report.SortName}, []int{0, 2, 3, 1}, ""},
		{"the first ones are kernels", report.Selection{Top: 2, Sort: report.SortTime}, []int{3, 0},
			"2 of 3 rows are shown (--top 2)"},
		{"all kernels: a copy is not left out", report.Selection{Top: 9}, []int{0, 2, 3}, ""},
		{"the name that people read", report.Selection{Kernel: regexp.MustCompile("^ns::")}, []int{3},
			"1 of 4 rows are shown (--kernel '^ns::')"},
		{"the name as printed", report.Selection{Kernel: regexp.MustCompile("^_ZN|copy")}, []int{3, 1},
			"2 of 4 rows are shown (--kernel '^_ZN|copy')"},
		{"none", report.Selection{Kernel: regexp.MustCompile("x"), Top: 1}, nil,
			"0 of 3 rows are shown (--kernel x --top 1)"},
	} {
		got, notes := report.Select(test.show, []int{0, 1, 2, 3}, "rows", func(i *int) report.Candidate { return rows[*i] })
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.reason, got, test.want)
		}
		said := strings.Join(report.IncompleteNotes(notes), "")
		if test.left == "" && said != "" || !strings.Contains(said, test.left) {
			t.Errorf("%s: said %q, want %q", test.reason, said, test.left)
		}
	}
}

func TestChooseColumns(t *testing.T) {
	all := report.Terminal | report.Page | report.Sheet
	table := func() *report.Table {
		return sample.Table("kernels", []report.Column{{Key: "task", Title: "Kernel", In: all},
			{Key: "measured_percent", Title: "measured", Group: "Occupancy", In: report.Sheet, Drop: 2},
			{Key: "verdict", Title: "Verdict", In: all}},
			[][]report.Cell{{report.TextCell("k"), report.NumCell(report.Percent, 5), report.TextCell("match")}})
	}
	t.Run("people see the chosen columns after the name, and a workbook all", func(t *testing.T) {
		got := table()
		got.Choose([]string{"measured"})
		if keys := got.Keys(); !slices.Equal(keys, []string{"task", "measured_percent", "verdict"}) {
			t.Errorf("keys %q", keys)
		}
		if c := got.Columns; c[1].In != all || c[1].Drop != 0 || c[2].In != report.Sheet {
			t.Errorf("columns %+v", c)
		}
	})
	t.Run("only these, in this order", func(t *testing.T) {
		got := table()
		got.Only([]string{"verdict", "task", "verdict", "none"})
		row := got.Row(0, []report.Cell{report.TextCell("before")})
		if len(row) != 3 || row[0].Text != "before" || row[1].Text != "match" || row[2].Text != "k" {
			t.Errorf("row %+v", row)
		}
	})
	for name, want := range map[string]int{"measured": 1, "measured_percent": 1, "Occupancy measured": 1, "KERNEL": 0,
		"": -1, "x": -1} {
		if got := table().Find(name); got != want {
			t.Errorf("Find(%q) = %d, want %d", name, got, want)
		}
	}
}

// TestChosenColumnsShown checks that a table whose cells are made on request
// returns the cells of the chosen columns, in the chosen order.
func TestChosenColumnsShown(t *testing.T) {
	table := report.NewTable("kernels", "", []int{1}, []report.Col[int]{
		report.Define("name", "Kernel", func(*int) string { return "k" }),
		report.Define("a", "A", func(a *int) int { return *a }),
		report.Define("b", "B", func(a *int) int { return *a + 1 }),
	})
	table.Choose([]string{"b", "a"})
	cells := table.Shown(report.Page).Row(0, nil)
	if len(cells) != 3 || cells[0].Text != "k" || cells[1].Int != 2 || cells[2].Int != 1 {
		t.Errorf("got %+v, want k, 2, 1", cells)
	}
}
