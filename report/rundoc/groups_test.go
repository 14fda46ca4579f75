package rundoc_test

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"occudiff/compare"
	"occudiff/fixtures"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/internal/sample"
)

// divided returns the result of the built-in run with each kernel divided into
// several kernels with equal times. name returns the name of a piece.
func divided(t *testing.T, pieces int, name func(kernel string, i int) string) *compare.Result {
	t.Helper()
	text, err := fixtures.FS.ReadFile(fixtures.Mix()[0])
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	w := csv.NewWriter(&out)
	w.Write(rows[0])
	for i := range pieces {
		for _, row := range rows[1:] {
			piece := slices.Clone(row)
			piece[0] = name(strings.Split(row[0], "<")[0], i)
			for k, column := range rows[0] {
				total := column == "Computing Task:Total Time"
				if v, err := strconv.ParseFloat(row[k], 64); err == nil && (total || column == "Computing Task:Instance Count") {
					piece[k] = strconv.FormatFloat(v/float64(pieces), 'f', -1, 64)
				}
			}
			if row[1] != "" { // memory copies are not divided
				w.Write(piece)
			}
		}
	}
	w.Flush()
	run, err := ingest.ReadFS(t.Context(), fstest.MapFS{"run.csv": {Data: []byte(out.String())}}, []string{"run.csv"},
		ingest.Options{Formats: formats.All()})
	if err != nil {
		t.Fatal(err)
	}
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	opt := compare.DefaultOptions()
	on, err := compare.ChooseDevice(run, table, arch.Options{Name: fixtures.MixDevice}, compare.RejectRun, opt)
	if err != nil {
		t.Fatal(err)
	}
	return compare.Compare(run, on, opt)
}

// TestDivisionIntoNames divides the time of each kernel among several names. It
// checks that neither the shares in the headline nor the order of the causes
// changes.
func TestDivisionIntoNames(t *testing.T) {
	count := regexp.MustCompile(` [0-9]+( kernels)?( \()`)
	numbered := func(kernel string, i int) string { return fmt.Sprintf("%s_%02d", kernel, i) }
	lettered := func(kernel string, i int) string { return fmt.Sprintf("%s_%c", kernel, 'a'+i) }
	arguments := func(kernel string, i int) string { return fmt.Sprintf("%s<float, %c>(int)", kernel, 'a'+i) }
	const means = "Occupancy may cost time in # (44%): very short threads # (16%), 256 registers (GRF) # (10%), " +
		"uneven work-groups # (10%), matches: last wave # (9%); more threads will not help # (55%)"
	rows := func(s *report.Summary) (list []string) {
		for i := range s.Rows.Len {
			var cells []string
			for k, c := range s.Rows.Row(i, nil) {
				if key := s.Rows.Columns[k].Key; key != "kernel" && key != "kernels" && key != "help" {
					cells = append(cells, c.Text)
				}
			}
			list = append(list, strings.Join(cells, " | "))
		}
		return list
	}
	whole := rows(sample.Output(divided(t, 1, numbered)).Document().Summary)
	for _, c := range []struct {
		reason string
		pieces int
		name   func(string, int) string
		alike  bool
	}{
		{"names that differ in a number", 2, numbered, true},
		{"kernels of 0.3% and less", 10, numbered, true},
		{"names that differ in template arguments", 10, arguments, true},
		{"unrelated names: the causes are still summed", 10, lettered, false},
	} {
		s := sample.Output(divided(t, c.pieces, c.name)).Document().Summary
		if got := count.ReplaceAllString(s.Impact, " #$2"); got != means {
			t.Errorf("%s: %s", c.reason, cmp.Diff(means, got))
		}
		if got := rows(s); c.alike && !slices.Equal(got, whole) {
			t.Errorf("%s: %s", c.reason, cmp.Diff(whole, got))
		} else if !c.alike && !strings.Contains(got[0], "very short threads") {
			t.Errorf("%s: the first row is %s", c.reason, got[0])
		}
	}
}
