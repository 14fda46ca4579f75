package predictdoc_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
	"occudiff/report"
	"occudiff/report/machine"
	"occudiff/report/predictdoc"
)

func on(t *testing.T, name string) arch.Choice {
	t.Helper()
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.Find(arch.Query{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return arch.Choice{Device: m.Device}
}

// answered fails the test on an error, and returns the output and its value as
// JSON.
func answered(t *testing.T, ans *report.Output, err error) (*report.Output, string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var written, compact bytes.Buffer
	if err := machine.JSON(&written, ans.Value); err != nil {
		t.Fatal(err)
	}
	if err := json.Compact(&compact, written.Bytes()); err != nil {
		t.Fatal(err)
	}
	return ans, compact.String()
}

func contains(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

// TestPredictJSONWithoutValues checks that absent values are null, and that lists
// are never null, even if nothing is known.
func TestPredictJSONWithoutValues(t *testing.T) {
	q := predictdoc.Question{Launch: predict.Launch{Local: unit.Size(256), SIMD: 16}, On: []arch.Choice{on(t, "tgl")}}
	ans, err := predictdoc.Predict(&q)
	_, text := answered(t, ans, err)
	contains(t, text, `"work_groups":null`, `"peak_percent":null`, `"waves":null`, `"by_slm":null`, `"by_barriers":null`,
		`"by_threads":7`, `"limits":["threads"]`)

	q = predictdoc.Question{Launch: predict.Launch{Local: unit.Size(256), SIMD: 8}, On: []arch.Choice{on(t, "tgl"), on(t, "b580")}}
	ans, err = predictdoc.Predict(&q)
	_, text = answered(t, ans, err)
	contains(t, text, `"global":[]`, `"status":"error"`, `"message":"`, `"predicted":null`, `"steps":[]`, `"notes":[]`)

	q.Launch = predict.Launch{}
	if _, err := predictdoc.Predict(&q); err == nil || !strings.Contains(err.Error(), "runs on none of the 2 devices; on tgl-96: the launch has no work-group size") {
		t.Errorf("a launch of nothing: %v", err)
	}
}

// TestRegistersSelectMode checks that the number of registers that a kernel
// needs selects the GRF mode of each device.
func TestRegistersSelectMode(t *testing.T) {
	q := predictdoc.Question{Launch: predict.Launch{Local: unit.Size(256), SIMD: 16}, Registers: 200,
		On: []arch.Choice{on(t, "max1550"), on(t, "tgl")}}
	ans, err := predictdoc.Predict(&q)
	_, text := answered(t, ans, err)
	contains(t, text, "TGL Iris Xe Graphics (96 EU) has at most 128 registers per thread, not 200 (a kernel that needs more spills)")
	if got := ans.Table.Row(0, nil)[ans.Table.Column("registers_per_thread")]; got.Int != 256 {
		t.Errorf("the mode is %+v, want 256", got)
	}
}

// TestCalculatorNaN checks that the number of waves is null if no work-group
// fits. The calculator shows NaN in this case, which JSON does not have.
func TestCalculatorNaN(t *testing.T) {
	table, err := calculator.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	d, err := table.Find("fam:xe2_hpg", 160)
	if err != nil {
		t.Fatal(err)
	}
	// These are the inputs of row g9 of the reference.
	ans, err := predictdoc.Calculator(&d, calculator.Input{Global: "24080", Local: "1,16,1", SIMD: 32, SLMKB: 170, Barrier: true})
	_, text := answered(t, ans, err)
	contains(t, text, `"work_groups_per_xe_core":0`, `"waves":null`, `"peak_percent":0`, `"work_groups":1505`)
}

// TestWhatIfIsLabeled checks that a what-if is not shown as a prediction.
func TestWhatIfIsLabeled(t *testing.T) {
	tgl := on(t, "tgl")
	ans, err := predictdoc.Timeline(t.Context(), &tgl, predict.Launch{Local: unit.Size(320), Global: unit.Size(2560), SIMD: 8}, 2)
	ans, _ = answered(t, ans, err)
	contains(t, strings.Join(ans.Doc.Headline, "\n"), "A what-if, not a prediction: policy partial with 2 dispatch ports")
	contains(t, ans.Doc.Closing, "The prediction (policy free) is peak 47.6%, average 47.6%.")
	contains(t, strings.Join(ans.Doc.Sections[1].Text, "\n"), "what-if")
	contains(t, ans.Chart.Title, "what-if, not a prediction")
}

// TestRejectionsAppearOnce checks that each kind of rejection is explained once
// for several devices.
func TestRejectionsAppearOnce(t *testing.T) {
	ans, err := predictdoc.Predict(&predictdoc.Question{Launch: predict.Launch{Local: unit.Size(256), SIMD: 8},
		On: []arch.Choice{on(t, "b580"), on(t, "b570"), on(t, "tgl")}})
	ans, _ = answered(t, ans, err)
	items := ans.Doc.Sections[1].Items
	if len(items) != 1 || items[0].Lead != "simd unsupported" || !strings.HasPrefix(items[0].Text, "Intel(R) Arc(TM) B580 Graphics has no") {
		t.Errorf("items %+v", items)
	}
	if want := "Highest Xe-core occupancy: 85.7% on tgl-96. It cannot run on 2 of 3 devices."; ans.Doc.Closing != want {
		t.Errorf("got %q, want %q", ans.Doc.Closing, want)
	}
}

// TestSweepChart checks that values at which the launch cannot run are gaps,
// and that the chart has only one curve if there is no global size.
func TestSweepChart(t *testing.T) {
	b580 := on(t, "b580") // a device that does not support SIMD8
	l := predict.Launch{Local: unit.Size(256), SIMD: 8}
	ans, err := predictdoc.Sweep(&b580, l, "simd")
	ans, _ = answered(t, ans, err)
	if c := ans.Chart.LineChart; len(c.Series) != 1 || !math.IsNaN(c.Series[0].Points[0].Y) || math.IsNaN(c.Series[0].Points[1].Y) {
		t.Errorf("series %+v", c.Series)
	}
	l.Global, l.SIMD = unit.Size(1<<20), 16
	ans, err = predictdoc.Sweep(&b580, l, "simd")
	ans, _ = answered(t, ans, err)
	if c := ans.Chart.LineChart; len(c.Series) != 4 || c.Series[3].Name != "this launch" || c.Series[3].Points[0].X != 16 {
		t.Errorf("series %+v", c.Series)
	}
}

// TestAdviceDoesNotContradictItself checks that the advice never has a step
// that raises the occupancy if it also states that no setting can raise it. It
// also checks that the current launch is not called the best setting if a step
// improves it.
func TestAdviceDoesNotContradictItself(t *testing.T) {
	every := predict.VariableSettings{Local: true, SIMD: true, SLM: true, GRF: true}
	steps, none := 0, 0
	for _, name := range []string{"max1100", "tgl", "gen9", "b580"} {
		device := on(t, name)
		for _, l := range []predict.Launch{
			{Global: unit.Size(143360), Local: unit.Size(1024), SIMD: 32}, {Global: unit.Size(16384), Local: unit.Size(64), SIMD: 16},
			{Global: unit.Size(1 << 20), Local: unit.Size(256), SIMD: 16, GRF: 256}, {Global: unit.Size(1 << 20), Local: unit.Size(256), SIMD: 16},
			{Global: unit.Size(5376), Local: unit.Size(256), SIMD: 32, Barriers: 1}, {Local: unit.Size(256), SIMD: 16, SLM: 20 << 10},
			{Global: unit.Size(2560), Local: unit.Size(320), SIMD: 32, SLM: 1 << 10},
		} {
			ans, err := predictdoc.Advise(&device, l, every)
			if err != nil {
				continue // the launch cannot run on this device
			}
			gains := false
			for _, s := range ans.Doc.Sections {
				for _, i := range s.Items {
					gains = gains || i.Lead == "next step" && strings.Contains(i.Text, " -> ")
				}
			}
			best := false
			for r := range ans.Table.Records() {
				what := r(ans.Table.Column("what")).Text
				best, gains = best || what == "now, best", gains || what == "least change"
			}
			if gains {
				steps++
			} else {
				none++
			}
			if gains && (best || strings.HasPrefix(ans.Doc.Closing, "No setting")) {
				t.Errorf("%s %+v: %q next to a step that gains, or the launch is called best", name, l, ans.Doc.Closing)
			}
		}
	}
	if steps < 5 || none < 2 {
		t.Errorf("%d launches with a step, %d without: the test shows nothing", steps, none)
	}
}
