package text_test

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"occudiff/compare"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/internal/sample"
	"occudiff/report/rundoc"
	"occudiff/report/text"
)

func render(t *testing.T, r *compare.Result, opt text.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := text.Terminal(&b, rundoc.FromResult(r, report.Provenance{Version: "v0"}), opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestGaussianSummary checks that the output for the Gaussian run is the output
// that the design document shows.
func TestGaussianSummary(t *testing.T) {
	want := strings.TrimPrefix(`
Meteor Lake Arc: 2 kernels, 1.11 s. 1 below prediction, 1 too short to measure
Time between launches may cost time in kernel 1 (97%)

#  Kernel   Time  Predicted average  Measured  Why                                          Possible fix
1  Fan2    96.6%              99.5%     62.7%  time between launches?, very short threads?
   Fan1     3.4%              14.3%   (19.9%)  launches of 18.4 us                          longer launches

Confirm first (low confidence in 1)
1  unitrace --chrome-kernel-logging ./app   (give validate its .json, too)

'occudiff explain TERM' explains a term, -v shows the evidence, and -o report.html writes the full report
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
		{"gaussian", "the whole chart", sample.Gaussian(), text.Options{}},
		{"gaussian-color", "colors repeat the verdicts", sample.Gaussian(), text.Options{Width: 140, Color: true}},
		{"gaussian-110", "launches and time have given way", sample.Gaussian(), text.Options{Width: 110}},
		{"gaussian-80", "local, global and SIMD have given way", sample.Gaussian(), text.Options{Width: 80}},
		{"hostile", "names cannot break the table or drive the terminal", sample.Hostile(), text.Options{Width: 120}},
		{"absent", "what is absent is a dash", sample.Absent(), text.Options{Width: 120}},
		{"logs", "timings are shown when they are all there is", sample.LogsOnly(), text.Options{Width: 120}},
		{"empty", "no row at all", sample.Empty(), text.Options{Width: 120}},
		{"many", "a long list says what is left out", sample.Many(60), text.Options{Width: 120}},
		{"gaussian-evidence", "-v has all that a terminal has room for", sample.Gaussian(), text.Options{Width: 110, Verbose: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			testenv.Golden(t, "testdata/"+c.name+".txt", []byte(render(t, c.result, c.opt)))
		})
	}
}

// TestSummaryIsReadInSeconds checks that the summary of a run with many
// kernels, each with another cause, is short enough to read.
func TestSummaryIsReadInSeconds(t *testing.T) {
	r := sample.Many(40)
	causes := []compare.Cause{
		{Name: compare.CauseDispatch, Confidence: compare.Low, Next: compare.NextStep{Action: compare.Trace}},
		{Name: compare.CauseGRF, Confidence: compare.Medium, Registers: 256, Next: compare.NextStep{Action: compare.Binary}},
		{Name: compare.CauseImbalance, Confidence: compare.Low, Next: compare.NextStep{Action: compare.Query}},
		{Name: compare.CauseGaps, Confidence: compare.Low, Next: compare.NextStep{Action: compare.Interval, Setting: unit.Some(0.1)}},
	}
	for i := range r.Rows {
		c := causes[i%len(causes)]
		c.ConfirmWith = "to run that"
		row := &r.Rows[i]
		row.Task, row.Verdict, row.Cause, row.Breakdown = fmt.Sprintf("kernel_of_%c%c", 'a'+i/26, 'a'+i%26), compare.Below, &c, nil
		row.Measured, row.Total = unit.Some(unit.Ratio(0.4)), unit.Some(unit.Seconds(41-i))
		if row.Fix = (compare.PossibleFix{}); c.Name == compare.CauseGRF {
			row.Fix = compare.PossibleFix{Remedy: compare.FewerRegisters, At: 128, Bound: unit.Some(1.9)}
		}
	}
	r.Summary.Matched, r.Summary.Below, r.Summary.KernelTime = 0, len(r.Rows), unit.Some(unit.Seconds(860))
	for width, most := range map[int]struct{ lines, words int }{80: {41, 230}, 100: {26, 230}, 160: {25, 230}} {
		out := render(t, r, text.Options{Width: width})
		if lines, words := strings.Count(out, "\n"), len(strings.Fields(out)); lines > most.lines || words > most.words {
			t.Errorf("%d columns: %d lines and %d words, at most %d and %d are read\n%s", width, lines, words, most.lines, most.words, out)
		}
		if n := strings.Count(out, "./app"); n == 0 || n > 3 {
			t.Errorf("%d columns: %d commands, want one to three", width, n)
		}
	}
}

// TestNothingIsWiderThanTheTerminal checks the width of all lines except
// commands. A wrapped command cannot be pasted.
func TestNothingIsWiderThanTheTerminal(t *testing.T) {
	command := regexp.MustCompile(`^[\d, to]*(Confirm:)? *(unitrace|vtune|occudiff|ocloc) `)
	for _, r := range []*compare.Result{sample.Gaussian(), sample.Hostile(), sample.Absent(), sample.LogsOnly(), sample.Empty(), sample.Many(3)} {
		for width := 20; width < 180; width++ {
			for i, line := range strings.Split(render(t, r, text.Options{Width: width, Verbose: true}), "\n") {
				if w := report.Width(line); w > width && !command.MatchString(line) {
					t.Fatalf("width %d, line %d takes %d columns: %q", width, i+1, w, line)
				}
			}
		}
	}
}

// TestDroppingOrder checks which columns of the evidence table remain at each
// width. The launch size and VTune's peak remain longer than the potential
// speedup, because they identify a row, and the summary above the table already
// has the fix.
func TestDroppingOrder(t *testing.T) {
	for _, c := range []struct {
		width      int
		shown, not string
	}{
		{80, "[ms] Verdict", "Local Potential"},
		{100, "[ms] Verdict Global Local", "Potential"},
		{140, "[ms] Verdict Global Local SIMD VTune Difference", "Potential"},
		{250, "[ms] Verdict Global Local SIMD VTune Difference Launches Underfilled Potential", ""},
	} {
		_, out, _ := strings.Cut(render(t, sample.Many(30), text.Options{Width: c.width, Verbose: true}), "tolerance")
		out, _, _ = strings.Cut(out, "Columns left out") // the next lines list the dropped columns by name
		for _, heading := range strings.Fields(c.shown) {
			if !strings.Contains(out, heading) {
				t.Errorf("width %d: no column %q", c.width, heading)
			}
		}
		for _, heading := range strings.Fields(c.not) {
			if strings.Contains(out, heading) {
				t.Errorf("width %d: column %q", c.width, heading)
			}
		}
	}
}

// TestNamesBeforeColumns checks that columns are dropped before names become
// unreadably short. It also checks that a dropped narrow column is added again
// after a wide column was dropped.
func TestNamesBeforeColumns(t *testing.T) {
	type row struct{ name, wide string }
	columns := []report.Col[row]{
		report.Shown("kernel", "Kernel", func(r *row) string { return r.name }, report.Cut),
		report.Shown("n", "Narrow", func(*row) int { return 1 }, report.Drop(1)),
		report.Shown("w", "Wide", func(r *row) string { return r.wide }, report.Drop(2)),
		report.Shown("p", "Predicted", func(*row) unit.Ratio { return 1 }),
	}
	rows := []row{{"VectorAdd<1, 256, 32>", strings.Repeat("wide ", 12)}, {"VectorAdd<32, 256, 32>", "w"}}
	for _, c := range []struct {
		width      int
		shown, not string
	}{
		{120, "VectorAdd<32, 256, 32>|Narrow|Wide", ""},
		{80, "VectorAdd<32, 256, 32>|Narrow", "Wide"},
		{40, "VectorAdd<32, 256, 32>", "Narrow|Wide"},
		{30, "VectorAdd<32...", "Narrow|Wide"},
	} {
		d := &report.Document{Summary: &report.Summary{Rows: report.NewTable("", "", rows, columns)}}
		var b strings.Builder
		if err := text.Terminal(&b, d, text.Options{Width: c.width}); err != nil {
			t.Fatal(err)
		}
		for _, want := range strings.Split(c.shown, "|") {
			if !strings.Contains(b.String(), want) {
				t.Errorf("width %d: no %q\n%s", c.width, want, &b)
			}
		}
		for _, not := range strings.Split(c.not, "|") {
			if not != "" && strings.Contains(b.String(), not) {
				t.Errorf("width %d: %q\n%s", c.width, not, &b)
			}
		}
	}
}

func TestNoEscapeSequencesWithoutColor(t *testing.T) {
	if out := render(t, sample.Hostile(), text.Options{}); strings.ContainsRune(out, '\x1b') {
		t.Error("a kernel name drives the terminal")
	}
}

// TestLimits checks that a terminal shows the first rows, the first
// explanations, and the number of the others, unless the whole document is
// shown.
func TestLimits(t *testing.T) {
	d := rundoc.FromResult(sample.Many(60), report.Provenance{})
	d.Sections = append(d.Sections, report.Section{ItemsIn: report.Terminal, Items: make([]report.Item, 20)})
	for _, d.Whole = range []bool{false, true} {
		var b strings.Builder
		if err := text.Terminal(&b, d, text.Options{Verbose: true}); err != nil {
			t.Fatal(err)
		}
		_, behind, _ := strings.Cut(b.String(), "\n60 kernels") // the summary has its own rows
		for _, left := range []string{"... and 10 more: a file has them all (-o report.xlsx).", "... and 5 more explanations: a file has them all (-o report.md)."} {
			if strings.Contains(behind, left) == d.Whole || behind == "" {
				t.Errorf("whole %t: %q\n%s", d.Whole, left, behind)
			}
		}
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorIsReturned(t *testing.T) {
	doc := rundoc.FromResult(sample.Gaussian(), report.Provenance{})
	for name, err := range map[string]error{"terminal": text.Terminal(full{}, doc, text.Options{}), "Markdown": text.Markdown(full{}, doc, nil)} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: got %v, want %v", name, err, errFull)
		}
	}
}

// TestSummary checks the size of a summary, and that it contains the important
// parts at any width.
func TestSummary(t *testing.T) {
	for width, most := range map[int]int{160: 25, 100: 25, 80: 30} {
		if n := strings.Count(render(t, sample.Many(41), text.Options{Width: width}), "\n"); n > most {
			t.Errorf("%d lines at %d columns, want %d at most\n%s", n, width, most, render(t, sample.Many(41), text.Options{Width: width}))
		}
	}
	for _, r := range []*compare.Result{sample.Gaussian(), sample.Many(41)} {
		for width := 60; width < 180; width++ {
			out := render(t, r, text.Options{Width: width})
			for _, heading := range []string{"Kernel", "Time", "Predicted", "Measured", "Why"} {
				if !strings.Contains(out, heading) && (heading != "Time" || r.Summary.KernelTime.Present()) {
					t.Fatalf("%q is missing at %d columns:\n%s", heading, width, out)
				}
			}
		}
	}
}
