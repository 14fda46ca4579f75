//go:build linux

package main

import (
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// BenchmarkSmallRun runs the built program as a person would: it reads and
// compares 14 rows, and writes a workbook and Markdown. It reports the wall
// time and the peak memory of the process. The target is 60 ms and 60 MB on two
// cores.
func BenchmarkSmallRun(b *testing.B) {
	program := filepath.Join(b.TempDir(), "occudiff")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	dir := b.TempDir()
	var peak int64
	for b.Loop() {
		c := exec.Command(program, "demo", "--vec-add", "-q")
		c.Dir = dir
		if err := c.Run(); err != nil {
			b.Fatal(err)
		}
		if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = max(peak, u.Maxrss)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/run")
	b.ReportMetric(float64(peak)/1024, "MB-peak")
}
