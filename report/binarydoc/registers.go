package binarydoc

import (
	"fmt"

	"occudiff/compare/binary"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// registersSchema names the version of the JSON contract of `predict FILE --sweep grf`.
const registersSchema = "occudiff/sweep-binary/1"

// registersValue is the JSON output of `occudiff predict FILE... --sweep grf`.
type registersValue struct {
	Schema string        `json:"schema"`
	Points []modeRow     `json:"points" jsonschema:"each kernel in each register mode of its device"`
	Notes  *report.Table `json:"notes"`
}

// modeRow is a kernel in one register mode.
type modeRow struct {
	Kernel    string               `json:"kernel" col:"Kernel; cut; role=code"`
	Device    string               `json:"device" col:"Device"`
	Registers int                  `json:"registers" col:"Registers"`
	Threads   int                  `json:"threads_per_xve" col:"Threads per XVE"`
	Largest   int64                `json:"largest_work_group" col:"Largest work-group" jsonschema:"in work-items"`
	SIMD      unit.Opt[int]        `json:"simd" col:"SIMD; drop=3" jsonschema:"null where only compiling for the mode tells"`
	Spill     unit.Opt[unit.Bytes] `json:"spill_bytes" col:"Spill per thread [bytes]" jsonschema:"null where only compiling for the mode tells, or the binary does not say"`
	Words     unit.Opt[int64]      `json:"spill_words_per_lane" col:"Spill per lane [words]; drop=2" jsonschema:"bytes / (4 x SIMD width), truncated"`
	Peak      unit.Opt[unit.Ratio] `json:"peak_percent" col:"Peak [%]" jsonschema:"null where the kernel cannot run so"`
	Average   unit.Opt[unit.Ratio] `json:"average_percent" col:"Average [%]" jsonschema:"null without a global size"`
	Compiled  bool                 `json:"compiled" jsonschema:"for this mode; else predicted from another"`
	Ask       string               `json:"ask" col:"How to ask for it; in=page+sheet"`
	Message   *string              `json:"message" col:"Remark; fold"`
}

// Registers gives the kernels of binaries and sources in every register mode, in every form.
func Registers(modes []binary.Mode, notes []note.Note, global unit.Size3, prov report.Provenance) *report.Answer {
	rows := report.ListOf(modes, func(m binary.Mode) modeRow {
		r := modeRow{Kernel: m.Demangled(), Device: m.Device.Key, Registers: m.Mode.Registers,
			Threads: m.Mode.ThreadsPerXVE, Largest: m.Largest, Words: m.Words(), Compiled: m.Compiled,
			Ask: report.AskForRegisters(m.Mode.Registers)}
		text := m.Message
		if m.Compiled {
			r.SIMD, r.Spill = unit.Some(m.SIMD), m.Spill
			if scratch := m.Scratch.Or(0); scratch > 0 && !m.Spill.Present() {
				text = fmt.Sprintf("%d bytes of scratch memory per thread: private arrays and spills together", scratch)
			}
		} else if text == "" {
			text = "compile to know its SIMD width and spills"
		}
		if p := m.Prediction; p != nil {
			r.Peak = unit.Some(p.Prediction.Peak)
			if p.Prediction.HasGrid() {
				r.Average = unit.Some(p.Prediction.Average)
			}
		} else {
			text = "does not launch: " + text
		}
		r.Message = report.Filled(text)
		return r
	})
	t := report.Rows("modes", len(rows), func(i int) modeRow { return rows[i] })
	d := &report.Document{Whole: true, Title: "Register modes", Version: prov.Version,
		Headline: []string{fmt.Sprintf("Register modes of kernels, predicted for %s", predictedFor(global))},
		Closing: "More registers need not spill less, and another mode may take another SIMD width: measure both. " +
			"The option of a build holds for all kernels of a module.",
		Sections: []report.Section{{Key: "modes", Title: "Register modes", Sheet: "Modes", Tables: []*report.Table{t},
			Items: howToAsk(modes), ItemsIn: report.Terminal}, report.NoteSection(report.RunNotes(notes))}}
	return &report.Answer{Doc: d, Table: t,
		Value: registersValue{Schema: registersSchema, Points: rows, Notes: report.Notes(notes)}}
}

// howToAsk says once for each mode how a compiler is asked for it.
func howToAsk(modes []binary.Mode) (items []report.Item) {
	said := map[int]bool{}
	for i := range modes {
		if n := modes[i].Mode.Registers; !said[n] {
			said[n] = true
			items = append(items, report.Item{Lead: fmt.Sprintf("%d registers", n), Text: report.AskForRegisters(n)})
		}
	}
	return items
}
