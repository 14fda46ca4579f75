package predictdoc

import (
	"fmt"

	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/batch"
	"occudiff/report"
)

// modeList is the JSON output of `occudiff predict FILE... --sweep grf`.
type modeList struct {
	Schema string        `json:"schema"`
	Points *report.Table `json:"points" jsonschema:"each kernel in each register mode of its device"`
	Notes  *report.Table `json:"notes"`
}

// kernelModeColumns are of a kernel in one register mode.
func kernelModeColumns() []report.Col[batch.Mode] {
	return []report.Col[batch.Mode]{
		report.Define(column{Key: "kernel", Path: "kernel", Always: true, Title: "Kernel", Kind: report.Text, Cut: true, Role: report.Code, In: all}, func(m *batch.Mode) cell { return text(m.Demangled()) }),
		report.Define(column{Key: "device", Path: "device", Always: true, Title: "Device", Kind: report.Text, In: all}, func(m *batch.Mode) cell { return text(m.Device.Key) }),
		report.Define(column{Key: "registers", Path: "registers", Always: true, Title: "Registers", Kind: report.Integer, In: all}, func(m *batch.Mode) cell { return report.IntCell(m.Mode.Registers) }),
		report.Define(column{Key: "threads_per_xve", Path: "threads_per_xve", Always: true, Title: "Threads per XVE", Kind: report.Integer, In: all}, func(m *batch.Mode) cell { return report.IntCell(m.Mode.ThreadsPerXVE) }),
		report.Define(column{Key: "largest_work_group", Path: "largest_work_group", Always: true, Title: "Largest work-group", Kind: report.Integer, In: all, Doc: "in work-items"}, func(m *batch.Mode) cell { return report.IntCell(m.Largest) }),
		report.Define(column{Key: "simd", Path: "simd", Title: "SIMD", Kind: report.Integer, Drop: 3, In: all, Doc: "null where only compiling for the mode tells"}, func(m *batch.Mode) cell {
			if !m.Compiled {
				return cell{}
			}
			return report.IntCell(m.SIMD)
		}),
		report.Define(column{Key: "spill_bytes", Path: "spill_bytes", Title: "Spill per thread", Unit: "bytes", Kind: report.Integer, In: all, Doc: "null where only compiling for the mode tells, or the binary does not say"}, func(m *batch.Mode) cell {
			if !m.Compiled {
				return cell{}
			}
			return report.OptInt(m.Spill)
		}),
		report.Define(column{Key: "spill_words_per_lane", Path: "spill_words_per_lane", Title: "Spill per lane", Unit: "words", Kind: report.Integer, Drop: 2, In: all, Doc: "bytes / (4 x SIMD width), truncated"}, func(m *batch.Mode) cell { return report.OptInt(m.Words()) }),
		report.Define(column{Key: "peak_percent", Path: "peak_percent", Title: "Peak", Kind: report.Percent, In: all, Doc: "null where the kernel cannot run so"}, func(m *batch.Mode) cell {
			if m.Prediction == nil {
				return cell{}
			}
			return report.RatioCell(m.Prediction.Prediction.Peak)
		}),
		report.Define(column{Key: "average_percent", Path: "average_percent", Title: "Average", Kind: report.Percent, In: all, Doc: "null without a global size"}, func(m *batch.Mode) cell {
			if m.Prediction == nil || !m.Prediction.Prediction.HasGrid() {
				return cell{}
			}
			return report.RatioCell(m.Prediction.Prediction.Average)
		}),
		report.Define(column{Key: "compiled", Path: "compiled", Always: true, Kind: report.Bool, Doc: "for this mode; else predicted from another"}, func(m *batch.Mode) cell { return report.BoolCell(m.Compiled) }),
		report.Define(column{Key: "ask", Path: "ask", Always: true, Title: "How to ask for it", Kind: report.Text, In: kept}, func(m *batch.Mode) cell { return text(report.AskForRegisters(m.Mode.Registers)) }),
		report.Define(column{Key: "message", Path: "message", Title: "Remark", Kind: report.Text, Fold: true, In: all}, func(m *batch.Mode) cell { return report.TextCell(modeText(m)) }),
	}
}

// modeText is what is to be said of a mode beside its figures.
func modeText(m *batch.Mode) string {
	text := m.Message
	switch scratch := m.Scratch.Or(0); {
	case m.Compiled && scratch > 0 && !m.Spill.Present():
		text = fmt.Sprintf("%d bytes of scratch memory per thread: private arrays and spills together", scratch)
	case !m.Compiled && text == "":
		text = "compile to know its SIMD width and spills"
	}
	if m.Prediction == nil {
		return "does not launch: " + text
	}
	return text
}

// Modes gives the kernels of binaries and sources in every register mode, in every form.
func Modes(modes []batch.Mode, notes []note.Note, global unit.Size3) *report.Answer {
	pg := page{title: "Register modes", key: "modes", heading: "Register modes",
		table: report.NewTable("modes", "", modes, kernelModeColumns()),
		headline: append([]string{fmt.Sprintf("Register modes of kernels, predicted for %s", predictedFor(global))},
			notCompiled(notes)...),
		items: howToAsk(modes, func(m *batch.Mode) int { return m.Mode.Registers }), more: noteItems(notes),
		closing: "More registers need not spill less, and another mode may take another SIMD width: measure both. " +
			"The option of a build holds for all kernels of a module."}
	return pg.answer(modeList{modesSchema, pg.table, report.Notes(notes)})
}

// howToAsk says once for each register mode how a compiler is asked for it.
func howToAsk[R any](rows []R, registers func(*R) int) (items []report.Item) {
	for i := range rows {
		n := registers(&rows[i])
		items = addOnce(items, report.Item{Lead: fmt.Sprintf("%d registers", n), Text: report.AskForRegisters(n)})
	}
	return items
}
