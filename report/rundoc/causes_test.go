package rundoc

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// mismatches is a run of kernels that need attention, with causes in turn.
func mismatches(n int) *compare.Result {
	r := &compare.Result{Options: compare.DefaultOptions()}
	for i := range n {
		row := compare.Row{Kernel: ingest.Kernel{Task: fmt.Sprint("k", i), Total: unit.Some(unit.Seconds(n - i))}, Verdict: compare.Below, Difference: unit.Some(unit.Points(-10 - i%7))}
		switch i % 3 {
		case 0:
			row.Cause = &compare.Cause{Name: compare.CauseUnexplained, Confidence: "low", Because: "nothing fits"}
		case 1:
			row.Cause = &compare.Cause{Name: compare.CauseGaps, Confidence: "high", Because: "idle"}
		default:
			row.Verdict, row.Difference = compare.NoPrediction, unit.Opt[unit.Points]{}
		}
		r.Rows = append(r.Rows, row)
	}
	r.Summary.Kernels = n
	return r
}

func TestExplanationsStandByCause(t *testing.T) {
	d := FromResult(mismatches(7), report.Provenance{})
	list := d.Table(sectionExplanations)
	var names []string
	for k := range list.Len {
		names = append(names, list.Row(k, nil)[0].Text)
		kernels, kernel := d.Table(list.LinkTable), list.LinkRows[k]
		if back := kernels.LinkRows[kernel]; kernels.Key != report.SectionKernels || kernels.LinkTable != sectionExplanations || back != k {
			t.Errorf("row %d leads to %s %d and back to %s %d", k, list.LinkTable, kernel, kernels.LinkTable, back)
		}
	}
	// gaps before unexplained, as causes are looked for; those without a cause last; each in the order of the kernels
	if diff := cmp.Diff([]string{"k1", "k4", "k0", "k3", "k6", "k2", "k5"}, names); diff != "" {
		t.Error(diff)
	}
	var got [][]string
	causes := d.Table("cause_texts")
	for i := range causes.Len {
		row := causes.Row(i, nil)
		got = append(got, []string{row[0].Text, fmt.Sprint(row[1].Int), fmt.Sprint(row[2].Num), fmt.Sprintf("%.1f", row[3].Num), fmt.Sprint(row[4].Num)})
	}
	// times are 7, 6, 5, 4, 3, 2, 1 s: k1 and k4 have 6 + 3 of 28
	want := [][]string{{"gaps", "2", "9", "32.1", "-14"}, {"unexplained", "3", "12", "42.9", "-16"}, {"(none)", "2", "7", "25.0", "0"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// sectionOf finds a section that the document has.
func sectionOf(d *report.Document, key string) *report.Section {
	i := slices.IndexFunc(d.Sections, func(s report.Section) bool { return s.Key == key })
	return &d.Sections[i]
}

func TestExplanationsAreLimited(t *testing.T) {
	d := FromResult(mismatches(explainedRows+5), report.Provenance{})
	list, kernels := d.Table(sectionExplanations), d.Table(report.SectionKernels)
	if list.Len != explainedRows || len(list.LinkRows) != explainedRows || len(kernels.LinkRows) != explainedRows {
		t.Errorf("%d explained, %d and %d linked; want %d", list.Len, len(list.LinkRows), len(kernels.LinkRows), explainedRows)
	}
	const want = "The first 65,000 kernels are listed below; the sheet of the kernels has the reasons for 5 more."
	if text := sectionOf(d, sectionCauses).Text; text[len(text)-1] != want {
		t.Errorf("got %q, want %q", text[len(text)-1], want)
	}
}
