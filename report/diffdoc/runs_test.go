package diffdoc_test

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"occudiff/compare"
	"occudiff/compare/diff"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/internal/testenv"
	"occudiff/report"
	"occudiff/report/diffdoc"
	"occudiff/report/internal/sample"
	"occudiff/report/machine"
	"occudiff/report/text"
)

// cluster returns the runs of twelve nodes. One run is slow and has a low
// occupancy, one did nothing, one has another device, and one is a copy of
// another run. In one more run, eleven kernels differ, but the run does not
// differ as a whole.
func cluster() *diff.Runs {
	const kernels = 30
	var names []string
	var runs []*compare.Result
	for n := range 12 {
		r := &compare.Result{Device: sample.Device(), Options: compare.DefaultOptions(),
			Inputs: []ingest.Input{{Path: "run.csv", Kind: "vtune", Digest: fmt.Sprint("sha256:", n)}}}
		r.Platform.Host = fmt.Sprintf("host%d", n)
		r.Platform.Collected = time.Date(2026, 6, 2, n, 0, 0, 0, time.UTC)
		for k := range kernels {
			measured, perLaunch := 40+float64(k), 1e-3
			switch {
			case n == 3:
				measured, perLaunch = measured-20, 2e-3
			case n == 5 && k < 11:
				measured -= 15 + float64(k)
			}
			r.Rows = append(r.Rows, compare.Row{Verdict: compare.Match, Kernel: &ingest.Kernel{Task: fmt.Sprintf("kernel%02d", k),
				Pos: note.Pos{File: "run.csv", Line: k + 2}, Global: unit.Size(4096), Local: unit.Size(64), Instances: unit.Some[int64](100),
				Total:    unit.Some(unit.Seconds(perLaunch * float64(100*(k+1)))),
				Measured: unit.Some(unit.FromPercent(measured))}})
		}
		r.Summary.Kernels, r.Summary.Matched, r.Summary.Judged = kernels, kernels, kernels
		r.Finish()
		names, runs = append(names, fmt.Sprintf("node%02d", n)), append(runs, r)
	}
	runs[7].Rows, runs[7].Summary = nil, compare.Summary{}
	runs[8].Device = nil
	runs[8].Notes = []note.Note{{Severity: note.Warning, Code: "no-device", Text: "the inputs do not identify the GPU"}}
	runs[9].Inputs = runs[0].Inputs
	return diff.CompareRuns(names, runs)
}

// two returns two runs of one program. With only two runs, it is unknown which
// of them is the outlier.
func two() *diff.Runs {
	a, b := sample.Gaussian(), sample.Gaussian()
	b.Inputs = nil
	return diff.CompareRuns([]string{"first", "second"}, []*compare.Result{a, b})
}

func TestRunsGolden(t *testing.T) {
	for _, c := range []struct {
		name, reason string
		runs         *diff.Runs
		show         report.Selection
	}{
		{"cluster", "every way to stand out", cluster(), report.Selection{}},
		{"selected", "kernels that people chose, and the rest said", cluster(),
			report.Selection{Kernel: regexp.MustCompile("kernel[01]"), Top: 3, Sort: report.SortTime}},
		{"two", "too few to say which one is off", two(), report.Selection{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := diffdoc.Runs(c.runs, report.Provenance{Version: "v0", Show: c.show}).Document()
			var screen, page bytes.Buffer
			if err := text.Terminal(&screen, doc, text.Options{Verbose: true}); err != nil {
				t.Fatal(err)
			}
			if err := text.Markdown(&page, doc, nil); err != nil {
				t.Fatal(err)
			}
			testenv.Golden(t, "testdata/"+c.name+".txt", screen.Bytes())
			testenv.Golden(t, "testdata/"+c.name+".md", page.Bytes())
		})
	}
}

// TestRunsSort compares the order of the kernels that people see with an order
// that is written by hand.
func TestRunsSort(t *testing.T) {
	for _, c := range []struct {
		reason string
		sort   report.SortKey
		want   string
	}{
		{"the most time first", report.SortTime, "kernel29"},
		{"names by the alphabet", report.SortName, "kernel00"},
	} {
		doc := diffdoc.Runs(cluster(), report.Provenance{Show: report.Selection{Top: 1, Sort: c.sort}}).Document()
		table := sample.Find(doc, report.SectionKernels)
		if got := table.Row(0, nil)[0].Text; table.Len != 1 || got != c.want {
			t.Errorf("%s: %d kernels, the first is %s, want %s", c.reason, table.Len, got, c.want)
		}
	}
}

// TestRunsForms checks that outputs for programs contain every run, regardless
// of the selection.
func TestRunsForms(t *testing.T) {
	ans := diffdoc.Runs(cluster(), report.Provenance{Label: "nightly", Show: report.Selection{Top: 1}})
	var json, xml bytes.Buffer
	if err := machine.JSON(&json, ans.Value); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(json.String(), `"schema": "occudiff/validate/1"`); got != 12 {
		t.Errorf("JSON has %d runs, want 12", got)
	}
	if !strings.Contains(json.String(), `"low occupancy"`) {
		t.Error("JSON does not say that a run has a low occupancy")
	}
	if err := machine.JUnit(&xml, ans.Tests()); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(xml.String(), "<testcase "); got != 11*30 {
		t.Errorf("JUnit has %d test cases, want 330", got)
	}
	if !strings.Contains(xml.String(), `classname="mtl-112/nightly/node03"`) {
		t.Errorf("no class names the run: %.600s", xml.String())
	}
}
