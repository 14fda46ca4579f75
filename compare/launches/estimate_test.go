package launches

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"occudiff/ingest"
	"occudiff/internal/testenv"
)

// shape returns the occupancy of a launch, in percent, at a time since the
// start of a launch of the given length.
type shape func(at, length float64) float64

func flat(level float64) shape { return func(float64, float64) float64 { return level } }

// trapeze returns a shape that fills and drains linearly over parts of the
// launch's own length.
func trapeze(level, ramp, drain float64) shape {
	return func(at, length float64) float64 { return level * min(1, at/length/ramp, (1-at/length)/drain) }
}

func drains(level, time float64) shape {
	return func(at, length float64) float64 { return level * min(1, (length-at)/time) }
}

// grows returns a shape whose occupancy is proportional to the launch's length.
func grows(full float64) shape {
	return func(_, length float64) float64 { return 100 * min(1, length/full) }
}

// madeUp is a constructed run with known true values. Times are in samples of
// one millisecond.
type madeUp struct {
	shapes []shape
	list   []span
	load   float64 // load of other programs, in percent
	late   float64 // delay of the launches' clock
	truth  []float64
	bins   [][mostBins]float64
}

// turns adds alternating kernels until a time. The length of each launch is
// random within its kernel's range, and gaps have the given mean.
func (x *madeUp) turns(r *rand.Rand, lengths [][2]float64, gap, until float64) {
	for at := 0.3; at < until; {
		for task, l := range lengths {
			end := at + l[0] + (l[1]-l[0])*r.Float64()
			x.list = append(x.list, span{task, at, end})
			at = end + gap*r.ExpFloat64()
		}
	}
}

func (x *madeUp) recording() *ingest.Recording {
	r := &ingest.Recording{Trace: &ingest.Trace{}, Unassigned: x.late != 0}
	for task := range x.shapes {
		r.Trace.Task(ingest.Key{Task: fmt.Sprint(task)})
	}
	values := make([]float64, int(x.list[len(x.list)-1].end)+4)
	x.truth, x.bins = make([]float64, len(x.shapes)), make([][mostBins]float64, len(x.shapes))
	time := make([]float64, len(x.shapes))
	const steps = 60 // simulation steps per bin
	for _, l := range x.list {
		dt := (l.end - l.start) / mostBins / steps
		for i := range mostBins * steps {
			from := l.start + float64(i)*dt
			v := x.shapes[l.task](from+dt/2-l.start, l.end-l.start)
			x.bins[l.task][i/steps] += v * dt
			for s := int(from); s <= int(from+dt); s++ {
				values[s] += v * max(min(from+dt, float64(s+1))-max(from, float64(s)), 0)
			}
		}
		time[l.task] += l.end - l.start
		ns := func(at float64) int64 { return int64(math.Round((at - x.late) * 1e6)) }
		r.Trace.Add(ingest.Launch{Start: ns(l.start), End: ns(l.end), Task: uint32(l.task)})
	}
	r.Trace.Finish()
	for task := range x.truth {
		for i := range x.bins[task] {
			x.truth[task] += x.bins[task][i] / time[task]
			x.bins[task][i] *= mostBins / time[task]
		}
	}
	for i, v := range values {
		v += x.load
		r.Add(ingest.CounterSample{At: int64(i+1) * 1e6, Length: 1e6, Measured: float32(v / 100), Active: float32(v / 200), Stalled: float32(v / 400)})
	}
	return r
}

// TestExact checks that values are exact if the samples determine them: for a
// kernel that runs alone, even if it is short, and for two alternating kernels
// with constant levels. This must also be true for active and busy.
func TestExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		reason  string
		shapes  []shape
		lengths [][2]float64
	}{
		{"alone, longer than a sample", []shape{trapeze(80, 0.1, 0.3)}, [][2]float64{{3, 3.5}}},
		{"alone, 5% of a sample", []shape{flat(70)}, [][2]float64{{0.05, 0.06}}},
		{"a long and a short kernel", []shape{flat(97), flat(30)}, [][2]float64{{2.2, 2.6}, {0.2, 0.3}}},
		{"three short kernels", []shape{flat(97), flat(60), flat(30)}, [][2]float64{{0.2, 0.5}, {0.1, 0.4}, {0.3, 0.4}}},
	} {
		x := &madeUp{shapes: c.shapes}
		x.turns(r, c.lengths, 0.4, 150)
		e := NewEstimates(x.recording())
		for task, v := range e.Tasks {
			for metric, part := range []float64{1, 0.5, 0.75} {
				if want := part * x.truth[task]; math.Abs(v[metric].Mean-want) > 0.3 || v[metric].Low > want || v[metric].High < want || v[metric].Half() > 1.5 {
					t.Errorf("%s: metric %d of %d is %+v, want %.2f", c.reason, metric, task, v[metric], want)
				}
			}
		}
	}
}

// TestCoverage checks runs that violate the models' assumptions. The reason of
// each case names the violation. The intervals must contain the true value in
// at least 90% of the cases, and half of the intervals must be narrow.
func TestCoverage(t *testing.T) {
	runs := uint64(12)
	if testenv.All() && !testing.Short() {
		runs = 60
	}
	random := func(r *rand.Rand) shape { return trapeze(10+90*r.Float64(), 0.05, 0.05+0.3*r.Float64()) }
	late := func(most float64) func(*rand.Rand) shape {
		return func(r *rand.Rand) shape { return drains(40+60*r.Float64(), most*(0.3+0.7*r.Float64())) }
	}
	steady := func(r *rand.Rand) shape { return flat(5 + 90*r.Float64()) }
	for _, c := range []struct {
		reason     string
		shapes     []func(*rand.Rand) shape
		lengths    [][2]float64
		load, late float64
		width      float64 // largest half of the median interval
	}{
		{"lengths from 0.05 to 3 samples", []func(*rand.Rand) shape{random, random, random}, [][2]float64{{0.05, 0.06}, {0.7, 0.8}, {3, 3.3}}, 0, 0, 0.5},
		{"uneven short launches drain for the same time", []func(*rand.Rand) shape{late(0.2), steady}, [][2]float64{{0.2, 1.2}, {0.3, 0.33}}, 0, 0, 0.5},
		{"lengths vary from 2 to 12 samples", []func(*rand.Rand) shape{random, steady}, [][2]float64{{2, 12}, {0.3, 0.5}}, 0, 0, 0.5},
		{"lengths vary, and all launches drain for the same time", []func(*rand.Rand) shape{late(2), late(2)}, [][2]float64{{2, 12}, {2, 12}}, 0, 0, 1},
		{"a level that grows with the length", []func(*rand.Rand) shape{func(*rand.Rand) shape { return grows(2) }, steady}, [][2]float64{{0.2, 2}, {0.5, 0.6}}, 0, 0, 1},
		{"other programs use the GPU, too", []func(*rand.Rand) shape{random, random}, [][2]float64{{0.4, 0.5}, {2, 2.5}}, 5, 0, 5},
		{"the launches' clock is late or early", []func(*rand.Rand) shape{random, random}, [][2]float64{{0.4, 0.5}, {2, 2.5}}, 0, 0.12, 1.5},
	} {
		in, all, halves := 0, 0, []float64{}
		for seed := range runs {
			r := rand.New(rand.NewPCG(seed, 9))
			x := &madeUp{load: c.load, late: c.late * float64(1-2*int(seed%2))}
			for _, s := range c.shapes {
				x.shapes = append(x.shapes, s(r))
			}
			x.turns(r, c.lengths, 0.1+0.4*r.Float64(), 200)
			e := NewEstimates(x.recording())
			if c.load > 0 && math.Abs(e.Load-c.load) > 0.1 {
				t.Errorf("%s: a load of %.2f", c.reason, e.Load)
			}
			if c.late > 0 {
				d := newRecording(x.recording(), partsOfOne)
				if late := d.offset() * d.interval / 1e6; math.Abs(late-x.late) > 0.03 {
					t.Errorf("%s: an offset of %.3f ms", c.reason, late)
				}
			}
			for task, v := range e.Tasks {
				o := v[Occupancy]
				all++
				if o.Low <= x.truth[task] && x.truth[task] <= o.High {
					in++
				} else {
					t.Logf("seed %d kernel %d: %.2f, estimated %.2f to %.2f", seed, task, x.truth[task], o.Low, o.High)
				}
				halves = append(halves, o.Half())
			}
		}
		slices.Sort(halves)
		t.Logf("%s: %d of %d in their interval, whose half is %.2f in the median", c.reason, in, all, halves[len(halves)/2])
		if float64(in) < 0.9*float64(all) || halves[len(halves)/2] > c.width {
			t.Errorf("%s: %d of %d in their interval, whose half is %.2f in the median", c.reason, in, all, halves[len(halves)/2])
		}
	}
}

// TestUndetermined checks a kernel that always follows another kernel in the
// same proportion, so that the samples determine only their sum. It also checks
// that a kernel with too little time next to many others has no estimate.
func TestUndetermined(t *testing.T) {
	x := &madeUp{shapes: []shape{flat(80), flat(20)}}
	for i := range 100 {
		at := float64(i)
		x.list = append(x.list, span{0, at + 0.1, at + 0.4}, span{1, at + 0.5, at + 0.8})
	}
	for _, v := range NewEstimates(x.recording()).Tasks {
		if v[Occupancy].Half() < 20 {
			t.Errorf("%+v", v[Occupancy])
		}
	}
	x = &madeUp{}
	for task := range mostLevels + 2 {
		x.shapes = append(x.shapes, flat(50))
		x.list = append(x.list, span{task, float64(task), float64(task) + 0.5 + float64(task)/1000})
	}
	for task, v := range NewEstimates(x.recording()).Tasks {
		if (v == nil) != (task < 2) || v != nil && math.Abs(v[Occupancy].Mean-50) > 1 {
			t.Errorf("%d: %+v", task, v)
		}
	}
	x = &madeUp{shapes: []shape{flat(70), flat(30)}, list: []span{{0, 0.2, 0.7}}}
	if v := NewEstimates(x.recording()).Tasks; math.Abs(v[0][Occupancy].Mean-70) > 0.1 || v[1][Occupancy].Half() != 50 {
		t.Errorf("one launch of half an interval, and a kernel without a launch: %+v and %+v", v[0], v[1])
	}
	if NewEstimates(nil) != nil || NewEstimates(&ingest.Recording{}) != nil || Profiles(nil) != nil {
		t.Error("estimates of nothing")
	}
}

// TestBins checks that the interval of a bin contains the error of reading a
// sample, even if the fit is certain. The second level is 50 plus half of the
// change with launch length, which is 10.
func TestBins(t *testing.T) {
	s := &sums{recording: &recording{levels: 2, shapes: 1, parts: 2, level: []int{1}, first: []int{2}},
		held: []float64{0, 0, 0, 0, 0, 0, 2, 0, 0, 1}, read: []float64{0, 4}}
	f := &posterior{mean: mat.NewVecDense(5, []float64{0, 50, 0, 0, 10}), covariance: mat.NewSymDense(5, nil)}
	half, bins := 2*readError+rounding, s.bins(f, 0, 2, 1)
	for _, b := range bins {
		if math.Abs(b.Low-55+half) > 1e-9 || math.Abs(b.High-55-half) > 1e-9 {
			t.Errorf("%+v, want 55 with %v on each side", b, half)
		}
	}
	if len(bins) != 2 {
		t.Errorf("%d bins", len(bins))
	}
}

// TestPrior checks that the prior of the parts is the inverse of their
// covariance. The deviation is half of the least level, 10, and the correlation
// of two parts is 0.8 to the power of their distance.
func TestPrior(t *testing.T) {
	const parts, deviation, correlation = 4, 5, 0.8
	n := 1 + parts + 1
	s := &sums{recording: &recording{levels: 1, shapes: 1, parts: parts, level: []int{0}, first: []int{1}},
		shares: mat.NewSymDense(n, nil)}
	s.values[Occupancy] = make([]float64, n)
	inverse, mean, determinant := s.precision(Occupancy, prior{deviation / 10., correlation, 10})
	covariance := mat.NewSymDense(n, nil)
	covariance.SetSym(0, 0, priorSpread*priorSpread)
	covariance.SetSym(n-1, n-1, deviation*deviation)
	for i := range parts {
		for j := range i + 1 {
			covariance.SetSym(1+i, 1+j, deviation*deviation*math.Pow(correlation, float64(i-j)))
		}
	}
	var product mat.Dense
	product.Mul(inverse, covariance)
	for i := range n {
		for j := range n {
			if want := map[bool]float64{true: 1}[i == j]; math.Abs(product.At(i, j)-want) > 1e-9 {
				t.Errorf("%d, %d: %v, want %v", i, j, product.At(i, j), want)
			}
		}
	}
	if want := math.Log(mat.Det(inverse)); math.Abs(determinant-want) > 1e-9 {
		t.Errorf("logarithmic determinant %v, want %v", determinant, want)
	}
	if mean.AtVec(0) != priorMean/float64(priorSpread*priorSpread) || mean.AtVec(1) != 0 {
		t.Errorf("means %v", mean)
	}
}

// TestProfiles checks that profiles have as many bins as the samples determine, and
// that each bin's true value is inside its interval.
func TestProfiles(t *testing.T) {
	for _, c := range []struct {
		reason    string
		shapes    []shape
		lengths   [][2]float64
		until     float64
		least, at int // expected bins of the first kernel
	}{
		{"launches of 20 samples", []shape{trapeze(90, 0.1, 0.4)}, [][2]float64{{20, 22}}, 300, 32, 32},
		{"short launches next to others", []shape{trapeze(90, 0.1, 0.4), flat(30)}, [][2]float64{{0.4, 0.42}, {0.3, 0.33}}, 200, 2, 32},
		{"too few samples for more than the mean", []shape{trapeze(90, 0.1, 0.4), flat(30)}, [][2]float64{{0.05, 0.06}, {1.5, 1.8}}, 12, 0, 2},
	} {
		x := &madeUp{shapes: c.shapes}
		x.turns(rand.New(rand.NewPCG(3, 3)), c.lengths, 0.3, c.until)
		for task, l := range Profiles(x.recording()) {
			if n := len(l.Bins); task == 0 && (n < c.least || n > c.at) {
				t.Errorf("%s: %d bins", c.reason, n)
			}
			for i, b := range l.Bins {
				want, width := 0.0, mostBins/len(l.Bins)
				for j := range width {
					want += x.bins[task][i*width+j] / float64(width)
				}
				if want < b.Low-mostDeviance || want > b.High+mostDeviance {
					t.Errorf("%s: bin %d of %d is %+v, want %.1f", c.reason, i, len(l.Bins), b, want)
				}
			}
			for _, b := range l.Bars {
				if b.Start < 0 || b.End > 1 || b.End <= b.Start || b.Measured > 1 {
					t.Errorf("%s: a bar of %+v", c.reason, b)
				}
			}
		}
	}
}

// TestSimulated compares estimates with the true values of the simulated GPU
// next to the project, which simulates individual threads. It reads samples,
// launches, and true values.
func TestSimulated(t *testing.T) {
	testenv.Long(t)
	sim := filepath.Join("..", "..", "..", "shared", "oracle", "sim")
	if _, err := os.Stat(sim); err != nil {
		t.Skip("no ../shared with the simulated GPU")
	}
	dir := t.TempDir()
	cmd := exec.Command("go", "run", ".", "-n", "30", "-seed", "77000", "-raw", "-o", dir)
	cmd.Dir = sim
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	runs, err := filepath.Glob(filepath.Join(dir, "r*"))
	if err != nil {
		t.Fatal(err)
	}
	in, all, halves := 0, 0, []float64{}
	for _, run := range runs {
		r, truth := simulated(t, run)
		if r == nil { // kernels run concurrently, so only their total is known
			continue
		}
		for task, v := range NewEstimates(r).Tasks {
			k := truth[task]
			for metric, want := range map[Metric]float64{Occupancy: k.Occ, Active: k.Active, Busy: 100 - k.Idle} {
				e := v[metric]
				all++
				halves = append(halves, e.Half())
				if e.Low-0.02 <= want && want <= e.High+0.02 { // the true value is printed to 0.01
					in++
				} else if math.Abs(e.Mean-want) > 2 {
					t.Errorf("%s %s: metric %d is %+v, want %.2f", filepath.Base(run), k.Kernel, metric, e, want)
				}
			}
		}
	}
	slices.Sort(halves)
	t.Logf("%d of %d in their interval, whose half is %.2f in the median", in, all, halves[len(halves)/2])
	if float64(in) < 0.95*float64(all) || halves[len(halves)/2] > 0.5 {
		t.Errorf("%d of %d in their interval, whose half is %.2f in the median", in, all, halves[len(halves)/2])
	}
}

type simulatedKernel struct {
	Kernel, Kind      string
	Occ, Idle, Active float64
}

// simulated returns a run on the simulated GPU, or nil if its kernels run
// concurrently.
func simulated(t *testing.T, run string) (*ingest.Recording, []simulatedKernel) {
	t.Helper()
	var truth []simulatedKernel
	b, err := os.ReadFile(filepath.Join(run, "truth.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &truth); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(truth, func(k simulatedKernel) bool { return k.Kind == "overlap" }) {
		return nil, nil
	}
	r := &ingest.Recording{Trace: &ingest.Trace{}}
	for _, k := range truth {
		r.Trace.Task(ingest.Key{Task: k.Kernel})
	}
	end := 0.0
	for _, x := range rows(t, filepath.Join(run, "launches.csv")) {
		l := ingest.Launch{Start: nanoseconds(t, x[2]), End: nanoseconds(t, x[3]), Task: r.Trace.Task(ingest.Key{Task: x[0]})}
		end = max(end, float64(l.End))
		r.Trace.Add(l)
	}
	r.Trace.Finish()
	for _, x := range rows(t, filepath.Join(run, "samples.csv")) {
		from, to := nanoseconds(t, x[0]), nanoseconds(t, x[1])
		// The run stops within the last sample, and does not report the rest of
		// that sample as idle.
		rest := max(float64(to)-max(float64(from), end), 0) / float64(to-from)
		active, busy := value(t, x[5])/100, 1-value(t, x[3])/100-rest
		r.Add(ingest.CounterSample{At: to, Length: to - from, Measured: float32(value(t, x[2]) / 100), Active: float32(active), Stalled: float32(busy - active)})
	}
	return r, truth
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

func nanoseconds(t *testing.T, us string) int64 { return int64(math.Round(value(t, us) * 1e3)) }

// TestSampleProfile checks the profile of a kernel with samples of its own. Its
// launches have 16 samples each, and the occupancy falls from 80 to 20% in the
// middle of a launch.
func TestSampleProfile(t *testing.T) {
	const launches, samples, ms = 4, 16, int64(1e6)
	s, trace := &ingest.Samples{}, &ingest.Trace{}
	trace.AddLane("")
	task := trace.Task(ingest.Key{Task: "k"})
	for l := range int64(launches) {
		from := l * 100 * ms
		trace.Add(ingest.Launch{Start: from, End: from + samples*ms, Task: task})
		for i := range int64(samples) {
			measured := float32(0.8)
			if i >= samples/2 {
				measured = 0.2
			}
			s.List = append(s.List, ingest.CounterSample{At: from + (i+1)*ms, Length: ms, Measured: measured, Active: measured / 2, Stalled: measured / 4, Launch: uint32(l)})
		}
	}
	trace.Finish()
	for _, traced := range []bool{true, false} {
		p := SampleProfile(s, trace, int(task), traced)
		if p == nil || p.Launches != launches || math.Abs(float64(p.Span)-0.016) > 1e-9 || len(p.Bars) != launches*samples || len(p.Bins) < 2 {
			t.Fatalf("traced %t: %+v, want 4 launches of 16 ms, 64 bars, and bins", traced, p)
		}
		for i, b := range p.Bins {
			want := 80.0
			if i >= len(p.Bins)/2 {
				want = 20
			}
			if math.Abs(b.Mean-want) > 3 || b.Low > want || b.High < want {
				t.Errorf("traced %t: bin %d of %d is %+v, want %v", traced, i, len(p.Bins), b, want)
			}
		}
		if b := p.Bars[9]; math.Abs(b.Start-9.0/16) > 1e-9 || math.Abs(b.End-10.0/16) > 1e-9 || math.Abs(float64(b.Measured)-0.2) > 1e-9 {
			t.Errorf("traced %t: sample 10 of a launch is %+v", traced, b)
		}
	}
	if SampleProfile(&ingest.Samples{}, trace, int(task), true) != nil {
		t.Error("a kernel without samples has a profile")
	}
	one := &ingest.Samples{List: s.List[:1]}
	for traced, want := range map[bool]float64{true: 0.016, false: 0.001} {
		if p := SampleProfile(one, trace, int(task), traced); math.Abs(float64(p.Span)-want) > 1e-9 {
			t.Errorf("traced %t: one sample of a launch of 16 ms has the length %v", traced, p.Span)
		}
	}
	outside := &ingest.Samples{List: []ingest.CounterSample{{At: 2 * samples * ms, Length: ms, Measured: 0.5}}}
	if p := SampleProfile(outside, trace, int(task), true); p != nil && p.Launches != 1 {
		t.Errorf("a sample outside all launches has %d launches, want its own", p.Launches)
	}
}
