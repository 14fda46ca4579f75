package machine_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"occudiff/compare"
	"occudiff/ingest/table"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/machine"

	"github.com/google/go-cmp/cmp"
)

func toJSON(t *testing.T, r *compare.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := machine.JSON(&b, sample.Output(r).Value); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func toCSV(t *testing.T, r *compare.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := machine.Table(&b, sample.Output(r).Table); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		result       *compare.Result
	}{
		{"gaussian", "every field is filled somewhere", sample.Gaussian()},
		{"hostile", "names are whole in JSON and harmless in CSV", sample.Hostile()},
		{"absent", "absent is null and empty", sample.Absent()},
		{"logs", "timings with and without a row", sample.LogsOnly()},
		{"empty", "lists are never null", sample.Empty()},
	} {
		t.Run(c.name, func(t *testing.T) {
			testenv.Golden(t, "testdata/"+c.name+".json", []byte(toJSON(t, c.result)))
			testenv.Golden(t, "testdata/"+c.name+".csv", []byte(toCSV(t, c.result)))
		})
	}
}

// TestJSONMatchesLibrary checks that every kind of value is written as
// encoding/json writes it.
func TestJSONMatchesLibrary(t *testing.T) {
	type Inner struct {
		N     int64  `json:"n"`
		Where string `json:"where,omitempty"`
	}
	type whole struct {
		Inner
		Text     string                `json:"text"`
		Odd      []string              `json:"odd"`
		Empty    []int                 `json:"empty"`
		Nested   [][]float64           `json:"nested"`
		Share    unit.Opt[unit.Ratio]  `json:"share"`
		Absent   unit.Opt[unit.Ratio]  `json:"absent"`
		Size     unit.Size3            `json:"size"`
		NoSize   unit.Size3            `json:"no_size"`
		Name     unit.Opt[string]      `json:"name"`
		Sizes    map[string]unit.Size3 `json:"sizes"`
		Any      any                   `json:"any"`
		Nil      any                   `json:"nil"`
		Pointer  *Inner                `json:"pointer"`
		NoOne    *Inner                `json:"no_one"`
		Flag     bool                  `json:"flag"`
		Time     time.Time             `json:"time"`
		Seconds  *unit.Seconds         `json:"seconds"`
		Left     *Inner                `json:"left,omitempty"`
		Nothing  struct{}              `json:"nothing"`
		Floats   []float64             `json:"floats"`
		Bytes    []byte                `json:"bytes"`
		unseen   int
		Unwanted int `json:"-"`
	}
	s := unit.Seconds(2.2e-9)
	v := whole{
		Inner: Inner{N: -3}, Text: "a<b>&c", Odd: []string{"\"", "\\", "\x01\t\n", "\u2028", "é", "\x7f"}, Empty: []int{}, Nested: [][]float64{{1, 2}, {}},
		Share: unit.Some(unit.Ratio(0.627)), Size: unit.Size(512, 1), Name: unit.Some("<k>"), Sizes: map[string]unit.Size3{"b": unit.Size(1), "a": {}},
		Any: []Inner{{1, "x"}}, Pointer: &Inner{2, "y"}, Flag: true, Time: time.Unix(1, 0).UTC(), Seconds: &s,
		Floats: []float64{0, -0.5, 1e-7, 1e21, 123456789, math.MaxFloat64}, Bytes: []byte("abc"), unseen: 1, Unwanted: 2,
	}
	for _, value := range []any{v, &v, []whole{v, v}, nil, "x", 1.5, map[string]int{}} {
		var got, want bytes.Buffer
		if err := machine.JSON(&got, value); err != nil {
			t.Fatal(err)
		}
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(value); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want.String(), got.String()); d != "" {
			t.Error(d)
		}
	}
	var none bytes.Buffer // the only difference to encoding/json: a nil list is not null
	if err := machine.JSON(&none, []int(nil)); err != nil || none.String() != "[]\n" {
		t.Errorf("a list that is nil is %q, %v", none.String(), err)
	}
	for _, bad := range []any{math.NaN(), []any{make(chan int)}} {
		if err := machine.JSON(io.Discard, bad); err == nil {
			t.Errorf("%v is written", bad)
		}
	}
}

func FuzzJSONText(f *testing.F) {
	f.Add("a\xffb")
	f.Fuzz(func(t *testing.T, s string) {
		var b bytes.Buffer
		if err := machine.JSON(&b, s); err != nil {
			t.Fatal(err)
		}
		var back string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || back != strings.ToValidUTF8(s, "\ufffd") && utf8.ValidString(s) {
			t.Errorf("%q comes back as %q, %v", s, back, err)
		}
	})
}

func TestJSONKeepsNames(t *testing.T) {
	out := toJSON(t, sample.Hostile())
	if !strings.Contains(out, `"task": "<script>alert(1)</script>"`) {
		t.Error("HTML characters are escaped")
	}
	var v struct {
		Rows []struct {
			Task string `json:"task"`
		} `json:"rows"`
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	for i, name := range sample.HostileNames() {
		if want := strings.ToValidUTF8(name, "\ufffd"); v.Rows[i].Task != want && name != "bad utf-8 \xff\xfe" {
			t.Errorf("row %d: got %q, want %q", i, v.Rows[i].Task, want)
		}
	}
}

// TestCSVReadsBack reads the CSV back with encoding/csv, removes the guard
// against spreadsheet formulas, and checks that every name is unchanged.
func TestCSVReadsBack(t *testing.T) {
	records, err := csv.NewReader(strings.NewReader(toCSV(t, sample.Hostile()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range sample.HostileNames() {
		cell := records[i+1][0]
		if strings.IndexByte("=+-@\t\r", cell[0]) >= 0 {
			t.Errorf("a spreadsheet would run %q", cell)
		}
		var got table.Text
		if err := got.UnmarshalCSV(cell); err != nil || string(got) != name {
			t.Errorf("got %q back, %v; want %q", got, err, name)
		}
	}
}

// TestCSVColumns checks the column names, because scripts rely on them.
func TestCSVColumns(t *testing.T) {
	want := "task,global,local,simd,direction,file,line,instances,total_seconds,average_seconds,predicted_policy,threads_per_work_group," +
		"work_groups,work_groups_per_xe_core,limits,predicted_xe_core_percent,predicted_peak_percent,predicted_average_percent,predicted_average_high_percent,waves,tail_percent," +
		"profiler_peak_percent,measured_percent,measured_low_percent,measured_high_percent,own_low_percent,own_high_percent,printed_percent,active_percent,stalled_percent,idle_percent,idle_low_percent,idle_high_percent,busy_occupancy_percent,threads_started,thread_life_seconds,basis,difference_points," +
		"model_difference_points,verdict,cause,confidence,evidence,occupied_points,underfilled_points,idle_points,shortfall_points,last_wave_points,launch_limit_points,slot_breakdown_policy,predicted_idle_percent,launch_intervals,own_share,outside_launches_bound,other_tasks_bound,misattributed_share,lost_seconds,possible_fix,possible_fix_bound,possible_fix_text,registers_per_thread,spill_bytes,private_bytes,potential_speedup,more_threads_bound,balancing_bound,potential_speedup_evidence,more_threads_formula,balancing_formula\n"
	if got := toCSV(t, sample.Empty()); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCSVNumbersAreNeverGuarded(t *testing.T) {
	records, err := csv.NewReader(strings.NewReader(toCSV(t, sample.Gaussian()))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]string{}
	for i, name := range records[0] {
		column[name] = records[1][i]
	}
	want := map[string]string{
		"task": "Fan2", "global": "2048x2048", "local": "1024x1", "simd": "32", "instances": "2047", "total_seconds": "1.070996",
		"threads_per_work_group": "32", "work_groups": "4096", "predicted_peak_percent": "100", "predicted_average_percent": "99.51409135082604",
		"measured_percent": "62.7", "idle_percent": "20.7", "difference_points": "-36.81409135082603", "verdict": "below", "cause": "gaps", "direction": "",
	}
	for name, value := range want {
		if column[name] != value {
			t.Errorf("%s: got %q, want %q", name, column[name], value)
		}
	}
}

// TestTableNumbers checks that numbers in CSV have all their digits and no
// exponent.
func TestTableNumbers(t *testing.T) {
	var b strings.Builder
	table := sample.Table("t", []report.Column{{Key: "x", Kind: report.Number, In: report.Data}, {Key: "n", Kind: report.Integer, In: report.Data}},
		[][]report.Cell{{report.NumCell(report.Number, 0.0000184), report.IntCell(2000000000000)}, {report.NumCell(report.Number, 1e21), {}}})
	if err := machine.Table(&b, table); err != nil || b.String() != "x,n\n0.0000184,2000000000000\n1000000000000000000000,\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestCSVOfManyRows(t *testing.T) {
	for _, n := range []int{511, 512, 513, 1500} {
		if got := strings.Count(toCSV(t, sample.Many(n)), "\n"); got != n+1 {
			t.Errorf("%d rows: %d lines, want %d", n, got, n+1)
		}
	}
}

func TestSameBytes(t *testing.T) {
	if d := cmp.Diff(toJSON(t, sample.Gaussian()), toJSON(t, sample.Gaussian())); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(toCSV(t, sample.Gaussian()), toCSV(t, sample.Gaussian())); d != "" {
		t.Error(d)
	}
}
