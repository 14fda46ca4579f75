package rundoc

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
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
		{"five of them", "ptl-4", "modes", "32:10 64:10 96:10 128:8 160:6 192:5 256:4"},
		{"a driver's rule: 512 work-items at 16 with 256 registers", "max1100", "group_extra", "16/256=512"},
		{"no rule", "uhd-p630", "group_extra", ""},
		{"sizes apart, so that each is found by itself", "uhd-p630", "simd", "8 16 32"},
	} {
		i := slices.IndexFunc(devices, func(d arch.Device) bool { return d.Key == c.key })
		if i < 0 {
			t.Errorf("%s: no device %s", c.reason, c.key)
			continue
		}
		figures := deviceTable(devices[i:i+1], false)
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

// kernels is a run of so many kernels.
func kernels(n int) *compare.Result {
	r := &compare.Result{Options: compare.DefaultOptions()}
	for i := range n {
		r.Rows = append(r.Rows, compare.Row{Kernel: ingest.Kernel{Task: fmt.Sprint("k", i)}})
	}
	return r
}

// TestWhatIfDevices lists those that are given: a device file's are among them, and that of the run is first and once.
func TestWhatIfDevices(t *testing.T) {
	r := kernels(1)
	r.Device = &arch.Device{Key: "lab-a", XeCores: 2}
	sections := whatIfSections(r, 1, 2, []arch.Device{{Key: "max1100"}, {Key: "lab-a", XeCores: 4}, {Key: "lab-b"}})
	table := sections[0].WhatIf.Devices
	var got []string
	for i := range table.Len {
		row := table.Row(i, nil)
		got = append(got, fmt.Sprint(row[0].Text, row[table.Column("xe_cores")].Num))
	}
	if diff := cmp.Diff([]string{"lab-a: 2", "max1100: 0", "lab-b: 0"}, got); diff != "" {
		t.Error(diff)
	}
	if whatIfSections(kernels(1), 1, 2, nil) != nil {
		t.Error("there is a sheet without any device to pick")
	}
}

// TestWhatIfExplicitSIMD has a kernel of one work-item a thread: the sheet has to admit its width.
func TestWhatIfExplicitSIMD(t *testing.T) {
	for _, c := range []struct {
		simd  int
		width string
		list  []int
	}{{16, "8 16", []int{8, 16}}, {predict.ExplicitSIMD, "1 8 16", []int{1, 8, 16}}} {
		r := kernels(1)
		r.Rows[0].SIMD, r.Rows[0].Global, r.Rows[0].Local = unit.Some(c.simd), unit.Size(64), unit.Size(8)
		w := whatIfSections(r, 1, 2, []arch.Device{{Key: "own", SIMDWidths: []int{8, 16}}})[0].WhatIf
		if got := w.Devices.Row(0, nil)[w.Devices.Column("simd")].Text; got != c.width || !slices.Equal(w.SubGroups, c.list) {
			t.Errorf("SIMD %d: widths %q, list %v; want %q, %v", c.simd, got, w.SubGroups, c.width, c.list)
		}
	}
}

func TestWhatIfListIsLimited(t *testing.T) {
	w := whatIfSections(kernels(whatIfLaunches+1), whatIfLaunches+1, 2, []arch.Device{{Key: "own"}})[0].WhatIf
	if w.Launches.Len != whatIfLaunches+1 { // with the one for figures of one's own
		t.Errorf("%d launches, want %d", w.Launches.Len, whatIfLaunches+1)
	}
	const want = "The list has the first 1,000 of 1,001 kernels: those that need attention, then by slot time below the prediction."
	if w.Text[len(w.Text)-1] != want {
		t.Errorf("got %q, want %q", w.Text[len(w.Text)-1], want)
	}
	last := w.Launches.Row(whatIfLaunches, nil)
	if last[0].Int != 0 || last[1].Text != "0. none: I enter every value" {
		t.Errorf("the last row is %v", last[:2])
	}
}
