package report

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// Schema describes a JSON output of the program.
type Schema struct {
	Name    string // name of the output, for example validate
	ID      string // for example occudiff/validate/1: the value of its field "schema"
	Command string
	Text    string
	Values  []any // one example value per alternative form of the output, including the columns of its tables
}

// FindSchema returns the output with a name or schema ID: validate, validate/1,
// or occudiff/validate/1.
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

// Strings returns values of a string type as strings.
func Strings[T ~string](list []T) []string {
	return ListOf(list, func(w T) string { return string(w) })
}

// Term is a glossary entry. The rule that DetectedBy describes is implemented
// in package compare, predict, or trend.
type Term struct {
	Name, Kind, Meaning string
	DetectedBy, Action  string // rule with its thresholds, and remedy; may be empty
	// Source is the origin of the definition. With lists the verdicts or the
	// breakdown parts that can occur together with the term.
	Source, With string
	Aliases      []string // other names of the term; for example, a column has a key and a heading
}

// TermKind is a group of terms.
type TermKind struct {
	Kind, Title string
	Terms       []Term // causes are in the order of their checks
}

//go:embed glossary.txt
var glossaryFile string

// Describe returns the meaning of a JSON key, or "" if the glossary lacks it.
// The path consists of the output's name and all keys down to that key.
// Describe uses the longest suffix of the path that is in the glossary. For
// example, the meaning of validate-runs.findings.run differs from the meaning
// of run.
func Describe(path string) string {
	for more := true; more; {
		if text, ok := meanings()[path]; ok {
			return text
		}
		_, path, more = strings.Cut(path, ".")
	}
	return ""
}

// meanings returns the meaning of each name in the glossary. Fields are last in
// the glossary, so the meaning of a field replaces the meaning of a verdict
// with the same name.
var meanings = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, k := range Terms() {
		for _, t := range k.Terms {
			for _, name := range append(t.Aliases, t.Name) {
				all[name], all[k.Kind+": "+name] = t.Meaning, t.Meaning
			}
		}
	}
	return all
})

// Terms returns the glossary, causes first. The file has a paragraph for each
// term: its kind and names in the first line, then its meaning and other
// properties. A line that begins with blanks continues the line before it.
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
