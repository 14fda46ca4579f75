package main

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"occudiff/ingest/collect"
	"occudiff/internal/testenv"
)

// documented contains the flags of each collector that a summary may contain.
// The flags are taken from the collectors' manuals.
var documented = map[string][]string{
	"unitrace": {"--chrome-kernel-logging", "--device-timing", "--verbose", "-q"},
	"oneprof":  {"-k", "-i", "--sampling-interval"},
	"vtune":    {"-collect", "-knob", "--", "-report", "-group-by", "-format", "-csv-delimiter", "-report-output", "-r"},
}

var (
	commandLine = regexp.MustCompile(`(?m)^(?:Confirm: +|[0-9, to]* *)((?:occudiff|unitrace|vtune|oneprof) .*?)(?:   ?\([^)]*\))?$`)
	knob        = regexp.MustCompile(`^gpu-sampling-interval=([0-9.]+)$`)
	asWords     = regexp.MustCompile(`'[^']*'|[^ ']+`)
)

// summaryCommands runs a command line and returns the commands that are printed
// in its summary.
func summaryCommands(t *testing.T, args ...string) (list []string) {
	t.Helper()
	t.Setenv("COLUMNS", "1000")
	_, out, _ := runCommand(append(args, "-q")...)
	for _, m := range commandLine.FindAllStringSubmatch(out, -1) {
		list = append(list, m[1])
	}
	return list
}

// checkCommand checks a command that a summary prints. It runs an occudiff
// command unchanged. The command must succeed, it must find a setting that
// helps, and its own summary must not suggest the same command again. For a
// collector's command, it checks the flags against the collector's manual.
func checkCommand(t *testing.T, from, line string) {
	t.Helper()
	words := asWords.FindAllString(line, -1)
	for i := range words {
		words[i] = strings.Trim(words[i], "'")
	}
	if words[0] == "occudiff" {
		status, out, errs := runCommand(words[1:]...)
		if status != exitDone || strings.Contains(out, "No setting") {
			t.Errorf("%s prints %s, which ends with %d:\n%s%s", from, line, status, out, errs)
		}
		if again := summaryCommands(t, words[1:]...); slices.Contains(again, line) {
			t.Errorf("%s leads back to itself", line)
		}
		return
	}
	for i, w := range words[1:] {
		switch {
		case w == "--" || !strings.HasPrefix(w, "-") && words[0] != "vtune" && words[i] != "--sampling-interval":
			return // the rest of the command is the application
		case w == "characterization-mode=full-compute":
		case words[i] == "-knob":
			m := knob.FindStringSubmatch(w)
			if m == nil {
				t.Fatalf("%s: the knob %s", line, w)
			}
			if ms, err := strconv.ParseFloat(m[1], 64); err != nil || ms < collect.ShortestInterval.Seconds()*1e3 || ms > 1 {
				t.Errorf("%s: an interval that 'occudiff collect' does not take", line)
			}
		case strings.HasPrefix(w, "-") && !slices.Contains(documented[words[0]], w):
			t.Errorf("%s: %s has no flag %s", line, words[0], w)
		}
	}
}

// TestPrintedCommands checks the commands in the summaries of the built-in
// runs. A suggested command is wrong if it ends with a usage error or with "no
// setting does better".
func TestPrintedCommands(t *testing.T) {
	mix, err := filepath.Abs(filepath.Join("..", "..", "fixtures", "max1100_mix.hotspots.csv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	calls := [][]string{{"demo", "-o", "d.json"}, {"demo", "--vec-add", "-o", "v.json"}}
	for _, more := range [][]string{nil, {"--tolerance", "60"}, {"--sort", "speedup"}, {"--kernel", "reduce"}} {
		calls = append(calls, append([]string{"validate", "--device", "max1100", mix}, more...))
	}
	ran := 0
	for _, call := range calls {
		for _, line := range summaryCommands(t, call...) {
			checkCommand(t, strings.Join(call, " "), line)
			ran++
		}
	}
	if ran < 6 {
		t.Errorf("only %d commands were found", ran)
	}
}

// TestPrintedCommandsOfTheCorpus checks the commands in the summaries of real
// exports.
func TestPrintedCommandsOfTheCorpus(t *testing.T) {
	corpus := testenv.Shared(t, "corpus")
	t.Chdir(t.TempDir())
	ran := map[string]bool{}
	err := filepath.WalkDir(corpus, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "zebin") || strings.Contains(path, "vtune-result") {
			return err
		}
		for _, device := range []string{"mtl-112", "max1100"} {
			for _, line := range summaryCommands(t, "validate", "--device", device, path) {
				if !ran[line] {
					checkCommand(t, path, line)
				}
				ran[line] = true
			}
		}
		return nil
	})
	if err != nil || len(ran) < 4 {
		t.Errorf("%v; %d commands", err, len(ran))
	}
}
