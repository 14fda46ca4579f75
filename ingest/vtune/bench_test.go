package vtune

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand"
	"runtime"
	"strings"
	"testing"

	"occudiff/ingest"
)

// perLaunch returns an export by computing instance with VTune 2026's 39
// columns.
func perLaunch(rows int) []byte {
	var b bytes.Buffer
	b.WriteString("Computing Task,Work Size:Global,Work Size:Local,Computing Task:Total Time,Computing Task:Average Time,Computing Task:Instance Count," +
		"Computing Task:SIMD Width,Computing Task:SVM Usage Type,Computing Task:Spill Memory Size,Transfer Size,Transfer Size:Host-to-Device,Transfer Size:Device-to-Host," +
		"XVE Array:Active(%),XVE Array:Stalled(%),XVE Array:Idle(%),Peak XVE Threads Occupancy(%),Peak XVE Threads Occupancy:Work Size Limit(%)," +
		"Peak XVE Threads Occupancy:SLM Use Limit(%),Peak XVE Threads Occupancy:Barriers Use Limit(%),XVE Threads Occupancy(%),Computing Threads Started," +
		"XVE Pipelines:ALU0 and ALU1 active(%),XVE Pipelines:ALU0 and XMX active(%),XVE Pipelines:Send active(%),XVE Pipelines:Branch active(%)," +
		"XVE Pipelines:ALU0 active(%),XVE Pipelines:ALU1 active(%),XVE Pipelines:XMX active(%),XVE Instructions:Send Instructions,XVE Instructions:Control Instructions," +
		"XVE Instructions:ALU0 Instructions,XVE Instructions:ALU1 Instructions,XVE Instructions:XMX instructions,\"GPU L3:Average Bandwidth, GB/s:Read\"," +
		"\"GPU L3:Average Bandwidth, GB/s:Write\",\"GPU Memory Bandwidth, GB/sec:Read\",\"GPU Memory Bandwidth, GB/sec:Write\",GPU Barriers,GPU Atomics\n")
	r := rand.New(rand.NewSource(1))
	for range rows {
		k, us := r.Intn(240), 3+r.Intn(4000)
		fmt.Fprintf(&b, "\"VectorAdd<(int)%d, (int)256, (int)32>(int, sycl::_V1::queue&)\",%d,256,0.%06d,0.%06d,1,32,,0,0,0,0,", k, 256<<(k%12), us, us)
		fmt.Fprintf(&b, "%d.5,%d.0,10.5,%d.3,%d.3,100.0,100.0,%d.%d,%d", r.Intn(60), r.Intn(30), k%100, k%100, r.Intn(100), r.Intn(10), 8<<(k%12))
		for range 7 {
			fmt.Fprintf(&b, ",%.1f", r.Float64()*20)
		}
		for range 5 {
			fmt.Fprintf(&b, ",%d", r.Int63n(1<<33))
		}
		for range 4 {
			fmt.Fprintf(&b, ",%.6f", r.Float64()*200)
		}
		b.WriteString(",0,0\n")
	}
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	const rows = 100_000
	text := perLaunch(rows)
	for threads := 1; threads <= 2; threads++ {
		for _, hash := range []bool{false, true} {
			b.Run(fmt.Sprintf("threads=%d/hash=%v", threads, hash), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for b.Loop() {
					r := bytes.NewReader(text)
					f, err := Format.Read(context.Background(), &ingest.Source{Path: "run.csv", Size: r.Size(), At: r, R: r}, ingest.ReadOptions{Threads: threads, Hash: hash})
					if err != nil || f.Rows != rows {
						b.Fatal(f, err)
					}
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(b.N)/rows, "allocs/row")
			})
		}
	}
}

// TestMemoryIsBounded checks that the memory does not depend on the file size:
// more rows for the same kernels allocate no more memory.
func TestMemoryIsBounded(t *testing.T) {
	text := string(perLaunch(2400))
	header, rows, _ := strings.Cut(text, "\n")
	allocated := func(n int) uint64 {
		in := []io.Reader{strings.NewReader(header + "\n")}
		for range n {
			in = append(in, strings.NewReader(rows))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f, err := Format.Read(context.Background(), &ingest.Source{Path: "run.csv", Size: -1, R: io.MultiReader(in...)}, ingest.ReadOptions{Threads: 2})
		runtime.ReadMemStats(&after)
		if err != nil || f.Rows != int64(2400*n) || len(f.Kernels) != 240 {
			t.Fatal(f, err)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	// How many blocks are in memory at the same time depends on the machine's
	// load.
	once, often := allocated(8), allocated(100)
	if often > once+uint64(len(rows))*100/10 {
		t.Errorf("%d bytes for 19,200 rows, %d for 240,000", once, often)
	}
}
