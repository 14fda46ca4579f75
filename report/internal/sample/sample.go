// Package sample contains small compared runs for the tests of the report and
// its renderers. The kernels are written by hand, so the package reads no
// files.
package sample

import (
	"time"

	"occudiff/compare"
	"occudiff/ingest"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/arch"
)

// hostileNames are kernel names that an output could interpret: formulas (some
// after a tab or a carriage return), HTML tags, Markdown markup, line breaks,
// control characters, invalid UTF-8, and Excel's escapes.
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

// HostileNames returns kernel names that must not harm any output.
func HostileNames() []string { return hostileNames[:] }

// Device returns the Meteor Lake part with 7 Xe-cores: 7 x 16 x 8 = 896 thread
// slots. The values are copied here, so that a change of the device table does
// not change any golden file.
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

var bySummary = arch.Source{Name: "the summary", Detail: ": 112 XVE"}

// compared returns a run compared with the prediction for the device.
func compared(run *ingest.Run, by arch.Source, o compare.Options) *compare.Result {
	return compare.Compare(run, compare.Choice{Choice: arch.Choice{Device: Device(), By: by}}, o)
}

// Gaussian returns a run with two kernels that do not match, two copies, and a
// row outside any task. Most golden files show this run, because every field
// has a value in one of its rows. One kernel has causes and a breakdown, and
// the other is unmeasurable. The values come from a real export of the Gaussian
// benchmark.
func Gaussian() *compare.Result {
	return compared(gaussian(), bySummary, compare.DefaultOptions())
}

func gaussian() *ingest.Run {
	const csv, txt = "bench_gaussian.hotspots.csv", "bench_gaussian.hotspots.txt"
	return &ingest.Run{
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
		Kernels: []ingest.Kernel{
			kernel(csv, 2, "Fan2", unit.Size(2048, 2048), unit.Size(1024, 1), 1.070996, 62.7, 100, 6.5, 72.8, 20.7,
				90462838),
			kernel(csv, 3, "Fan1", unit.Size(2048), unit.Size(16), 0.037689, 19.9, 14.3, 1.5, 27.6, 70.8, 969161),
			other(csv, 4, "clEnqueueReadBuffer", "device-to-host", 3, 0.001908, 90.1),
			other(csv, 5, "clEnqueueWriteBuffer", "host-to-device", 3, 0.001455, 79.7),
			// This is VTune's row for the time outside any task. VTune prints 0
			// launches and 0 s for it, so these values are not absent.
			other(csv, 6, "[Outside any task]", "", 0, 0, 20.9),
		},
		Notes: []note.Note{
			{Severity: note.Warning, Code: "bad-row", Pos: note.Pos{
				File:   txt,
				Line:   17,
				Column: 3,
			},
				Text: "expected a number, found <none>", Hint: "the row is not used"},
			{Severity: note.Info, Code: "sampling-assumed", Text: "the sampling interval is the collector's " +
				"default, 1 ms"},
		},
	}
}

// kernel returns a row of 2,047 launches with all counters of a full export.
func kernel(file string, line int, task string, global, local unit.Size3, total unit.Seconds,
	measured, peak, active, stalled, idle float64, threads int64) ingest.Kernel {
	return ingest.Kernel{
		Task:        task,
		Global:      global,
		Local:       local,
		SIMD:        unit.Some(32),
		Pos:         note.Pos{File: file, Line: line, Column: 1},
		Instances:   unit.Some[int64](2047),
		Total:       unit.Some(total),
		Measured:    ratio(measured),
		Peak:        ratio(peak),
		PeakWork:    ratio(peak),
		PeakSLM:     ratio(100),
		PeakBarrier: ratio(100),
		Active:      ratio(active),
		Stalled:     ratio(stalled),
		Idle:        ratio(idle),
		Threads:     unit.Some(threads),
		Barriers:    unit.Some[int64](0),
	}
}

// other returns a row of a task that is not a kernel. Its measured value is not
// the occupancy of a kernel and is not judged.
func other(file string, line int, task, way string, n int64, total unit.Seconds, measured float64) ingest.Kernel {
	return ingest.Kernel{
		Task:      task,
		Direction: way,
		Pos: note.Pos{
			File:   file,
			Line:   line,
			Column: 1,
		},
		Instances: unit.Some(n),
		Total:     unit.Some(total),
		Measured:  ratio(measured),
	}
}

func ratio(percent float64) unit.Opt[unit.Ratio] {
	return unit.Some(unit.FromPercent(percent))
}

// likeFan2 returns a run like the Gaussian run, whose only kernels are n copies
// of Fan2. The function change modifies each copy.
func likeFan2(file string, n int, change func(i int, k *ingest.Kernel)) *compare.Result {
	run := gaussian()
	fan2 := run.Kernels[0]
	run.Kernels = nil
	for i := range n {
		k := fan2
		k.Pos.File, k.Pos.Line = file, i+2
		change(i, &k)
		run.Kernels = append(run.Kernels, k)
	}
	return compared(run, bySummary, compare.DefaultOptions())
}

// Hostile returns a run whose kernels have the hostile names. In everything
// else except the line number, they are copies of Fan2, so that a golden file
// shows only the effect of the names.
func Hostile() *compare.Result {
	return likeFan2("hostile.csv", len(hostileNames),
		func(i int, k *ingest.Kernel) { k.Task = hostileNames[i] })
}

// Many returns a run with n matching kernels and names as long as compilers
// make them. It is for tests of times and sizes that grow with the number of
// rows. The names differ only in one letter, like the names of lambdas.
func Many(n int) *compare.Result {
	return likeFan2("many.csv", n, func(i int, k *ingest.Kernel) {
		k.Task = "typeinfo name for main::{lambda(sycl::_V1::handler&)#1}::operator()(sycl::_V1::handler&) " +
			"const::{lambda(sycl::_V1::nd_item<2>)#" + string(rune('a'+i%26)) + "}"
		k.Instances, k.Measured, k.Idle = unit.Some[int64](100), ratio(98.2), ratio(0.2)
	})
}

// Absent returns a run with one kernel of which only the name is known. In an
// output, the absent values must be null, empty, or a dash, and never 0.
func Absent() *compare.Result {
	return compare.Compare(&ingest.Run{Inputs: []ingest.Input{{Path: "selection.csv", Kind: "vtune", Rows: 1}},
		Kernels: []ingest.Kernel{{Task: "k"}}}, compare.Choice{}, compare.DefaultOptions())
}

// LogsOnly returns a run with two timings from a log. One timing has a row. The
// other has Row -1, because the sizes of its kernel are unknown.
func LogsOnly() *compare.Result {
	timing := func(kernel string, n int64, s unit.Seconds, printed string, line int) ingest.Timing {
		return ingest.Timing{
			Kernel:        kernel,
			Groups:        unit.Some(n),
			Seconds:       s,
			Printed:       printed,
			UnitAsPrinted: "seconds",
			Pos: note.Pos{
				File:   "run.log",
				Line:   line,
				Column: 1,
			},
		}
	}
	o := compare.DefaultOptions()
	o.Local.Set("VectorAdd<1>", unit.Size(256))
	o.SIMD.Set("VectorAdd<1>", 32)
	return compared(&ingest.Run{Inputs: []ingest.Input{{Path: "run.log", Kind: "vec_add", Rows: 2}},
		Timings: []ingest.Timing{timing("VectorAdd<1>", 1, 0.0556, "0.0556", 4),
			timing("VectorAdd<2>", 2, 0.0540, "0.0540", 5)}},
		arch.Source{Name: "--device"}, o)
}

// Empty returns a run without rows.
func Empty() *compare.Result {
	return compare.Compare(&ingest.Run{}, compare.Choice{}, compare.DefaultOptions())
}

// Named returns the Gaussian run with the given text in every place where a
// text from an input can be. A new field for such a text must be added here,
// because otherwise the renderers' tests do not check it.
func Named(text string) *compare.Result {
	r := Gaussian()
	d := *r.Device
	d.Key, d.Name, d.Codename, d.Source, d.Notes = text, text, text, text, text
	r.Device, r.ChosenBy = &d, arch.Source{Name: text}
	r.Inputs[0].Path = text
	p := &r.Platform
	p.Device, p.DeviceFrom, p.Host, p.Command = text, text, text, text
	p.OS, p.Driver, p.VTune, p.JobID = text, text, text, text
	r.Notes = append(r.Notes, note.Note{
		Severity: note.Warning,
		Code:     "text",
		Text:     text,
		Hint:     text,
		Pos:      note.Pos{File: text, Line: 1},
	})
	row := &r.Rows[0]
	row.Task, row.Device, row.Pos.File, row.Notes = text, text, text, r.Notes
	if row.Cause != nil {
		cause := *row.Cause
		cause.Evidence, cause.ConfirmWith = text, text
		row.Cause = &cause
	}
	return r
}
