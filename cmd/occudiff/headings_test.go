package main

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"occudiff/fixtures"
	"occudiff/internal/testenv"
)

var (
	columnHeading = regexp.MustCompile(`(?s)<th scope="col"([^>]*)>(.*?)</th>`)
	tooltip       = regexp.MustCompile(` title="([^"]*)"`)
	tags          = regexp.MustCompile(`<[^>]*>`)
)

// TestHeadings lists every heading of every document with its explanation, so
// that a person can check whether each explanation fits its document.
func TestHeadings(t *testing.T) {
	golden, err := filepath.Abs("testdata/headings.txt")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS(".", fixtures.FS); err != nil {
		t.Fatal(err)
	}
	const device = " --device max1100"
	mix, worse := fixtures.Mix()[0], "max1100_mix_worse.hotspots.csv"
	for folder, name := range map[string]string{"a": mix, "b": worse, "c": "max1100_mix_better.hotspots.csv"} {
		if err := os.MkdirAll("runs/"+folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("runs/"+folder+"/run.csv", []byte(readOutput(t, name)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for n, name := range []string{mix, mix, mix, mix, worse} {
		line := "track add " + name + device + " --force-device --label l --time 2026-03-0" + string(rune('1'+n)) + "T00:00:00Z"
		if status, _, stderr := runCommand(strings.Fields(line)...); status != exitDone {
			t.Fatalf("%s: %s", line, stderr)
		}
	}
	var list strings.Builder
	launch := device + " --global 4096 --local 256 --simd 16"
	for _, line := range []string{"validate " + mix + device, "demo --vec-add", "validate runs" + device,
		"diff " + mix + " " + worse + device, "diff " + mix + " " + worse + " " + mix + device, "track check --fail-on never",
		"track report", "track list", "track backtest", "predict" + launch, "predict --sweep local" + launch, "advise" + launch,
		"devices", "devices max1100"} {
		if status, _, stderr := runCommand(append(strings.Fields(line), "-q", "-o", "o.html")...); status != exitDone {
			t.Fatalf("%s: %s", line, stderr)
		}
		list.WriteString(line + "\n")
		seen := map[string]bool{}
		for _, m := range columnHeading.FindAllStringSubmatch(readOutput(t, "o.html"), -1) {
			text := "-"
			if title := tooltip.FindStringSubmatch(m[1]); title != nil {
				text = html.UnescapeString(title[1])
			}
			heading := strings.TrimSpace(html.UnescapeString(tags.ReplaceAllString(m[2], "")))
			if entry := "  " + heading + ": " + text + "\n"; heading != "" && !seen[entry] {
				list.WriteString(entry)
				seen[entry] = true
			}
		}
	}
	testenv.Golden(t, golden, []byte(list.String()))
}
