package timeline

import (
	"math"
	"math/rand/v2"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// TestSimulateAgreesWithPrediction simulates launches of all kinds. If all
// threads run equally long, the peak and average over time equal the
// prediction's, which counts waves. The two packages compute them independently
// and by different methods.
func TestSimulateAgreesWithPrediction(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	devices := table.Devices()
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	simulated := map[predict.Policy]int{}
	for range 20_000 {
		d := &devices[r.IntN(len(devices))]
		l := predict.Launch{Local: unit.Size(int64(r.IntN(1024) + 1)), Global: unit.Size(int64(r.IntN(1<<20) + 1)), SIMD: pick(8, 16, 32),
			SLM: unit.Bytes(pick(0, 0, 1024, 20_000)), Barriers: pick(0, 0, 1, 5), GRF: pick(0, 128, 256, 192),
			Policy: predict.Policy(pick(0, 1, 2)), GroupSlots: pick(0, 0, 3, 16)}
		p, err := predict.Predict(d, l)
		if err != nil {
			continue
		}
		res, err := Simulate(t.Context(), d, &l, &p, 0)
		if err != nil {
			t.Fatalf("%s %+v: %v", d.Key, l, err)
		}
		simulated[p.Policy]++
		if math.Abs(float64(res.Peak-p.Peak)) > 1e-12 || math.Abs(float64(res.Average-p.Average)) > 1e-12 {
			t.Fatalf("%s %+v: over time %v and %v, predicted %v and %v", d.Key, l, res.Peak, res.Average, p.Peak, p.Average)
		}
		for _, ph := range res.Phases {
			if want := float64(ph.Threads) / float64(d.Slots()); float64(ph.Occupancy) != want {
				t.Fatalf("%s %+v: a phase of %d threads has %v, want %v of all slots", d.Key, l, ph.Threads, ph.Occupancy, want)
			}
		}
	}
	t.Logf("simulated %d launches free and %d whole", simulated[predict.Free], simulated[predict.Whole])
	if simulated[predict.Free] < 1000 || simulated[predict.Whole] < 1000 {
		t.Error("too few launches ran")
	}
}
