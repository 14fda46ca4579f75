package machine

import (
	"encoding/json"
	"strings"
	"testing"

	"occudiff/ingest/unit"
	"occudiff/report"
)

type schemaProbe struct {
	Self *struct {
		Line  int      `json:"line"`
		Names []string `json:"names"`
	} `json:"self"`
	Peak   unit.Opt[unit.Ratio] `json:"ratio_of"`
	Groups unit.Opt[int64]      `json:"lots"`
	Local  unit.Size3           `json:"local"`
	hidden int
	Skip   int `json:"-"`
}

// TestTypes checks the schema of each kind of field against a schema that is
// written by hand.
func TestTypes(t *testing.T) {
	s, err := Schema(&report.Schema{Name: "probe", ID: "occudiff/probe/1", Command: "c", Text: "t.", Values: []any{schemaProbe{hidden: 1}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`{"type":"object","properties":{"self":{"type":["null","object"],"properties":{"line":{"type":"integer","description":"` + report.Describe("line") + `","minimum":1},`,
		`"names":{"type":"array","items":{"type":"string"}}},"required":["line","names"],"additionalProperties":false},`,
		`"ratio_of":{"type":["null","number"]},"lots":{"type":["null","integer"],"minimum":0},`,
		`"local":{"type":"array","items":{"type":"integer","minimum":1},"description":"` + report.Describe("local") + `","maxItems":3}`,
		`"$id":"urn:occudiff:probe:1"`, `"$schema":"https://json-schema.org/draft/2020-12/schema"`,
		`"description":"The output of ` + "`c`" + `: t.","required":["self","ratio_of","lots","local"],"additionalProperties":false}`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// TestRejects checks that Schema rejects types whose form in JSON is unknown.
func TestRejects(t *testing.T) {
	for _, c := range []struct {
		value     any
		want, why string
	}{
		{struct {
			X json.RawMessage `json:"x"`
		}{}, "schema of x: x: json.RawMessage writes itself, so its type does not describe the output", "a custom writer"},
		{struct{ X int }{}, "schema of x: struct { X int }.X: the field has no JSON name", "a Go name in a contract"},
		{struct {
			X func() `json:"x"`
		}{}, "schema of x: x: func() is no type of JSON", "not JSON"},
	} {
		if _, err := Schema(&report.Schema{ID: "x", Values: []any{c.value}}, nil); err == nil || err.Error() != c.want {
			t.Errorf("%s: got %v, want %s", c.why, err, c.want)
		}
	}
}
