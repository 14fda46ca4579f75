package predict_test

import (
	"math/rand/v2"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// TestProbes predicts probes again for random launches on every device, like a
// user who writes them into the source. Each must have the stated prediction,
// change one setting, and be lower than the launch. No smaller SLM step may be
// as low.
func TestProbes(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	devices, padded := 0, 0
	for _, d := range builtin(t) {
		if d.XeCores == 0 {
			continue
		}
		devices++
		for range 20 {
			l := predict.Launch{Global: unit.Size(1 << (10 + r.IntN(12))), Local: unit.Size(1 << (5 + r.IntN(4))),
				SIMD: d.SIMDWidths[r.IntN(len(d.SIMDWidths))], Barriers: r.IntN(2), SLM: unit.Bytes(r.IntN(2) * r.IntN(8192))}
			own, err := predict.Predict(d, l)
			if err != nil {
				continue
			}
			probes, err := predict.Probes(d, l)
			if err != nil {
				t.Fatal(err)
			}
			last := own.Peak
			for _, s := range probes {
				again := l
				switch c := s.Changes[0]; c.Setting {
				case predict.SettingSLM:
					again.SLM += unit.Bytes(c.To - c.From)
					padded++
					checkLeast(t, d, l, &s)
				case predict.SettingLocal:
					again.Local = s.Launch.Local
				case predict.SettingGRF:
					again.GRF = int(c.To)
				}
				p, err := predict.Predict(d, again)
				if err != nil || p != s.Prediction || len(s.Changes) != 1 {
					t.Errorf("%s %+v: %v returns %+v, not %+v (%v)", d.Key, l, s.Changes, p, s.Prediction, err)
				}
				if own.Peak.Minus(p.Peak) < predict.MinProbe || p.Peak > last || p.Groups*p.ThreadsPerGroup != own.Groups*own.ThreadsPerGroup {
					t.Errorf("%s %+v: %v is not a step down from %v", d.Key, l, s.Changes, last)
				}
				last = p.Peak
			}
		}
	}
	if devices < 10 || padded < 100 {
		t.Errorf("%d devices, %d paddings", devices, padded)
	}
}

// checkLeast checks that the allocation step below a probe's allows more
// work-groups.
func checkLeast(t *testing.T, d *arch.Device, l predict.Launch, s *predict.Setting) {
	t.Helper()
	below := l
	for _, step := range d.SLMSteps {
		if step < s.Launch.SLM && step > l.SLM {
			below.SLM = step
		}
	}
	if p, err := predict.Predict(d, below); err != nil || p.Peak <= s.Prediction.Peak {
		t.Errorf("%s %+v: %s already has peak %v", d.Key, l, unit.FormatBytes(below.SLM), p.Peak)
	}
}

// TestProbesOfMax1100 uses probes computed by hand: 128 KB of SLM per Xe-core,
// allocated in steps, the last of which are 64, 96, and 128 KB. Two work-groups
// of 32 threads fill an Xe-core's 64 slots. Starting with 96 KB, only one fits.
func TestProbesOfMax1100(t *testing.T) {
	for _, d := range builtin(t) {
		if d.Key != "max1100" {
			continue
		}
		for _, c := range []struct {
			local, groups, slm int64 // work-items; work-groups per Xe-core that SLM in KB allows
		}{{256, 5, 24}, {256, 4, 32}, {256, 2, 48}, {256, 1, 96}, {1024, 1, 96}, {512, 2, 48}} {
			probes, err := predict.Probes(d, predict.Launch{Global: unit.Size(1 << 20), Local: unit.Size(c.local), SIMD: 32})
			found := false
			for _, s := range probes {
				found = found || s.Launch.SLM == unit.Bytes(c.slm<<10) && s.Prediction.GroupsPerXeCore == c.groups
			}
			if err != nil || !found {
				t.Errorf("work-groups of %d: no %d KB for %d of them: %v %v", c.local, c.slm, c.groups, probes, err)
			}
		}
		p, err := predict.Predict(d, predict.Launch{Global: unit.Size(1 << 20), Local: unit.Size(256), SIMD: 32, SLM: 64 << 10})
		// two times 64 KB are 128 KB: not a probe, because 48 KB have the same
		// effect
		if err != nil || p.GroupsPerXeCore != 2 {
			t.Errorf("64 KB: %+v %v", p, err)
		}
	}
}
