package unitrace

import (
	"math"
	"os"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/names"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
)

// readCorpus returns the content of a real report.
func readCorpus(t *testing.T, name string, opt ingest.ReadOptions) *ingest.File {
	t.Helper()
	text, err := os.ReadFile(testenv.Shared(t, "corpus", "unitrace", name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := read(t, string(text), opt)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestCorpusByHand compares with values that were read manually from the
// reports.
func TestCorpusByHand(t *testing.T) {
	f := readCorpus(t, "query_gemm_fp16.txt", ingest.ReadOptions{Instances: true})
	if n := f.Platform.CountedXVEs.Or(0); n != 448 { // 448.00 for each counter pair
		t.Errorf("the counters are of %d XVEs", n)
	}
	var hgemm []ingest.LaunchRecord
	for _, l := range f.Launches.All() {
		if f.Kernels[l.Kernel].Task == "hgemm_nocopy_nn_64x40_4x8" {
			hgemm = append(hgemm, l)
		}
	}
	if len(hgemm) != 2 {
		t.Fatalf("%d launches of hgemm, want 2", len(hgemm))
	}
	for i, want := range []struct{ percent, ns float64 }{{46.8018, 4733040}, {46.8745, 4504960}} {
		l, k := hgemm[i], f.Kernels[hgemm[i].Kernel]
		if m, ok := l.Measured.Value(); !ok || m.Percent() != want.percent {
			t.Errorf("launch %d: measured %v, want %v", i, m.Percent(), want.percent)
		}
		if got := float64(l.Time.Or(0)); got != want.ns/1e9 {
			t.Errorf("launch %d: %v s, want %v s", i, got, want.ns/1e9)
		}
		// 56 work-groups with 64 x 8 work-items and 32 threads each; a thread
		// has 16 work-items.
		if k.Global != unit.Size(56*64, 8, 1) || k.Local != unit.Size(64, 8, 1) || k.SIMD.Or(0) != 16 || l.Threads.Or(0) != 56*32 {
			t.Errorf("launch %d: global %v, local %v, SIMD%d, %d threads", i, k.Global, k.Local, k.SIMD.Or(0), l.Threads.Or(0))
		}
		k = joinedKernel(t, f, k.Task) // its properties are in a separate table
		if k.SLM.Or(-1) != 8 || k.Spill.Or(-1) != 0 || k.Registers.Present() {
			t.Errorf("launch %d: SLM %d, spill %d, registers %v; want 8, 0 and absent", i, k.SLM.Or(-1), k.Spill.Or(-1), k.Registers)
		}
	}
	f = readCorpus(t, "query_gemm_fp16.txt", ingest.ReadOptions{})
	k := f.Kernels[1]
	want := (46.8018*4733040 + 46.8745*4504960) / (4733040 + 4504960)
	if m, _ := k.Measured.Value(); math.Abs(m.Percent()-want) > 1e-9 || k.Instances.Or(0) != 2 || k.Threads.Or(0) != 2*56*32 {
		t.Errorf("both launches: measured %v, %d launches, %d threads; want %v, 2 and 3584", m.Percent(), k.Instances.Or(0), k.Threads.Or(0), want)
	}
	f = readCorpus(t, "device_timing_dpc_gemm.txt", ingest.ReadOptions{})
	k = joinedKernel(t, f, f.Kernels[0].Task)
	if !strings.HasPrefix(k.Task, "RunAndCheck(sycl::_V1::queue, std::vector<") || !strings.HasSuffix(k.Task, "const::__GEMM") {
		t.Errorf("task %q", k.Task)
	}
	if k.Instances.Or(0) != 4 || k.Total.Or(0) != 0.08976976 || k.SIMD.Or(0) != 32 || k.Registers.Or(0) != 128 || k.Global.Present() {
		t.Errorf("kernel %+v", k)
	}
	if c := f.Kernels[1]; c.Task != "zeCommandListAppendMemoryCopy" || c.Direction != names.HostToDevice || c.Instances.Or(0) != 12 {
		t.Errorf("copy %+v", c)
	}
}

// joinedKernel returns the kernel with a name in this file's own run.
func joinedKernel(t *testing.T, f *ingest.File, task string) ingest.Kernel {
	t.Helper()
	run, err := ingest.Join([]ingest.File{*f})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range run.Kernels {
		if k.Task == task {
			return k
		}
	}
	t.Fatalf("no kernel %s", task)
	return ingest.Kernel{}
}
