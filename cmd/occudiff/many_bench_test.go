//go:build linux

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkMany runs the built program on a million kernels in one file, and on
// 10,000 files with three kernels each. It reports the wall time, the processor
// time, and the process's peak memory. The targets are 30 s and 1 GB for the
// one file, and 15 s for the 10,000 files:
//
//	go test ./cmd/occudiff -run '^$' -bench BenchmarkMany -benchtime 1x -timeout 60m
func BenchmarkMany(b *testing.B) {
	if testing.Short() {
		b.Skip("a million kernels take too long for -short")
	}
	dir := b.TempDir()
	program, kernels, files := filepath.Join(dir, "occudiff"), filepath.Join(dir, "kernels.csv"), filepath.Join(dir, "files")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	manyKernels(b, kernels, 0, 1_000_000)
	if err := os.Mkdir(files, 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range 10_000 {
		manyKernels(b, filepath.Join(files, fmt.Sprintf("run%05d.csv", i)), 3*i, 3)
	}
	for _, args := range []string{
		"validate kernels.csv", "validate kernels.csv --format json", "validate kernels.csv --format csv",
		"validate kernels.csv -o kernels.xml", "validate kernels.csv -o kernels.md",
		"validate kernels.csv -o kernels.html", "validate kernels.csv -o kernels.xlsx",
		"diff kernels.csv kernels.csv", "diff kernels.csv kernels.csv --format json",
		"validate files", "validate files --format json",
	} {
		b.Run(strings.ReplaceAll(args, " ", "_"), func(b *testing.B) {
			var peak int64
			var processor time.Duration
			for b.Loop() {
				c := exec.Command(program, append(strings.Fields(args), "-q", "--device", "max1100")...)
				c.Dir = dir
				if err := c.Run(); err != nil {
					b.Fatal(err)
				}
				processor += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
				if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
					peak = max(peak, u.Maxrss)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/run")
			b.ReportMetric(processor.Seconds()/float64(b.N), "s-processor/run")
			b.ReportMetric(float64(peak)/1024, "MB-peak")
		})
	}
}
