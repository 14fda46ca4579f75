package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// TestSchemaTablesAreUsed finds words and notes of fields that no output has: a renamed field would lose them silently.
func TestSchemaTablesAreUsed(t *testing.T) {
	has := map[string]bool{}
	for _, o := range Outputs() {
		s, err := SchemaOf(&o)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		has[string(text)] = true
	}
	all := ""
	for text := range has {
		all += text
	}
	for key, words := range schemaWords() {
		if enum, _ := json.Marshal(words); !strings.Contains(all, `"enum":`+strings.TrimSuffix(string(enum), "]")) {
			t.Errorf("the words of %s are in no schema", key)
		}
		checkKey(t, all, key)
	}
	for key, note := range schemaNotes() {
		if text, _ := json.Marshal(note); !strings.Contains(all, `"description":`+string(text)) {
			t.Errorf("the note on %s is in no schema", key)
		}
		checkKey(t, all, key)
	}
}

func checkKey(t *testing.T, all, key string) {
	t.Helper()
	if _, name, _ := strings.Cut(key, "."); !strings.Contains(all, `"`+name+`":`) {
		t.Errorf("no output has the field of %s", key)
	}
}

type schemaProbe struct {
	Time   time.Time      `json:"time"`
	Maybe  *time.Time     `json:"maybe,omitempty"`
	Counts map[string]int `json:"counts"`
	Self   *schemaProbe   `json:"self"`
	hidden int
	Skip   int `json:"-"`
}

// TestSchemaOfTypes pins what each kind of field becomes. The expected text is written by hand.
func TestSchemaOfTypes(t *testing.T) {
	s, err := SchemaOf(&Output{Name: "probe", ID: "occudiff/probe/1", Command: "c", Text: "t.", values: []any{schemaProbe{hidden: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	object := `"type":"object","properties":{"time":{"type":"string","format":"date-time"},"maybe":{"type":["string","null"],"format":"date-time"},` +
		`"counts":{"type":"object","additionalProperties":{"type":"integer","minimum":0}},"self":{"anyOf":[{"$ref":"#/$defs/schemaProbe"},{"type":"null"}]}},` +
		`"required":["time","counts","self"],"additionalProperties":false`
	want := `{"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:occudiff:probe:1","title":"occudiff/probe/1","description":"The output of ` + "`c`" + `: t.",` +
		object + `,"$defs":{"schemaProbe":{` + object + `}}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestSchemaRefuses names the types that say nothing of what is written.
func TestSchemaRefuses(t *testing.T) {
	for _, c := range []struct {
		value     any
		want, why string
	}{
		{struct {
			X json.RawMessage `json:"x"`
		}{}, "schema of .x: json.RawMessage writes itself, so its type says nothing of the output", "a custom writer"},
		{struct{ X int }{}, "schema of struct { X int }.X: the field has no JSON name", "a Go name in a contract"},
		{struct {
			X func() `json:"x"`
		}{}, "schema of .x: there is none for a func()", "not JSON"},
		{struct {
			X struct{} `json:"x"`
		}{}, "schema of struct {}: a type with a name of its own was expected", "no definition"},
	} {
		if _, err := SchemaOf(&Output{values: []any{c.value}}); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.why, err, c.want)
		}
	}
}

func TestFindOutput(t *testing.T) {
	for _, name := range []string{"validate", "Validate", "validate/1", "occudiff/validate/1"} {
		if o, err := FindOutput(name); err != nil || o.Name != "validate" {
			t.Errorf("%s: got %v, %v", name, o, err)
		}
	}
	if _, err := FindOutput("csv"); err == nil || !strings.HasPrefix(err.Error(), `no JSON output is named "csv"; there are validate, validate-runs, `) {
		t.Errorf("got %v", err)
	}
}
