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
	Kernels *report.Table `json:"kernels" jsonschema:"a kernel and device each, in the order of the files"`
	Notes   *report.Table `json:"notes"`
}

// KernelColumns are of a kernel of a binary on one device, in the order of CSV.
// Without a global size the prediction is of a GPU that is full, which has a
// peak; an average would need the waves.
var KernelColumns = slices.Concat([]report.Col[batch.Kernel]{
	report.Define(column{Key: "file", Path: "file", Always: true, Title: "File", Kind: report.Text, In: files}, func(k *batch.Kernel) cell { return text(k.File) }),
	report.Define(column{Key: "name", Path: "name", Always: true, Kind: report.Text, In: report.Data, Doc: "as in the binary"}, func(k *batch.Kernel) cell { return text(k.Name) }),
	report.Define(column{Key: "demangled", Path: "demangled", Always: true, Title: "Kernel", Kind: report.Text, Cut: true, Role: report.Code, In: all}, func(k *batch.Kernel) cell { return text(k.Demangled()) }),
	report.Define(column{Key: "device", Title: "Device", Kind: report.Text, In: all}, func(k *batch.Kernel) cell { return text(k.DeviceKey()) }),
},
	object("device", "null for a compiler log without --device", deviceOf, shown(deviceColumns)),
	[]report.Col[batch.Kernel]{
		report.Define(column{Key: "simd", Path: "simd", Title: "SIMD", Kind: report.Integer, Drop: 5, In: all, Doc: "sub-group size; null where only compiling tells"}, func(k *batch.Kernel) cell { return count(k.SIMD) }),
		report.Define(column{Key: "registers_per_thread", Path: "registers_per_thread", Always: true, Title: "Registers per thread", Brief: "GRF", Kind: report.Integer, In: all}, func(k *batch.Kernel) cell { return report.IntCell(k.Registers) }),
		report.Define(column{Key: "slm_bytes", Path: "slm_bytes", Title: "SLM", Unit: "bytes", Kind: report.Integer, Drop: 7, In: all}, func(k *batch.Kernel) cell { return report.OptInt(k.SLM) }),
		report.Define(column{Key: "slm_is_lower_bound", Path: "slm_is_lower_bound", Always: true, Kind: report.Bool, In: report.Data, Doc: "arguments in local memory add to it at launch"}, func(k *batch.Kernel) cell { return report.BoolCell(k.SLMIsLowerBound) }),
		report.Define(column{Key: "barriers", Path: "barriers", Title: "Barriers", Kind: report.Integer, Drop: 3, In: all}, func(k *batch.Kernel) cell { return report.OptInt(k.Barriers) }),
		report.Define(column{Key: "spill_bytes", Path: "spill_bytes", Title: "Spill", Unit: "bytes", Kind: report.Integer, In: all, Doc: "per thread; null where the binary does not tell it from private memory"}, func(k *batch.Kernel) cell { return report.OptInt(k.Spill) }),
		report.Define(column{Key: "private_bytes", Path: "private_bytes", Title: "Private", Unit: "bytes", Kind: report.Integer, In: files, Doc: "per thread; null where the binary does not tell it from spills"}, func(k *batch.Kernel) cell { return report.OptInt(k.Private) }),
		report.Define(column{Key: "scratch_bytes", Path: "scratch_bytes", Title: "Scratch", Unit: "bytes", Kind: report.Integer, Drop: 2, In: all, Doc: "per thread: private memory and spills together"}, func(k *batch.Kernel) cell { return report.OptInt(k.Scratch) }),
		report.Define(column{Key: "local", Path: "local", Always: true, Title: "Fixed local", Kind: report.Size, Drop: 4, In: all, Doc: "fixed by the kernel, otherwise empty"}, func(k *batch.Kernel) cell { return report.SizeCell(k.Local) }),
	},
	object("predicted", "without a global size of a full GPU; null when the kernel cannot run so", func(k *batch.Kernel) *predict.Prediction {
		if k.Prediction == nil {
			return nil
		}
		return &k.Prediction.Prediction
	}, KernelPrediction),
	[]report.Col[batch.Kernel]{
		report.Define(column{Key: "best_local", Path: "best_local", Always: true, Title: "Best local", Kind: report.Size, Drop: 9, In: all, Doc: "the work-group size of the highest occupancy; empty where the kernel fixes it"}, func(k *batch.Kernel) cell {
			if k.Prediction == nil {
				return cell{}
			}
			return report.SizeCell(k.Prediction.Best)
		}),
		report.Define(column{Key: "spilled_registers", Path: "spilled_registers", Optional: true, Title: "Spilled registers", Kind: report.Integer, Drop: 1, In: all, Doc: "of a compiler log: per thread, rounded up"}, func(k *batch.Kernel) cell { return report.OptInt(k.SpilledRegisters) }),
		report.Define(column{Key: "message", Path: "message", Title: "Note", Kind: report.Text, Wrap: true, In: kept}, func(k *batch.Kernel) cell { return report.TextCell(k.Message) }),
	})

// deviceOf returns the device of a kernel, nil without one.
func deviceOf(k *batch.Kernel) *arch.Choice {
	if k.Device == nil {
		return nil
	}
	return &arch.Choice{Device: k.Device}
}

// modeColumns are of a kernel in one register mode of its device.
var modeColumns = slices.Concat(KernelColumns, report.Within("", "", func(k *batch.Kernel) *batch.Mode { return k.Mode }, []report.Col[batch.Mode]{
	report.Define(column{Key: "threads_per_xve", Path: "threads_per_xve", Optional: true, Title: "Threads per XVE", Kind: report.Integer, In: all, Doc: "of register modes"}, func(m *batch.Mode) cell { return report.IntCell(m.ThreadsPerXVE) }),
	report.Define(column{Key: "largest_work_group", Path: "largest_work_group", Optional: true, Title: "Largest work-group", Kind: report.Integer, In: all, Doc: "of register modes: in work-items"}, func(m *batch.Mode) cell { return report.IntCell(m.Largest) }),
	report.Define(column{Key: "compiled", Path: "compiled", Optional: true, Kind: report.Bool, In: report.Data, Doc: "for this register mode; else predicted from another"}, func(m *batch.Mode) cell { return report.BoolCell(m.Compiled) }),
	report.Define(column{Key: "ask", Path: "ask", Optional: true, Title: "How to ask for it", Kind: report.Text, In: kept, Doc: "of register modes"}, func(m *batch.Mode) cell { return text(report.RegisterFlags(m.Registers)) }),
}), []report.Col[batch.Kernel]{
	report.Define(column{Key: "spill_words_per_lane", Path: "spill_words_per_lane", Optional: true, Title: "Spill per lane", Unit: "words", Kind: report.Integer, Drop: 2, In: all, Doc: "of register modes: bytes / (4 x SIMD width), truncated"}, func(k *batch.Kernel) cell { return report.OptInt(k.Words()) }),
})

// Kernels returns the kernels of binaries in every form; modes says that each
// is in every register mode.
func Kernels(kernels []batch.Kernel, notes []note.Note, global unit.Size3, modes bool) *report.Output {
	pg := page{title: "Occupancy from kernel binaries", key: "kernels", heading: "Kernels",
		table:    report.NewTable("kernels", "", kernels, KernelColumns),
		headline: append([]string{headline(kernels, global, modes)}, notCompiled(notes)...), closing: closing(kernels)}
	if modes {
		pg.title, pg.heading, pg.table = "Register modes", "Register modes", report.NewTable("kernels", "", kernels, modeColumns)
		pg.closing = "More registers need not spill less, and another mode may take another SIMD width: compile for it to know, and " +
			"measure both. The option of a build holds for all kernels of a module."
		pg.items = howToAsk(kernels, func(k *batch.Kernel) int { return k.Registers })
	}
	pg.table.Columns[pg.table.Column("limits")].In = all // no screen says why
	for i := range kernels {
		k := &kernels[i]
		item := report.Item{Lead: report.OneLine(k.Demangled()), Detail: k.DeviceKey(), Text: report.OneLine(k.Message)}
		if k.Message != "" && !slices.Contains(pg.items, item) { // several modes may have the same
			pg.items = append(pg.items, item)
		}
	}
	ans := pg.output(kernelList{kernelsSchema, pg.table, report.Notes(notes)})
	ans.Doc.Sections = append(ans.Doc.Sections, report.NoteSection(report.RunNotes(notes)))
	return ans
}

// howToAsk says once for each register mode how a compiler is asked for it.
func howToAsk[R any](rows []R, registers func(*R) int) (items []report.Item) {
	for i := range rows {
		n := registers(&rows[i])
		items = addOnce(items, report.Item{Lead: fmt.Sprintf("%d registers", n), Text: report.RegisterFlags(n)})
	}
	return items
}

// notCompiled says for which devices a source did not compile: the table has no
// rows of them.
func notCompiled(notes []note.Note) (lines []string) {
	for _, n := range notes {
		if n.Code == batch.NotCompiled {
			lines = append(lines, report.UpperFirst(n.Text))
		}
	}
	return lines
}

// headline describes how many kernels were predicted, and for what.
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
	what := unit.FormatCount(len(kernels), "kernel", "kernels")
	if modes {
		what = "Register modes of kernels"
	}
	if devices == nil {
		return what + " of a compiler log; name the GPU with --device to predict them"
	}
	return fmt.Sprintf("%s on %s; predicted for %s", what, strings.Join(devices, ", "), size)
}

// closing describes how many kernels keep something out of the registers, which
// costs more than occupancy.
func closing(kernels []batch.Kernel) string {
	spills, scratch := 0, 0
	for i := range kernels {
		switch k := &kernels[i]; {
		case k.Spill.Or(0) > 0, k.SpilledRegisters.Or(0) > 0:
			spills++
		// Such a binary has one figure for private memory and spills together.
		case !k.Spill.Present() && k.Scratch.Or(0) > 0:
			scratch++
		}
	}
	text := "Predicted from the binary alone: an upper bound on what a run can show."
	if spills > 0 {
		text += " " + unit.FormatCount(spills, "kernel spills", "kernels spill") + " registers to memory."
	}
	if scratch > 0 {
		text += " " + unit.FormatCount(scratch, "kernel uses", "kernels use") + " scratch memory, for a private array or a spill."
	}
	return text
}
