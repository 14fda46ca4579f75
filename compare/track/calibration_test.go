package track

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"occudiff/compare"
	"occudiff/compare/history"
	"occudiff/compare/trend"
	"occudiff/ingest/unit"
)

// calibrate stores runs of kernels and returns the calibration of their group.
func calibrate(t *testing.T, runs, kernels int, difference func(run, kernel int) float64,
	edit func(run, kernel int, r *history.Row)) Calibration {
	t.Helper()
	db, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "h.db"), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for n := range runs {
		run := history.Run{Time: now.AddDate(0, 0, n), Device: "mtl-112", Driver: "24.1", VTune: "2025.0"}
		for k := range kernels {
			row := history.Row{Key: history.Key{Task: fmt.Sprint("k", k)}, Verdict: string(compare.Match)}
			row.Set(history.Measured, unit.Some(50.0))
			row.Set(history.Residual, unit.Some(difference(n, k)))
			row.Set(history.Difference, unit.Some(difference(n, k)))
			if edit != nil {
				edit(n, k, &row)
			}
			run.Rows = append(run.Rows, row)
		}
		if _, err := db.Add(t.Context(), run); err != nil {
			t.Fatal(err)
		}
	}
	m, err := NewMetric("measured", Settings{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := ReadReport(t.Context(), db, m, trend.DefaultParams(), now.AddDate(1, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Calibrations) == 0 {
		return Calibration{}
	}
	return r.Calibrations[0]
}

// text returns the numbers of a calibration on one line.
func (c *Calibration) text() string {
	return fmt.Sprintf("%dx%d %d: median %.1f, 10%% %.1f, 90%% %.1f, %s, drift %s, tolerance %s", c.Runs, c.Kernels, c.Rows,
		c.Median, c.P10, c.P90, c.Bias(), print(c.Drift), print(c.Tolerance))
}

func print(o unit.Opt[unit.Points]) string {
	if v, ok := o.Value(); ok {
		return fmt.Sprintf("%.1f", v)
	}
	return "-"
}

func TestCalibration(t *testing.T) {
	// 10 kernels that differ by -4 to 5 points in every run.
	balanced := func(_, k int) float64 { return float64(k) - 4 }
	leave := func(verdict compare.Verdict, unset ...history.Metric) func(run, kernel int, r *history.Row) {
		return func(run, _ int, r *history.Row) {
			if run > 0 {
				return
			}
			r.Verdict = string(verdict)
			for _, m := range unset {
				r.Set(m, unit.Opt[float64]{})
			}
		}
	}
	for _, c := range []struct {
		why           string
		runs, kernels int
		difference    func(run, kernel int) float64
		edit          func(run, kernel int, r *history.Row)
		want          string
	}{
		{"the nearest rank of each share", 12, 10, balanced, nil,
			"12x10 120: median 0.5, 10% -4.0, 90% 4.0, within noise, drift -, tolerance 4.0"},
		{"a tolerance is rounded up", 12, 10, func(_, k int) float64 { return (float64(k) - 4) * 1.01 }, nil,
			"12x10 120: median 0.5, 10% -4.0, 90% 4.0, within noise, drift -, tolerance 4.1"},
		{"most kernels measure less than predicted", 12, 10, func(_, k int) float64 { return -1 - float64(k) }, nil,
			"12x10 120: median -5.5, 10% -10.0, 90% -2.0, below, drift -, tolerance 9.0"},
		{"or more", 3, 10, func(_, k int) float64 { return 1 + float64(k) }, nil,
			"3x10 30: median 5.5, 10% 1.0, 90% 9.0, above, drift -, tolerance 9.0"},
		{"a kernel with many runs is one kernel", 40, 5, func(_, k int) float64 { return -1 - float64(k) }, nil,
			"40x5 200: median -3.0, 10% -5.0, 90% -1.0, undetermined, drift -, tolerance -"},
		{"29 rows are too few for a tolerance", 1, 29, func(_, k int) float64 { return float64(k%3) - 1 }, nil,
			"1x29 29: median 0.0, 10% -1.0, 90% 1.0, within noise, drift -, tolerance -"},
		{"a tolerance that accepts everything is none", 12, 10, func(_, k int) float64 { return -40 }, nil,
			"12x10 120: median -40.0, 10% -40.0, 90% -40.0, below, drift -, tolerance -"},
		{"later runs measure less", 12, 10, func(run, k int) float64 { return float64(k-4) - 3*float64(run/6) }, nil,
			"12x10 120: median -1.0, 10% -6.0, 90% 3.0, within noise, drift -3.0, tolerance 5.0"},
		{"one changed kernel is not a drift", 12, 10, func(run, k int) float64 {
			return float64(k-4) - 3*float64(run/6*(k/9))
		}, nil, "12x10 120: median 0.5, 10% -4.0, 90% 4.0, within noise, drift -, tolerance 4.0"},
		{"nine runs are too few for a drift", 9, 10, func(run, k int) float64 { return float64(k - 4 - run) }, nil,
			"9x10 90: median -3.5, 10% -9.0, 90% 2.0, within noise, drift -, tolerance 9.0"},
		{"ten runs are enough for a drift", 10, 10, func(run, k int) float64 { return float64(k-4) - 3*float64(run/5) }, nil,
			"10x10 100: median -1.0, 10% -6.0, 90% 3.0, within noise, drift -3.0, tolerance 5.0"},
		{"one of ten runs overlaps", 10, 10, func(run, k int) float64 {
			return float64(k-4) + []float64{0, 0.1, 0.2, 0.3, -3.05, -3, -3.1, -3.2, -3.3, -3.4}[run]
		}, nil, "10x10 100: median -1.2, 10% -6.1, 90% 3.1, within noise, drift -, tolerance 6.1"},
		{"another mix of kernels is no drift", 12, 10, balanced, func(run, k int, r *history.Row) {
			if run < 6 && k < 5 {
				r.Set(history.Difference, unit.Opt[float64]{})
			}
		}, "12x10 90: median 2.0, 10% -3.0, 90% 5.0, within noise, drift -, tolerance 5.0"},
		{"unmeasurable rows are left out", 4, 10, balanced, leave(compare.Unmeasurable),
			"3x10 30: median 0.5, 10% -4.0, 90% 4.0, within noise, drift -, tolerance 4.0"},
		{"no row has both", 1, 2, balanced, leave(compare.NoMeasurement, history.Measured, history.Residual, history.Difference),
			"0x0 0: median 0.0, 10% 0.0, 90% 0.0, undetermined, drift -, tolerance -"},
	} {
		got := calibrate(t, c.runs, c.kernels, c.difference, c.edit)
		if got.text() != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.why, got.text(), c.want)
		}
		if of := got.Device + got.Driver + got.VTune; got.Rows > 0 && of != "mtl-11224.12025.0" {
			t.Errorf("%s: the group is %s", c.why, of)
		}
	}
	for _, c := range []struct {
		reason string
		edit   func(run, kernel int, r *history.Row)
	}{
		{"unmeasurable", leave(compare.Unmeasurable)},
		{"possible", leave(compare.Possible, history.Measured)},
		{"no measurement", leave(compare.NoMeasurement, history.Measured, history.Residual, history.Difference)},
		{"no prediction", leave(compare.NoPrediction, history.Residual, history.Difference)},
		{"without a difference", leave(compare.Match, history.Difference)}, // from an older history
	} {
		if got := calibrate(t, 2, 3, balanced, c.edit); len(got.LeftOut) != 1 || got.LeftOut[c.reason] != 3 || got.Rows != 3 {
			t.Errorf("%s: %v left out, %d counted, want 3 and 3", c.reason, got.LeftOut, got.Rows)
		}
	}
}
