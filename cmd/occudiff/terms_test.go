package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"occudiff/report/lookdoc"
	"occudiff/report/machine"
)

var underHeadings = regexp.MustCompile(`(?m)^\|(.*)\|\n\|[ :|-]+\|$`)

// TestEveryTermIsExplained asks `explain` for the headings, the keys of CSV and the fields of JSON of the outputs.
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
	for _, vendor := range strings.Fields("EU XVE subslice Xe-core SM CU warp wavefront sub-group spill") {
		words[vendor] = "the field"
	}
	if len(words) < 300 {
		t.Errorf("only %d words", len(words))
	}
	inJSON := machine.Fields(jsonOutputs())
	for word, from := range words {
		if _, err := lookdoc.Explain(word, inJSON...); word != "" && err != nil {
			t.Errorf("%q of %s is not explained", word, from)
		}
	}
	for word, says := range map[string]string{"max1100": "Data Center GPU", "pearson": "In the JSON of occudiff validate"} {
		if status, out, _ := runCommand("explain", word); status != exitDone || !strings.Contains(out, says) {
			t.Errorf("%s: %s", word, out)
		}
	}
	if err := os.Remove("occudiff.db"); err != nil {
		t.Error(err)
	}
}
