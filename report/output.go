package report

import (
	_ "embed"
	"fmt"
	"strings"
)

// Schema is a JSON output of the program.
type Schema struct {
	Name    string // validate
	ID      string // occudiff/validate/1: the value of its field "schema"
	Command string
	Text    string
	Values  []any // as they are written: one, or the alternatives. What a table in them has of columns counts
}

// FindSchema finds an output by its name or its schema id: validate,
// validate/1, occudiff/validate/1.
func FindSchema(outputs []Schema, name string) (*Schema, error) {
	var names []string
	for i := range outputs {
		o := &outputs[i]
		short := strings.TrimPrefix(o.ID, "occudiff/")
		if strings.EqualFold(name, o.Name) || strings.EqualFold(name, o.ID) || strings.EqualFold(name, short) {
			return o, nil
		}
		names = append(names, o.Name)
	}
	return nil, fmt.Errorf("no JSON output is named %q; there are %s", name, strings.Join(names, ", "))
}

// Strings returns defined texts as plain ones.
func Strings[T ~string](list []T) []string {
	return ListOf(list, func(w T) string { return string(w) })
}

// Term is a word of an output for people who ask what it means. The rule that a
// text tells of is in compare, predict or trend.
type Term struct {
	Name, Kind, Meaning string
	DetectedBy, Action  string   // how it is recognized, with its thresholds; what to do; either may be empty
	Source, With        string   // where that is from; the verdicts, or parts of a breakdown, that it is found with
	Aliases             []string // other names: the key of a column next to its heading
}

// TermKind is a kind of terms.
type TermKind struct {
	Kind, Title string
	Terms       []Term // causes are in the order in which they are looked for
}

//go:embed glossary.txt
var glossaryFile string

// Terms returns the words of the outputs that have a text, causes first. The
// file has a paragraph for each term: its kind and names in the first line,
// then what is known of it. A line that begins with blanks goes on with the one
// before.
func Terms() (kinds []TermKind) {
	for paragraph := range strings.SplitSeq(strings.ReplaceAll(glossaryFile, "\n  ", " "), "\n\n") {
		var t Term
		for line := range strings.SplitSeq(strings.TrimSpace(paragraph), "\n") {
			key, text, _ := strings.Cut(line, ": ")
			field := map[string]*string{"detected by": &t.DetectedBy, "action": &t.Action, "source": &t.Source,
				"with": &t.With}[key]
			kind, begins := strings.CutPrefix(key, "kind ")
			switch {
			case begins:
				kinds = append(kinds, TermKind{Kind: kind, Title: text})
			case field != nil:
				*field = text
			case key == "means":
				t.Meaning = text
			default:
				names := strings.Split(text, ", ")
				t.Kind, t.Name, t.Aliases = key, names[0], names[1:]
			}
		}
		if at := len(kinds) - 1; t.Name != "" {
			kinds[at].Terms = append(kinds[at].Terms, t)
		}
	}
	return kinds
}
