package excel

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"
	"occudiff/internal/testenv"
)

// recalculateAlways makes LibreOffice compute every formula of a file, whatever value the file has for it.
const recalculateAlways = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>`

// recalculated writes workbooks, lets LibreOffice compute them and gives the cells of each sheet of each, in full digits.
// As tables of text they take LibreOffice half as long as they would as a workbook.
func recalculated(t *testing.T, files ...*excelize.File) []map[string][][]string {
	t.Helper()
	soffice := testenv.Program(t, "soffice") // LibreOffice is what computes the formulas here
	dir := t.TempDir()
	user, out := filepath.Join(dir, "profile", "user"), filepath.Join(dir, "out")
	if err := os.MkdirAll(user, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), []byte(recalculateAlways), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-env:UserInstallation=file://" + filepath.ToSlash(filepath.Join(dir, "profile")), "--headless", "--norestore",
		"--convert-to", "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1", "--outdir", out}
	for i, f := range files {
		path := filepath.Join(dir, fmt.Sprintf("book%d.xlsx", i))
		if err := f.SaveAs(path); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, soffice, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8") // a point before decimals
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("soffice: %v\n%s", err, text)
	}
	books := make([]map[string][][]string, len(files))
	for i, f := range files {
		books[i] = map[string][][]string{}
		for _, sheet := range f.GetSheetList() {
			books[i][sheet] = readTable(t, filepath.Join(out, fmt.Sprintf("book%d-%s.csv", i, sheet)))
		}
	}
	return books
}

func readTable(t *testing.T, path string) [][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// cellOf gives a cell of a table, empty when it has no such cell.
func cellOf(t *testing.T, rows [][]string, cell string) string {
	t.Helper()
	column, row, err := excelize.CellNameToCoordinates(cell)
	if err != nil {
		t.Fatal(err)
	}
	if row > len(rows) || column > len(rows[row-1]) {
		return ""
	}
	return rows[row-1][column-1]
}
