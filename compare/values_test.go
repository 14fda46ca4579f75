package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"occudiff/ingest"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// TestChooseDevice checks which device a run is compared with if the user named
// none, and the error if the inputs do not identify one.
func TestChooseDevice(t *testing.T) {
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	plain := kernel("k", "16777216", "256", 32, 100, 10, measured(90))
	small := kernel("k", "2048", "16", 32, 100, 1, measured(14), peak(14.3))
	const (
		unknown   = "the inputs do not identify the GPU (choose the device, or add the VTune summary: vtune -report summary -r RESULT_DIR)"
		orSummary = ", or give the VTune summary along with the export"
	)
	counted := func(xves int) ingest.Run {
		return ingest.Run{Kernels: []ingest.Kernel{plain}, Platform: ingest.Platform{CountedXVEs: unit.Some(xves)}}
	}
	for _, c := range []struct {
		reason  string
		run     ingest.Run
		unnamed NoDevice
		want    string // device and source, note, or error
	}{
		{"nothing identifies it", ingest.Run{Kernels: []ingest.Kernel{plain}}, RejectRun, unknown},
		{"its peaks fit one device", ingest.Run{Kernels: []ingest.Kernel{small}}, RejectRun,
			unknown + "; the profiler's peaks are consistent with mtl-112 only"},
		{"its peaks are used instead", ingest.Run{Kernels: []ingest.Kernel{small}}, UsePeaks,
			"no-device: choose mtl-112, the only one that fits VTune's peaks" + orSummary},
		{"without peaks there is nothing to use", ingest.Run{Kernels: []ingest.Kernel{plain}}, UsePeaks, unknown},
		{"its measured values are used alone", ingest.Run{Kernels: []ingest.Kernel{plain}}, MeasuredOnly,
			"no-device: choose the device" + orSummary},
		{"several devices have as many XVEs", counted(448), RejectRun,
			unknown + "; the counters cover 448 XVEs, which fits a750, max1100 and a stack of max1350"},
		{"no device has as many", counted(77), RejectRun,
			unknown + "; the counters cover 77 XVEs, which fits none of 75 devices"},
		{"an export that counts XVEs", ingest.Run{Kernels: []ingest.Kernel{plain},
			Inputs:    []ingest.Input{{Path: "a.csv"}, {Path: "b.csv", Traits: ingest.Traits{XVEColumns: true}}},
			Platforms: []ingest.Platform{{Device: "Intel(R) UHD Graphics 630 [0x3e92]", DeviceFrom: "the summary"}}}, RejectRun,
			"the summary names Intel(R) UHD Graphics 630 [0x3e92] (cfl-gt2), but exports of Gen9 GPUs count EUs and b.csv counts " +
				"XVEs: it belongs to another GPU (choose the GPU of the export)"},
	} {
		on, err := ChooseDevice(&c.run, table, arch.Options{}, c.unnamed, DefaultOptions())
		got := ""
		switch {
		case err != nil:
			got = err.Error()
		case on.Device != nil:
			got = on.Device.Key + " by " + on.By.Name + on.By.Detail
		}
		for _, n := range on.Notes {
			got += n.Code + ": " + n.Hint
		}
		if got != c.want {
			t.Errorf("%s: %s\nwant %s", c.reason, got, c.want)
		}
	}
}

// TestFitOfListed checks the texts about the GPUs that a summary lists.
func TestFitOfListed(t *testing.T) {
	d := func(keys ...string) (list []*arch.Device) {
		for _, key := range keys {
			list = append(list, &arch.Device{Key: key, XeCores: 2, XVEPerXeCore: 8})
		}
		return list
	}
	for _, c := range []struct {
		fit  Fit
		want string
	}{
		{Fit{Of: 3, Listed: true, Devices: d("a")}, "of the 3 GPUs that the summary lists, only a fits"},
		{Fit{Of: 3, Listed: true, Devices: d("a", "b")}, "the summary lists a and b"},
	} {
		if got := c.fit.String(); got != c.want {
			t.Errorf("%s, want %s", got, c.want)
		}
	}
}

// TestRowValues checks values that columns show for a row.
func TestRowValues(t *testing.T) {
	p := &predict.Prediction{Groups: 10, ThreadsPerGroup: 4, GroupSize: 48, IdleLanes: 16}
	of := func(n int64, p *predict.Prediction) *Row {
		return &Row{Kernel: &ingest.Kernel{Instances: unit.Some(n)}, Predicted: p}
	}
	for _, c := range []struct{ reason, got, want string }{
		{"16 of 64 lanes", fmt.Sprint(of(1, p).IdleLanes().Or(-1)), "25.0%"},
		{"no prediction, no lanes", fmt.Sprint(of(1, nil).IdleLanes().Present()), "false"},
		{"an unknown work-group size", fmt.Sprint(of(1, &predict.Prediction{IdleLanes: 3}).IdleLanes().Present()), "false"},
		{"3 launches of 40 threads", fmt.Sprint(of(3, p).ThreadsPredicted().Or(-1)), "120"},
		{"no prediction, no threads", fmt.Sprint(of(3, nil).ThreadsPredicted().Present()), "false"},
		{"an unknown number of launches", fmt.Sprint((&Row{Kernel: &ingest.Kernel{}, Predicted: p}).ThreadsPredicted().Present()), "false"},
		{"more threads than any run has", fmt.Sprint(of(math.MaxInt64/39, p).ThreadsPredicted().Present()), "false"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.reason, c.got, c.want)
		}
	}
}

// TestGroupsBy checks VTune's limits in work-groups per Xe-core. A Max 1100 has
// 64 slots per Xe-core.
func TestGroupsBy(t *testing.T) {
	r := &Result{Device: max1100()}
	for _, c := range []struct {
		reason string
		limit  optRatio
		local  int64
		want   int
	}{
		{"half of 64 slots are 4 work-groups of 8 threads", unit.Some(unit.Ratio(0.5)), 256, 4},
		{"an eighth is one", unit.Some(unit.Ratio(0.125)), 256, 1},
		{"60% are no whole number of them", unit.Some(unit.Ratio(0.6)), 256, 0},
		{"no limit", unit.Some(unit.Ratio(1)), 256, 0},
		{"VTune reports none", optRatio{}, 256, 0},
	} {
		l := &predict.Launch{Local: unit.Size(c.local), SIMD: 32}
		if got := r.groupsBy(c.limit, l); got != c.want {
			t.Errorf("%s: %d, want %d", c.reason, got, c.want)
		}
	}
	if got := r.groupsBy(unit.Some(unit.Ratio(0.5)), &predict.Launch{Local: unit.Size(256)}); got != 0 {
		t.Errorf("without a SIMD width: %d", got)
	}
}

// TestDrawn checks the mean breakdown of a group: rows without a breakdown do
// not count, and long rows count more.
func TestDrawn(t *testing.T) {
	row := func(seconds, occupied float64) Row {
		b := &SlotBreakdown{}
		b.Parts[0] = unit.Some(unit.Points(occupied))
		b.Parts[4] = unit.Some(unit.Points(100 - occupied))
		return Row{Kernel: &ingest.Kernel{Total: unit.Some(unit.Seconds(seconds))}, Breakdown: b}
	}
	r := &Result{Rows: []Row{row(3, 80), row(1, 40), {Kernel: &ingest.Kernel{Total: unit.Some(unit.Seconds(9))}}}}
	if mean, ok := r.Drawn(&Group{Rows: []int{0, 1, 2}}); !ok || math.Abs(mean[0]-70)+math.Abs(mean[4]-30) > 1e-9 {
		t.Errorf("%v, %v; want 70 and 30", mean, ok)
	}
	if mean, ok := r.Drawn(&Group{Rows: []int{2}}); ok {
		t.Errorf("a row without a breakdown has %v", mean)
	}
}

// TestShareByThreads checks the share of other tasks in a row that is the only
// one of its run: the threads that its launches do not start.
func TestShareByThreads(t *testing.T) {
	for times, want := range map[int64]unit.Ratio{1: 0, 2: 0.5, 4: 0.75} {
		k := kernel("k", "114688", "256", 32, 1000, 0.1, measured(60))
		k.Threads = unit.Some(1000 * 3584 * times)
		r := Compare(&ingest.Run{Kernels: []ingest.Kernel{k}}, given(gen9()), DefaultOptions())
		if got := r.shareByThreads(&r.Rows[0]); abs(got.Minus(want)) > 1e-6 {
			t.Errorf("%d times as many threads: %v, want %v", times, got, want)
		}
	}
}

// TestAbovePrediction checks the likely cause of a value above the prediction:
// another register mode, or a larger launch.
func TestAbovePrediction(t *testing.T) {
	for _, c := range []struct {
		reason string
		k      ingest.Kernel
		want   string
	}{
		{"a build for 256 registers, and a value that only 128 allow",
			kernel("k", "16777216", "512", 32, 100, 10, measured(97), idle(1), registers(256)),
			"above: grf: Measured 97.0% is above the predicted peak of 50.0% for 256 registers per thread, and fits the 99.5% that are predicted for 128"},
		{"a value that 256 registers allow", kernel("k", "16777216", "512", 32, 100, 10, measured(49), idle(1), registers(256)), "match"},
		{"a peak of twice the launch", kernel("k", "16384", "512", 32, 100, 10, measured(27), peak(28.6)),
			"above: launch size: The profiler's peak of 28.6% is 1,024 threads of 3,584 thread slots, and the work-size cell (16384 in " +
				"work-groups of 512, SIMD 32) has 512 threads: a grid 2 times larger fits"},
		{"a peak of a full GPU", kernel("k", "16384", "512", 32, 100, 10, measured(90), peak(100)),
			"above: launch size: The profiler's peak of 100.0% is 3,584 threads of 3,584 thread slots, and the work-size cell (16384 in " +
				"work-groups of 512, SIMD 32) has 512 threads: a grid 7 or more times larger fits"},
		{"a peak that no multiple has", kernel("k", "16384", "512", 32, 100, 10, measured(20), peak(21.4)),
			"above: model mismatch: The profiler's peak is 21.4% and the predicted peak 14.3%"},
	} {
		row := compared(t, max1100(), DefaultOptions(), &ingest.Run{Kernels: []ingest.Kernel{c.k}})
		got := string(row.Verdict)
		if row.Cause != nil {
			got += ": " + row.Cause.Name + ": " + row.Cause.Evidence
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s\nwant %s", c.reason, got, c.want)
		}
	}
}
