package report

import (
	"fmt"
	"strings"

	"occudiff/ingest/note"
)

// InputsSection returns a section with the inputs and settings that are needed
// to reproduce a report.
func InputsSection(rows Pairs) Section {
	return Section{Key: SectionProvenance, Title: "Inputs and settings", Sheet: "Inputs",
		Tables: []*Table{NameValue(SectionProvenance, rows)}}
}

// NameValue returns a table of names and values, which appears only in files.
func NameValue(key string, rows Pairs) *Table {
	value := Shown("value", "Value", func(*Pair) string { return "" }, Fold)
	value.Of = func(p *Pair) Cell { return p.Value }
	t := NewTable(key, "", rows, []Col[Pair]{Shown("name", "Property", func(p *Pair) string { return p.Name }), value})
	t.In = Files
	return t
}

// Pair is a name and a value.
type Pair struct {
	Name  string
	Value Cell
}

// Pairs are names and values. Empty and unknown values are left out.
type Pairs []Pair

// Pairs returns the provenance as names and values.
func (p *Provenance) Pairs() (rows Pairs) {
	rows.Text("Made by", strings.TrimSpace("occudiff "+p.Version))
	rows.Text("Command line", note.CommandLine(p.CommandLine...))
	rows.Text("Label", p.Label)
	return rows
}

// Text adds a text if it is not empty.
func (p *Pairs) Text(name, value string) {
	p.Add(name, TextCell(value))
}

// Add adds a value if it is known.
func (p *Pairs) Add(name string, value Cell) {
	if !value.Blank() {
		*p = append(*p, Pair{name, value})
	}
}

// RegisterFlags returns the compiler options that select a register mode. See
// docs/devices.md for the sources.
func RegisterFlags(registers int) string {
	switch registers {
	case 128:
		return "the default"
	case 256:
		return "OpenCL -cl-intel-256-GRF-per-thread, Level Zero -ze-opt-large-register-file"
	}
	return fmt.Sprintf("Level Zero -ze-exp-register-file-size %d", registers)
}
