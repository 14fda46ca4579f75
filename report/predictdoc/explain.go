package predictdoc

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/report"
)

// columnKind is the kind that a terminal leaves out of the list, and whose sign is a formula.
const columnKind = "column"

const fieldKind = "field"

// FlagKind is the kind of flags, whose texts are their help.
const FlagKind = "flag"

// glossary is the JSON output of `explain`.
type glossary struct {
	Schema string        `json:"schema"`
	Words  *report.Table `json:"words"`
}

var termColumns = []report.Col[report.Term]{
	report.Define(column{Key: "name", Path: "name", Always: true, Title: "Word", Kind: report.Text, In: all}, func(t *report.Term) cell { return text(t.Name) }),
	report.Define(column{Key: "kind", Path: "kind", Always: true, Title: "Kind", Kind: report.Text, Drop: 1, In: all}, func(t *report.Term) cell { return text(t.Kind) }),
	report.Define(column{Key: "means", Path: "means", Always: true, Title: "Meaning", Kind: report.Text, Wrap: true, In: all}, func(t *report.Term) cell { return text(t.Means) }),
	report.Define(column{Key: "told_by", Path: "told_by", Title: "How it is recognized", Kind: report.Text, Wrap: true, In: files, Doc: "the sign, with its thresholds"}, func(t *report.Term) cell { return report.TextCell(t.Sign) }),
	report.Define(column{Key: "what_to_do", Path: "what_to_do", Title: "What to do", Kind: report.Text, Wrap: true, In: files}, func(t *report.Term) cell { return report.TextCell(t.Do) }),
	report.Define(column{Key: "from", Path: "from", Title: "From", Kind: report.Text, Wrap: true, In: files, Doc: "where that is from"}, func(t *report.Term) cell { return report.TextCell(t.From) }),
	report.Define(column{Key: "found_with", Path: "found_with", Title: "Found with", Kind: report.Text, In: files, Doc: "verdicts, or parts of an account"}, func(t *report.Term) cell { return report.TextCell(t.With) }),
}

// words lists all words.
func words() (list []report.Term) {
	for _, k := range report.Terms() {
		list = append(list, k.Terms...)
	}
	return list
}

// Names lists the words, for completion: each an argument of its own.
func Names() []string {
	list := report.ListOf(words(), func(t report.Term) string { return strings.ToLower(strings.ReplaceAll(t.Name, " ", "-")) })
	slices.Sort(list)
	return slices.Compact(list)
}

// Explain answers what a word means: a word of the outputs, a flag, or a field of JSON; several may be spelled alike. others
// are the flags and fields. A key is looked for as it is, then without its unit, and at last without the side, the end of
// an interval or the number of a value: it is explained as that value.
func Explain(name string, others ...report.Term) (*report.Answer, error) {
	all, whole := words(), written(name)
	found, more := called(all, whole, written), called(others, whole, written)
	ofWords := len(found) > 0 // they say more of a field than its schema does
	for _, t := range more {
		if t.Kind == FlagKind || !ofWords {
			found = append(found, t)
		}
	}
	word := spelled(name)
	for _, end := range []string{"", "_n", "_p", "_low", "_high", ",_at_least", ",_at_most", "_change", "_significant", "_old", "_new"} {
		if word = strings.TrimSuffix(word, end); len(found) == 0 {
			found = called(all, word, spelled)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no output has the term %q", name)
	}
	t := report.NewTable("words", "", found, termColumns)
	d := &report.Document{Whole: true, Titled: true, Title: report.UpperFirst(found[0].Name)}
	for i := range found {
		d.Sections = append(d.Sections, section(&found[i], fmt.Sprintf("word-%d", i+1)))
	}
	return &report.Answer{Doc: d, Value: glossary{explainSchema, t}, Table: t}, nil
}

// called finds the terms of a name.
func called(terms []report.Term, name string, spell func(string) string) (found []report.Term) {
	for _, w := range terms {
		if slices.ContainsFunc(append(w.Also, w.Name), func(n string) bool { return spell(n) == name }) {
			found = append(found, w)
		}
	}
	return found
}

// section is the page of a word: its kind, what it is found with, and what is known of it.
func section(w *report.Term, key string) report.Section {
	title := w.Name + " (" + w.Kind + ")"
	if w.With != "" {
		title = w.Name + " (" + w.Kind + ", found with " + w.With + ")"
		if w.Kind == FlagKind {
			title = w.Name + " (flag of " + w.With + ")"
		}
	}
	sign := "How it is recognized"
	if w.Kind == columnKind {
		sign = "Formula"
	}
	s := report.Section{Key: key, Title: title, Sheet: "Words", ItemsIn: report.Everywhere}
	for _, i := range []report.Item{{Lead: "What it means", Text: w.Means}, {Lead: sign, Text: w.Sign},
		{Lead: "What to do", Text: w.Do}, {Lead: "From", Text: w.From}} {
		if i.Text != "" {
			s.Items = append(s.Items, i)
		}
	}
	return s
}

// written is a name without case, the unit of a heading and what stands between words.
func written(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), " [")
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimLeft(strings.TrimSpace(name), "-"))
}

// spelled is a name without what the outputs spell in different ways: case, units, and what stands between words.
func spelled(name string) string {
	name = written(name)
	for _, unit := range []string{"_percent", "_points", "_seconds", "_bytes"} {
		name = strings.TrimSuffix(name, unit)
	}
	return name
}

// Glossary answers what all words mean. A terminal has their names by group.
func Glossary() *report.Answer {
	pg := page{title: "What the terms mean", key: "words", heading: "Words", headline: []string{
		"'occudiff explain WORD' says what one means, how it is recognized and what to do. WORD is one of these, a heading of " +
			"a report, a flag, a key of JSON or CSV, or a device."}, table: report.NewTable("words", "", words(), termColumns), brief: &report.Section{}}
	for _, k := range report.Terms() {
		if k.Kind != columnKind && k.Kind != fieldKind {
			title, _, _ := strings.Cut(k.Title, ",")
			names := report.ListOf(k.Terms, func(t report.Term) string { return t.Name })
			pg.brief.Items = append(pg.brief.Items, report.Item{Lead: title, Text: strings.Join(names, ", ")})
		}
	}
	return pg.answer(glossary{explainSchema, pg.table})
}
