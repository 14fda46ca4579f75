package launchdoc_test

import (
	"encoding/json"
	"strings"
	"testing"

	"occudiff/report/launchdoc"

	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/calculator"
	"occudiff/predict/timeline"
)

func toText(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func findDevice(t *testing.T, name string) *arch.Device {
	t.Helper()
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.Find(arch.Query{Name: name})
	if err != nil {
		t.Fatal(err)
	}
	return m.Device
}

// TestPredictJSONOfLittle: absent is null, and a list is never null, also where nothing is known.
func TestPredictJSONOfLittle(t *testing.T) {
	d := findDevice(t, "tgl")
	p, err := predict.Predict(d, predict.Launch{Local: unit.Size(256), SIMD: 16})
	if err != nil {
		t.Fatal(err)
	}
	text := toText(t, launchdoc.PredictedValue(&p))
	for _, want := range []string{`"work_groups":null`, `"peak_percent":null`, `"waves":null`, `"by_slm":null`, `"by_barriers":null`, `"by_threads":7`, `"limits":["threads"]`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	empty := toText(t, launchdoc.PredictValue([]launchdoc.LaunchCase{{Device: d, Launch: predict.Launch{}, Refusal: &predict.LaunchError{Code: "no-local", Text: "none"}}}))
	for _, want := range []string{`"global":[]`, `"local":[]`, `"simd":null`, `"status":"error"`, `"message":"none`, `"predicted":null`, `"steps":[]`, `"notes":[]`} {
		if !strings.Contains(empty, want) {
			t.Errorf("%s is not in %s", want, empty)
		}
	}
}

// TestCalculatorNaN: the calculator shows waves as NaN where no work-group fits; JSON has no such number.
func TestCalculatorNaN(t *testing.T) {
	table, err := calculator.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	d, err := table.Find("fam:xe2_hpg", 160)
	if err != nil {
		t.Fatal(err)
	}
	in := calculator.Input{Global: "24080", Local: "1,16,1", SIMD: 32, SLMKB: 170, Barrier: true} // row g9 of the reference
	text := toText(t, launchdoc.CalculatorValue(&launchdoc.CalculatorCase{Device: &d, Input: in, Output: calculator.Run(&d, in)}))
	for _, want := range []string{`"work_groups_per_xe_core":0`, `"waves":null`, `"peak_percent":0`, `"work_groups":1505`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
}

// TestWhatIfIsLabelled: a policy that explains must not read as a prediction.
func TestWhatIfIsLabelled(t *testing.T) {
	d := findDevice(t, "tgl")
	l := predict.Launch{Local: unit.Size(320), Global: unit.Size(2560), SIMD: 8}
	p, err := predict.Predict(d, l)
	if err != nil {
		t.Fatal(err)
	}
	res, err := timeline.Run(t.Context(), timeline.Input{Policy: timeline.Partial, XeCores: 6, SlotsPerXeCore: 112, ThreadsPerGroup: 40, Groups: 8, GroupsPerXeCore: 2, Ports: 2})
	if err != nil {
		t.Fatal(err)
	}
	doc := launchdoc.FromTimeline(&launchdoc.TimelineCase{Device: d, Launch: l, Prediction: &p, Ports: 2, Result: res}, "v0")
	text := strings.Join(doc.Headline, "\n")
	if !strings.Contains(text, "A what-if, not a prediction: policy partial with 2 dispatch ports") {
		t.Errorf("the headline is %q", text)
	}
	if !strings.Contains(doc.Closing, "The prediction (policy free) is peak 47.6 %, average 47.6 %.") {
		t.Errorf("the closing line is %q", doc.Closing)
	}
	if s := strings.Join(doc.Sections[0].Text, "\n"); !strings.Contains(s, "what-if") {
		t.Errorf("a page does not say that it is a what-if: %q", s)
	}
}

// TestRefusalsAreSaidOnce: side by side, each kind of refusal is explained once.
func TestRefusalsAreSaidOnce(t *testing.T) {
	var cases []launchdoc.LaunchCase
	l := predict.Launch{Local: unit.Size(256), SIMD: 8}
	for _, name := range []string{"b580", "b570", "tgl"} {
		c := launchdoc.LaunchCase{Device: findDevice(t, name), Launch: l}
		if p, err := predict.Predict(c.Device, l); err != nil {
			c.Refusal = err
		} else {
			c.Prediction = &p
		}
		cases = append(cases, c)
	}
	doc := launchdoc.FromPredictions(cases, "v0")
	items := doc.Sections[0].Items
	if len(items) != 1 || items[0].Lead != "simd unsupported" || !strings.HasSuffix(items[0].Text, "; alike on 1 more device") {
		t.Errorf("items %+v", items)
	}
	if want := "Highest Xe-core occupancy: 85.7 % on tgl-96. It cannot run on 2 of 3 devices."; doc.Closing != want {
		t.Errorf("got %q, want %q", doc.Closing, want)
	}
}
