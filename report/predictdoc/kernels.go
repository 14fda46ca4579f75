package predictdoc

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict"
	"occudiff/predict/arch"
	"occudiff/predict/batch"
	"occudiff/report"
)

// kernelList is the JSON output of `predict FILE`.
type kernelList struct {
	Schema  string        `json:"schema"`
	Kernels *report.Table `json:"kernels"`
	Notes   *report.Table `json:"notes"`
}

// KernelNames contains the columns that identify a kernel of a binary on a
// device.
var KernelNames = append([]report.Col[batch.Kernel]{
	report.Define("name", "",
		func(k *batch.Kernel) string { return k.Name },
		report.Data),
	report.Define("demangled", "Kernel", (*batch.Kernel).Demangled, report.Cut, report.Code),
	report.Shown("device", "Device", (*batch.Kernel).DeviceKey),
}, report.Part("", "device", deviceOf, report.InJSON(deviceColumns))...)

// KernelColumns contains the columns for a kernel of a binary on one device, in
// CSV order. Without a global size, the prediction assumes a full GPU. It then
// has a peak but no average, because an average depends on the number of waves.
var KernelColumns = slices.Concat([]report.Col[batch.Kernel]{
	report.Define("file", "File",
		func(k *batch.Kernel) string { return k.File },
		report.Kept),
}, KernelNames,
	[]report.Col[batch.Kernel]{
		report.Define("simd", "SIMD",
			func(k *batch.Kernel) int { return k.SIMD },
			report.Drop(5), report.NonZero),
		report.Define("registers_per_thread", "Registers per thread",
			func(k *batch.Kernel) int { return k.Registers },
			report.Brief("GRF")),
		report.Define("slm_bytes", "SLM",
			func(k *batch.Kernel) unit.Opt[unit.Bytes] { return k.SLM },
			report.Drop(7)),
		report.Define("slm_is_lower_bound", "",
			func(k *batch.Kernel) bool { return k.SLMIsLowerBound },
			report.Data),
		report.Define("barriers", "Barriers",
			func(k *batch.Kernel) unit.Opt[int] { return k.Barriers },
			report.Drop(3)),
		report.Define("spill_bytes", "Spill",
			func(k *batch.Kernel) unit.Opt[unit.Bytes] { return k.Spill }),
		report.Define("private_bytes", "Private",
			func(k *batch.Kernel) unit.Opt[unit.Bytes] { return k.Private },
			report.Kept),
		report.Define("scratch_bytes", "Scratch",
			func(k *batch.Kernel) unit.Opt[unit.Bytes] { return k.Scratch },
			report.Drop(2)),
		report.Define("local", "",
			func(k *batch.Kernel) unit.Size3 { return k.Local },
			report.Data),
		report.JSON("used_local", func(k *batch.Kernel) unit.Size3 {
			if k.Prediction == nil {
				return unit.Size3{}
			}
			return k.Prediction.Launch.Local
		}, report.Data),
		report.Shown("used_local", "Local", usedLocal, report.Everywhere, report.NonZero, report.Drop(8)),
	},
	report.Part("", "predicted", func(k *batch.Kernel) *predict.Prediction {
		if k.Prediction == nil {
			return nil
		}
		return &k.Prediction.Prediction
	}, KernelPrediction),
	[]report.Col[batch.Kernel]{
		report.Define("best_local", "", func(k *batch.Kernel) unit.Size3 {
			if k.Prediction == nil {
				return unit.Size3{}
			}
			return k.Prediction.Best
		}, report.Data),
		report.JSON("best_local_largest", func(k *batch.Kernel) unit.Size3 {
			if k.Prediction == nil {
				return unit.Size3{}
			}
			return k.Prediction.BestLargest
		}, report.Data),
		report.Shown("best_local", "Best local", bestLocals, report.Everywhere, report.NonZero, report.Drop(9)),
		report.Define("spilled_registers", "Spilled registers",
			func(k *batch.Kernel) unit.Opt[int] { return k.SpilledRegisters },
			report.Drop(1), report.Optional),
		report.Define("message", "Note",
			func(k *batch.Kernel) string { return k.Message },
			report.Wide, report.Wrap,
			report.NonZero),
	})

// usedLocal returns the work-group size of a kernel's prediction, and whether
// it is the smallest of the best sizes.
func usedLocal(k *batch.Kernel) string {
	switch p := k.Prediction; {
	case k.Local.Present():
		return k.Local.String()
	case p == nil:
		return ""
	case p.Launch.Local == p.Best:
		return p.Best.String() + ", best"
	default:
		return p.Launch.Local.String()
	}
}

// bestLocals returns the work-group sizes with the highest occupancy: "32 to
// 1024, 6 sizes". Equal sizes are not ranked, because occupancy alone does not
// decide between them.
func bestLocals(k *batch.Kernel) string {
	p := k.Prediction
	switch {
	case p == nil || !p.Best.Present():
		return ""
	case p.BestSizes < 2:
		return p.Best.String()
	}
	return fmt.Sprintf("%s to %s, %s", p.Best, p.BestLargest, unit.Plural(p.BestSizes, "size"))
}

// deviceOf returns the device of a kernel, or nil without one.
func deviceOf(k *batch.Kernel) *arch.Choice {
	if k.Device == nil {
		return nil
	}
	return &arch.Choice{Device: k.Device}
}

// modeColumns are the columns for a kernel in one register mode of its device.
var modeColumns = slices.Concat(KernelColumns, report.Within("", "", modeOf, []report.Col[batch.Mode]{
	report.Define("threads_per_xve", "Threads per XVE",
		func(m *batch.Mode) int { return m.ThreadsPerXVE },
		report.Optional),
	report.Define("largest_work_group", "Largest work-group",
		func(m *batch.Mode) int64 { return m.Largest },
		report.Optional),
	report.Define("compiled", "",
		func(m *batch.Mode) bool { return m.Compiled },
		report.Data, report.Optional),
	report.Define("ask", "How to request it",
		func(m *batch.Mode) string { return report.RegisterFlags(m.Registers) },
		report.Wide, report.Optional),
}), []report.Col[batch.Kernel]{
	report.Define("spill_words_per_lane", "Spill per lane", (*batch.Kernel).Words, report.Unit("words"),
		report.Drop(2), report.Optional),
})

func modeOf(k *batch.Kernel) *batch.Mode { return k.Mode }

// Kernels returns the kernels of binaries in every form. If modes is true, each
// kernel is listed in every register mode.
func Kernels(kernels []batch.Kernel, notes []note.Note, global unit.Size3, modes bool) *report.Output {
	pg := page{
		title:    "Occupancy from kernel binaries",
		key:      "kernels",
		heading:  "Kernels",
		table:    report.NewTable("kernels", "", kernels, KernelColumns),
		headline: append([]string{headline(kernels, global, modes)}, notCompiled(notes)...),
		closing:  closing(kernels),
	}
	if modes {
		pg.title, pg.heading = "Register modes", "Register modes"
		pg.table = report.NewTable("kernels", "", kernels, modeColumns)
		pg.closing = "More registers do not always spill less, and another mode may have another SIMD width. To find " +
			"out, compile for both modes and measure them. The build option applies to all kernels of a module."
		pg.items = howToAsk(kernels, func(k *batch.Kernel) int { return k.Registers })
	}
	pg.table.Columns[pg.table.Column("limits")].In = report.All // no summary explains the limit
	for i := range kernels {
		k := &kernels[i]
		item := report.Item{
			Lead:   report.OneLine(k.Demangled()),
			Detail: k.DeviceKey(),
			Text:   report.OneLine(k.Message),
		}
		if k.Message != "" && !slices.Contains(pg.items, item) { // several modes may have the same message
			pg.items = append(pg.items, item)
		}
	}
	ans := pg.output(kernelList{kernelsSchema, pg.table, report.Notes(notes)})
	ans.Doc.Sections = append(ans.Doc.Sections, report.NoteSection(report.RunNotes(notes)))
	return ans
}

// howToAsk returns an item with the compiler options for each register mode
// that occurs in the rows.
func howToAsk[R any](rows []R, registers func(*R) int) (items []report.Item) {
	for i := range rows {
		n := registers(&rows[i])
		items = addOnce(items, report.Item{Lead: fmt.Sprintf("%d registers", n), Text: report.RegisterFlags(n)})
	}
	return items
}

// notCompiled returns the devices for which a source did not compile. The table
// has no rows for them.
func notCompiled(notes []note.Note) (lines []string) {
	for _, n := range notes {
		if n.Code == batch.NotCompiled {
			lines = append(lines, report.UpperFirst(n.Text))
		}
	}
	return lines
}

// headline returns a sentence with the number of predicted kernels, and the
// launch size.
func headline(kernels []batch.Kernel, global unit.Size3, modes bool) string {
	var devices []string
	for i := range kernels {
		if k := kernels[i].DeviceKey(); k != "" && !slices.Contains(devices, k) {
			devices = append(devices, k)
		}
	}
	size := "a full GPU"
	if global.Present() {
		size = "the global size " + global.String()
	}
	what := unit.Plural(len(kernels), "kernel")
	if modes {
		what = "Register modes of kernels"
	}
	if devices == nil {
		return what + " of a compiler log; give --device to predict them"
	}
	return fmt.Sprintf("%s on %s; predicted for %s", what, strings.Join(devices, ", "), size)
}

// closing returns a sentence with the number of kernels that keep values
// outside the registers. Memory accesses for such values cost more time than
// low occupancy.
func closing(kernels []batch.Kernel) string {
	spills, scratch := 0, 0
	for i := range kernels {
		switch k := &kernels[i]; {
		case k.Spill.Or(0) > 0, k.SpilledRegisters.Or(0) > 0:
			spills++
		// A binary without a spill value has one value for private memory and
		// spills together.
		case !k.Spill.Present() && k.Scratch.Or(0) > 0:
			scratch++
		}
	}
	text := "Predicted from the binary alone: an upper bound on what a run can show."
	if spills > 0 {
		text += " " + unit.FormatCount(spills, "kernel spills", "kernels spill") + " registers to memory."
	}
	if scratch > 0 {
		text += " " + unit.FormatCount(scratch, "kernel uses", "kernels use") +
			" scratch memory, for a private array or a spill."
	}
	return text
}
