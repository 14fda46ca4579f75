package launches_test

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"occudiff/compare/launches"
	"occudiff/ingest"
	"occudiff/internal/testenv"
)

// launch ran from start to end, in sampling intervals.
type launch struct {
	task       int
	start, end float64
}

// mixOf makes the mix of launches and of the samples' values, which are one interval each; parts as a result folder has
// them: long launches have their first and last interval apart.
func mixOf(tasks int, list []launch, values []float64) *ingest.Mix {
	count, total := make([]float64, tasks), make([]float64, tasks)
	for _, l := range list {
		count[l.task]++
		total[l.task] += l.end - l.start
	}
	pieces := func(l launch) [3][2]float64 {
		if total[l.task] < 4*count[l.task] || l.end-l.start < 3 {
			return [3][2]float64{{}, {l.start, l.end}}
		}
		return [3][2]float64{{l.start, l.start + 1}, {l.start + 1, l.end - 1}, {l.end - 1, l.end}}
	}
	seconds, parts := make([][3]float64, tasks), make([][3]int, tasks)
	for _, l := range list {
		for p, x := range pieces(l) {
			seconds[l.task][p] += x[1] - x[0]
		}
	}
	m := &ingest.Mix{}
	for t := range seconds {
		for p, s := range seconds[t] {
			if s > 0 {
				parts[t][p] = m.AddPart(ingest.MixPart{Task: t, Seconds: s})
			}
		}
	}
	for i, v := range values {
		for _, l := range list {
			for p, x := range pieces(l) {
				if o := min(float64(i+1), x[1]) - max(float64(i), x[0]); o > 0 {
					m.Share(parts[l.task][p], o)
				}
			}
		}
		m.Take(v)
	}
	return m
}

// shape is what a launch fills of the GPU, in percent, at a moment from 0 to 1 of it: it ramps up and drains.
func shape(level, ramp, drain, at float64) float64 {
	return level * math.Min(1, math.Min(at/ramp, (1-at)/drain))
}

// Kernels of random lengths, from a hundredth of a sample to several, that follow each other with random gaps: the
// truth is within the stated interval in 95 of 100, and where the interval is narrow the estimate is good.
func TestCoverage(t *testing.T) {
	in, all, off, narrow := 0, 0, 0.0, 0
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 9))
		tasks := 1 + r.IntN(3)
		length, level, ramp, drain, gap := make([]float64, tasks), make([]float64, tasks), 0.05, make([]float64, tasks), make([]float64, tasks)
		for k := range tasks {
			length[k], level[k] = math.Exp(r.Float64()*6.6-4.6), 10+90*r.Float64()
			drain[k], gap[k] = 0.05+0.3*r.Float64(), 0.3*r.ExpFloat64()*(0.05+length[k])
		}
		var list []launch
		for at := 0.3; at < 150; {
			for k := range tasks {
				end := at + length[k]*(0.9+0.2*r.Float64())
				list = append(list, launch{k, at, end})
				at = end + gap[k]*r.ExpFloat64()
			}
		}
		const steps = 64 // of a launch
		values, truth, time := make([]float64, int(list[len(list)-1].end)+1), make([]float64, tasks), make([]float64, tasks)
		for _, l := range list {
			dt := (l.end - l.start) / steps
			for i := range steps {
				v := shape(level[l.task], ramp, drain[l.task], (float64(i)+0.5)/steps)
				truth[l.task] += v * dt
				time[l.task] += dt
				from, to := l.start+float64(i)*dt, l.start+float64(i+1)*dt
				for s := int(from); s <= int(to); s++ {
					if o := min(to, float64(s+1)) - max(from, float64(s)); o > 0 {
						values[s] += v * o
					}
				}
			}
		}
		for _, e := range launches.Solve(mixOf(tasks, list, values)) {
			d := math.Abs(e.Mean - truth[e.Task]/time[e.Task])
			all++
			if d <= e.Margin+1e-6 {
				in++
			}
			if e.Margin <= 5 {
				narrow, off = narrow+1, off+d
			}
		}
	}
	t.Logf("%d of %d within the interval; %d intervals of at most 5 points, off by %.2f on average", in, all, narrow,
		off/float64(narrow))
	if float64(in) < 0.95*float64(all) || off/float64(narrow) > 1 || narrow < all/2 {
		t.Errorf("%d of %d within the interval, %d narrow, off by %.2f", in, all, narrow, off/float64(narrow))
	}
}

// Where no mean is beyond 0 to 100 the estimates are those of gonum's least squares on the same sums.
func TestAgainstGonum(t *testing.T) {
	const n = 40
	r, m := rand.New(rand.NewPCG(4, 4)), &ingest.Mix{}
	for task := range n {
		m.AddPart(ingest.MixPart{Task: task, Seconds: 1})
	}
	for range 3000 {
		value := r.Float64()
		for range 1 + r.IntN(3) {
			task, share := r.IntN(n), r.Float64()/3
			m.Share(task, share)
			value += share * (30 + float64(task))
		}
		m.Take(value)
	}
	a, b := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
	for i := range m.Blocks {
		a.Add(a, mat.NewDense(n, n, m.Blocks[i].Shares))
		b.AddVec(b, mat.NewVecDense(n, m.Blocks[i].Values))
	}
	var want mat.VecDense
	if err := want.SolveVec(a, b); err != nil {
		t.Fatal(err)
	}
	for _, e := range launches.Solve(m) {
		if w := want.AtVec(e.Task); !(math.Abs(e.Mean-w) < 1e-5) || e.Margin >= 100 {
			t.Errorf("%+v, gonum: %v", e, w)
		}
	}
}

// A kernel that always follows another in the same proportion is told only together with it.
func TestTogether(t *testing.T) {
	m := &ingest.Mix{}
	a, b := m.AddPart(ingest.MixPart{Task: 0, Seconds: 1}), m.AddPart(ingest.MixPart{Task: 1, Seconds: 1})
	for range 100 {
		m.Share(a, 0.4)
		m.Share(b, 0.4)
		m.Take(50)
	}
	for _, e := range launches.Solve(m) {
		if e.Margin < 100 {
			t.Errorf("%+v", e)
		}
	}
	if launches.Solve(nil) != nil || launches.Solve(&ingest.Mix{}) != nil {
		t.Error("estimates of nothing")
	}
}

// The simulated GPU beside the project, whose threads really come and go: its own samples and launches, and the truth.
func TestSimulated(t *testing.T) {
	sim := testenv.Shared(t, "oracle", "sim")
	dir := t.TempDir()
	cmd := exec.Command("go", "run", ".", "-n", "10", "-seed", "5", "-raw", "-o", dir)
	cmd.Dir = sim
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	runs, err := filepath.Glob(filepath.Join(dir, "r*"))
	if err != nil {
		t.Fatal(err)
	}
	in, all := 0, 0
	for _, run := range runs {
		var truth []struct {
			Kernel, Kind  string
			Occ, Interval float64
		}
		b, err := os.ReadFile(filepath.Join(run, "truth.json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(b, &truth); err != nil {
			t.Fatal(err)
		}
		if truth[0].Kind == "overlap" { // its truth is of both kernels together
			continue
		}
		number := map[string]int{}
		for i, k := range truth {
			number[k.Kernel] = i
		}
		var list []launch
		for _, r := range rows(t, filepath.Join(run, "launches.csv")) {
			list = append(list, launch{number[r[0]], value(t, r[2]) / truth[0].Interval, value(t, r[3]) / truth[0].Interval})
		}
		var values []float64
		for _, r := range rows(t, filepath.Join(run, "samples.csv")) {
			values = append(values, value(t, r[2]))
		}
		for _, e := range launches.Solve(mixOf(len(truth), list, values)) {
			all++
			off := e.Mean - truth[e.Task].Occ
			t.Logf("%s %s: %.2f, estimated as %.2f +- %.2f", filepath.Base(run), truth[e.Task].Kind, truth[e.Task].Occ, e.Mean, e.Margin)
			if math.Abs(off) <= e.Margin+0.02 { // the truth is printed to 0.01
				in++
			}
			if e.Margin <= 5 && math.Abs(off) > 5 {
				t.Errorf("%s %s: off by %.1f", filepath.Base(run), truth[e.Task].Kind, off)
			}
		}
	}
	if all == 0 || float64(in) < 0.9*float64(all) {
		t.Errorf("%d of %d within the interval", in, all)
	}
}

func rows(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return all[1:]
}

func value(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
