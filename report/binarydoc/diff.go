package binarydoc

import (
	"fmt"
	"math"
	"strings"

	"occudiff/compare/binary"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// diffSchema names the version of the JSON contract of `diff` of binaries.
const diffSchema = "occudiff/diff-binary/1"

// diffValue is the JSON output of `occudiff diff OLD NEW` of kernel binaries.
type diffValue struct {
	Schema  string        `json:"schema"`
	Kernels []pairRow     `json:"kernels"`
	Notes   *report.Table `json:"notes"`
}

// pairRow is a kernel on one device, before and after.
type pairRow struct {
	Name      string              `json:"name" csv:"name"`
	Demangled string              `json:"demangled" col:"Kernel; cut; role=code"`
	Key       string              `json:"-" csv:"device" col:"Device"`
	Device    *report.DeviceValue `json:"device"`
	Verdict   string              `json:"verdict" col:"Verdict"`
	Old       *kernelRow          `json:"old"`
	New       *kernelRow          `json:"new"`
	Changed   []string            `json:"changed" csv:"changed" jsonschema:"the figures that differ"`
	// What people read: the figures before and after.
	Figures [len(figures)]string `json:"-" csv:"spill_bytes scratch_bytes registers_per_thread simd slm_bytes barriers peak_percent average_percent"`
}

// figures are what a sentence calls what may change.
var figures = [...]struct{ field, name, unit string }{
	{binary.FieldSpill, "spill", " bytes"}, {binary.FieldScratch, "scratch", " bytes"},
	{binary.FieldRegisters, "registers per thread", ""}, {binary.FieldSIMD, "SIMD", ""},
	{binary.FieldSLM, "SLM", " bytes"}, {binary.FieldBarriers, "barriers", ""},
	{binary.FieldPeak, "predicted peak", " %"}, {binary.FieldAverage, "predicted average", " %"},
}

// Diff gives what a new compilation changed in every form.
func Diff(pairs []binary.Pair, notes []note.Note, prov report.Provenance) *report.Answer {
	rows := report.ListOf(pairs, func(p binary.Pair) pairRow { return pairOf(&p) })
	// No value: kernels of binaries have no time to be sorted by.
	show := prov.Show.Choose(len(pairs), func(i int) report.Candidate {
		return report.Candidate{Task: pairs[i].Kernel().Demangled(), Value: math.NaN()}
	})
	row := func(i int) pairRow { return rows[show[i]] }
	t := report.Rows("kernels", len(show), row, "demangled", "device", "verdict", "spill_bytes: Spill [bytes]; drop=5",
		"scratch_bytes: Scratch [bytes]; drop=4", "registers_per_thread: Registers per thread; brief=GRF; drop=6",
		"simd: SIMD; drop=3", "slm_bytes: SLM [bytes]; drop=2", "barriers: Barriers; drop=1", "peak_percent: Peak [%]",
		"average_percent: Average [%]")
	d := &report.Document{Whole: true, Title: "What a new compilation changed", Version: prov.Version,
		Headline: append([]string{counts(pairs)},
			report.NotWhole(prov.Show.LeftOut(len(show), len(pairs), "kernels",
				func(i int) string { return pairs[i].Kernel().Name }))...)}
	s := report.Section{Key: "kernels", Title: "Kernels", Sheet: "Kernels", Tables: []*report.Table{t},
		ItemsIn: report.Terminal | report.Page}
	for _, i := range show {
		if p := &pairs[i]; p.Verdict == binary.Worse {
			s.Items = append(s.Items, report.Item{Lead: report.OneLine(p.Kernel().Demangled()),
				Detail: p.Kernel().Device.Key, Text: sentence(p), Status: report.Bad})
		}
	}
	d.Sections = []report.Section{s, report.NoteSection(report.RunNotes(notes))}
	return &report.Answer{Doc: d, Table: report.Rows("kernels", len(show), row),
		Tests: func() *report.TestSuite { return suite(pairs, prov) },
		Value: diffValue{Schema: diffSchema, Kernels: rows, Notes: report.Notes(notes)}}
}

func pairOf(p *binary.Pair) pairRow {
	k := p.Kernel()
	r := pairRow{Name: k.Name, Demangled: k.Demangled(), Key: k.Device.Key, Device: report.NewDeviceValue(k.Device, ""),
		Verdict: string(p.Verdict), Changed: p.Changed}
	side := func(k *binary.Kernel) (*kernelRow, [len(figures)]string) {
		if k == nil {
			return nil, [len(figures)]string{}
		}
		row := rowOf(k)
		return &row, row.figures()
	}
	var old [len(figures)]string
	r.Old, old = side(p.Old)
	r.New, r.Figures = side(p.New)
	for i, before := range old {
		switch {
		// A kernel that was removed is shown as it was.
		case r.New == nil:
			r.Figures[i] = before
		case r.Old != nil && before != r.Figures[i]:
			r.Figures[i] = before + " -> " + r.Figures[i]
		}
	}
	return r
}

// figures are printed in the order of the table of that name.
func (k *kernelRow) figures() [len(figures)]string {
	list := [len(figures)]string{}
	for i, c := range []report.Cell{report.OptInt(k.Spill), report.OptInt(k.Scratch), report.IntCell(k.Registers),
		report.IntCell(k.SIMD), report.IntCell(k.SLM), report.IntCell(k.Barriers), report.OptPercent(k.Peak),
		report.OptPercent(k.Average)} {
		list[i] = report.Column{}.Print(c)
	}
	return list
}

// counts says how many kernels did what.
func counts(pairs []binary.Pair) string {
	n := map[binary.Verdict]int{}
	for i := range pairs {
		n[pairs[i].Verdict]++
	}
	var parts []string
	for _, v := range binary.Verdicts() {
		if n[v] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", report.Thousands(int64(n[v])), v))
		}
	}
	return unit.Counted(len(pairs), "kernel", "kernels") + ": " + join(parts)
}

// sentence says what changed for a kernel, the figures first that decide.
func sentence(p *binary.Pair) string {
	r := pairOf(p)
	// What cannot run at all outweighs any figure.
	if r.New != nil && r.New.Predicted == nil && r.New.Message != nil {
		return "It cannot run any more: " + *r.New.Message + "."
	}
	var parts []string
	for _, changed := range p.Changed {
		for i, f := range figures {
			if f.field == changed {
				parts = append(parts, f.name+" "+r.Figures[i]+f.unit)
			}
		}
	}
	if len(parts) == 0 {
		return "Nothing changed."
	}
	return report.UpperFirst(strings.Join(parts, "; ")) + "."
}

// suite makes a test case of each kernel on each device.
func suite(pairs []binary.Pair, prov report.Provenance) *report.TestSuite {
	s := report.NewTestSuite("diff of binaries", prov)
	var cases []report.Case
	for i := range pairs {
		p := &pairs[i]
		k := p.Kernel()
		c := report.Case{Class: k.Device.Key, Name: report.OneLine(k.Demangled()), File: report.OneLine(k.File),
			Text: sentence(p)}
		switch p.Verdict {
		case binary.Worse:
			c.Outcome, c.Type, c.Message = report.Failed, string(p.Verdict), c.Text
		// Neither better nor worse can be said of one side.
		case binary.Added, binary.Removed:
			c.Outcome, c.Type, c.Message = report.Skipped, string(p.Verdict), string(p.Verdict)
		}
		cases = append(cases, c)
	}
	s.SetCases(cases)
	return s
}

// Annotations lists the kernels that got worse.
func Annotations(pairs []binary.Pair, level report.AnnotationLevel) []report.Annotation {
	var list []report.Annotation
	for i := range pairs {
		if p := &pairs[i]; p.Verdict == binary.Worse {
			list = append(list, report.Annotation{Level: level, Title: report.OneLine(p.Kernel().Demangled()) + " on " +
				p.Kernel().Device.Key,
				Message: sentence(p)})
		}
	}
	return list
}

// Failure says which kernels got worse, for the gate that --fail-on asks for; empty when none did.
func Failure(pairs []binary.Pair) string {
	var worse []string
	for i := range pairs {
		if p := &pairs[i]; p.Verdict == binary.Worse {
			worse = append(worse, report.CutMiddle(report.OneLine(p.Kernel().Demangled()), 40)+" on "+
				p.Kernel().Device.Key)
		}
	}
	if len(worse) == 0 {
		return ""
	}
	return fmt.Sprintf("--fail-on regression: %d of %d kernels got worse: %s", len(worse), len(pairs),
		join(report.Few(worse, report.MostTasks)))
}

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	return []report.Output{
		{Name: "predict-binary", ID: predictSchema, Command: "occudiff predict FILE... --format json",
			Text: "the kernels of binaries with what was predicted.", Values: []any{predictValue{Notes: report.Notes(nil)}}},
		{Name: "sweep-binary", ID: registersSchema, Command: "occudiff predict FILE... --sweep grf --format json",
			Text: "the kernels of binaries and sources in each register mode.", Values: []any{registersValue{Notes: report.Notes(nil)}}},
		{Name: "diff-binary", ID: diffSchema, Command: "occudiff diff OLD NEW --format json",
			Text: "what a new compilation changed, kernel by kernel.", Values: []any{diffValue{Notes: report.Notes(nil)}}},
	}
}

func join(words []string) string { return strings.Join(words, ", ") }
