package report

import (
	"fmt"
	"strings"
)

// Output is a JSON output of the program.
type Output struct {
	Name    string // validate
	ID      string // occudiff/validate/1: the value of its field "schema"
	Command string
	Text    string
	Values  []any // as they are written: one, or the alternatives. What a table in them has of columns counts
}

// FindOutput finds an output by its name or its schema id: validate, validate/1, occudiff/validate/1.
func FindOutput(outputs []Output, name string) (*Output, error) {
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

// Words gives defined texts as plain ones.
func Words[T ~string](list []T) []string {
	return ListOf(list, func(w T) string { return string(w) })
}
