package compare_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/summary"
	"occudiff/ingest/unit"
	"occudiff/ingest/unitrace"
	"occudiff/ingest/vtune"
	"occudiff/internal/testenv"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// corpus returns the folder of real profiler output.
func corpus(t *testing.T) string {
	t.Helper()
	return testenv.Shared(t, "corpus")
}

func device(t *testing.T, q arch.Query) *arch.Device {
	t.Helper()
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.Find(q)
	if err != nil {
		t.Fatal(err)
	}
	return m.Device
}

func given(d *arch.Device) compare.Choice { return compare.Choice{Choice: arch.Choice{Device: d}} }

func readRun(t *testing.T, dev *arch.Device, paths ...string) *compare.Result {
	t.Helper()
	run, err := ingest.Read(context.Background(), paths,
		ingest.Options{Formats: []ingest.Format{vtune.Format, summary.Format, unitrace.Format}})
	if err != nil {
		t.Fatal(err)
	}
	return compare.Compare(run, given(dev), compare.DefaultOptions())
}

func find(t *testing.T, r *compare.Result, task string) *compare.Row {
	t.Helper()
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Task == task || len(row.Task) > len(task) && row.Task[:len(task)] == task {
			return row
		}
	}
	t.Fatalf("no row %s", task)
	return nil
}

func text[T ~float64](o unit.Opt[T], format string, scale float64) string {
	v, ok := o.Value()
	if !ok {
		return "-"
	}
	if s := fmt.Sprintf(format, float64(v)*scale); s != "-0.0" {
		return s
	}
	return "0.0"
}

// TestBreakdownOfRealRuns compares every digit of the breakdowns of real runs:
// occupied, idle XVEs, busy occupancy, underfilled, idle, intervals per launch,
// and the share of instructions in rows of kernels.
func TestBreakdownOfRealRuns(t *testing.T) {
	root, mtl := corpus(t), device(t, arch.Query{Name: "mtl", XVEs: 112})
	for _, c := range []struct {
		file, task, want string
		verdict          compare.Verdict
	}{
		{"vtune-csv/cl_gemm.hotspots.csv", "GEMM", "94.0 4.7 98.6 0.0 3.3 2.40 .75", compare.Match},
		{"vtune-csv/cl_gemm.offload.csv", "GEMM", "91.4 6.4 97.6 0.0 4.0 2.42 .90", compare.Match},
		{"vtune-csv/cl_gemm_second.hotspots.csv", "GEMM", "88.2 9.9 97.9 0.0 7.7 1.67 .74", compare.Match},
		{"vtune-csv/cl_gemm_second.offload.csv", "GEMM", "87.7 10.5 98.0 0.0 8.4 1.72 .73", compare.Match},
		{"vtune-csv/ze_gemm.hotspots.csv", "GEMM", "90.3 8.1 98.3 0.0 6.3 2.45 .77", compare.Match},
		{"vtune-csv/ze_gemm.offload.csv", "GEMM", "90.8 7.6 98.3 0.0 5.8 2.30 .77", compare.Match},
		{"vtune-csv/bench_gaussian.hotspots.csv", "Fan2", "62.7 20.7 79.1 16.2 20.6 .61 .64", compare.Below},
		{"vtune-csv/bench_gaussian.offload.csv", "Fan2", "48.6 43.0 85.3 8.1 42.8 .62 .35", compare.Unmeasurable},
		{"unitrace/query_gemm_fp16.txt", "hgemm", "46.8 6.3 49.99 0.0 3.2 - -", compare.Match},
	} {
		dev := mtl
		if filepath.Dir(c.file) == "unitrace" {
			dev = device(t, arch.Query{Name: "max1100"})
		}
		r := readRun(t, dev, filepath.Join(root, c.file))
		row := find(t, r, c.task)
		if row.Verdict != c.verdict {
			t.Errorf("%s: %s, want %s", c.file, row.Verdict, c.verdict)
		}
		a := row.Breakdown
		if (a == nil) != (c.verdict == compare.Unmeasurable) {
			t.Fatalf("%s: account %+v of a row that is %s", c.file, a, c.verdict)
		}
		if a == nil { // without a breakdown, the parts are still known
			a = r.IfBelow(*row)
		}
		loaded := "%.1f"
		intervals, own := "-", "-"
		if row.Reading == ingest.AroundLaunch {
			loaded = "%.2f"
		} else {
			n, _ := a.Certainty.Intervals.Value()
			x, _ := a.Certainty.Misattributed.Value()
			intervals, own = trim(n), trim(1-float64(x))
		}
		got := fmt.Sprintf("%.1f %s %s %s %s %s %s", float64(a.Points(compare.PartOccupied).Or(0)), text(row.Idle,
			"%.1f", 100), text(row.BusyOccupancy, loaded, 100),
			text(a.Points(compare.PartUnderfilled), "%.1f", 1), text(a.Points(compare.PartIdle), "%.1f", 1),
			intervals, own)
		if got != c.want {
			t.Errorf("%s %s: %s, want %s", c.file, c.task, got, c.want)
		}
	}
}

// trim prints two decimals without a zero before the point.
func trim(v float64) string {
	s := fmt.Sprintf("%.2f", v)
	if s[0] == '0' {
		return s[1:]
	}
	return s
}

// TestFan2 checks that both parts of the kernel Fan2 have a named cause, the
// larger part first, with the measurement that confirms the cause.
func TestFan2(t *testing.T) {
	root, mtl := corpus(t), device(t, arch.Query{Name: "mtl", XVEs: 112})
	r := readRun(t, mtl, filepath.Join(root, "vtune-csv/bench_gaussian.hotspots.csv"))
	row := find(t, r, "Fan2")
	a := row.Breakdown
	if *row.Cause != a.Causes[0] {
		t.Errorf("cause %+v", row.Cause)
	}
	want := []compare.Cause{
		{Part: compare.PartIdle, Name: compare.CauseGaps, Confidence: compare.Low,
			Evidence: "A launch lasts 0.6 of a sampling interval, so time between launches may be included, up to 16.4 of " +
				"the missing points. It cannot be distinguished from idle time within launches.",
			ConfirmWith: "a trace, or gpu-sampling-interval 0.1", Next: compare.NextStep{Action: compare.Trace}},
		{Part: compare.PartUnderfilled, Name: compare.CauseDispatch, Confidence: compare.Low, // low: launches are short
			Evidence:    "The mean thread lifetime is 2.2 to 2.8 us: the dispatcher may not keep up.",
			ConfirmWith: "a trace, or a computing-instance export", Next: compare.NextStep{Action: compare.Trace}},
	}
	if points := a.Causes[0].Explains.Or(0); math.Abs(float64(points)-16.4) > 0.05 {
		t.Errorf("gaps explain %v points", points)
	}
	a.Causes[0].Explains = unit.Opt[unit.Points]{}
	for i := range a.Causes {
		a.Causes[i].Ground = 0 // the ground is not compared, only the confidence that follows from it
	}
	if len(a.Causes) != 2 || a.Causes[0] != want[0] || a.Causes[1] != want[1] {
		t.Errorf("causes %+v", a.Causes)
	}
	if lost, _ := a.Lost.Value(); math.Abs(float64(lost)-0.394) > 0.001 {
		t.Errorf("lost %v s", lost)
	}
	row = find(t, readRun(t, mtl, filepath.Join(root, "vtune-csv/bench_gaussian.offload.csv")), "Fan2")
	if row.Cause.Name != compare.CauseSampling || !strings.HasPrefix(row.Cause.Evidence, "Only 35% of all XVE instr") ||
		!strings.HasSuffix(row.Cause.Evidence, "The launches alone have 48.5 to 87.4%.") {
		t.Errorf("offload: %+v", row.Cause)
	}
}

// addsUp checks that a breakdown adds up to 100 points, before rounding and as
// printed.
func addsUp(t *testing.T, why any, a *compare.SlotBreakdown) {
	t.Helper()
	var sum, printed, drawn float64
	points, shown := a.Rounded(), a.Drawable()
	for _, p := range compare.Parts() {
		v, _ := a.Points(p).Value()
		sum += float64(v)
		printed += float64(points.Of(p).Or(0))
		drawn += shown.Of(p)
		if shown.Of(p) < 0 || math.Abs(float64(points.Of(p).Or(0)-v)) > 0.1+1e-6 {
			t.Fatalf("%v: %s is %v, printed %v, drawn %v", why, p, v, points.Of(p), shown.Of(p))
		}
	}
	if math.Abs(sum-100) > 1e-9 || math.Abs(printed-100) > 1e-9 || math.Abs(drawn-100) > 1e-9 {
		t.Fatalf("%v: %+v adds up to %v, printed %v, drawn %v", why, a, sum, printed, drawn)
	}
}

// broken matches text that no output may contain: NaN, an infinite number, or a
// formatting mistake.
var broken = regexp.MustCompile(`NaN|Inf\b|%!|<nil>`)

// TestBreakdownsAddUp checks that the breakdowns of every row of the corpus and
// of 10,000 random rows add up, and that no text of these rows is broken.
func TestBreakdownsAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	devices := []*arch.Device{device(t, arch.Query{Name: "mtl", XVEs: 112}), device(t, arch.Query{Name: "max1100"}),
		device(t, arch.Query{Name: "b580"}), device(t, arch.Query{Name: "uhd-p630"}), device(t,
			arch.Query{Name: "b390"})}
	accounts := 0
	for i := range 10000 {
		share := func(most float64) unit.Opt[unit.Ratio] {
			if r.IntN(8) == 0 {
				return unit.Opt[unit.Ratio]{}
			}
			return unit.Some(unit.FromPercent(math.Round(r.Float64()*most*10) / 10))
		}
		k := ingest.Kernel{Task: "k", Global: unit.Size(int64(1+r.IntN(1<<20)), int64(1+r.IntN(4))),
			Local: unit.Size(int64(1 + r.IntN(512))),
			SIMD:  unit.Some(16), Instances: unit.Some(int64(1 + r.IntN(1000))),
			Total:    unit.Some(unit.Seconds(r.Float64() * 10)),
			Measured: share(100), Idle: share(60), Peak: share(100), Active: share(50), Stalled: share(50),
			Reading: ingest.Reading(max(r.IntN(15)-12, 0))}
		if r.IntN(4) == 0 {
			k.Global = unit.Size3{}
		}
		if r.IntN(4) == 0 {
			k.Barriers = unit.Some(int64(1))
		}
		if r.IntN(8) == 0 { // times from hours down to values that are printed as 0
			k.Total = unit.Some(unit.Seconds(math.Round(math.Pow(10, 4-r.Float64()*11)*1e6) / 1e6))
		}
		res := compare.Compare(&ingest.Run{Kernels: []ingest.Kernel{k}, Instructions: ingest.Instructions{Kernels: 1,
			All: 1 + r.Float64()}}, given(devices[i%len(devices)]), compare.DefaultOptions())
		row := &res.Rows[0]
		a := row.Breakdown
		text := ""
		for _, n := range row.Notes {
			text += " " + n.Text
		}
		if c := row.Cause; c != nil {
			text += " " + c.Evidence + " " + c.ConfirmWith
		}
		if a != nil {
			text += fmt.Sprint(a.Causes)
		}
		if broken.MatchString(text) {
			t.Fatalf("%+v: %s", k, text)
		}
		switch row.Verdict {
		case compare.Match, compare.MatchWhileBusy, compare.Below:
		default:
			if a != nil {
				t.Fatalf("%+v is %s and has an account", k, row.Verdict)
			}
		}
		if a == nil {
			continue
		}
		accounts++
		addsUp(t, k, a)
		if row.Verdict == compare.Below && *row.Cause != a.Causes[0] {
			t.Fatalf("%+v: cause %+v, of its account %+v", k, row.Cause, a.Causes)
		}
	}
	if accounts < 1500 {
		t.Errorf("only %d accounts", accounts)
	}
	root := corpus(t)
	for _, f := range []string{"vtune-csv/*.hotspots.csv", "vtune-csv/*.offload.csv", "vtune-summary/*",
		"unitrace/query*"} {
		files, _ := filepath.Glob(filepath.Join(root, f))
		for _, file := range files {
			run, err := ingest.Read(context.Background(), []string{file},
				ingest.Options{Formats: []ingest.Format{vtune.Format, summary.Format, unitrace.Format}})
			if err != nil {
				continue
			}
			for _, dev := range devices {
				res := compare.Compare(run, given(dev), compare.DefaultOptions())
				for i := range res.Rows {
					row := &res.Rows[i]
					if a := row.Breakdown; a != nil {
						addsUp(t, file+" "+row.Task, a)
					}
				}
			}
		}
	}
}

// TestPolicyOfBreakdown checks the policy of a breakdown. If both policies
// predict the same occupancy, work-groups stay whole. If the predictions
// differ, idle XVEs have no cause.
func TestPolicyOfBreakdown(t *testing.T) {
	mtl := device(t, arch.Query{Name: "mtl", XVEs: 112})
	of := func(global, local int64, peak, seen float64) (*compare.SlotBreakdown, *compare.Row) {
		k := ingest.Kernel{Task: "k", Global: unit.Size(global), Local: unit.Size(local), SIMD: unit.Some(32),
			Instances: unit.Some(int64(10)),
			Total:     unit.Some(unit.Seconds(1)), Measured: unit.Some(unit.FromPercent(seen)),
			Idle: unit.Some(unit.FromPercent(90 - seen)), Peak: unit.Some(unit.FromPercent(peak))}
		r := compare.Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(mtl), compare.DefaultOptions())
		row := &r.Rows[0]
		return row.Breakdown, row
	}
	if a, row := of(512*512, 1024, 100, 30); a.Policy != predict.Whole || row.Predicted.Policy != predict.Free ||
		row.Cause.Name != compare.CauseImbalance {
		t.Errorf("the same under both: %v, predicted %v, %+v", a.Policy, row.Predicted.Policy, row.Cause)
	}
	// Work-groups of 20 threads fill 120 of 128 slots of an Xe-core when they
	// stay whole.
	if a, row := of(32*20*44, 640, 98.2, 30); a.Policy != predict.Free || !row.XVEs.Other.Present() ||
		row.Cause.Part != compare.PartIdle || row.Cause.Name != compare.CauseUnexplained {
		t.Errorf("differing: %v, %+v, %+v", a.Policy, row.XVEs, row.Cause)
	}
	// Whole work-groups of 28 threads would fill only 112 of 128 slots, which
	// is less than the measured value.
	if a, row := of(32*28*1000, 896, 100, 89); a.Policy != predict.Free || row.XVEs.Other.Present() ||
		row.Cause.Name == compare.CauseUnexplained {
		t.Errorf("one ruled out: %v, %+v, %+v", a.Policy, row.XVEs, row.Cause)
	}
}
