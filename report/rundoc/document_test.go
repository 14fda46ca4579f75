package rundoc_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/machine"
	"occudiff/report/rundoc"
)

// TestContractFields compares the names and the order of the JSON fields with
// the contract, which is repeated here.
func TestContractFields(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{rundoc.Validate{}, "schema device consistent_devices,omitempty inputs rows timings summary notes trace,omitempty over_time,omitempty also,omitempty"},
		{compare.Summary{}, "kernels matched matched_while_busy below above unmeasurable no_prediction no_measurement not_kernels model_compared model_matched unexplained judged not_judged " +
			"bias_points mean_absolute_points max_absolute_points rmse_points pearson spearman total"},
	} {
		typ := reflect.TypeOf(c.value)
		var names []string
		for i := range typ.NumField() {
			if f := typ.Field(i); f.IsExported() && f.Tag.Get("json") != "-" {
				names = append(names, f.Tag.Get("json"))
			}
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", typ.Name(), got, c.want)
		}
	}
}

// TestContractColumns compares the row fields and their order with the
// contract, which is repeated here. A test in package machine does the same for
// CSV.
func TestContractColumns(t *testing.T) {
	var got []string
	for _, c := range rundoc.Rows(report.Selection{}).Columns {
		if c.Path != "" {
			got = append(got, c.Path)
		}
	}
	const want = "task global local simd direction file line instances total_seconds average_seconds predicted " +
		"predicted.policy predicted.threads_per_work_group predicted.work_groups predicted.work_groups_per_xe_core " +
		"predicted.limits predicted.xe_core_percent predicted.peak_percent predicted.average_percent " +
		"predicted.average_high_percent predicted.waves predicted.tail_percent profiler_peak_percent measured_percent " +
		"measured_low_percent measured_high_percent own_low_percent own_high_percent printed_percent active_percent stalled_percent idle_percent idle_low_percent idle_high_percent " +
		"busy_occupancy_percent threads_started thread_life_seconds basis difference_points " +
		"model_difference_points verdict cause cause.name cause.confidence cause.evidence cause.confirm_with slot_breakdown slot_breakdown.occupied " +
		"slot_breakdown.underfilled slot_breakdown.idle slot_breakdown.shortfall slot_breakdown.last_wave slot_breakdown.launch_limit slot_breakdown.policy " +
		"slot_breakdown.predicted_idle_percent slot_breakdown.launch_intervals slot_breakdown.own_share slot_breakdown.outside_launches_bound slot_breakdown.other_tasks_bound " +
		"slot_breakdown.misattributed_share slot_breakdown.lost_seconds slot_breakdown.causes possible_fix possible_fix.action possible_fix.bound possible_fix.text registers_per_thread spill_bytes private_bytes potential_speedup potential_speedup.verdicts potential_speedup.more_threads_bound potential_speedup.balancing_bound potential_speedup.evidence " +
		"potential_speedup.more_threads_formula potential_speedup.balancing_formula counters notes launches launches.seconds.min launches.seconds.median launches.seconds.max " +
		"launches.measured_percent launches.measured_percent.min launches.measured_percent.median " +
		"launches.measured_percent.max"
	if diff := cmp.Diff(strings.Fields(want), got); diff != "" {
		t.Error(diff)
	}
}

// TestFirstColumns checks that every key in FirstKernels is the key of a
// column.
func TestFirstColumns(t *testing.T) {
	table := rundoc.Rows(report.Selection{})
	for _, key := range rundoc.FirstKernels {
		if i := table.Column(key); i < 0 || table.Columns[i].Title == "" {
			t.Errorf("%s is no column that people see", key)
		}
	}
}

// TestListsAreNeverNull checks that lists in JSON are not null, even for runs
// with few values.
func TestListsAreNeverNull(t *testing.T) {
	lists := map[string]bool{"inputs": true, "rows": true, "timings": true, "notes": true, "global": true, "local": true, "limits": true}
	var walk func(where string, v any)
	walk = func(where string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, x := range v {
				if lists[k] && x == nil {
					t.Errorf("%s.%s is null", where, k)
				}
				walk(where+"."+k, x)
			}
		case []any:
			for _, x := range v {
				walk(where+"[]", x)
			}
		}
	}
	for _, r := range []*compare.Result{sample.Empty(), sample.Absent(), sample.LogsOnly(), sample.Gaussian()} {
		var b bytes.Buffer
		if err := machine.JSON(&b, sample.Output(r).Value); err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(b.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		walk("", v)
	}
}

// TestUnwritableNumbersAreNull checks that NaN and infinities do not cause an
// error in JSON, and that no table contains them.
func TestUnwritableNumbersAreNull(t *testing.T) {
	r := sample.Gaussian()
	r.Rows[0].Measured = unit.Some(unit.Ratio(math.NaN()))
	r.Rows[0].Difference = unit.Some(unit.Points(math.Inf(-1)))
	r.Summary.Pearson = unit.Some(math.NaN())
	v := sample.Output(r).Value.(*rundoc.Validate)
	row := firstRow(t, v)
	if row["measured_percent"] != nil || row["difference_points"] != nil || string(must(json.Marshal(v.Summary.Pearson))) != "null" {
		t.Error("a number that JSON cannot write is there")
	}
	table := sample.Find(rundoc.FromResult(r, report.Provenance{}), report.SectionKernels)
	for i, cell := range table.Row(0, nil) {
		if math.IsNaN(cell.Num) || math.IsInf(cell.Num, 0) {
			t.Errorf("column %s holds %v", table.Columns[i].Key, cell.Num)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// firstRow returns the first row in JSON.
func firstRow(t *testing.T, v *rundoc.Validate) map[string]any {
	t.Helper()
	var b bytes.Buffer
	if err := machine.JSON(&b, v.Rows); err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(b.Bytes(), &rows); err != nil {
		t.Fatal(err)
	}
	return rows[0]
}

func TestWorkGroupsUnknown(t *testing.T) {
	r := sample.Gaussian()
	// The prediction is changed to the prediction of a kernel without a global
	// size.
	at := r.Rows[0].Predicted
	at.Groups, at.Peak, at.Average, at.AverageHigh, at.Waves, at.LastWaveOccupancy = 0, 0, 0, 0, 0, 0
	p := firstRow(t, sample.Output(r).Value.(*rundoc.Validate))["predicted"].(map[string]any)
	for _, key := range []string{"work_groups", "peak_percent", "average_percent", "waves", "tail_percent"} {
		if p[key] != nil {
			t.Errorf("without a global size %s is %v; want null: not known is not zero", key, p[key])
		}
	}
	if p["xe_core_percent"] != 100.0 {
		t.Error("the Xe-core's figure needs no global size")
	}
}

// TestTablesAreValid checks every table of every sample: a row has one cell per
// column, of the declared kind.
func TestTablesAreValid(t *testing.T) {
	for _, r := range []*compare.Result{sample.Gaussian(), sample.Hostile(), sample.Absent(), sample.LogsOnly(), sample.Empty(), sample.Many(3)} {
		d := rundoc.FromResult(r, report.Provenance{Version: "v0"})
		for _, s := range d.Sections {
			for _, table := range s.Tables {
				checkTable(t, d, table)
			}
		}
	}
}

func checkTable(t *testing.T, d *report.Document, table *report.Table) {
	keys := map[string]bool{}
	for _, c := range table.Columns {
		if keys[c.Key] || c.Key == "" || c.Heading() == "" {
			t.Errorf("%s: column %q occurs twice or has no heading", table.Key, c.Key)
		}
		keys[c.Key] = true
	}
	for i := range table.Len {
		row := table.Row(i, nil)
		if len(row) != len(table.Columns) {
			t.Fatalf("%s: row %d has %d cells, want %d", table.Key, i, len(row), len(table.Columns))
		}
		for k, cell := range row {
			want := table.Columns[k].Kind
			mixed := table.Columns[k].Key == "value"
			if cell.Kind != report.Absent && cell.Kind != want && !mixed {
				t.Errorf("%s: row %d, column %s is of kind %d, want %d", table.Key, i, table.Columns[k].Key, cell.Kind, want)
			}
		}
	}
}

// TestWorkbookColumns checks the columns that only the workbook has. Fan1 has 16
// work-items in sub-groups of 32.
func TestWorkbookColumns(t *testing.T) {
	d := rundoc.FromResult(sample.Gaussian(), report.Provenance{})
	table := sample.Find(d, report.SectionKernels)
	columns := map[string]int{}
	for i, c := range table.Columns {
		columns[c.Key] = i
	}
	for i, want := range []struct {
		lanes, share float64
		threads      int64
	}{{0, 100 * 1.070996 / 1.112048, 131072 * 2047}, {50, 100 * 0.037689 / 1.112048, 128 * 2047}} {
		row := table.Row(i, nil)
		for key, w := range map[string]float64{"idle_lanes": want.lanes, "time_share": want.share} {
			if got := row[columns[key]].Num; math.Abs(got/w-1) > 1e-3 && got != w {
				t.Errorf("%s of row %d is %v, want %v", key, i, got, w)
			}
		}
		if got := row[columns["threads_predicted"]].Int; got != want.threads {
			t.Errorf("%d threads predicted, want %d", got, want.threads)
		}
	}
	for _, c := range []struct {
		why  string
		row  compare.Row
		want bool
	}{
		{"no prediction", compare.Row{Kernel: &ingest.Kernel{Instances: unit.Some(int64(3))}}, false},
		{"no count", compare.Row{Kernel: &ingest.Kernel{}, Predicted: &predict.Prediction{Groups: 2, ThreadsPerGroup: 4}}, false},
		{"a count that is too large", compare.Row{Kernel: &ingest.Kernel{Instances: unit.Some(int64(math.MaxInt64))}, Predicted: &predict.Prediction{Groups: 2, ThreadsPerGroup: 4}}, false},
		{"prediction and count", compare.Row{Kernel: &ingest.Kernel{Instances: unit.Some(int64(3))}, Predicted: &predict.Prediction{Groups: 2, ThreadsPerGroup: 4}}, true},
	} {
		if n, ok := c.row.ThreadsPredicted().Value(); ok != c.want || ok && n != 24 {
			t.Errorf("%s: %d, %v", c.why, n, ok)
		}
	}
}

func TestProvenance(t *testing.T) {
	d := rundoc.FromResult(sample.Gaussian(), report.Provenance{Version: "v1.2.3", CommandLine: []string{"occudiff", "validate", "it's.csv", ""}, Label: "nightly"})
	got := map[string]string{}
	table := sample.Find(d, report.SectionProvenance)
	for i := range table.Len {
		row := table.Row(i, nil)
		got[row[0].Text] = report.Column{}.Print(row[1])
	}
	for _, key := range []string{"Collected", "Device as printed", "Named by"} {
		if got[key] == "" {
			t.Errorf("%s is not said", key)
		}
		delete(got, key)
	}
	want := map[string]string{
		"Made by": "occudiff v1.2.3", "Command line": `occudiff validate 'it'\''s.csv' ''`, "Label": "nightly",
		"Tolerance": "5 points; 0.1 points for VTune's peak", "Sampling interval": "1 ms, assumed", "Device": "Meteor Lake Arc Graphics (mtl-112), 7 Xe-cores x 16 XVE x 8 threads = 896 thread slots", "Chosen by": "the summary: 112 XVE", "XVEs": "112", "Operating system": "Linux",
		"Digest":                "sha256:fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210",
		"Input":                 "bench_gaussian.hotspots.txt: vtune-summary, 31 rows, 1 unreadable",
		"Source of its figures": "a summary that prints 112 XVE", "VTune's peak": "agrees with the prediction on 2 of 2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLaunches checks that the kernel table has the launch spread once, if the
// run has it.
func TestLaunches(t *testing.T) {
	for _, spread := range []*ingest.LaunchSpread{nil, {MinSeconds: 1e-6, MedianSeconds: 2e-6, MaxSeconds: 4e-6,
		MinMeasured: unit.Some(unit.Ratio(0.25)), MedianMeasured: unit.Some(unit.Ratio(0.5)), MaxMeasured: unit.Some(unit.Ratio(0.75))}} {
		r := sample.Gaussian()
		r.Rows[0].Launches = spread
		table := sample.Find(rundoc.FromResult(r, report.Provenance{}), "kernels")
		got := map[string]float64{}
		for i, c := range table.Columns {
			if strings.HasPrefix(c.Key, "launch_m") {
				for row := range table.Len {
					if cell := table.Row(row, nil)[i]; cell.Kind != report.Absent {
						got[c.Key] = c.Scaled(cell)
					}
				}
			}
		}
		want := map[string]float64{}
		if spread != nil {
			want = map[string]float64{"launch_min": 1, "launch_median": 2, "launch_max": 4,
				"launch_measured_min": 25, "launch_measured_median": 50, "launch_measured_max": 75}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("spread %v (-want +got):\n%s", spread, diff)
		}
	}
}
