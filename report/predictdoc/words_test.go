package predictdoc

import (
	"errors"
	"strings"
	"testing"

	"occudiff/ingest/collect"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/ingest/zebin"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/batch"
	"occudiff/predict/calculator"
	"occudiff/predict/computeunit"
	"occudiff/report"
)

// tgl returns the device with the key "tgl", which has 96 XVEs.
func tgl(t *testing.T) *arch.Device {
	t.Helper()
	table, err := arch.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	m, err := table.Find(arch.Query{Name: "tgl"})
	if err != nil {
		t.Fatal(err)
	}
	return m.Device
}

// TestLines checks the lines of text in headlines and closings.
func TestLines(t *testing.T) {
	device := tgl(t)
	unknown := *device
	unknown.XeCores = 0
	grid := &predict.Prediction{Policy: predict.Free, Groups: 10, Peak: 0.5, Average: 0.25, AverageHigh: 0.25, XeCore: 1}
	ranged := *grid
	ranged.AverageHigh = 0.3
	core := &predict.Prediction{XeCore: 0.857}
	rejected := &predict.LaunchError{Code: "simd-unsupported", Text: "no SIMD8"}
	on := func(key string, p *predict.Prediction) onDevice {
		c := onDevice{Choice: arch.Choice{Device: &arch.Device{Key: key}}, model: p}
		if p == nil {
			c.rejection = rejected
		}
		return c
	}
	unitLaunch := computeunit.Launch{GroupSize: 256, SubgroupSize: 32}
	for _, c := range []struct{ reason, got, want string }{
		{"a device", DeviceLine(device), "TGL Iris Xe Graphics (96 EU) (tgl-96), 6 Xe-cores x 16 XVE x 7 threads = 672 thread slots"},
		{"a device without a public count", DeviceLine(&unknown),
			"TGL Iris Xe Graphics (96 EU) (tgl-96), 16 XVE x 7 threads = 112 thread slots per Xe-core; the number of Xe-cores is not public"},
		{"a whole launch", launchLine(&predict.Launch{Global: unit.Size(81920), Local: unit.Size(320), SIMD: 32, SLM: 16 << 10, Barriers: 1, GRF: 256}),
			"81920 work-items in work-groups of 320, SIMD32, 16 KB SLM per work-group, 1 barrier, 256 registers per thread"},
		{"two dimensions", launchLine(&predict.Launch{Global: unit.Size(64, 32)}), "64x32 (2,048) work-items"},
		{"one work-item", launchLine(&predict.Launch{Global: unit.Size(1)}), "1 work-item"},
		{"no global size", launchLine(&predict.Launch{Local: unit.Size(64)}), "work-groups of 64, no global size: one Xe-core only"},
		{"a sweep over the global size", groupLine(&predict.Launch{Local: unit.Size(64), SIMD: 8}, ""), "work-groups of 64, SIMD8"},
		{"an empty launch", launchLine(&predict.Launch{}), ""},
		{"two barriers", launchLine(&predict.Launch{Barriers: 2}), "2 barriers"},
		{"a launch on the GPU", reached(grid), "peak 50.0%, average 25.0%, limited by  (policy free)"},
		{"a range", reached(&ranged), "peak 50.0%, average 25.0 to 30.0%, limited by  (policy free)"},
		{"a launch on an Xe-core", reached(core), "Xe-core occupancy 85.7%, limited by "},
		{"whole numbers have no decimals", number(3), "3"},
		{"up to three decimals", number(2.34567), "2.346"},
		{"no trailing zeros", number(1234.5), "1,234.5"},
		{"the best device", bestDevice([]onDevice{on("a", grid), on("b", &ranged), on("c", nil)}),
			"Highest average: 25.0% on a and 1 more. It cannot run on 1 of 3 devices."},
		{"only the best device", bestDevice([]onDevice{on("a", core), on("b", &predict.Prediction{XeCore: 0.5})}),
			"Highest Xe-core occupancy: 85.7% on a."},
		{"no device", bestDevice([]onDevice{on("a", nil)}), "It cannot run on 1 of 1 devices."},
		{"a rejection in a table", rejectionWord(rejected), "simd unsupported"},
		{"another error in a table", rejectionWord(errors.New("x")), "cannot run"},
		{"no error", errorText(nil), ""},
		{"the form of the calculator", formLine(&calculator.Input{Global: "24080", Local: "1,16,1", SIMD: 32, SLMKB: 170, Barrier: true, LargeGRF: true}),
			"24080 work-items in work-groups of 1,16,1, SIMD32, 170 KB SLM per work-group, barrier, large GRF"},
		{"a form without a global size", formLine(&calculator.Input{Local: "64", SIMD: 8}), "no global size in work-groups of 64, SIMD8"},
		{"a fraction of an Xe-core", calculatorLine(&calculator.Device{Name: "D", Key: "d", XVEs: 24, XVEPerXeCore: 16, Threads: 112, XVEChoices: []int{48, 24}, Note: "fractional"}),
			"D (d) as the calculator has it: 1.5 Xe-cores x 16 XVE, 112 threads per Xe-core; fractional"},
		{"a whole count of a device with fractions", calculatorLine(&calculator.Device{Name: "D", Key: "d", XVEs: 48, XVEPerXeCore: 16, Threads: 112, XVEChoices: []int{48, 24}, Note: "fractional"}),
			"D (d) as the calculator has it: 3 Xe-cores x 16 XVE, 112 threads per Xe-core"},
		{"a note about another error", calculatorLine(&calculator.Device{Name: "D", Key: "d", XVEs: 48, XVEPerXeCore: 16, Threads: 112, XVEChoices: []int{48}, Note: "wrong"}),
			"D (d) as the calculator has it: 3 Xe-cores x 16 XVE, 112 threads per Xe-core; wrong"},
		{"a launch on compute units", unitLaunchLine(&unitLaunch), "work-groups of 256, sub-groups of 32"},
		{"registers", leastChange(&computeunit.Relaxed{Resource: computeunit.LimitRegisters, From: 128, To: 64, Setting: computeunit.Setting{GroupSize: 256, SubgroupSize: 32}}),
			"128 -> 64 bytes of registers per work-item (16 registers of 4 bytes): full occupancy at a work-group of 256 and sub-groups of 32"},
		{"SLM", leastChange(&computeunit.Relaxed{Resource: computeunit.LimitSLM, From: 128, To: 64, Setting: computeunit.Setting{GroupSize: 256, SubgroupSize: 32}}),
			"128 -> 64 bytes of SLM per work-group: full occupancy at a work-group of 256 and sub-groups of 32"},
		{"a step that is a what-if", stepText(predict.NextStep{Text: "x", Change: predict.Change{Setting: predict.SettingLocal}, Prediction: predict.Prediction{Partial: true, GroupSize: 1000}}),
			"x (a what-if: 1,000 work-items do not divide the global size)"},
		{"a step that keeps the size", stepText(predict.NextStep{Text: "x", Change: predict.Change{Setting: predict.SettingSLM}, Prediction: predict.Prediction{Partial: true}}), "x"},
		{"a step", stepText(predict.NextStep{Text: "x"}), "x"},
		{"a fact without a value", fact(report.Cell{}), ""},
		{"a count", fact(report.IntCell(1234)), "1,234"},
		{"a share", fact(report.ValueCell(unit.Ratio(0.5))), "50%"},
		{"a key with its unit", spelled("Predicted peak [%]"), "predicted_peak"},
		{"a flag", written("--slm-size"), "slm_size"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, c.got, c.want)
		}
	}
}

// TestRemarks checks the remarks next to a row's values.
func TestRemarks(t *testing.T) {
	local, registers := axisOf(overLocal, nil), axisOf(overGRF, nil)
	failed := predict.Point{Err: errors.New("no SLM")}
	setting := func(partial bool, changes ...predict.Change) *setting {
		return &setting{Setting: predict.Setting{Changes: changes, Prediction: predict.Prediction{Partial: partial}}}
	}
	size, slm := predict.Change{Setting: predict.SettingLocal, Text: "work-group 64 -> 48"}, predict.Change{Setting: predict.SettingSLM, Text: "SLM 1 -> 2 KB"}
	for _, c := range []struct {
		reason string
		got    report.Word
		want   report.Word
	}{
		{"a value that cannot run", local.remark(&failed), report.Bad.Word("no SLM")},
		{"a register mode that cannot run", registers.remark(&failed), report.Bad.Word("does not launch")},
		{"the launch itself", local.remark(&predict.Point{Own: true}), report.Word{Text: "this launch"}},
		{"idle lanes", local.remark(&predict.Point{Own: true, Prediction: predict.Prediction{IdleLanes: 1, Partial: true}}),
			report.Word{Text: "this launch, 1 lane idle, does not divide the global size"}},
		{"nothing", local.remark(&predict.Point{}), report.Word{}},
		{"a device that rejects the launch", (&onDevice{rejection: errors.New("x")}).remark(), report.Bad.Word("cannot run")},
		{"the best size", (&onDevice{end: "best size", model: &predict.Prediction{Partial: true}}).remark(), report.Word{Text: "best size"}},
		{"partial work-groups", (&onDevice{model: &predict.Prediction{Partial: true}}).remark(), report.Word{Text: "partial work-groups"}},
		{"a whole launch", (&onDevice{model: &predict.Prediction{}}).remark(), report.Word{}},
		{"changes", report.Word{Text: setting(false, size, slm).words()}, report.Word{Text: "work-group 64 -> 48, SLM 1 -> 2 KB"}},
		{"a size that does not divide", report.Word{Text: setting(true, size).words()},
			report.Word{Text: "work-group 64 -> 48, does not divide the global size: SYCL rejects that"}},
		{"the size stays", report.Word{Text: setting(true, slm).words()}, report.Word{Text: "SLM 1 -> 2 KB"}},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.reason, c.got, c.want)
		}
	}
}

// TestKernelLines checks the sentences about kernels of binaries.
func TestKernelLines(t *testing.T) {
	spills := batch.Kernel{Kernel: zebin.Kernel{Spill: unit.Some[unit.Bytes](64)}, Device: &arch.Device{Key: "d"}}
	scratch := batch.Kernel{Kernel: zebin.Kernel{Scratch: unit.Some[unit.Bytes](64)}, Device: &arch.Device{Key: "e"}}
	log := batch.Kernel{Kernel: zebin.Kernel{SpilledRegisters: unit.Some(2)}}
	const bound = "Predicted from the binary alone: an upper bound on what a run can show."
	for _, c := range []struct{ reason, got, want string }{
		{"a spill", closing([]batch.Kernel{spills, {}}), bound + " 1 kernel spills registers to memory."},
		{"spills of a log", closing([]batch.Kernel{log, log}), bound + " 2 kernels spill registers to memory."},
		{"scratch memory", closing([]batch.Kernel{scratch}), bound + " 1 kernel uses scratch memory, for a private array or a spill."},
		{"neither", closing(nil), bound},
		{"devices", headline([]batch.Kernel{spills, scratch, spills}, unit.Size3{}, false), "3 kernels on d, e; predicted for a full GPU"},
		{"a size", headline([]batch.Kernel{spills}, unit.Size(64), false), "1 kernel on d; predicted for the global size 64"},
		{"register modes", headline([]batch.Kernel{spills}, unit.Size3{}, true), "Register modes of kernels on d; predicted for a full GPU"},
		{"a log", headline([]batch.Kernel{log}, unit.Size3{}, false), "1 kernel of a compiler log; give --device to predict them"},
		{"a failed compilation", notCompiled([]note.Note{{Code: "x"}, {Code: batch.NotCompiled, Text: "k.cl for d"}})[0], "K.cl for d"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, c.got, c.want)
		}
	}
}

// TestSweepClosing checks the sentence about the highest value of a sweep.
func TestSweepClosing(t *testing.T) {
	point := func(x int64, average unit.Ratio) predict.Point {
		return predict.Point{X: x, Prediction: predict.Prediction{Groups: 8, Average: average, XeCore: average}}
	}
	own := point(64, 0.5)
	own.Own = true
	idle := point(96, 0.9)
	idle.Prediction.IdleLanes = 4
	failed := predict.Point{X: 1, Err: errors.New("x")}
	for _, c := range []struct {
		reason string
		over   string
		points []predict.Point
		want   string
	}{
		{"the launch has less", overLocal, []predict.Point{failed, own, point(128, 0.75), point(256, 0.75)},
			"Highest average among values that divide the global size and leave no lane idle: 75.0%, reached first at 128; this launch has 50.0%."},
		{"the launch is one of the best", overSIMD, []predict.Point{own, point(128, 0.25)}, "Highest average: 50.0%, reached first at 64; this launch has it."},
		{"idle lanes do not count", overLocal, []predict.Point{idle, point(128, 0.75)},
			"Highest average among values that divide the global size and leave no lane idle: 75.0%, reached first at 128."},
		{"every value has idle lanes", overLocal, []predict.Point{idle}, "Highest average: 90.0%, reached first at 96."},
		{"the unit of the axis", overSLM, []predict.Point{point(1536, 0.75)}, "Highest average: 75.0%, reached first at 1.5 KB."},
	} {
		a := axisOf(c.over, nil)
		if got := a.closing(c.points); got != c.want {
			t.Errorf("%s: got %q, want %q", c.reason, got, c.want)
		}
	}
}

// TestDocuments checks one line of a document in each case: a headline, a
// closing, an item, or the first row of a table.
func TestDocuments(t *testing.T) {
	on := arch.Choice{Device: tgl(t)}
	l := predict.Launch{Global: unit.Size(81920), Local: unit.Size(256), SIMD: 16}
	every := predict.VariableSettings{Local: true, SIMD: true, SLM: true, GRF: true}
	lines := func(o *report.Output, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(append(o.Doc.Headline, o.Doc.Closing), "\n")
		for _, s := range o.Doc.Sections {
			for _, i := range s.Items {
				text += "\n" + i.Lead + ": " + i.Text
			}
			for _, table := range s.Tables {
				for row := range table.All() {
					text += "\n"
					for k, cell := range row {
						text += table.Columns[k].Print(cell) + "|"
					}
				}
			}
		}
		return text
	}
	slm := l
	slm.SLM = 20 << 10
	platforms, err := computeunit.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	gen11, err := platforms.Find("gen11")
	if err != nil {
		t.Fatal(err)
	}
	platform := &gen11
	for _, c := range []struct{ reason, text, want string }{
		{"a long sweep", lines(Sweep(&on, l, overLocal)), " values, -v shows all"},
		{"a short sweep", lines(Sweep(&on, l, overSIMD)), "SIMD16\nHighest average"},
		{"work-groups", lines(Sweep(&on, l, overGroups, 1, 42)), "work-groups of 256, SIMD16\n"},
		{"one work-group of 16 threads", lines(Sweep(&on, l, overGroups, 1, 42)), "\n1|256|16|14.3|"},
		{"a register mode and how to ask for it", lines(Sweep(&on, l, overGRF)), "128 registers: the default"},
		{"a timeline", lines(Timeline(t.Context(), &on, l, 0)), "; policy free\n"},
		{"the current launch", lines(Advise(&on, slm, every)), "\nnow|256|16|20,480|"},
		{"the searched setting", lines(Advise(&on, predict.Launch{Global: unit.Size(81920), SIMD: 16}, every)), "All work-group sizes are searched."},
		{"how many work-groups fill the GPU", lines(Advise(&on, slm, every)), "grid: 12 work-groups fill the GPU; multiples of 12 leave no partial last wave"},
		{"a probe", lines(Probe(&on, l)), "SLM: SYCL: sycl::local_accessor<char>"},
		{"how to compare probes", lines(Probe(&on, l)), "'occudiff diff BASE PROBE...'"},
		{"a step of the reasoning", lines(Predict(&Question{Launch: l, On: []arch.Choice{on}})), "\nthreads per work-group|ceil(256 / 16)|16|"},
		{"the driver's formula", lines(Predict(&Question{Launch: l, On: []arch.Choice{on}, Driver: true})), "driver: The compute driver's formula and the model agree"},
		{"any work-group size", lines(Predict(&Question{Launch: predict.Launch{Global: unit.Size(81920), SIMD: 16}, On: []arch.Choice{on}})),
			"; the compiler chooses the work-group size, --local sets it\nOn tgl-96, the average is "},
		{"compute units", lines(ComputeUnit(platform, computeunit.Launch{GroupSize: 256, SubgroupSize: 16, RegisterBytes: 128, SLM: 4096}, 0)),
			"Compute-unit occupancy: "},
		{"registers of compute units", lines(ComputeUnit(platform, computeunit.Launch{GroupSize: 256, SubgroupSize: 16, RegisterBytes: 128}, 0)),
			"\nwork-groups by SLM|no SLM used|no limit|"},
		{"the memory of a device", lines(Device(on.Device), nil), "\nSLM per Xe-core [KB]|"},
		{"the registers of a device", lines(Device(on.Device), nil), "\nRegisters of an XVE [KB]|28|"},
		{"a missing program", lines(ToolChecks([]collect.Check{{Name: "vtune", Impact: "no counters", Install: "x"}}, []string{"a"}), nil),
			"1 thing is missing. Predictions and reports of files need none of them.\n"},
		{"a missing tool", lines(ToolChecks([]collect.Check{{Name: "vtune", Impact: "no counters", Install: "x"}}, nil), nil),
			"vtune: No counters. To install it: x."},
		{"nothing is missing", lines(ToolChecks([]collect.Check{{Name: "vtune", OK: true}}, nil), nil), "Everything needed for collecting is installed."},
		{"no settings file", lines(Settings("", nil, nil), nil), "No settings file (occudiff.yaml) was found here or in a parent folder."},
		{"a settings file", lines(Settings("a.yaml", []Setting{{"tolerance", "5", "default"}}, []string{"x"}), nil), "Settings file: a.yaml\n"},
		{"an unknown setting", lines(Settings("a.yaml", nil, []string{"a.yaml:3: x"}), nil), "\n: a.yaml:3: x"},
		{"several devices", lines(Devices([]arch.Device{*on.Device, *on.Device}), nil), "2 devices; 'occudiff devices KEY' shows one with its sources"},
	} {
		if !strings.Contains(c.text, c.want) {
			t.Errorf("%s: %q is not in %s", c.reason, c.want, c.text)
		}
	}
}
