package machine_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/compare/history"
	"occudiff/compare/track"
	"occudiff/compare/trend"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/diffdoc"
	"occudiff/report/internal/sample"
	"occudiff/report/machine"
	"occudiff/report/predictdoc"
	"occudiff/report/rundoc"
	"occudiff/report/trackdoc"
)

// documents returns the table of each document, by name.
func documents(t *testing.T) map[string]*report.Table {
	t.Helper()
	devices, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	tgl, err := devices.Find(arch.Query{Name: "tgl"})
	if err != nil {
		t.Fatal(err)
	}
	b580, err := devices.Find(arch.Query{Name: "b580"})
	if err != nil {
		t.Fatal(err)
	}
	on := arch.Choice{Device: tgl.Device}
	launch := predict.Launch{Global: unit.Size(512, 512), Local: unit.Size(256, 1), SIMD: 16, SLM: 4096}
	tables := map[string]*report.Table{}
	add := func(name string) func(*report.Output, error) {
		return func(o *report.Output, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			tables[name] = o.Table
		}
	}
	add("predict")(predictdoc.Predict(&predictdoc.Question{Launch: predict.Launch{Local: unit.Size(256), SIMD: 8}, Driver: true,
		On: []arch.Choice{on, {Device: b580.Device}}}))
	for _, over := range []string{"local", "slm", "simd", "grf", "groups"} {
		add("sweep " + over)(predictdoc.Sweep(&on, launch, over, 1, 7, 100))
	}
	add("advise")(predictdoc.Advise(&on, launch, predict.VariableSettings{Local: true, SIMD: true, SLM: true, GRF: true}))
	add("probe")(predictdoc.Probe(&on, launch))
	add("timeline")(predictdoc.Timeline(t.Context(), &on, launch, 0))
	add("devices")(predictdoc.Devices(devices.Devices()), nil)
	add("explain")(predictdoc.Glossary(), nil)
	for name, r := range map[string]*compare.Result{"gaussian": sample.Gaussian(), "hostile": sample.Hostile(),
		"absent": sample.Absent(), "logs": sample.LogsOnly()} {
		add("validate "+name)(rundoc.NewOutput(r, report.Provenance{}), nil)
		one := diff.Side{Runs: []*compare.Result{r, sample.Gaussian(), sample.Many(3), sample.Gaussian()}}
		two := diff.Side{Name: "b", Runs: []*compare.Result{sample.Many(2), sample.Gaussian(), r, sample.Gaussian()}}
		add("diff "+name)(diffdoc.NewOutput(diff.CompareSides(one, []diff.Side{two}, diff.DefaultOptions()), report.Provenance{}), nil)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 500, time.UTC)
	series := &track.Series{Key: history.Key{Task: "k", Device: "mtl-112"}, Points: []history.Point{{Run: 1, Time: at, Value: 0.1 + 0.2}},
		FirstBad: &track.Ref{Run: 1, Time: at, Commit: "abc"}}
	judgment := track.Judgment{Metric: track.Metric{Metric: history.Measured, Gate: trend.PointsGate()},
		Series: []*track.Series{series}, Refs: map[int64]track.Ref{1: {Run: 1, Time: at}}}
	add("track")(trackdoc.FromReport(&track.Report{Judgment: judgment, Params: trend.DefaultParams()}, report.Provenance{}), nil)
	return tables
}

// TestValues checks that the JSON and the CSV of each document contain the
// values of the table's cells.
func TestValues(t *testing.T) {
	values := 0
	for name, table := range documents(t) {
		var text, lines bytes.Buffer
		if err := machine.JSON(&text, table); err != nil {
			t.Fatal(err)
		}
		if err := machine.Table(&lines, table); err != nil {
			t.Fatal(err)
		}
		var rows []map[string]any
		if err := json.Unmarshal(text.Bytes(), &rows); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		records, err := csv.NewReader(&lines).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		place := map[int]int{}
		for at, column := range table.ColumnsIn(report.Data) {
			place[column] = at
		}
		row := 0
		for record := range table.Records() {
			for i, c := range table.Columns {
				cell := record(i)
				where := fmt.Sprintf("%s: row %d, column %s, path %s", name, row, c.Key, c.Path)
				if at, ok := place[i]; ok {
					values++
					if got := records[row+1][at]; !sameText(got, cell) {
						t.Errorf("%s: CSV has %q, the cell %+v", where, got, cell)
					}
				}
				if c.Path != "" && c.Kind != report.Object {
					values++
					if got := find(rows[row], c.Path); !sameValue(got, cell) {
						t.Errorf("%s: JSON has %v, the cell %+v", where, got, cell)
					}
				}
			}
			row++
		}
		if row != len(rows) || row != len(records)-1 {
			t.Errorf("%s: %d rows, %d in JSON, %d in CSV", name, row, len(rows), len(records)-1)
		}
	}
	if values < 5000 {
		t.Errorf("%d values are compared; the test shows nothing", values)
	}
}

// find returns the value at a path, or nil if it is null or missing.
func find(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// sameText reports whether a CSV text is the value of a cell.
func sameText(got string, c report.Cell) bool {
	switch c.Kind {
	case report.Text, report.Name:
		return got == strings.ReplaceAll(table.Guard(c.Text), "\r\n", "\n")
	case report.Bool:
		return got == strconv.FormatBool(c.Bool)
	case report.Integer:
		return got == strconv.FormatInt(c.Int, 10)
	case report.Size:
		return got == strings.Join(strings.Fields(strings.Trim(fmt.Sprint(c.Size.List()), "[]")), "x")
	case report.Array:
		return got == table.Guard(strings.Join(c.List, "; "))
	case report.Integers:
		return got == strings.Join(strings.Fields(strings.Trim(fmt.Sprint(c.Ints), "[]")), "; ")
	case report.Absent:
		return got == ""
	}
	x, err := strconv.ParseFloat(got, 64)
	return err == nil && near(x, c.Num)
}

// sameValue reports whether a JSON value is the value of a cell.
func sameValue(got any, c report.Cell) bool {
	list, _ := got.([]any)
	switch c.Kind {
	case report.Text, report.Name:
		return got == strings.ToValidUTF8(c.Text, "\ufffd") || strings.ContainsRune(fmt.Sprint(got), '\ufffd')
	case report.Bool:
		return got == c.Bool
	case report.Integer:
		return got == float64(c.Int)
	case report.Size:
		return fmt.Sprint(list) == fmt.Sprint(c.Size.List())
	case report.Array:
		if c.Rows != nil {
			return len(list) == c.Rows.Len
		}
		return fmt.Sprint(list) == fmt.Sprint(c.List)
	case report.Integers:
		return fmt.Sprint(list) == fmt.Sprint(c.Ints)
	case report.Absent:
		return got == nil
	}
	x, ok := got.(float64)
	return ok && near(x, c.Num)
}

// near reports whether two numbers differ only by the noise of binary
// arithmetic, which CSV does not contain.
func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b), 1) }
