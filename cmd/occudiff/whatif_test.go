package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// TestWhatIfHasTheDeviceFile picks one device of a file for a run and looks for the other one in the sheet that predicts.
func TestWhatIfHasTheDeviceFile(t *testing.T) {
	dir := t.TempDir()
	file, out := filepath.Join(dir, "lab.csv"), filepath.Join(dir, "r.xlsx")
	table, err := os.ReadFile("../../predict/arch/devices.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(table), "\n")
	row := lines[1]
	key, _, _ := strings.Cut(row, ",")
	if err := os.WriteFile(file, []byte(lines[0]+strings.Replace(row, key, "lab-a", 1)+strings.Replace(row, key, "lab-b", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }}
	args := []string{"validate", "--device-file", file, "--device", "lab-a", "../../fixtures/gen9_vec_add.hotspots.csv", "-o", out}
	if status := run(context.Background(), a, args); status != exitDone {
		t.Fatalf("exit %d", status)
	}
	f, err := excelize.OpenFile(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.GetRows("Devices")
	if err != nil {
		t.Fatal(err)
	}
	var first string
	others := 0
	for i, row := range rows[1:] {
		if i == 0 {
			first = row[0]
		}
		if strings.HasPrefix(row[0], "lab-b: ") || strings.HasPrefix(row[0], "mtl-112: ") {
			others++
		}
	}
	if !strings.HasPrefix(first, "lab-a: ") || others != 2 {
		t.Errorf("the list begins with %q and has %d of lab-b and mtl-112", first, others)
	}
}
