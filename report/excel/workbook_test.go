package excel

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

var provenance = report.Provenance{Version: "v0.1.0", CommandLine: []string{"occudiff", "validate", "run.csv"}}

func workbook(t testing.TB, r *compare.Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Render(t.Context(), &b, rundoc.FromResult(r, provenance)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, data []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{RawCellValue: true, UnzipSizeLimit: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// partText returns the text of a file in the workbook's zip archive.
func partText(t testing.TB, data []byte, name string) string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// dump returns the content of a workbook as text: sheet, cell, kind, number
// format, and value.
func dump(t testing.TB, f *excelize.File) string {
	var b strings.Builder
	for _, sheet := range f.GetSheetList() {
		fmt.Fprintf(&b, "== %s\n", sheet)
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		for r := range rows {
			for c := range rows[r] {
				if a := address(c+1, r+1); rows[r][c] != "" {
					kind, format := look(t, f, sheet, a)
					fmt.Fprintf(&b, "%s %s %s %q\n", a, kind, format, rows[r][c])
				}
			}
		}
	}
	return b.String()
}

// look returns the kind and the number format of a cell.
func look(t testing.TB, f *excelize.File, sheet, cell string) (kind, format string) {
	t.Helper()
	typ, err := f.GetCellType(sheet, cell)
	if err != nil {
		t.Fatal(err)
	}
	kind = map[excelize.CellType]string{
		excelize.CellTypeUnset: "number", excelize.CellTypeNumber: "number", excelize.CellTypeInlineString: "text", excelize.CellTypeSharedString: "text",
		excelize.CellTypeFormula: "formula",
	}[typ]
	id, err := f.GetCellStyle(sheet, cell)
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.GetStyle(id)
	if err != nil {
		t.Fatal(err)
	}
	if format = "-"; s.CustomNumFmt != nil {
		format = *s.CustomNumFmt
	} else if s.NumFmt != 0 {
		format = fmt.Sprint(s.NumFmt)
	}
	return kind, format
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		result       *compare.Result
	}{
		{"gaussian", "every sheet", sample.Gaussian()},
		{"hostile", "names stay text", sample.Hostile()},
		{"absent", "what is absent is an empty cell", sample.Absent()},
		{"logs", "timings", sample.LogsOnly()},
		{"empty", "no row at all", sample.Empty()},
	} {
		t.Run(c.name, func(t *testing.T) {
			testenv.Golden(t, "testdata/"+c.name+".txt", []byte(dump(t, open(t, workbook(t, c.result)))))
		})
	}
}

func TestSheets(t *testing.T) {
	for _, c := range []struct {
		reason string
		run    *compare.Result
		want   []string
	}{
		{"a run with everything", sample.Gaussian(), []string{"Summary", "Kernels", "Evidence", "Inputs"}},
		{"a log", sample.LogsOnly(), []string{"Summary", "Kernels", "Runs", "Evidence", "Inputs"}},
		{"no sheet is empty", sample.Empty(), []string{"Summary", "Inputs"}},
	} {
		if diff := cmp.Diff(c.want, open(t, workbook(t, c.run)).GetSheetList()); diff != "" {
			t.Errorf("%s: %s", c.reason, diff)
		}
	}
}

// TestKernelSheet checks the properties of the kernel sheet. It reopens the
// file, because a property that is set at the wrong time is lost without an
// error.
func TestKernelSheet(t *testing.T) {
	data := workbook(t, sample.Gaussian())
	f := open(t, data)
	// Excel reports a damaged file if two columns of a table have the same
	// heading.
	rows, err := f.GetRows("Kernels")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(rows[0])
	if n := len(rows[0]); len(slices.Compact(rows[0])) != n {
		t.Error("two columns have one heading")
	}
	panes, err := f.GetPanes("Kernels")
	if err != nil || !panes.Freeze || panes.XSplit != 1 || panes.YSplit != 1 || panes.TopLeftCell != "B2" {
		t.Errorf("panes are %+v, %v; want the heading and the names frozen", panes, err)
	}
	tables, err := f.GetTables("Kernels")
	if err != nil || len(tables) != 1 || tables[0].Name != "Kernels" {
		t.Fatalf("tables are %+v, %v; want one of the name Kernels", tables, err)
	}
	if table := partText(t, data, "xl/tables/table1.xml"); !strings.Contains(table, `<autoFilter ref="`+tables[0].Range+`"`) {
		t.Errorf("the table has no filter: %s", table)
	}
	if !strings.HasPrefix(tables[0].Range, "A1:") || !strings.HasSuffix(tables[0].Range, "6") {
		t.Errorf("the table is %s; want the heading and five rows", tables[0].Range)
	}
	width, err := f.GetColWidth("Kernels", "A")
	if err != nil || width < 22 || width > 30 {
		t.Errorf("names have width %v, %v; want that of clEnqueueWriteBuffer and some", width, err)
	}
	if xml := partText(t, data, "xl/workbook.xml"); !strings.Contains(xml, "_xlnm.Print_Titles") {
		t.Error("printed pages do not repeat the heading")
	}
}

// TestVerdictsAreColored checks that each verdict has a conditional format, so
// that the colors stay right if a reader sorts the sheet or edits a verdict.
func TestVerdictsAreColored(t *testing.T) {
	f := open(t, workbook(t, sample.Gaussian()))
	column := columnOf(t, f, "Verdict")
	got := map[string]string{}
	for _, rule := range rulesOf(t, f, "Kernels", column+"2:"+column+"6") {
		s, err := f.GetConditionalStyle(*rule.Format)
		if err != nil {
			t.Fatal(err)
		}
		got[rule.Value] = fmt.Sprintf("%s %v", s.Font.Color, s.Fill.Color)
	}
	want := map[string]string{`"below"`: "9C0006 [FFC7CE]", `"unmeasurable"`: "7F4A00 [FFEB9C]", `"not a kernel"`: "6B6B6B []"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// rulesOf returns the conditional formats of a range.
func rulesOf(t *testing.T, f *excelize.File, sheet, cells string) []excelize.ConditionalFormatOptions {
	t.Helper()
	rules, err := f.GetConditionalFormats(sheet)
	if err != nil {
		t.Fatal(err)
	}
	return rules[cells]
}

// TestOccupancyHasBars checks that columns with occupancy in the first two
// sheets have data bars from 0 to 100.
func TestOccupancyHasBars(t *testing.T) {
	f := open(t, workbook(t, sample.Gaussian()))
	for _, c := range []struct{ sheet, heading string }{{"Kernels", "Measured [%]"}, {"Kernels", "Predicted average [%]"},
		{"Summary", "Measured [%]"}} {
		rows, err := f.GetRows(c.sheet)
		if err != nil {
			t.Fatal(err)
		}
		head := slices.IndexFunc(rows, func(r []string) bool { return slices.Contains(r, c.heading) })
		if head < 0 {
			t.Fatalf("%s has no %s", c.sheet, c.heading)
		}
		k := slices.Index(rows[head], c.heading) + 1
		last := head + 1
		for last < len(rows) && len(rows[last]) >= k {
			last++
		}
		rules := rulesOf(t, f, c.sheet, address(k, head+2)+":"+address(k, last))
		if len(rules) != 1 || rules[0].Type != "data_bar" || rules[0].MinValue != "0" || rules[0].MaxValue != "100" {
			t.Errorf("%s, %s: rules %+v", c.sheet, c.heading, rules)
		}
		kind, format := look(t, f, c.sheet, address(k, head+2))
		if kind != "number" || format != "0.0" {
			t.Errorf("%s, %s is %s with format %s", c.sheet, c.heading, kind, format)
		}
	}
}

// TestHeadingsAreExplained checks that each heading of the kernel sheet has a
// comment.
func TestHeadingsAreExplained(t *testing.T) {
	f := open(t, workbook(t, sample.Gaussian()))
	rows, err := f.GetRows("Kernels")
	if err != nil {
		t.Fatal(err)
	}
	comments, err := f.GetComments("Kernels")
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]string{}
	for _, c := range comments {
		by[c.Cell] = c.Text
	}
	for k, heading := range rows[0] {
		if text := by[address(k+1, 1)]; len(text) < 10 || strings.EqualFold(text, heading) {
			t.Errorf("%s is explained by %q", heading, text)
		}
	}
}

// TestTrend checks that the chart of a series shows the values, the bad runs,
// the level, and the threshold, and that each of them refers to cells of the
// sheet.
func TestTrend(t *testing.T) {
	series := &report.TimeSeries{Y: "Measured", Threshold: unit.Some(58.0), Least: 10, Segments: []report.Segment{{From: 0, To: 2, Mean: 60},
		{From: 2, To: 3, Mean: 38}}}
	for i, v := range []float64{60, 60.2, 38} {
		series.Points = append(series.Points, report.TimePoint{Time: time.Date(2026, 3, 1+i, 0, 0, 0, 0, time.UTC), Value: v,
			Bad: v < 50, Name: fmt.Sprintf("run %d", i+1)})
	}
	d := &report.Document{Title: "t", Sections: []report.Section{{Key: "regressed", Title: "Regressed", Sheet: "Trend", In: report.Files,
		Plots: []report.Plot{{Key: "k", Title: "histogram_rows", Unit: "%", TimeSeries: series}}}}}
	var b bytes.Buffer
	if err := Render(t.Context(), &b, d); err != nil {
		t.Fatal(err)
	}
	f := open(t, b.Bytes())
	rows, err := f.GetRows("Trend")
	if err != nil {
		t.Fatal(err)
	}
	head := slices.IndexFunc(rows, func(r []string) bool { return slices.Contains(r, "Value [%]") })
	want := [][]string{{"", "2026-03-01 00:00", "60", "", "60", "58", "run 1"}, {"", "2026-03-02 00:00", "60.2", "", "60", "58", "run 2"},
		{"", "2026-03-03 00:00", "38", "38", "38", "58", "run 3"}}
	if diff := cmp.Diff(want, rows[head+1:]); diff != "" {
		t.Error(diff)
	}
	chart := html.UnescapeString(partText(t, b.Bytes(), "xl/charts/chart1.xml"))
	for column, name := range map[string]string{"C": "value", "D": "bad runs", "E": "level", "F": "threshold"} {
		if ref := fmt.Sprintf("'Trend'!$%s$%d:$%s$%d", column, head+2, column, head+4); !strings.Contains(chart, ref) {
			t.Errorf("the chart does not draw the %s from %s", name, ref)
		}
	}
	for _, text := range []string{"histogram_rows", "Measured [%]"} {
		if !strings.Contains(chart, text) {
			t.Errorf("the chart does not have %q", text)
		}
	}
}

// columnOf returns the column of the kernel sheet that has the given heading.
func columnOf(t *testing.T, f *excelize.File, heading string) string {
	t.Helper()
	rows, err := f.GetRows("Kernels")
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range rows[0] {
		if h == heading {
			name, _ := excelize.ColumnNumberToName(i + 1)
			return name
		}
	}
	t.Fatalf("no column %q in %v", heading, rows[0])
	return ""
}

func TestNumbers(t *testing.T) {
	f := open(t, workbook(t, sample.Gaussian()))
	for _, c := range []struct{ heading, kind, format, value string }{
		{"Kernel", "text", "-", "Fan2"},
		{"Global", "text", "-", "2048x2048"},
		{"Work-items", "number", "#,##0", "4194304"},
		{"SIMD", "number", "#,##0", "32"},
		{"Launches", "number", "#,##0", "2047"},
		{"GPU time [ms]", "number", "#,##0.000", "1070.996"},
		{"Predicted peak [%]", "number", "0.0", "100"},
		{"Predicted average [%]", "number", "0.0", "99.51409135082604"},
		{"Measured [%]", "number", "0.0", "62.7"},
		{"Difference [points]", "number", "[>=0.05]+0.0;[<=-0.05]-0.0;0.0", "-36.81409135082603"},
		{"Threads started", "number", "#,##0", "90462838"},
		{"Verdict", "text", "-", "below"},
	} {
		cell := columnOf(t, f, c.heading) + "2"
		kind, format := look(t, f, "Kernels", cell)
		value, err := f.GetCellValue("Kernels", cell)
		if err != nil || kind != c.kind || format != c.format || value != c.value {
			t.Errorf("%s: %s %s %q, %v; want %s %s %q", c.heading, kind, format, value, err, c.kind, c.format, c.value)
		}
	}
}

// TestSummarySheet checks that the summary fits on one printed page, and that
// its chart has only the parts that are visible.
func TestSummarySheet(t *testing.T) {
	data := workbook(t, sample.Gaussian())
	f := open(t, data)
	layout, err := f.GetPageLayout("Summary")
	if err != nil {
		t.Fatal(err)
	}
	if *layout.Orientation != "landscape" || *layout.FitToWidth != 1 || *layout.FitToHeight != 1 {
		t.Errorf("the answer is printed %s on %d x %d pages", *layout.Orientation, *layout.FitToWidth, *layout.FitToHeight)
	}
	if sheet := partText(t, data, "xl/worksheets/sheet1.xml"); !strings.Contains(sheet, "<drawing ") {
		t.Error("the first sheet shows no chart")
	}
	rows, err := f.GetRows("Summary")
	if err != nil {
		t.Fatal(err)
	}
	head := slices.IndexFunc(rows, func(r []string) bool { return slices.Contains(r, "measured [%]") })
	if head < 0 || slices.Contains(rows[head], "launch limit (predicted) [%]") {
		t.Fatalf("row %d heads the parts; the launches have no limit", head)
	}
	chart := html.UnescapeString(partText(t, data, "xl/charts/chart1.xml"))
	for k, heading := range rows[head] {
		if k < 2 { // skip the narrow column and the names
			continue
		}
		first := address(k+1, head+2, true)
		if ref := "'Summary'!" + first + ":" + first; !strings.Contains(chart, ref) {
			t.Errorf("the chart does not draw %s from %s", heading, ref)
		}
	}
	if got := f.GetActiveSheetIndex(); got != 0 {
		t.Errorf("the workbook opens with sheet %d", got)
	}
}

func TestProperties(t *testing.T) {
	for _, c := range []struct {
		reason string
		date   time.Time
		dated  string // date at the end of the title
		want   string
	}{
		{"the date is the run's, not the clock's", time.Date(2026, 3, 4, 16, 6, 7, 0, time.FixedZone("", 3600)), ", 2026-03-04",
			"2026-03-04T15:06:07Z"},
		{"the date is unknown", time.Time{}, "", "1980-01-01T00:00:00Z"},
	} {
		r := sample.Gaussian()
		r.Platform.Collected = c.date
		p, err := open(t, workbook(t, r)).GetDocProps()
		if err != nil {
			t.Fatal(err)
		}
		got := []string{p.Title, p.Subject, p.Creator, p.LastModifiedBy, p.Created, p.Modified}
		want := []string{"Predicted and measured GPU occupancy on Meteor Lake Arc" + c.dated, "Run on Meteor Lake Arc Graphics", "occudiff v0.1.0", "occudiff v0.1.0", c.want, c.want}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", c.reason, diff)
		}
	}
}

// TestHostileNamesStayText reads every name back and checks that no name
// becomes a formula or a link.
func TestHostileNamesStayText(t *testing.T) {
	data := workbook(t, sample.Hostile())
	f := open(t, data)
	for i, name := range sample.HostileNames() {
		cell := address(1, i+2)
		kind, _ := look(t, f, "Kernels", cell)
		got, err := f.GetCellValue("Kernels", cell)
		if err != nil || kind != "text" || got != fitText(name) {
			t.Errorf("%s is %s %q, %v; want text %q", cell, kind, got, err, fitText(name))
		}
	}
	for _, part := range []string{"xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml", "xl/worksheets/sheet3.xml"} {
		xml := partText(t, data, part)
		for _, bad := range []string{"<f>", "<f ", "<hyperlink ", "<script"} {
			if strings.Contains(xml, bad) {
				t.Errorf("%s holds %s", part, bad)
			}
		}
	}
}

// TestTooManyRows checks that Render returns an error if the rows do not fit on
// a sheet, instead of writing an incomplete workbook.
func TestTooManyRows(t *testing.T) {
	table := sample.Table("kernels", []report.Column{{Key: "k", Title: "Kernel", Kind: report.Text, In: report.Sheet}},
		[][]report.Cell{{report.TextCell("a")}})
	table.Len = excelize.TotalRows
	err := Render(t.Context(), io.Discard, &report.Document{Sections: []report.Section{{Title: "Kernels", Tables: []*report.Table{table}}}})
	if want := "sheet Kernels: it has 1,048,577 rows, more than a sheet can contain; write .csv or " +
		".json"; err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestStopped ends the context while rows are made, and checks that no further
// row is made.
func TestStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	made := 0
	table := report.NewTable("kernels", "", make([]int, 100_000), []report.Col[int]{
		report.Shown("kernel", "Kernel", func(*int) int {
			if made++; made == 1000 {
				stop()
			}
			return 1
		}, report.Sheet)})
	err := Render(ctx, io.Discard, &report.Document{Sections: []report.Section{{Title: "Kernels", Tables: []*report.Table{table}}}})
	if !errors.Is(err, context.Canceled) || made != 1000 {
		t.Errorf("%d cells are made, %v", made, err)
	}
}

func TestValue(t *testing.T) {
	long := strings.Repeat("x", 40000)
	clef := strings.Repeat("x", excelize.TotalCellChars-81) + strings.Repeat("\U0001D11E", 100)
	for _, c := range []struct {
		reason string
		cell   report.Cell
		check  func(any) bool
	}{
		{"absent", report.Cell{}, func(v any) bool { return v == nil }},
		{"NaN has no cell", report.Cell{Kind: report.Percent, Num: math.NaN()}, func(v any) bool { return v == nil }},
		{"nor has infinity", report.Cell{Kind: report.Number, Num: math.Inf(-1)}, func(v any) bool { return v == nil }},
		{"a count stays whole", report.IntCell(int64(1) << 60), func(v any) bool { return v == int64(1)<<60 }},
		{"a long text has the number of missing characters", report.TextCell(long), func(v any) bool {
			s := v.(string)
			return len(s) <= excelize.TotalCellChars && strings.HasSuffix(s, "x [7313 more characters do not fit a cell; see the JSON output]")
		}},
		{"characters are not halved", report.TextCell(clef), func(v any) bool {
			s := v.(string)
			return len(utf16.Encode([]rune(s))) <= excelize.TotalCellChars && !strings.ContainsRune(s, '\uFFFD')
		}},
		{"line breaks are one character", report.TextCell("a\r\nb\rc"), func(v any) bool { return v == "a\nb\nc" }},
		{"line breaks stay, other controls do not", report.TextCell("a\nb\x00\x1b"), func(v any) bool { return v == "a\nb\uFFFD\uFFFD" }},
	} {
		if v := value(c.cell); !c.check(v) {
			t.Errorf("%s: got %.80v", c.reason, v)
		}
	}
}

// TestUnsureNumbers checks the format of a number that supports no conclusion.
func TestUnsureNumbers(t *testing.T) {
	for _, c := range []struct {
		reason, want string
		cell         report.Cell
	}{
		{"an occupancy", "(0.0)", report.Cell{Kind: report.Percent, Status: report.Unsure}},
		{"a difference keeps its sign", "[>=0.05](+0.0);[<=-0.05](-0.0);(0.0)", report.Cell{Kind: report.Points, Status: report.Unsure}},
		{"a count", "(#,##0)", report.Cell{Kind: report.Integer, Status: report.Unsure}},
		{"a number", "(#,##0.00)", report.Cell{Kind: report.Number, Status: report.Unsure}},
		{"another status changes no number", "0.0", report.Cell{Kind: report.Percent, Status: report.Bad}},
		{"a text has no format", "", report.StatusCell("undetermined", report.Unsure)},
	} {
		got := ""
		if f := cellStyle(0, &report.Column{Decimals: 2}, c.cell).build().CustomNumFmt; f != nil {
			got = *f
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.reason, got, c.want)
		}
	}
}

func TestSheetName(t *testing.T) {
	for _, c := range []struct{ reason, in, want string }{
		{"ordinary", "Kernels", "Kernels"},
		{"characters that a sheet may not have", `a:b\c/d?e*f[g]h'`, "a-b-c-d-e-f-g-h-"},
		{"too long", strings.Repeat("ä", 40), strings.Repeat("ä", 31)},
		{"only blanks", " ", "Sheet"},
	} {
		if got := sheetName(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorIsReturned(t *testing.T) {
	if err := Render(t.Context(), full{}, rundoc.FromResult(sample.Gaussian(), provenance)); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
}

// BenchmarkRender measures writing workbooks with few and with many kernels.
func BenchmarkRender(b *testing.B) {
	for _, n := range []int{14, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d := rundoc.FromResult(sample.Many(n), provenance)
			b.ReportAllocs()
			for b.Loop() {
				if err := Render(b.Context(), io.Discard, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
