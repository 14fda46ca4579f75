package diffdoc

import (
	"fmt"
	"math"
	"strings"

	"occudiff/compare/diff"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/batch"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// buildsSchema names the version of the JSON contract of `diff` of binaries.
const buildsSchema = "occudiff/diff-binary/1"

// buildsValue is the JSON output of `occudiff diff OLD NEW` of kernel binaries.
type buildsValue struct {
	Schema  string        `json:"schema"`
	Kernels *report.Table `json:"kernels"`
	Notes   *report.Table `json:"notes"`
}

// buildColumns are of a kernel on one device, before and after, in the order of CSV; what people see of the buildFigures
// stands behind.
func buildColumns() []report.Col[diff.Build] {
	all := report.All
	list := []report.Col[diff.Build]{
		report.Define(report.Column{Key: "name", Path: "name", Always: true, Kind: report.Text, In: report.Data}, func(p *diff.Build) report.Cell { return report.TextCell(p.Kernel().Name) }),
		report.Define(report.Column{Key: "demangled", Path: "demangled", Always: true, Title: "Kernel", Kind: report.Text, Cut: true, Role: report.Code, In: all}, func(p *diff.Build) report.Cell { return report.TextCell(p.Kernel().Demangled()) }),
		report.Define(report.Column{Key: "device", Path: "device.key", Always: true, Title: "Device", Kind: report.Text, In: all}, func(p *diff.Build) report.Cell { return report.TextCell(p.Kernel().Device.Key) }),
	}
	side := func(path string, of func(*diff.Build) *batch.Kernel) {
		list = append(list, report.Define(report.Column{Path: path, Kind: report.Object}, func(p *diff.Build) report.Cell { return report.ObjectCell(of(p) != nil) }))
		for _, c := range report.Within("", path, of, predictdoc.KernelColumns) {
			c.Key, c.In = "", 0
			list = append(list, c)
		}
	}
	for _, c := range predictdoc.KernelColumns { // the rest of the device
		if strings.HasPrefix(c.Path, "device.") && c.Path != "device.key" {
			c := c
			list = append(list, report.Define(c.Column, func(p *diff.Build) report.Cell { return c.Of(p.Kernel()) }))
		}
	}
	list = append(list, report.Define(report.Column{Key: "verdict", Path: "verdict", Always: true, Title: "Verdict", Kind: report.Text, In: all}, func(p *diff.Build) report.Cell { return report.TextCell(string(p.Verdict)) }))
	side("old", func(p *diff.Build) *batch.Kernel { return p.Old })
	side("new", func(p *diff.Build) *batch.Kernel { return p.New })
	list = append(list, report.Define(report.Column{Key: "changed", Path: "changed", Always: true, Kind: report.Array, In: report.Data, Doc: "the buildFigures that differ"}, func(p *diff.Build) report.Cell { return report.ListCell(p.Changed) }))
	for i, f := range buildFigures {
		c := report.Column{Key: f.field, Title: f.title, Brief: f.brief, Unit: strings.TrimSpace(f.unit), Drop: f.drop, Kind: report.Text, In: all}
		list = append(list, report.Define(c, func(p *diff.Build) report.Cell { return report.TextCell(changesOfBuild(p)[i]) }))
	}
	return list
}

// buildFigures are what a buildSentence and a heading call what may change.
var buildFigures = [...]struct {
	field, name, title, brief, unit string
	drop                            int
	of                              func(*batch.Kernel) report.Cell
}{
	{diff.FieldSpill, "spill", "Spill", "", " bytes", 5, func(k *batch.Kernel) report.Cell { return report.OptInt(k.Spill) }},
	{diff.FieldScratch, "scratch", "Scratch", "", " bytes", 4, func(k *batch.Kernel) report.Cell { return report.OptInt(k.Scratch) }},
	{diff.FieldRegisters, "registers per thread", "Registers per thread", "GRF", "", 6, func(k *batch.Kernel) report.Cell { return report.IntCell(k.Registers) }},
	{diff.FieldSIMD, "SIMD", "SIMD", "", "", 3, func(k *batch.Kernel) report.Cell { return report.IntCell(k.SIMD) }},
	{diff.FieldSLM, "SLM", "SLM", "", " bytes", 2, func(k *batch.Kernel) report.Cell { return report.IntCell(k.SLM) }},
	{diff.FieldBarriers, "barriers", "Barriers", "", "", 1, func(k *batch.Kernel) report.Cell { return report.IntCell(k.Barriers) }},
	{diff.FieldPeak, "predicted peak", "Peak", "", " %", 0, func(k *batch.Kernel) report.Cell {
		if k.Prediction == nil {
			return report.Cell{}
		}
		return report.RatioCell(k.Prediction.Prediction.Peak)
	}},
	{diff.FieldAverage, "predicted average", "Average", "", " %", 0, func(k *batch.Kernel) report.Cell {
		if k.Prediction == nil || !k.Prediction.Prediction.HasGrid() {
			return report.Cell{}
		}
		return report.RatioCell(k.Prediction.Prediction.Average)
	}},
}

// Builds gives what a new compilation changed in every form.
func Builds(pairs []diff.Build, notes []note.Note, prov report.Provenance) *report.Answer {
	// No value: kernels of binaries have no time to be sorted by.
	show := prov.Show.Choose(len(pairs), func(i int) report.Candidate {
		return report.Candidate{Task: pairs[i].Kernel().Demangled(), Value: math.NaN()}
	})
	columns := buildColumns()
	t := report.NewTable("kernels", "", report.ListOf(show, func(i int) diff.Build { return pairs[i] }), columns)
	d := &report.Document{Whole: true, Title: "What a new compilation changed", Version: prov.Version,
		Headline: append([]string{buildCounts(pairs)},
			report.NotWhole(prov.Show.LeftOut(len(show), len(pairs), "kernels",
				func(i int) string { return pairs[i].Kernel().Name }))...)}
	s := report.Section{Key: "kernels", Title: "Kernels", Sheet: "Kernels", Tables: []*report.Table{t.Show()},
		ItemsIn: report.Terminal | report.Page}
	for _, i := range show {
		if p := &pairs[i]; p.Verdict == diff.Worse {
			s.Items = append(s.Items, report.Item{Lead: report.OneLine(p.Kernel().Demangled()),
				Detail: p.Kernel().Device.Key, Text: buildSentence(p), Status: report.Bad})
		}
	}
	d.Sections = []report.Section{s, report.NoteSection(report.RunNotes(notes))}
	return &report.Answer{Doc: d, Table: t,
		Tests: func() *report.TestSuite { return buildSuite(pairs, prov) },
		Value: buildsValue{Schema: buildsSchema, Kernels: report.NewTable("kernels", "", pairs, columns), Notes: report.Notes(notes)}}
}

// changesOfBuild are the buildFigures of a kernel, before and after where they differ. One that was removed is shown as it was.
func changesOfBuild(p *diff.Build) (list [len(buildFigures)]string) {
	for i, f := range buildFigures {
		print := func(k *batch.Kernel) string { return report.Column{}.Print(f.of(k)) }
		if list[i] = print(p.Kernel()); p.Old != nil && p.New != nil {
			if before := print(p.Old); before != list[i] {
				list[i] = before + " -> " + list[i]
			}
		}
	}
	return list
}

// buildCounts says how many kernels did what.
func buildCounts(pairs []diff.Build) string {
	n := map[diff.BuildVerdict]int{}
	for i := range pairs {
		n[pairs[i].Verdict]++
	}
	var parts []string
	for _, v := range diff.BuildVerdicts() {
		if n[v] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", report.Thousands(int64(n[v])), v))
		}
	}
	return unit.Counted(len(pairs), "kernel", "kernels") + ": " + strings.Join(parts, ", ")
}

// buildSentence says what changed for a kernel, the buildFigures first that decide.
func buildSentence(p *diff.Build) string {
	// What cannot run at all outweighs any figure.
	if p.New != nil && p.New.Prediction == nil && p.New.Message != "" {
		return "It cannot run any more: " + p.New.Message + "."
	}
	values := changesOfBuild(p)
	var parts []string
	for _, changed := range p.Changed {
		for i, f := range buildFigures {
			if f.field == changed {
				parts = append(parts, f.name+" "+values[i]+f.unit)
			}
		}
	}
	if len(parts) == 0 {
		return "Nothing changed."
	}
	return report.UpperFirst(strings.Join(parts, "; ")) + "."
}

// buildSuite makes a test case of each kernel on each device.
func buildSuite(pairs []diff.Build, prov report.Provenance) *report.TestSuite {
	s := report.NewTestSuite("diff of binaries", prov)
	var cases []report.Case
	for i := range pairs {
		p := &pairs[i]
		k := p.Kernel()
		c := report.Case{Class: k.Device.Key, Name: report.OneLine(k.Demangled()), File: report.OneLine(k.File),
			Text: buildSentence(p)}
		switch p.Verdict {
		case diff.Worse:
			c.Outcome, c.Type, c.Message = report.Failed, string(p.Verdict), c.Text
		// Neither better nor worse can be said of one side.
		case diff.Added, diff.Removed:
			c.Outcome, c.Type, c.Message = report.Skipped, string(p.Verdict), string(p.Verdict)
		}
		cases = append(cases, c)
	}
	s.SetCases(cases)
	return s
}

// BuildAnnotations lists the kernels that got worse.
func BuildAnnotations(pairs []diff.Build, level report.AnnotationLevel) []report.Annotation {
	var list []report.Annotation
	for i := range pairs {
		if p := &pairs[i]; p.Verdict == diff.Worse {
			list = append(list, report.Annotation{Level: level, Title: report.OneLine(p.Kernel().Demangled()) + " on " +
				p.Kernel().Device.Key,
				Message: buildSentence(p)})
		}
	}
	return list
}

// BuildFailure says which kernels got worse, for the gate that --fail-on asks for; empty when none did.
func BuildFailure(pairs []diff.Build) string {
	var worse []string
	for i := range pairs {
		if p := &pairs[i]; p.Verdict == diff.Worse {
			worse = append(worse, report.CutMiddle(report.OneLine(p.Kernel().Demangled()), 40)+" on "+
				p.Kernel().Device.Key)
		}
	}
	if len(worse) == 0 {
		return ""
	}
	return fmt.Sprintf("--fail-on regression: %d of %d kernels got worse: %s", len(worse), len(pairs),
		strings.Join(report.Few(worse, report.MostTasks), ", "))
}

// buildsOutput is the JSON output of a diff of builds.
func buildsOutput() report.Output {
	return report.Output{Name: "diff-binary", ID: buildsSchema, Command: "occudiff diff OLD NEW --format json",
		Text: "what a new compilation changed, kernel by kernel.", Values: []any{buildsValue{Kernels: report.NewTable("", "", nil, buildColumns()), Notes: report.Notes(nil)}}}
}
