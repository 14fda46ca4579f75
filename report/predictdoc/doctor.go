package predictdoc

import (
	"occudiff/ingest/collect"
	"occudiff/ingest/unit"
	"occudiff/report"
)

// doctorValue is the JSON output of `occudiff collect --check`.
type doctorValue struct {
	Schema string        `json:"schema"`
	Checks *report.Table `json:"checks"`
	Traps  []string      `json:"traps" jsonschema:"what makes a collection say less than it could"`
}

var checkColumns = []report.Col[collect.Check]{
	report.Define(column{Key: "name", Path: "name", Always: true, Title: "What", Kind: report.Text, In: all}, func(c *collect.Check) cell { return text(c.Name) }),
	report.Define(column{Path: "ok", Always: true, Kind: report.Bool}, func(c *collect.Check) cell { return report.BoolCell(c.OK) }),
	report.Define(column{Key: "state", Title: "State", Kind: report.Text, In: all}, func(c *collect.Check) cell {
		if c.OK {
			return report.StatusCell("ok", report.Good)
		}
		return report.StatusCell("missing", report.Bad)
	}),
	report.Define(column{Key: "found", Path: "found", Title: "Found", Kind: report.Text, Fold: true, In: all}, func(c *collect.Check) cell { return report.TextCell(c.Found) }),
	report.Define(column{Key: "costs", Path: "costs", Title: "What the lack costs", Kind: report.Text, Wrap: true, In: files}, func(c *collect.Check) cell { return report.TextCell(c.Costs) }),
	report.Define(column{Key: "get", Path: "get", Title: "How to get it", Kind: report.Text, Wrap: true, In: files}, func(c *collect.Check) cell { return report.TextCell(c.Get) }),
}

// Doctor gives what is installed for collecting in every form.
func Doctor(checks []collect.Check, traps []string) *report.Answer {
	pg := page{title: "What is installed for collecting", key: "checks", heading: "What is installed",
		table: report.NewTable("checks", "", checks, checkColumns)}
	for _, c := range checks {
		if !c.OK {
			pg.items = append(pg.items, report.Item{Lead: c.Name, Status: report.Bad,
				Text: report.UpperFirst(c.Costs) + ". To get it: " + c.Get + "."})
		}
	}
	line := "Everything that collecting needs is here."
	if missing := len(pg.items); missing > 0 {
		line = unit.Counted(missing, "thing is", "things are") +
			" missing. Predictions and reports of files need none of them."
	}
	pg.headline = []string{line}
	for _, t := range traps {
		pg.items = append(pg.items, report.Item{Lead: "trap", Text: t})
	}
	return pg.answer(doctorValue{doctorSchema, pg.table, traps})
}
