package binarydoc

import (
	"fmt"
	"slices"

	"occudiff/compare/binary"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// predictSchema names the version of the JSON contract of `predict FILE`.
const predictSchema = "occudiff/predict-binary/1"

// predictValue is the JSON output of `occudiff predict FILE...`.
type predictValue struct {
	Schema  string        `json:"schema"`
	Kernels []kernelRow   `json:"kernels" jsonschema:"a kernel and device each, in the order of the files"`
	Notes   *report.Table `json:"notes"`
}

// kernelRow is a kernel on one device.
type kernelRow struct {
	File      string                  `json:"file" col:"File; in=page+sheet"`
	Name      string                  `json:"name" csv:"name" jsonschema:"as in the binary"`
	Demangled string                  `json:"demangled" col:"Kernel; cut; role=code"`
	Key       string                  `json:"-" csv:"device" col:"Device"`
	Device    *report.DeviceValue     `json:"device"`
	SIMD      int                     `json:"simd" col:"SIMD; drop=5" jsonschema:"sub-group size"`
	Registers int                     `json:"registers_per_thread" col:"Registers per thread; brief=GRF; drop=6"`
	SLM       unit.Bytes              `json:"slm_bytes" col:"SLM [bytes]; drop=7"`
	SLMLower  bool                    `json:"slm_is_lower_bound" csv:"slm_is_lower_bound" jsonschema:"arguments in local memory add to it at launch"`
	Barriers  int                     `json:"barriers" col:"Barriers; drop=3"`
	Spill     unit.Opt[unit.Bytes]    `json:"spill_bytes" col:"Spill [bytes]; drop=8" jsonschema:"per thread; null where the binary does not tell it from private memory"`
	Private   unit.Opt[unit.Bytes]    `json:"private_bytes" col:"Private [bytes]; in=page+sheet" jsonschema:"per thread; null where the binary does not tell it from spills"`
	Scratch   unit.Opt[unit.Bytes]    `json:"scratch_bytes" col:"Scratch [bytes]; drop=2" jsonschema:"per thread: private memory and spills together"`
	Local     unit.Size3              `json:"local" col:"Fixed local; drop=4" jsonschema:"fixed by the kernel, else empty"`
	Predicted *report.PredictionValue `json:"predicted" csv:",inline" jsonschema:"without a global size of a full GPU; null when the kernel cannot run so"`
	BestLocal unit.Size3              `json:"best_local" col:"Best local; drop=9" jsonschema:"the work-group size of the highest occupancy; empty where the kernel fixes it"`
	Peak      unit.Opt[unit.Ratio]    `json:"-" csv:"gpu_peak" col:"Predicted peak [%]; brief=Peak"`
	Average   unit.Opt[unit.Ratio]    `json:"-" csv:"gpu_average" col:"Predicted average [%]; brief=Average"`
	Limits    string                  `json:"-" csv:"limited_by" col:"Limited by"`
	Message   *string                 `json:"message" col:"Note; in=sheet; wrap"`
}

func rowOf(k *binary.Kernel) kernelRow {
	r := kernelRow{
		File: k.File, Name: k.Name, Demangled: k.Demangled(), Key: k.Device.Key,
		Device: report.NewDeviceValue(k.Device, ""),
		SIMD:   k.SIMD, Registers: k.Registers, SLM: k.SLM, SLMLower: k.SLMIsLowerBound, Barriers: k.Barriers,
		Spill: k.Spill, Private: k.Private, Scratch: k.Scratch, Local: k.Local, Message: report.Filled(k.Message),
	}
	b := k.Prediction
	if b == nil {
		return r
	}
	p := &b.Prediction
	r.Predicted = report.NewPredictionValue(p)
	// Without a global size the prediction is of a GPU that is full, which has a peak; an average would need the
	// waves.
	r.Predicted.PeakPercent = unit.Some(p.Peak)
	r.BestLocal = b.Best
	r.Peak = unit.Some(p.Peak)
	if p.HasGrid() {
		r.Average = unit.Some(p.Average)
	}
	r.Limits = join(p.Limits.Names())
	return r
}

// Predict gives the kernels of binaries in every form.
func Predict(kernels []binary.Kernel, notes []note.Note, global unit.Size3, prov report.Provenance) *report.Answer {
	rows := report.ListOf(kernels, func(k binary.Kernel) kernelRow { return rowOf(&k) })
	row := func(i int) kernelRow { return rows[i] }
	shown := []string{"demangled", "device", "simd", "registers_per_thread", "slm_bytes", "barriers", "spill_bytes",
		"scratch_bytes",
		"private_bytes", "local", "best_local", "gpu_peak", "gpu_average", "limited_by", "message", "file"}
	t := report.Rows("kernels", len(rows), row, shown...)
	d := &report.Document{Whole: true, Title: "Occupancy from kernel binaries", Version: prov.Version,
		Headline: []string{headline(kernels, global)}, Closing: closing(kernels)}
	s := report.Section{Key: "kernels", Title: "Kernels", Sheet: "Kernels", Tables: []*report.Table{t},
		ItemsIn: report.Terminal | report.Page}
	for i := range kernels {
		if k := &kernels[i]; k.Message != "" {
			s.Items = append(s.Items, report.Item{Lead: report.OneLine(k.Demangled()), Detail: k.Device.Key,
				Text: report.OneLine(k.Message)})
		}
	}
	d.Sections = []report.Section{s, report.NoteSection(report.RunNotes(notes))}
	// CSV has other columns than people: one for each member of JSON, which scripts rely on.
	columns := []string{"file", "name", "demangled", "device", "simd", "registers_per_thread", "slm_bytes",
		"slm_is_lower_bound", "barriers", "spill_bytes", "private_bytes", "scratch_bytes", "local", "predicted_policy",
		"threads_per_work_group", "work_groups", "work_groups_per_xe_core", "limits", "predicted_xe_core_percent",
		"predicted_peak_percent", "predicted_average_percent", "waves", "tail_percent", "best_local", "message"}
	return &report.Answer{Doc: d, Table: report.Rows("kernels", len(rows), row, columns...),
		Value: predictValue{Schema: predictSchema, Kernels: rows, Notes: report.Notes(notes)}}
}

// headline says how many kernels were predicted, and for what.
func headline(kernels []binary.Kernel, global unit.Size3) string {
	var devices []string
	for i := range kernels {
		if k := kernels[i].Device.Key; !slices.Contains(devices, k) {
			devices = append(devices, k)
		}
	}
	return fmt.Sprintf("%s on %s; predicted for %s", unit.Counted(len(kernels), "kernel", "kernels"), join(devices),
		predictedFor(global))
}

// predictedFor words the size that kernels of binaries are predicted for.
func predictedFor(global unit.Size3) string {
	if global.Present() {
		return "the global size " + global.String()
	}
	return "a full GPU"
}

// closing says how many kernels keep something out of the registers, which costs more than occupancy.
func closing(kernels []binary.Kernel) string {
	spills, scratch := 0, 0
	for i := range kernels {
		switch k := &kernels[i]; {
		case k.Spill.Or(0) > 0:
			spills++
		// Such a binary has one figure for private memory and spills together.
		case !k.Spill.Present() && k.Scratch.Or(0) > 0:
			scratch++
		}
	}
	text := "Predicted from the binary alone: an upper bound on what a run can show."
	if spills > 0 {
		text += " " + unit.Counted(spills, "kernel spills", "kernels spill") + " registers to memory."
	}
	if scratch > 0 {
		text += " " + unit.Counted(scratch, "kernel uses", "kernels use") +
			" scratch memory, and the binary does not say whether that is a private array or a spill."
	}
	return text
}
