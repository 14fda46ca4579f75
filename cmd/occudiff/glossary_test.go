package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"occudiff/report"
	"occudiff/report/machine"
	"occudiff/report/predictdoc"
)

var underHeadings = regexp.MustCompile(`(?m)^\|(.*)\|\n\|[ :|-]+\|$`)

// phraseOfCause matches the source line that contains the phrase for a cause in
// a run's summary.
var phraseOfCause = regexp.MustCompile(`compare\.Cause\w+:\s*"([^"]+)"`)

// TestEveryTermIsExplained checks that `explain` explains the headings, the
// keys of CSV and JSON, the flags, and the phrases in the outputs.
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
	eachKey(t, func(path string) { words[path[strings.LastIndex(path, ".")+1:]] = path })
	screen, err := os.ReadFile(filepath.Join(filepath.Dir(export), "..", "report", "rundoc", "summary.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, phrase := range phraseOfCause.FindAllSubmatch(screen, -1) {
		words[string(phrase[1])] = "the screen of a run"
	}
	for _, word := range []string{"Finding", "Off the others", "Off in", "Measured lowest", "Time / others", "no work", "low in part"} {
		words[word] = "many runs"
	}
	for _, phrase := range []string{"last wave", "slots are full", "more work per work-item", "balance the work"} {
		words[phrase] = "the screen of a run"
	}
	for _, f := range flagTerms() {
		words[strings.TrimPrefix(f.Name, "--")] = "a flag"
	}
	if len(words) < 500 {
		t.Errorf("only %d words", len(words))
	}
	for word, from := range words {
		if word == "" {
			continue
		}
		if _, err := predictdoc.Explain(word, flagTerms()...); err != nil {
			t.Errorf("%q of %s is not explained", word, from)
		}
	}
	for word, means := range map[string]string{
		"n": "Number of runs that the value is computed from", "predicted": "Prediction of the launch",
		"average_percent": "Predicted occupancy of the GPU over all waves", "medium": "true in nine of ten",
		"change_points": "changed its level", "findings.run": "Name of the run that the finding is about",
		"EU Threads Occupancy": "measured_percent", "Computing Threads Started": "threads_started",
		"tolerance": "Largest difference that counts as a match", "verbose": "Show the evidence"} {
		if status, out, _ := runCommand("explain", word); status != exitDone || !strings.Contains(out, means) {
			t.Errorf("%s: %s", word, out)
		}
	}
	if _, out, _ := runCommand("explain"); strings.Count(out, "\n") > 45 {
		t.Errorf("the list of words has %d lines", strings.Count(out, "\n"))
	}
	for word, means := range map[string]string{"max1100": "Data Center GPU", "pearson": "Correlation of measured and predicted occupancy"} {
		if status, out, _ := runCommand("explain", word); status != exitDone || !strings.Contains(out, means) {
			t.Errorf("%s: %s", word, out)
		}
	}
	if err := os.Remove("occudiff.db"); err != nil {
		t.Error(err)
	}
}

// TestKeysHaveTheirOwnEntries checks that the schemas describe each key, and
// that two keys do not share a description.
func TestKeysHaveTheirOwnEntries(t *testing.T) {
	keys := map[string]string{}
	eachKey(t, func(path string) {
		key, means := path[strings.LastIndex(path, ".")+1:], report.Describe(path)
		if other := cmp.Or(keys[means], key); means == "" || other != key {
			t.Errorf("%s: %q, the description of %s", path, means, other)
		}
		keys[means] = key
	})
}

// TestFormOfEntries checks that a reader can understand each entry by itself.
func TestFormOfEntries(t *testing.T) {
	form := regexp.MustCompile(`^[A-Za-z0-9(].*[.)]$`)
	fragment := regexp.MustCompile(`^(Of|That|Where|In which|What|How) `)
	for _, term := range predictdoc.Words() {
		if !form.MatchString(term.Meaning) || fragment.MatchString(term.Meaning) {
			t.Errorf("%s: %q", term.Name, term.Meaning)
		}
	}
}

// eachKey calls yield with the path of each key in the schemas.
func eachKey(t *testing.T, yield func(path string)) {
	var walk func(s *jsonschema.Schema, path string)
	walk = func(s *jsonschema.Schema, path string) {
		if s == nil {
			return
		}
		for name, p := range s.Properties {
			yield(path + "." + name)
			walk(p, path+"."+name)
		}
		for _, one := range append(s.OneOf, s.Items, s.AdditionalProperties) {
			walk(one, path)
		}
	}
	for _, o := range jsonSchemas() {
		s, err := machine.Schema(&o, jsonSchemas())
		if err != nil {
			t.Fatal(err)
		}
		walk(s, o.Name)
	}
}
