// Package ingesttest helps the tests of the formats: it prints what a format understood of a file, compares that with
// a golden file, and finds real tool output where it is at hand. It does not know any format.
package ingesttest

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
)

var update = flag.Bool("update", false, "rewrite the golden files from what was understood")

// Corpus gives the files of a folder of real tool output, and skips the test where that is not at hand.
// Tests that may skip for that stand in .ci/skips; any other skip is red there.
func Corpus(t testing.TB, folder string) []string {
	t.Helper()
	testenv.Needs(t, "../shared")
	paths, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(paths) == 0 {
		t.Skipf("no files in %s: real tool output is not part of the project; the other tests do not need it", folder)
	}
	return paths
}

// ReadFile reads a file with a format after checking that the format recognizes it.
// It has the format read the bytes as package ingest would, without the joining of files that follows: what it gives is
// of this one file.
func ReadFile(t testing.TB, format ingest.Format, path string, opt ingest.ReadOptions) *ingest.File {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// As much as package ingest shows a format of a file.
	if !format.Sniff(data[:min(len(data), 64<<10)]) {
		t.Fatalf("%s is not recognized as %s", path, format.Kind())
	}
	src := &ingest.Source{Path: filepath.Base(path), Size: int64(len(data)), R: strings.NewReader(string(data))}
	f, err := format.Read(context.Background(), src, opt)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Golden compares text with testdata/NAME, or writes it there with -update.
// Unlike in report/internal/sample the flag is declared here, once for all formats, so that a test package must not
// declare it again.
func Golden(t testing.TB, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got; go test -update accepts it):\n%s", path, d)
	}
}

// NoStale fails the test when testdata holds a golden file that no test compares with any more.
// used are the names of the golden files that were compared, without their folder.
func NoStale(t testing.TB, used []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		if !slices.Contains(used, filepath.Base(p)) {
			t.Errorf("%s is of a file that is gone: remove it", p)
		}
	}
}

// Describe prints what was understood of a file, a fact per line; what is absent is not printed.
// A golden of it shows what a change of a format reads otherwise, field by field. A new field of ingest.File has to be
// added here by hand, or goldens do not see it.
func Describe(f *ingest.File) string {
	var b printer
	b.line("rows", f.Rows, "bad", f.BadRows)
	b.platform(&f.Platform)
	for _, k := range f.Kernels.All() {
		b.kernel("kernel", k)
	}
	for i := range f.Summary {
		b.kernel("summary", &f.Summary[i])
	}
	for _, t := range f.Timings {
		b.line("timing", t.Kernel, "groups", t.Groups, "seconds", t.Seconds, "printed", t.Printed, "unit",
			t.UnitAsPrinted, "at", t.Pos)
	}
	for _, p := range f.Props {
		b.line("properties", fmt.Sprintf("%q", p.Task), "global", p.Global, "local", p.Local, "simd", p.SIMD, "slm",
			p.SLM, "private", p.Private, "spill", p.Spill, "registers", p.Registers, "at", p.Pos)
	}
	for _, s := range f.Stalls {
		list := fmt.Sprintf("%q", s.Task)
		for _, x := range s.Stalls {
			list += fmt.Sprintf(" %s %.4g %%", x.Reason, x.Share.Percent())
		}
		b.line("stalls", list, "at", s.Pos)
	}
	// The note prints its own place, severity and hint: wording is part of what a format promises.
	for _, n := range f.Notes {
		b.line("note", n.Code, "", n)
	}
	return b.String()
}

// printer collects lines. A value that is absent leaves no trace, so a 0 in a golden is one that was read.
type printer struct{ strings.Builder }

// line prints pairs of a name and a value, leaving out what is absent.
func (b *printer) line(pairs ...any) {
	text := b.pairs(pairs)
	if text != "" {
		b.WriteString(text + "\n")
	}
}

// indented prints a line below a kernel, which is left out when all of its values are absent.
func (b *printer) indented(pairs ...any) {
	if text := b.pairs(pairs); text != "" {
		b.WriteString("   " + text + "\n")
	}
}

func (b *printer) pairs(pairs []any) string {
	var parts []string
	for i := 0; i+1 < len(pairs); i += 2 {
		text, ok := value(pairs[i+1])
		if !ok {
			continue
		}
		if name := pairs[i].(string); name != "" {
			text = name + " " + text
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

// value prints a value and says whether it is there. Twelve digits of seconds and nine of a percentage are fewer than a
// float64 has: its rounding stays out of goldens.
func value(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, v != ""
	case unit.Size3:
		return v.String(), v.Present()
	case unit.Seconds:
		return fmt.Sprintf("%.12g", float64(v)), true
	case unit.Opt[unit.Seconds]:
		x, ok := v.Value()
		return fmt.Sprintf("%.12g", float64(x)), ok
	case unit.Opt[unit.Ratio]:
		x, ok := v.Value()
		return fmt.Sprintf("%.9g%%", x.Percent()), ok
	case unit.Opt[float64]:
		x, ok := v.Value()
		return fmt.Sprintf("%.12g", x), ok
	case unit.Opt[int]:
		x, ok := v.Value()
		return fmt.Sprint(x), ok
	case unit.Opt[int64]:
		x, ok := v.Value()
		return fmt.Sprint(x), ok
	case unit.Opt[unit.Bytes]:
		x, ok := v.Value()
		return fmt.Sprint(int64(x)), ok
	case time.Time:
		return v.Format(time.RFC3339), !v.IsZero()
	}
	return fmt.Sprint(v), true
}

func (b *printer) platform(p *ingest.Platform) {
	for _, f := range []struct {
		name  string
		value any
	}{
		{"device", p.Device}, {"device from", p.DeviceFrom}, {"node property", p.NodeProperty}, {"XVEs", p.XVEs},
		{"threads per XVE", p.ThreadsPerXVE}, {"adapters", p.Adapters}, {"stacks", p.Stacks},
		{"busy stacks", p.BusyStacks}, {"max frequency", p.MaxFrequency},
		{"max work-group", p.MaxWorkGroup}, {"collected", p.Collected}, {"host", p.Host}, {"command", p.Command},
		{"OS", p.OS},
		{"VTune", p.VTune}, {"driver", p.Driver}, {"job", p.JobID}, {"occupancy", p.Occupancy},
		{"vector size", p.VectorSize},
		{"at", p.Pos.String()},
	} {
		if text, ok := value(f.value); ok {
			fmt.Fprintf(b, "platform %s: %s\n", f.name, text)
		}
	}
}

// kernel prints a row of an export or of a summary: first whose it is, then the launch, the occupancy and the rest, a
// line each.
func (b *printer) kernel(what string, k *ingest.Kernel) {
	b.line(what, fmt.Sprintf("%q", k.Task), "at", k.Pos)
	b.indented("global", k.Global, "local", k.Local, "SIMD", k.SIMD, "direction", string(k.Direction), "device",
		k.Device, "instances", k.Instances, "seconds", k.Total, "a launch", k.Mean)
	b.indented("measured", k.Measured, "peak", k.Peak, "work", k.PeakWork, "SLM", k.PeakSLM, "barrier", k.PeakBarrier,
		"active", k.Active, "stalled", k.Stalled, "idle", k.Idle)
	b.indented("barrier stall", k.BarrierStall, "threads", k.Threads, "barriers", k.Barriers, "spill", k.Spill,
		"SLM bytes", k.SLM, "registers", k.Registers)
	if s := k.Launches; s != nil {
		b.indented("from", s.MinSeconds, "median", s.MedianSeconds, "to", s.MaxSeconds, "measured from", s.MinMeasured,
			"median", s.MedianMeasured, "to", s.MaxMeasured)
	}
}
