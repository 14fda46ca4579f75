package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"occudiff/report/machine"
	"occudiff/report/predictdoc"
)

var underHeadings = regexp.MustCompile(`(?m)^\|(.*)\|\n\|[ :|-]+\|$`)

// phraseOfCause is how the screen of a run says a cause in a few words.
var phraseOfCause = regexp.MustCompile(`compare\.Cause\w+:\s*"([^"]+)"`)

// TestEveryTermIsExplained asks `explain` for the headings, the keys of CSV and
// the fields of JSON of the outputs.
func TestEveryTermIsExplained(t *testing.T) {
	export, err := filepath.Abs(filepath.Join("..", "..", "fixtures", "max1100_mix.hotspots.csv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if status, _, stderr := runCommand("track", "add", export, "--device", "max1100"); status != exitDone {
		t.Fatal(stderr)
	}
	launch := "--device max1100 --global 4096 --local 256 --simd 16"
	words := map[string]string{}
	var fields func(value any, from string)
	fields = func(value any, from string) {
		switch v := value.(type) {
		case []any:
			for _, x := range v {
				fields(x, from)
			}
		case map[string]any:
			for name, x := range v {
				words[name] = from
				fields(x, from)
			}
		}
	}
	for _, line := range []string{"validate EXPORT --device max1100", "diff EXPORT EXPORT --device max1100",
		"predict " + launch, "predict --sweep local " + launch, "advise " + launch, "devices", "track check",
		"track report", "track list"} {
		args := append(strings.Fields(strings.ReplaceAll(line, "EXPORT", export)), "-q", "-o", "o.md", "-o", "o.json", "-o", "o.csv")
		if status, _, stderr := runCommand(args...); status != exitDone {
			t.Fatalf("%s: %s", line, stderr)
		}
		for _, m := range underHeadings.FindAllStringSubmatch(readOutput(t, "o.md"), -1) {
			for heading := range strings.SplitSeq(m[1], " | ") {
				words[strings.TrimSpace(strings.ReplaceAll(heading, `\`, ""))] = line
			}
		}
		head, err := csv.NewReader(strings.NewReader(readOutput(t, "o.csv"))).Read()
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range head {
			words[key] = line
		}
		var value any
		if err := json.Unmarshal([]byte(readOutput(t, "o.json")), &value); err != nil {
			t.Fatal(err)
		}
		fields(value, line)
	}
	for _, vendor := range strings.Fields("EU XVE subslice Xe-core SM CU warp wavefront sub-group spill high medium low Why Possible-fix") {
		words[vendor] = "the field"
	}
	// Of every output, also those that no line above makes: the keys of its
	// schema. And every flag of every command.
	for i, o := range jsonSchemas() {
		s, err := machine.Schema(&o, jsonSchemas())
		if err != nil {
			t.Fatal(err)
		}
		eachField(s, func(name string) { words[name] = jsonSchemas()[i].Command })
	}
	screen, err := os.ReadFile(filepath.Join(filepath.Dir(export), "..", "report", "rundoc", "summary.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, phrase := range phraseOfCause.FindAllSubmatch(screen, -1) {
		words[string(phrase[1])] = "the screen of a run"
	}
	for _, word := range []string{"Stands out", "Off the others", "Off in", "Measured lowest", "Time / others", "no work", "low in part"} {
		words[word] = "many runs"
	}
	for _, phrase := range []string{"last wave", "slots are full", "more work per work-item", "balance the work"} {
		words[phrase] = "the screen of a run"
	}
	flags := flagTerms()
	for _, f := range flags {
		words[strings.TrimPrefix(f.Name, "--")] = "a flag"
	}
	if len(words) < 500 {
		t.Errorf("only %d words", len(words))
	}
	others := append(flags, machine.Fields(jsonSchemas())...)
	for word, from := range words {
		if word == "" {
			continue
		}
		ans, err := predictdoc.Explain(word, others...)
		if err != nil {
			t.Errorf("%q of %s is not explained", word, from)
			continue
		}
		// Where a field is found says nothing of what it is.
		if text := ans.Doc.Sections[0].Items[0].Text; strings.HasPrefix(text, "In the JSON of ") {
			t.Errorf("%q of %s has no definition: %s", word, from, text)
		}
	}
	for word, says := range map[string]string{"n": "earlier runs that it rests on", "predicted": "What the model says of the launch",
		"average_percent": "Predicted occupancy over all waves", "medium": "true in nine of ten", "change_points": "changed its level",
		"tolerance": "Largest difference that counts as a match", "verbose": "Show the evidence"} {
		if status, out, _ := runCommand("explain", word); status != exitDone || !strings.Contains(out, says) {
			t.Errorf("%s: %s", word, out)
		}
	}
	if _, out, _ := runCommand("explain"); strings.Count(out, "\n") > 45 {
		t.Errorf("the list of words has %d lines", strings.Count(out, "\n"))
	}
	for word, says := range map[string]string{"max1100": "Data Center GPU", "pearson": "How measured and predicted occupancy go together"} {
		if status, out, _ := runCommand("explain", word); status != exitDone || !strings.Contains(out, says) {
			t.Errorf("%s: %s", word, out)
		}
	}
	if err := os.Remove("occudiff.db"); err != nil {
		t.Error(err)
	}
}

// eachField calls a function with the names of all fields of a schema.
func eachField(s *jsonschema.Schema, yield func(string)) {
	if s == nil {
		return
	}
	for name, p := range s.Properties {
		yield(name)
		eachField(p, yield)
	}
	eachField(s.Items, yield)
	for _, one := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
		eachField(one, yield)
	}
}
