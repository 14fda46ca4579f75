package machine_test

import (
	"bytes"
	"encoding/json"
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
	Extra *unit.Points
}

var noteColumns = []report.Col[string]{
	{Column: report.Column{Path: "text", Always: true, Kind: report.Text},
		Of: func(s *string) report.Cell { return report.OptText(unit.Some(*s)) }},
	{Column: report.Column{Path: "short", Always: true, Kind: report.Bool},
		Of: func(s *string) report.Cell { return report.BoolCell(len(*s) < 3) }},
	{Column: report.Column{Path: "took_seconds", Always: true, Kind: report.Duration},
		Of: func(s *string) report.Cell { return report.DurationCell(unit.Seconds(len(*s)) / 4) }},
}

func launchColumns() []report.Col[launchRow] {
	part := report.Within("part_", "part", func(r *launchRow) *launchPart { return r.Part }, []report.Col[launchPart]{
		{Column: report.Column{Key: "peak_percent", Path: "peak_percent", Title: "Peak", Unit: "%", Kind: report.Percent,
			In: report.All}, Of: func(p *launchPart) report.Cell { return report.OptPercent(p.Peak) }},
		{Column: report.Column{Key: "waves", Path: "deep.waves", Kind: report.Number, In: report.Data},
			Of: func(p *launchPart) report.Cell { return report.OptNum(report.Number, p.Waves) }},
		{Column: report.Column{Key: "words", Path: "words", Always: true, Title: "Words", Kind: report.Array,
			In: report.All}, Of: func(p *launchPart) report.Cell { return report.ListCell(p.Words) }},
	})
	list := []report.Col[launchRow]{
		{Column: report.Column{Key: "task", Path: "task", Always: true, Doc: "as printed", Title: "Kernel",
			Kind: report.Name, In: report.All}, Of: func(r *launchRow) report.Cell { return report.NameCell(r.Task) }},
		{Column: report.Column{Key: "global", Path: "global", Always: true, Title: "Global", Kind: report.Size,
			In: report.All}, Of: func(r *launchRow) report.Cell { return report.SizeCell(r.Size) }},
		{Column: report.Column{Key: "total_seconds", Path: "total_seconds", Title: "Time", Unit: "ms", Decimals: 1,
			Kind: report.Duration, In: report.All},
			Of: func(r *launchRow) report.Cell { return report.OptDuration(r.Total) }},
		{Column: report.Column{Path: "part", Doc: "null without one", Kind: report.Object},
			Of: func(r *launchRow) report.Cell { return report.ObjectCell(r.Part != nil) }},
	}
	list = append(list, part...)
	return append(list, report.Col[launchRow]{Column: report.Column{Path: "notes", Always: true, Kind: report.Array,
		Of: report.ColumnsOf(noteColumns)}, Of: func(r *launchRow) report.Cell {
		return report.RowsCell(report.NewTable("", "", r.Notes, noteColumns))
	}}, report.Col[launchRow]{Column: report.Column{Key: "sure", Path: "sure", Title: "Sure", Kind: report.Bool,
		In: report.All}, Of: func(r *launchRow) report.Cell { return report.OptBool(r.Sure) }},
		report.Col[launchRow]{Column: report.Column{Path: "extra", Optional: true, Kind: report.Points},
			Of: func(r *launchRow) report.Cell {
				if r.Extra == nil {
					return report.Cell{}
				}
				return report.NumCell(report.Points, float64(*r.Extra))
			}})
}

// launchRows are one with everything, one with nothing, and one whose part is
// empty: null is for the first two cases of absence and not for the third.
func launchRows() []launchRow {
	extra := unit.Points(-1.5)
	return []launchRow{
		{"_Z1kv", unit.Size(512, 2), unit.Some[unit.Seconds](0.0015), &launchPart{unit.Some[unit.Ratio](0.627),
			unit.Some(1.5), []string{"a", "b"}}, []string{"x\"y", ""}, unit.Some(true), &extra},
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

// TestTypedTable writes a table of typed rows in every form: as JSON, which its
// own schema takes, as CSV, and as people see it. Rows that come as a stream
// give the same.
func TestTypedTable(t *testing.T) {
	rows := launchRows()
	table := report.NewTable("launches", "", rows, launchColumns())
	stream := report.NewStream(func(yield func(*launchRow) bool) {
		for i := range rows {
			if !yield(&rows[i]) {
				return
			}
		}
	}, launchColumns())
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
			"_Z1kv,512x2,0.0015,62.7,1.5,\"a; b\",yes\n'=1+1,,,,,,\nc,,,,,,\n"; b.String() != want {
			t.Errorf("%s: CSV %s, want %s", name, b.String(), want)
		}
	}
}

// TestShow describes what people see: keys first, times in the unit of the
// heading, names decoded, and no column that is empty in every row or has no
// heading.
func TestShow(t *testing.T) {
	shown := report.NewTable("launches", "", launchRows()[:2], launchColumns()).Show("part_peak_percent", "total_seconds")
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
	if shown.Columns[1].Key != "sure" || shown.Cell(0, 1).Text != "yes" {
		t.Errorf("the columns are %v", shown.Keys())
	}
	if shown = report.NewTable("launches", "", launchRows()[1:], launchColumns()).Show(); len(shown.Columns) != 1 {
		t.Errorf("columns without a value are shown: %v", shown.Keys())
	}
}
