// Package lookdoc answers what has nothing to do with a run: what does a word of an answer mean, what is installed for
// collecting, and which settings apply?
//
// The words are the terms of package report. A word is found by the name that it has in any output: the heading of a
// column, its key in CSV, or its field in JSON.
//
// The package looks for nothing and decides nothing: a rule that a text tells of stands in compare, predict or trend.
package lookdoc

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/report"
)

const schema = "occudiff/explain/1"

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	return []report.Output{
		{Name: "doctor", ID: doctorSchema, Command: "occudiff collect --check --format json",
			Text: "what is installed for collecting.", Values: []any{doctorValue{}}},
		{Name: "config", ID: settingsSchema, Command: "occudiff config --format json",
			Text: "the settings that apply, and where each is from.", Values: []any{settingsValue{}}},
		{Name: "explain", ID: schema, Command: "occudiff explain --format json",
			Text: "what the words of the other outputs mean.", Values: []any{glossary{}}},
	}
}

// column is the kind that a terminal leaves out of the list, and whose sign is a formula.
const column = "column"

// glossary is the JSON output of `explain`.
type glossary struct {
	Schema string        `json:"schema"`
	Words  []report.Term `json:"words"`
}

// words lists all words.
func words() (list []report.Term) {
	for _, k := range report.Terms() {
		list = append(list, k.Terms...)
	}
	return list
}

// Names lists the words, for completion.
func Names() []string {
	return report.ListOf(words(), func(t report.Term) string { return t.Name })
}

// Explain answers what a word means, or a field of JSON; several words may be spelled alike. A key with the side, the
// end of an interval or the number of a value is explained as that of the value.
func Explain(name string, fields ...report.Term) (*report.Answer, error) {
	all, word := words(), spelled(name)
	found := called(all, word)
	for _, end := range []string{"_n", "_p", "_low", "_high", "_change", "_significant", "_old", "_new"} {
		if word = strings.TrimSuffix(word, end); len(found) == 0 {
			found = called(all, word)
		}
	}
	if len(found) == 0 {
		found = called(fields, spelled(name))
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no output has the term %q", name)
	}
	ans := answer(found)
	ans.Doc.Title, ans.Doc.Headline, ans.Doc.Sections = report.UpperFirst(found[0].Name), nil, nil
	for i := range found {
		ans.Doc.Sections = append(ans.Doc.Sections, section(&found[i], fmt.Sprintf("word-%d", i+1)))
	}
	return ans, nil
}

// called finds the terms of a name.
func called(terms []report.Term, name string) (found []report.Term) {
	for _, w := range terms {
		if slices.ContainsFunc(append(w.Also, w.Name), func(n string) bool { return spelled(n) == name }) {
			found = append(found, w)
		}
	}
	return found
}

// section is the page of a word: its kind, what it is found with, and what is known of it.
func section(w *report.Term, key string) report.Section {
	title := w.Name + " (" + w.Kind + ")"
	if w.With != nil {
		title = w.Name + " (" + w.Kind + ", found with " + *w.With + ")"
	}
	s := report.Section{Key: key, Title: title, Sheet: "Words", ItemsIn: report.Everywhere}
	add := func(lead string, text *string) {
		if text != nil {
			s.Items = append(s.Items, report.Item{Lead: lead, Text: *text})
		}
	}
	add("What it means", &w.Means)
	if w.Kind == column {
		add("Formula", w.Sign)
	} else {
		add("How it is recognized", w.Sign)
	}
	add("What to do", w.Do)
	add("From", w.From)
	return s
}

// spelled is a name without what the outputs spell in different ways: case, units, and what stands between words.
func spelled(name string) string {
	name, _, _ = strings.Cut(strings.ToLower(name), " [")
	name = strings.NewReplacer(" ", "_", "-", "_").Replace(strings.TrimSpace(name))
	for _, unit := range []string{"_percent", "_points", "_seconds", "_bytes"} {
		name = strings.TrimSuffix(name, unit)
	}
	return name
}

// All answers what all words mean. A terminal leaves the columns out.
func All() *report.Answer { return answer(words()) }

func answer(list []report.Term) *report.Answer {
	d := &report.Document{Whole: true, Titled: true, Title: "What the terms mean",
		Headline: []string{"'occudiff explain TERM' says more about one of these, or about a column of a report, by " +
			"its heading or key, as in 'occudiff explain waves'."}}
	for _, k := range report.Terms() {
		s := report.Section{Key: strings.ReplaceAll(k.Kind, " ", "-"), Title: k.Title, Sheet: "Words",
			ItemsIn: report.Everywhere}
		if k.Kind == column {
			s.In, s.ItemsIn = report.Files, report.Files
		}
		for _, w := range list {
			if w.Kind == k.Kind {
				s.Items = append(s.Items, report.Item{Lead: w.Name, Text: w.Means})
			}
		}
		d.Sections = append(d.Sections, s)
	}
	return &report.Answer{Doc: d, Value: glossary{schema, list}, Table: report.Rows("words", len(list),
		func(i int) report.Term { return list[i] })}
}
