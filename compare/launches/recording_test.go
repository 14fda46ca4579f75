package launches

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
	"occudiff/ingest"
	"occudiff/ingest/unit"
)

// TestEdges checks the parts of a launch that starts at 10. Its kernel has a
// median length of 6, so a part of fixed length takes 2.
func TestEdges(t *testing.T) {
	for _, c := range []struct {
		reason string
		m      model
		length float64
		want   []float64
	}{
		{"from the start, the last part is the rest of a long launch", fromStart, 9, []float64{10, 12, 14, 16, 19}},
		{"from the start, a short launch lacks parts", fromStart, 3, []float64{10, 12, 13, 13, 13}},
		{"from the end, the first part is the rest of a long launch", fromEnd, 9, []float64{10, 13, 15, 17, 19}},
		{"from the end, a short launch lacks parts", fromEnd, 3, []float64{10, 10, 10, 11, 13}},
		{"relative parts are equal", relative, 8, []float64{10, 12, 14, 16, 18}},
		{"parts for display are equal", even, 4, []float64{10, 11, 12, 13, 14}},
	} {
		d := &recording{parts: 4, median: []float64{6}}
		if got := d.edges(&span{start: 10, end: 10 + c.length}, c.m); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
	const third = partsOfOne / 3
	for _, c := range []struct {
		reason         string
		m              model
		median, length float64
		fine           float64 // length of a part at the ends
	}{
		{"relative parts are finer at both ends", relative, 2, 128, 2},
		{"the ends of a long launch are cut by time", fromStart, 8, 600, 1.0 / third},
		{"a launch of more than 4 intervals is long", fromStart, 4.5, 600, 1.0 / third},
		{"the ends of a launch take at most two thirds", fromEnd, 8, 1.5, 1.5 / (3 * third)},
	} {
		d := &recording{parts: partsOfOne, median: []float64{c.median}}
		got := d.edges(&span{start: 10, end: 10 + c.length}, c.m)
		ends, middle := third*c.fine, (c.length-2*third*c.fine)/third
		for at, want := range map[int]float64{0: 10, 1: 10 + c.fine, third: 10 + ends, third + 1: 10 + ends + middle,
			2 * third: 10 + c.length - ends, partsOfOne - 1: 10 + c.length - c.fine, partsOfOne: 10 + c.length} {
			if math.Abs(got[at]-want) > 1e-9 {
				t.Errorf("%s: part %d begins at %v, want %v", c.reason, at, got[at], want)
			}
		}
	}
	d := &recording{parts: partsOfOne, median: []float64{4}}
	if got, want := d.edges(&span{start: 0, end: 4}, fromStart)[1], 4.0/(partsOfOne-third); math.Abs(got-want) > 1e-9 {
		t.Errorf("the first part of a launch of 4 intervals ends at %v, want %v", got, want)
	}
}

// TestPlain checks levels by least squares. A level outside 0 to 100 stays at
// the bound, and the other level is then solved again.
func TestPlain(t *testing.T) {
	for _, c := range []struct {
		reason string
		values []float64
		want   []float64
	}{
		{"both are within the range", []float64{120, 90}, []float64{50, 20}},
		{"the second one would be negative", []float64{100, 10}, []float64{50, 0}},
		{"the first one would be above 100", []float64{300, 150}, []float64{100, 25}},
		{"both are above 100", []float64{900, 900}, []float64{100, 100}},
	} {
		s := &sums{recording: &recording{levels: 2}, shares: mat.NewSymDense(2, []float64{2, 1, 1, 2})}
		s.values[Occupancy] = c.values
		if got := s.plain(Occupancy); math.Abs(got[0]-c.want[0]) > 1e-5 || math.Abs(got[1]-c.want[1]) > 1e-5 {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

// TestOtherPrograms checks the load of other programs: the mean of the samples
// without launches, weighted by time.
func TestOtherPrograms(t *testing.T) {
	d := &recording{launches: []span{{start: 1, end: 2}, {start: 1.5, end: 1.8}}}
	for _, y := range []struct{ start, end, value float64 }{{0, 1, 10}, {1, 2, 90}, {2, 5, 30}} {
		s := sample{start: y.start, end: y.end}
		s.values[Occupancy] = y.value
		d.samples = append(d.samples, s)
	}
	if d.others(); d.load[Occupancy] != 25 {
		t.Errorf("a load of 10 for 1 and of 30 for 3 intervals is %v, want 25", d.load[Occupancy])
	}
	y := &sample{}
	y.values[Occupancy], y.used[0] = 60, 2
	if got := d.slotTime(y, Occupancy, 1.5); got != 60*2-25*0.5 {
		t.Errorf("60 over 2, of which 0.5 are without launches: %v, want %v", got, 60*2-25*0.5)
	}
}

// TestReadErrors checks the weights of the errors with which samples are read.
// They are the squared shares of each level.
func TestReadErrors(t *testing.T) {
	d := &recording{levels: 2, level: []int{0, 1}, first: []int{-1, -1}, median: []float64{1, 1},
		launches: []span{{0, 0.2, 0.4}, {0, 1.2, 1.4}, {1, 1.5, 1.7}}, samples: []sample{{start: 0, end: 1}, {start: 1, end: 2}}}
	if got := d.sum(fromStart).read; math.Abs(got[0]-1.25) > 1e-9 || math.Abs(got[1]-0.25) > 1e-9 {
		t.Errorf("alone in one sample, half of another: %v, want 1.25 and 0.25", got)
	}
}

// TestColumns checks how many parts each kernel has. All kernels together have
// at most 192.
func TestColumns(t *testing.T) {
	for _, c := range []struct{ kernels, parts, first int }{
		{1, 24, 1}, {8, 24, 8}, {9, 12, 9}, {20, 6, 20}, {90, 1, -1},
	} {
		d, tasks := &recording{}, make([]ingest.Key, c.kernels)
		for i := range tasks {
			tasks[i].Task = strconv.Itoa(i)
		}
		d.columns(tasks, make([]float64, c.kernels), partsOfOne)
		if d.parts != c.parts || d.first[0] != c.first {
			t.Errorf("%d kernels: %d parts from column %d, want %d from %d", c.kernels, d.parts, d.first[0], c.parts, c.first)
		}
	}
}

// TestBars checks which samples are drawn as a part of a launch: those of which
// at least 80% is inside.
func TestBars(t *testing.T) {
	d := &recording{launches: []span{{0, 0, 0.8}, {0, 1.21, 2}}, samples: []sample{{start: 0, end: 1}, {start: 1, end: 2}}}
	list := make([]Profile, 1)
	if d.bars(list); len(list[0].Bars) != 1 || list[0].Bars[0].End != 1 {
		t.Errorf("80%% and 79%% of a sample: %+v", list[0].Bars)
	}
	// The launch runs from 0.5 to 3.5, so the samples at its ends are half
	// outside.
	d = &recording{launches: []span{{0, 0.5, 3.5}}, samples: []sample{{start: 0, end: 1}, {start: 1, end: 2}, {start: 2, end: 3},
		{start: 3, end: 4}}}
	d.samples[1].values[Occupancy] = 60.0000004
	list = make([]Profile, 1)
	d.bars(list)
	want := []Bar{{0.5 / 3, 1.5 / 3, unit.FromPercent(60)}, {1.5 / 3, 2.5 / 3, 0}}
	if !slices.Equal(list[0].Bars, want) {
		t.Errorf("two samples inside a launch: %+v, want %+v", list[0].Bars, want)
	}
}
