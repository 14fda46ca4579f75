package excel

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"occudiff/report"
	"occudiff/report/internal/sample"
)

// TestSpaceBeforeVerdicts checks that there is space between a number and the text
// after it.
func TestSpaceBeforeVerdicts(t *testing.T) {
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

// TestLongTextsWrap checks that a long paragraph takes several lines instead of
// making the page wider.
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

// TestPrintedColumns checks that the columns that a narrow terminal drops last
// come first and are printed, and that the other columns are a collapsed group.
func TestPrintedColumns(t *testing.T) {
	f := open(t, workbook(t, sample.Gaussian()))
	rows, err := f.GetRows("Kernels")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"Kernel", "GPU time [ms]", "Launches", "Predicted average [%]", "Measured [%]", "Difference [points]", "Verdict",
		"Cause", "Possible fix", "Potential speedup"}
	area := printArea(f, "Kernels")
	if n := lastColumn(t, area); n != len(want) || !strings.HasSuffix(area, fmt.Sprintf("$%d", len(rows))) {
		t.Errorf("%s is printed", area)
	}
	if diff := cmp.Diff(want, rows[0][:len(want)]); diff != "" {
		t.Error(diff)
	}
	for k := range rows[0] {
		name, _ := excelize.ColumnNumberToName(k + 1)
		level, _ := f.GetColOutlineLevel("Kernels", name)
		visible, _ := f.GetColVisible("Kernels", name)
		if printed := k < len(want); printed != visible || printed != (level == 0) {
			t.Errorf("%s is visible: %v, in outline level %d", rows[0][k], visible, level)
		}
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

// lastColumn returns the number of the last column of a range, counted from 1.
func lastColumn(t *testing.T, area string) int {
	t.Helper()
	corner := strings.ReplaceAll(area[strings.LastIndex(area, ":")+1:], "$", "")
	column, _, err := excelize.CellNameToCoordinates(corner)
	if err != nil {
		t.Fatal(err)
	}
	return column
}
