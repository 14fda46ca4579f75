package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const platformsCSV = "key,name,processing_blocks,subgroups_per_block,register_bytes_per_subgroup,register_bytes,slm_bytes,max_groups\n" +
	"z,Z,4,8,1024,65536,65536,16\n"

// TestInputsAreKept checks that no command overwrites a file that it reads.
func TestInputsAreKept(t *testing.T) {
	export, err := filepath.Abs(filepath.Join("..", "..", "fixtures", "max1100_mix.hotspots.csv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	files := map[string]string{"platforms.csv": platformsCSV, "devices.csv": "key,name\n", "batch.csv": "id,device,local,simd\na,tgl,64,16\n"}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, db := range []string{"h.html", "h.csv", "occudiff.db"} {
		if status, _, stderr := runCommand("track", "add", "--db", db, "--device", "max1100", export); status != exitDone {
			t.Fatalf("exit %d, %s", status, stderr)
		}
	}
	for path, name := range map[string]string{"occudiff.db": "db.html", "h.csv": "hard.csv"} {
		if err := os.Link(path, name); err != nil {
			t.Skip("no hard links here: ", err)
		}
	}
	for _, args := range []string{
		"track report --db h.html -o h.html", "track check --db h.html -o ./h.html", "track list --db h.html -o h.html",
		"track report -o db.html", "track export --db h.csv h.csv", "track export --db h.csv hard.csv", "track export --db h.csv -o h.csv",
		"predict --model compute-unit --platform-file platforms.csv --platform z --local 64 --simd 16 --registers 64 -o platforms.csv",
		"advise --model compute-unit --platform-file platforms.csv -o platforms.csv",
		"devices --device-file devices.csv -o devices.csv", "predict --batch batch.csv -o batch.csv",
	} {
		words := strings.Fields(args)
		out := words[len(words)-1]
		before, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		status, _, stderr := runCommand(words...)
		after, err := os.ReadFile(out)
		if err != nil || status != exitUsage || !strings.Contains(stderr, "would overwrite the input") || !slices.Equal(before, after) {
			t.Errorf("%s: exit %d, %v\n%s", args, status, err, stderr)
		}
	}
}

// TestOtherOutputsAreWritten requests a report and an output that cannot be
// written. It checks that the report is written anyway.
func TestOtherOutputsAreWritten(t *testing.T) {
	export, err := filepath.Abs(filepath.Join("..", "..", "fixtures", "max1100_mix.hotspots.csv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	// The export does not contain the start times of launches, which the trace
	// would need.
	status, _, stderr := runCommand("validate", "--device", "max1100", export, "-o", "a.md", "-o", "a.trace.json")
	if entries, _ := os.ReadDir("."); status != exitUsage || len(entries) != 1 || entries[0].Name() != "a.md" || !strings.Contains(stderr, "a.trace.json was not written") {
		t.Errorf("exit %d, %s; left: %v", status, stderr, entries)
	}
}

// TestShowStep checks that a long step is shown with its seconds and then
// removed. A short step, and a step without progress, print nothing.
func TestShowStep(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reason, progress string
		takes            time.Duration
		want             string
	}{
		{"a long step", "always", progressAfter * 3 / 2, "comparing a b  [0s]"},
		{"a short step", "always", 0, ""},
		{"no progress", "never", progressAfter * 3 / 2, ""},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			var b strings.Builder
			a := &app{raw: &b}
			a.Progress = c.progress
			done := a.showStep("comparing a\nb")
			time.Sleep(c.takes)
			done()
			shown, left := b.String(), b.String()[strings.LastIndexByte(b.String(), '\r')+1:]
			if !strings.Contains(shown, c.want) || c.want == "" && shown != "" || left != "" {
				t.Errorf("printed %q, want %q, removed at the end", shown, c.want)
			}
		})
	}
}
