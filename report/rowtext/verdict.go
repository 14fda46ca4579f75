package rowtext

import (
	"occudiff/compare"
	"occudiff/report"
)

// Status is the color that says a verdict again.
func Status(v compare.Verdict) report.Status {
	switch v {
	case compare.Match:
		return report.Good
	case compare.Below, compare.Above:
		return report.Bad
	case compare.Unmeasurable:
		return report.Unsure
	}
	return report.Muted
}

// Verdict is the word of a verdict with its color.
type Verdict compare.Verdict

// Cell implements the cells of report.Rows.
func (v Verdict) Cell() report.Cell {
	return report.StatusCell(string(v), Status(compare.Verdict(v)))
}

// Words implements the words of report.Rows.
func (v Verdict) Words() []report.Word {
	return report.ListOf(compare.Verdicts(), func(v compare.Verdict) report.Word {
		return report.Word{Text: string(v), Status: Status(v)}
	})
}
