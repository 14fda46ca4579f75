package excel

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
	"occudiff/report"
	"occudiff/report/internal/sample"
)

func rowsOf(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

const sheetName1 = "xl/worksheets/sheet1.xml"

// TestArchivePutsRowsIn: rows and links stand before the ends of their elements, and a text that looks like an escaped
// character is escaped.
func TestArchivePutsRowsIn(t *testing.T) {
	var b bytes.Buffer
	a := newArchive(&b, map[string]func(io.Writer) error{sheetName1: rowsOf("ROWS")}, map[string]func(io.Writer) error{sheetName1: rowsOf("LINKS")})
	w, err := a.Create(sheetName1)
	if err != nil {
		t.Fatal(err)
	}
	for _, piece := range []string{"<sheetData><t>gemm", "_xe_hpc</t></sheet", "Data><hyperlinks><hyperlink/></hyperlinks><tableParts/>"} {
		if _, err := io.WriteString(w, piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	const want = "<sheetData><t>gemm_x005F_xe_hpc</t>ROWS</sheetData><hyperlinks><hyperlink/>LINKS</hyperlinks><tableParts/>"
	if got := partText(t, b.Bytes(), sheetName1); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestArchiveGivesErrorsBack(t *testing.T) {
	wrong := errors.New("no more rows")
	a := newArchive(io.Discard, map[string]func(io.Writer) error{sheetName1: func(io.Writer) error { return wrong }}, nil)
	w, err := a.Create(sheetName1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "</sheetData>"); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); !errors.Is(err, wrong) {
		t.Errorf("got %v, want %v", err, wrong)
	}
}

// TestSheetWithoutLinks checks that what was held back cannot be lost without an error.
func TestSheetWithoutLinks(t *testing.T) {
	a := newArchive(io.Discard, map[string]func(io.Writer) error{sheetName1: rowsOf("ROWS")}, map[string]func(io.Writer) error{sheetName1: rowsOf("LINKS")})
	w, err := a.Create(sheetName1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, "<sheetData></sheetData><tableParts/>"); err != nil {
		t.Fatal(err)
	}
	const want = "the library made xl/worksheets/sheet1.xml without </hyperlinks>"
	if err := a.Close(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestRowsWithoutSheet checks that rows cannot be lost without an error.
func TestRowsWithoutSheet(t *testing.T) {
	a := newArchive(io.Discard, map[string]func(io.Writer) error{"xl/worksheets/sheet9.xml": rowsOf("ROWS")}, nil)
	const want = "the library made no part xl/worksheets/sheet9.xml for the rows of a table"
	if err := a.Close(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestRowsOfMoreThanAPartMayHold(t *testing.T) {
	table := sample.Table("kernels", []report.Column{{Key: "task", Title: "Kernel", Kind: report.Text, In: report.Sheet}},
		[][]report.Cell{{report.TextCell("Fan1")}, {report.TextCell("Fan2")}})
	w, err := newBook(100).newRowWriter(table, []int{0}, 0, 2, []float64{20})
	if err != nil {
		t.Fatal(err)
	}
	w.most = 100
	const want = `the rows of "kernels" take more than 4 GiB, which spreadsheet programs do not open; write them as .csv`
	if err := w.write(io.Discard); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestPartsFollowEachOther checks that the shared compressor keeps parts apart.
func TestPartsFollowEachOther(t *testing.T) {
	var b bytes.Buffer
	a := newArchive(&b, nil, nil)
	parts := map[string]string{"a": strings.Repeat("alpha ", 1000), "b": strings.Repeat("beta ", 1000), "c": ""}
	for _, name := range []string{"a", "b", "c"} {
		w, err := a.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, parts[name]); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len())); err != nil {
		t.Fatal(err)
	}
	for name, want := range parts {
		if got := partText(t, b.Bytes(), name); got != want {
			t.Errorf("part %s holds %d bytes, want %d", name, len(got), len(want))
		}
	}
}

func TestAppendEscaped(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"markup", `a<b>&c`, "a&lt;b&gt;&amp;c"},
		{"quotes need nothing inside an element", `"'`, `"'`},
		{"what a spreadsheet would decode", "_x0041_", "_x005F_x0041_"},
		{"lower case too", "_x00ab_", "_x005F_x00ab_"},
		{"what LibreOffice would decode", "gemm_xe_hpc", "gemm_x005F_xe_hpc"},
		{"two of them, with one underscore between", "_xe_xe_", "_x005F_xe_x005F_xe_"},
		{"a length that nobody decodes", "_x004_", "_x004_"},
		{"no hexadecimal number", "_xyzuv_", "_xyzuv_"},
		{"at the end", "name_x0041", "name_x0041"},
	} {
		if got := string(appendEscaped(nil, c.in)); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestNamesOfLibreOffice has a text in a list and one in a sheet that the library writes: LibreOffice shows _xe_ as a control
// character unless it is escaped, and every reader takes the escape back.
func TestNamesOfLibreOffice(t *testing.T) {
	const name = "gemm_xe_hpc"
	table := sample.Table(report.SectionKernels, []report.Column{{Key: "task", Title: "Kernel", Kind: report.Text, In: report.Sheet}},
		[][]report.Cell{{report.TextCell(name)}})
	var b bytes.Buffer
	if err := Render(&b, &report.Document{Title: "t", Sections: []report.Section{
		{Key: report.SectionSummary, Title: "Summary", Sheet: "Summary", Text: []string{name}},
		{Key: report.SectionKernels, Title: "Kernels", Sheet: "Kernels", Tables: []*report.Table{table}}}}); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i, sheet := range []string{"Summary", "Kernels"} {
		part := partText(t, b.Bytes(), fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1))
		if !strings.Contains(part, "gemm_x005F_xe_hpc") || strings.Contains(part, name) {
			t.Errorf("sheet %s has no escape: %s", sheet, part)
		}
		if cells, err := f.SearchSheet(sheet, name); len(cells) != 1 || err != nil {
			t.Errorf("sheet %s has the name in the cells %v (%v)", sheet, cells, err)
		}
	}
}

// FuzzText checks that any text can stand in a cell: the file stays well-formed and the text comes back.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "=1+1", "a\r\nb", "\x00", "_x0041_", "_xe_xe_", "]]>", "\xff", "\ufffe", "\U0001D11E"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		table := sample.Table(report.SectionKernels, []report.Column{{Key: "task", Title: "Kernel", Kind: report.Text,
			In: report.Sheet}}, [][]report.Cell{{report.TextCell("before" + s)}, {report.TextCell(s)}})
		var b bytes.Buffer
		err := Render(&b, &report.Document{Title: s, Subject: s, Headline: []string{s}, Sections: []report.Section{
			{Key: report.SectionKernels, Title: "Kernels", Sheet: "Kernels", Text: []string{s}, Tables: []*report.Table{table}}}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := open(t, b.Bytes()).GetCellValue("Kernels", "A2")
		if err != nil || got != fitText("before"+s) {
			t.Errorf("%q came back as %q, %v; want %q", s, got, err, fitText("before"+s))
		}
	})
}
