package main

import (
	"bufio"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"
)

// manyKernels writes an export with n kernels. All names differ, and nearly all
// launch sizes differ. Most kernels do not match their prediction.
func manyKernels(t testing.TB, path string, first, n int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	w.WriteString("Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count," +
		"Computing Task:SIMD Width,XVE Array:Active(%),XVE Array:Stalled(%),XVE Array:Idle(%)," +
		"Peak XVE Threads Occupancy(%),XVE Threads Occupancy(%)\n")
	r := rand.New(rand.NewSource(int64(first)))
	for i := first; i < first+n; i++ {
		local, measured := 64<<(i%5), r.Float64()*100
		fmt.Fprintf(w, "kernel_%07d,%d,%d,%.6f,%d,%d,%.1f,%.1f,%.1f,100.0,%.1f\n", i, local*(1+r.Intn(100_000)), local,
			float64(1+r.Intn(1_000_000))/1e6, 1+r.Intn(500), 16<<(i%2), measured*0.6, measured*0.3, 100-measured*0.9, measured)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestManyKernels checks that people see the first of many kernels and the
// number of the others, and that programs get all kernels.
func TestManyKernels(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 4000
	manyKernels(t, "run.csv", 0, n)
	status, table, stderr := runCommand("validate", "--device", "max1100", "run.csv", "-q", "-o", "a.md", "-o", "a.json", "-o",
		"a.xml")
	page := readOutput(t, "a.md")
	if status != exitDone || len(table) > 20_000 || !strings.Contains(page, "The table of kernels has the cause of each.") {
		t.Errorf("exit %d, %d bytes on the terminal\n%s", status, len(table), stderr)
	}
	if got := strings.Count(readOutput(t, "a.json"), `"task":`); got != n {
		t.Errorf("JSON has %d kernels", got)
	}
	if got := strings.Count(readOutput(t, "a.xml"), "<testcase "); got != n {
		t.Errorf("JUnit has %d kernels", got)
	}
}

// TestManyFiles checks that many files with different kernels are read as one
// run.
func TestManyFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	for i := range 200 {
		manyKernels(t, fmt.Sprintf("run%03d.csv", i), i*3, 3)
	}
	status, stdout, stderr := runCommand("validate", "--device", "max1100", ".", "-q", "--format", "csv")
	if got := strings.Count(stdout, "\nkernel_"); status != exitDone || got != 600 {
		t.Errorf("exit %d, %d kernels\n%s", status, got, stderr)
	}
}
