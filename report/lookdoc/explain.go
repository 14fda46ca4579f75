// Package lookdoc answers what has nothing to do with a run: what does a word of an answer mean, what is installed for
// collecting, and which settings apply?
//
// The words are the causes and the parts of the account, which package compare documents itself, and those of the
// glossary here: verdicts, limits, policies, and the columns and fields of the outputs. A word is found by the name
// that it has in any output: the heading of a column, its key in CSV, or its field in JSON.
//
// The package looks for nothing and decides nothing: a rule that a text tells of stands in compare, predict or trend.
package lookdoc

import (
	"fmt"
	"slices"
	"strings"

	"occudiff/compare"
	"occudiff/report"
)

const schema = "occudiff/explain/1"

// Outputs are the JSON outputs of this package.
func Outputs() []report.Output {
	return []report.Output{
		{Name: "doctor", ID: doctorSchema, Command: "occudiff doctor --format json",
			Text: "what is installed for collecting.", Values: []any{doctorValue{}}},
		{Name: "config", ID: settingsSchema, Command: "occudiff config --format json",
			Text: "the settings that apply, and where each is from.", Values: []any{settingsValue{}}},
		{Name: "explain", ID: schema, Command: "occudiff explain --format json",
			Text: "what the words of the other outputs mean.", Values: []any{glossary{}},
			Words: map[string][]string{"word.kind": kinds()}},
	}
}

// The kinds of words, in the order in which they are listed.
const (
	cause      = "cause"
	ofAccount  = "word of the account"
	verdict    = "verdict"
	diffResult = "verdict of diff"
	compiled   = "verdict of a compilation"
	gate       = "verdict of track"
	limit      = "limit"
	policy     = "policy"
	column     = "column"
)

func kinds() []string {
	return []string{cause, ofAccount, verdict, diffResult, compiled, gate, limit, policy, column}
}

// glossary is the JSON output of `explain`.
type glossary struct {
	Schema string `json:"schema"`
	Words  []word `json:"words"`
}

// word is a word of an output, and a row of the table of words.
type word struct {
	Name    string  `json:"name" col:"Word"`
	Kind    string  `json:"kind" col:"Kind; drop=1"`
	Means   string  `json:"means" col:"Meaning; wrap"`
	Sign    *string `json:"told_by" col:"How it is recognized; in=page+sheet; wrap" jsonschema:"the sign, with its thresholds"`
	Do      *string `json:"what_to_do" col:"What to do; in=page+sheet; wrap"`
	From    *string `json:"from" col:"From; in=page+sheet; wrap" jsonschema:"where that is from"`
	Applies *string `json:"found_with" col:"Found with; in=page+sheet" jsonschema:"verdicts, or parts of an account"`

	also []string // other names: the key of a column beside its heading
}

// words lists all words.
func words() []word {
	var list []word
	for _, kind := range []string{cause, ofAccount} {
		texts := compare.CauseTexts()
		if kind == ofAccount {
			texts = compare.AccountTexts()
		}
		for _, t := range texts {
			list = append(list, word{Name: t.Name, Kind: kind, Means: t.Means, Sign: said(t.Sign), Do: said(t.Do),
				From: said(t.From), Applies: said(t.Applies)})
		}
	}
	for _, e := range entries {
		names := strings.Split(e.names, ", ")
		list = append(list, word{Name: names[0], also: names[1:], Kind: e.kind, Means: e.means, Sign: said(e.sign)})
	}
	return list
}

// said gives nil for a text that is not there.
func said(text string) *string {
	if text == "-" {
		return nil
	}
	return report.Filled(text)
}

// Names lists the words, for completion.
func Names() []string {
	return report.ListOf(words(), func(w word) string { return w.Name })
}

// Explain answers what a word means; several words may be spelled alike. The error names those that are spelled nearly
// so.
func Explain(name string) (*report.Answer, error) {
	var found []word
	for _, w := range words() {
		if slices.ContainsFunc(append(w.also, w.Name), func(n string) bool { return spelled(n) == spelled(name) }) {
			found = append(found, w)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no output has the term %q", name)
	}
	ans := answer(found)
	ans.Doc.Title, ans.Doc.Headline, ans.Doc.Sections = report.UpperFirst(found[0].Name), nil, nil
	for i := range found {
		ans.Doc.Sections = append(ans.Doc.Sections, found[i].section(fmt.Sprintf("word-%d", i+1)))
	}
	return ans, nil
}

// title names a word, its kind, and what it is found with.
func (w *word) title() string {
	if w.Applies == nil {
		return w.Name + " (" + w.Kind + ")"
	}
	return w.Name + " (" + w.Kind + ", found with " + *w.Applies + ")"
}

// section is the page of a word.
func (w *word) section(key string) report.Section {
	s := report.Section{Key: key, Title: w.title(), Sheet: "Words", ItemsIn: report.Everywhere}
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

func answer(list []word) *report.Answer {
	d := &report.Document{Whole: true, Titled: true, Title: "What the terms mean",
		Headline: []string{"'occudiff explain TERM' says more about one of these, or about a column of a report, by " +
			"its heading or key, as in 'occudiff explain waves'."}}
	for _, kind := range kinds() {
		s := report.Section{Key: strings.ReplaceAll(kind, " ", "-"), Title: titleOf(kind), Sheet: "Words",
			ItemsIn: report.Everywhere}
		if kind == column {
			s.In, s.ItemsIn = report.Files, report.Files
		}
		for _, w := range list {
			if w.Kind == kind {
				s.Items = append(s.Items, report.Item{Lead: w.Name, Text: w.Means})
			}
		}
		d.Sections = append(d.Sections, s)
	}
	return &report.Answer{Doc: d, Value: glossary{schema, list}, Table: report.Rows("words", len(list),
		func(i int) word { return list[i] })}
}

func titleOf(kind string) string {
	switch kind {
	case cause:
		return "Causes, in the order in which they are looked for"
	case ofAccount:
		return "Words of the account"
	case policy:
		return "Policies"
	}
	first, rest, _ := strings.Cut(kind, " ")
	return strings.TrimSpace(report.UpperFirst(first) + "s " + rest)
}
