package predictdoc

import (
	"occudiff/ingest/unit"
	"occudiff/report"
)

// settingsValue is the JSON output of `occudiff config`.
type settingsValue struct {
	Schema   string           `json:"schema"`
	File     unit.Opt[string] `json:"file" jsonschema:"of the settings; null when there is none"`
	Settings *report.Table    `json:"settings"`
	Unknown  []string         `json:"unknown" jsonschema:"keys of the file that are no settings, with their place"`
}

// Setting is a setting that applies, and who said so.
type Setting struct{ Name, Value, From string }

var givenColumns = []report.Col[Setting]{
	report.Define(column{Key: "name", Path: "name", Always: true, Title: "Setting", Kind: report.Text, In: all}, func(s *Setting) cell { return text(s.Name) }),
	report.Define(column{Key: "value", Path: "value", Always: true, Title: "Value", Kind: report.Text, Fold: true, In: all, Doc: "as a flag takes it; empty where nothing is set"}, func(s *Setting) cell { return text(s.Value) }),
	report.Define(column{Key: "from", Path: "from", Always: true, Title: "From", Kind: report.Text, In: all, Doc: "default, the environment variable, or the place in the file"}, func(s *Setting) cell { return text(s.From) }),
}

// Settings gives the settings in every form.
func Settings(file string, list []Setting, unknown []string) *report.Answer {
	pg := page{title: "Settings", key: "settings", heading: "Settings",
		headline: []string{"No settings file (occudiff.yaml) was found here or in a parent folder."},
		table:    report.NewTable("settings", "", list, givenColumns)}
	if file != "" {
		pg.headline[0] = "Settings file: " + report.OneLine(file)
	}
	for _, line := range unknown {
		pg.items = append(pg.items, report.Item{Text: line, Status: report.Unsure})
	}
	return pg.answer(settingsValue{settingsSchema, unit.NonZero(file), pg.table, unknown})
}
