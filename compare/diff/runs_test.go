package diff

import (
	"slices"
	"testing"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// runOf returns a run with one kernel per measured occupancy, in percent.
// seconds is the launch time of each kernel. A negative occupancy stands for a
// kernel that was not measured.
func runOf(seconds float64, measured ...float64) *compare.Result {
	r := &compare.Result{}
	for i, m := range measured {
		row := compare.Row{Kernel: &ingest.Kernel{Task: string(rune('a' + i)), Instances: unit.Some[int64](10),
			Total: unit.Some(unit.Seconds(10 * seconds))}, Verdict: compare.Match}
		if m >= 0 {
			row.Measured = unit.Some(unit.Ratio(m / 100))
		}
		r.Rows = append(r.Rows, row)
	}
	r.Summary.Kernels = len(measured)
	r.Summary.KernelTime = unit.Some(unit.Seconds(10 * seconds * float64(len(measured))))
	r.Finish()
	return r
}

func TestCompareRuns(t *testing.T) {
	good := func() *compare.Result { return runOf(1, 90, 80, 70) }
	for _, test := range []struct {
		reason  string
		last    *compare.Result
		want    []RunFinding
		outside int
	}{
		{"a run like the others", good(), nil, 0},
		{"within 2 points", runOf(1, 88, 78, 68), nil, 0},
		{"lower", runOf(1, 80, 70, 60), []RunFinding{RunLow}, 0},
		{"higher and faster", runOf(0.5, 99, 89, 79), []RunFinding{RunHigh, RunFast}, 0},
		{"slower by a tenth", runOf(1.1, 90, 80, 70), nil, 0},
		{"slower by more", runOf(1.2, 90, 80, 70), []RunFinding{RunSlow}, 0},
		{"one kernel is lower, and four runs are too few to test it", runOf(1, 90, 60, 70), nil, 0},
		{"a kernel is missing", runOf(1, 90, 80), []RunFinding{RunMissingKernels}, 0},
		{"an unmeasured value is not zero", runOf(1, 90, 80, -1), nil, 0},
		{"nothing ran", &compare.Result{}, []RunFinding{RunIdle}, 0},
	} {
		s := CompareRuns([]string{"1", "2", "3", "4"}, []*compare.Result{good(), good(), good(), test.last})
		if got := s.Runs[3].Findings; !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.reason, got, test.want)
		}
		parts := 0
		for _, f := range s.Findings {
			if f.Kernel != nil {
				parts++
			}
		}
		if parts != test.outside {
			t.Errorf("%s: %d values stand out, want %d", test.reason, parts, test.outside)
		}
		for i := range 3 {
			if len(s.Runs[i].Findings) > 0 {
				t.Errorf("%s: run %d differs: %q", test.reason, i, s.Runs[i].Findings)
			}
		}
	}
	if s := CompareRuns([]string{"1", "2"}, []*compare.Result{good(),
		runOf(1, 10, 10, 10)}); len(s.Runs[1].Findings) > 0 {
		t.Error("of two runs one stands out")
	}

	copied := func() *compare.Result {
		r := good()
		r.Inputs = []ingest.Input{{Path: "run.csv", Digest: "sha256:1"}}
		for i := range r.Rows {
			r.Rows[i].Pos.File = "run.csv"
		}
		return r
	}
	s := CompareRuns([]string{"1", "2", "3", "4"}, []*compare.Result{copied(), good(), copied(), runOf(1, 80, 70, 60)})
	if got := s.Runs[2]; got.CopyOf != "1" || !slices.Equal(got.Findings, []RunFinding{RunCopy}) {
		t.Errorf("a copy is %q of %q", got.Findings, got.CopyOf)
	}
	if k := &s.Kernels[0]; k.N != 3 || k.Has[2] || !slices.Equal(s.Runs[3].Findings, []RunFinding{RunLow}) {
		t.Errorf("a copy counts: %d runs, the last one %q", k.N, s.Runs[3].Findings)
	}
}

// TestOutlierInOneKernel checks one or two runs in which one kernel is low. At
// least six runs are needed to find them.
func TestOutlierInOneKernel(t *testing.T) {
	for _, c := range []struct {
		reason string
		low    []float64 // value of kernel b in the low runs; it is 80 in the others
		runs   int
		want   int
	}{
		{"five runs are too few", []float64{60}, 5, 0},
		{"six are enough", []float64{60}, 6, 1},
		{"two outliers do not hide each other", []float64{60, 61}, 6, 2},
		{"half of the runs is a second level", []float64{60, 61, 60}, 6, 0},
		{"within the floor of 2 points", []float64{78.6}, 6, 0},
	} {
		var names []string
		var results []*compare.Result
		for i := range c.runs {
			b := 80 + float64(i%3)/10
			if i < len(c.low) {
				b = c.low[i]
			}
			// Kernel a has noise. Kernel c never varies, which must not make b
			// look normal.
			names, results = append(names, string(rune('1'+i))), append(results, runOf(1, 90+float64(i%4)/10, b, 70))
		}
		s := CompareRuns(names, results)
		if len(s.Findings) != c.want || s.Few() != (c.runs < LeastRuns) {
			t.Errorf("%s: %d findings, too few: %v; want %d", c.reason, len(s.Findings), s.Few(), c.want)
		}
		if k, points := s.MostVaried(); k == nil || k.Task != "b" || points < 1 {
			t.Errorf("%s: the kernel that varies the most is %+v, by %v points", c.reason, k, points)
		}
	}
}

// TestRangeOfFewValues checks that a kernel with one value has that value as
// lowest and highest, and that a kernel without values has neither.
func TestRangeOfFewValues(t *testing.T) {
	s := CompareRuns([]string{"1", "2"}, []*compare.Result{runOf(1, 90, 80, -1), runOf(1, 70, -1, -1)})
	for _, k := range s.Kernels {
		want := map[string][3]float64{"a": {70, 80, 90}, "b": {80, 80, 80}, "c": {-100, -100, -100}}[k.Task]
		got := [3]float64{k.Lowest.Or(-1).Percent(), k.Median.Or(-1).Percent(), k.Highest.Or(-1).Percent()}
		if got != want {
			t.Errorf("kernel %s of %d values: %v, want %v", k.Task, k.N, got, want)
		}
	}
}
