package predictdoc

import "occudiff/report"

// settingsValue is the JSON output of `occudiff config`.
type settingsValue struct {
	Schema   string        `json:"schema"`
	File     *string       `json:"file" jsonschema:"of the settings; null when there is none"`
	Settings *report.Table `json:"settings"`
	Unknown  []string      `json:"unknown" jsonschema:"keys of the file that are no settings, with their place"`
}

// Setting is a setting that applies, and who said so.
type Setting struct{ Name, Value, From string }

func givenColumns() []report.Col[Setting] {
	return []report.Col[Setting]{
		report.Define(column{Key: "name", Path: "name", Always: true, Title: "Setting", Kind: report.Text, In: all}, func(s *Setting) cell { return text(s.Name) }),
		report.Define(column{Key: "value", Path: "value", Always: true, Title: "Value", Kind: report.Text, Fold: true, In: all, Doc: "as a flag takes it; empty where nothing is set"}, func(s *Setting) cell { return text(s.Value) }),
		report.Define(column{Key: "from", Path: "from", Always: true, Title: "From", Kind: report.Text, In: all, Doc: "default, the environment variable, or the place in the file"}, func(s *Setting) cell { return text(s.From) }),
	}
}

// Settings gives the settings in every form.
func Settings(file string, list []Setting, unknown []string) *report.Answer {
	s := report.Section{Key: "settings", Title: "Settings", Sheet: "Settings", ItemsIn: report.Terminal | report.Page}
	for _, line := range unknown {
		s.Items = append(s.Items, report.Item{Text: line, Status: report.Unsure})
	}
	headline := "No settings file (occudiff.yaml) was found here or in a parent folder."
	if file != "" {
		headline = "Settings file: " + report.OneLine(file)
	}
	t := report.NewTable("settings", "", list, givenColumns())
	s.Tables = []*report.Table{t.Show()}
	d := &report.Document{Whole: true, Title: "Settings", Headline: []string{headline}, Sections: []report.Section{s}}
	return &report.Answer{Doc: d, Table: t,
		Value: settingsValue{settingsSchema, report.Filled(file), t, unknown}}
}
