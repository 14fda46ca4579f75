package compare

import (
	"math"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
)

// TestTotal checks the mean occupancy of a run over time. A kernel without a
// value does not count as zero: the mean does not cover it, and reports how
// much it covers.
func TestTotal(t *testing.T) {
	row := func(verdict Verdict, seconds unit.Seconds, measured, average float64) Row {
		r := Row{Kernel: &ingest.Kernel{Total: unit.Some(seconds), Measured: unit.Maybe(unit.FromPercent(measured), measured >= 0)},
			Verdict: verdict}
		if average >= 0 {
			r.Predicted = &predict.Prediction{Average: unit.FromPercent(average), AverageHigh: unit.FromPercent(average)}
		}
		return r
	}
	rejected := row(Above, 1, 98, 0.2)
	rejected.Cause = &Cause{Name: CauseModelMismatch}
	unseen := row(Below, 1, 0, 100)
	unseen.Cause = &Cause{Name: CauseNoActivity}
	for _, c := range []struct {
		reason                    string
		rows                      []Row
		kernels                   int
		share, predicted, measure float64
	}{
		{"a long kernel counts more", []Row{row(Below, 3, 40, 100), row(Match, 1, 80, 80)}, 2, 100, 95, 50},
		{"not measured is not zero", []Row{row(Match, 3, 90, 90), row(NoMeasurement, 1, -1, 100)}, 1, 75, 90, 90},
		{"a value of other tasks is left out", []Row{row(Match, 3, 90, 90), row(Unmeasurable, 1, 5, 100)}, 1, 75, 90, 90},
		{"the prediction is for another launch", []Row{row(Match, 3, 90, 90), rejected}, 1, 75, 90, 90},
		{"no thread was seen", []Row{row(Match, 3, 90, 90), unseen}, 1, 75, 90, 90},
		{"without a prediction of one, none for all", []Row{row(Match, 1, 90, 90), row(Below, 1, 50, -1)}, 2, 100, -1, 70},
	} {
		r := &Result{Rows: c.rows}
		got := r.summarize().Total
		if got == nil {
			t.Errorf("%s: no total", c.reason)
			continue
		}
		for _, v := range []struct{ got, want float64 }{{float64(got.Kernels), float64(c.kernels)},
			{got.TimeShare.Percent(), c.share}, {got.Predicted.Or(-0.01).Percent(), c.predicted},
			{got.Measured.Percent(), c.measure}} {
			if math.Abs(v.got-v.want) > 1e-9 {
				t.Errorf("%s: got %v, want %v", c.reason, v.got, v.want)
			}
		}
	}
	for _, rows := range [][]Row{nil, {row(NoMeasurement, 1, -1, 90)}} {
		if total := (&Result{Rows: rows}).summarize().Total; total != nil {
			t.Errorf("%d rows without a value: %+v", len(rows), total)
		}
	}
}
