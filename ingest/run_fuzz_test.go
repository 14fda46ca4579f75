package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/summary"
	"occudiff/ingest/trace"
	"occudiff/ingest/unit"
	"occudiff/ingest/unitrace"
	"occudiff/ingest/vecadd"
	"occudiff/ingest/vtune"
	"occudiff/ingest/zebin"
)

// FuzzRun reads any two files as one run, plain and compressed. It checks that
// nothing panics, that all numbers are possible, and that compression changes
// nothing.
func FuzzRun(f *testing.F) {
	paths, err := filepath.Glob(filepath.Join("..", "fixtures", "*.*"))
	if err != nil {
		f.Fatal(err)
	}
	var last []byte
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, last)
		last = text
	}
	f.Add([]byte("== L0 Backend ==\n\nKernel, Calls, Time (ns)\nf, 2, 1e3\n"), []byte{0x1f, 0x8b, 8})
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd}, []byte("{\"traceEvents\":[{\"ph\":\"X\",\"name\":\"a\",\"ts\":1,\"dur\":2}]}"))
	formats := []ingest.Format{vtune.Format, summary.Format, unitrace.Format, trace.Format, vecadd.Format,
		zebin.Format}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, one, two []byte) {
		read := func(first []byte) (*ingest.Run, error) {
			paths := []string{filepath.Join(dir, "one"), filepath.Join(dir, "two")}
			for i, b := range [][]byte{first, two} {
				if err := os.WriteFile(paths[i], b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			return ingest.Read(context.Background(), paths, ingest.Options{Formats: formats, Content: true})
		}
		run, err := read(one)
		if err == nil {
			checkRun(t, run)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(one)
		z.Close()
		again, zerr := read(packed.Bytes())
		if bytes.HasPrefix(one, []byte{0x1f, 0x8b}) || bytes.HasPrefix(one, []byte{0x28, 0xb5, 0x2f, 0xfd}) {
			return // a compressed file inside a compressed file is not decompressed
		}
		if (err == nil) != (zerr == nil) {
			t.Fatalf("plain: %v; compressed: %v", err, zerr)
		}
		if err == nil && len(run.Kernels) != len(again.Kernels) {
			t.Fatalf("plain: %d kernels, compressed: %d", len(run.Kernels), len(again.Kernels))
		}
	})
}

// checkRun reports numbers that no run can have.
func checkRun(t *testing.T, run *ingest.Run) {
	for i := range run.Kernels {
		k := &run.Kernels[i]
		for name, share := range map[string]unit.Opt[unit.Ratio]{"measured": k.Measured, "peak": k.Peak, "idle": k.Idle,
			"active": k.Active, "stalled": k.Stalled} {
			if x := float64(share.Or(0)); !(x >= 0 && x <= 1.0051) {
				t.Errorf("%s of %q is %v", name, k.Task, x)
			}
		}
		for name, n := range map[string]unit.Opt[int64]{"launches": k.Instances, "threads": k.Threads, "barriers": k.Barriers} {
			if n.Or(0) < 0 || n.Or(0) > unit.MaxCount {
				t.Errorf("%s of %q are %d", name, k.Task, n.Or(0))
			}
		}
		for name, s := range map[string]unit.Opt[unit.Seconds]{"total": k.Total, "mean": k.Mean, "average": k.Average()} {
			if x := float64(s.Or(0)); !(x >= 0) || math.IsInf(x, 0) {
				t.Errorf("the %s time of %q is %v", name, k.Task, x)
			}
		}
		if k.SIMD.Or(1) < 1 || k.SLM.Or(0) < 0 || k.Pos.Line < 0 {
			t.Errorf("%q: SIMD %d, SLM %d, line %d", k.Task, k.SIMD.Or(1), k.SLM.Or(0), k.Pos.Line)
		}
	}
}
