package history

import (
	"fmt"
	"time"

	"occudiff/ingest/unit"
)

// start is the time of sample run 0.
var start = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

// sample returns run i with n kernels. Kernel k measures 60 + k/10 - i/100
// percent.
func sample(i, n int) Run {
	run := Run{Time: start.Add(time.Duration(i) * time.Hour), Label: fmt.Sprintf("run %d", i), Host: "node7", JobID: "1234", Device: "Max 1100",
		Driver: "24.1", VTune: "2025.1", Commit: "abc123",
		Inputs: []Input{
			{Path: fmt.Sprintf("run%d.csv", i), Kind: "vtune", Digest: fmt.Sprintf("sha256:%064d", i), Rows: int64(n), BadRows: 1, Contains: true},
			{Path: "summary.txt", Kind: "vtune-summary", Digest: "sha256:same for all"},
		}}
	for k := range n {
		run.Rows = append(run.Rows, Row{
			Key: Key{Task: fmt.Sprintf("kernel<%d, \"ä\n\">", k), Global: unit.Size(2048, 2048), Local: unit.Size(1024, 1), SIMD: 32},
			Values: values(Peak, 100, Measured, float64(6000+10*k-i)/100, Busy, 79, Residual, -36.8, Total, 1.071, Seconds, 0.000523,
				Spill, 64, Underfilled, 16.2, IdleXVEs, 20.6, Shortfall, 36.8),
			Verdict: "below", Cause: "dispatch",
		})
	}
	return run
}

// values returns Values from arguments that alternate between a metric and its
// number.
func values(pairs ...any) (v Values) {
	for i := 0; i < len(pairs); i += 2 {
		x, ok := pairs[i+1].(float64)
		if !ok {
			x = float64(pairs[i+1].(int))
		}
		v.Set(pairs[i].(Metric), unit.Some(x))
	}
	return v
}
