package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/formats"
	"occudiff/internal/testenv"
)

// fact contains what an expert knows about a task of a real run, and the result
// that is therefore expected.
type fact struct {
	task    string // prefix of the task's name
	verdict compare.Verdict
	cause   string
	truth   truth
	why     string // known facts about the run
}

// truth describes how well the known facts about a run support a result. The
// facts are in the corpus, next to the file of the run.
type truth string

const (
	known    truth = "known"        // information next to the file confirms the result
	probable truth = "probable"     // nothing contradicts the result
	untold   truth = "undetermined" // the cause cannot be determined, and the result must not claim otherwise
)

const (
	launchBound = "a public trace of this program shows gaps of 31 to 69% of the time, and launches of 0.2 to 0.9 ms with 95 to 98% of " +
		"the slots; short threads are probable for the short launches at the end"
	mixedUp     = "the same program and day, and 65% of all instructions in rows that are not kernels: its idle share doubled"
	tooShort    = "18 us launches under a 1 ms counter; 19.9 to 42.7 in four runs of one program"
	saturating  = "2 ms launches that saturate the GPU; 9.14 waves predict 91.4"
	secondDay   = "the same program on another day: 1.4 ms launches instead of 2, 88.2 and 87.7 measured"
	numba       = "dppyPy_dppy_py_devfn__5F__5F_main_5F__5F__2E_" // numba's prefix for the names of a main program
	lowPeak     = "a peak of 1.2: no value can be 5 points below it"
	noShape     = "the summary has no launch size and no array state, so idle time and dispatch cannot be distinguished"
	byExport    = "the export of the same run, above, shows the cause, but the summary does not"
	noTask      = "the run has an occupancy but no task, so its kernels are unknown"
	nothingSeen = "the summary names the task without an occupancy"
	itself      = "one of four adapters was busy according to the summary's own table; 4 x 23.7 = 94.8"
)

// realRuns are all files of the corpus that are runs, with the known facts
// about each kernel.
var realRuns = []struct {
	files   []string
	device  string
	xve     int
	kernels []fact
	fault   string // expected error, for files that cannot be used
}{
	{[]string{"vtune-csv/bench_gaussian.hotspots.csv", "vtune-summary/bench_gaussian.hotspots.txt"}, "", 0, []fact{
		{"Fan2", compare.Below, compare.CauseGaps, probable, launchBound}, {"Fan1", compare.Unmeasurable, compare.CauseSampling, known, tooShort}}, ""},
	{[]string{"vtune-csv/bench_gaussian.offload.csv", "vtune-summary/bench_gaussian.offload.txt"}, "", 0, []fact{
		{"Fan2", compare.Unmeasurable, compare.CauseSampling, known, mixedUp}, {"Fan1", compare.Unmeasurable, compare.CauseSampling, known, tooShort}}, ""},
	{[]string{"vtune-csv/cl_gemm.hotspots.csv"}, "mtl", 112, []fact{{"GEMM", compare.Match, "", known, saturating}}, ""},
	{[]string{"vtune-csv/cl_gemm.offload.csv"}, "mtl", 112, []fact{{"GEMM", compare.Match, "", known, saturating}}, ""},
	{[]string{"vtune-csv/ze_gemm.hotspots.csv", "vtune-summary/ze_gemm.hotspots.txt"}, "", 0, []fact{{"GEMM", compare.Match, "", known, saturating}}, ""},
	{[]string{"vtune-csv/ze_gemm.offload.csv", "vtune-summary/ze_gemm.offload.txt"}, "", 0, []fact{{"GEMM", compare.Match, "", known, saturating}}, ""},
	{[]string{"vtune-csv/cl_gemm_second.hotspots.csv", "vtune-summary/cl_gemm_second.hotspots.txt"}, "", 0,
		[]fact{{"GEMM", compare.Match, "", known, secondDay}}, ""},
	{[]string{"vtune-csv/cl_gemm_second.offload.csv"}, "mtl", 112, []fact{{"GEMM", compare.Match, "", known, secondDay}}, ""},
	{[]string{"vtune-csv/gemm_selection.semicolon.csv"}, "b580", 0, []fact{
		{"gemm_kernel", compare.Above, compare.CauseLaunchSize, known, "the peak of 40.0 is 512 of 1,280 thread slots, eight times the cell's 2 work-groups of 32 threads"}}, ""},
	{[]string{"vtune-csv/bench_gaussian.task.csv"}, "mtl", 112, nil, "grouped by host task, not per kernel"},
	{[]string{"vtune-summary/bench_gaussian.hotspots.txt"}, "", 0, []fact{
		{"Fan2", compare.Unmeasurable, compare.CauseSampling, untold, byExport}, {"Fan1", compare.Unmeasurable, compare.CauseSampling, known, "3% of the GPU's time in launches whose length is not in this summary"}}, ""},
	{[]string{"vtune-summary/bench_gaussian.offload.txt"}, "", 0, []fact{
		{"Fan2", compare.Unmeasurable, compare.CauseSampling, known, mixedUp}, {"Fan1", compare.Unmeasurable, compare.CauseSampling, known, tooShort}}, ""},
	{[]string{"vtune-summary/ze_gemm.hotspots.txt"}, "", 0, []fact{{ingest.WholeRun, compare.NoPrediction, "", "", noTask}}, ""},
	{[]string{"vtune-summary/ze_gemm.offload.txt"}, "", 0, []fact{{"GEMM", compare.NoPrediction, "", "", "VTune's peak ignores the last wave (100, not 91.4), and " + noShape}}, ""},
	{[]string{"vtune-summary/tigerlake_eu_naming.offload_excerpt.txt"}, "", 0, nil, "names no kernel"},
	{[]string{"vtune-summary/aurora_6gpu.excerpt.txt"}, "", 0, []fact{{"Comp_Geo", compare.NoPrediction, "", "", "3 ms in all; the adapters' table is 0.0 throughout, so nothing tells which stack worked"}}, ""},
	{[]string{"vtune-summary/iso3dfd02_basic_hotspots_vtune2024.0_pvc.html"}, "", 0, []fact{{"iso3dfd", compare.NoPrediction, compare.CauseAdapters, known, itself}}, ""},
	{[]string{"vtune-summary/iso3dfd02_basic_offload_vtune2024.0_pvc.html"}, "", 0, []fact{{"iso3dfd", compare.NoMeasurement, "", "", nothingSeen}}, ""},
	{[]string{"vtune-summary/mm_basic_hotspots_vtune2022.0_gen9_1024.html"}, "", 0, []fact{{"mm_kernel", compare.NoMeasurement, "", "", nothingSeen}}, ""},
	{[]string{"vtune-summary/mm_basic_hotspots_vtune2022.0_dg1_1024.html"}, "", 0, []fact{{ingest.WholeRun, compare.NoPrediction, "", "", noTask}}, ""},
	{[]string{"vtune-summary/mm_basic_hotspots_vtune2022.0_dg1_10240.html"}, "", 0, []fact{{ingest.WholeRun, compare.NoPrediction, "", "", noTask}}, ""},
	{[]string{"vtune-summary/mtl128_no_task.hotspots.txt"}, "", 0, []fact{{ingest.WholeRun, compare.NoPrediction, "", "", noTask}}, ""},
	{[]string{"vtune-summary/black_scholes_offload_vtune2022.0.html"}, "", 0,
		[]fact{{numba + "black", compare.NoPrediction, "", "", noShape}}, ""},
	{[]string{"vtune-summary/gpairs_offload_vtune2022.0.html"}, "", 0,
		[]fact{{"dppyPy", compare.Unmeasurable, compare.CauseNoActivity, known, "the GPU was busy for 0.0% of the run: nothing was sampled"}}, ""},
	{[]string{"vtune-summary/kmeans_offload_vtune2022.0.html"}, "", 0, []fact{
		{numba + "calCentroidsSum2", compare.Unmeasurable, compare.CauseSampling, untold, noShape},
		{numba + "groupByCluster", compare.Unmeasurable, compare.CauseSampling, untold, noShape},
		{numba + "updateCentroids", compare.Unmeasurable, compare.CauseBelowTolerance, known, lowPeak},
		{numba + "calCentroidsSum1", compare.Unmeasurable, compare.CauseBelowTolerance, known, lowPeak}}, ""},
	{[]string{"unitrace/query_gemm_fp16.txt"}, "max1100", 0, []fact{
		{"hgemm", compare.Match, "", probable, "56 work-groups of 32 threads are half of 3,584 slots, and the counters were read around each launch, of 448 XVEs; the file does not name the GPU"},
		{"binary_test", compare.Unmeasurable, compare.CauseBelowTolerance, known, "one thread: 0.03% predicted, 0.0002% measured over a query window 76 times longer than the kernel"}}, ""},
	{[]string{"unitrace/query_gemm_fp16.txt"}, "max1550", 0, []fact{
		{"hgemm", compare.NoPrediction, "", "", "events / (clocks x utilization) is 448.00 for each pair of counters: a Max 1100, not a stack of a Max 1550, which has 512"},
		{"binary_test", compare.NoPrediction, "", "", "one thread"}}, ""},
	{[]string{"oneprof/aggregated_xe_lpg.txt"}, "mtl", 112, []fact{{"GEMM", compare.MatchWhileBusy, "", known,
		"three launches of 1.3 ms: 47.9, 92.0 and 89.4; the first holds idle time before the kernel"}}, ""},
	{[]string{"oneprof/kernel_metrics.txt"}, "gen9", 0, []fact{{"GEMM", compare.Match, "", known, "four samples of one launch"}}, ""},
	{[]string{"oneprof/kernel_intervals.txt"}, "gen9", 0, []fact{{"GEMM", compare.NoMeasurement, "", "", "times of launches: no occupancy"}}, ""},
	{[]string{"oneprof/raw_metrics.txt"}, "gen9", 0, nil, "contains no kernel"},
	{[]string{"unitrace/device_timing_dpc_gemm.txt"}, "max1100", 0, []fact{{"RunAndCheck", compare.NoMeasurement, "", "", "a timing table: no occupancy, no launch size"}}, ""},
}

// TestValidation runs the tool on every real run and compares the verdict and
// the cause with the known facts. With -update, it writes
// docs/design/verification.md.
func TestValidation(t *testing.T) {
	root := testenv.Shared(t, "corpus")
	seen := map[string]bool{}
	v := validation{T: t, root: root, answers: map[truth]int{}}
	for _, c := range realRuns {
		var paths []string
		for _, f := range c.files {
			paths, seen[f] = append(paths, filepath.Join(root, f)), true
		}
		a := &app{stderr: io.Discard}
		a.setDefaults()
		a.Device, a.XVE = c.device, c.xve
		r, err := compareFiles(a, paths)
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%v: %v, want an error that says %q", c.files, err, c.fault)
			}
			v.runs = append(v.runs, runRow{Files: strings.Join(c.files, " + "), Result: "rejected", Known: c.fault})
			continue
		}
		if err != nil {
			t.Errorf("%v: %v", c.files, err)
			continue
		}
		v.check(c.files, r, c.kernels)
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
	v.publishedRuns()
	v.write()
}

func compareFiles(a *app, paths []string) (*compare.Result, error) {
	run, err := ingest.Read(context.Background(), paths, ingest.Options{Formats: formats.All()})
	if err := cmp.Or(err, a.readDevices()); err != nil {
		return nil, err
	}
	return a.compareRun(run, compare.RejectRun)
}
