package lookdoc

import (
	"occudiff/ingest/collect"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// doctorSchema names the version of the JSON contract of `collect --check`.
const doctorSchema = "occudiff/doctor/1"

// doctorValue is the JSON output of `occudiff collect --check`.
type doctorValue struct {
	Schema string     `json:"schema"`
	Checks []checkRow `json:"checks"`
	Traps  []string   `json:"traps" jsonschema:"what makes a collection say less than it could"`
}

// checkRow is one thing that was looked for.
type checkRow struct {
	Name  string      `json:"name" col:"What"`
	OK    bool        `json:"ok"`
	State report.Cell `json:"-" csv:"state" col:"State"`
	Found *string     `json:"found" col:"Found; fold"`
	Costs *string     `json:"costs" col:"What the lack costs; in=page+sheet; wrap"`
	Get   *string     `json:"get" col:"How to get it; in=page+sheet; wrap"`
}

// Doctor gives what is installed for collecting in every form.
func Doctor(checks []collect.Check, traps []string, version string) *report.Answer {
	rows := make([]checkRow, len(checks))
	missing := 0
	s := report.Section{Key: "checks", Title: "What is installed", Sheet: "Doctor", ItemsIn: report.Terminal}
	for i, c := range checks {
		rows[i] = checkRow{Name: c.Name, OK: c.OK, State: report.StatusCell("ok", report.Good),
			Found: report.Filled(c.Found), Costs: report.Filled(c.Costs), Get: report.Filled(c.Get)}
		if !c.OK {
			missing++
			rows[i].State = report.StatusCell("missing", report.Bad)
			s.Items = append(s.Items, report.Item{Lead: c.Name, Text: report.UpperFirst(c.Costs) + ". To get it: " +
				c.Get + ".", Status: report.Bad})
		}
	}
	t := report.Rows("checks", len(rows), func(i int) checkRow { return rows[i] }, "name", "state", "found", "costs",
		"get")
	s.Tables = []*report.Table{t}
	closing := "Everything that collecting needs is here."
	if missing > 0 {
		closing = unit.Counted(missing, "thing is", "things are") +
			" missing. Predictions and reports of files need none of them."
	}
	d := &report.Document{Whole: true, Title: "What is installed for collecting", Version: version,
		Headline: []string{closing}}
	advice := report.Section{Key: "traps", Title: "Traps of collecting", Sheet: "Doctor",
		ItemsIn: report.Terminal | report.Page}
	for _, t := range traps {
		advice.Items = append(advice.Items, report.Item{Text: t})
	}
	d.Sections = []report.Section{s, advice}
	return &report.Answer{Doc: d, Value: doctorValue{Schema: doctorSchema, Checks: rows, Traps: traps}, Table: t}
}
