package compare_test

import (
	"context"
	"fmt"
	"log"

	"occudiff/compare"
	"occudiff/fixtures"
	"occudiff/ingest"
	"occudiff/ingest/vtune"
	"occudiff/predict/arch"
)

// This example reads a run, chooses a device, and compares each kernel with the
// prediction of the model.
func ExampleCompare() {
	opt := ingest.Options{Formats: []ingest.Format{vtune.Format}}
	run, err := ingest.ReadFS(context.Background(), fixtures.FS, fixtures.Mix(), opt)
	if err != nil {
		log.Fatal(err)
	}
	table, err := arch.Builtin()
	if err != nil {
		log.Fatal(err)
	}
	how := compare.DefaultOptions()
	on, err := compare.ChooseDevice(run, table, arch.Options{Name: fixtures.MixDevice}, compare.RejectRun, how)
	if err != nil {
		log.Fatal(err)
	}
	result := compare.Compare(run, on, how)
	for i := range result.Rows {
		row := &result.Rows[i]
		if row.Cause != nil {
			fmt.Printf("%-18.18s %v: %s\n", row.Task, row.Verdict, row.Cause.Name)
		}
	}
	// Output:
	// axpy<(int)256, flo below: dispatch
	// gemm_bf16_xmx      below: grf
	// histogram_rows     below: imbalance
	// set_initial_values unmeasurable: sampling
}
