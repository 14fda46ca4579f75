package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"occudiff/internal/testenv"
	"occudiff/report"
)

// printSummary runs a command line and returns the summary that it prints, or
// nil if the input cannot be read at all.
func printSummary(t *testing.T, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	a := &app{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" }}
	if run(context.Background(), a, append(args, "--format", "summary", "-q")) == exitUsage {
		return nil
	}
	return out.Bytes()
}

// TestSummaries checks that the summary of every corpus file matches its schema
// and its limits, and that an unusable summary has no findings.
func TestSummaries(t *testing.T) {
	corpus := testenv.Shared(t, "corpus")
	schemas := compileSchemas(t)
	usable, unusable := 0, 0
	err := filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		info, _ := d.Info()
		if err != nil || d.IsDir() || info.Size() > 4<<20 || strings.Contains(path, "zebin") {
			return err
		}
		for _, device := range []string{"", "mtl-112"} {
			args := []string{"validate", path}
			if device != "" {
				args = append(args, "--device", device)
			}
			out := printSummary(t, args...)
			if out == nil {
				continue
			}
			checkSchema(t, schemas, report.AgentSummarySchema, out)
			var c struct {
				Usable   bool
				Reason   *string
				Findings []struct{ Verdict string }
			}
			if err := json.Unmarshal(out, &c); err != nil {
				t.Fatal(err)
			}
			if c.Usable == (c.Reason != nil) || !c.Usable && len(c.Findings) > 0 || len(c.Findings) > 20 || len(out) > 8<<10 {
				t.Errorf("%s: usable %v, %d findings, %d bytes", path, c.Usable, len(c.Findings), len(out))
			}
			if c.Usable {
				usable++
			} else {
				unusable++
			}
		}
		return nil
	})
	if err != nil || usable < 5 || unusable < 5 {
		t.Errorf("%v; %d summaries are usable, %d are not", err, usable, unusable)
	}
}

// TestSummaryBounds checks that the summary of 200 mismatching kernels with
// long names has at most 8 kB, and that the summary of several runs is
// unusable.
func TestSummaryBounds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "many.csv")
	var b strings.Builder
	b.WriteString("Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Instance Count,Computing Task:SIMD Width,XVE Threads Occupancy(%)\n")
	for i := range 200 {
		b.WriteString(strings.Repeat("n", 300) + strings.Repeat("x", i) + ",458752,16,1.0,10,16,40.0\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	out := printSummary(t, "validate", path, "--device", "mtl-112")
	var c report.AgentSummary
	if err := json.Unmarshal(out, &c); len(out) > 8<<10 || len(c.Findings) < 10 || err != nil && !strings.Contains(err.Error(), "Opt") {
		t.Errorf("%v; %d bytes, %d findings", err, len(out), len(c.Findings))
	}
	if out := printSummary(t, "validate", path, path, "--device", "mtl-112"); len(out) > 8<<10 {
		t.Errorf("%d bytes", len(out))
	}
	if out := printSummary(t, "devices"); out != nil {
		t.Errorf("a summary of devices: %s", out)
	}
}
