package history

import (
	"fmt"
	"time"

	"occudiff/ingest/unit"
)

// start is the time of run 0 of samples.
var start = time.Date(2026, 3, 1, 12, 0, 0, 123456000, time.UTC)

// sample makes run i with n kernels; kernel k measures 60 + k/10 - i/100 percent.
func sample(i, n int) Run {
	run := Run{Time: start.Add(time.Duration(i) * time.Hour), Label: fmt.Sprintf("run %d", i), Host: "node7", JobID: "1234", Device: "Max 1100",
		Driver: "24.1", VTune: "2025.1", Commit: "abc123",
		Inputs: []Input{
			{Path: fmt.Sprintf("run%d.csv", i), Kind: "vtune", Digest: fmt.Sprintf("sha256:%064d", i), Rows: int64(n), BadRows: 1, Carries: true},
			{Path: "summary.txt", Kind: "vtune-summary", Digest: "sha256:same for all"},
		}}
	for k := range n {
		run.Rows = append(run.Rows, Row{
			Key:              Key{Task: fmt.Sprintf("kernel<%d, \"ä\n\">", k), Global: unit.Size(2048, 2048), Local: unit.Size(1024, 1), SIMD: 32},
			PredictedPeak:    unit.Some(unit.Ratio(1)),
			PredictedAverage: unit.Some(unit.Ratio(0.995)),
			ProfilerPeak:     unit.Some(unit.Ratio(1)),
			Measured:         unit.Some(unit.FromPercent(float64(6000+10*k-i) / 100)),
			Loaded:           unit.Some(unit.FromPercent(79)),
			Residual:         unit.Some(unit.Points(-36.8)),
			ModelResidual:    unit.Some(unit.Points(0)),
			Total:            unit.Some(unit.Seconds(1.071)),
			Average:          unit.Some(unit.Seconds(0.000523)),
			Instances:        unit.Some(int64(2047)),
			Spill:            unit.Some(64.0),
			Underfilled:      unit.Some(unit.Points(16.2)),
			Empty:            unit.Some(unit.Points(20.6)),
			Shortfall:        unit.Some(unit.Points(36.8)),
			Verdict:          "below", Basis: "measured", Cause: "dispatch", Confidence: "high",
		})
	}
	return run
}
