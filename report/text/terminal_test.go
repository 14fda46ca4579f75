package text_test

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
	"occudiff/report/text"
)

var _ = flag.Bool("update", false, "rewrite the golden files")

func render(t *testing.T, r *compare.Result, opt text.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := text.Terminal(&b, rundoc.FromResult(r, report.Provenance{Version: "v0"}), opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestDesign pins the picture that the design gives of the Gaussian run.
func TestDesign(t *testing.T) {
	want := strings.TrimPrefix(`
Meteor Lake Arc Graphics, 7 Xe-cores x 16 XVE x 8 threads = 896 thread slots (from the summary: 112 XVE)
2 kernels, 3 other tasks, 1.11 s of GPU time; sampling interval 1 ms (assumed)
At stake, in slot time: 0.39 s in Fan2 (gaps)
Cause: gaps (low confidence): a launch lasts 0.5 of a sampling interval, so time between launches may be included
Worth: cannot be told: threads live so briefly that starting them may be what takes the time
To do: Make launches larger, batch them, or wait less between them
Run: unitrace --chrome-kernel-logging <your application>

Kernel  GPU time [s]  Launches  Predicted [%]   VTune peak [%]  Measured [%]  Underfilled XVEs  Empty XVEs  Last wave  Limits  Verdict       Worth
                                peak   average
Fan2          1.0710     2,047  100.0     99.5           100.0          62.7              16.2        20.6        0.5     0.0  below         cannot be told
Fan1          0.0377     2,047   14.3     14.3            14.3          19.9                 -           -          -       -  unmeasurable  cannot be told

Fan2  36.8 points below the prediction, 0.39 s of slot time; 79.1 of 99.5 % on XVEs that ran. 20.6: no thread on the XVE. A launch
      lasts 0.5 of a sampling interval, so time between launches may be included, up to 16.4 points of what is missing; it cannot be
      distinguished from time within.
      16.2: XVEs that ran, underfilled. Threads live 2.2 to 2.8 us on average: the dispatcher may not keep up (medium). To decide: a
      trace, or gpu-sampling-interval 0.05.
Fan1  unmeasurable: a launch lasts 0.02 of an interval, and this kernel takes 3 % of the GPU's time: up to 99 % of the value can
      come from other tasks. To decide: unitrace -q. Lost lanes: 50.0 %, for 16 work-items in sub-groups of 32.

0 of 1 measurable kernels match within 5 points; the model agrees with VTune's peak on 2 of 2. 1 of 2 kernels judged; 1 not: 1
unmeasurable.
`, "\n")
	if got := render(t, sample.Gaussian(), text.Options{}); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestTerminal(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		result       *compare.Result
		opt          text.Options
	}{
		{"gaussian", "the whole picture", sample.Gaussian(), text.Options{}},
		{"gaussian-color", "colors repeat the verdicts", sample.Gaussian(), text.Options{Width: 140, Color: true}},
		{"gaussian-110", "launches and time have given way", sample.Gaussian(), text.Options{Width: 110}},
		{"gaussian-80", "local, global and SIMD have given way", sample.Gaussian(), text.Options{Width: 80}},
		{"hostile", "names cannot break the table or drive the terminal", sample.Hostile(), text.Options{Width: 120}},
		{"absent", "what is absent is a dash", sample.Absent(), text.Options{Width: 120}},
		{"logs", "timings are shown when they are all there is", sample.LogsOnly(), text.Options{Width: 120}},
		{"empty", "no row at all", sample.Empty(), text.Options{Width: 120}},
		{"many", "a long list says what is left out", sample.Many(60), text.Options{Width: 120}},
	} {
		t.Run(c.name, func(t *testing.T) {
			sample.Golden(t, c.name+".txt", []byte(render(t, c.result, c.opt)))
		})
	}
}

func TestNothingIsWiderThanTheTerminal(t *testing.T) {
	for _, r := range []*compare.Result{sample.Gaussian(), sample.Hostile(), sample.Absent(), sample.LogsOnly(), sample.Empty(), sample.Many(3)} {
		for width := 20; width < 180; width++ {
			for i, line := range strings.Split(render(t, r, text.Options{Width: width}), "\n") {
				if w := report.Width(line); w > width {
					t.Fatalf("width %d, line %d takes %d columns: %q", width, i+1, w, line)
				}
			}
		}
	}
}

// TestDroppingOrder checks that names are cut first and columns go in the order launches, time, local, global.
func TestDroppingOrder(t *testing.T) {
	gone := func(width int) string {
		out := render(t, sample.Many(30), text.Options{Width: width}) // names repeat, so that shapes are shown
		var list []string
		for _, c := range []string{"Launches", "time [s]", "Local", "Global"} {
			if !strings.Contains(out, c) {
				list = append(list, c)
			}
		}
		return strings.Join(list, " ")
	}
	seen := map[string]bool{}
	last := ""
	for width := 300; width >= 80; width-- {
		now := gone(width)
		if !strings.HasPrefix(now, last) {
			t.Errorf("width %d: %q is gone after %q", width, now, last)
		}
		last = now
		seen[now] = true
	}
	for _, want := range []string{"", "Launches", "Launches time [s]", "Launches time [s] Local", "Launches time [s] Local Global"} {
		if !seen[want] {
			t.Errorf("no width at which exactly %q is gone; have %v", want, seen)
		}
	}
}

func TestNoEscapeSequencesWithoutColor(t *testing.T) {
	if out := render(t, sample.Hostile(), text.Options{}); strings.ContainsRune(out, '\x1b') {
		t.Error("a kernel name drives the terminal")
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		reason string
		opt    text.Options
		want   []string
		not    string
	}{
		{"all rows when asked", text.Options{Rows: -1, Items: -1}, nil, "more"},
		{"the rest is counted", text.Options{Rows: 4, Items: 2},
			[]string{"... and 10 more (10 of them need attention): a file has them all (-o report.xlsx).", "... and 12 more explanations: a file has them all (-o report.md)."}, "@SUM"},
	} {
		out := render(t, sample.Hostile(), c.opt)
		for _, w := range c.want {
			if !strings.Contains(out, w) {
				t.Errorf("%s: %q is missing in\n%s", c.reason, w, out)
			}
		}
		if strings.Contains(strings.ReplaceAll(out, "and 11 more (gaps)", ""), c.not) {
			t.Errorf("%s: there is %q in\n%s", c.reason, c.not, out)
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorIsReturned(t *testing.T) {
	doc := rundoc.FromResult(sample.Gaussian(), report.Provenance{})
	for name, err := range map[string]error{"terminal": text.Terminal(full{}, doc, text.Options{}), "Markdown": text.Markdown(full{}, doc)} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: got %v, want %v", name, err, errFull)
		}
	}
}
