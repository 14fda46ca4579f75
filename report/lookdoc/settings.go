package lookdoc

import "occudiff/report"

// settingsSchema names the version of the JSON contract of `config`.
const settingsSchema = "occudiff/config/1"

// settingsValue is the JSON output of `occudiff config`.
type settingsValue struct {
	Schema   string    `json:"schema"`
	File     *string   `json:"file" jsonschema:"of the settings; null when there is none"`
	Settings []Setting `json:"settings"`
	Unknown  []string  `json:"unknown" jsonschema:"keys of the file that are no settings, with their place"`
}

// Setting is a setting that applies, and who said so.
type Setting struct {
	Name  string `json:"name" col:"Setting"`
	Value string `json:"value" col:"Value; fold" jsonschema:"as a flag takes it; empty where nothing is set"`
	From  string `json:"from" col:"From" jsonschema:"default, the environment variable, or the place in the file"`
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
	t := report.Rows("settings", len(list), func(i int) Setting { return list[i] }, "name", "value", "from")
	s.Tables = []*report.Table{t}
	d := &report.Document{Whole: true, Title: "Settings", Headline: []string{headline}, Sections: []report.Section{s}}
	return &report.Answer{Doc: d, Table: t,
		Value: settingsValue{Schema: settingsSchema, File: report.Filled(file), Settings: list, Unknown: unknown}}
}
