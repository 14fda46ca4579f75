package diffdoc

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"occudiff/compare/diff"
	"occudiff/ingest/note"
	"occudiff/ingest/unit"
	"occudiff/predict/batch"
	"occudiff/report"
	"occudiff/report/predictdoc"
)

// buildsSchema is the name and version of the JSON contract for `diff` of
// binaries.
const buildsSchema = "occudiff/diff-binary/1"

// buildsValue is the JSON output of `occudiff diff OLD NEW` for kernel
// binaries.
type buildsValue struct {
	Schema  string           `json:"schema"`
	Kernels *report.Table    `json:"kernels"`
	Pattern unit.Opt[string] `json:"changed_pattern"`
	Notes   *report.Table    `json:"notes"`
}

// buildColumns returns the columns for a kernel on one device, with its values
// in the old and in the new build, in CSV order. The columns for people are
// last.
func buildColumns() []report.Col[diff.Build] {
	side := func(path string, of func(*diff.Build) *batch.Kernel) []report.Col[diff.Build] {
		return report.Part("", path, of, report.InJSON(predictdoc.KernelColumns))
	}
	list := slices.Concat(report.Within("", "", (*diff.Build).Kernel, predictdoc.KernelNames), []report.Col[diff.Build]{
		report.Define("verdict", "Verdict",
			func(p *diff.Build) string { return string(p.Verdict) }),
	}, side("old",
		func(p *diff.Build) *batch.Kernel { return p.Old }),
		side("new",
			func(p *diff.Build) *batch.Kernel { return p.New }), []report.Col[diff.Build]{
			report.Define("changed", "",
				func(p *diff.Build) []string { return p.Changed },
				report.Data),
		})
	for i, f := range diff.BuildMetrics() {
		if f.Title != "" {
			list = append(list, report.Shown(f.Key, f.Title, func(p *diff.Build) string { return figureText(p, f) },
				report.Unit(f.Unit), report.Drop(max(0, 7-i)), report.NonZero))
		}
	}
	return append(list, report.Shown("message", "Note", func(p *diff.Build) string {
		if k := p.Kernel(); k.Prediction == nil {
			return report.OneLine(k.Message)
		}
		return ""
	}, report.Everywhere, report.Fold, report.Wrap, report.NonZero))
}

// figureText returns a kernel's value. If the value changed, it returns the old
// and the new value. For a removed kernel, it returns the old value.
func figureText(p *diff.Build, f diff.BuildMetric) string {
	print := func(k *batch.Kernel) string {
		x, ok := f.Of(k).Value()
		switch {
		case !ok:
			return report.Column{}.Print(report.Cell{})
		case f.Unit == "%":
			return report.Decimal(x, 1)
		}
		return report.Thousands(int64(x))
	}
	text := print(p.Kernel())
	if p.Old != nil && p.New != nil {
		if before := print(p.Old); before != text {
			return before + " -> " + text
		}
	}
	return text
}

// buildChange describes what changed for a kernel between two builds.
func buildChange(p *diff.Build) string {
	// If the new kernel cannot run, this matters more than any changed value.
	if p.New != nil && p.New.Prediction == nil && p.New.Message != "" {
		return "It can no longer run: " + p.New.Message
	}
	var parts []string
	for _, f := range diff.BuildMetrics() {
		if f.Title != "" && slices.Contains(p.Changed, f.Key) {
			parts = append(parts, report.LowerFirst(f.Title)+" "+report.WithUnit(figureText(p, f), f.Unit))
		}
	}
	if len(parts) == 0 {
		return "Nothing changed"
	}
	return report.UpperFirst(strings.Join(parts, "; "))
}

// Builds returns the output with the changes between two builds.
func Builds(pairs []diff.Build, notes []note.Note, prov report.Provenance) *report.Output {
	// The sort value is NaN, because kernels of binaries have no time by which
	// they could be sorted.
	rows, left := report.Select(prov.Show, pairs, "kernels", func(p *diff.Build) report.Candidate {
		return report.Candidate{Task: p.Kernel().Demangled(), Value: math.NaN()}
	})
	columns := buildColumns()
	t := report.NewTable("kernels", "", rows, columns)
	s := report.Section{
		Key:    "kernels",
		Title:  "Kernels",
		Sheet:  "Kernels",
		Tables: []*report.Table{t.Show()},
	}
	pattern, closing := changedPattern(pairs), ""
	if pattern != "" && DisjointBuilds(pairs) == "" {
		closing = "To measure what changed: " +
			note.CommandLine("occudiff", "collect", "--kernel", pattern, "--", "./app")
	}
	return &report.Output{
		Table: t,
		Tests: func() *report.TestSuite { return buildSuite(pairs, prov) },
		Doc: &report.Document{
			Whole:    true,
			Title:    "Changes in a new build",
			Version:  prov.Version,
			Headline: append([]string{buildCounts(pairs)}, report.IncompleteNotes(left)...),
			Closing:  closing,
			Sections: []report.Section{s, report.NoteSection(report.RunNotes(notes))},
		},
		Value: buildsValue{buildsSchema, report.NewTable("kernels", "", pairs, columns), unit.NonZero(pattern),
			report.Notes(notes)},
	}
}

// DisjointBuilds returns a sentence if the builds have no kernel in common on
// the same device, so that nothing was compared. Otherwise, it returns "".
func DisjointBuilds(pairs []diff.Build) string {
	var devices, names [2][]string
	for i := range pairs {
		p := &pairs[i]
		side := 0
		switch {
		case p.Old != nil && p.New != nil:
			return ""
		case p.Old == nil:
			side = 1
		}
		k := p.Kernel()
		devices[side], names[side] = append(devices[side], k.DeviceKey()), append(names[side], k.Name)
	}
	const text = "the builds have no kernel in common, so nothing was compared: "
	few := func(list []string) string {
		slices.Sort(list)
		return strings.Join(report.FirstFew(slices.Compact(list), 3), ", ")
	}
	older, newer := few(devices[0]), few(devices[1])
	switch {
	case len(names[0]) == 0 || len(names[1]) == 0:
		return ""
	case older != newer:
		return text + fmt.Sprintf("the old build is for %s, and the new build is for %s; with --device, both are "+
			"predicted for one device", older, newer)
	}
	return text + fmt.Sprintf("the old build has %s; the new build has %s", few(names[0]), few(names[1]))
}

// changedPattern returns a regular expression that matches new and changed
// kernels, or "" if there are none.
func changedPattern(pairs []diff.Build) string {
	var names []string
	for i := range pairs {
		if p := &pairs[i]; p.Verdict == diff.Added || len(p.Changed) > 0 {
			names = append(names, p.Kernel().Demangled())
		}
	}
	return report.NamePattern(names)
}

// buildCounts returns the number of kernels per verdict.
func buildCounts(pairs []diff.Build) string {
	n := map[diff.BuildVerdict]int{}
	for i := range pairs {
		n[pairs[i].Verdict]++
	}
	var parts []string
	for _, v := range diff.BuildVerdicts() {
		if n[v] > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", report.Thousands(n[v]), v))
		}
	}
	return unit.Plural(len(pairs), "kernel") + ": " + strings.Join(parts, ", ")
}

// buildSuite returns a test case for each kernel on each device.
func buildSuite(pairs []diff.Build, prov report.Provenance) *report.TestSuite {
	s := report.NewTestSuite("diff of binaries", prov)
	var cases []report.Case
	for i := range pairs {
		p := &pairs[i]
		k := p.Kernel()
		change := buildChange(p)
		c := report.Case{
			Class: k.DeviceKey(),
			Name:  report.OneLine(k.Demangled()),
			File:  report.OneLine(k.File),
			Text:  change + ".",
		}
		switch p.Verdict {
		case diff.Worse:
			c.Outcome, c.Type, c.Message, c.Reason = report.Failed, string(p.Verdict), c.Text, change
		case diff.Added, diff.Removed: // skipped, because a kernel in only one build cannot be better or worse
			c.Outcome, c.Type, c.Message = report.Skipped, string(p.Verdict), string(p.Verdict)
		}
		cases = append(cases, c)
	}
	s.SetCases(cases)
	return s
}
