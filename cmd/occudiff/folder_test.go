package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"occudiff/internal/testenv"
)

// folderTruth is the true occupancy and idle share of a kernel's launches, in
// percent of the time of these launches.
type folderTruth struct {
	Kernel, Kind, Device string
	Occ, Idle            float64
}

// folderRow contains the values of a kernel in the program's output, to be
// compared with folderTruth.
type folderRow struct {
	Task     string   `json:"task"`
	Measured *float64 `json:"measured_percent"`
	Low      *float64 `json:"measured_low_percent"`
	High     *float64 `json:"measured_high_percent"`
	Idle     *float64 `json:"idle_percent"`
	IdleLow  *float64 `json:"idle_low_percent"`
	IdleHigh *float64 `json:"idle_high_percent"`
}

// TestSimulatedFolders reads result folders of a simulated GPU. It checks that
// every occupancy and every idle time is within 2 points of the true value, or
// that its interval contains the true value. At least nine of ten intervals
// must contain the true value.
func TestSimulatedFolders(t *testing.T) {
	testenv.Long(t)
	sim, oracle, python := testenv.Shared(t, "oracle", "sim"), testenv.Shared(t, "oracle", "folder.py"), testenv.Program(t, "python3")
	testenv.Program(t, "zstd")
	dir := t.TempDir()
	cmd := exec.Command("go", "run", ".", "-n", "24", "-seed", "424242", "-raw", "-o", dir)
	cmd.Dir = sim
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	runs, err := filepath.Glob(filepath.Join(dir, "r*"))
	if err != nil {
		t.Fatal(err)
	}
	all, in, halves := 0, 0, []float64{}
	for _, from := range runs {
		truth := truthOf(t, filepath.Join(from, "truth.json"))
		if len(truth) == 0 || slices.ContainsFunc(truth, func(k folderTruth) bool { return k.Kind == "overlap" }) {
			continue // for concurrent kernels, the true value covers both together
		}
		folder := from + ".folder"
		if out, err := exec.Command(python, oracle, from, folder).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, row := range foldersRows(t, "--device", truth[0].Device, folder) {
			i := slices.IndexFunc(truth, func(k folderTruth) bool { return k.Kernel == row.Task })
			if i < 0 || truth[i].Kind == "shrink" { // the launches have many sizes, and the true value covers all
				continue
			}
			for _, v := range []struct {
				what           string
				got, low, high *float64
				want           float64
			}{
				{"occupancy", row.Measured, row.Low, row.High, truth[i].Occ},
				{"idle time", row.Idle, row.IdleLow, row.IdleHigh, truth[i].Idle},
			} {
				if v.got == nil || v.low == nil || v.high == nil {
					t.Errorf("%s %s: no %s", filepath.Base(from), row.Task, v.what)
					continue
				}
				all++
				halves = append(halves, (*v.high-*v.low)/2)
				if *v.low-0.02 <= v.want && v.want <= *v.high+0.02 { // the true value is rounded to 0.01
					in++
				} else if math.Abs(*v.got-v.want) > 2 {
					t.Errorf("%s %s: %s %.2f (%.2f to %.2f), want %.2f", filepath.Base(from), row.Task, v.what, *v.got, *v.low, *v.high, v.want)
				}
			}
		}
	}
	slices.Sort(halves)
	t.Logf("%d of %d in their interval, whose half is %.2f in the median", in, all, halves[len(halves)/2])
	if all < 40 || float64(in) < 0.9*float64(all) || halves[len(halves)/2] > 1 {
		t.Errorf("%d of %d in their interval, whose half is %.2f in the median", in, all, halves[len(halves)/2])
	}
}

func truthOf(t *testing.T, path string) (list []folderTruth) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func foldersRows(t *testing.T, args ...string) []folderRow {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if code := run(context.Background(), a, append([]string{"validate", "--format", "json", "-q"}, args...)); code != 0 {
		t.Fatalf("%v: status %d: %s", args, code, &errs)
	}
	var v struct{ Rows []folderRow }
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	return v.Rows
}
