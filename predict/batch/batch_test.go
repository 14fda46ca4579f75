package batch

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
	"occudiff/predict/computeunit"
)

// goldenRows returns the rows of a reference file, as cells by column name. It
// skips the test if the file is missing.
func goldenRows(t *testing.T, name string) []map[string]string {
	t.Helper()
	data, err := os.ReadFile(testenv.Shared(t, "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	return byColumn(t, data)
}

func byColumn(t *testing.T, data []byte) []map[string]string {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, rec := range records[1:] {
		row := make(map[string]string, len(rec))
		for i, c := range rec {
			row[records[0][i]] = c
		}
		rows = append(rows, row)
	}
	return rows
}

// runText returns the output of a batch for an input text.
func runText(t *testing.T, run Run, input string) string {
	t.Helper()
	var out strings.Builder
	if _, err := run(t.Context(), "t.csv", strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// written returns a CSV text with the given columns. The function from returns
// the cells of a reference row by column.
func written(t *testing.T, rows []map[string]string, columns []string, from func(row map[string]string, column string) string) string {
	t.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(columns)
	for _, row := range rows {
		rec := make([]string, len(columns))
		for i, c := range columns {
			rec[i] = from(row, c)
		}
		w.Write(rec)
	}
	w.Flush()
	return b.String()
}

// sameNumber reports whether a printed number is within 1e-9 of the expected
// one. Texts that are not numbers must be equal.
func sameNumber(want, got string) bool {
	w, werr := strconv.ParseFloat(want, 64)
	g, gerr := strconv.ParseFloat(got, 64)
	if werr != nil || gerr != nil {
		return want == got
	}
	// the reference has ten decimals
	return math.IsNaN(w) && math.IsNaN(g) || math.Abs(w-g) <= 1e-9*math.Abs(w)+5e-11
}

// TestBatchOfEveryCalculatorRun predicts every calculator run with the batch
// and compares every cell.
func TestBatchOfEveryCalculatorRun(t *testing.T) {
	rows := goldenRows(t, "calculator.csv")
	source := map[string]string{"device": "dev", "global": "global_text", "local": "wg_text", "barriers": "barrier"}
	input := written(t, rows, strings.Split("id,device,xve,global,local,simd,slm_kb,barriers,grf", ","), func(row map[string]string, c string) string {
		if c == "grf" {
			return map[string]string{"0": "128", "1": "256"}[row["large_grf"]]
		}
		if s, ok := source[c]; ok {
			return row[s]
		}
		return row[c]
	})
	devices, err := calculator.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	got := byColumn(t, []byte(runText(t, Calculator(devices, Shared{}), input)))
	if len(got) != len(rows) || len(rows) != 17982 {
		t.Fatalf("%d rows came back of %d; expected 17982", len(got), len(rows))
	}
	columns := map[string]string{"status": "status", "message": "message", "threads_per_wg": "threads_per_wg", "limit_threads": "lim_threads",
		"limit_slm": "lim_slm", "limit_slots": "lim_slots", "wg_total": "wg_total", "wg_per_core": "wg_per_core", "limited_by": "limited_by",
		"core_pct": "core_pct", "peak_pct": "peak_pct", "avg_pct": "avg_pct", "waves": "waves", "full_waves": "full_waves", "tail_pct": "tail_pct",
		"id": "id", "device": "dev", "xve": "xve", "global": "global_text", "local": "wg_text"}
	cells := 0
	for i, row := range rows {
		for ours, theirs := range columns {
			if cells++; !sameNumber(row[theirs], got[i][ours]) {
				t.Errorf("%s %s: got %q, want %q", row["id"], ours, got[i][ours], row[theirs])
			}
		}
		if t.Failed() && i > 100 {
			t.FailNow()
		}
	}
	t.Logf("%d rows, %d cells compared, 0 differ", len(rows), cells)
}

// TestBatchOfEveryComputeUnitCase does the same as
// TestBatchOfEveryCalculatorRun, for the register-file model.
func TestBatchOfEveryComputeUnitCase(t *testing.T) {
	rows := goldenRows(t, "compute_unit.csv")
	input := written(t, rows, strings.Split("id,platform,wg_size,slm_bytes_per_wg,subgroup_size,reg_bytes_per_item", ","),
		func(row map[string]string, c string) string { return row[c] })
	platforms, err := computeunit.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	got := byColumn(t, []byte(runText(t, ComputeUnits(platforms, ""), input)))
	if len(got) != len(rows) || len(rows) != 5000 {
		t.Fatalf("%d rows came back of %d; expected 5000", len(got), len(rows))
	}
	cells := 0
	for i, row := range rows {
		for column, want := range row {
			if cells++; !sameNumber(want, got[i][column]) {
				t.Errorf("%s %s: got %q, want %q", row["id"], column, got[i][column], want)
			}
		}
		if got[i]["status"] != statusOK {
			t.Errorf("%s: status %q, %s", row["id"], got[i]["status"], got[i]["message"])
		}
		if t.Failed() && i > 100 {
			t.FailNow()
		}
	}
	t.Logf("%d rows, %d cells compared, 0 differ", len(rows), cells)
}

// TestBatchOfPublishedTables predicts the launches in Intel's guides with the
// model. It compares threads and peak occupancy with the exact values from
// which the printed values were rounded. Package timeline compares the phases
// of the launches.
func TestBatchOfPublishedTables(t *testing.T) {
	rows := goldenRows(t, "published_tables.csv")
	kept := rows[:0]
	for _, row := range rows {
		groups, err := strconv.Atoi(row["work_groups"])
		if err == nil && groups > 0 && row["work_group_size"] != "" && row["simd"] != "" && row["phase"] == "" && !strings.Contains(row["check"], "INCONSISTENT") {
			kept = append(kept, row)
		}
	}
	input := written(t, kept, []string{"id", "device", "global", "local", "simd", "barriers"}, func(row map[string]string, c string) string {
		switch c {
		case "id":
			return row["row"]
		case "device":
			return publishedDevice(row["device"])
		case "global":
			groups, _ := strconv.Atoi(row["work_groups"])
			size, _ := strconv.Atoi(row["work_group_size"])
			return strconv.Itoa(groups * size)
		case "local":
			return row["work_group_size"]
		case "barriers":
			return map[string]string{"yes": "1"}[row["barrier"]]
		}
		return row[c]
	})
	got := byColumn(t, []byte(runText(t, testBatch(t), input)))
	compared := 0
	for i, row := range kept {
		if strings.Contains(row["published_threads"]+row["published_gpu_occ"]+row["published_core_occ"], "fail") {
			if compared++; got[i]["status"] != statusError {
				t.Errorf("row %s is published as failing to launch, the batch has status %q", row["row"], got[i]["status"])
			}
			continue
		}
		compared += comparePublished(t, row, got[i])
	}
	t.Logf("%d launches, %d numbers compared", len(kept), compared)
	if compared < 150 {
		t.Errorf("only %d numbers were compared", compared)
	}
}

// comparePublished compares the output with a row in a guide, and returns the
// number of compared values.
func comparePublished(t *testing.T, row, got map[string]string) int {
	t.Helper()
	compared := 0
	for ours, theirs := range map[string]string{"threads_per_wg": "threads_per_wg", "peak_pct": "exact_gpu_pct"} {
		if row[theirs] == "" {
			continue
		}
		want, _ := strconv.ParseFloat(row[theirs], 64)
		have, err := strconv.ParseFloat(got[ours], 64)
		if compared++; err != nil || math.Abs(want-have) > 1e-6 { // the reference has six decimals
			t.Errorf("row %s (%s) %s: got %q, want %s; %s", row["row"], row["kernel"], ours, got[ours], row[theirs], got["message"])
		}
	}
	return compared
}

func publishedDevice(name string) string {
	switch {
	case strings.Contains(name, "P630"):
		return "gen9"
	case strings.Contains(name, "Max"):
		return "max1100"
	}
	return "tgl"
}

// batchInput returns n launches. One in fifty is invalid.
func batchInput(n int) io.Reader {
	var b bytes.Buffer
	b.WriteString("id,device,xve,global,local,simd,slm_kb,barriers,grf\n")
	for i := range n {
		switch {
		case i%50 == 49:
			fmt.Fprintf(&b, "r%d,tgl,,%d,513,16,,,\n", i, 513*100)
		case i%2 == 0:
			fmt.Fprintf(&b, "r%d,tgl,96,%d,%d,16,,,128\n", i, 256*(i%5000+1), 256)
		default:
			fmt.Fprintf(&b, "r%d,a770,,\"%d,16\",16x16,16,%d,1,\n", i, 16*(i%4000+1), i%60)
		}
	}
	return &b
}

func testBatch(tb testing.TB) Run {
	tb.Helper()
	table, err := arch.Builtin()
	if err != nil {
		tb.Fatal(err)
	}
	return Launches(table, predict.Launch{}, Shared{})
}

func BenchmarkBatch(b *testing.B) {
	run := testBatch(b)
	const rows = 50_000
	data, _ := io.ReadAll(batchInput(rows))
	b.ReportAllocs()
	for b.Loop() {
		report, err := run(context.Background(), "b.csv", bytes.NewReader(data), io.Discard)
		if err != nil || report.Rows != rows {
			b.Fatal(report, err)
		}
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// endless is a reader that repeats the same rows.
type endless struct {
	rows []byte
	left int // number of rows left
	part []byte
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.part) == 0 {
		if e.left == 0 {
			return 0, io.EOF
		}
		e.left--
		e.part = e.rows
	}
	n := copy(p, e.part)
	e.part = e.part[n:]
	return n, nil
}

// TestBatchMemory checks that a long batch needs no more memory than a short
// batch.
func TestBatchMemory(t *testing.T) {
	testenv.Long(t)
	run := testBatch(t)
	head := "device,local,simd,global\n"
	block := strings.Repeat("tgl,256,16,81920\n", 1000)
	// Only memory that is live after a garbage collection counts, without the
	// memory of other tests, because the amount of garbage depends on the
	// machine.
	alive := func() int64 {
		var stat runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&stat)
		return int64(stat.HeapAlloc)
	}
	const thousands = 1000
	before, most, seen := alive(), int64(0), 0
	w := writerFunc(func(p []byte) (int, error) {
		if seen++; seen%100 == 0 {
			most = max(most, alive()-before)
		}
		return len(p), nil
	})
	r := io.MultiReader(strings.NewReader(head), &endless{rows: []byte(block), left: thousands})
	report, err := run(context.Background(), "long.csv", r, w)
	if err != nil || report.Rows != thousands*1000 || report.Failed != 0 {
		t.Fatal(report, err)
	}
	if seen < 1000 || most > 32<<20 {
		t.Errorf("a million rows in %d writes took %d KiB of heap; expected a few MiB", seen, most>>10)
	}
	t.Logf("a million rows in %d writes: %d KiB of heap at most", seen, most>>10)
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestBatchStops checks a reader and a writer that fail. The batch must return
// the error and must not hang.
func TestBatchStops(t *testing.T) {
	run := testBatch(t)
	broken := errors.New("the disk is on fire")
	if _, err := run(context.Background(), "b.csv", io.MultiReader(batchInput(5000), failing{broken}), io.Discard); !errors.Is(err, broken) {
		t.Errorf("a broken input returns %v", err)
	}
	w := writerFunc(func([]byte) (int, error) { return 0, broken })
	if _, err := run(context.Background(), "b.csv", batchInput(5000), w); !errors.Is(err, broken) {
		t.Errorf("a broken output returns %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := run(ctx, "b.csv", batchInput(50_000), io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted batch returns %v", err)
	}
}

// TestBatchStopsWhileWaiting interrupts a batch that waits for its first line
// or for a later one.
func TestBatchStopsWhileWaiting(t *testing.T) {
	for _, text := range []string{"", "device,local,simd\n", "device,local,simd\ntgl,256,16\n"} {
		in, typed := io.Pipe()
		go io.WriteString(typed, text)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		if _, err := testBatch(t)(ctx, "-", in, io.Discard); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %q: got %v", text, err)
		}
		cancel()
		typed.Close()
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// FuzzBatch runs a batch with an arbitrary text. The batch may return an error,
// but it must not panic or print an invalid number.
func FuzzBatch(f *testing.F) {
	f.Add("device,local,simd\ntgl,256,16\n")
	f.Add("id,device,xve,global,local,simd,slm_kb,barriers,grf\na,mtl,112,9223372036854775807,1x1x1,8,0.5,1,256\n")
	f.Add("local,device,simd,slm_kb\n\"1\n\",pvc,32,1e300\n")
	run := testBatch(f)
	f.Fuzz(func(t *testing.T, text string) {
		var out strings.Builder
		if _, err := run(t.Context(), "f.csv", strings.NewReader(text), &out); err != nil {
			return
		}
		rows, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		if err != nil {
			t.Fatalf("the output cannot be read: %v\n%s", err, out.String())
		}
		for _, row := range rows {
			for _, c := range row[11:] {
				if c == "NaN" || c == "+Inf" || c == "-Inf" {
					t.Fatalf("%s in %v", c, row)
				}
			}
		}
	})
}

func TestKilobytes(t *testing.T) {
	for _, c := range []struct {
		text, reason string
		want         unit.Bytes
		ok           bool
	}{
		{"16", "KB", 16384, true}, {"0.5", "half a KB", 512, true}, {"", "not given is none", 0, true}, {" 4 ", "blanks", 4096, true},
		{"0.0001", "no whole byte", 0, false}, {"-1", "below 0", 0, false}, {"16K", "the column has its unit", 0, false},
		{"NaN", "no number", 0, false}, {"1e300", "no memory is so large", 0, false}, {"1,5", "a comma is no point", 0, false},
	} {
		r := row{columns: []string{"slm_kb"}, cells: []string{c.text}}
		got := r.kilobytes("slm_kb")
		if got != c.want || (r.err == nil) != c.ok {
			t.Errorf("%s: %q returns %d, %v", c.reason, c.text, got, r.err)
		}
	}
}
