// Package sample holds compared runs made by hand, for the tests of the report and its renderers. It does not know how
// to read, predict or compare: the figures were calculated with pencil and the model's formulas.
package sample

import (
	"time"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
)

// hostileNames hold what an output could take for more than text: formulas, also behind a tab or a carriage return,
// tags, the marks of Markdown, line ends, control characters, bytes that are no UTF-8, and Excel's escapes.
var hostileNames = [...]string{
	`=HYPERLINK("http://x")`,
	`<script>alert(1)</script>`,
	"a|b*c_d`e",
	"first line\nsecond line",
	"+1", "-1", "@SUM(A1)", "\tcmd", "\rcmd",
	"bell\a escape\x1b[31mred",
	"x\\|y",
	"![i](http://x/i.png)",
	"bad utf-8 \xff\xfe",
	"_x0041_ & co",
}

// HostileNames are kernel names that must not harm any output.
func HostileNames() []string { return hostileNames[:] }

// Device is the Meteor Lake part with 7 Xe-cores: 7 x 16 x 8 = 896 thread slots.
// Its values are copies, and not looked up: a change of the device table changes no golden.
func Device() *arch.Device {
	return &arch.Device{
		Key: "mtl-112", Name: "Meteor Lake Arc Graphics", Architecture: "Xe-LPG", Codename: "MTL", Tiles: 1, XeCores: 7,
		XVEPerXeCore:  16,
		GRFModes:      []arch.GRFMode{{Registers: 128, ThreadsPerXVE: 8}, {Registers: 256, ThreadsPerXVE: 4}},
		ThreadsPerXVE: 8, RegisterBytes: 32,
		SIMDWidths: []int{8, 16, 32}, SLMPerXeCore: 65536, SLMPerGroupMax: 65536, MaxGroupSize: 1024, GroupSlots: 64,
		BarrierSlots: []arch.SourcedCount{{Source: "driver", Count: 32}}, PCIIDs: []string{"7D55"},
		Confidence: "medium", Source: "a summary that prints 112 XVE", Notes: "binned part",
	}
}

// Gaussian is a run of two kernels that do not match, two copies and what lies outside any task.
// It is what most goldens show: every field is filled somewhere, one kernel has a cause and an account of its XVEs, the
// other is unmeasurable. The measured figures are those of a real export of that benchmark.
func Gaussian() *compare.Result {
	const csv, txt = "bench_gaussian.hotspots.csv", "bench_gaussian.hotspots.txt"
	return finished(&compare.Result{
		Device:   Device(),
		ChosenBy: "the summary: 112 XVE",
		Inputs: []ingest.Input{
			{Path: csv, Kind: "vtune",
				Digest: "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", Rows: 5},
			{Path: txt, Kind: "vtune-summary",
				Digest: "sha256:fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210", Rows: 31,
				BadRows: 1},
		},
		Platform: ingest.Platform{
			Device: "Meteor Lake-P [Intel Arc Graphics]", DeviceFrom: "the summary", XVEs: unit.Some(112),
			Collected: time.Date(2026, 3, 4, 15, 6, 7, 0, time.UTC), OS: "Linux",
		},
		Rows: []compare.Row{fan2(csv), fan1(csv), copyRow(csv, 4, "clEnqueueReadBuffer", ingest.DeviceToHost, 0.001908,
			90.1),
			copyRow(csv, 5, "clEnqueueWriteBuffer", ingest.HostToDevice, 0.001455, 79.7), outside(csv)},
		Summary: compare.Summary{Judged: 1, NotJudged: 1,
			Kernels: 2, Below: 1, Unmeasurable: 1, NotKernels: 3, ModelCompared: 2, ModelMatched: 2,
			Bias: unit.Some[unit.Points](-36.814), MeanAbsolute: unit.Some[unit.Points](36.814),
			MaxAbsolute: unit.Some[unit.Points](36.814), RMSE: unit.Some[unit.Points](36.814),
			GPUTime: unit.Some[unit.Seconds](1.112048), KernelTime: unit.Some[unit.Seconds](1.108685),
		},
		Options: compare.DefaultOptions(),
		Notes: []note.Note{
			{Severity: note.Warning, Code: "bad-row", Pos: note.Pos{File: txt, Line: 17, Column: 3},
				Text: "expected a number, found <none>", Hint: "the row is not used"},
			{Severity: note.Info, Code: "sampling-assumed", Text: "the sampling interval is the collector's " +
				"default, 1 ms"},
		},
	})
}

// fan2 is a kernel that is measurable and below its prediction, with all counters of an export that has them.
func fan2(file string) compare.Row {
	held := predict.Held{Average: 1024.0 / 1029, Loaded: 1024.0 / 1029}
	return compare.Row{
		Kernel: ingest.Kernel{
			Task: "Fan2", Global: unit.Size(2048, 2048), Local: unit.Size(1024, 1), SIMD: unit.Some(32),
			Pos:       note.Pos{File: file, Line: 2, Column: 1},
			Instances: unit.Some[int64](2047), Total: unit.Some[unit.Seconds](1.070996),
			Measured: ratio(62.7), Peak: ratio(100), PeakWork: ratio(100), PeakSLM: ratio(100), PeakBarrier: ratio(100),
			Active: ratio(6.5), Stalled: ratio(72.8), Idle: ratio(20.7), Threads: unit.Some[int64](90462838),
			Barriers: unit.Some[int64](0),
		},
		// 131,072 threads on 896 slots are 146.29 waves: (146 + 2/7) / 147.
		Predicted: &predict.Prediction{
			Policy: predict.Free, GroupSize: 1024, ThreadsPerGroup: 32, Groups: 4096, GroupsPerXeCore: 4, ByThreads: 4,
			BySLM:   predict.Unlimited,
			BySlots: 64, ByBarriers: predict.Unlimited, Limits: predict.LimitThreads, XeCore: 1, Peak: 1,
			Average: 1024.0 / 1029, AverageHigh: 1024.0 / 1029, Waves: 1024.0 / 7, LastWaveOccupancy: 2.0 / 7, XeCoreOfMode: 1,
		},
		BusyOccupancy: unit.Some[unit.Ratio](0.627 / 0.793),
		ThreadLife:    unit.Some[unit.Seconds](0.627 * 896 * 1.070996 / 2047 / 131072),
		Basis:         compare.BasisMeasured, Difference: unit.Some[unit.Points](62.7 - 102400.0/1029),
		PeakDifference: unit.Some[unit.Points](0), Verdict: compare.Below,
		XVEs: compare.XVEs{Policy: predict.Whole, Range: predict.Range{Low: held, High: held}},
		Cause: &compare.Cause{Part: compare.PartEmpty, Name: "gaps", Confidence: "low",
			Because: "A launch lasts 0.5 of a sampling interval, so time between launches may be included; it " +
				"cannot be distinguished from time within."},
	}
}

// fan1 is a kernel whose launches are far shorter than a sampling interval, so that the measured value is others'.
func fan1(file string) compare.Row {
	return compare.Row{
		Kernel: ingest.Kernel{
			Task: "Fan1", Global: unit.Size(2048), Local: unit.Size(16), SIMD: unit.Some(32),
			Pos:       note.Pos{File: file, Line: 3, Column: 1},
			Instances: unit.Some[int64](2047), Total: unit.Some[unit.Seconds](0.037689),
			Measured: ratio(19.9), Peak: ratio(14.3), PeakWork: ratio(14.3), PeakSLM: ratio(100),
			PeakBarrier: ratio(100),
			Active:      ratio(1.5), Stalled: ratio(27.6), Idle: ratio(70.8), Threads: unit.Some[int64](969161),
			Barriers: unit.Some[int64](0),
		},
		// 128 work-groups of one thread on 896 slots.
		Predicted: &predict.Prediction{
			Policy: predict.Free, GroupSize: 16, ThreadsPerGroup: 1, Groups: 128, GroupsPerXeCore: 128, ByThreads: 128,
			BySLM:   predict.Unlimited,
			BySlots: 64, ByBarriers: predict.Unlimited, Limits: predict.LimitGrid, XeCore: 1, Peak: 1.0 / 7,
			Average: 1.0 / 7, AverageHigh: 1.0 / 7, Waves: 1.0 / 7, LastWaveOccupancy: 1.0 / 7, XeCoreOfMode: 1, IdleLanes: 16,
		},
		BusyOccupancy: unit.Some[unit.Ratio](0.199 / 0.292),
		ThreadLife:    unit.Some[unit.Seconds](0.199 * 896 * 0.037689 / 2047 / 128),
		Basis:         compare.BasisMeasured, Difference: unit.Some[unit.Points](19.9 - 100.0/7),
		PeakDifference: unit.Some[unit.Points](14.3 - 100.0/7), Verdict: compare.Unmeasurable,
		Cause: &compare.Cause{Name: "sampling", Confidence: "high",
			Because: "A launch lasts 0.02 of an interval, and this kernel takes 3 % of the GPU's time: up to 99 % " +
				"of the value can come from other tasks.",
			Decide: "unitrace -q"},
	}
}

// copyRow is a transfer: a task with a measured value that is nobody's occupancy and is not judged.
func copyRow(file string, line int, task string, way ingest.Direction, seconds unit.Seconds,
	measured float64) compare.Row {
	return compare.Row{
		Kernel: ingest.Kernel{
			Task: task, Direction: way, Pos: note.Pos{File: file, Line: line, Column: 1},
			Instances: unit.Some[int64](3), Total: unit.Some(seconds), Measured: ratio(measured),
		},
		NoPrediction: "not a kernel", Verdict: compare.NotAKernel,
	}
}

// outside is what VTune counts outside of any task. Its 0 launches and 0 s were printed and are not absent.
func outside(file string) compare.Row {
	return compare.Row{
		Kernel: ingest.Kernel{Task: "[Outside any task]", Pos: note.Pos{File: file, Line: 6, Column: 1},
			Instances: unit.Some[int64](0), Total: unit.Some[unit.Seconds](0), Measured: ratio(20.9)},
		Verdict: compare.NotAKernel,
	}
}

func ratio(percent float64) unit.Opt[unit.Ratio] { return unit.Some(unit.FromPercent(percent)) }

// Hostile is a run whose kernels have the hostile names.
// They all are Fan2 but for the name and the line, so that a golden shows what the name alone changes.
func Hostile() *compare.Result {
	r := Gaussian()
	r.Rows = nil
	for i, name := range HostileNames() {
		row := fan2("hostile.csv")
		row.Task, row.Pos.Line = name, i+2
		r.Rows = append(r.Rows, row)
	}
	r.Summary = compare.Summary{Kernels: len(r.Rows), Below: len(r.Rows), Judged: len(r.Rows)}
	return finished(r)
}

// Absent is a run in which nothing is known but a name.
// What is absent must be null, empty or a dash in an output, and never 0.
func Absent() *compare.Result {
	return finished(&compare.Result{
		Inputs: []ingest.Input{{Path: "selection.csv", Kind: "vtune", Rows: 1}},
		Rows: []compare.Row{{Kernel: ingest.Kernel{Task: "k"}, Verdict: compare.NoPrediction,
			NoPrediction: "the export has no work sizes"}},
		Summary: compare.Summary{Kernels: 1, NoPrediction: 1, NotJudged: 1},
		Options: compare.DefaultOptions(),
	})
}

// LogsOnly is a run of two timings, one of which became a row.
// The other has Row -1: it has no row.
func LogsOnly() *compare.Result {
	timing := func(n int64, s unit.Seconds, printed string, line, row int) compare.Timing {
		return compare.Timing{Row: row, Timing: ingest.Timing{Kernel: "VectorAdd<1>", Groups: unit.Some(n), Seconds: s,
			Printed: printed, UnitAsPrinted: "seconds", Pos: note.Pos{File: "run.log", Line: line, Column: 1}}}
	}
	return finished(&compare.Result{
		Device: Device(), ChosenBy: "--device", Options: compare.DefaultOptions(),
		Inputs: []ingest.Input{{Path: "run.log", Kind: "vec_add", Rows: 2}},
		Rows: []compare.Row{{Kernel: ingest.Kernel{Task: "VectorAdd<1>", Global: unit.Size(256), Local: unit.Size(256),
			Pos: note.Pos{File: "run.log", Line: 4}},
			Verdict: compare.NoMeasurement, FromLog: true}},
		Timings: []compare.Timing{timing(1, 0.0556, "0.0556", 4, 0), timing(2, 0.0540, "0.0540", 5, -1)},
		Summary: compare.Summary{Kernels: 1, NoMeasurement: 1, NotJudged: 1},
	})
}

// finished has what follows from the verdicts that were made by hand.
func finished(r *compare.Result) *compare.Result {
	r.Finish()
	return r
}

// Empty is a run without any row.
func Empty() *compare.Result { return finished(&compare.Result{Options: compare.DefaultOptions()}) }

// Many is a run of n kernels that match, with names as long as compilers make them.
// It is for tests of what grows with the rows. The names differ in one letter, as those of lambdas do.
func Many(n int) *compare.Result {
	r := Gaussian()
	r.Rows = nil
	for i := range n {
		row := fan2("many.csv")
		row.Task = "typeinfo name for main::{lambda(sycl::_V1::handler&)#1}::operator()(sycl::_V1::handler&) " +
			"const::{lambda(sycl::_V1::nd_item<2>)#" + string(rune('a'+i%26)) + "}"
		row.Pos.Line, row.Verdict, row.Cause = i+2, compare.Match, nil
		row.Measured, row.Difference = ratio(98.2), unit.Some[unit.Points](98.2-102400.0/1029)
		r.Rows = append(r.Rows, row)
	}
	r.Summary = compare.Summary{Kernels: n, Matched: n, Judged: n, ModelCompared: n, ModelMatched: n,
		GPUTime: unit.Some[unit.Seconds](1.07 * unit.Seconds(n))}
	return finished(r)
}

// Named is the run of Gaussian with a text in every place that holds texts of others.
// A field that is to hold such a text has to be added here, or the tests of the renderers do not look at it.
func Named(text string) *compare.Result {
	r := Gaussian()
	d := *r.Device
	d.Key, d.Name, d.Codename, d.Source, d.Notes = text, text, text, text, text
	r.Device, r.ChosenBy = &d, text
	r.Inputs[0].Path = text
	p := &r.Platform
	p.Device, p.DeviceFrom, p.Host, p.Command = text, text, text, text
	p.OS, p.Driver, p.VTune, p.JobID = text, text, text, text
	r.Notes = append(r.Notes, note.Note{Severity: note.Warning, Code: "text", Text: text, Hint: text,
		Pos: note.Pos{File: text, Line: 1}})
	row := &r.Rows[0]
	row.Task, row.Device, row.Pos.File, row.Notes = text, text, text, r.Notes
	if row.Cause != nil {
		cause := *row.Cause
		cause.Because, cause.Decide = text, text
		row.Cause = &cause
	}
	return r
}
