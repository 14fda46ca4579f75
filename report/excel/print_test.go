package excel

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
	"occudiff/report/internal/sample"
)

// TestVerdictsStandOff: a text is not pressed against the number before it.
func TestVerdictsStandOff(t *testing.T) {
	f := open(t, workbook(t, sample.Gaussian()))
	rows, err := f.GetRows("Kernels")
	if err != nil {
		t.Fatal(err)
	}
	for k, heading := range rows[0] {
		if heading != "Verdict" {
			continue
		}
		id, err := f.GetCellStyle("Kernels", address(k+1, 2))
		if err != nil {
			t.Fatal(err)
		}
		if s, err := f.GetStyle(id); err != nil || s.Alignment.Horizontal != "left" || s.Alignment.Indent != 1 {
			t.Errorf("the verdict after %q is aligned as %+v, %v", rows[0][k-1], s.Alignment, err)
		}
		return
	}
	t.Error("no verdict")
}

// TestLongTextsWrap checks that a paragraph takes several lines, and does not
// make the page as wide as it is long.
func TestLongTextsWrap(t *testing.T) {
	long := strings.Repeat("word ", 100)
	d := &report.Document{Title: "t", Sections: []report.Section{{Key: "rule", Title: "Rule", Text: []string{long, "short"}}}}
	var b bytes.Buffer
	if err := Render(t.Context(), &b, d); err != nil {
		t.Fatal(err)
	}
	f := open(t, b.Bytes())
	merged, err := f.GetMergeCells("Rule")
	if err != nil || len(merged) != 1 || merged[0].GetStartAxis() != "A2" {
		t.Fatalf("merged cells %v, error %v; want one from A2", merged, err)
	}
	if height, err := f.GetRowHeight("Rule", 2); err != nil || height < 3*lineHeight {
		t.Errorf("500 characters stand in %.0f points, error %v", height, err)
	}
	if height, err := f.GetRowHeight("Rule", 3); err != nil || height > lineHeight+5 {
		t.Errorf("a short text stands in %.0f points, error %v", height, err)
	}
}

// TestPrintedColumns: a list is printed up to the last column that a terminal
// shows as well; the rest is for the screen.
func TestPrintedColumns(t *testing.T) {
	f := open(t, workbook(t, sample.Gaussian()))
	area := printArea(f, "Kernels")
	if area == "" {
		t.Fatal("the sheet has no print area")
	}
	rows, err := f.GetRows("Kernels")
	if err != nil {
		t.Fatal(err)
	}
	n := lastColumn(t, area)
	if rows[0][n-1] != "Potential speedup" || !strings.HasSuffix(area, fmt.Sprintf("$%d", len(rows))) || len(rows[0]) < 2*n {
		t.Errorf("%s ends with %q of %d columns and %d rows", area, rows[0][n-1], len(rows[0]), len(rows))
	}
}

func printArea(f *excelize.File, sheet string) string {
	for _, n := range f.GetDefinedName() {
		if n.Name == "_xlnm.Print_Area" && n.Scope == sheet {
			return n.RefersTo
		}
	}
	return ""
}

// lastColumn is the last column of a range, counted from 1.
func lastColumn(t *testing.T, area string) int {
	t.Helper()
	corner := strings.ReplaceAll(area[strings.LastIndex(area, ":")+1:], "$", "")
	column, _, err := excelize.CellNameToCoordinates(corner)
	if err != nil {
		t.Fatal(err)
	}
	return column
}
