package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"occudiff/internal/testenv"
)

// TestNotebooks creates files with the commands in docs/notebooks.md, and reads
// them with the code on that page in the real pandas, DuckDB, and R. Each of
// these programs must find the values of the run, and must read absent values
// as absent, numbers as numbers, and times as times.
func TestNotebooks(t *testing.T) {
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
	code := map[string]string{}
	for _, block := range regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		code[block[1]] += block[2]
	}
	// The time of the first run, from its file, has a fraction of a second. The
	// second run has a time without a fraction, to test both forms.
	commands := code["sh"] + "occudiff track add --device max1100 --time 2026-11-01T10:00:00Z fixtures/max1100_mix.hotspots.csv\n" +
		"occudiff track export history.csv\n"
	for line := range strings.Lines(commands) {
		var out bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &out, getenv: func(string) string { return "" }}
		if run(t.Context(), a, strings.Fields(line)[1:]) != exitDone {
			t.Fatalf("%s%s", line, out.String())
		}
	}
	for _, tool := range []struct {
		name, install string
		program       []string // names of the program, which are tried in order
		has           []string // arguments for a call that succeeds if everything is installed
		run           string   // option that precedes the code
		block, check  string
	}{
		{"pandas", "Debian: python3-pandas", []string{"/usr/bin/python3", "python3"}, // this Python has the packages
			[]string{"-c", "import pandas"}, "-c", "python", `
assert len(run) == len(rows) == 9, (len(run), len(rows))
assert list(run.task) == list(rows.task)
assert run.predicted_average_percent.isna().sum() == rows["predicted.average_percent"].isna().sum() == 3
assert abs(run.measured_percent.mean() - rows.measured_percent.mean()) < 1e-9
assert abs(run.predicted_average_percent.sum() - rows["predicted.average_percent"].sum()) < 1e-9
assert list(lost.task)[1:] == ["gemm_bf16_xmx", "histogram_rows"] and 0.099 < lost.lost.iloc[0] < 0.101
assert levels.shape == (2, 6) and history.time.dt.year.min() > 2000 and history.time.notna().all()
`},
		{"R", "Debian: r-base-core, r-cran-jsonlite", []string{"Rscript"}, []string{"-e", "library(jsonlite)"}, "-e", "r", `
stopifnot(nrow(run) == 9, nrow(rows) == 9, sum(is.na(run$predicted_average_percent)) == 3,
  all.equal(run$measured_percent, rows$measured_percent),
  all.equal(run$predicted_average_percent, rows$predicted.average_percent),
  nrow(history) == 12, !anyNA(history$time), length(unique(history$time)) == 2)
`},
		{"DuckDB", "npm: @duckdb/node-api, in NODE_PATH", []string{"node"}, []string{"-e", `require("@duckdb/node-api")`}, "-e", "sql", `
SELECT CASE WHEN (SELECT count(*) FROM run) = 9 AND (SELECT count(*) FROM kernels) = 9
  AND (SELECT sum(predicted_average_percent) FROM run) = (SELECT sum(predicted.average_percent) FROM kernels)
  AND (SELECT count(potential_speedup.more_threads_bound) FROM kernels) > 0 AND (SELECT count(DISTINCT time) FROM history) = 2
  THEN 'right' ELSE error('wrong figures') END
`},
	} {
		t.Run(tool.name, func(t *testing.T) {
			testenv.Needs(t, tool.name)
			program := ""
			for _, p := range tool.program {
				if program == "" && exec.Command(p, tool.has...).Run() == nil {
					program = p
				}
			}
			if program == "" {
				t.Skip(tool.name + " is not installed (" + tool.install + ")")
			}
			text := code[tool.block] + tool.check
			if tool.block == "sql" {
				text = "require('@duckdb/node-api').DuckDBInstance.create(':memory:').then(db => db.connect())" +
					".then(db => db.run(`" + text + "`))"
			}
			if out, err := exec.Command(program, tool.run, text).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}
