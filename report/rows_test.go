package report_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest/unit"
	"occudiff/report"
)

type part struct {
	Groups *int64                `json:"groups" csv:"predicted_groups" col:"Work-groups; in=sheet"`
	Peak   unit.Opt[unit.Ratio]  `json:"peak_percent" col:"Peak, of all [%]; group=Predicted; drop=7"`
	Off    unit.Opt[unit.Points] `json:"off_points" col:"Difference [points]"`
	Waves  unit.Opt[float64]     `json:"waves" col:"Waves; decimals=2; in=page+sheet"`
}

type word string

type whole struct {
	Name   word        `json:"name" col:"Name; cut; brief=N; role=code+named"`
	Size   unit.Size3  `json:"size" csv:"size"`
	Local  unit.Size3  `json:"local" csv:"local"`
	Widths []int       `json:"widths" csv:"widths"`
	Limits []string    `json:"limits" csv:"limits"`
	Share  float64     `json:"share_percent" csv:"share"`
	Mark   report.Cell `json:"-" csv:"mark" col:"Mark; wrap"`
	Inside *part       `json:"inside" csv:",inline"`
	Other  int         `json:"other"`
}

// TestRows pins what each kind of field becomes, in columns and in cells.
func TestRows(t *testing.T) {
	const everywhere = report.Terminal | report.Page | report.Sheet
	n := int64(3)
	rows := []whole{
		{Name: "a", Size: unit.Size(4, 2), Local: unit.Size(2, 1), Widths: []int{8, 16}, Limits: []string{"slm", "grid"}, Share: 12.5,
			Mark:   report.StatusCell("binds", report.Unsure),
			Inside: &part{&n, unit.Some(unit.Ratio(0.5)), unit.Some(unit.Points(-2)), unit.Some(1.25)}},
		{Name: "b", Inside: &part{}},
		{},
	}
	table := report.Rows("t", len(rows), func(i int) whole { return rows[i] })
	want := []report.Column{
		{Key: "name", Title: "Name", Brief: "N", Kind: report.Text, Cut: true, In: everywhere, Role: report.Code | report.Named},
		{Key: "size", Kind: report.Size},
		{Key: "local", Kind: report.Size},
		{Key: "widths", Kind: report.Text},
		{Key: "limits", Kind: report.Text},
		{Key: "share", Kind: report.Number},
		{Key: "mark", Title: "Mark", Kind: report.Text, Wrap: true, In: everywhere},
		{Key: "predicted_groups", Title: "Work-groups", Kind: report.Integer, In: report.Sheet},
		{Key: "peak_percent", Group: "Predicted", Title: "Peak, of all", Unit: "%", Kind: report.Percent, Drop: 7, In: everywhere},
		{Key: "off_points", Title: "Difference", Unit: "points", Kind: report.Points, In: everywhere},
		{Key: "waves", Title: "Waves", Kind: report.Number, Decimals: 2, In: report.Page | report.Sheet},
	}
	if d := cmp.Diff(want, table.Columns); d != "" {
		t.Error(d)
	}
	absent := report.Cell{}
	for i, want := range [][]report.Cell{
		{report.TextCell("a"), report.TextCell("4x2"), report.TextCell("2x1"), report.TextCell("8, 16"), report.TextCell("slm, grid"),
			report.NumCell(report.Number, 12.5), report.StatusCell("binds", report.Unsure), report.IntCell(3),
			report.NumCell(report.Percent, 50), report.NumCell(report.Points, -2), report.NumCell(report.Number, 1.25)},
		{report.TextCell("b"), absent, absent, absent, absent, report.NumCell(report.Number, 0), absent, absent, absent, absent, absent},
		{absent, absent, absent, absent, absent, report.NumCell(report.Number, 0), absent, absent, absent, absent, absent},
	} {
		if d := cmp.Diff(want, table.Row(i, nil)); d != "" {
			t.Errorf("row %d: %s", i, d)
		}
	}
}

// TestRowsByKey picks columns by the key of either form, which the column then has.
func TestRowsByKey(t *testing.T) {
	n := int64(3)
	table := report.Rows("t", 1, func(int) whole { return whole{Name: "a", Inside: &part{Groups: &n}} }, "groups: Groups; in=page", "name")
	if len(table.Columns) != 2 || table.Columns[0].Key != "groups" || table.Columns[0].Title != "Groups" || table.Columns[1].Key != "name" {
		t.Fatalf("got %+v", table.Columns)
	}
	if d := cmp.Diff([]report.Cell{report.IntCell(3), report.TextCell("a")}, table.Row(0, nil)); d != "" {
		t.Error(d)
	}
}

// TestRowsOfNoField: a key that no field has is a fault of the program. A table without the column would hide it.
func TestRowsOfNoField(t *testing.T) {
	defer func() {
		if text := fmt.Sprint(recover()); text != "report: no field has the column grups" {
			t.Errorf("a misspelled key: %s", text)
		}
	}()
	report.Rows("t", 1, func(int) whole { return whole{} }, "name", "grups")
}

type verdict string

func (v verdict) Cell() report.Cell { return report.StatusCell(string(v), report.Bad) }

func (v verdict) Words() []report.Word { return []report.Word{{Text: "below", Status: report.Bad}} }

type launch struct {
	Time    unit.Opt[unit.Seconds] `json:"average_seconds" csv:"average_seconds" col:"Time per launch [us]; decimals=1"`
	Verdict verdict                `json:"verdict" col:"Verdict; in=terminal+page"`
	Label   string                 `json:"label" csv:"-" col:"Label"`
	Row     *part                  `json:"predicted" csv:",inline"`
}

// TestRowCells holds what people read: units, what is shown alone, words with a status.
func TestRowCells(t *testing.T) {
	row := func(i int, into *launch) {
		if i == 0 {
			*into = launch{unit.Some(unit.Seconds(2e-6)), "below", "first", &part{Off: unit.Some(unit.Points(1))}}
			return
		}
		*into = launch{}
	}
	for _, c := range []struct {
		table *report.Table
		keys  []string
		want  []report.Cell
	}{
		{report.RowsInto("t", 2, row, "average", "verdict", "label", "off"), []string{"average", "verdict", "label", "off"},
			[]report.Cell{report.NumCell(report.Number, 2), report.StatusCell("below", report.Bad), report.TextCell("first"),
				report.NumCell(report.Points, 1)}},
	} {
		var keys []string
		for _, column := range c.table.Columns {
			keys = append(keys, column.Key)
		}
		if d := cmp.Diff(c.keys, keys); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(c.want, c.table.Row(0, nil)); d != "" {
			t.Error(d)
		}
		for i, cell := range c.table.Row(1, nil) { // in memory that held the first row
			if cell.Text != "" || cell.Num != 0 {
				t.Errorf("column %s of an empty row is %v", keys[i], cell)
			}
		}
	}
	words := report.RowsInto("t", 2, row).Columns[1].Words
	if d := cmp.Diff([]report.Word{{Text: "below", Status: report.Bad}}, words); d != "" {
		t.Error(d)
	}
}
