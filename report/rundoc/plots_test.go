package rundoc_test

import (
	"slices"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
)

// plotOf finds a plot by its key.
func plotOf(t *testing.T, r *compare.Result, key string) *report.Plot {
	t.Helper()
	for p := range rundoc.FromResult(r, report.Provenance{}).Plots(report.Page) {
		if p.Key == key {
			return p
		}
	}
	return nil
}

func TestScatter(t *testing.T) {
	p := plotOf(t, sample.Gaussian(), "predicted-measured")
	if p == nil {
		t.Fatal("the report has no scatter plot")
	}
	if want := "Measured occupancy against predicted average"; p.Title != want || p.Scatter.Band != 5 {
		t.Errorf("title %q, band %v, want %q and the tolerance of 5", p.Title, p.Scatter.Band, want)
	}
	var got []string
	for _, g := range p.Scatter.Groups {
		for _, pt := range g.Points {
			got = append(got, g.Name+" "+pt.Name+" "+report.Decimal(pt.X, 1)+" "+report.Decimal(pt.Y, 1))
		}
	}
	if p.Scatter.Groups[1].Points[0].Share < 0.9 || p.Scatter.Groups[0].Points[0].Share > 0.1 {
		t.Errorf("shares %+v: Fan2 has 96 %% of the GPU time, Fan1 3 %%", p.Scatter.Groups)
	}
	// Copies are no kernels; the groups come in the order of the causes. 1024/1029 = 99.5 %, 1/7 = 14.3 %.
	if want := []string{"sampling Fan1 14.3 19.9", "gaps Fan2 99.5 62.7"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestScatterBasis checks which two numbers a scatter plot takes when the strongest are not there, and that it never mixes them.
func TestScatterBasis(t *testing.T) {
	for _, c := range []struct {
		reason      string
		first, then compare.Basis // of the two kernels
		title       string        // empty for none
		points      int
	}{
		{"measurements come first", compare.BasisMeasured, compare.BasisPeak, "Measured occupancy against predicted average", 1},
		{"a summary has no launch shape", compare.BasisMeasuredPeak, compare.BasisMeasuredPeak, "Measured occupancy against VTune's peak", 2},
		{"two predictions", compare.BasisPeak, compare.BasisPeak, "VTune's peak against predicted peak", 2},
		{"nothing to compare", compare.BasisNone, compare.BasisNone, "", 0},
	} {
		r := sample.Gaussian()
		r.Rows[0].Basis, r.Rows[1].Basis = c.first, c.then
		p := plotOf(t, r, "predicted-measured")
		if p == nil {
			if c.title != "" {
				t.Errorf("%s: no scatter plot", c.reason)
			}
			continue
		}
		n := 0
		for _, g := range p.Scatter.Groups {
			n += len(g.Points)
		}
		if p.Title != c.title || n != c.points {
			t.Errorf("%s: %q with %d points, want %q with %d", c.reason, p.Title, n, c.title, c.points)
		}
	}
}

// TestWaves checks the waves against the model by hand: Fan2 has 1024/7 = 146.29 waves, the last of 2/7 of the slots.
func TestWaves(t *testing.T) {
	for _, c := range []struct {
		reason   string
		p        predict.Prediction
		want     []float64 // width and height of each level
		sentence string
	}{
		{"full waves and a tail", predict.Prediction{Groups: 4096, Peak: 1, Average: 0.995, Waves: 1024.0 / 7, LastWaveOccupancy: 2.0 / 7}, []float64{146, 100, 1, 200.0 / 7},
			"146 full waves at 100.0 %, then a last one at 28.6 %."},
		{"one full wave", predict.Prediction{Groups: 8, Peak: 0.5, Average: 0.5, Waves: 1}, []float64{1, 50}, "1 full wave at 50.0 %."},
		{"less than a wave", predict.Prediction{Groups: 1, Peak: 0.25, Average: 0.25, Waves: 0.25, LastWaveOccupancy: 0.25}, []float64{1, 25}, "One wave that does not fill the GPU: 25.0 %."},
		{"no grid", predict.Prediction{Peak: 1}, nil, ""},
	} {
		r := sample.Gaussian()
		r.Rows = r.Rows[:1]
		r.Rows[0].Predicted = &c.p
		p := plotOf(t, r, "waves-1")
		if p == nil {
			if c.want != nil {
				t.Errorf("%s: no picture", c.reason)
			}
			continue
		}
		var got []float64
		for _, s := range p.LineChart.Series {
			if s.Style == report.Steps {
				got = append(got, s.Points[1].X-s.Points[0].X, s.Points[0].Y)
			}
		}
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 }) || p.Text != c.sentence {
			t.Errorf("%s: levels %v, %q, want %v, %q", c.reason, got, p.Text, c.want, c.sentence)
		}
	}
}

// TestTailSection checks that a kernel that matches and is held back by its last wave gets a picture, one that is full none.
func TestTailSection(t *testing.T) {
	r := sample.Many(3)
	if s := sample.Section(rundoc.FromResult(r, report.Provenance{}), report.SectionTail); s != nil {
		t.Errorf("a section of %d plots for kernels that no tail limits", len(s.Plots))
	}
	held := *r.Rows[1].Predicted
	held.Limits |= predict.LimitTail
	r.Rows[1].Predicted = &held
	s := sample.Section(rundoc.FromResult(r, report.Provenance{}), report.SectionTail)
	if s == nil || len(s.Plots) != 1 || s.In != report.Page {
		t.Fatalf("got %+v, want a section with one plot on pages", s)
	}
}

// TestReasoning checks the steps of an item: those of the model only where they lead to the row's own prediction.
func TestReasoning(t *testing.T) {
	r := sample.Gaussian()
	steps := func() string {
		it := sample.Section(rundoc.FromResult(r, report.Provenance{}), report.SectionAttention).Items[0]
		if it.Table != report.SectionKernels || it.Row != 0 {
			t.Errorf("the item is about row %d of %q", it.Row, it.Table)
		}
		var b strings.Builder
		for _, s := range it.Steps() {
			b.WriteString(s.Part[:1] + " " + s.Label + " = " + s.Value + "\n")
		}
		return b.String()
	}
	got := steps()
	for _, want := range []string{"M VTune's peak = 100.0 %\n", "M Measured occupancy = 62.7 %\n", "M Occupancy of XVEs that ran = 79.1 %\n", "M Mean life of a thread = 2.24 us\n",
		"M Difference = -36.8 points\n", "M Cause = gaps\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no step %q in\n%s", want, got)
		}
	}
	p, err := predict.Predict(r.Device, predict.Launch{Global: r.Rows[0].Global, Local: r.Rows[0].Local, SIMD: 32, Policy: predict.Free})
	if err != nil {
		t.Fatal(err)
	}
	r.Rows[0].Predicted = &p
	got = steps()
	for _, want := range []string{"P Threads per work-group = 32\n", "P Dispatch policy = free\n", "P GPU average occupancy = 99.5 %\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no step %q in\n%s", want, got)
		}
	}
	p.Average = unit.Ratio(0.5)
	if strings.Contains(steps(), "P ") {
		t.Error("the model's steps lead to another prediction than the row has, and are shown")
	}
}
