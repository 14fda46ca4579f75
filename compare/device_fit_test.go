package compare

import (
	"slices"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/predict/arch"
)

// TestDeviceInDoubt checks peaks that fit another GPU. If VTune's peak for 128
// threads is 14.3%, either the GPU has 896 slots, or the GPU is a Max 1100 and
// the grid is four times as large. If a GPU of the table fits all rows, the
// device is in doubt and no other cause is reported.
func TestDeviceInDoubt(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	small := kernel("small", "2048", "16", 32, 100, 1, measured(14), peak(14.3))
	large := kernel("large", "4194304", "1024", 32, 100, 9, measured(60), peak(100), idle(25))
	for _, c := range []struct {
		reason  string
		kernels []ingest.Kernel
		causes  [2]string // causes of the small and the large launch
		against string
	}{
		{"another row fits both GPUs, and mtl-112 fits all", []ingest.Kernel{small, large}, [2]string{CauseModelMismatch, CauseModelMismatch}, "The device may not be the GPU that ran"},
		{"one row alone may lack a dimension", []ingest.Kernel{small}, [2]string{CauseLaunchSize, ""}, ""},
		{"without the small one nothing speaks against it", []ingest.Kernel{large}, [2]string{"", CauseImbalance}, ""},
	} {
		r, err := on(&ingest.Run{Kernels: c.kernels, Instructions: ingest.Instructions{Kernels: 1, All: 1}}, table,
			"max1100", 0, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if against := r.Fit.Against(); !strings.HasPrefix(against, c.against) || (against == "") != (c.against == "") {
			t.Errorf("%s: %q, want %q", c.reason, against, c.against)
		}
		for i := range r.Rows {
			row, want := &r.Rows[i], c.causes[0]
			if row.Task == "large" {
				want = c.causes[1]
			}
			if row.Cause != nil && c.against != "" && row.Cause.ConfirmWith != "another device: the run fits mtl-112 only" {
				t.Errorf("%s: to decide %q", c.reason, row.Cause.ConfirmWith)
			}
			if row.Cause == nil || row.Cause.Name != want {
				t.Errorf("%s: %s is %+v, want %s", c.reason, row.Task, row.Cause, want)
			}
			if told := row.Speedup.Verdict() != SpeedupUndetermined; told && c.against != "" {
				t.Errorf("%s: %s: %s", c.reason, row.Task, row.Speedup.Words())
			}
		}
	}
}

// TestColumnsOfAnotherGPU checks that an export that counts XVEs contradicts a
// GPU whose exports count EUs. The rows have no prediction then, unless the
// user forces the device.
func TestColumnsOfAnotherGPU(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason, device string
		xves, force    bool
		against        string
		verdict        Verdict
	}{
		{"Gen9 counts EUs", "skl-gt2", true, false, "The device cannot be the GPU that ran: exports of Gen9 GPUs count EUs, and run.csv counts XVEs. The run is consistent with 56 of 75 devices", NoPrediction},
		{"the user insists", "skl-gt2", true, true, "", Match},
		{"an older export of that GPU", "skl-gt2", false, false, "", Match},
		{"a newer GPU", "max1100", true, false, "", Match},
	} {
		run := &ingest.Run{Kernels: []ingest.Kernel{kernel("k", "16777216", "256", 32, 100, 10, measured(98), peak(100), idle(1))},
			Inputs: []ingest.Input{{Path: "run.csv", Traits: ingest.Traits{XVEColumns: c.xves}}}}
		on, err := ChooseDevice(run, table, arch.Options{Name: c.device, Force: c.force}, RejectRun, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		r := Compare(run, on, DefaultOptions())
		if got := r.Fit.Against(); !strings.HasPrefix(got, c.against) || (got == "") != (c.against == "") {
			t.Errorf("%s: %q, want %q", c.reason, got, c.against)
		}
		if forced := slices.ContainsFunc(r.Notes, func(n note.Note) bool {
			return n.Code == arch.CodeForced && strings.HasPrefix(n.Text, "The device cannot be the GPU that ran: ")
		}); forced != c.force {
			t.Errorf("%s: notes %+v", c.reason, r.Notes)
		}
		row := &r.Rows[0]
		if row.Verdict != c.verdict || (row.Predicted == nil) != (c.verdict == NoPrediction) || row.Cause != nil {
			t.Errorf("%s: %s, %v, %+v", c.reason, row.Verdict, row.Predicted, row.Cause)
		}
	}
}

// TestRejectedLaunch checks that a row has no bound if VTune's peak contradicts
// its launch size. For example, 16 work-items cannot fill a GPU.
func TestRejectedLaunch(t *testing.T) {
	k := kernel("k", "16", "16", 32, 10, 1, measured(97.9), peak(100), array(60, 39, 1))
	r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(max1100()), DefaultOptions())
	row := &r.Rows[0]
	if row.Cause == nil || row.Cause.Name != CauseModelMismatch && row.Cause.Name != CauseLaunchSize ||
		row.Speedup.Verdict() != SpeedupUndetermined || row.Speedup.Balancing.Max.Present() || r.Summary.Total != nil {
		t.Errorf("%+v, %+v, total %+v", row.Cause, row.Speedup, r.Summary.Total)
	}
}
