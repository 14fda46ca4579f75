package ingest_test

import (
	"context"
	"fmt"
	"log"

	"occudiff/fixtures"
	"occudiff/ingest"
	"occudiff/ingest/vtune"
)

// A file's format is detected from its content. Read reads paths, and ReadFS
// reads files in a file system.
func ExampleReadFS() {
	opt := ingest.Options{Formats: []ingest.Format{vtune.Format}}
	run, err := ingest.ReadFS(context.Background(), fixtures.FS, fixtures.Mix(), opt)
	if err != nil {
		log.Fatal(err)
	}
	for i := range run.Kernels {
		k := &run.Kernels[i]
		measured, ok := k.Measured.Value()
		if !ok || !k.IsKernel() { // not measured is not 0
			continue
		}
		fmt.Printf("%-14.14s %v in %v: %.1f%%\n", k.Task, k.Global, k.Local, measured.Percent())
	}
	// Output:
	// stencil_step   4096x4096 in 16x16: 97.9%
	// axpy<(int)256, 67108864 in 256: 58.3%
	// histogram_rows 2097152 in 512: 60.2%
	// gemm_bf16_xmx  2048x2048 in 16x16: 49.1%
	// reduce_tail    143360 in 1024: 61.1%
	// set_initial_va 8192 in 64: 22.7%
}
