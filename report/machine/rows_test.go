package machine_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"occudiff/ingest/unit"
	"occudiff/report"
	"occudiff/report/machine"
)

type launchPart struct {
	Peak  unit.Opt[unit.Ratio]
	Waves unit.Opt[float64]
	Words []string
}

type launchRow struct {
	Task  string
	Size  unit.Size3
	Total unit.Opt[unit.Seconds]
	Part  *launchPart
	Notes []string
	Sure  unit.Opt[bool]
	Extra unit.Opt[unit.Points]
}

var noteColumns = []report.Col[string]{
	report.JSON("text", func(s *string) string { return *s }),
	report.JSON("short", func(s *string) bool { return len(*s) < 3 }),
	report.JSON("took_seconds", func(s *string) unit.Seconds { return unit.Seconds(len(*s)) / 4 }),
}

var partColumns = []report.Col[launchPart]{
	report.Define("peak_percent", "Peak", func(p *launchPart) unit.Opt[unit.Ratio] { return p.Peak }),
	report.Define("waves", "", func(p *launchPart) unit.Opt[float64] { return p.Waves }, report.Data,
		report.Path("deep.waves")),
	report.Define("words", "Words", func(p *launchPart) []string { return p.Words }),
}

var launchColumns = slices.Concat([]report.Col[launchRow]{
	report.Define("task", "Kernel", func(r *launchRow) string { return r.Task }, report.Name),
	report.Define("global", "Global", func(r *launchRow) unit.Size3 { return r.Size }),
	report.Define("total_seconds", "Time", func(r *launchRow) unit.Opt[unit.Seconds] { return r.Total }, report.Unit("ms"),
		report.Decimals(1)),
}, report.Part("part_", "part", func(r *launchRow) *launchPart { return r.Part }, partColumns), []report.Col[launchRow]{
	report.List("notes", func(r *launchRow) []string { return r.Notes }, noteColumns),
	report.Define("sure", "Sure", func(r *launchRow) unit.Opt[bool] { return r.Sure }),
	report.JSON("extra", func(r *launchRow) unit.Opt[unit.Points] { return r.Extra }, report.Optional),
})

// launchRows returns three rows: a row with all values, a row without values,
// and a row whose part is present but empty. In JSON, a missing part is null,
// and an empty part is an object.
func launchRows() []launchRow {
	return []launchRow{
		{"_Z1kv", unit.Size(512, 2), unit.Some[unit.Seconds](0.0015), &launchPart{unit.Some[unit.Ratio](0.627),
			unit.Some(1.5), []string{"a", "b"}}, []string{"x\"y", ""}, unit.Some(true), unit.Some[unit.Points](-1.5)},
		{Task: "=1+1"},
		{Task: "c", Part: &launchPart{}},
	}
}

type launchOutput struct {
	Schema string        `json:"schema"`
	Rows   *report.Table `json:"rows"`
	End    string        `json:"end"`
}

const launchJSON = `{"schema":"occudiff/launch/1","rows":[` +
	`{"task":"_Z1kv","global":[512,2],"total_seconds":0.0015,"part":{"peak_percent":62.7,"deep":{"waves":1.5},"words":["a","b"]},"notes":[{"text":"x\"y","short":false,"took_seconds":0.75},{"text":"","short":true,"took_seconds":0}],"sure":true,"extra":-1.5},` +
	`{"task":"=1+1","global":[],"total_seconds":null,"part":null,"notes":[],"sure":null},` +
	`{"task":"c","global":[],"total_seconds":null,"part":{"peak_percent":null,"deep":{"waves":null},"words":[]},"notes":[],"sure":null}],"end":"."}`

// TestTypedTable writes a table of typed rows as JSON, as CSV, and for people.
// It checks that the JSON matches its schema, and that rows from a stream have
// the same output.
func TestTypedTable(t *testing.T) {
	rows := launchRows()
	table := report.NewTable("launches", "", rows, launchColumns)
	stream := report.NewStream(func(yield func(*launchRow) bool) {
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	}, launchColumns)
	for name, table := range map[string]*report.Table{"rows": table, "stream": stream} {
		var b, want bytes.Buffer
		v := launchOutput{"occudiff/launch/1", table, "."}
		if err := machine.JSON(&b, v); err != nil {
			t.Fatal(err)
		}
		if err := json.Indent(&want, []byte(launchJSON), "", "  "); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); got != want.String()+"\n" {
			t.Errorf("%s: %s, want %s", name, got, want.String())
		}
		o := report.Schema{Name: "launch", ID: "occudiff/launch/1", Values: []any{v}}
		s, err := machine.Schema(&o, []report.Schema{o})
		if err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(&jsonschema.ResolveOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal(b.Bytes(), &value); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(value); err != nil {
			t.Errorf("%s: the schema does not take the output: %v", name, err)
		}
		for _, bad := range []string{`"task":null`, `"global":null`, `"notes":null`, `"part":{}`, `"total_seconds":"1"`} {
			key, _, _ := strings.Cut(bad, ":")
			var v map[string]any
			_ = json.Unmarshal(b.Bytes(), &v)
			_ = json.Unmarshal([]byte("{"+bad+"}"), v["rows"].([]any)[0])
			row := v["rows"].([]any)[0].(map[string]any)
			_ = json.Unmarshal([]byte("{"+bad+"}"), &row)
			if err := resolved.Validate(v); err == nil {
				t.Errorf("the schema takes %s for %s", bad, key)
			}
		}
		b.Reset()
		if err := machine.Table(&b, table); err != nil {
			t.Fatal(err)
		}
		if want := "task,global,total_seconds,part_peak_percent,part_waves,part_words,sure\n" +
			"_Z1kv,512x2,0.0015,62.7,1.5,\"a; b\",true\n'=1+1,,,,,,\nc,,,,,,\n"; b.String() != want {
			t.Errorf("%s: CSV %s, want %s", name, b.String(), want)
		}
	}
}

// TestShow checks the table for people: the columns in the keys come first,
// times have the heading's unit, and names are demangled. Columns without a
// heading or without values are left out.
func TestShow(t *testing.T) {
	shown := report.NewTable("launches", "", launchRows()[:2], launchColumns).Show("part_peak_percent", "total_seconds")
	if got := strings.Join(shown.Keys(), " "); got != "part_peak_percent total_seconds task global part_words sure" {
		t.Errorf("columns %s", got)
	}
	var got []string
	for i, c := range shown.Row(0, nil) {
		got = append(got, shown.Columns[i].Print(c))
	}
	if line := strings.Join(got, "|"); line != "62.7|1.5|k()|512x2|a, b|yes" {
		t.Errorf("row %s", line)
	}
	shown.Choose([]string{"sure"})
	if shown.Columns[1].Key != "sure" || !shown.Cell(0, 1).Bool {
		t.Errorf("the columns are %v", shown.Keys())
	}
	if shown = report.NewTable("launches", "", launchRows()[1:], launchColumns).Show(); len(shown.Columns) != 1 {
		t.Errorf("columns without a value are shown: %v", shown.Keys())
	}
}
