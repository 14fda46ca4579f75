package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"occudiff/internal/testenv"
)

// memoryMain runs the program and then prints how much memory Go obtained from
// the system. This number never decreases, so it is the peak.
func memoryMain() {
	status := run(context.Background(), &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv}, os.Args[1:])
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(os.Stderr, "\npeak %d\n", m.Sys)
	os.Exit(status)
}

// TestMemory checks that the memory of validate stays below a limit, in MB, for
// inputs that are larger than the inputs of users. The inputs are many kernels
// that all differ, and three million launches of a few kernels, both aggregated
// and with --instances.
func TestMemory(t *testing.T) {
	testenv.Long(t)
	dir := t.TempDir()
	manyKernels(t, filepath.Join(dir, "10k.csv"), 0, 10_000)
	manyKernels(t, filepath.Join(dir, "100k.csv"), 0, 100_000)
	block, err := os.ReadFile(launchFile(t, 30_000))
	if err != nil {
		t.Fatal(err)
	}
	header, rows, _ := strings.Cut(string(block), "\n")
	launches, err := os.Create(filepath.Join(dir, "launches.csv"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(launches, header)
	for range 100 {
		launches.WriteString(rows)
	}
	if err := launches.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		most float64
	}{
		{"10k.csv", 100},
		{"10k.csv --format json", 100},
		{"10k.csv --format csv", 100},
		{"100k.csv", 500},
		{"100k.csv --format json", 500},
		{"100k.csv --format csv", 500},
		{"launches.csv", 30},
		{"launches.csv --instances", 250},
		{"launches.csv --instances --format csv", 250},
	} {
		t.Run(c.args, func(t *testing.T) {
			cmd := exec.Command("occudiff-memory", append([]string{"validate", "--device", "tgl"}, strings.Fields(c.args)...)...)
			cmd.Dir = dir
			var errs strings.Builder
			cmd.Stderr = &errs
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, errs.String())
			}
			_, peak, _ := strings.Cut(errs.String(), "\npeak ")
			bytes, err := strconv.ParseFloat(strings.TrimSpace(peak), 64)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%.0f MB", bytes/1e6)
			if bytes/1e6 > c.most {
				t.Errorf("%.0f MB, more than %.0f", bytes/1e6, c.most)
			}
		})
	}
}
