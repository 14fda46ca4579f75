package diffdoc

import (
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/report"
)

// printed returns the texts of a row as people read them, by path, or by key
// for columns without a path.
func printed[R any](row *R, cols []report.Col[R]) string {
	var parts []string
	for _, c := range cols {
		name := c.Path
		if name == "" {
			name = c.Key
		}
		if c.Kind != report.Object {
			parts = append(parts, name+"="+c.Print(c.Of(row)))
		}
	}
	return strings.Join(parts, " ")
}

// filled returns the texts of a row whose fields all have different values.
func filled[R any](cols []report.Col[R], start ...int64) string {
	row := new(R)
	testenv.Fill(row, append(start, 0)[0])
	return printed(row, cols)
}

// TestColumns checks that each column shows the value of its own field.
func TestColumns(t *testing.T) {
	row := &diff.Row{}
	next := testenv.Fill(row, 0)
	row.Verdict, row.Deltas = diff.Regression, nil
	for _, m := range append([]string{compare.MetricMeasured, compare.MetricResidual, compare.MetricPredicted,
		compare.MetricBusy, compare.MetricIdle, compare.MetricTime}, report.Strings(compare.Parts())...) {
		d := diff.Delta{}
		next = testenv.Fill(&d, next)
		if d.Metric = m; m == compare.MetricTime {
			d.Change = unit.Opt[float64]{}
		} else {
			d.Ratio = unit.Opt[float64]{}
		}
		row.Deltas = append(row.Deltas, d)
	}
	launch := func(c report.Col[diff.Row]) bool {
		return strings.HasPrefix(c.Path, "old.") || strings.HasPrefix(c.Path, "new.")
	}
	list := func(of func(report.Col[diff.Row]) bool) (cols []report.Col[diff.Row]) {
		for _, c := range kernelColumns {
			if of(c) {
				cols = append(cols, c)
			}
		}
		return cols
	}
	under := func(path string) []report.Col[diff.Row] {
		return list(func(c report.Col[diff.Row]) bool { return strings.HasPrefix(c.Path, path+".") })
	}
	for _, c := range []struct{ name, got, want string }{
		{"launches", printed(row, list(launch)),
			`old.global=7x7 new.global=26x26 old.local=8x8 new.local=27x27 old.simd=9 new.simd=28 old.adapter=adapter new.adapter=adapter old.grf=11 new.grf=30 old.slm_bytes_per_work_group=12 new.slm_bytes_per_work_group=31 old.file=file new.file=file old.line=16 new.line=35 old.runs=17 new.runs=36 old.unmeasurable_runs=19 new.unmeasurable_runs=38 old.total_seconds=20 new.total_seconds=39 old.spill_bytes=13 new.spill_bytes=32 old.private_bytes=14 new.private_bytes=33`},
		{"measured", printed(row, under("measured_percent")),
			`measured_percent.old.median=86.0 measured_percent.new.median=92.0 measured_percent.change_points=+96.0 measured_percent.ratio=- measured_percent.p=98.000 measured_percent.significant=yes measured_percent.old.n=85 measured_percent.old.low=87.0 measured_percent.old.high=88.0 measured_percent.old.confidence=89 measured_percent.new.n=91 measured_percent.new.low=93.0 measured_percent.new.high=94.0 measured_percent.new.confidence=95`},
		{"residual", printed(row, under("residual_points")),
			`residual_points.old.median=+105.0 residual_points.new.median=+111.0 residual_points.change_points=+115.0 residual_points.ratio=- residual_points.p=117.000 residual_points.significant=yes residual_points.old.n=104 residual_points.old.low=+106.0 residual_points.old.high=+107.0 residual_points.old.confidence=108 residual_points.new.n=110 residual_points.new.low=+112.0 residual_points.new.high=+113.0 residual_points.new.confidence=114`},
		{"predicted", printed(row, under("predicted_average_percent")),
			`predicted_average_percent.old.median=124.0 predicted_average_percent.new.median=130.0 predicted_average_percent.change_points=+134.0 predicted_average_percent.ratio=- predicted_average_percent.p=136.000 predicted_average_percent.significant=yes predicted_average_percent.old.n=123 predicted_average_percent.old.low=125.0 predicted_average_percent.old.high=126.0 predicted_average_percent.old.confidence=127 predicted_average_percent.new.n=129 predicted_average_percent.new.low=131.0 predicted_average_percent.new.high=132.0 predicted_average_percent.new.confidence=133`},
		{"busy", printed(row, under("busy_occupancy_percent")),
			`busy_occupancy_percent.old.median=143.0 busy_occupancy_percent.new.median=149.0 busy_occupancy_percent.change_points=+153.0 busy_occupancy_percent.ratio=- busy_occupancy_percent.p=155.000 busy_occupancy_percent.significant=yes busy_occupancy_percent.old.n=142 busy_occupancy_percent.old.low=144.0 busy_occupancy_percent.old.high=145.0 busy_occupancy_percent.old.confidence=146 busy_occupancy_percent.new.n=148 busy_occupancy_percent.new.low=150.0 busy_occupancy_percent.new.high=151.0 busy_occupancy_percent.new.confidence=152`},
		{"idle", printed(row, under("idle_percent")),
			`idle_percent.old.median=162.0 idle_percent.new.median=168.0 idle_percent.change_points=+172.0 idle_percent.ratio=- idle_percent.p=174.000 idle_percent.significant=yes idle_percent.old.n=161 idle_percent.old.low=163.0 idle_percent.old.high=164.0 idle_percent.old.confidence=165 idle_percent.new.n=167 idle_percent.new.low=169.0 idle_percent.new.high=170.0 idle_percent.new.confidence=171`},
		{"time", printed(row, under("average_seconds")),
			`average_seconds.old.median=181.000000 average_seconds.new.median=187.000000 average_seconds.change_points=- average_seconds.ratio=192.00 average_seconds.p=193.000 average_seconds.significant=yes average_seconds.old.n=180 average_seconds.old.low=182.000000 average_seconds.old.high=183.000000 average_seconds.old.confidence=184 average_seconds.new.n=186 average_seconds.new.low=188.000000 average_seconds.new.high=189.000000 average_seconds.new.confidence=190`},
		{"others", printed(row, list(func(c report.Col[diff.Row]) bool { return !launch(c) && !strings.Contains(c.Path, ".") })),
			`task=task launch_size=26x26 in 27x27, SIMD28 is_kernel=yes direction=direction runs=85 + 91 parts=- occupied_change_points=+210.0 underfilled_change_points=+229.0 idle_change_points=+248.0 shortfall_change_points=+267.0 last_wave_change_points=+286.0 launch_limit_change_points=+305.0 verdict=regression changes=- changes=what old -> new evidence=Changed: what old -> new. Measured occupancy 86.0 -> 92.0%: +96.0 points, within 100 (p = 98.000, 85 + 91 runs). Busy occupancy 143.0 -> 149.0%: +153.0 points, within 157 (p = 155.000, 142 + 148 runs). Predicted average 124.0 -> 130.0%: +134.0 points, within 138 (p = 136.000, 123 + 129 runs). Residual (measured - predicted average) 105.0 -> 111.0 points: +115.0 points, within 119 (p = 117.000, 104 + 110 runs): as predicted. Time per launch 181 s -> 187 s: 192.00x, within 195 (p = 193.000, 180 + 186 runs). Slots of underfilled XVEs 219.0 -> 225.0 points: +229.0 points, within 233 (p = 231.000, 218 + 224 runs). Slots of idle XVEs 238.0 -> 244.0 points: +248.0 points, within 252 (p = 250.000, 237 + 243 runs). Slots below the prediction 257.0 -> 263.0 points: +267.0 points, within 271 (p = 269.000, 256 + 262 runs). Slots of the last wave 276.0 -> 282.0 points: +286.0 points, within 290 (p = 288.000, 275 + 281 runs). Slots kept free by limits 295.0 -> 301.0 points: +305.0 points, within 309 (p = 307.000, 294 + 300 runs). On the new side, verdicts: evidence.`},
		{"part", filled(partColumns),
			`part=metric old.median=+5.0 new.median=+11.0 change_points=+15.0 ratio=16.00 p=17.000 significant=yes old.n=4 old.low=+6.0 old.high=+7.0 old.confidence=8 new.n=10 new.low=+12.0 new.high=+13.0 new.confidence=14`},
		{"change", filled(changeColumns),
			`what=what task=task old=old new=new`},
	} {
		if c.got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, c.got, c.want)
		}
	}
}
