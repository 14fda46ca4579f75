package report_test

import (
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
	Name   word        `json:"name" col:"Name; cut; brief=N"`
	Size   unit.Size3  `json:"size" csv:"size"`
	Local  []int64     `json:"local" csv:"local"`
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
		{Name: "a", Size: unit.Size(4, 2), Local: []int64{2, 1}, Widths: []int{8, 16}, Limits: []string{"slm", "grid"}, Share: 12.5,
			Mark:   report.StatusCell("binds", report.Unsure),
			Inside: &part{&n, unit.Some(unit.Ratio(0.5)), unit.Some(unit.Points(-2)), unit.Some(1.25)}},
		{Name: "b", Inside: &part{}},
		{},
	}
	table := report.Rows("t", len(rows), func(i int) whole { return rows[i] })
	want := []report.Column{
		{Key: "name", Title: "Name", Brief: "N", Kind: report.Text, Cut: true, In: everywhere},
		{Key: "size", Kind: report.Text},
		{Key: "local", Kind: report.Text},
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
		{report.TextCell("a"), report.TextCell("4x2"), report.TextCell("2x1"), report.TextCell("8, 16"), report.TextCell("slm grid"),
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
	table := report.Rows("t", 1, func(int) whole { return whole{Name: "a", Inside: &part{Groups: &n}} }, "groups", "name")
	if len(table.Columns) != 2 || table.Columns[0].Key != "groups" || table.Columns[1].Key != "name" {
		t.Fatalf("got %+v", table.Columns)
	}
	if d := cmp.Diff([]report.Cell{report.IntCell(3), report.TextCell("a")}, table.Row(0, nil)); d != "" {
		t.Error(d)
	}
}
