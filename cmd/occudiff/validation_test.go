package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
	"occudiff/report"
	"occudiff/report/markdown"
)

// fact says what an expert knows of a task of a real run, and what the tool therefore has to answer.
type fact struct {
	task    string // beginning of the name
	verdict compare.Verdict
	cause   string
	why     string // what is known of the run
}

const (
	launchBound = "launch-bound: 131,072 threads in half a millisecond; every run of it measures 48 to 63 of a predicted 100"
	mixedUp     = "the same program and day, and 65 % of all instructions in rows of no kernel: its idle share doubled"
	tooShort    = "18 us launches under a 1 ms counter; 19.9 to 42.7 in four runs of one program"
	saturating  = "2 ms launches that saturate the GPU; 9.14 waves predict 91.4"
	secondDay   = "the same program on another day: 1.4 ms launches instead of 2, 88.2 and 87.7 measured"
	numba       = "dppyPy_dppy_py_devfn__5F__5F_main_5F__5F__2E_" // what numba puts before the names of a main program
	lowPeak     = "a peak of 1.2: nothing can be told to be 5 points below it"
	noShape     = "the summary has no launch shape and no array state: which of idle time and dispatch it is cannot be told from it"
	noTask      = "the run has an occupancy and no task; which kernels it is of is not said"
	nothingSeen = "the summary names the task without an occupancy"
	itself      = "one of four adapters worked by the summary's own table; 4 x 23.7 = 94.8"
)

// realRuns are all files of the corpus that are runs, with what is known of each kernel.
var realRuns = []struct {
	files   []string
	device  string
	xve     int
	kernels []fact
	fault   string // for files of which nothing can be made
}{
	{[]string{"vtune-csv/bench_gaussian.hotspots.csv", "vtune-summary/bench_gaussian.hotspots.txt"}, "", 0, []fact{
		{"Fan2", compare.Below, compare.CauseGaps, launchBound}, {"Fan1", compare.Unmeasurable, compare.CauseSampling, tooShort}}, ""},
	{[]string{"vtune-csv/bench_gaussian.offload.csv", "vtune-summary/bench_gaussian.offload.txt"}, "", 0, []fact{
		{"Fan2", compare.Unmeasurable, compare.CauseSampling, mixedUp}, {"Fan1", compare.Unmeasurable, compare.CauseSampling, tooShort}}, ""},
	{[]string{"vtune-csv/cl_gemm.hotspots.csv"}, "mtl", 112, []fact{{"GEMM", compare.Match, "", saturating}}, ""},
	{[]string{"vtune-csv/cl_gemm.offload.csv"}, "mtl", 112, []fact{{"GEMM", compare.Match, "", saturating}}, ""},
	{[]string{"vtune-csv/ze_gemm.hotspots.csv", "vtune-summary/ze_gemm.hotspots.txt"}, "", 0, []fact{{"GEMM", compare.Match, "", saturating}}, ""},
	{[]string{"vtune-csv/ze_gemm.offload.csv", "vtune-summary/ze_gemm.offload.txt"}, "", 0, []fact{{"GEMM", compare.Match, "", saturating}}, ""},
	{[]string{"vtune-csv/cl_gemm_second.hotspots.csv", "vtune-summary/cl_gemm_second.hotspots.txt"}, "", 0,
		[]fact{{"GEMM", compare.Match, "", secondDay}}, ""},
	{[]string{"vtune-csv/cl_gemm_second.offload.csv"}, "mtl", 112, []fact{{"GEMM", compare.Match, "", secondDay}}, ""},
	{[]string{"vtune-csv/gemm_selection.semicolon.csv"}, "b580", 0, []fact{
		{"gemm_kernel", compare.Above, compare.CauseShape, "the peak of 40.0 is 512 of 1,280 thread slots, eight times what the cell's 2 work-groups of 32 threads are"}}, ""},
	{[]string{"vtune-csv/bench_gaussian.task.csv"}, "mtl", 112, nil, "grouped by host task, not per kernel"},
	{[]string{"vtune-summary/bench_gaussian.hotspots.txt"}, "", 0, []fact{
		{"Fan2", compare.Below, compare.CauseUnexplained, noShape}, {"Fan1", compare.Unmeasurable, compare.CauseSampling, "3 % of the GPU's time in launches whose length this summary does not give"}}, ""},
	{[]string{"vtune-summary/bench_gaussian.offload.txt"}, "", 0, []fact{
		{"Fan2", compare.Below, compare.CauseUnexplained, noShape}, {"Fan1", compare.Unmeasurable, compare.CauseSampling, tooShort}}, ""},
	{[]string{"vtune-summary/ze_gemm.hotspots.txt"}, "", 0, []fact{{ingest.WholeRun, compare.NoPrediction, "", noTask}}, ""},
	{[]string{"vtune-summary/ze_gemm.offload.txt"}, "", 0, []fact{{"GEMM", compare.Below, compare.CauseUnexplained, "held against a peak without its tail (100, not 91.4), because " + noShape}}, ""},
	{[]string{"vtune-summary/tigerlake_eu_naming.offload_excerpt.txt"}, "", 0, nil, "names no kernel"},
	{[]string{"vtune-summary/aurora_6gpu.excerpt.txt"}, "", 0, []fact{{"Comp_Geo", compare.NoPrediction, "", "3 ms in all; the adapters' table is 0.0 throughout, so nothing tells which stack worked"}}, ""},
	{[]string{"vtune-summary/iso3dfd02_basic_hotspots_vtune2024.0_pvc.html"}, "", 0, []fact{{"iso3dfd", compare.NoPrediction, compare.CauseAdapters, itself}}, ""},
	{[]string{"vtune-summary/iso3dfd02_basic_offload_vtune2024.0_pvc.html"}, "", 0, []fact{{"iso3dfd", compare.NoMeasurement, "", nothingSeen}}, ""},
	{[]string{"vtune-summary/mm_basic_hotspots_vtune2022.0_gen9_1024.html"}, "", 0, []fact{{"mm_kernel", compare.NoMeasurement, "", nothingSeen}}, ""},
	{[]string{"vtune-summary/mm_basic_hotspots_vtune2022.0_dg1_1024.html"}, "", 0, []fact{{ingest.WholeRun, compare.NoPrediction, "", noTask}}, ""},
	{[]string{"vtune-summary/mm_basic_hotspots_vtune2022.0_dg1_10240.html"}, "", 0, []fact{{ingest.WholeRun, compare.NoPrediction, "", noTask}}, ""},
	{[]string{"vtune-summary/mtl128_no_task.hotspots.txt"}, "", 0, []fact{{ingest.WholeRun, compare.NoPrediction, "", noTask}}, ""},
	{[]string{"vtune-summary/black_scholes_offload_vtune2022.0.html"}, "", 0,
		[]fact{{numba + "black", compare.Below, compare.CauseUnexplained, noShape}}, ""},
	{[]string{"vtune-summary/gpairs_offload_vtune2022.0.html"}, "", 0,
		[]fact{{"dppyPy", compare.Below, compare.CauseNothingRan, "the GPU was busy for 0.0 % of the run: nothing was sampled"}}, ""},
	{[]string{"vtune-summary/kmeans_offload_vtune2022.0.html"}, "", 0, []fact{
		{numba + "calCentroidsSum2", compare.Below, compare.CauseUnexplained, noShape},
		{numba + "groupByCluster", compare.Below, compare.CauseUnexplained, noShape},
		{numba + "updateCentroids", compare.Unmeasurable, compare.CauseTolerance, lowPeak},
		{numba + "calCentroidsSum1", compare.Unmeasurable, compare.CauseTolerance, lowPeak}}, ""},
	{[]string{"unitrace/query_gemm_fp16.txt"}, "max1100", 0, []fact{
		{"hgemm", compare.Match, "", "56 work-groups of 32 threads are half of 3,584 slots; the counters were read around each launch"},
		{"binary_test", compare.Unmeasurable, compare.CauseTolerance, "one thread: 0.03 % predicted, 0.0002 % measured over a query window 76 times longer than the kernel"}}, ""},
	{[]string{"oneprof/aggregated_xe_lpg.txt"}, "mtl", 112, []fact{{"GEMM", compare.Unmeasurable, compare.CauseSampling,
		"three launches of 1.3 ms: 47.9, 92.0 and 89.4; the first holds idle time before the kernel"}}, ""},
	{[]string{"oneprof/kernel_metrics.txt"}, "gen9", 0, []fact{{"GEMM", compare.Unmeasurable, compare.CauseSampling, "four samples of one launch"}}, ""},
	{[]string{"oneprof/kernel_intervals.txt"}, "gen9", 0, []fact{{"GEMM", compare.NoMeasurement, "", "times of launches: no occupancy"}}, ""},
	{[]string{"oneprof/raw_metrics.txt"}, "gen9", 0, nil, "holds no kernel"},
	{[]string{"unitrace/device_timing_dpc_gemm.txt"}, "max1100", 0, []fact{{"RunAndCheck", compare.NoMeasurement, "", "a timing table: no occupancy, no launch shape"}}, ""},
}

// TestValidation runs the tool on every real run, holds verdict and cause against what is known of it, and writes
// docs/validation.md (-update).
func TestValidation(t *testing.T) {
	root := corpus()
	if root == "" {
		t.Skip("the real profiler output is not installed beside the project")
	}
	seen := map[string]bool{}
	var rows [][]report.Cell
	for _, c := range realRuns {
		var paths []string
		for _, f := range c.files {
			paths, seen[f] = append(paths, filepath.Join(root, f)), true
		}
		a := &app{device: c.device, xve: c.xve, tolerance: 5, modelTol: 0.1, sampling: 1e6, quiet: true}
		r, err := a.compareFiles(paths)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%v: %v, want a fault that says %q", c.files, err, c.fault)
			}
			rows = append(rows, validationFault(c.files, c.fault))
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", c.files, err)
			continue
		}
		rows = append(rows, checkKnown(t, c.files, r, c.kernels)...)
	}
	for _, dir := range []string{"vtune-csv", "vtune-summary", "unitrace", "oneprof"} {
		files, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if !seen[dir+"/"+f.Name()] {
				t.Errorf("%s/%s is not in the table of real runs", dir, f.Name())
			}
		}
	}
	writeValidation(t, rows, publishedRows(t, root))
}

func (a *app) compareFiles(paths []string) (*compare.Result, error) {
	run, err := ingest.Read(context.Background(), paths, ingest.Options{Formats: formats()})
	if err != nil {
		return nil, err
	}
	return a.compareRun(run, validateFlags{})
}

func checkKnown(t *testing.T, files []string, r *compare.Result, kernels []fact) [][]report.Cell {
	t.Helper()
	var rows [][]report.Cell
	judged := 0
	for i := range r.Len() {
		row := r.Row(i, nil)
		if row.Verdict == compare.NotAKernel {
			continue
		}
		judged++
		var k *fact
		for j := range kernels {
			if strings.HasPrefix(row.Task, kernels[j].task) {
				k = &kernels[j]
			}
		}
		if k == nil {
			t.Errorf("%v: kernel %s is not in the table", files, row.Task)
			continue
		}
		cause := ""
		if row.Cause != nil {
			cause = row.Cause.Name
		}
		if row.Verdict != k.verdict || cause != k.cause {
			t.Errorf("%v %s: %s (%s), known: %s (%s), for %s", files, k.task, row.Verdict, cause, k.verdict, k.cause, k.why)
		}
		rows = append(rows, validationRow(files, k, row, cause))
	}
	if judged != len(kernels) {
		t.Errorf("%v: %d kernels, %d in the table", files, judged, len(kernels))
	}
	return rows
}

func validationRow(files []string, k *fact, row *compare.Row, cause string) []report.Cell {
	share := func(o unit.Opt[unit.Ratio]) report.Cell {
		v, ok := o.Value()
		if !ok {
			return report.Cell{}
		}
		return report.NumCell(report.Percent, v.Percent())
	}
	predicted, limits := report.Cell{}, ""
	if row.Predicted != nil {
		predicted = report.NumCell(report.Percent, row.Predicted.Average.Percent())
		limits = strings.Join(row.Predicted.Limits.Names(), ", ")
	}
	verdict := string(row.Verdict)
	if cause != "" {
		verdict += ": " + cause
	}
	return []report.Cell{report.TextCell(strings.Join(files, " + ")), report.TextCell(k.task), predicted, share(row.Peak), share(row.Measured),
		report.TextCell(limits), report.TextCell(verdict), report.TextCell(k.why)}
}

func validationFault(files []string, fault string) []report.Cell {
	return []report.Cell{report.TextCell(strings.Join(files, " + ")), {}, {}, {}, {}, {}, report.TextCell("refused"), report.TextCell(fault)}
}

// publishedRows holds published occupancies against the third basis: peak and measured without launch shapes.
func publishedRows(t *testing.T, root string) [][]report.Cell {
	text, err := os.ReadFile(filepath.Join(root, "published", "llama_low_occupancy.csv"))
	if err != nil {
		t.Fatal(err)
	}
	_, text2, _ := strings.Cut(string(text), "\n") // a comment
	lines, err := csv.NewReader(strings.NewReader(text2)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]report.Cell
	for _, l := range lines[1:] {
		num := func(s string) float64 {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		k := ingest.Kernel{Task: l[1], Total: unit.Some(unit.Seconds(num(l[2]))), Peak: unit.Some(unit.FromPercent(num(l[3]))), Measured: unit.Some(unit.FromPercent(num(l[4])))}
		r := compare.Compare(&ingest.Run{Kernels: ingest.NewKernels(k)}, (*arch.Device)(nil), compare.DefaultOptions())
		row := r.Row(0, nil)
		verdict := string(row.Verdict)
		if row.Cause != nil {
			verdict += ": " + row.Cause.Name
		}
		if row.Basis != compare.BasisMeasuredPeak {
			t.Errorf("%s: basis %q", l[1], row.Basis)
		}
		if d := num(l[4]) - num(l[3]); (d > 5) != (row.Verdict == compare.Above) || (d < -5) != (row.Verdict == compare.Below) {
			t.Errorf("%s: %s for a difference of %.1f points", l[1], row.Verdict, d)
		}
		rows = append(rows, []report.Cell{report.TextCell(l[0]), report.TextCell(l[1]), report.NumCell(report.Percent, num(l[3])),
			report.NumCell(report.Percent, num(l[4])), report.TextCell(verdict)})
	}
	return rows
}

func writeValidation(t *testing.T, real, published [][]report.Cell) {
	col := func(title, unitText string, kind report.Kind) report.Column {
		return report.Column{Key: strings.ToLower(title), Title: title, Unit: unitText, Kind: kind, In: report.Page}
	}
	doc := &report.Document{Title: "Validation on real runs", Headline: []string{
		"Every file of real profiler output that the project is tested with: the three occupancies, what limits the prediction, the verdict and the cause that the tool gives, and what is known of the run. A test holds the answers against what is known and writes this page.",
	}, Sections: []report.Section{
		{Key: "real", Title: "Runs", Tables: []*report.Table{report.Fixed("real", "", []report.Column{
			col("Files", "", report.Text), col("Kernel", "", report.Text), col("Predicted average", "%", report.Percent), col("VTune peak", "%", report.Percent),
			col("Measured", "%", report.Percent), col("Limited by", "", report.Text), col("Answer", "", report.Text), col("What is known", "", report.Text)}, real)}},
		{Key: "published", Title: "Published low-occupancy tables", Text: []string{
			"Peak and measured occupancy of llama.cpp SYCL kernels, transcribed from a published note. There is no launch shape, launch count or array state, so measured is held against VTune's own peak. Where that is above, the kernels are short and many, and overlap is what the figures alone allow; where it is below, the computing-task export would be needed to name the cause."},
			Tables: []*report.Table{report.Fixed("published", "", []report.Column{col("Pass", "", report.Text), col("Kernel", "", report.Text),
				col("VTune peak", "%", report.Percent), col("Measured", "%", report.Percent), col("Answer", "", report.Text)}, published)}},
		{Key: "quality", Title: "What is missing", Text: []string{fmt.Sprintf(
			"Of the kernels above that do not match, those with a computing-task export all have a cause. `unexplained` remains for summaries without launch shapes: %s.", noShape)}},
	}}
	var b strings.Builder
	if err := markdown.Render(&b, doc); err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("..", "..", "docs", "validation.md"), b.String())
}

// golden compares with a file, or rewrites it with -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (make it with -update)", err)
	}
	if string(want) != got {
		t.Errorf("%s is not what the tool says now; look at the difference after go test -update", path)
	}
}
