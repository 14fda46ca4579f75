package excel

import (
	"bytes"
	"context"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/internal/sample"
)

// TestOfficeReadsTexts checks that LibreOffice shows the texts of cells
// unchanged, including texts that look like an escaped character.
func TestOfficeReadsTexts(t *testing.T) {
	soffice := testenv.Program(t, "soffice")
	texts := []string{"gemm_xe_hpc", "_xe_xe_", "_x0041_", "_x00ab_", "_x004_", "name_x0041", "=1+1", "+1", "a<b>&\"c\"",
		" leading", "two\nlines", "\u00fcml\u00e4ut \u6838", "-0.5"}
	rows := report.ListOf(texts, func(s string) []report.Cell {
		return []report.Cell{report.TextCell(s), report.NumCell(report.Number, 99.51409135082604)}
	})
	table := sample.Table("kernels", []report.Column{{Key: "task", Title: "Kernel", Kind: report.Text, In: report.Sheet},
		{Key: "x", Title: "X", Kind: report.Number, Decimals: 3, In: report.Sheet}}, rows)
	var b bytes.Buffer
	if err := Render(t.Context(), &b, &report.Document{Title: "t", Sections: []report.Section{{Key: "kernels", Title: "Kernels",
		Tables: []*report.Table{table}}}}); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "book.xlsx")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, soffice, "-env:UserInstallation=file://"+filepath.ToSlash(filepath.Join(dir, "profile")),
		"--headless", "--norestore", "--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false", "--outdir", dir, file)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8") // locale with a decimal point
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("soffice: %v\n%s", err, text)
	}
	out, err := os.ReadFile(filepath.Join(dir, "book.csv"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil || len(got) != len(texts)+1 {
		t.Fatalf("%d rows, %v; want %d", len(got), err, len(texts)+1)
	}
	for i, want := range texts {
		if row := got[i+1]; row[0] != want || row[1] != "99.514" {
			t.Errorf("row %d is %q, want %q and three decimals", i+1, row, want)
		}
	}
}
