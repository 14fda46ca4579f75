package rundoc_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
)

// TestSuiteOfGaussian checks the test cases of a run with two kernels and three
// other tasks. Only the kernels have cases, with the values of the run.
func TestSuiteOfGaussian(t *testing.T) {
	s := rundoc.TestSuiteFrom(sample.Gaussian(), report.Provenance{Version: "1.2.3", Label: "nightly"})
	if s.Name != "occudiff validate nightly" || len(s.Cases) != 2 || s.Count(report.Failed) != 1 || s.Count(report.Skipped) != 1 || s.Count(report.Passed) != 0 {
		t.Fatalf("got %+v", s)
	}
	if got := float64(s.Seconds().Or(0)); math.Abs(got-1.108685) > 1e-12 {
		t.Errorf("the suite took %v, want the kernels' 1.108685 s", got)
	}
	cases := s.Cases
	fan2 := cases[0]
	if fan2.Class != "mtl-112/nightly" || fan2.Name != "Fan2 (2048x2048 in 1024x1, SIMD32)" || fan2.File != "bench_gaussian.hotspots.csv" || fan2.Line != 2 {
		t.Errorf("got %+v", fan2)
	}
	if fan2.Outcome != report.Failed || fan2.Type != "gaps" || fan2.Message != "below by 36.8 points: time between launches?, very short threads?" {
		t.Errorf("got %+v", fan2)
	}
	want := `Below by 36.8 points: time between launches, very short threads. 20.6 points: idle XVEs. A launch lasts 0.5 of a sampling interval, so time between launches may be included, up to 16.4 of the missing points. It cannot be distinguished from idle time within launches.
16.2 points: underfilled XVEs. The mean thread lifetime is 2.2 to 2.8 us: the dispatcher may not keep up (low). Confirm with: a trace, or gpu-sampling-interval 0.1.
Global: 2048x2048
Local: 1024x1
SIMD: 32
GPU time [ms]: 1,070.996
Launches: 2,047
Predicted peak [%]: 100.0
Predicted average [%]: 99.5
Predicted to [%]: 99.8
Limited by: threads
VTune peak [%]: 100.0
Measured [%]: 62.7
Busy occupancy [%]: 79.1
Difference [points]: -36.8
Compared: measured
row: bench_gaussian.hotspots.csv:2:1
`
	if diff := cmp.Diff(want, fan2.Text+fan2.Values); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	fan1 := cases[1]
	if fan1.Outcome != report.Skipped || fan1.Type != "sampling" || fan1.Message != "unmeasurable: others in the value" || !strings.HasPrefix(fan1.Text, "Unmeasurable: others in the value. A launch lasts 0.02 of an interval") {
		t.Errorf("got %+v", fan1)
	}
}

// TestSuiteOutcomes checks the outcome and the message of a test case for every
// verdict.
func TestSuiteOutcomes(t *testing.T) {
	for _, c := range []struct {
		verdict compare.Verdict
		want    report.Outcome
		message string
		reason  string
	}{
		{compare.Match, report.Passed, "", "within tolerance"},
		{compare.Below, report.Failed, "below by 7.0 points", "a mismatch fails, also without a cause"},
		{compare.Above, report.Failed, "above by 7.0 points", "both ways"},
		{compare.Unmeasurable, report.Skipped, "unmeasurable", "the counter's value is not this kernel's"},
		{compare.NoPrediction, report.Skipped, "no prediction", "nothing to compare with"},
		{compare.NoMeasurement, report.Skipped, "no measurement", "nothing to compare"},
	} {
		r := sample.Absent()
		r.Rows[0].Verdict, r.Rows[0].Difference = c.verdict, unit.Some[unit.Points](7)
		s := rundoc.TestSuiteFrom(r, report.Provenance{})
		if got := s.Cases[0]; got.Outcome != c.want || got.Message != c.message || got.Class != "unknown device" || got.Name != "k" || got.Seconds.Present() {
			t.Errorf("%s (%s): got %+v", c.verdict, c.reason, got)
		}
		if s.Seconds().Present() {
			t.Errorf("%s: a time that nobody measured is %v", c.verdict, s.Seconds())
		}
	}
	if s := rundoc.TestSuiteFrom(sample.Empty(), report.Provenance{}); len(s.Cases) != 0 {
		t.Errorf("no rows give %d cases", len(s.Cases))
	}
}

// TestSuiteNamesAreUnique checks that cases with the same name are numbered in
// the order of the file, regardless of the order of the rows.
func TestSuiteNamesAreUnique(t *testing.T) {
	r := sample.Absent()
	base := r.Rows[0]
	r.Rows = nil
	for _, row := range []struct {
		task string
		line int
	}{{"k", 9}, {"k", 2}, {"k #2", 3}, {"other", 4}, {"k", 5}, {"", 6}} {
		next, k := base, *base.Kernel
		next.Kernel = &k
		next.Task, next.Pos.File, next.Pos.Line = row.task, "a.csv", row.line
		r.Rows = append(r.Rows, next)
	}
	var got []string
	for _, c := range rundoc.TestSuiteFrom(r, report.Provenance{}).Cases {
		got = append(got, c.Name)
	}
	if diff := cmp.Diff([]string{"k #4", "k", "k #2", "other", "k #3", "(no name)"}, got); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
}

func TestAnnotations(t *testing.T) {
	got := rundoc.Annotations(sample.Gaussian(), "never")
	if len(got) != 1 || got[0].Level != report.AnnotateWarning || got[0].File != "bench_gaussian.hotspots.csv" || got[0].Line != 2 ||
		got[0].Title != "Fan2 (2048x2048 in 1024x1, SIMD32)" || !strings.HasSuffix(got[0].Message, "the dispatcher may not keep up (low). Confirm with: a trace, or gpu-sampling-interval 0.1.") {
		t.Errorf("of two kernels one does not match, got %+v", got)
	}
	r := sample.Many(2)
	if got := rundoc.Annotations(r, "never"); len(got) != 0 {
		t.Errorf("what matches has annotations: %+v", got)
	}
	r.Rows[1].PeakDifference = unit.Some[unit.Points](-1.5)
	if got := rundoc.Annotations(r, "never"); len(got) != 0 {
		t.Errorf("without the gate of the model: %+v", got)
	}
	got = rundoc.Annotations(r, "model")
	if len(got) != 1 || got[0].Level != report.AnnotateError ||
		got[0].Message != "VTune's peak differs from the predicted peak by -1.5 points, more than 0.1. Check --device, --xve and the launch size." {
		t.Errorf("with it: %+v", got)
	}
}

func TestCapAnnotations(t *testing.T) {
	list := func(level report.AnnotationLevel, n int) []report.Annotation {
		l := make([]report.Annotation, n)
		for i := range l {
			l[i] = report.Annotation{Level: level, Message: "m"}
		}
		return l
	}
	for _, c := range []struct {
		errors, warnings, want int
		last, reason           string
	}{
		{10, 10, 20, "m", "each level has room of its own"},
		{11, 0, 10, "2 more like these; the report lists them all.", "the tenth stands for two"},
		{0, 2009, 10, "2,000 more like these; the report lists them all.", "however many"},
		{0, 0, 0, "", "none"},
	} {
		got := report.CapAnnotations(append(list(report.AnnotateError, c.errors), list(report.AnnotateWarning, c.warnings)...), 10)
		if len(got) != c.want || c.want > 0 && got[len(got)-1].Message != c.last {
			t.Errorf("%s: got %d, %+v", c.reason, len(got), got)
		}
	}
}
