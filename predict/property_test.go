package predict

import (
	"math/rand/v2"
	"slices"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

func allDevices() []*arch.Device {
	return []*arch.Device{gen9(), icl(), tgl(), mtl112(), max1100(), b580(), b390()}
}

// randomLaunch returns a random launch. Most can run: sizes are near powers of
// two, and resources are often unused.
func randomLaunch(r *rand.Rand, d *arch.Device) Launch {
	around := func(most int64) int64 { return max(1, int64(1)<<r.IntN(64-leadingZeros(most))+r.Int64N(9)-4) }
	l := Launch{SIMD: d.SIMDWidths[r.IntN(len(d.SIMDWidths))]}
	local := []int64{around(int64(d.MaxGroupSize)), 1, 1}
	if r.IntN(3) == 0 {
		local[0], local[1] = max(1, local[0]/4), 1+r.Int64N(4)
	}
	l.Local = unit.Size(local[:1+r.IntN(3)]...)
	if r.IntN(4) > 0 {
		l.Global = unit.Size([]int64{around(1 << 30), 1 + r.Int64N(100), 1 + r.Int64N(3)}[:1+r.IntN(3)]...)
	}
	if r.IntN(2) == 0 {
		l.SLM = unit.Bytes(r.Int64N(int64(d.SLMPerGroupMax) + 1))
	}
	if r.IntN(2) == 0 {
		l.Barriers = r.IntN(5)
	}
	if r.IntN(3) == 0 {
		l.GRF = d.GRFModes[r.IntN(len(d.GRFModes))].Registers
	}
	if r.IntN(5) == 0 {
		l.GroupSlots = 1 + r.IntN(40)
	}
	l.Policy = Policy(r.IntN(3))
	return l
}

func leadingZeros(n int64) int {
	zeros := 64
	for ; n > 0; n >>= 1 {
		zeros--
	}
	return zeros
}

// checkInvariants checks properties that every prediction has.
func checkInvariants(t *testing.T, d *arch.Device, l Launch, p Prediction) {
	t.Helper()
	for name, r := range map[string]unit.Ratio{"XeCore": p.XeCore, "Peak": p.Peak, "Average": p.Average, "LastWaveOccupancy": p.LastWaveOccupancy, "XeCoreOfMode": p.XeCoreOfMode} {
		if !(r >= 0 && r <= 1) {
			t.Errorf("%s %+v: %s = %v is outside 0..1", d.Key, l, name, r)
		}
	}
	if p.XeCore <= 0 || p.XeCoreOfMode < p.XeCore || p.GroupsPerXeCore < 1 {
		t.Errorf("%s %+v: Xe-core %v, of the mode %v, N %d", d.Key, l, p.XeCore, p.XeCoreOfMode, p.GroupsPerXeCore)
	}
	if p.Peak < p.Average || p.LastWaveOccupancy > p.Peak {
		t.Errorf("%s %+v: peak %v, average %v, tail %v", d.Key, l, p.Peak, p.Average, p.LastWaveOccupancy)
	}
	if p.Limits == 0 || len(p.Limits.Names()) == 0 || p.XeCoreLimits == 0 {
		t.Errorf("%s %+v: no limits", d.Key, l)
	}
	if p.Policy != Free && p.Policy != Whole {
		t.Errorf("%s %+v: policy %v", d.Key, l, p.Policy)
	}
	if p.HasGrid() && !(p.Waves > 0 && p.Average > 0) {
		t.Errorf("%s %+v: waves %v, average %v", d.Key, l, p.Waves, p.Average)
	}
	if (p.HasGrid() && p.Waves < 1) != (p.Limits&LimitGrid != 0) {
		t.Errorf("%s %+v: %v waves, limits %v", d.Key, l, p.Waves, p.Limits.Names())
	}
	if p.IdleLanes < 0 || p.IdleLanes >= int64(l.SIMD) {
		t.Errorf("%s %+v: %d idle lanes", d.Key, l, p.IdleLanes)
	}
}

// TestProperties checks the model's properties for random launches on every
// device.
func TestProperties(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	ran := 0
	for range 40000 {
		d := allDevices()[r.IntN(7)]
		l := randomLaunch(r, d)
		p, err := Predict(d, l)
		if err != nil {
			continue
		}
		ran++
		checkInvariants(t, d, l, p)
		freeNotBelowWhole(t, d, l)
		moreNeverAdmitsMore(t, r, d, l, p)
		splittingKeepsThreads(t, d, l, p)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d launches", ran)
	if ran < 20000 {
		t.Errorf("only %d of 40,000 launches can run: the generator tests too little", ran)
	}
}

func freeNotBelowWhole(t *testing.T, d *arch.Device, l Launch) {
	free, whole := l, l
	free.Policy, whole.Policy = Free, Whole
	f, errFree := Predict(d, free)
	w, errWhole := Predict(d, whole)
	if errFree != nil || errWhole != nil {
		t.Errorf("%s %+v: the policy changes whether it runs: %v, %v", d.Key, l, errFree, errWhole)
	}
	if f.Peak < w.Peak || f.Average < w.Average {
		t.Errorf("%s %+v: free %v, %v below whole %v, %v", d.Key, l, f.Peak, f.Average, w.Peak, w.Average)
	}
	if f.XeCore != w.XeCore || f.GroupsPerXeCore != w.GroupsPerXeCore {
		t.Errorf("%s %+v: the policy changes an Xe-core", d.Key, l)
	}
}

// moreNeverAdmitsMore increases one resource's use at a time.
func moreNeverAdmitsMore(t *testing.T, r *rand.Rand, d *arch.Device, l Launch, p Prediction) {
	for what, more := range map[string]func(*Launch){
		"SLM":      func(l *Launch) { l.SLM += unit.Bytes(1 + r.IntN(16*kb)) },
		"barriers": func(l *Launch) { l.Barriers += 1 + r.IntN(3) },
		"registers": func(l *Launch) {
			now, _ := grfMode(d, l.GRF)
			l.GRF = max(now.Registers, d.GRFModes[len(d.GRFModes)-1].Registers)
		},
		"work-items": func(l *Launch) { n, _ := l.Local.Items(); l.Local = unit.Size(n + 1 + r.Int64N(64)) },
	} {
		other := l
		more(&other)
		q, err := Predict(d, other)
		if err == nil && q.GroupsPerXeCore > p.GroupsPerXeCore {
			t.Errorf("%s %+v: more %s admits %d work-groups instead of %d", d.Key, l, what, q.GroupsPerXeCore, p.GroupsPerXeCore)
		}
	}
}

// splittingKeepsThreads halves work-groups that are even multiples of the
// sub-group size.
func splittingKeepsThreads(t *testing.T, d *arch.Device, l Launch, p Prediction) {
	if !p.HasGrid() || p.GroupSize%int64(2*l.SIMD) != 0 || p.Partial {
		return
	}
	items, _ := l.Global.Items()
	half := l
	half.Local, half.Global = unit.Size(p.GroupSize/2), unit.Size(items)
	q, err := Predict(d, half)
	if err != nil || q.Groups*q.ThreadsPerGroup != p.Groups*p.ThreadsPerGroup {
		t.Errorf("%s %+v: split in two it has %d threads instead of %d (%v)", d.Key, l, q.Groups*q.ThreadsPerGroup, p.Groups*p.ThreadsPerGroup, err)
	}
}

// TestSweepsAgreeWithPoints predicts each point in the sweeps again, and checks
// that the launch itself is among them.
func TestSweepsAgreeWithPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for range 200 {
		d := allDevices()[r.IntN(7)]
		l := randomLaunch(r, d)
		own, err := Predict(d, l)
		for name, points := range map[string][]Point{"local": SweepLocal(d, l), "slm": SweepSLM(d, l), "simd": SweepSIMD(d, l)} {
			found := 0
			if !slices.IsSortedFunc(points, func(a, b Point) int { return int(a.X - b.X) }) {
				t.Errorf("%s of %+v is out of order", name, l)
			}
			for _, p := range points {
				again, errAgain := Predict(d, p.Launch)
				if again != p.Prediction || (errAgain == nil) != (p.Err == nil) {
					t.Errorf("%s of %+v at %d: %+v, predicted alone %+v", name, l, p.X, p.Prediction, again)
				}
				if p.Own {
					found++
					if p.Prediction != own || p.Launch != l || (p.Err == nil) != (err == nil) {
						t.Errorf("%s of %+v: its own point is %+v, not %+v", name, l, p.Prediction, own)
					}
				}
			}
			if found != 1 {
				t.Errorf("%s of %+v contains its own point %d times", name, l, found)
			}
		}
	}
}

func FuzzPredict(f *testing.F) {
	f.Add(uint8(0), int64(2048), int64(1), int64(1), int64(16), int64(1), 32, int64(0), 0, 0, uint8(0), 0, 0)
	f.Add(uint8(3), int64(1)<<62, int64(3), int64(9), int64(1024), int64(1), 32, int64(64<<10), 2, 256, uint8(2), 16, 32)
	f.Add(uint8(6), int64(-1), int64(0), int64(1), int64(7), int64(1)<<40, 8, int64(-1), -1, 1, uint8(9), -1, -1)
	devices := allDevices()
	f.Fuzz(func(t *testing.T, device uint8, gx, gy, gz, lx, ly int64, simd int, slm int64, barriers, grf int, policy uint8, groupSlots, barrierSlots int) {
		d := devices[int(device)%len(devices)]
		l := Launch{Global: unit.Size(gx, gy, gz), Local: unit.Size(lx, ly), SIMD: simd, SLM: unit.Bytes(slm), Barriers: barriers, GRF: grf,
			Policy: Policy(policy), GroupSlots: groupSlots, BarrierSlots: barrierSlots}
		p, err := Predict(d, l)
		if err != nil {
			refusal, ok := err.(*LaunchError)
			if !ok || refusal.Code == "" || refusal.Text == "" || refusal.Hint == "" || p != (Prediction{}) {
				t.Fatalf("%+v: %#v, %+v", l, err, p)
			}
			return
		}
		checkInvariants(t, d, l, p)
		if _, err := Explain(d, l); err != nil {
			t.Fatalf("%+v: predicted but not explained: %v", l, err)
		}
		nextSteps(d, l, varyAll())
	})
}

// FuzzAdvise calls Advise with arbitrary launches. It must return advice or an
// error.
func FuzzAdvise(f *testing.F) {
	f.Add(uint8(0), int64(2048), int64(2), int64(16), int64(1), 32, int64(0), 0, uint8(15))
	f.Add(uint8(4), int64(1000003), int64(1), int64(0), int64(-4), -8, int64(70000), 7, uint8(3))
	f.Add(uint8(86), int64(1846), int64(146), int64(216), int64(2), 16, int64(212), 1, uint8(23)) // SLM follows from the work-group size
	devices := append(allDevices(), &arch.Device{XVEPerXeCore: 4, ThreadsPerXVE: 3}, &arch.Device{}, nil)
	f.Fuzz(func(t *testing.T, device uint8, gx, gy, lx, ly int64, simd int, slm int64, barriers int, may uint8) {
		d := devices[int(device)%len(devices)]
		l := Launch{SIMD: simd, SLM: unit.Bytes(slm), Barriers: barriers}
		if gx != 0 {
			l.Global = unit.Size(gx, gy)
		}
		if lx != 0 {
			l.Local = unit.Size(lx, ly)
		}
		a, err := Advise(d, l, VariableSettings{Local: may&1 > 0, SIMD: may&2 > 0, SLM: may&4 > 0, GRF: may&8 > 0})
		if (err == nil) != (len(a.Best) > 0) || (a.Current == nil) != (a.Rejection != nil) {
			t.Fatalf("%+v: %v, %+v", l, err, a)
		}
		for _, s := range a.Best {
			if p, err := Predict(d, s.Launch); err != nil || p != s.Prediction {
				t.Fatalf("%+v: proposes %+v, which predicts %+v (%v)", l, s, p, err)
			}
		}
		for _, s := range a.Next {
			if s.Text == "" || s.Alone && s.After <= s.Before {
				t.Fatalf("%+v: next step %+v", l, s)
			}
		}
		if a.Least != nil {
			changes := len(a.Least.Changes)
			// The SLM that keeps the amount per work-item follows from the
			// work-group size, and is no change of its own.
			if slm, ok := scaledSLM(l, a.Least.Launch.Local); ok && changes == 2 && a.Least.Launch.SLM == slm {
				changes--
			}
			if changes != 1 {
				t.Fatalf("%+v: single change %+v", l, a.Least)
			}
		}
		if _, err := DriverMaxGroups(d, l); err == nil && a.Current == nil && l.Global == (unit.Size3{}) {
			t.Fatalf("%+v: a driver limit for what cannot run", l)
		}
	})
}
