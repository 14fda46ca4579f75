package calculator_test

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/predict/calculator"
)

// readGolden returns the records in a reference file by column name. It skips
// the test if the file is missing.
func readGolden(t testing.TB, name string) []map[string]string {
	t.Helper()
	return readRows(t, testenv.Shared(t, "golden", name))
}

// readRows returns the records in a CSV file by column name.
func readRows(t testing.TB, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, rec := range records[1:] {
		row := make(map[string]string, len(rec))
		for i, cell := range rec {
			row[records[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

func builtin(t testing.TB) calculator.Table {
	t.Helper()
	table, err := calculator.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func find(t testing.TB, table calculator.Table, row map[string]string) calculator.Device {
	t.Helper()
	d, err := table.Find(row["dev"], atoi(t, row["xve"]))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func atoi(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// equalNumber reports whether a printed number (13 significant digits) equals a
// computed one. An empty cell means absent.
func equalNumber(want string, got unit.Opt[float64]) bool {
	v, ok := got.Value()
	if want == "" || !ok {
		return want == "" && !ok
	}
	w, err := strconv.ParseFloat(want, 64)
	if err != nil {
		return false
	}
	if math.IsNaN(w) || math.IsNaN(v) {
		return math.IsNaN(w) && math.IsNaN(v)
	}
	return math.Abs(w-v) <= 1e-9*math.Abs(w)
}

// cells returns an output's numbers by the reference data's column names. A
// rejected form has no numbers.
func cells(out calculator.Output) map[string]unit.Opt[float64] {
	names := []string{"global_items", "wg_items", "slm_alloc_kb", "threads_per_wg", "lim_threads", "lim_slm", "lim_slots",
		"wg_total", "wg_per_core", "core_pct", "peak_pct", "avg_pct", "waves", "full_waves", "tail_pct", "avg_exact_pct"}
	c := make(map[string]unit.Opt[float64], len(names))
	for _, n := range names {
		c[n] = unit.Opt[float64]{}
	}
	if out.Rejection != 0 {
		return c
	}
	c["global_items"], c["wg_items"] = unit.Some(out.GlobalItems), unit.Some(out.GroupItems)
	c["slm_alloc_kb"], c["threads_per_wg"] = unit.Some(float64(out.SLMAllocKB)), unit.Some(out.ThreadsPerGroup)
	c["lim_threads"], c["lim_slm"], c["lim_slots"] = unit.Some(out.LimitThreads), out.LimitSLM, unit.Some(out.LimitGroupSlots)
	c["wg_total"], c["wg_per_core"] = out.Groups, unit.Some(out.GroupsPerCore)
	c["core_pct"] = unit.Some(out.XeCorePercent)
	if g := out.GPU; g != nil {
		c["peak_pct"], c["avg_pct"], c["avg_exact_pct"] = unit.Some(g.PeakPercent), unit.Some(g.AveragePercent), unit.Some(g.AverageExact)
		c["waves"], c["full_waves"], c["tail_pct"] = unit.Some(g.Waves), unit.Some(g.FullWaves), unit.Some(g.TailPercent)
	}
	return c
}

// differences returns the columns in a reference row that differ from an
// output.
func differences(row map[string]string, out calculator.Output) []string {
	var diff []string
	status := "ok"
	if out.Rejection != 0 {
		status = "error"
	}
	for column, got := range map[string]string{
		"status": status, "message": out.Rejection.String(), "limited_by": strings.Join(out.LimitedBy, "+"),
	} {
		if row[column] != got {
			diff = append(diff, column+": want "+row[column]+", got "+got)
		}
	}
	for column, got := range cells(out) {
		if !equalNumber(row[column], got) {
			v, _ := got.Value()
			diff = append(diff, column+": want "+row[column]+", got "+strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	return diff
}

// inputOf returns a reference row's form input.
func inputOf(t testing.TB, row map[string]string) calculator.Input {
	t.Helper()
	return calculator.Input{
		Global: row["global_text"], Local: row["wg_text"], SIMD: atoi(t, row["simd"]), SLMKB: atoi(t, row["slm_kb"]),
		Barrier: row["barrier"] == "1", LargeGRF: row["large_grf"] == "1",
	}
}

// TestReproducesRepresentativeRuns compares the rows in testdata. They are the
// first of each kind (message, limits, unusual text, rounding tie, error) in
// the full reference data, so that the package has a test without that data.
func TestReproducesRepresentativeRuns(t *testing.T) {
	rows := readRows(t, "testdata/representative.csv")
	table := builtin(t)
	for _, row := range rows {
		d := find(t, table, row)
		if diff := differences(row, calculator.Run(&d, inputOf(t, row))); len(diff) > 0 {
			t.Errorf("%s %s/%s: %v", row["id"], row["dev"], row["xve"], diff)
		}
	}
	if len(rows) < 50 {
		t.Errorf("testdata/representative.csv has %d rows; a part of it is missing", len(rows))
	}
}

func TestReproducesEveryRunOfTheCalculator(t *testing.T) {
	rows := readGolden(t, "calculator.csv")
	table := builtin(t)
	numbers, different := 0, 0
	for _, row := range rows {
		d := find(t, table, row)
		out := calculator.Run(&d, inputOf(t, row))
		for _, v := range cells(out) {
			if v.Present() {
				numbers++
			}
		}
		if diff := differences(row, out); len(diff) > 0 {
			different++
			t.Errorf("%s %s/%s: %v", row["id"], row["dev"], row["xve"], diff)
		}
	}
	if len(rows) != 17982 {
		t.Errorf("the reference has %d rows; expected 17982", len(rows))
	}
	t.Logf("calculator: %d rows and %d numbers compared, %d rows differ", len(rows), numbers, different)
}
