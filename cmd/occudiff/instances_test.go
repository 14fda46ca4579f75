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
	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/internal/testenv"
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

// validateOutput is the output of `validate --format json`.
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

// TestInstancesAndAggregate checks that the launches with --instances add up to
// the kernels without the flag.
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

// TestInstancesWithoutLaunches checks exports with a row per kernel, and logs.
// For these inputs, --instances must not change the output, except for the
// command line in it.
func TestInstancesWithoutLaunches(t *testing.T) {
	const fixtures = "../../fixtures/"
	for _, files := range []string{fixtures + "max1100_mix.hotspots.csv", fixtures + "gen9_vec_add.log --local 256 --simd 32 --force-device", fixtures + "gen9_vec_add.hotspots.csv"} {
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
			// Both spellings of the flag have the same length, so that the
			// command line does not change the widths of columns.
			if d := cmp.Diff(print("--instances=0"), print("--instances=1")); d != "" {
				t.Errorf("%s as %s: -without +with --instances\n%s", files, format, d)
			}
		}
	}
}

// TestInstancesForPeople checks that outputs for people have rows per kernel,
// with and without --instances. The two outputs may differ only in the number
// of launches.
func TestInstancesForPeople(t *testing.T) {
	path := launchFile(t, 3000)
	print := func(flag string) string {
		var out bytes.Buffer
		a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: io.Discard, getenv: func(string) string { return "" }}
		if status := run(context.Background(), a, []string{"validate", flag, "--device", "mtl", "--xve", "112", "--format", "markdown", path}); status != exitDone {
			t.Fatalf("exit %d", status)
		}
		return strings.ReplaceAll(out.String(), flag, "FLAG")
	}
	if d := cmp.Diff(print("--instances=0"), strings.Replace(print("--instances=1"), "8 kernels in 3,000 launches", "8 kernels", 1)); d != "" {
		t.Errorf("-without +with --instances\n%s", d)
	}
}

// TestLaunchMemory checks that writing the rows of many launches needs at most
// 60 bytes of memory per launch.
func TestLaunchMemory(t *testing.T) {
	testenv.Long(t)
	const n, most = 300000, 60
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
	if err := a.readDevices(); err != nil {
		t.Fatal(err)
	}
	a.Device = "tgl"
	run, err := a.readRun(context.Background(), []string{path}, ingest.Options{ReadOptions: ingest.ReadOptions{Instances: true}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := a.compareRun(run, compare.RejectRun)
	if err != nil {
		t.Fatal(err)
	}
	rows, after := 0, int64(0)
	for range r.Launches() {
		if rows++; rows == n/2 {
			after = used()
		}
	}
	if per := float64(after-before) / n; per > most {
		t.Errorf("a launch takes %.0f bytes, want at most %d", per, most)
	} else {
		t.Logf("%.0f bytes per launch", per)
	}
	if rows != n || len(r.Rows) != 8 {
		t.Errorf("%d launches, %d rows, want %d and 8", rows, len(r.Rows), n)
	}
}
