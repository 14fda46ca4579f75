package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNotebooks makes the files of docs/notebooks.md with its commands and runs its Python with the real pandas, which has
// to find the figures of the run: absent ones as NaN, and numbers as numbers.
func TestNotebooks(t *testing.T) {
	python := ""
	for _, p := range []string{"/usr/bin/python3", "python3"} { // that of the distribution has its packages
		if exec.Command(p, "-c", "import pandas").Run() == nil {
			python = p
			break
		}
	}
	if python == "" {
		t.Skip("pandas is not installed (Debian: python3-pandas)")
	}
	page, err := os.ReadFile("../../docs/notebooks.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(filepath.Join(root, "fixtures"), "fixtures"); err != nil {
		t.Fatal(err)
	}
	commands, code := "", ""
	for _, block := range regexp.MustCompile("(?s)```(sh|python)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if block[1] == "sh" {
			commands += block[2]
		} else {
			code += block[2]
		}
	}
	for line := range strings.Lines(commands) {
		var out bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &out, getenv: func(string) string { return "" }}
		if run(t.Context(), a, strings.Fields(line)[1:]) != exitDone {
			t.Fatalf("%s%s", line, out.String())
		}
	}
	code += `
assert len(run) == len(rows) == 9, (len(run), len(rows))
assert list(run.task) == list(rows.task) 
assert run.predicted_average_percent.isna().sum() == rows["predicted.average_percent"].isna().sum() == 3
assert abs(run.measured_percent.mean() - rows.measured_percent.mean()) < 1e-9
assert abs(run.predicted_average_percent.sum() - rows["predicted.average_percent"].sum()) < 1e-9
assert list(lost.task)[1:] == ["gemm_bf16_xmx", "histogram_rows"] and 0.099 < lost.lost.iloc[0] < 0.101
assert levels.shape == (1, 6) and history.time.dt.year.min() > 2000
`
	if out, err := exec.Command(python, "-c", code).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
