package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/excel"
	"occudiff/report/rundoc"
)

// launchFile writes an export with a row per launch, of eight kernels.
func launchFile(t testing.TB, n int) string {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, 8))
	var b bytes.Buffer
	b.WriteString("Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,Computing Task:SIMD Width," +
		"XVE Array:Active(%),XVE Array:Stalled(%),XVE Array:Idle(%),Peak XVE Threads Occupancy(%),XVE Threads Occupancy(%),Computing Threads Started\n")
	for range n {
		k := rnd.IntN(8)
		idle := rnd.IntN(500)
		fmt.Fprintf(&b, "\"VectorAdd<(int)%d, (int)256>(int)\",%d x 16,256,%d.%06d,1,%d,%d.%d,0.0,%d.%d,%d.5,%d.%d,%d\n", k, 256<<k, rnd.IntN(2), rnd.IntN(1000000), 16<<(k%2),
			(1000-idle)/10, (1000-idle)%10, idle/10, idle%10, 10*k, rnd.IntN(100), rnd.IntN(10), rnd.IntN(1<<20))
	}
	path := filepath.Join(t.TempDir(), "launches.csv")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// validateOutput is what `validate --format json` prints, read back.
type validateOutput struct {
	Rows []struct {
		Task      string         `json:"task"`
		Global    []int64        `json:"global"`
		Local     []int64        `json:"local"`
		SIMD      int            `json:"simd"`
		Instances int64          `json:"instances"`
		Threads   int64          `json:"threads_started"`
		Total     float64        `json:"total_seconds"`
		Measured  float64        `json:"measured_percent"`
		Predicted map[string]any `json:"predicted"`
	} `json:"rows"`
}

// TestInstancesAndAggregate adds the rows of --instances up and compares them with those of a run without.
func TestInstancesAndAggregate(t *testing.T) {
	path := launchFile(t, 3000)
	read := func(args ...string) (v validateOutput) {
		if err := json.Unmarshal(runJSON(t, append(args, path, "--device", "mtl", "--xve", "112")...), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	type sums struct {
		launches, threads int64
		seconds, loaded   float64
		predicted         map[string]any
	}
	add := func(v validateOutput) map[string]sums {
		all := map[string]sums{}
		for _, r := range v.Rows {
			key := fmt.Sprint(r.Task, r.Global, r.Local, r.SIMD)
			s := all[key]
			s.launches += r.Instances
			s.threads += r.Threads
			s.seconds += r.Total
			s.loaded += r.Total * r.Measured
			s.predicted = r.Predicted
			all[key] = s
		}
		return all
	}
	each, together := read("validate", "--instances"), read("validate")
	if len(each.Rows) != 3000 || len(together.Rows) != 8 {
		t.Fatalf("%d launches of %d kernels, want 3000 of 8", len(each.Rows), len(together.Rows))
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), 1) })
	if d := cmp.Diff(add(together), add(each), cmp.AllowUnexported(sums{}), near); d != "" {
		t.Errorf("the launches do not add up to the kernels (-kernels +launches):\n%s", d)
	}
}

// TestInstancesOfKernels reads exports with a row per kernel, and logs: there, --instances changes nothing but its own name.
func TestInstancesOfKernels(t *testing.T) {
	const fixtures = "../../fixtures/"
	for _, files := range []string{fixtures + "max1100_mix.hotspots.csv", fixtures + "gen9_vec_add.log --local 256 --simd 32", fixtures + "gen9_vec_add.hotspots.csv"} {
		for _, format := range []string{"json", "csv", "markdown", "table"} {
			print := func(flag string) string {
				var out, errs bytes.Buffer
				args := append(strings.Fields(files), "--device", "max1100", "--format", format, flag)
				a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
				if status := run(context.Background(), a, append([]string{"validate"}, args...)); status != exitDone {
					t.Fatalf("%s: exit %d: %s", files, status, errs.String())
				}
				return strings.ReplaceAll(out.String(), flag, "FLAG")
			}
			// Both flags are as long as the other, so that columns stay as wide.
			if d := cmp.Diff(print("--instances=0"), print("--instances=1")); d != "" {
				t.Errorf("%s as %s: -without +with --instances\n%s", files, format, d)
			}
		}
	}
}

// TestInstancesInWorkbook looks for every launch on the sheet of the kernels and for one explanation of those alike.
func TestInstancesInWorkbook(t *testing.T) {
	out := filepath.Join(t.TempDir(), "r.xlsx")
	a := &app{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, getenv: func(string) string { return "" }}
	if status := run(context.Background(), a, []string{"validate", "--instances", "--device", "mtl", "--xve", "112", launchFile(t, 3000), "-o", out}); status != exitDone {
		t.Fatalf("exit %d", status)
	}
	f, err := excelize.OpenFile(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := f.GetRows("Kernels")
	if err != nil || len(rows) != 3001 {
		t.Errorf("%d rows and %v, want 3000 and a heading", len(rows), err)
	}
	summary, err := f.GetRows("Summary")
	if err != nil {
		t.Fatal(err)
	}
	explained := 0
	for _, row := range summary {
		if strings.Contains(strings.Join(row, " "), "This is the first of ") {
			explained++
		}
	}
	if most := 8 * 4 * len(compare.Causes()); explained < 8 || explained > most {
		t.Errorf("%d explanations of launches alike, want at least one for each of 8 kernels and at most %d", explained, most)
	}
}

// TestLaunchMemory bounds what a launch takes while a workbook is made: some hundred bytes with all that does not
// grow, where a row takes two thousand.
func TestLaunchMemory(t *testing.T) {
	testenv.Long(t)
	const n, most = 100000, 180
	path := launchFile(t, n)
	used := func() int64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := used()
	a := &app{stdin: strings.NewReader(""), stderr: io.Discard}
	a.setDefaults()
	// On Xe-LP the threads started show that the values are not the launches' own: a row with an account would add
	// its compressed cells, of which excelize keeps 150 bytes until the workbook is written.
	a.Device = "tgl"
	run, err := a.readRun(context.Background(), []string{path}, ingest.Options{ReadOptions: ingest.ReadOptions{Instances: true}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.compareRun(run, compare.Refuse)
	if err != nil {
		t.Fatal(err)
	}
	doc := rundoc.FromResult(r, report.Provenance{})
	var after int64
	kernels := doc.Table(report.SectionKernels)
	makeRow := kernels.Row
	kernels.Row = func(i int, dst []report.Cell) []report.Cell {
		if i == n/2 { // in the middle of the sheet
			after = used()
		}
		return makeRow(i, dst)
	}
	if err := excel.Render(io.Discard, doc); err != nil {
		t.Fatal(err)
	}
	if per := float64(after-before) / n; per > most {
		t.Errorf("a launch takes %.0f bytes, want at most %d", per, most)
	} else {
		t.Logf("%.0f bytes per launch", per)
	}
	if run.Kernels.Len() != n || r.Len() != n {
		t.Errorf("%d launches, %d rows, want %d", run.Kernels.Len(), r.Len(), n)
	}
}
