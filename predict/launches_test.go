package predict_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// TestLaunches compares all of the model's results for some launches with a
// golden file: predictions with both policies, explanations, advice, probes,
// sweeps, and the driver's number. Each launch covers one deciding property.
func TestLaunches(t *testing.T) {
	size := func(text string) unit.Size3 {
		s, err := unit.ParseSize(text)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var got strings.Builder
	for _, c := range []struct {
		reason, device, global, local string
		more                          predict.Launch
	}{
		{"full waves", "mtl-112", "114688", "256", predict.Launch{SIMD: 32}},
		{"a last wave of a third", "mtl-112", "38400", "256", predict.Launch{SIMD: 32}},
		{"less than a wave", "mtl-112", "2048", "16", predict.Launch{SIMD: 32}},
		{"no grid", "mtl-112", "", "256", predict.Launch{SIMD: 16}},
		{"idle lanes", "mtl-112", "100000", "100", predict.Launch{SIMD: 32}},
		{"work-groups of 20 threads do not fill an Xe-core whole", "mtl-112", "6400000", "640", predict.Launch{SIMD: 32, Policy: predict.Whole}},
		{"SLM between two steps", "max1100", "1048576", "512", predict.Launch{SIMD: 32, SLM: 20000}},
		{"SLM at the maximum of a work-group", "max1100", "1048576", "512", predict.Launch{SIMD: 32, SLM: 128 << 10}},
		{"one byte above the maximum", "max1100", "1048576", "512", predict.Launch{SIMD: 32, SLM: 128<<10 + 1}},
		{"SLM and barriers are both limiting", "max1100", "1048576", "64", predict.Launch{SIMD: 32, SLM: 4096, Barriers: 1}},
		{"one barrier per small work-group", "skl-gt2", "1048576", "8", predict.Launch{SIMD: 8, Barriers: 1}},
		{"three barriers per work-group", "skl-gt2", "1048576", "8", predict.Launch{SIMD: 8, Barriers: 3}},
		{"explicit barrier slots", "skl-gt2", "1048576", "8", predict.Launch{SIMD: 8, Barriers: 1, BarrierSlots: 16}},
		{"explicit work-group slots", "mtl-112", "1048576", "16", predict.Launch{SIMD: 16, GroupSlots: 1}},
		{"large GRF", "max1100", "4194304", "1024", predict.Launch{SIMD: 16, GRF: 256}},
		{"a GRF mode that does not exist", "max1100", "4194304", "1024", predict.Launch{SIMD: 16, GRF: 100}},
		{"a mode with more threads", "b390", "4194304", "512", predict.Launch{SIMD: 32, GRF: 96}},
		{"a work-group above the GPU's maximum", "tgl-96", "1048576", "1024", predict.Launch{SIMD: 8}},
		{"a work-group of exactly the maximum", "tgl-96", "1048576", "512", predict.Launch{SIMD: 8}},
		{"one thread per work-item", "mtl-112", "4096", "16", predict.Launch{SIMD: 1}},
		{"a width that the compiler does not have", "max1100", "4096", "16", predict.Launch{SIMD: 8}},
		{"three dimensions", "max1100", "256x64x6", "16x4x3", predict.Launch{SIMD: 16}},
		{"two dimensions, neither of which divides the grid", "tgl-96", "2560x3", "320x2", predict.Launch{SIMD: 8}},
		{"one explicit barrier slot", "skl-gt2", "1048576", "8", predict.Launch{SIMD: 8, Barriers: 1, BarrierSlots: 1}},
		{"as many work-group slots as the threads allow", "mtl-112", "1048576", "16", predict.Launch{SIMD: 16, GroupSlots: 128}},
		{"one more work-group slot than the threads allow", "mtl-112", "1048576", "32", predict.Launch{SIMD: 16, GroupSlots: 65}},
		{"barriers and SLM, of which only SLM is limiting", "max1100", "1048576", "256", predict.Launch{SIMD: 16, SLM: 32768, Barriers: 2}},
		{"a grid of one work-group", "max1100", "256", "256", predict.Launch{SIMD: 16}},
		{"a grid smaller than its work-group", "max1100", "100", "256", predict.Launch{SIMD: 16}},
		{"a prime grid", "max1100", "104729", "128", predict.Launch{SIMD: 32}},
		{"a narrow grid of two dimensions", "max1100", "16x4096", "16x16", predict.Launch{SIMD: 16, SLM: 1024}},
		{"whole work-groups with a cheap last wave", "max1100", "7401472", "1024", predict.Launch{SIMD: 32, Policy: predict.Whole}},
		{"two stacks", "max1550", "8388608", "256", predict.Launch{SIMD: 32}},
		{"negative counts", "mtl-112", "4096", "16", predict.Launch{SIMD: 16, Barriers: -1}},
		{"no width", "mtl-112", "4096", "16", predict.Launch{}},
		{"a grid larger than any number of work-groups", "mtl-112", "4611686018427387904x4611686018427387904", "1", predict.Launch{SIMD: 16}},
	} {
		i := slices.IndexFunc(builtin(t), func(d *arch.Device) bool { return strings.HasPrefix(d.Key, c.device) })
		if i < 0 {
			t.Fatalf("no device %s", c.device)
		}
		d, l := builtin(t)[i], c.more
		if c.global != "" {
			l.Global = size(c.global)
		}
		l.Local = size(c.local)
		fmt.Fprintf(&got, "# %s: %s, %s in %s\n", c.reason, d.Key, c.global, c.local)
		output(&got, d, l)
	}
	testenv.Golden(t, "testdata/launches.txt", []byte(got.String()))
}

// output prints the model's results for a launch, one per line.
func output(b *strings.Builder, d *arch.Device, l predict.Launch) {
	launch := func(l *predict.Launch) string {
		return fmt.Sprintf("%v in %v SIMD %d SLM %d barriers %d GRF %d %v", l.Global, l.Local, l.SIMD, l.SLM, l.Barriers, l.GRF, l.Policy)
	}
	prediction := func(p *predict.Prediction) string {
		r := p.Range(d)
		return fmt.Sprintf("%v: %d threads, %d groups, %d a core (%d, %d, %d, %d), by %s, %.5g %.5g %.5g to %.5g, waves %.5g, last %.5g, idle %.5g to %.5g, lanes %d",
			p.Policy, p.ThreadsPerGroup, p.Groups, p.GroupsPerXeCore, p.ByThreads, p.BySLM, p.ByGroupSlots, p.ByBarriers, strings.Join(p.Limits.Names(), " "),
			p.XeCore, p.Peak, p.Average, p.AverageHigh, p.Waves, p.LastWaveOccupancy, r.Low.Idle, r.High.Idle, p.IdleLanes)
	}
	setting := func(s *predict.Setting) string {
		var changes []string
		for _, c := range s.Changes {
			changes = append(changes, c.Text)
		}
		return fmt.Sprintf("%s (%s): %s", launch(&s.Launch), strings.Join(changes, ", "), prediction(&s.Prediction))
	}
	line := func(format string, args ...any) { fmt.Fprintf(b, format+"\n", args...) }
	p, err := predict.Predict(d, l)
	if err != nil {
		line("refused: %v", err)
	} else {
		line("%s", prediction(&p))
		if o := predict.OtherPolicy(d, l, &p); o != nil {
			line("other: %s", prediction(o))
		}
	}
	if err == nil { // the points nearest to a measured value
		var near []string
		for _, v := range []unit.Ratio{0, p.Average / 2, p.Average, (p.Average + p.AverageHigh) / 2, p.AverageHigh, p.Peak, 1} {
			r := p.Range(d)
			loaded, average := r.NearestBusy(v), r.NearestAverage(v)
			near = append(near, fmt.Sprintf("%.4g %.4g %.4g %.4g", v, p.Nearest(v), loaded.Average, average.BusyOccupancy))
		}
		line("nearest: %s", strings.Join(near, ", "))
	}
	steps, _ := predict.Explain(d, l)
	for _, s := range steps {
		line("  %s = %s: %s%s%s", s.Label, s.Formula, s.Value, map[bool]string{true: " binds"}[s.Limiting], map[bool]string{true: " aside"}[s.Supporting])
	}
	a, err := predict.Advise(d, l, predict.VariableSettings{Local: true, SIMD: true, SLM: true, GRF: true})
	if err != nil {
		line("no advice: %v", err)
	}
	for i := range a.Best[:min(len(a.Best), 3)] {
		line("best: %s", setting(&a.Best[i]))
	}
	if a.Least != nil {
		line("least: %s", setting(a.Least))
	}
	for _, n := range a.Next {
		line("next: %v %s, %s from %.5g to %.5g, alone %v", n.Limits, n.Text, n.Of, n.Before, n.After, n.Alone)
	}
	line("fill: %d, %d", a.FullGrid.Least, a.FullGrid.Multiple)
	if best, worst, tried, err := predict.LocalRange(d, l); err == nil {
		line("sizes: %d tried, %s; %s", tried, setting(&best), setting(&worst))
	}
	probes, _ := predict.Probes(d, l)
	for i := range probes {
		line("probe: %s", setting(&probes[i]))
	}
	if m, err := predict.DriverMaxGroups(d, l); err == nil {
		line("driver: %d of %d by %v, %v, %v with %d slots: %v %s", m.Groups, m.Model, m.ByThreads, m.BySLM, m.ByBarriers, m.BarrierSlots, m.Differs, strings.Join(m.Reasons, "; "))
	}
	sum, own, groups := 0., int64(0), predict.SweepGroups(d, l, nil)
	for _, x := range groups {
		sum += float64(x.Prediction.Average) * float64(x.X)
		if x.Own {
			own = x.X
		}
	}
	if len(groups) > 0 {
		line("groups: %d from %d to %d, own %d, %.6g", len(groups), groups[0].X, groups[len(groups)-1].X, own, sum)
	}
	for _, s := range []struct {
		name   string
		points []predict.Point
	}{{"SLM", predict.SweepSLM(d, l)}, {"SIMD", predict.SweepSIMD(d, l)}, {"GRF", predict.SweepGRF(d, l)}, {"local", predict.SweepLocal(d, l)}} {
		var list []string
		for i, x := range s.points {
			if s.name == "local" && i%8 != 0 && !x.Own {
				continue
			}
			text := fmt.Sprintf("%d %.4g", x.X, x.Prediction.Average.Percent())
			if x.Err != nil {
				text = fmt.Sprintf("%d refused", x.X)
			}
			if x.Own {
				text += " own"
			}
			list = append(list, text)
		}
		line("%s: %s", s.name, strings.Join(list, ", "))
	}
}
