package rundoc

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"occudiff/report"

	"github.com/google/go-cmp/cmp"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

func TestDeviceLabel(t *testing.T) {
	for _, c := range []struct{ reason, key, name, want string }{
		{"ordinary", "max1100", "Max 1100", "max1100: Max 1100"},
		{"spreadsheets take these for wildcards", "my*gpu", "What? ~Half", "my-gpu: What- -Half"},
		{"a list shows one line", "k", "two\nlines", "k: two lines"},
	} {
		if got := deviceLabel(&arch.Device{Key: c.key, Name: c.name}); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
	if n := len(deviceLabel(&arch.Device{Key: "k", Name: strings.Repeat("x", 400)})); n > 255 {
		t.Errorf("a label has %d characters; spreadsheets look up 255", n)
	}
}

func TestDeviceFigures(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	devices := table.Devices()
	for _, c := range []struct{ reason, key, column, want string }{
		{"two register modes", "max1100", "modes", "128:8 256:4"},
		{"five of them", "ptl-4", "modes", "96:10 128:8 160:6 192:5 256:4"},
		{"a driver's rule: 512 work-items at 16 with 256 registers", "max1100", "group_extra", "16/256=512"},
		{"no rule", "uhd-p630", "group_extra", ""},
		{"sizes apart, so that each is found by itself", "uhd-p630", "simd", "8 16 32"},
	} {
		i := slices.IndexFunc(devices, func(d arch.Device) bool { return d.Key == c.key })
		if i < 0 {
			t.Errorf("%s: no device %s", c.reason, c.key)
			continue
		}
		figures := deviceTable(devices[i : i+1])
		if got := figures.Row(0, nil)[figures.Column(c.column)].Text; got != c.want {
			t.Errorf("%s: %s of %s is %q, want %q", c.reason, c.column, c.key, got, c.want)
		}
	}
}

func TestDeviceWithoutModes(t *testing.T) {
	d := &arch.Device{Key: "own", XVEPerXeCore: 8, ThreadsPerXVE: 7}
	if got := modeText(d); got != "128:7" {
		t.Errorf("got %q, want the one mode that leaves all threads", got)
	}
	if got := usualRegisters(d); got != 128 {
		t.Errorf("got %d registers, want 128", got)
	}
}

func TestSet(t *testing.T) {
	if diff := cmp.Diff([]int{8, 16, 32, 64}, set([]int{16, 32, 8, 16, 64})); diff != "" {
		t.Error(diff)
	}
}

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
	const want = "The first 65,000 kernels are listed below; the sheet of the kernels has the reasons of 5 more."
	if text := sectionOf(d, sectionCauses).Text; text[len(text)-1] != want {
		t.Errorf("got %q, want %q", text[len(text)-1], want)
	}
}

// TestWhatIfDevices lists those that are given: a device file's are among them, and that of the run is first and once.
func TestWhatIfDevices(t *testing.T) {
	r := mismatches(1)
	r.Device = &arch.Device{Key: "lab-a", XeCores: 2}
	d := FromResult(r, report.Provenance{}, arch.Device{Key: "max1100"}, arch.Device{Key: "lab-a", XeCores: 4}, arch.Device{Key: "lab-b"})
	table := sectionOf(d, report.SectionWhatIf).WhatIf.Devices
	var got []string
	for i := range table.Len {
		row := table.Row(i, nil)
		got = append(got, fmt.Sprint(row[0].Text, row[table.Column("xe_cores")].Num))
	}
	if diff := cmp.Diff([]string{"lab-a: 2", "max1100: 0", "lab-b: 0"}, got); diff != "" {
		t.Error(diff)
	}
	for _, s := range FromResult(mismatches(1), report.Provenance{}).Sections {
		if s.Key == report.SectionWhatIf {
			t.Error("there is a sheet without any device to pick")
		}
	}
}

func TestWhatIfListIsLimited(t *testing.T) {
	d := FromResult(mismatches(whatIfLaunches+1), report.Provenance{}, arch.Device{Key: "own"})
	w := sectionOf(d, report.SectionWhatIf).WhatIf
	if w.Launches.Len != whatIfLaunches+1 { // with the one for figures of one's own
		t.Errorf("%d launches, want %d", w.Launches.Len, whatIfLaunches+1)
	}
	const want = "The list has the first 1,000 of 1,001 kernels: those that need attention, then by slot time below the prediction."
	if w.Text[len(w.Text)-1] != want {
		t.Errorf("got %q, want %q", w.Text[len(w.Text)-1], want)
	}
	last := w.Launches.Row(whatIfLaunches, nil)
	if last[0].Int != 0 || last[1].Text != "0. none: all figures are mine" {
		t.Errorf("the last row is %v", last[:2])
	}
}
