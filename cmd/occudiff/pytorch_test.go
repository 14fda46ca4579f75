package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/internal/testenv"
)

// validated contains the parts of a validation in JSON that the test compares.
type validated struct {
	Rows []struct {
		Task      string
		Line      int
		Instances int
		Seconds   float64  `json:"total_seconds"`
		Measured  *float64 `json:"measured_percent"`
		Active    *float64 `json:"active_percent"`
		Stalled   *float64 `json:"stalled_percent"`
		Verdict   string
	}
	Trace any
}

func validate(t *testing.T, args ...string) (v validated) {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if code := run(context.Background(), a, append([]string{"validate", "--format", "json", "-q"}, args...)); code != 0 {
		t.Fatalf("%v: status %d: %s", args, code, &errs)
	}
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestPyTorchPairs checks pairs of traces: one trace with counters and one
// without. Both must have the same launches, gaps, and GPU time. The measured
// values must be the true values from which the pair was generated. The test
// covers both spellings of the counters, kernels and single launches, and short
// and long launches.
func TestPyTorchPairs(t *testing.T) {
	oracle, python := testenv.Shared(t, "oracle", "make_scope_trace.py"), testenv.Program(t, "python3")
	near := func(a *float64, want float64) bool { return a != nil && math.Abs(*a-want) <= 1e-4 }
	for _, spelling := range [][]string{nil, {"--draft"}} {
		for _, factor := range []float64{1, 1000} {
			dir := t.TempDir()
			if out, err := exec.Command(python, append([]string{oracle, dir}, spelling...)...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			plain, scope, export := filepath.Join(dir, "plain.json"), filepath.Join(dir, "scope.json"), filepath.Join(dir, "h.csv")
			lengthen(t, plain, factor)
			lengthen(t, scope, factor)
			var truth struct {
				Launches int
				Kernels  map[string]struct {
					Launches int     `json:"launches"`
					Time     float64 `json:"total_ns"`
					Active   float64 `json:"xve_active"`
					Stalled  float64 `json:"xve_stall"`
					Measured float64 `json:"occupancy"`
				}
			}
			readJSON(t, filepath.Join(dir, "truth.json"), &truth)

			without, with := validate(t, plain), validate(t, scope)
			if d := cmp.Diff(without.Trace, with.Trace); d != "" {
				t.Errorf("launches and gaps with counters (-without +with):\n%s", d)
			}
			for _, v := range []validated{without, with} {
				if len(v.Rows) != len(truth.Kernels) {
					t.Fatalf("%d kernels, want %d", len(v.Rows), len(truth.Kernels))
				}
				for _, r := range v.Rows {
					k := truth.Kernels[r.Task]
					if r.Instances != k.Launches || math.Abs(r.Seconds*1e9-k.Time*factor) > 1e-3*factor {
						t.Errorf("%s: %d launches in %v s, want %d in %v", r.Task, r.Instances, r.Seconds, k.Launches, k.Time*factor/1e9)
					}
				}
			}
			for _, r := range with.Rows {
				k := truth.Kernels[r.Task]
				if !near(r.Measured, k.Measured) || !near(r.Active, k.Active) || !near(r.Stalled, k.Stalled) {
					t.Errorf("%s: measured %v, active %v, stalled %v, want %+v", r.Task, r.Measured, r.Active, r.Stalled, k)
				}
			}

			each := validate(t, "--instances", scope)
			if len(each.Rows) != truth.Launches {
				t.Errorf("%d launches, want %d", len(each.Rows), truth.Launches)
			}
			sum := map[string]float64{}
			for _, r := range each.Rows {
				if r.Measured == nil {
					t.Fatalf("%s at line %d has no occupancy", r.Task, r.Line)
				}
				sum[r.Task] += *r.Measured * r.Seconds * 1e9 / factor
			}
			for name, k := range truth.Kernels {
				if math.Abs(sum[name]/k.Time-k.Measured) > 1e-4 {
					t.Errorf("the launches of %s measure %v, want %v", name, sum[name]/k.Time, k.Measured)
				}
			}
			if factor == 1 {
				continue // the export has too few samples for a verdict
			}
			verdicts := func(paths ...string) map[string]string {
				all := map[string]string{}
				for _, r := range validate(t, paths...).Rows {
					all[r.Task] = r.Verdict
				}
				return all
			}
			lengthenExport(t, export, factor)
			want := verdicts(plain, export)
			if d := cmp.Diff(want, verdicts(scope, export)); d != "" || want["stencil_step"] != "match" || want["reduce_tail"] != "above" {
				t.Errorf("verdicts with counters: %v (-without +with):\n%s", want, d)
			}
		}
	}
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// lengthen multiplies all times of the launches in a trace, and of their
// counters, by a factor.
func lengthen(t *testing.T, path string, factor float64) {
	t.Helper()
	var trace map[string]any
	readJSON(t, path, &trace)
	for _, e := range trace["traceEvents"].([]any) {
		e := e.(map[string]any)
		if e["cat"] != "kernel" {
			continue
		}
		e["ts"], e["dur"] = e["ts"].(float64)*factor, e["dur"].(float64)*factor
		for name, x := range e["args"].(map[string]any) {
			if strings.HasPrefix(name, "Gpu") {
				e["args"].(map[string]any)[name] = x.(float64) * factor
			}
		}
	}
	data, err := json.Marshal(trace)
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// lengthenExport multiplies the times in an export, which are in columns 3 and
// 4, by a factor.
func lengthenExport(t *testing.T, path string, factor float64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	for i := range lines[1:] {
		cells := strings.Split(strings.TrimSpace(lines[i+1]), ",")
		for _, at := range []int{3, 4} {
			var x float64
			if err := json.Unmarshal([]byte(cells[at]), &x); err != nil {
				t.Fatal(err)
			}
			text, _ := json.Marshal(x * factor)
			cells[at] = string(text)
		}
		lines[i+1] = strings.Join(cells, ",")
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}
